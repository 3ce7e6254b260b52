// SPDX-License-Identifier: Apache-2.0
#include "data/private_table.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <sosia/error.h>

namespace sosia {

namespace {

// Of a block: small enough for the second-level cache, large enough to hide the cost of handing it out.
constexpr std::int64_t kBlockBytes = 1 << 20;
constexpr std::int64_t kBlockRows = 4096;

class MemoryScan : public RowScan {
 public:
  MemoryScan(MatrixView<const float> values, std::span<const std::uint64_t> units) : values_(values), units_(units) {
    const auto row_bytes = static_cast<std::int64_t>(values.cols * sizeof(float));
    block_rows_ = std::clamp<std::int64_t>(kBlockBytes / row_bytes, 1, kBlockRows);
  }

  bool next(RowBlock& block) override {
    const auto total = static_cast<std::int64_t>(values_.rows);
    const std::int64_t first = next_.fetch_add(block_rows_);
    if (first >= total) return false;
    const auto count = static_cast<std::size_t>(std::min(block_rows_, total - first));
    block.first_row = first;
    block.rows = {values_.data + static_cast<std::size_t>(first) * values_.stride, count, values_.cols};
    block.units = units_.empty() ? units_ : units_.subspan(static_cast<std::size_t>(first), count);
    return true;
  }

 private:
  MatrixView<const float> values_;
  std::span<const std::uint64_t> units_;
  std::int64_t block_rows_;
  std::atomic<std::int64_t> next_ = 0;
};

class MemoryRows : public RowSource {
 public:
  MemoryRows(std::vector<float> values, int columns, std::optional<std::vector<std::uint64_t>> units)
      : values_(std::move(values)), units_(std::move(units)), columns_(columns) {}

  int columns() const override { return columns_; }
  bool has_units() const override { return units_.has_value(); }
  std::unique_ptr<RowScan> scan() const override {
    const auto cols = static_cast<std::size_t>(columns_);
    return std::make_unique<MemoryScan>(
        MatrixView<const float>(values_.data(), values_.size() / cols, cols),
        units_ ? std::span<const std::uint64_t>(*units_) : std::span<const std::uint64_t>());
  }

 private:
  std::vector<float> values_;
  std::optional<std::vector<std::uint64_t>> units_;
  int columns_;
};

void check_shape(std::size_t values, int columns, const std::optional<std::vector<std::uint64_t>>& units) {
  if (columns < 1) {
    throw Error(ErrorKind::usage, "a table needs at least one column", "rows_in_memory", "pass columns >= 1");
  }
  if (values % static_cast<std::size_t>(columns) != 0) {
    throw Error(ErrorKind::usage, "the number of values is not a multiple of the number of columns", "rows_in_memory",
                "pass whole rows");
  }
  if (units && units->size() != values / static_cast<std::size_t>(columns)) {
    throw Error(ErrorKind::usage, "there must be one unit id per row", "rows_in_memory",
                "pass as many ids as rows, or none");
  }
}

}  // namespace

PrivateTable::PrivateTable(std::unique_ptr<RowSource> source, std::int64_t row_limit)
    : source_(std::move(source)), row_limit_(row_limit) {
  if (!source_) throw Error(ErrorKind::usage, "a private table needs a source of rows", "PrivateTable", "pass one");
  if (row_limit_ < 1) {
    throw Error(ErrorKind::usage, "the row limit must be at least 1", "PrivateTable",
                "pass a public bound on the number of rows");
  }
}

std::unique_ptr<RowSource> rows_in_memory(std::vector<float> values, int columns,
                                          std::optional<std::vector<std::uint64_t>> units) {
  check_shape(values.size(), columns, units);
  return std::make_unique<MemoryRows>(std::move(values), columns, std::move(units));
}

}  // namespace sosia
