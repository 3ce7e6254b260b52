// SPDX-License-Identifier: Apache-2.0
#include "data/ipc_file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "data/arrow_guard.h"
#include "data/column_choice.h"
#include "data/typed_blocks.h"

namespace sosia {

namespace {

Fault damaged(const std::string& where) {
  return {ErrorKind::data, "the Arrow file is damaged, cut short or of a kind that cannot be read", where,
          "write or copy it again; Feather files of version 1 must be converted"};
}

/// Record batches in order, from either form of the format.
class Batches {
 public:
  Batches(const ByteSource& source, const arrow::ipc::IpcReadOptions& options) : where_(source.name()) {
    const auto file = source.file();
    const auto magic = require(file->ReadAt(0, 6), damaged(where_));
    if (magic->ToString() == "ARROW1") {
      file_ = require(arrow::ipc::RecordBatchFileReader::Open(file, options), damaged(where_));
    } else {
      stream_ = require(arrow::ipc::RecordBatchStreamReader::Open(file, options), damaged(where_));
    }
  }

  std::shared_ptr<arrow::Schema> schema() const { return file_ ? file_->schema() : stream_->schema(); }

  /// Nothing at the end.
  std::shared_ptr<arrow::RecordBatch> next() {
    const std::string where = where_ + ", record batch " + std::to_string(index_ + 1);
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!file_) {
      require(stream_->ReadNext(&batch), damaged(where));
    } else if (index_ < file_->num_record_batches()) {
      batch = require(file_->ReadRecordBatch(index_), damaged(where));
    }
    ++index_;
    return batch;
  }

  std::string where() const { return where_ + ", record batch " + std::to_string(index_); }

 private:
  std::string where_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
  int index_ = 0;
};

struct IpcLayout {
  ByteSource source;
  arrow::ipc::IpcReadOptions options;
  std::vector<StoredColumn> columns;
};

class IpcScan : public TableScan {
 public:
  explicit IpcScan(std::shared_ptr<const IpcLayout> layout)
      : layout_(std::move(layout)), batches_(layout_->source, layout_->options) {}

  bool next(TableBlock& block) override {
    try {
      return guarded(damaged(layout_->source.name()), [&] {
        std::string where;
        if (!take(block, where)) return false;
        block.batch = checked_columns(*block.batch, layout_->columns, where);
        return true;
      });
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      throw;
    }
  }

 private:
  /// Rows not yet checked: only that there are as many as the batch says in each column.
  bool take(TableBlock& block, std::string& where) {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    while (!batch_ || used_ == batch_->num_rows()) {
      batch_ = batches_.next();
      if (!batch_) return false;
      require(batch_->Validate(), damaged(batches_.where()));
      used_ = 0;
    }
    const std::int64_t wanted = rows_per_block(static_cast<int>(layout_->columns.size()));
    const std::int64_t count = std::min(wanted, batch_->num_rows() - used_);
    block = {rows_, batch_->Slice(used_, count)};
    where = batches_.where();
    used_ += count;
    rows_ += count;
    return true;
  }

  std::shared_ptr<const IpcLayout> layout_;
  std::mutex mutex_;
  Batches batches_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::exception_ptr error_;  ///< nobody may take the rest for complete
  std::int64_t used_ = 0, rows_ = 0;
};

class IpcTable : public TableFile {
 public:
  explicit IpcTable(std::shared_ptr<const IpcLayout> layout) : layout_(std::move(layout)) {}
  const std::vector<StoredColumn>& columns() const override { return layout_->columns; }
  std::unique_ptr<TableScan> scan() const override {
    return guarded(damaged(name()), [&] { return std::make_unique<IpcScan>(layout_); });
  }
  const std::string& name() const override { return layout_->source.name(); }

 private:
  std::shared_ptr<const IpcLayout> layout_;
};

}  // namespace

std::shared_ptr<const TableFile> open_ipc(const ByteSource& source, const TableOptions& options) {
  return guarded(damaged(source.name()), [&]() -> std::shared_ptr<const TableFile> {
    auto layout = std::make_shared<IpcLayout>(IpcLayout{source, arrow::ipc::IpcReadOptions::Defaults(), {}});
    const auto schema = Batches(source, layout->options).schema();
    const std::vector<int> chosen = chosen_columns(schema->field_names(), options.columns, source.name());
    layout->columns = stored_columns(*schema, chosen);
    if (!options.columns.empty()) layout->options.included_fields = chosen;
    return std::make_shared<IpcTable>(std::move(layout));
  });
}

}  // namespace sosia
