// SPDX-License-Identifier: Apache-2.0
// What a draft has to know of one column, gathered cell by cell in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sosia {

/// An estimate of the number of different texts, within about 5 % (HyperLogLog, Flajolet and others 2007).
class DistinctCount {
 public:
  void add(std::string_view text);
  double estimate() const;

 private:
  std::array<std::uint8_t, 2048> ranks_ = {};
};

/// The numbers that make up a good part of all (Misra and Gries 1982). A count is too low by at most 1/64 of all.
class FrequentNumbers {
 public:
  void add(double value);
  /// Those with a counted share above `share` of `total`, in rising order.
  std::vector<double> above(double share, std::int64_t total) const;

 private:
  std::unordered_map<double, std::int64_t> counts_;
};

/// How a date or a moment may be spelled: the guesses that a draft tries.
struct TimeFormat {
  const char* format;
  bool with_time;
};
inline constexpr std::array<TimeFormat, 13> kTimeFormats = {{{"", false},
                                                             {"%Y/%m/%d", false},
                                                             {"%d/%m/%Y", false},
                                                             {"%m/%d/%Y", false},
                                                             {"%d.%m.%Y", false},
                                                             {"%d-%b-%Y", false},
                                                             {"%Y-%m-%dT%H:%M:%S", true},
                                                             {"%Y-%m-%d %H:%M:%S", true},
                                                             {"", true},
                                                             {"%d/%m/%Y %H:%M:%S", true},
                                                             {"%m/%d/%Y %H:%M:%S", true},
                                                             {"%d/%m/%Y %H:%M", true},
                                                             {"%m/%d/%Y %H:%M", true}}};

/// '#' for a digit, '@' for a letter, every other character for itself, as in Column::pattern.
char shape_of(char c);

/// The numbers, days or seconds of a column, as far as all cells so far had one.
struct NumberRange {
  bool possible = true;
  double min = 0.0, max = 0.0;
  void add(double value, bool first);
};

class ColumnProfile {
 public:
  explicit ColumnProfile(int max_values) : max_values_(max_values) {}

  void add_missing() { ++missing; }
  void add(std::string_view text);

  std::int64_t missing = 0, present = 0;
  /// Texts in order, and how often each occurs; empty once there were too many or too long ones.
  std::map<std::string, std::int64_t, std::less<>> values;
  bool values_complete = true;
  NumberRange numbers;
  bool whole = true;  ///< all numbers so far were whole
  int decimals = 0;   ///< the most digits after the point
  FrequentNumbers frequent;
  std::array<NumberRange, kTimeFormats.size()> times;
  DistinctCount distinct;
  std::int64_t length = 0;  ///< of all texts together
  bool spaces = false, controls = false;
  std::string shape;      ///< of the first cell
  bool one_shape = true;  ///< and of all

 private:
  void add_value(std::string_view text);
  void add_number(std::string_view text);
  void add_time(std::string_view text);
  void add_shape(std::string_view text);

  int max_values_;
};

}  // namespace sosia
