// SPDX-License-Identifier: Apache-2.0
// Neighbouring tables differ by one unit. For id columns of every type, with spellings that invite mistakes: the rows
// that take part in a release then differ by at most max_rows, which is the sensitivity that every release claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>

#include "data/codec.h"
#include "data/encoded_rows.h"
#include "data/hostile_cells_test_support.h"
#include "data/private_keys.h"
#include "privacy/row_choice.h"

namespace sosia::testing {
namespace {

/// People by the ways in which the column may spell their id, and cells that are nobody's id.
struct IdColumn {
  ArrowType type;
  std::vector<Cells> people;
  Cells nobody;
};

/// Everybody has one spelling.
IdColumn column_of(const ArrowType& type, const Cells& ids, Cells nobody) {
  IdColumn column{type, {}, std::move(nobody)};
  for (const auto& id : ids) column.people.push_back({id});
  column.nobody.push_back(null_cell(type));
  return column;
}

IdColumn text_ids(const ArrowType& type) {
  Cells people, nobody;
  for (const char* id :
       {"a", "A", " a", "a ", "0", "00", "0.0", "1e3", "1000", "Ü", "U\u0308", "Nana", "nan1", "a\xC2\xA0"}) {
    people.push_back(text_cell(type, id));
  }
  for (const char* none :
       {"", " ", "  ", "nan", "NaN", "None", "NULL", "N/A", "#N/A", "<NA>", "-", "?", "\xC2\xA0", "\t"}) {
    nobody.push_back(text_cell(type, none));
  }
  return column_of(type, people, nobody);
}

template <class Number>
IdColumn number_ids(const ArrowType& type) {
  using Limits = std::numeric_limits<Number>;
  // Larger ids in floating point may be rounded, and are refused.
  const Number largest =
      std::is_floating_point_v<Number> ? static_cast<Number>(std::ldexp(Number{1}, Limits::digits) - 1) : Limits::max();
  std::vector<Number> ids = {largest, static_cast<Number>(largest - 1), 1, 2, 10, 100};
  if (std::is_signed_v<Number>) ids.push_back(std::is_floating_point_v<Number> ? -largest : Limits::lowest());
  std::vector<Number> none;
  IdColumn column{type, {{cell(type, Number{0})}}, {null_cell(type)}};
  if constexpr (std::is_floating_point_v<Number>) {
    column.people[0].push_back(cell(type, static_cast<Number>(-0.0)));
    ids.insert(ids.end(), {static_cast<Number>(0.1), std::nextafter(static_cast<Number>(0.1), Number{1}),
                           Limits::denorm_min(), Limits::min(), largest / 2});
    none = {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
  }
  for (const Number id : ids) column.people.push_back({cell(type, id)});
  for (const Number id : none) column.nobody.push_back(cell(type, id));
  return column;
}

template <class Ticks>
IdColumn tick_ids(const ArrowType& type, bool has_not_a_time) {
  using Limits = std::numeric_limits<Ticks>;
  Cells people, nobody;
  for (const Ticks ticks : {Ticks{0}, Ticks{1}, Ticks{-1}, Ticks{999}, Ticks{1000}, Ticks{86'400}, Limits::max(),
                            static_cast<Ticks>(Limits::max() - 1), static_cast<Ticks>(Limits::min() + 1),
                            static_cast<Ticks>(Limits::min() + 2)}) {
    people.push_back(cell(type, ticks));
  }
  if (has_not_a_time) nobody.push_back(cell(type, Limits::min()));
  return column_of(type, people, nobody);
}

std::vector<IdColumn> id_columns() {
  using arrow::TimeUnit;
  std::vector<IdColumn> list = {text_ids(arrow::utf8()),
                                text_ids(arrow::large_utf8()),
                                text_ids(arrow::utf8_view()),
                                number_ids<std::int8_t>(arrow::int8()),
                                number_ids<std::int16_t>(arrow::int16()),
                                number_ids<std::int32_t>(arrow::int32()),
                                number_ids<std::int64_t>(arrow::int64()),
                                number_ids<std::uint8_t>(arrow::uint8()),
                                number_ids<std::uint16_t>(arrow::uint16()),
                                number_ids<std::uint32_t>(arrow::uint32()),
                                number_ids<std::uint64_t>(arrow::uint64()),
                                number_ids<float>(arrow::float32()),
                                number_ids<double>(arrow::float64()),
                                tick_ids<std::int32_t>(arrow::date32(), false),
                                tick_ids<std::int64_t>(arrow::date64(), true)};
  for (const auto unit : {TimeUnit::SECOND, TimeUnit::MILLI, TimeUnit::MICRO, TimeUnit::NANO}) {
    list.push_back(tick_ids<std::int64_t>(arrow::timestamp(unit), true));
    list.push_back(tick_ids<std::int64_t>(arrow::timestamp(unit, "Asia/Tokyo"), true));
  }
  for (const ArrowType& type : {arrow::decimal128(38, 3), arrow::decimal256(76, 70), arrow::decimal128(38, -3)}) {
    Cells people;
    for (const char* id :
         {"0", "1", "-1", "1000", "99999999999999999999999999999999999999", "99999999999999999999999999999999999998"}) {
      people.push_back(decimal_cell(type, id));
    }
    list.push_back(column_of(type, people, {}));
  }
  for (const ArrowType& type : {arrow::binary(), arrow::large_binary(), arrow::binary_view()}) {
    list.push_back(
        column_of(type, {text_cell(type, "a"), text_cell(type, std::string("a\0", 2)), text_cell(type, "\xff")}, {}));
  }
  const ArrowType uuid = arrow::fixed_size_binary(2);
  list.push_back(column_of(uuid, {text_cell(uuid, "aa"), text_cell(uuid, std::string(2, '\0'))}, {}));
  return list;
}

/// A row: whose it is (-1: nobody's), its id as spelled, and its place in the whole table, by which it is told apart.
struct Row {
  int person;
  std::shared_ptr<arrow::Scalar> id;
  int place;
};

std::vector<Row> table_of(const IdColumn& column, std::mt19937& random) {
  std::vector<Row> rows;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t p = 0; p < column.people.size(); ++p) {
      const Cells& spellings = column.people[p];
      rows.push_back({static_cast<int>(p), spellings[random() % spellings.size()], 0});
    }
    for (const auto& none : column.nobody) rows.push_back({-1, none, 0});
  }
  std::shuffle(rows.begin(), rows.end(), random);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].place = static_cast<int>(i);
  return rows;
}

Schema schema_of(std::int64_t max_rows) {
  return {.columns = {{.name = "place", .type = ColumnType::integer, .min = 0, .max = 9999},
                      {.name = "id", .type = ColumnType::identifier, .missing = true}},
          .unit = {.column = "id", .max_rows = max_rows}};
}

std::shared_ptr<const TableFile> file_of(const ArrowType& type, const std::vector<Row>& rows, Form form) {
  Cells ids, places;
  for (const Row& row : rows) {
    ids.push_back(row.id);
    places.push_back(cell(arrow::int64(), std::int64_t{row.place}));
  }
  const auto id = array_of_cells(type, ids, form), place = array_of_cells(arrow::int64(), places, Form::plain);
  const auto schema = arrow::schema({arrow::field("place", place->type()), arrow::field("id", id->type())});
  return std::make_shared<BatchFile>(std::vector{arrow::RecordBatch::Make(schema, place->length(), {place, id})}, 7);
}

/// The places of the rows that take part.
std::vector<float> kept(const std::shared_ptr<const TableFile>& file, const Codec& codec, std::int64_t max_rows) {
  const auto source = encoded_rows(file, codec, UnitHash());
  ThreadPool threads(1);
  RowChoice choice(1.0, max_rows, nullptr);
  choice.bound_units([&] { return source->scan(); }, threads);
  std::vector<float> places;
  const auto scan = source->scan();
  for (RowBlock block; scan->next(block);) choice.gather(block, places);
  std::sort(places.begin(), places.end());
  return places;
}

std::size_t difference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> either;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
  return either.size();
}

TEST(UnitNeighbors, DifferByNoMoreThanTheRowsOfOneUnit) {
  std::mt19937 random(1);
  for (const IdColumn& column : id_columns()) {
    const std::vector<Row> rows = table_of(column, random);
    const int people = static_cast<int>(column.people.size());
    for (const std::int64_t max_rows : {1, 2}) {
      const Codec codec(schema_of(max_rows), {.bins = 10'000});
      const Form form = kForms[random() % std::size(kForms)];
      SCOPED_TRACE(column.type->ToString() + ", form " + std::to_string(static_cast<int>(form)));
      const std::vector<float> whole = kept(file_of(column.type, rows, form), codec, max_rows);
      EXPECT_EQ(whole.size(), static_cast<std::size_t>(people * max_rows)) << "everybody has as many rows as allowed";
      for (int gone = 0; gone < people; ++gone) {
        std::vector<Row> rest = rows;
        std::erase_if(rest, [&](const Row& row) { return row.person == gone; });
        const auto left = kept(file_of(column.type, rest, kForms[random() % std::size(kForms)]), codec, max_rows);
        EXPECT_LE(difference(whole, left), static_cast<std::size_t>(max_rows)) << "without person " << gone;
      }
      std::vector<Row> named = rows;
      std::erase_if(named, [](const Row& row) { return row.person < 0; });
      EXPECT_EQ(kept(file_of(column.type, named, form), codec, max_rows), whole) << "without the rows of nobody";
    }
  }
}

/// The texts that are looked for among all texts of a column are bounded by the same ids.
TEST(UnitNeighbors, OfKeysLeaveOutRowsOfNobody) {
  const ArrowType type = arrow::float64();
  const std::vector<Row> rows = {{0, cell(type, 0.0), 0},
                                 {-1, cell(type, std::nan("")), 1},
                                 {0, cell(type, -0.0), 2},
                                 {-1, null_cell(type), 3},
                                 {1, cell(type, 1.0), 4}};
  Schema schema = schema_of(1);
  const auto keys = keys_of(file_of(type, rows, Form::plain), {"place"}, schema, {""}, UnitHash());
  std::vector<std::string> texts;
  std::vector<std::uint64_t> units;
  const auto scan = keys->scan();
  for (KeyBlock block; scan->next(block);) {
    texts.insert(texts.end(), block.texts[0].begin(), block.texts[0].end());
    units.insert(units.end(), block.rows.units.begin(), block.rows.units.end());
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"0", "2", "4"}));
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0], units[1]);
  EXPECT_NE(units[0], units[2]);
  schema.columns[1].missing = false;
  KeyBlock block;
  EXPECT_ANY_THROW(keys_of(file_of(type, rows, Form::plain), {"place"}, schema, {""}, UnitHash())->scan()->next(block));
}

}  // namespace
}  // namespace sosia::testing
