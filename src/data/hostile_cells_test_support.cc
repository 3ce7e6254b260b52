// SPDX-License-Identifier: Apache-2.0
#include "data/hostile_cells_test_support.h"

#include <cstdint>

namespace sosia::testing {

namespace {

TypedCells text_cells(const ArrowType& type, bool is_text) {
  TypedCells cells{type, {}, {}};
  for (const char* text : {"1", "0", "true", "2024-02-29", "2024-02-29T12:00:00", "0.5", "a"}) {
    cells.usual.push_back(text_cell(type, text));
  }
  for (const char* text :
       {"",       " ",    "nan",          "NaN",     "None",  "NA",         "-",           "1e308",
        "1e-320", "-0.0", "1.0",          "+1",      "0x1p3", "0001-01-01", "99999-12-31", "2024-02-30",
        "other",  "inf",  "Ünïcode 日本", "\xC2\xA0"}) {
    cells.odd.push_back(text_cell(type, text));
  }
  cells.odd.push_back(text_cell(type, std::string(100'000, '9')));
  if (!is_text) cells.odd.push_back(text_cell(type, "\xff\xfe"));
  cells.odd.push_back(null_cell(type));
  return cells;
}

template <class Number>
TypedCells number_cells(const ArrowType& type) {
  using Limits = std::numeric_limits<Number>;
  TypedCells cells{type, {}, {}};
  for (const int number : {0, 1, 2, 7, 100}) cells.usual.push_back(cell(type, static_cast<Number>(number)));
  std::vector<Number> odd = {Limits::lowest(), Limits::max(), static_cast<Number>(-1)};
  if constexpr (std::is_floating_point_v<Number>) {
    odd.insert(odd.end(),
               {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                static_cast<Number>(-0.0), Limits::denorm_min(), static_cast<Number>(1e30), static_cast<Number>(0.1)});
  }
  for (const Number number : odd) cells.odd.push_back(cell(type, number));
  cells.odd.push_back(null_cell(type));
  return cells;
}

/// Ticks of any type that counts them.
template <class Ticks>
TypedCells tick_cells(const ArrowType& type, const std::vector<Ticks>& usual, const std::vector<Ticks>& odd) {
  TypedCells cells{type, {}, {}};
  for (const Ticks ticks : usual) cells.usual.push_back(cell(type, ticks));
  for (const Ticks ticks : odd) cells.odd.push_back(cell(type, ticks));
  cells.odd.push_back(null_cell(type));
  return cells;
}

void add_times(std::vector<TypedCells>& list) {
  using arrow::TimeUnit;
  using Ticks = std::vector<std::int64_t>;
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(), kMost = -(kLeast + 1);
  list.push_back(tick_cells<std::int32_t>(arrow::date32(), {0, 1, 19782},
                                          {-719163, 2932897, std::numeric_limits<std::int32_t>::min(), -1}));
  const Ticks odd = {-1, 1, kLeast, kLeast + 1, kMost, 86'399'999};
  list.push_back(tick_cells<std::int64_t>(arrow::date64(), {0, 86'400'000}, odd));
  for (const auto unit : {TimeUnit::SECOND, TimeUnit::MILLI, TimeUnit::MICRO, TimeUnit::NANO}) {
    list.push_back(tick_cells<std::int64_t>(arrow::timestamp(unit), {0, 1'000'000, 1'700'000'000}, odd));
    list.push_back(tick_cells<std::int64_t>(arrow::duration(unit), {0, 1'000'000}, odd));
  }
  list.push_back(tick_cells<std::int64_t>(arrow::timestamp(TimeUnit::MICRO, "Asia/Tokyo"), {0, 1'000'000}, odd));
  list.push_back(tick_cells<std::int32_t>(arrow::time32(TimeUnit::SECOND), {0, 60}, {86'399}));
  list.push_back(tick_cells<std::int64_t>(arrow::time64(TimeUnit::NANO), {0, 60}, {86'399'999'999'999}));
}

}  // namespace

std::vector<TypedCells> cells_of_every_type() {
  std::vector<TypedCells> list;
  for (const auto& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}) {
    list.push_back(text_cells(type, true));
  }
  for (const auto& type : {arrow::binary(), arrow::large_binary(), arrow::binary_view()}) {
    list.push_back(text_cells(type, false));
  }
  const auto uuid = arrow::fixed_size_binary(4);
  list.push_back({uuid,
                  {text_cell(uuid, "0001"), text_cell(uuid, "abcd")},
                  {text_cell(uuid, std::string(4, '\0')), text_cell(uuid, "\xff\xff\xff\xff"), null_cell(uuid)}});
  list.push_back(
      {arrow::boolean(), {cell(arrow::boolean(), true), cell(arrow::boolean(), false)}, {null_cell(arrow::boolean())}});
  list.push_back(number_cells<std::int8_t>(arrow::int8()));
  list.push_back(number_cells<std::int16_t>(arrow::int16()));
  list.push_back(number_cells<std::int32_t>(arrow::int32()));
  list.push_back(number_cells<std::int64_t>(arrow::int64()));
  list.push_back(number_cells<std::uint8_t>(arrow::uint8()));
  list.push_back(number_cells<std::uint16_t>(arrow::uint16()));
  list.push_back(number_cells<std::uint32_t>(arrow::uint32()));
  list.push_back(number_cells<std::uint64_t>(arrow::uint64()));
  list.push_back(number_cells<float>(arrow::float32()));
  list.push_back(number_cells<double>(arrow::float64()));
  for (const ArrowType& type : {arrow::decimal128(38, 3), arrow::decimal256(76, 40), arrow::decimal128(38, -3)}) {
    list.push_back(
        {type,
         {decimal_cell(type, "0"), decimal_cell(type, "1000"), decimal_cell(type, "1500")},
         {decimal_cell(type, "-99999999999999999999999999999999999999"),
          decimal_cell(type, "99999999999999999999999999999999999999"), decimal_cell(type, "1"), null_cell(type)}});
  }
  add_times(list);
  const auto nested = arrow::list(arrow::int32());
  const auto one = array_of_cells(arrow::int32(), {cell(arrow::int32(), 1)}, Form::plain);
  list.push_back({nested, {std::make_shared<arrow::ListScalar>(one)}, {null_cell(nested)}});
  list.push_back({arrow::null(), {null_cell(arrow::null())}, {null_cell(arrow::null())}});
  return list;
}

}  // namespace sosia::testing
