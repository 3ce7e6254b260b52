// SPDX-License-Identifier: Apache-2.0
#include "data/unit_id.h"

#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <sosia/error.h>

#include "data/array_reader.h"
#include "data/array_types.h"
#include "data/cell.h"

namespace sosia {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();  // numpy's, in any unit

/// In small letters. docs/schema.md lists them.
constexpr auto kNoIds = std::to_array<std::string_view>(
    {"na",      "n/a",     "#na",      "#n/a", "#n/a n/a", "<na>",    "nan",      "-nan", "1.#ind",
     "-1.#ind", "1.#qnan", "-1.#qnan", "null", "<null>",   "none",    "nil",      "nat",  "\\n",
     "-",       "--",      ".",        "?",    "unknown",  "missing", "undefined"});

/// Spaces beyond ASCII, and characters without width.
constexpr auto kSpaces = std::to_array<std::string_view>(
    {"\u00A0", "\u0085", "\u00AD", "\u1680", "\u180E", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
     "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u200B", "\u200C", "\u200D", "\u200E",
     "\u200F", "\u2028", "\u2029", "\u202F", "\u205F", "\u2060", "\u3000", "\uFEFF"});

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 128; }

std::string_view without_spaces(std::string_view text) {
  for (bool more = true; more;) {
    const std::size_t before = text.size();
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    if (text.empty() || (is_ascii(text.front()) && is_ascii(text.back()))) return text;
    for (const std::string_view space : kSpaces) {
      if (text.starts_with(space)) text.remove_prefix(space.size());
      if (text.ends_with(space)) text.remove_suffix(space.size());
    }
    more = text.size() < before;
  }
  return text;
}

template <class Number>
void put(Number number, std::string& form) {
  std::array<char, sizeof number> bytes;
  std::memcpy(bytes.data(), &number, sizeof number);
  form.append(bytes.data(), bytes.size());
}

void put_moment(std::int64_t ticks, std::int64_t per_second, std::string& form) {
  const std::int64_t rest = ticks % per_second;
  form = 'm';
  put(floor_div(ticks, per_second), form);
  put((rest < 0 ? rest + per_second : rest) * (kNanoseconds / per_second), form);
}

void put_number(std::string_view number, std::string& form) {
  form = 'n';
  form += number;
}

[[noreturn]] void refuse_type() {
  throw Error(ErrorKind::data, "a column of this type cannot tell privacy units apart", "the privacy unit's column",
              "store the ids as text, numbers, dates or bytes");
}

/// A whole number of this size may be another id that was rounded: what turned integers into floating point, as some
/// programs do where one cell is missing, made one unit of several.
[[noreturn]] void refuse_rounded() {
  throw Error(ErrorKind::data, "ids are stored as floating point, and some are so large that they may be rounded",
              "the privacy unit's column", "store the ids as integers or text");
}

/// Makes the form of each cell of one array.
class Former {
 public:
  Former(const arrow::Array& cells, const MissingWords& missing) : missing_(missing) {
    if (cells.type_id() == arrow::Type::DATE64 || cells.type_id() == arrow::Type::TIMESTAMP) {
      per_second_ = ticks_per_second(*cells.type());
    }
  }

  /// Of a cell that is not null; false if it is no id.
  template <class Array>
  bool form(const Array& cells, std::int64_t i, std::string& form) const {
    if constexpr (kIsText<Array>) {
      const std::string_view text = cells.GetView(i);
      if (missing_.holds(text) || is_no_id(text)) return false;
      form = 't';
      form += text;
    } else if constexpr (kIsDecimal<Array>) {
      put_number(number_form(cells.FormatValue(i)), form);
    } else if constexpr (std::is_same_v<Array, arrow::Date32Array>) {
      put_moment(cells.Value(i) * kDaySeconds, 1, form);
    } else if constexpr (std::is_same_v<Array, arrow::Date64Array> || std::is_same_v<Array, arrow::TimestampArray>) {
      if (cells.Value(i) == kNotATime) return false;
      put_moment(cells.Value(i), per_second_, form);
    } else if constexpr (std::is_floating_point_v<typename Array::value_type>) {
      const auto number = static_cast<double>(cells.Value(i));
      if (!std::isfinite(number)) return false;
      constexpr int kBits = std::numeric_limits<typename Array::value_type>::digits;
      if (std::abs(number) >= std::ldexp(1.0, kBits)) refuse_rounded();
      put_number(number_form(number), form);
    } else {
      put_number(number_form(std::to_string(cells.Value(i))), form);
    }
    return true;
  }

 private:
  const MissingWords& missing_;
  std::int64_t per_second_ = 1;
};

template <class Array>
void see_bytes(const arrow::Array& cells, const std::function<void(std::size_t, std::string_view)>& see) {
  const auto& array = arrow::internal::checked_cast<const Array&>(cells);
  std::string form;
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    form = 'b';
    form += array.GetView(i);
    see(static_cast<std::size_t>(i), form);
  }
}

void see_rest(const arrow::Array& cells, const std::function<void(std::size_t, std::string_view)>& see) {
  switch (cells.type_id()) {
    case arrow::Type::NA:
      return;
    case arrow::Type::BINARY:
      return see_bytes<arrow::BinaryArray>(cells, see);
    case arrow::Type::LARGE_BINARY:
      return see_bytes<arrow::LargeBinaryArray>(cells, see);
    case arrow::Type::BINARY_VIEW:
      return see_bytes<arrow::BinaryViewArray>(cells, see);
    case arrow::Type::FIXED_SIZE_BINARY:
      return see_bytes<arrow::FixedSizeBinaryArray>(cells, see);
    default:
      refuse_type();
  }
}

}  // namespace

void for_each_id(const arrow::Array& cells, const MissingWords& missing,
                 const std::function<void(std::size_t row, std::string_view form)>& see) {
  const Former former(cells, missing);
  const bool known = with_array(cells, [&]<class Array>(const Array& array) {
    if constexpr (std::is_same_v<Array, arrow::BooleanArray>) {
      refuse_type();
    } else {
      std::string form;
      for (std::int64_t i = 0; i < array.length(); ++i) {
        if (!array.IsNull(i) && former.form(array, i, form)) see(static_cast<std::size_t>(i), form);
      }
    }
  });
  if (!known) see_rest(cells, see);
}

bool is_no_id(std::string_view text) {
  text = without_spaces(text);
  const auto is_same = [](char c, char small) {
    return c == small || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == small);
  };
  return text.empty() || std::ranges::any_of(kNoIds, [&](std::string_view word) {
           return word.size() == text.size() && std::equal(text.begin(), text.end(), word.begin(), is_same);
         });
}

std::string number_form(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int exponent = 0;
  if (const std::size_t e = text.find('E'); e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
    text = text.substr(0, e);
  }
  std::string digits(text);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return "0";
  const std::size_t end = digits.find_last_not_of('0') + 1;
  exponent += static_cast<int>(digits.size() - end);
  std::string form(1, negative ? '-' : '+');
  form.append(digits, first, end - first);
  form += 'e';
  form += std::to_string(exponent);
  return form;
}

std::string number_form(double value) {
  if (std::abs(value) <= kMaxWhole && value == std::floor(value)) {
    return number_form(std::to_string(static_cast<std::int64_t>(value)));
  }
  // A double is a whole number times a power of two; as many digits behind the point as halvings say it exactly.
  constexpr int kBits = std::numeric_limits<double>::digits;
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
  exponent -= kBits;
  for (; exponent < 0 && mantissa % 2 == 0; ++exponent) mantissa /= 2;
  std::array<char, 1500> buffer;  // 309 digits before the point or 1074 behind it
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed,
                                 std::max(-exponent, 0))
                       .ptr;
  return number_form(std::string_view(buffer.data(), end));
}

}  // namespace sosia
