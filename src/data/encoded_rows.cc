// SPDX-License-Identifier: Apache-2.0
#include "data/encoded_rows.h"

#include <arrow/record_batch.h>

#include <utility>

#include <sosia/error.h>

namespace sosia {

namespace {

class EncodedScan : public RowScan {
 public:
  EncodedScan(std::unique_ptr<TableScan> scan, const Codec& codec, const std::string& where, bool with_units)
      : scan_(std::move(scan)), codec_(codec), where_(where), with_units_(with_units) {}

  bool next(RowBlock& block) override {
    TableBlock table;
    do {
      if (!scan_->next(table)) return false;
    } while (table.batch->num_rows() == 0);
    const auto count = static_cast<std::size_t>(table.batch->num_rows());
    const auto width = static_cast<std::size_t>(codec_.width());
    block.row_buffer.resize(count * width);
    const MatrixView<float> rows(block.row_buffer.data(), count, width);
    Trouble trouble;
    codec_.encode(*table.batch, rows, trouble);
    codec_.check(trouble, where_ + ", in the first block of rows that has any");
    block.unit_buffer.resize(with_units_ ? count : 0);
    if (with_units_) codec_.encode_units(*table.batch, block.unit_buffer);
    block.first_row = table.first_row;
    block.rows = rows;
    block.units = block.unit_buffer;
    return true;
  }

 private:
  std::unique_ptr<TableScan> scan_;
  const Codec& codec_;
  const std::string& where_;
  bool with_units_;
};

class EncodedRows : public RowSource {
 public:
  EncodedRows(std::shared_ptr<const TableFile> file, Codec codec, bool with_units)
      : file_(std::move(file)), codec_(std::move(codec)), with_units_(with_units) {}

  int columns() const override { return codec_.width(); }
  bool has_units() const override { return with_units_; }
  std::unique_ptr<RowScan> scan() const override {
    return std::make_unique<EncodedScan>(file_->scan(), codec_, file_->name(), with_units_);
  }

 private:
  std::shared_ptr<const TableFile> file_;
  Codec codec_;
  bool with_units_;
};

}  // namespace

std::unique_ptr<RowSource> encoded_rows(std::shared_ptr<const TableFile> file, Codec codec, bool with_units) {
  if (codec.width() == 0) {
    throw Error(ErrorKind::schema, "the schema has no column that can be encoded", file->name(),
                "declare at least one column that is neither an identifier nor free text");
  }
  if (with_units && codec.schema().unit.column.empty()) {
    throw Error(ErrorKind::schema, "the schema names no unit column", file->name(), "declare the privacy unit");
  }
  return std::make_unique<EncodedRows>(std::move(file), std::move(codec), with_units);
}

}  // namespace sosia
