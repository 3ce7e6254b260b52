// SPDX-License-Identifier: Apache-2.0
// Over random schemas, options, stored types and tables: what is decoded encodes to the same row again.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "data/codec_test_support.h"
#include "data/column_maker.h"

namespace sosia::testing {
namespace {

/// Every code of the column (and position inside, where there are two levels), each several times.
Rows all_codes(const Codec& codec, int times) {
  const auto fields = codec.fields();
  Rows rows{0, fields.size()};
  const bool positions = fields.size() > 1 && fields[1].part == "position";
  for (int code = 0; code < fields[0].width; ++code) {
    for (int t = 0; t < times; ++t) {
      std::vector<float> row(fields.size(), 0.0F);
      row[0] = static_cast<float>(code);
      if (positions) row[1] = static_cast<float>(t % fields[1].width);
      rows.values.insert(rows.values.end(), row.begin(), row.end());
      ++rows.count;
    }
  }
  return rows;
}

TEST(CodecProperty, EveryCodeDecodesToItself) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Maker make(seed);
    Column column = make.column("x");
    if (column.values) column.stored = make.one_of({Stored::text, Stored::integer});
    if (column.type == ColumnType::boolean && make.coin()) column.stored = Stored::boolean;
    CodecOptions options = make.options();
    options.typed = make.coin();
    const bool says_other = !options.typed || column.stored == Stored::text;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(column.type));
    const Codec codec({.columns = {column}}, options);
    const Rows codes = all_codes(codec, 9);
    const auto table = decoded(codec, codes, make.random());
    ASSERT_TRUE(table->ValidateFull().ok());
    const Rows again = encoded(codec, *table);
    const bool other_is_lost = column.values && !says_other;
    for (std::size_t i = 0; i < codes.count; ++i) {
      const bool other = column.values && codes.row(i)[0] == static_cast<float>(column.values->size());
      if (other_is_lost && other) continue;  // a number or a truth value cannot say `other`
      ASSERT_EQ(again.row(i)[0], codes.row(i)[0]) << "row " << i;
    }
    EXPECT_TRUE(other_is_lost || again.trouble.columns[0].outside == 0);
    EXPECT_EQ(again.trouble.columns[0].unreadable, 0);
    const Rows third = encoded(codec, *decoded(codec, again, make.random()));
    const bool positions = again.width > 1 && codec.fields()[1].part == "position";
    for (std::size_t i = 0; positions && i < again.count; ++i)
      ASSERT_EQ(third.row(i)[1], again.row(i)[1]) << "row " << i;
  }
}

TEST(CodecProperty, DecodedTablesEncodeToTheSameRows) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker make(seed + 10'000);
    Schema schema;
    std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> cells;
    for (int c = 0; c < 5; ++c) {
      schema.columns.push_back(make.column(std::string(1, static_cast<char>('a' + c))));
      Texts texts;
      for (int i = 0; i < 60; ++i) texts.push_back(make.cell(schema.columns.back()));
      cells.emplace_back(schema.columns.back().name, text_array(texts));
    }
    const Codec codec(
        schema, {.bins = 1 + make.below(70), .log_bins = make.coin(), .levels = 1 + make.below(2), .calendar = false});
    const Rows rows = encoded(codec, *batch_of(cells));
    const Rows again = encoded(codec, *decoded(codec, rows, make.random()));
    EXPECT_EQ(again.values, rows.values);
  }
}

void expect_in_range(const Codec& codec, const Rows& rows, ScalarRange range) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t f = 0; f < rows.width; ++f) {
      const bool scalar = codec.fields()[f].kind == Field::Kind::scalar;
      ASSERT_GE(rows.row(i)[f], scalar && range == ScalarRange::minus_one_to_one ? -1.0F : 0.0F);
      ASSERT_TRUE(!scalar || rows.row(i)[f] <= 1.0F);
    }
  }
}

TEST(CodecProperty, ScaledNumbersComeBackExactly) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    Maker make(seed + 20'000);
    Column column = make.column("x");
    if (column.values) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(column.type));
    const auto range = make.one_of({ScalarRange::zero_to_one, ScalarRange::minus_one_to_one});
    const Codec codec({.columns = {column}},
                      {.numbers = NumberCoding::scaled, .range = range, .calendar = make.coin()});
    Texts texts;
    for (int i = 0; i < 100; ++i) texts.push_back(make.cell(column));
    const auto table = batch_of({{"x", text_array(texts)}});
    const Rows rows = encoded(codec, *table);
    expect_in_range(codec, rows, range);
    const auto back = decoded(codec, rows, make.random());
    EXPECT_EQ(encoded(codec, *back).values, rows.values);
    const Texts out = texts_of(*back->column(0));
    NumberCells in = read_numbers(*table->column(0), column.type, column.format, MissingWords({"NA", ""}));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool inside =
          in.states[i] == CellState::present && in.values[i] >= *column.min && in.values[i] <= *column.max;
      const bool minutes = column.format.ends_with("%M");  // the bound itself may lie inside a minute
      EXPECT_TRUE(!inside || minutes || out[i] == texts[i]) << i;
    }
  }
}

TEST(CodecProperty, RowsDependOnNeitherThreadsNorBlocks) {
  Maker make(7);
  Schema schema;
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> cells;
  for (int c = 0; c < 8; ++c) {
    schema.columns.push_back(make.column(std::string(1, static_cast<char>('a' + c))));
    Texts texts;
    for (int i = 0; i < 3000; ++i) texts.push_back(make.cell(schema.columns.back()));
    cells.emplace_back(schema.columns.back().name, text_array(texts));
  }
  const Codec codec(schema, {.levels = 2, .calendar = true});
  const auto batch = batch_of(cells);
  const Rows whole = encoded(codec, *batch);
  std::vector<Rows> parts(3);
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    threads.emplace_back(
        [&, p] { parts[p] = encoded(codec, *batch->Slice(static_cast<std::int64_t>(p) * 1000, 1000)); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<float> joined;
  for (const Rows& part : parts) joined.insert(joined.end(), part.values.begin(), part.values.end());
  EXPECT_EQ(joined, whole.values);
}

}  // namespace
}  // namespace sosia::testing
