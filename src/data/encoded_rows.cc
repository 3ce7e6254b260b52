// SPDX-License-Identifier: Apache-2.0
#include "data/encoded_rows.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include <sosia/error.h>

#include "data/array_reader.h"

namespace sosia {

namespace {

/// Rows without an id, in place. Those that stay keep their order, so that every pass numbers them alike.
void leave_out_rows(RowBlock& block) {
  std::size_t kept = 0;
  const std::size_t width = block.rows.cols;
  for (std::size_t i = 0; i < block.unit_buffer.size(); ++i) {
    if (block.unit_buffer[i] == kNoUnit) continue;
    block.unit_buffer[kept] = block.unit_buffer[i];
    if (kept != i) std::copy_n(&block.row_buffer[i * width], width, &block.row_buffer[kept * width]);
    ++kept;
  }
  block.unit_buffer.resize(kept);
  block.units = block.unit_buffer;
  block.rows = {block.row_buffer.data(), kept, width};
}

class EncodedRows : public RowSource {
 public:
  EncodedRows(std::shared_ptr<const TableFile> file, Codec codec, const std::optional<UnitHash>& units)
      : file_(std::move(file)), codec_(std::move(codec)), units_(units) {}

  int columns() const override { return codec_.width(); }
  bool has_units() const override { return units_.has_value(); }
  std::unique_ptr<RowScan> scan() const override;

  /// False if rows of the block are to be refused.
  bool encode(const TableBlock& table, RowBlock& block, Trouble& trouble) const {
    const auto count = static_cast<std::size_t>(table.batch->num_rows());
    const auto width = static_cast<std::size_t>(codec_.width());
    for (const Field& field : codec_.fields()) {
      const auto cells = table.batch->GetColumnByName(field.column);
      if (cells) require_readable(*cells, field.column, file_->name());
    }
    block.row_buffer.resize(count * width);
    const MatrixView<float> rows(block.row_buffer.data(), count, width);
    codec_.encode(*table.batch, rows, trouble);
    block.unit_buffer.resize(units_ ? count : 0);
    if (units_) codec_.encode_units(*table.batch, *units_, block.unit_buffer, trouble);
    block.first_row = table.first_row;
    block.rows = rows;
    block.units = block.unit_buffer;
    if (units_) leave_out_rows(block);
    return !codec_.refuses(trouble);
  }

  /// One more pass, at most one for all threads and scans, so that the owner hears of all that is wrong at once.
  [[noreturn]] void refuse() const {
    const std::lock_guard lock(mutex_);
    try {
      if (!refusal_) count_trouble();
    } catch (...) {
      refusal_ = std::current_exception();
    }
    std::rethrow_exception(refusal_);
  }

 private:
  [[noreturn]] void count_trouble() const {
    Trouble trouble;
    RowBlock scratch;
    const auto scan = file_->scan();
    for (TableBlock table; scan->next(table);) encode(table, scratch, trouble);
    codec_.check(trouble, file_->name());
    throw Error(ErrorKind::io, "the file changed while it was read", file_->name(), "run it again when nobody writes");
  }

  std::shared_ptr<const TableFile> file_;
  Codec codec_;
  std::optional<UnitHash> units_;
  mutable std::mutex mutex_;
  mutable std::exception_ptr refusal_;
};

class EncodedScan : public RowScan {
 public:
  EncodedScan(std::unique_ptr<TableScan> scan, const EncodedRows& source) : scan_(std::move(scan)), source_(source) {}

  bool next(RowBlock& block) override {
    for (TableBlock table;;) {
      if (refused_) source_.refuse();
      if (!scan_->next(table)) return false;
      Trouble trouble;
      if (!source_.encode(table, block, trouble)) break;
      if (block.rows.rows > 0) return true;
    }
    refused_ = true;
    source_.refuse();
  }

 private:
  std::unique_ptr<TableScan> scan_;
  const EncodedRows& source_;
  std::atomic<bool> refused_ = false;
};

std::unique_ptr<RowScan> EncodedRows::scan() const { return std::make_unique<EncodedScan>(file_->scan(), *this); }

}  // namespace

std::unique_ptr<RowSource> encoded_rows(std::shared_ptr<const TableFile> file, Codec codec,
                                        const std::optional<UnitHash>& units) {
  if (codec.width() == 0) {
    throw Error(ErrorKind::schema, "the schema has no column that can be encoded", file->name(),
                "declare at least one column that is neither an identifier nor free text");
  }
  if (units && codec.schema().unit.column.empty()) {
    throw Error(ErrorKind::schema, "the schema names no unit column", file->name(), "declare the privacy unit");
  }
  return std::make_unique<EncodedRows>(std::move(file), std::move(codec), units);
}

}  // namespace sosia
