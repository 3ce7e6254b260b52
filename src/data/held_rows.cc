// SPDX-License-Identifier: Apache-2.0
#include "data/held_rows.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace sosia {

namespace {

class HeldRows : public RowSource {
 public:
  explicit HeldRows(std::unique_ptr<RowSource> source) : source_(std::move(source)) {}

  int columns() const override { return source_->columns(); }
  bool has_units() const override { return source_->has_units(); }
  std::unique_ptr<RowScan> scan() const override {
    const std::lock_guard lock(mutex_);
    if (!held_) held_ = read();
    return held_->scan();
  }

 private:
  struct Piece {
    std::int64_t first_row;
    std::vector<float> rows;
    std::vector<std::uint64_t> units;
  };

  std::unique_ptr<RowSource> read() const {
    std::vector<Piece> pieces;
    const std::unique_ptr<RowScan> scan = source_->scan();
    for (RowBlock block; scan->next(block);) {
      Piece piece{block.first_row, {}, {block.units.begin(), block.units.end()}};
      for (std::size_t r = 0; r < block.rows.rows; ++r) {
        piece.rows.insert(piece.rows.end(), block.rows.row(r).begin(), block.rows.row(r).end());
      }
      pieces.push_back(std::move(piece));
    }
    // A row's place must not depend on which piece came first.
    std::ranges::sort(pieces, {}, &Piece::first_row);
    std::vector<float> rows;
    std::vector<std::uint64_t> units;
    // Units are numbered as they come: the ids that a file gives them are hashes under a key of this run.
    std::unordered_map<std::uint64_t, std::uint64_t> numbers;
    for (Piece& piece : pieces) {
      rows.insert(rows.end(), piece.rows.begin(), piece.rows.end());
      for (const std::uint64_t unit : piece.units)
        units.push_back(numbers.try_emplace(unit, numbers.size()).first->second);
      piece = {};
    }
    if (!has_units()) return rows_in_memory(std::move(rows), columns());
    return rows_in_memory(std::move(rows), columns(), std::move(units));
  }

  std::unique_ptr<RowSource> source_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<RowSource> held_;
};

}  // namespace

std::unique_ptr<RowSource> held_rows(std::unique_ptr<RowSource> source) {
  return std::make_unique<HeldRows>(std::move(source));
}

}  // namespace sosia
