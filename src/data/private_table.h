// SPDX-License-Identifier: Apache-2.0
// Private rows, sealed. Who holds a PrivateTable can pass it on; only privacy/ can look inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace sosia {

class Door;  // privacy/door.h, the only holder of a TableKey

/// The passkey to a PrivateTable. The compiler lets nobody but the door make one; tools/check_layers.py says it again.
class TableKey {
  friend class Door;
  TableKey() {}  // not "= default": an aggregate could be made by anybody
};

/// Some consecutive encoded rows. The views point into the source or into the buffers.
struct RowBlock {
  std::int64_t first_row = 0;
  MatrixView<const float> rows;
  std::span<const std::uint64_t> units;  ///< one id per row, or empty if each row is its own unit
  std::vector<float> row_buffer;
  std::vector<std::uint64_t> unit_buffer;
};

/// One pass over all rows. `next` may be called from several threads, each with a block of its own; every row comes
/// exactly once, in any order, with the same `first_row` in every pass. A scan must not outlive its table.
class RowScan {
 public:
  virtual ~RowScan() = default;
  virtual bool next(RowBlock& block) = 0;
};

/// Where rows come from: memory, a file, a shard. The number of rows is private.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual int columns() const = 0;
  virtual bool has_units() const = 0;
  virtual std::unique_ptr<RowScan> scan() const = 0;
};

class PrivateTable {
 public:
  /// `row_limit` is public: the door makes room for that many rows and refuses a source that gives more.
  explicit PrivateTable(std::unique_ptr<RowSource> source, std::int64_t row_limit = std::int64_t{1} << 31);

  int columns() const { return source_->columns(); }
  bool has_units() const { return source_->has_units(); }
  std::int64_t row_limit() const { return row_limit_; }

  std::unique_ptr<RowScan> scan(const TableKey&) const { return source_->scan(); }

 private:
  std::unique_ptr<RowSource> source_;
  std::int64_t row_limit_;
};

/// Rows held in memory, row by row; `units` has one id per row, or is absent if each row is its own unit. That it is
/// there is a public fact, and holds for a table without rows too.
std::unique_ptr<RowSource> rows_in_memory(std::vector<float> values, int columns,
                                          std::optional<std::vector<std::uint64_t>> units = std::nullopt);

}  // namespace sosia
