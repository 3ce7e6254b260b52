// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "data/csv_text.h"
#include "data/output_file.h"
#include "data/table_file.h"
#include "data/table_format.h"
#include "data/typed_blocks.h"

namespace sosia {

namespace {

/// One format's way to put rows into the stream.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void write(const arrow::RecordBatch& batch) = 0;
  virtual void finish() {}
};

class CsvSink : public RowSink {
 public:
  CsvSink(const OutputFile& file, const arrow::Schema& schema, char delimiter, const std::string& missing_word)
      : file_(file), text_(schema, delimiter, missing_word, file.fault()) {
    text_.append_header(schema, buffer_);  // goes out with the first rows: none may come of what is asked for
  }
  void write(const arrow::RecordBatch& batch) override {
    const std::int64_t step = rows_per_block(batch.num_columns()) / 4;  // of texts, which can be long
    for (std::int64_t row = 0; row < batch.num_rows(); row += step) {
      text_.append_rows(*batch.Slice(row, step), buffer_);
      flush();
    }
  }
  void finish() override { flush(); }

 private:
  void flush() {
    require(file_.stream()->Write(buffer_.data(), static_cast<std::int64_t>(buffer_.size())), file_.fault());
    buffer_.clear();
  }

  const OutputFile& file_;
  CsvText text_;
  std::string buffer_;
};

class ParquetSink : public RowSink {
 public:
  ParquetSink(const OutputFile& file, const std::shared_ptr<arrow::Schema>& schema) : file_(file) {
    parquet::WriterProperties::Builder how;
    how.compression(parquet::Compression::ZSTD);
    how.max_row_group_length(4 * rows_per_block(schema->num_fields()));
    const auto types = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    writer_ = require(
        parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), file.stream(), how.build(), types),
        file.fault());
  }
  void write(const arrow::RecordBatch& batch) override { require(writer_->WriteRecordBatch(batch), file_.fault()); }
  void finish() override { require(writer_->Close(), file_.fault()); }

 private:
  const OutputFile& file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

class IpcSink : public RowSink {
 public:
  IpcSink(const OutputFile& file, const std::shared_ptr<arrow::Schema>& schema) : file_(file) {
    arrow::ipc::IpcWriteOptions how = arrow::ipc::IpcWriteOptions::Defaults();
    how.codec = require(arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME), file.fault());
    writer_ = require(arrow::ipc::MakeFileWriter(file.stream(), schema, how), file.fault());
  }
  void write(const arrow::RecordBatch& batch) override {
    const std::int64_t step = rows_per_block(batch.num_columns());
    for (std::int64_t row = 0; row < batch.num_rows(); row += step) {
      require(writer_->WriteRecordBatch(*batch.Slice(row, step)), file_.fault());
    }
  }
  void finish() override { require(writer_->Close(), file_.fault()); }

 private:
  const OutputFile& file_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

std::unique_ptr<RowSink> make_sink(const OutputFile& file, const std::shared_ptr<arrow::Schema>& schema,
                                   const FileEnding& ending, const std::string& missing_word) {
  if (ending.format == TableFormat::parquet) return std::make_unique<ParquetSink>(file, schema);
  if (ending.format == TableFormat::ipc) return std::make_unique<IpcSink>(file, schema);
  return std::make_unique<CsvSink>(file, *schema, ending.delimiter, missing_word);
}

class Writer : public TableWriter {
 public:
  Writer(const std::filesystem::path& path, std::shared_ptr<arrow::Schema> schema, const FileEnding& ending,
         const std::string& missing_word)
      : file_(path, ending.packing),
        schema_(std::move(schema)),
        sink_(make_sink(file_, schema_, ending, missing_word)) {}

  void write(const arrow::RecordBatch& batch) override {
    SOSIA_CHECK(sink_ != nullptr, "a table is written to after it was closed");
    SOSIA_CHECK(batch.schema()->Equals(*schema_, false), "the block's columns are not those of the table");
    guarded(file_.fault(), [&] { sink_->write(batch); });
  }

  void close() override {
    if (!sink_) return;
    guarded(file_.fault(), [&] {
      sink_->finish();
      file_.commit();
    });
    sink_.reset();
  }

 private:
  OutputFile file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<RowSink> sink_;
};

}  // namespace

std::unique_ptr<TableWriter> TableWriter::create(const std::filesystem::path& path,
                                                 std::shared_ptr<arrow::Schema> schema, const TableOptions& options) {
  const FileEnding ending = ending_of(path, options);
  const Fault fault{ErrorKind::io, "the table cannot be written", path.string(), "choose another format or folder"};
  return guarded(fault,
                 [&] { return std::make_unique<Writer>(path, std::move(schema), ending, options.missing_word); });
}

}  // namespace sosia
