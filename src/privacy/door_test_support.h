// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks of the door: simple maps and a source that misbehaves.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sosia/error.h>

#include "base/wide_int.h"
#include "data/private_table.h"
#include "privacy/bounded_map.h"
#include "privacy/count_map.h"

namespace sosia {

/// The row itself, whatever norm it has.
class RowMap : public BoundedMap {
 public:
  RowMap(int dim, double norm_bound, bool nonnegative = false)
      : dim_(dim), norm_bound_(norm_bound), nonnegative_(nonnegative) {}
  int dim() const override { return dim_; }
  double norm_bound() const override { return norm_bound_; }
  bool nonnegative() const override { return nonnegative_; }
  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      std::memcpy(vectors.row(r).data(), rows.row(r).data(), rows.row(r).size_bytes());
    }
  }

 private:
  int dim_;
  double norm_bound_;
  bool nonnegative_;
};

/// The row itself in the part that its first number names, and counted.
class PartMap : public RowMap {
 public:
  PartMap(int dim, double norm_bound, int parts, double count_weight, bool nonnegative)
      : RowMap(dim, norm_bound, nonnegative), parts_(parts), count_weight_(count_weight) {}
  int parts() const override { return parts_; }
  double count_weight() const override { return count_weight_; }
  void assign(MatrixView<const float> rows, std::span<std::uint32_t> parts) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const float x = std::abs(rows.row(r)[0]);
      parts[r] = x < 1e6F ? static_cast<std::uint32_t>(x * 1e3F) % (static_cast<std::uint32_t>(parts_) + 1) : 0;
    }
  }

 private:
  int parts_;
  double count_weight_;
};

/// One slot a column: the column's value is the cell; what is no number from 0 to width - 1 is no cell.
class ColumnCounts : public CountMap {
 public:
  explicit ColumnCounts(std::vector<CountSlot> slots) : slots_(std::move(slots)) {}
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t j = 0; j < slots_.size(); ++j) {
        const float x = rows.row(r)[j];
        cells.row(r)[j] = x >= 0.0F && x < 1e9F ? static_cast<std::uint32_t>(x) : kNoCell;
      }
    }
  }

 private:
  std::vector<CountSlot> slots_;
};

/// Notes that it was read, and fails.
class TrapSource : public RowSource {
 public:
  explicit TrapSource(std::atomic<bool>& was_read) : was_read_(was_read) {}
  int columns() const override { return 1; }
  bool has_units() const override { return false; }
  std::unique_ptr<RowScan> scan() const override {
    was_read_ = true;
    throw std::runtime_error("the disk is gone");
  }

 private:
  std::atomic<bool>& was_read_;
};

inline u128 squared_distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  u128 squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += square(a[i] - b[i]);
  return squares;
}

/// The kind of the error that `call` throws; fails the caller's expectation if it throws none.
template <class Call>
ErrorKind kind_thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  throw std::logic_error("no error was thrown");
}

}  // namespace sosia
