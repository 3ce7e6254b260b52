// SPDX-License-Identifier: Apache-2.0
#include "data/encoded_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sosia/error.h>

#include "data/codec_test_support.h"

namespace sosia::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBlockRows = 3;

/// A table in memory, given out in small blocks.
class MemoryFile : public TableFile {
 public:
  explicit MemoryFile(std::shared_ptr<arrow::RecordBatch> batch) : batch_(std::move(batch)) {}
  const std::vector<StoredColumn>& columns() const override { return columns_; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<TableScan> scan() const override {
    ++scans;
    return std::make_unique<Scan>(batch_);
  }
  mutable std::atomic<int> scans = 0;

 private:
  class Scan : public TableScan {
   public:
    explicit Scan(std::shared_ptr<arrow::RecordBatch> batch) : batch_(std::move(batch)) {}
    bool next(TableBlock& block) override {
      const std::int64_t first = next_.fetch_add(kBlockRows);
      if (first >= batch_->num_rows()) return false;
      block = {first, batch_->Slice(first, kBlockRows)};
      return true;
    }

   private:
    std::shared_ptr<arrow::RecordBatch> batch_;
    std::atomic<std::int64_t> next_ = 0;
  };

  std::shared_ptr<arrow::RecordBatch> batch_;
  std::vector<StoredColumn> columns_ = {};
  std::string name_ = "memory";
};

std::shared_ptr<const MemoryFile> people(const Texts& ids) {
  Texts ages;
  for (std::size_t i = 0; i < ids.size(); ++i) ages.emplace_back(std::to_string(i));
  return std::make_shared<MemoryFile>(batch_of({{"age", text_array(ages)}, {"id", text_array(ids)}}));
}

Schema schema_of(double oldest, Outside outside) {
  return {.columns = {{.name = "age", .type = ColumnType::integer, .min = 0, .max = oldest, .outside = outside},
                      {.name = "id", .type = ColumnType::identifier}},
          .unit = {.column = "id", .max_rows = 2}};
}

TEST(EncodedRows, EveryRowOnceWithItsUnit) {
  const auto source =
      encoded_rows(people({"a", "b", "a", "7", "b", "c", "a"}), Codec(schema_of(20, Outside::refuse)), UnitHash());
  EXPECT_EQ(source->columns(), 1);
  EXPECT_TRUE(source->has_units());
  for (int pass = 0; pass < 2; ++pass) {
    const auto scan = source->scan();
    RowBlock block;
    std::vector<float> ages;
    std::vector<std::uint64_t> units;
    while (scan->next(block)) {
      EXPECT_EQ(block.first_row, static_cast<std::int64_t>(ages.size()));
      for (std::size_t i = 0; i < block.rows.rows; ++i) ages.push_back(block.rows.row(i)[0]);
      units.insert(units.end(), block.units.begin(), block.units.end());
    }
    EXPECT_EQ(ages, (std::vector<float>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(units[0], units[2]);
    EXPECT_EQ(units[1], units[4]);
    EXPECT_NE(units[0], units[1]);
    EXPECT_NE(units[3], units[5]);
  }
}

TEST(EncodedRows, FromAFileAndBack) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "encoded_rows_test.csv";
  std::ofstream(path) << "id,age,day\nx,3,29/02/2024\ny,NA,01/01/2024\n";
  const auto file = TableFile::open(path);
  Schema schema{.columns = {{.name = "age", .type = ColumnType::integer, .min = 0, .max = 9, .missing = true},
                            {.name = "day", .type = ColumnType::date, .min = 19723, .max = 20000}}};
  schema.columns[1].format = "%d/%m/%Y";
  const Codec codec(schema, {.numbers = NumberCoding::scaled});
  const auto source = encoded_rows(file, codec, std::nullopt);
  RowBlock block;
  ASSERT_TRUE(source->scan()->next(block));
  ASSERT_EQ(block.rows.rows, 2U);
  Rows rows{2, 3, block.row_buffer};
  std::mt19937 random(1);
  const auto table = decoded(codec, rows, random);
  EXPECT_EQ(texts_of(*table->column(0)), (Texts{"3", std::nullopt}));
  EXPECT_EQ(texts_of(*table->column(1)), (Texts{"29/02/2024", "01/01/2024"}));
  std::filesystem::remove(path);
}

TEST(EncodedRows, UnitsOfNumbersDoNotDependOnTheStoredType) {
  arrow::Int64Builder whole;
  arrow::DoubleBuilder floating;
  ASSERT_TRUE(whole.AppendValues({7, 12}).ok() && floating.AppendValues({7.0, 12.0}).ok());
  const Codec codec(schema_of(20, Outside::clamp));
  std::vector<std::uint64_t> from_text(2), from_whole(2), from_floating(2);
  Trouble trouble;
  const UnitHash hash;
  codec.encode_units(*batch_of({{"id", text_array({"7", "12"})}}), hash, from_text, trouble);
  codec.encode_units(*batch_of({{"id", whole.Finish().ValueOrDie()}}), hash, from_whole, trouble);
  codec.encode_units(*batch_of({{"id", floating.Finish().ValueOrDie()}}), hash, from_floating, trouble);
  EXPECT_EQ(from_whole, from_floating);
  EXPECT_NE(from_whole, from_text);  // a text may say 7 in other ways, as 07
}

TEST(EncodedRows, LeavesOutRowsThatAreNobodysWhereTheOwnerSaysSo) {
  Schema schema = schema_of(20, Outside::clamp);
  schema.columns[1].missing = true;
  const auto ids = people({std::nullopt, " ", "NA", "a", "None", "b", "", "c", "nan"});  // ages 0, 1, ...
  const auto source = encoded_rows(ids, Codec(schema), UnitHash());
  std::vector<float> ages;
  std::vector<std::int64_t> firsts;
  const auto scan = source->scan();
  for (RowBlock block; scan->next(block);) {
    ASSERT_EQ(block.rows.rows, block.units.size());
    firsts.push_back(block.first_row);
    for (std::size_t i = 0; i < block.rows.rows; ++i) ages.push_back(block.rows.row(i)[0]);
  }
  EXPECT_EQ(ages, (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{3, 6})) << "a block without rows is not given";
}

std::string refusal_of(RowScan& scan) {
  try {
    for (RowBlock block; scan.next(block);) continue;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

TEST(EncodedRows, RefusesWhatTheSchemaRefuses) {
  const auto source =
      encoded_rows(people({"a", "b", "c", "d", "e"}), Codec(schema_of(3, Outside::refuse)), std::nullopt);
  const auto scan = source->scan();
  RowBlock block;
  EXPECT_TRUE(scan->next(block));
  EXPECT_THROW(scan->next(block), Error);
  EXPECT_THROW(scan->next(block), Error);
}

TEST(EncodedRows, ARefusalCountsTheWholeFileInOneMorePass) {
  const auto file = people(Texts(1000, "a"));  // ages 0 to 999
  const auto source = encoded_rows(file, Codec(schema_of(9, Outside::refuse)), UnitHash());
  std::vector<std::string> refusals(4);
  const auto scan = source->scan();
  std::vector<std::thread> threads;
  for (std::string& refusal : refusals) threads.emplace_back([&] { refusal = refusal_of(*scan); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& refusal : refusals) {
    EXPECT_THAT(refusal, HasSubstr("memory, column \"age\": 990 outside, 0 unreadable, 0 missing"));
  }
  EXPECT_EQ(refusal_of(*source->scan()), refusals[0]);
  EXPECT_EQ(file->scans, 3);  // two asked for, and one that counts
}

TEST(EncodedRows, RefusesRowsThatAreNobodysWithTheirNumber) {
  const auto source =
      encoded_rows(people({"a", std::nullopt, "NA", "b", "", "c"}), Codec(schema_of(20, Outside::clamp)), UnitHash());
  const std::string refusal = refusal_of(*source->scan());
  EXPECT_THAT(refusal, HasSubstr("column \"id\" tells whose rows they are"));
  EXPECT_THAT(refusal, HasSubstr("memory, 3 rows"));
}

TEST(EncodedRows, NeedsAColumnToEncode) {
  const Schema schema{.columns = {{.name = "id", .type = ColumnType::identifier}}};
  EXPECT_THROW(encoded_rows(people({"a"}), Codec(schema), std::nullopt), Error);
  EXPECT_THROW(encoded_rows(people({"a"}), Codec({.columns = {schema_of(9, Outside::clamp).columns[0]}}), UnitHash()),
               Error);
}

}  // namespace
}  // namespace sosia::testing
