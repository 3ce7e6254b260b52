// SPDX-License-Identifier: Apache-2.0
// What a row is encoded as depends on that row alone, to the bit: whatever stands in another row, wherever that is,
// however the file cuts and codes its rows, and by any number of threads. Of every type, reader and coding.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "data/codec_test_support.h"
#include "data/encoded_rows.h"
#include "data/hostile_cells_test_support.h"
#include "data/open_table.h"
#include "data/private_keys.h"
#include "data/table_test_support.h"

namespace sosia::testing {
namespace {

constexpr std::size_t kRows = 9;
constexpr std::size_t kPlaces[] = {0, 4, kRows};  // of the odd row: before all others, between them, after them

/// Every way to read a column: the same cells, by each type that is encoded, and as the id of a unit.
Schema every_way() {
  const std::vector<std::string> values = {"0", "1", "7", "a", "NA", "1.0", "2024-02-29"};
  Schema schema{
      .columns = {{.name = "boolean", .type = ColumnType::boolean, .values = {{"false", "true"}}, .missing = true},
                  {.name = "categorical", .values = {{"1", "0", "a"}}},
                  {.name = "ordinal", .type = ColumnType::ordinal, .values = values, .missing = true},
                  {.name = "integer", .type = ColumnType::integer, .min = -5, .max = 100},
                  {.name = "real", .type = ColumnType::real, .min = -1e300, .max = 1e300, .missing = true},
                  {.name = "date", .type = ColumnType::date, .min = -9, .max = 20000, .missing = true},
                  {.name = "datetime", .type = ColumnType::datetime, .min = 0, .max = 2e9},
                  {.name = "id", .type = ColumnType::identifier, .missing = true},
                  {.name = "text", .type = ColumnType::text}}};
  return schema;
}

std::shared_ptr<arrow::RecordBatch> table_in_every_way(const ArrowType& type, const Cells& cells, Form form) {
  const auto array = array_of_cells(type, cells, form);
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns;
  for (const Column& column : every_way().columns) columns.emplace_back(column.name, array);
  return batch_of(columns);
}

std::vector<Codec> codings() {
  return {
      Codec(every_way(), {.bins = 7}), Codec(every_way(), {.bins = 4, .levels = 2, .calendar = true}),
      Codec(every_way(), {.numbers = NumberCoding::scaled, .calendar = true}),
      Codec(every_way(), {.numbers = NumberCoding::scaled, .range = ScalarRange::minus_one_to_one, .exact = false})};
}

/// The encoded rows in their order, as bytes.
std::vector<std::string> rows_by(const RowSource& source, int threads) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  std::mutex mutex;
  const auto scan = source.scan();
  const auto read = [&] {
    for (RowBlock block; scan->next(block);) {
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < block.rows.rows; ++i) {
        const auto row = block.rows.row(i);
        found.emplace_back(block.first_row + static_cast<std::int64_t>(i),
                           std::string(reinterpret_cast<const char*>(row.data()), row.size_bytes()));
      }
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(read);
  read();
  for (std::thread& helper : helpers) helper.join();
  std::sort(found.begin(), found.end());
  std::vector<std::string> rows;
  for (auto& [place, bytes] : found) rows.push_back(std::move(bytes));
  return rows;
}

Cells usual_rows(const TypedCells& cells) {
  Cells rows;
  for (std::size_t i = 0; i < kRows; ++i) rows.push_back(cells.usual[i % cells.usual.size()]);
  return rows;
}

template <class Item>
std::vector<Item> with(std::vector<Item> list, std::size_t place, const Item& item) {
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), item);
  return list;
}
template <class Item>
std::vector<Item> without(std::vector<Item> list, std::size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  return list;
}

/// One cell of bytes makes some programs store a whole column of text as bytes. Such a column is refused.
bool is_read(const arrow::DataType& type) {
  const auto id = type.id();
  return !arrow::is_binary(id) && id != arrow::Type::BINARY_VIEW && id != arrow::Type::FIXED_SIZE_BINARY &&
         !arrow::is_nested(id) && !arrow::is_time(id) && id != arrow::Type::DURATION;
}

TEST(RowLocal, OfCellsOfEveryTypeInEveryFormAndChunk) {
  const std::vector<Codec> codecs = codings();
  for (const TypedCells& cells : cells_of_every_type()) {
    SCOPED_TRACE(cells.type->ToString());
    if (!is_read(*cells.type)) {
      const auto file = std::make_shared<BatchFile>(
          std::vector{table_in_every_way(cells.type, usual_rows(cells), Form::plain)}, kRows);
      EXPECT_THROW(rows_by(*encoded_rows(file, codecs.front(), {}), 1), Error);
      const auto keys = keys_of(file, {"categorical"}, {}, {}, UnitHash());
      KeyBlock block;
      EXPECT_THROW(keys->scan()->next(block), Error);
      continue;
    }
    for (const Codec& codec : codecs) {
      const auto rows_of = [&](const Cells& column, Form form, std::int64_t chunk, int threads) {
        const auto file = std::make_shared<BatchFile>(std::vector{table_in_every_way(cells.type, column, form)}, chunk);
        return rows_by(*encoded_rows(file, codec, std::nullopt), threads);
      };
      const std::vector<std::string> alone = rows_of(usual_rows(cells), Form::plain, 100, 1);
      for (const Form form : cells.type->id() == arrow::Type::NA ? std::vector{Form::plain}
                                                                 : std::vector(std::begin(kForms), std::end(kForms))) {
        ASSERT_EQ(rows_of(usual_rows(cells), form, 2, 1), alone);
        for (std::size_t o = 0; o < cells.odd.size(); ++o) {
          for (const std::size_t place : kPlaces) {
            const auto rows = rows_of(with(usual_rows(cells), place, cells.odd[o]), form, 1 + (o + place) % 4, 1);
            ASSERT_EQ(rows.size(), kRows + 1);
            ASSERT_EQ(without(rows, place), alone) << "odd cell " << o << " at " << place;
          }
        }
      }
    }
  }
}

/// Whole numbers that a writer may store as any of these types, since one other cell is missing or has decimals.
TEST(RowLocal, WhatNumbersAreStoredAsMakesNoDifference) {
  const std::vector<std::int64_t> numbers = {0, 1, 7, 100'000, 120'000'000, 1'000'000'000'000'000, 9007199254740991};
  std::vector<std::string> labels;
  for (const std::int64_t number : numbers) labels.push_back(std::to_string(number));
  const Schema schema{
      .columns = {{.name = "categorical", .values = labels, .missing = true},
                  {.name = "ordinal", .type = ColumnType::ordinal, .values = labels},
                  {.name = "boolean", .type = ColumnType::boolean, .values = {{"0", "1"}}},
                  {.name = "integer", .type = ColumnType::integer, .min = 0, .max = 9e15, .missing = true},
                  {.name = "real", .type = ColumnType::real, .min = 0, .max = 1e6},
                  {.name = "id", .type = ColumnType::identifier, .missing = true}},
      .unit = {.column = "id"}};
  const Codec codec(schema, {.bins = 1000});
  struct Reading {
    std::vector<std::string> rows;
    std::vector<std::uint64_t> units;
    Texts texts;
    bool operator==(const Reading&) const = default;
  };
  const UnitHash hash;
  const auto read = [&](const std::shared_ptr<arrow::Array>& array, bool has_units = true) {
    std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns;
    for (const Column& column : schema.columns) columns.emplace_back(column.name, array);
    const auto batch = batch_of(columns);
    Reading reading{
        rows_by(*encoded_rows(std::make_shared<BatchFile>(std::vector{batch}, 100), codec, std::nullopt), 1),
        std::vector<std::uint64_t>(numbers.size()), texts_of(*array)};
    Trouble trouble;
    if (has_units)
      codec.encode_units(*batch->Slice(0, static_cast<std::int64_t>(numbers.size())), hash, reading.units, trouble);
    reading.rows.resize(numbers.size());
    reading.texts.resize(numbers.size());
    return reading;
  };
  const auto stored = [&](const ArrowType& type, bool with_null) {
    Cells cells;
    for (const std::int64_t number : numbers) {
      cells.push_back(arrow::is_decimal(type->id()) ? decimal_cell(type, std::to_string(number) + "000")
                                                    : cell(type, number));
    }
    if (with_null) cells.push_back(null_cell(type));
    return array_of_cells(type, cells, with_null ? Form::dictionary : Form::plain);
  };
  const Reading whole = read(stored(arrow::int64(), false));
  EXPECT_EQ(whole.texts, Texts(labels.begin(), labels.end()));
  EXPECT_EQ(std::set(whole.units.begin(), whole.units.end()).size(), numbers.size());
  for (const ArrowType& type : {arrow::int64(), arrow::uint64(), arrow::float64(), arrow::decimal128(38, 3)}) {
    EXPECT_EQ(read(stored(type, true)), whole) << type->ToString();
    EXPECT_EQ(read(stored(type, false)), whole) << type->ToString();
  }
  // In texts ids are spelled as they are.
  Texts texts, points;
  for (const std::string& label : labels) texts.emplace_back(label), points.emplace_back(label + ".0");
  EXPECT_EQ(read(text_array(texts), false).rows, whole.rows);
  EXPECT_EQ(read(text_array(points), false).rows, whole.rows);
}

/// As above, of numbers that floating point rounds.
TEST(RowLocal, LargeIntegersHaveTheTextOfTheirDouble) {
  for (const std::int64_t number :
       {9007199254740992, 9007199254740993, 1'000'000'000'000'001'000, -9223372036854775807 - 1}) {
    const auto one = [](const ArrowType& type, auto value) {
      return texts_of(*array_of_cells(type, {cell(type, value)}, Form::plain));
    };
    EXPECT_EQ(one(arrow::int64(), number), one(arrow::float64(), static_cast<double>(number))) << number;
  }
}

/// Writers give a column of decimals the places of its longest cell.
TEST(RowLocal, ThePlacesOfDecimalsMakeNoDifference) {
  const Schema schema{.columns = {{.name = "whole", .type = ColumnType::integer, .min = 0, .max = 30},
                                  {.name = "half", .type = ColumnType::real, .min = 0, .max = 30, .decimals = 1},
                                  {.name = "value", .values = {{"0", "1", "3", "0.15", "1.15", "2.15", "0.0000001"}}}}};
  const Codec codec(schema, {.bins = 1000});
  const std::vector<std::pair<std::int64_t, int>> numbers = {{0, 0},   {1, 0},   {3, 0},  {7, 0}, {29, 0},  {15, 2},
                                                             {115, 2}, {215, 2}, {35, 2}, {1, 7}, {123, 7}, {12, 6}};
  const auto read = [&](const ArrowType& type, int scale) {
    Cells cells;
    for (const auto& [digits, places] : numbers) {
      const auto zeros = static_cast<std::size_t>(scale - places);
      cells.push_back(decimal_cell(type, std::to_string(digits) + std::string(zeros, '0')));
    }
    const auto array = array_of_cells(type, cells, Form::plain);
    const auto batch = batch_of({{"whole", array}, {"half", array}, {"value", array}});
    const auto file = std::make_shared<BatchFile>(std::vector{batch}, 100);
    return std::pair(rows_by(*encoded_rows(file, codec, {}), 1), texts_of(*array));
  };
  const auto first = read(arrow::decimal128(38, 7), 7);
  for (int scale = 8; scale <= 35; ++scale) {
    EXPECT_EQ(read(arrow::decimal128(38, scale), scale), first) << scale;
    EXPECT_EQ(read(arrow::decimal256(76, 2 * scale), 2 * scale), first) << scale;
  }
}

/// Some programs store numbers in single precision, which holds six digits, unless one of them needs more.
TEST(RowLocal, SinglePrecisionMakesNoDifference) {
  const std::vector<std::string> labels = {"0.1", "0.7", "-2.35", "123.456", "0.0000001", "3", "0.25"};
  const Schema schema{.columns = {{.name = "value", .values = labels, .missing = true},
                                  {.name = "whole", .type = ColumnType::integer, .min = 0, .max = 9},
                                  {.name = "real", .type = ColumnType::real, .min = 0.1, .max = 123.456}}};
  const std::vector<Codec> codecs = {Codec(schema, {.bins = 1000}),
                                     Codec(schema, {.numbers = NumberCoding::scaled, .exact = false})};
  const auto read = [&](const std::shared_ptr<arrow::Array>& array, const Codec& codec) {
    const auto batch = batch_of({{"value", array}, {"whole", array}, {"real", array}});
    return rows_by(*encoded_rows(std::make_shared<BatchFile>(std::vector{batch}, 100), codec, {}), 1);
  };
  Cells single, twofold;
  Texts texts;
  for (const std::string& label : labels) {
    single.push_back(cell(arrow::float32(), std::stof(label)));
    twofold.push_back(cell(arrow::float64(), std::stod(label)));
    texts.emplace_back(label);
  }
  for (const Codec& codec : codecs) {
    const auto spelled = read(text_array(texts), codec);
    for (const Form form : kForms) {
      EXPECT_EQ(read(array_of_cells(arrow::float64(), twofold, form), codec), spelled);
      EXPECT_EQ(read(array_of_cells(arrow::float32(), single, form), codec), spelled);
    }
  }
}

TEST(RowLocal, ColumnsThatTheSchemaDoesNotNameAreNotRead) {
  const TestFolder folder;
  const Schema schema{.columns = {{.name = "x", .type = ColumnType::integer, .min = 0, .max = 9}}};
  const auto numbers = array_of_cells(arrow::int64(), {cell(arrow::int64(), 3), cell(arrow::int64(), 5)}, Form::plain);
  const auto bad = array_of_cells(arrow::utf8(), Cells(2, text_cell(arrow::utf8(), "\xff\xfe")), Form::plain);
  const auto codes = array_of_cells(arrow::utf8(), Cells(2, text_cell(arrow::utf8(), "\xff")), Form::dictionary);
  const auto one = array_of_cells(arrow::float64(), {cell(arrow::float64(), std::nan(""))}, Form::plain);
  const auto nested =
      array_of_cells(arrow::list(arrow::float64()), Cells(2, std::make_shared<arrow::ListScalar>(one)), Form::plain);
  for (const std::string ending : {".parquet", ".feather"}) {
    SCOPED_TRACE(ending);
    const auto alone = folder / ("alone" + ending), beside = folder / ("beside" + ending);
    write_table(alone, *batch_of({{"x", numbers}}));
    write_table(beside, *batch_of({{"bad", bad}, {"codes", codes}, {"x", numbers}, {"nested", nested}}));
    EXPECT_ANY_THROW(read_table(beside)) << "the other columns are bad indeed";
    const auto rows_of = [&](const std::filesystem::path& path) {
      return rows_by(*encoded_rows(open_table(path, schema, {}), Codec(schema), std::nullopt), 1);
    };
    EXPECT_EQ(rows_of(beside), rows_of(alone));
    const CheckReport report = check_table(beside, schema);
    EXPECT_TRUE(report.fits());
    EXPECT_EQ(report.extra, (std::vector<std::int64_t>{1, 2, 4}));
    EXPECT_NO_THROW(check_header(beside, schema));
  }
}

constexpr char kStream[] = ".arrow";  // sosia writes files, so tests write the streams

/// Whether the format has such a type, and the type is read. A date64 must be a whole day in a file, or the file is
/// damaged.
bool is_stored(const std::string& ending, const arrow::DataType& type) {
  if (ending == ".parquet" || ending == ".feather" || ending == kStream) {
    return type.id() != arrow::Type::DATE64 && is_read(type);
  }
  return type.id() == arrow::Type::STRING;
}

/// The same through files: the writer codes and cuts the rows anew, the reader as the file is.
class RowLocalFiles : public ::testing::TestWithParam<const char*> {
 protected:
  /// Nothing if the format cannot say one of the cells.
  std::optional<std::vector<std::string>> rows_of(const ArrowType& type, const Cells& column, int threads) {
    const auto path = folder_ / (std::to_string(number_++) + GetParam());
    const auto batch = table_in_every_way(type, column, Form::plain);
    try {
      if (path.extension() == kStream) {
        write_stream(path, *batch, 4);
        return rows_by(*encoded_rows(TableFile::open(path), codec_, {}), threads);
      }
      const auto writer = TableWriter::create(path, batch->schema());
      for (std::int64_t at = 0; at < batch->num_rows(); at += 4) writer->write(*batch->Slice(at, 4));
      writer->close();
    } catch (const Error&) {
      return std::nullopt;
    }
    return rows_by(*encoded_rows(TableFile::open(path), codec_, std::nullopt), threads);
  }

 private:
  TestFolder folder_;
  Codec codec_{every_way(), {.bins = 7, .levels = 2, .calendar = true}};
  int number_ = 0;
};

TEST_P(RowLocalFiles, WhateverTheReader) {
  int tried = 0, unsaid = 0;
  for (const TypedCells& cells : cells_of_every_type()) {
    if (!is_stored(GetParam(), *cells.type)) continue;
    SCOPED_TRACE(cells.type->ToString());
    const auto alone = rows_of(cells.type, usual_rows(cells), 1);
    if (!alone && ++unsaid > 0) continue;
    ASSERT_EQ(alone->size(), kRows);
    for (std::size_t o = 0; o < cells.odd.size(); ++o) {
      const std::size_t place = kPlaces[o / 2 % std::size(kPlaces)];
      const auto rows = rows_of(cells.type, with(usual_rows(cells), place, cells.odd[o]), 1 + static_cast<int>(o % 3));
      if (!rows && ++unsaid > 0) continue;
      ASSERT_EQ(rows->size(), kRows + 1);
      ASSERT_EQ(without(*rows, place), *alone) << "odd cell " << o << " at " << place;
      ++tried;
    }
  }
  EXPECT_GT(tried, 20);
  EXPECT_LT(unsaid, 20);
}

INSTANTIATE_TEST_SUITE_P(Readers, RowLocalFiles,
                         ::testing::Values(".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".feather", kStream),
                         name_of_ending);

}  // namespace
}  // namespace sosia::testing
