// SPDX-License-Identifier: Apache-2.0
// Over random schemas, stored types and tables: check_table and the codec count the same cells, column by column.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <sosia/draft.h>
#include <sosia/table.h>

#include "data/codec_test_support.h"
#include "data/column_maker.h"
#include "data/encoded_rows.h"
#include "data/typed_array_test_support.h"

namespace sosia::testing {
namespace {

/// A table in a file that goes away with the test.
class StoredTable {
 public:
  StoredTable(const std::string& ending, const arrow::RecordBatch& batch)
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("sosia_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ending)) {
    const auto writer = TableWriter::create(path_, batch.schema());
    writer->write(batch);
    writer->close();
  }
  ~StoredTable() { std::filesystem::remove(path_); }
  StoredTable(const StoredTable&) = delete;
  StoredTable& operator=(const StoredTable&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Trouble trouble_of(const TableFile& file, const Codec& codec) {
  Trouble trouble;
  const auto scan = file.scan();
  for (TableBlock block; scan->next(block);) trouble.add(encoded(codec, *block.batch).trouble);
  return trouble;
}

void expect_same_counts(const StoredTable& stored, Schema schema) {
  const auto file = TableFile::open(stored.path());
  const Codec codec(schema);
  const Trouble trouble = trouble_of(*file, codec);
  const CheckReport report = check_table(stored.path(), Draft(schema));
  ASSERT_EQ(report.columns.size(), schema.columns.size());
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const std::string about = schema.columns[c].name + ", " + name_of(schema.columns[c].type);
    EXPECT_EQ(report.columns[c].missing, trouble.columns[c].missing) << about;
    EXPECT_EQ(report.columns[c].outside, trouble.columns[c].outside) << about;
    EXPECT_EQ(report.columns[c].unreadable, trouble.columns[c].unreadable) << about;
  }
  // Where everything outside is refused, both give the same verdict.
  for (Column& column : schema.columns) column.outside = Outside::refuse;
  const Codec strict(schema);
  EXPECT_EQ(strict.refuses(trouble_of(*file, strict)),
            !check_table(stored.path(), Draft(schema), {.outside = Outside::refuse}).fits());
}

/// Values that are also words for something else, and columns that refuse.
Column tricky(Maker& make, const std::string& name) {
  Column column = make.column(name);
  if (column.values && column.type != ColumnType::boolean && make.coin()) {
    column.values->push_back(make.one_of<const char*>({"?", "NA", "other", "true", "1.5"}));
  }
  if (column.type == ColumnType::boolean && make.coin()) column.values = {{"f", "?"}};
  if (make.below(3) == 0) column.outside = Outside::refuse;
  return column;
}

TEST(CheckProperty, CountsTextAsTheCodecDoes) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker make(seed + 40'000);
    Schema schema;
    std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> cells;
    for (int c = 0; c < 6; ++c) {
      schema.columns.push_back(tricky(make, std::string(1, static_cast<char>('a' + c))));
      Texts texts;
      for (int i = 0; i < 50; ++i) texts.push_back(make.hard_cell(schema.columns.back()));
      cells.emplace_back(schema.columns.back().name, text_array(texts));
    }
    expect_same_counts(StoredTable(make.one_of<const char*>({".csv", ".feather"}), *batch_of(cells)), schema);
  }
}

/// Declared values and others, or numbers around the bounds, as the stored type says them.
std::shared_ptr<arrow::Array> typed_cells(Maker& make, const Column& column, const std::string& stored) {
  constexpr int kCells = 100;
  if (column.values) {
    std::vector<std::string> labels = *column.values;
    for (const char* other : {"?", "true", "1.5", "other", "1"}) labels.emplace_back(other);
    std::vector<int> codes;
    for (int i = 0; i < kCells; ++i) codes.push_back(make.below(static_cast<int>(labels.size()) + 1) - 1);
    return typed_labels(codes, labels, column, stored);
  }
  std::vector<double> values;
  std::vector<unsigned char> present;
  for (int i = 0; i < kCells; ++i) {
    const double value = make.hard_number(column);
    values.push_back(column.type >= ColumnType::date ? std::floor(value) : value);
    present.push_back(make.below(10) == 0 ? 0 : 1);
  }
  return typed_numbers(values, present, column, stored);
}

TEST(CheckProperty, CountsTypedCellsAsTheCodecDoes) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Maker make(seed + 50'000);
    const Column column = tricky(make, "x");
    const std::string stored = make.stored(column.type);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(column.type) + " as " + stored);
    expect_same_counts(StoredTable(".parquet", *batch_of({{"x", typed_cells(make, column, stored)}})),
                       {.columns = {column}});
  }
}

TEST(CheckProperty, NestedCellsAreUnreadableInEveryTypeButText) {
  arrow::ListBuilder builder(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(builder.Append().ok());
  std::shared_ptr<arrow::Array> lists;
  ASSERT_TRUE(builder.Finish(&lists).ok());
  const StoredTable table(".parquet", *batch_of({{"x", lists}}));
  for (int type = 0; type <= static_cast<int>(ColumnType::text); ++type) {
    const CheckReport report = check_table(table.path(), Draft({.columns = {{.name = "x", .type = ColumnType(type)}}}));
    const bool is_text = ColumnType(type) == ColumnType::text;  // which nobody learns from
    EXPECT_EQ(report.columns.at(0).unreadable, is_text ? 0 : 3) << name_of(ColumnType(type));
    EXPECT_EQ(report.columns.at(0).missing + report.columns.at(0).outside, 0) << name_of(ColumnType(type));
  }
}

}  // namespace
}  // namespace sosia::testing
