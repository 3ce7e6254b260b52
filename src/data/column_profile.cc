// SPDX-License-Identifier: Apache-2.0
#include "data/column_profile.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/json_reader.h"
#include "data/cell.h"

namespace sosia {

namespace {

constexpr std::size_t kFrequent = 63;
constexpr std::size_t kLongestValue = 200;  // longer ones are free text
constexpr std::size_t kLongestShape = 64;   // longer ones are no identifiers

/// FNV-1a with a final mix (Steele and others 2014): the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// "007": a code, since a number would lose its zeros.
bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

/// Digits after the point, an exponent taken into account.
int decimals_of(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = text.substr(0, e).find('.');
  double exponent = 0.0;
  if (e < text.size() && !parse_number(text.substr(e + 1), exponent)) return 15;
  const double digits = point == std::string_view::npos ? 0.0 : static_cast<double>(e - point - 1);
  return static_cast<int>(std::clamp(digits - exponent, 0.0, 15.0));
}

}  // namespace

char shape_of(char c) { return is_digit(c) ? '#' : is_letter(c) ? '@' : c; }

void DistinctCount::add(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(hash << 11 | 0x400U) + 1);
  std::uint8_t& best = ranks_[hash >> 53];
  best = std::max(best, rank);
}

double DistinctCount::estimate() const {
  const auto size = static_cast<double>(ranks_.size());
  double sum = 0.0;
  for (const std::uint8_t rank : ranks_) sum += std::ldexp(1.0, -rank);
  const double raw = 0.7213 / (1.0 + 1.079 / size) * size * size / sum;
  const auto empty = static_cast<double>(std::count(ranks_.begin(), ranks_.end(), 0));
  return raw <= 2.5 * size && empty > 0.0 ? size * std::log(size / empty) : raw;
}

void FrequentNumbers::add(double value) {
  value += 0.0;  // no negative zero
  const auto found = counts_.find(value);
  if (found != counts_.end()) {
    ++found->second;
  } else if (counts_.size() < kFrequent) {
    counts_.emplace(value, 1);
  } else {
    for (auto item = counts_.begin(); item != counts_.end();) {
      item = --item->second == 0 ? counts_.erase(item) : std::next(item);
    }
  }
}

std::vector<double> FrequentNumbers::above(double share, std::int64_t total) const {
  std::vector<double> values;
  for (const auto& [value, count] : counts_) {
    if (static_cast<double>(count) > share * static_cast<double>(total)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

void NumberRange::add(double value, bool first) {
  min = first ? value : std::min(min, value);
  max = first ? value : std::max(max, value);
}

void ColumnProfile::add(std::string_view text) {
  add_value(text);
  add_number(text);
  add_time(text);
  add_shape(text);
  distinct.add(text);
  length += static_cast<std::int64_t>(text.size());
  spaces |= text.find(' ') != std::string_view::npos;
  controls |= !is_printable(text);
  ++present;
}

void ColumnProfile::add_value(std::string_view text) {
  if (!values_complete) return;
  if (const auto known = values.find(text); known != values.end()) {
    ++known->second;
    return;
  }
  if (text.size() <= kLongestValue) values.emplace(text, 1);
  if (text.size() <= kLongestValue && values.size() <= static_cast<std::size_t>(max_values_)) return;
  values_complete = false;
  values.clear();
}

void ColumnProfile::add_number(std::string_view text) {
  double value = 0.0;
  if (!numbers.possible) return;
  numbers.possible = !has_leading_zero(text) && parse_number(text, value);
  if (!numbers.possible) return;
  numbers.add(value, present == 0);
  whole = whole && value == std::floor(value) && std::abs(value) <= kMaxWhole;
  decimals = std::max(decimals, decimals_of(text));
  frequent.add(value);
}

void ColumnProfile::add_time(std::string_view text) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    NumberRange& range = times[i];
    if (!range.possible) continue;
    double value = 0.0;
    std::int64_t days = 0;
    if (kTimeFormats[i].with_time) {
      range.possible = parse_datetime(text, kTimeFormats[i].format, value);
    } else {
      range.possible = parse_date(text, kTimeFormats[i].format, days);
      value = static_cast<double>(days);
    }
    if (range.possible) range.add(value, present == 0);
  }
}

void ColumnProfile::add_shape(std::string_view text) {
  if (!one_shape) return;
  if (present == 0) {
    for (const char c : text.substr(0, kLongestShape)) shape += shape_of(c);
  }
  // A pattern has no way to say '#' and '@' themselves.
  one_shape =
      text.find_first_of("#@") == std::string_view::npos &&
      std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char s) { return shape_of(c) == s; });
}

}  // namespace sosia
