// SPDX-License-Identifier: Apache-2.0
// Over random schemas, options, stored types and tables: what is decoded encodes to the same row again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "data/cell.h"
#include "data/codec_test_support.h"

namespace sosia::testing {
namespace {

constexpr int kColumnTypes = 7;

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 0; }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }
  std::mt19937& random() { return random_; }

  Column column(const std::string& name) {
    Column column{.name = name, .type = static_cast<ColumnType>(below(kColumnTypes)), .missing = coin()};
    if (column.type <= ColumnType::ordinal) {
      column.outside = Outside::other;
      column.values = std::vector<std::string>{"0", "1"};
      const int count = column.type == ColumnType::boolean ? 2 : 1 + below(40);
      for (int i = 2; i < count; ++i) column.values->push_back(std::to_string(i * 7));
      if (count == 1) column.values->pop_back();
      return column;
    }
    bounds(column);
    const int decimals = column.type == ColumnType::real ? column.decimals : 0;
    for (int i = column.type <= ColumnType::real ? below(4) : 0; i > 0; --i) {
      const double atom = round_decimals(between(*column.min, *column.max), decimals);
      if (atom >= *column.min && atom <= *column.max) column.atoms.push_back(atom);
    }
    std::sort(column.atoms.begin(), column.atoms.end());
    column.atoms.erase(std::unique(column.atoms.begin(), column.atoms.end()), column.atoms.end());
    if (below(4) == 0 && *column.min < *column.max) add_edges(column);
    return column;
  }

  void add_edges(Column& column) {
    for (int i = 0; i < 12; ++i) {
      const double edge = between(*column.min, *column.max);
      if (edge > *column.min && edge <= *column.max) column.edges.push_back(edge);
    }
    std::sort(column.edges.begin(), column.edges.end());
    column.edges.erase(std::unique(column.edges.begin(), column.edges.end()), column.edges.end());
  }

  CodecOptions options() {
    return CodecOptions{.bins = 1 + below(70), .log_bins = coin(), .levels = 1 + below(2), .calendar = coin()};
  }

  std::string stored(ColumnType type) {
    switch (type) {
      case ColumnType::boolean:
        return one_of<const char*>({"string", "bool", "int8", "double"});
      case ColumnType::integer:
        return one_of<const char*>({"string", "int64", "double", "large_string", "string_view"});
      case ColumnType::real:
        return one_of<const char*>({"string", "double", "float", "decimal128(30, 3)"});
      case ColumnType::date:
        return one_of<const char*>({"string", "date32[day]", "date64[ms]", "timestamp[ms]"});
      case ColumnType::datetime:
        return one_of<const char*>({"string", "timestamp[s]", "timestamp[us, tz=UTC]", "date32[day]"});
      default:
        return one_of<const char*>({"string", "dictionary<values=string, indices=int32, ordered=0>", "large_string"});
    }
  }

  /// The text of a cell: mostly good, at times missing, outside or nonsense.
  std::optional<std::string> cell(const Column& column) {
    switch (below(12)) {
      case 0:
        return std::nullopt;
      case 1:
        return "NA";
      case 2:
        return one_of<const char*>(
            {"", "-1e300", "1e300", "nan", "inf", "2024-13-01", "x,\"y\"", "0x10", "9999-12-31"});
      default:
        break;
    }
    if (column.values)
      return column.values->at(static_cast<std::size_t>(below(static_cast<int>(column.values->size()))));
    const bool atom = !column.atoms.empty() && below(3) == 0;
    const double value = atom ? column.atoms.front() : between(*column.min, *column.max);
    if (column.type == ColumnType::date)
      return format_date(static_cast<std::int64_t>(std::floor(value)), column.format);
    if (column.type == ColumnType::datetime) return format_datetime(std::floor(value), column.format);
    return format_number(value, column.type == ColumnType::real ? column.decimals : 0);
  }

 private:
  void bounds(Column& column) {
    if (column.type == ColumnType::integer) {
      column.min = std::floor(between(-1000, 1000));
      column.max = *column.min + one_of<double>({0, 1, 5, 40, 1e4, 1e9});
    } else if (column.type == ColumnType::real) {
      column.decimals = below(7);
      column.min = round_decimals(between(-50, 50), column.decimals);
      column.max = round_decimals(*column.min + one_of<double>({1, 3.7, 100, 1e5}), column.decimals);
    } else if (column.type == ColumnType::date) {
      column.format = one_of<const char*>({"", "%d/%m/%Y", "%b %d, %Y"});
      column.min = std::floor(between(-30000, 10000));
      column.max = *column.min + one_of<double>({0, 6, 365, 40000});
    } else {
      column.format = one_of<const char*>({"", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M"});
      column.min = std::floor(between(-2e9, 1e9));
      column.max = *column.min + one_of<double>({86400 * 3, 3e7, 3e9});
    }
  }

  std::mt19937 random_;
};

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
    const Column column = make.column("x");
    const std::string stored = make.stored(column.type);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(column.type) + " as " + stored);
    const Codec codec({.columns = {column}}, make.options(), {{"x", stored}});
    const Rows codes = all_codes(codec, 9);
    const auto table = decoded(codec, codes, make.random());
    ASSERT_TRUE(table->ValidateFull().ok());
    EXPECT_EQ(table->schema()->field(0)->type()->ToString(), stored);
    const Rows again = encoded(codec, *table);
    const bool other_is_lost = column.values && !stored.ends_with("string") && !stored.starts_with("dictionary");
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

TEST(CodecProperty, ScaledNumbersComeBackExactly) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    Maker make(seed + 20'000);
    Column column = make.column("x");
    if (column.values) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(column.type));
    const Codec codec({.columns = {column}}, {.numbers = NumberCoding::scaled, .calendar = make.coin()});
    Texts texts;
    for (int i = 0; i < 100; ++i) texts.push_back(make.cell(column));
    const auto table = batch_of({{"x", text_array(texts)}});
    const Rows rows = encoded(codec, *table);
    for (const float value : rows.values) ASSERT_GE(value, 0.0F);
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
