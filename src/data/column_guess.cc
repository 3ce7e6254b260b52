// SPDX-License-Identifier: Apache-2.0
#include "data/column_guess.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sosia/draft.h>

#include "data/cell.h"
#include "data/unit_guess.h"

namespace sosia {

namespace {

constexpr double kAtomShare = 0.1;       // a value with more than this part of the rows is an atom
constexpr std::int64_t kAtomRows = 100;  // in fewer rows nothing can be said of shares
constexpr double kFewNumbers = 20.0;     // a number with no more values than this has no atoms
constexpr std::size_t kFewValues = 20;   // so few texts are categories however short the table is
constexpr double kAllDistinct = 0.93;    // of the rows, an allowance for the estimate
constexpr double kManyDistinct = 0.1;
constexpr double kSentence = 25.0;            // mean length of free text
constexpr std::int64_t kIdentifierRows = 50;  // in fewer rows numbers are distinct by chance

double present_of(const ColumnProfile& profile) { return static_cast<double>(profile.present); }

bool has_id_name(const std::string& name) {
  for (const char* whole : {"id", "Id", "ID", "key", "uuid"}) {
    if (name == whole) return true;
  }
  for (const char* ending : {"_id", "_Id", "_ID", "Id", "_key", "_uuid"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

bool is_boolean(const ColumnProfile& profile, Column& column) {
  if (!profile.values_complete || profile.values.size() != 2) return false;
  bool first = false, second = false;
  const std::string &a = profile.values.begin()->first, &b = profile.values.rbegin()->first;
  if (!parse_boolean(a, first) || !parse_boolean(b, second) || first == second) return false;
  column.type = ColumnType::boolean;
  column.values = first ? std::vector{b, a} : std::vector{a, b};
  return true;
}

/// Whole numbers that are all different and fill their range, as row numbers do, or that are called an id.
bool is_number_identifier(const std::string& name, const ColumnProfile& profile) {
  if (!profile.whole || profile.present < kIdentifierRows || profile.values_complete) return false;
  const double share = profile.distinct.estimate() / present_of(profile);
  if (has_id_name(name)) return share > kManyDistinct;
  return share > kAllDistinct && profile.numbers.max - profile.numbers.min < 2.0 * present_of(profile);
}

bool is_number(const std::string& name, const ColumnProfile& profile, Column& column) {
  if (!profile.numbers.possible) return false;
  if (is_number_identifier(name, profile)) {
    column.type = ColumnType::identifier;
    return true;
  }
  column.type = profile.whole ? ColumnType::integer : ColumnType::real;
  if (!profile.whole) column.decimals = profile.decimals;
  double min = profile.numbers.min, max = profile.numbers.max;
  round_outwards(min, max, profile.whole);
  column.min = min, column.max = max;
  if (profile.present >= kAtomRows && profile.distinct.estimate() > kFewNumbers) {
    column.atoms = profile.frequent.above(kAtomShare, profile.present);
  }
  return true;
}

/// The year's first and last day around the dates.
void round_to_years(double& first, double& last) {
  const auto year_of = [](double day) { return format_date(static_cast<std::int64_t>(day), "%Y"); };
  std::int64_t begin = kFirstDay, end = kLastDay;
  parse_date(year_of(first) + "-01-01", "", begin);
  parse_date(year_of(last) + "-12-31", "", end);
  first = static_cast<double>(begin), last = static_cast<double>(end);
}

bool is_time(const ColumnProfile& profile, Column& column) {
  for (std::size_t i = 0; i < kTimeFormats.size(); ++i) {
    if (!profile.times[i].possible) continue;
    const bool with_time = kTimeFormats[i].with_time;
    column.type = with_time ? ColumnType::datetime : ColumnType::date;
    // The format without a name reads all of ISO 8601 and writes the T.
    const std::string_view format = kTimeFormats[i].format;
    column.format = format == "%Y-%m-%dT%H:%M:%S" ? "" : format;
    double first = profile.times[i].min, last = profile.times[i].max;
    if (with_time) first = std::floor(first / 86400.0), last = std::floor(last / 86400.0);
    round_to_years(first, last);
    column.min = with_time ? first * 86400.0 : first;
    column.max = with_time ? last * 86400.0 + 86399.0 : last;
    return true;
  }
  return false;
}

void guess_text(const std::string& name, const ColumnProfile& profile, Column& column) {
  const double share = profile.distinct.estimate() / std::max(1.0, present_of(profile));
  const double length = static_cast<double>(profile.length) / std::max(1.0, present_of(profile));
  const bool sentences = profile.spaces && length > kSentence;
  const auto present = static_cast<std::size_t>(profile.present);
  const bool repeats = 2 * profile.values.size() <= present;
  const bool few = profile.values.size() <= kFewValues && (profile.values.size() < present || present < 4);
  const auto digits = std::count(profile.shape.begin(), profile.shape.end(), '#');
  const bool same_shape = profile.one_shape && digits >= 3;
  const bool spelled = profile.present > 0 && !profile.controls;
  column.type = ColumnType::categorical;
  if (spelled && profile.values_complete && (repeats || few)) {
    std::vector<std::string>& values = column.values.emplace();
    for (const auto& [value, count] : profile.values) values.push_back(value);
  } else if (!spelled || sentences) {
    column.type = ColumnType::text;
  } else if (share > kAllDistinct || ((same_shape || has_id_name(name)) && share > kManyDistinct)) {
    column.type = ColumnType::identifier;
  }
}

}  // namespace

void round_outwards(double& min, double& max, bool whole) {
  if (whole && max - min < 10.0) return;
  const double span = max > min ? max - min : std::max(std::abs(max), 1.0);
  if (!std::isfinite(span)) {
    min = std::numeric_limits<double>::lowest(), max = std::numeric_limits<double>::max();
    return;
  }
  const double exponent = std::floor(std::log10(span)) - 1.0;
  const double lead = span / std::pow(10.0, exponent + 1.0);  // in [1, 10)
  const double digit = lead < 2.0 ? 1.0 : lead < 5.0 ? 2.0 : 5.0;
  const double step = std::max(digit * std::pow(10.0, exponent), whole ? 1.0 : 0.0);
  const int decimals = static_cast<int>(std::clamp(-exponent, 0.0, 15.0));
  const double exact_min = min, exact_max = max;
  min = round_decimals(std::floor(min / step) * step, decimals);
  max = round_decimals(std::ceil(max / step) * step, decimals);
  // Zero is where many quantities begin, and is as good a round number as any.
  if (min >= exact_min && min != 0.0) min = round_decimals(min - step, decimals);
  if (max <= exact_max && max != 0.0) max = round_decimals(max + step, decimals);
  const double most = whole ? 9007199254740992.0 : std::numeric_limits<double>::max();  // 2^53 is the last whole one
  min = std::max(std::min(min, exact_min), -most), max = std::min(std::max(max, exact_max), most);
}

ColumnGuess guess_column(const std::string& name, const ColumnProfile& profile) {
  ColumnGuess guess;
  Column& column = guess.column;
  column.name = name;
  column.missing = profile.missing > 0;
  column.outside = Outside::other;
  const bool any = profile.present > 0;
  if (!(any && is_boolean(profile, column))) {
    if (any && (is_number(name, profile, column) || is_time(profile, column))) {
      column.outside = Outside::clamp;
    } else {
      guess_text(name, profile, column);
    }
  }
  if (!has_values(column.type)) column.outside = Outside::clamp;
  if (column.type == ColumnType::identifier && profile.one_shape) column.pattern = profile.shape;
  guess.unreviewed = {Fact::type};
  if (column.values) guess.unreviewed.push_back(Fact::values);
  if (column.min) guess.unreviewed.push_back(Fact::bounds);
  guess.unreviewed.push_back(Fact::missing);
  if (!column.pattern.empty()) guess.unreviewed.push_back(Fact::pattern);
  if (applies(Fact::precision, column.type)) guess.unreviewed.push_back(Fact::precision);
  if (applies(Fact::atoms, column.type)) guess.unreviewed.push_back(Fact::atoms);
  for (const auto& [value, count] : profile.values) {
    if (column.values && count < kFewRows) guess.rare.push_back(value);
  }
  guess.is_likely_unit = is_likely_unit(column, profile);
  return guess;
}

}  // namespace sosia
