// SPDX-License-Identifier: Apache-2.0
#include "data/table_test_support.h"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace sosia {

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sosia_table_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::filesystem::path TestFolder::file(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
  return path_ / name;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

std::shared_ptr<arrow::Array> array_of(const std::shared_ptr<arrow::DataType>& type,
                                       const std::vector<std::string>& texts) {
  if (arrow::is_decimal(type->id())) {
    return arrow::compute::Cast(*array_of(arrow::utf8(), texts), type).ValueOrDie();
  }
  const auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (const std::string& text : texts) {
    const bool missing = text == "-";
    const arrow::Status status =
        missing ? builder->AppendNull() : builder->AppendScalar(*arrow::Scalar::Parse(type, text).ValueOrDie());
    if (!status.ok()) throw std::runtime_error("no such test value");
  }
  return builder->Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> table_of_every_type() {
  using arrow::TimeUnit;
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  const auto add = [&](const std::string& name, const std::shared_ptr<arrow::Array>& array) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  };
  add("bool", array_of(arrow::boolean(), {"true", "false", "true", "-"}));
  for (const auto& type : {arrow::int8(), arrow::int16(), arrow::int32(), arrow::int64()}) {
    add(type->ToString(), array_of(type, {"-128", "0", "127", "-"}));
  }
  for (const auto& type : {arrow::uint8(), arrow::uint16(), arrow::uint32(), arrow::uint64()}) {
    add(type->ToString(), array_of(type, {"0", "1", "255", "-"}));
  }
  for (const auto& type : {arrow::float32(), arrow::float64()}) {
    add(type->ToString(), array_of(type, {"0.1", "-2.5e30", "3", "-"}));
  }
  const std::vector<std::string> words{"plain", "with, comma \"and\" quotes", "Ünïcode 日本\nsecond line", "-"};
  add("text", array_of(arrow::utf8(), words));
  add("large text", array_of(arrow::large_utf8(), words));
  add("date", array_of(arrow::date32(), {"1969-12-31", "2024-02-29", "9999-12-31", "-"}));
  for (const auto unit : {TimeUnit::SECOND, TimeUnit::MILLI, TimeUnit::MICRO, TimeUnit::NANO}) {
    const auto type = arrow::timestamp(unit);
    add(type->ToString(), array_of(type, {"1969-12-31 23:59:59", "2024-02-29 12:00:01", "1970-01-01", "-"}));
  }
  add("zone", array_of(arrow::timestamp(TimeUnit::MICRO, "UTC"),
                       {"1969-12-31 23:59:59Z", "2024-02-29 12:00:01Z", "1970-01-01 00:00:00Z", "-"}));
  add("time", array_of(arrow::time64(TimeUnit::MICRO), {"00:00:00", "23:59:59", "12:30:00", "-"}));
  add("decimal", array_of(arrow::decimal128(10, 2), {"-1.50", "0.00", "12345678.90", "-"}));
  const auto codes = array_of(arrow::int32(), {"0", "1", "0", "-"});
  const auto levels = array_of(arrow::utf8(), {"low", "high"});
  add("level", arrow::DictionaryArray::FromArrays(codes, levels).ValueOrDie());
  return arrow::RecordBatch::Make(arrow::schema(fields), 4, arrays);
}

std::shared_ptr<arrow::RecordBatch> numbered_rows(std::int64_t first, std::int64_t count) {
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  for (std::int64_t i = first; i < first + count; ++i) {
    if (!numbers.Append(i).ok() || !texts.Append("text " + std::to_string(i)).ok()) throw std::bad_alloc();
  }
  const auto schema = arrow::schema({arrow::field("row", arrow::int64()), arrow::field("text", arrow::utf8())});
  return arrow::RecordBatch::Make(schema, count, {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

void write_stream(const std::filesystem::path& path, const arrow::RecordBatch& batch, std::int64_t step) {
  const auto file = arrow::io::FileOutputStream::Open(path.string()).ValueOrDie();
  const auto writer = arrow::ipc::MakeStreamWriter(file, batch.schema()).ValueOrDie();
  for (std::int64_t row = 0; row < batch.num_rows(); row += step) {
    if (!writer->WriteRecordBatch(*batch.Slice(row, step)).ok()) throw std::runtime_error("no stream was written");
  }
  if (!writer->Close().ok() || !file->Close().ok()) throw std::runtime_error("no stream was written");
}

void write_table(const std::filesystem::path& path, const arrow::RecordBatch& batch, const TableOptions& options) {
  const auto writer = TableWriter::create(path, batch.schema(), options);
  writer->write(batch);
  writer->close();
}

namespace {

/// Text that came as a dictionary though the file knows none, spelled out.
std::shared_ptr<arrow::RecordBatch> spelled_out(std::shared_ptr<arrow::RecordBatch> batch, const TableFile& table) {
  for (int c = 0; c < batch->num_columns(); ++c) {
    const StoredColumn& column = table.columns()[static_cast<std::size_t>(c)];
    if (column.type != "string" || batch->column(c)->type_id() != arrow::Type::DICTIONARY) continue;
    const auto texts = arrow::compute::Cast(*batch->column(c), arrow::utf8()).ValueOrDie();
    batch = batch->SetColumn(c, batch->schema()->field(c)->WithType(arrow::utf8()), texts).ValueOrDie();
  }
  return batch;
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> read_table(const TableFile& table) {
  std::vector<TableBlock> blocks;
  TableBlock block;
  for (const auto scan = table.scan(); scan->next(block);) blocks.push_back(block);
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.first_row < b.first_row; });
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  std::int64_t rows = 0;
  for (const TableBlock& part : blocks) {
    EXPECT_EQ(part.first_row, rows);
    rows += part.batch->num_rows();
    batches.push_back(spelled_out(part.batch, table));
  }
  if (batches.empty()) return nullptr;
  return arrow::Table::FromRecordBatches(batches).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> read_table(const std::filesystem::path& path, const TableOptions& options) {
  return read_table(*TableFile::open(path, options));
}

std::vector<std::vector<std::string>> texts_of(const arrow::RecordBatch& batch) {
  std::vector<std::vector<std::string>> rows(static_cast<std::size_t>(batch.num_rows()));
  for (int c = 0; c < batch.num_columns(); ++c) {
    const auto column = arrow::compute::Cast(*batch.column(c), arrow::utf8()).ValueOrDie();
    const auto& texts = static_cast<const arrow::StringArray&>(*column);
    for (std::int64_t r = 0; r < texts.length(); ++r) {
      rows[static_cast<std::size_t>(r)].push_back(texts.IsNull(r) ? "-" : texts.GetString(r));
    }
  }
  return rows;
}

}  // namespace sosia
