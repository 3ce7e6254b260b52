// SPDX-License-Identifier: Apache-2.0
#include "data/ipc_file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "data/arrow_guard.h"
#include "data/column_choice.h"
#include "data/typed_blocks.h"

namespace sosia {

namespace {

Fault damaged(const std::string& where) {
  return {ErrorKind::io, "the Arrow file is damaged, cut short or of a kind that cannot be read", where,
          "write or copy it again; Feather files of version 1 must be converted"};
}

/// Record batches, from either form of the format. The file form gives them in any order, the stream form only in its
/// own.
class Batches {
 public:
  Batches(const ByteSource& source, const arrow::ipc::IpcReadOptions& options) : where_(source.name()) {
    const auto file = source.file();
    const auto magic = require(file->ReadAt(0, 6), damaged(where_));
    if (magic->ToString() == "ARROW1") {
      file_ = require(arrow::ipc::RecordBatchFileReader::Open(file, options), damaged(where_));
    } else {
      require(file->Seek(0), damaged(where_));  // a read at a place leaves a file without one of its own
      stream_ = require(arrow::ipc::RecordBatchStreamReader::Open(file, options), damaged(where_));
    }
  }

  bool in_any_order() const { return file_ != nullptr; }
  std::shared_ptr<arrow::Schema> schema() const { return file_ ? file_->schema() : stream_->schema(); }
  std::string where(int index) const { return where_ + ", record batch " + std::to_string(index + 1); }

  /// Nothing after the last one. Checked only so far that every column has as many rows as the batch says.
  std::shared_ptr<arrow::RecordBatch> read(int index) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!file_) {
      require(stream_->ReadNext(&batch), damaged(where(index)));
    } else if (index < file_->num_record_batches()) {
      batch = require(file_->ReadRecordBatch(index), damaged(where(index)));
    }
    if (batch) require(batch->Validate(), damaged(where(index)));
    return batch;
  }

 private:
  std::string where_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
};

struct IpcLayout {
  ByteSource source;
  arrow::ipc::IpcReadOptions options;
  std::vector<StoredColumn> columns;
};

/// Threads unpack batches side by side, each with a reader of its own, unless the form allows only one at a time. A
/// batch is unpacked only when none is left to cut blocks from, so there are no more of them than threads.
class IpcScan : public TableScan {
 public:
  explicit IpcScan(std::shared_ptr<const IpcLayout> layout) : layout_(std::move(layout)) {
    idle_.push_back(std::make_unique<Batches>(layout_->source, layout_->options));
    in_any_order_ = idle_.back()->in_any_order();
  }

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
      changed_.notify_all();
      throw;
    }
  }

 private:
  struct Unpacked {
    std::shared_ptr<arrow::RecordBatch> batch;
    std::string where;
    std::int64_t first_row = 0, used = 0;
  };

  /// Rows not yet checked; false after the last ones.
  bool take(TableBlock& block, std::string& where) {
    std::unique_lock lock(mutex_);
    while (!error_ && !cut(block, where)) {
      if (ended_ && busy_ == 0) return false;
      if (!ended_ && (in_any_order_ || busy_ == 0)) {
        unpack(lock);
      } else {
        changed_.wait(lock);
      }
    }
    if (error_) std::rethrow_exception(error_);
    return true;
  }

  /// The next rows of a batch; false if there are none for now.
  bool cut(TableBlock& block, std::string& where) {
    if (unpacked_.empty()) return false;
    Unpacked& from = unpacked_.back();
    const std::int64_t wanted = rows_per_block(static_cast<int>(layout_->columns.size()));
    const std::int64_t count = std::min(wanted, from.batch->num_rows() - from.used);
    block = {from.first_row + from.used, from.batch->Slice(from.used, count)};
    where = from.where;
    from.used += count;
    if (from.used == from.batch->num_rows()) unpacked_.pop_back();
    return true;
  }

  /// One more batch. Rows are numbered in the file's order, so it waits for those before.
  void unpack(std::unique_lock<std::mutex>& lock) {
    const int index = started_++;
    std::unique_ptr<Batches> reader;
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
    ++busy_;
    lock.unlock();
    Unpacked made;
    std::exception_ptr error;
    try {
      guarded(damaged(layout_->source.name()), [&] {
        if (!reader) reader = std::make_unique<Batches>(layout_->source, layout_->options);
        made = {reader->read(index), reader->where(index)};
      });
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    changed_.wait(lock, [&] { return error_ || numbered_ == index; });
    --busy_, ++numbered_;
    if (error && !error_) error_ = error;
    if (reader) idle_.push_back(std::move(reader));
    ended_ = ended_ || !made.batch;
    if (made.batch && made.batch->num_rows() > 0) {
      made.first_row = rows_;
      rows_ += made.batch->num_rows();
      unpacked_.push_back(std::move(made));
    }
    changed_.notify_all();
  }

  std::shared_ptr<const IpcLayout> layout_;
  bool in_any_order_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Batches>> idle_;
  std::vector<Unpacked> unpacked_;  ///< with rows left
  std::exception_ptr error_;        ///< nobody may take the rest for complete
  int started_ = 0, numbered_ = 0, busy_ = 0;
  bool ended_ = false;
  std::int64_t rows_ = 0;
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
