// SPDX-License-Identifier: Apache-2.0
#include "data/cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/number_text.h"

namespace sosia {

namespace {

constexpr std::array<std::string_view, 12> kMonthNames = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view kIsoDate = "%Y-%m-%d", kIsoTime = "%Y-%m-%dT%H:%M:%S";
constexpr int kSecondsOfDay = 86400;
constexpr int kMostDecimals = 15;
constexpr std::array<double, kMostDecimals + 1> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                           1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// A moment in parts, as it is spelled.
struct Parts {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  double fraction = 0.0;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// Takes between `least` and `most` digits off the front.
bool take_digits(std::string_view& text, int least, int most, int& value) {
  int taken = 0, sum = 0;
  while (taken < most && !text.empty() && is_digit(text.front())) {
    sum = 10 * sum + (text.front() - '0');
    text.remove_prefix(1);
    ++taken;
  }
  if (taken < least) return false;
  value = sum;
  return true;
}

/// Takes ".25" off the front if it is there.
void take_fraction(std::string_view& text, double& fraction) {
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return;
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  fraction = number_from(text.substr(0, end)).value_or(0.0);
  if (fraction >= 1.0) fraction = 0.0;  // so many nines that the nearest double is 1
  text.remove_prefix(end);
}

bool take_month_name(std::string_view& text, int& month) {
  for (std::size_t i = 0; i < kMonthNames.size(); ++i) {
    if (text.size() < 3 || !same_letters(text.substr(0, 3), kMonthNames[i])) continue;
    month = static_cast<int>(i) + 1;
    text.remove_prefix(3);
    return true;
  }
  return false;
}

/// Takes what one directive stands for off the front.
bool take(char directive, std::string_view& text, Parts& parts) {
  switch (directive) {
    case 'Y':
      return take_digits(text, 4, 4, parts.year);
    case 'y':
      if (!take_digits(text, 2, 2, parts.year)) return false;
      parts.year += parts.year < 69 ? 2000 : 1900;  // as POSIX has it
      return true;
    case 'm':
      return take_digits(text, 1, 2, parts.month);
    case 'b':
      return take_month_name(text, parts.month);
    case 'd':
      return take_digits(text, 1, 2, parts.day);
    case 'H':
      return take_digits(text, 1, 2, parts.hour);
    case 'M':
      return take_digits(text, 2, 2, parts.minute);
    case 'S':
      if (!take_digits(text, 2, 2, parts.second)) return false;
      take_fraction(text, parts.fraction);
      return true;
    default:
      return false;
  }
}

/// Reads as much of the text as the format says, and leaves the rest.
bool take_format(std::string_view& text, std::string_view format, Parts& parts) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size() && format[i + 1] != '%') {
      if (!take(format[++i], text, parts)) return false;
      continue;
    }
    if (format[i] == '%') ++i;
    if (text.empty() || text.front() != format[i < format.size() ? i : i - 1]) return false;
    text.remove_prefix(1);
  }
  return true;
}

bool days_of(const Parts& parts, std::int64_t& days) {
  using namespace std::chrono;
  const year_month_day date{year(parts.year), month(static_cast<unsigned>(parts.month)),
                            day(static_cast<unsigned>(parts.day))};
  if (parts.year < 1 || !date.ok()) return false;
  days = sys_days(date).time_since_epoch().count();
  return true;
}

bool seconds_of(const Parts& parts, double& seconds) {
  std::int64_t days = 0;
  if (!days_of(parts, days) || parts.hour > 23 || parts.minute > 59 || parts.second > 59) return false;
  seconds =
      static_cast<double>(days * kSecondsOfDay + parts.hour * 3600 + parts.minute * 60 + parts.second) + parts.fraction;
  return true;
}

/// "Z", "+02:00", "-0530" or nothing at the end of an ISO time, in seconds east of UTC.
bool parse_zone(std::string_view text, int& offset) {
  offset = 0;
  if (text.empty() || text == "Z" || text == "z") return true;
  const char sign = text.front();
  if (sign != '+' && sign != '-') return false;
  text.remove_prefix(1);
  int hours = 0, minutes = 0;
  if (!take_digits(text, 2, 2, hours)) return false;
  if (text.starts_with(':')) text.remove_prefix(1);
  if (!text.empty() && !take_digits(text, 2, 2, minutes)) return false;
  if (!text.empty() || hours > 15 || minutes > 59) return false;
  offset = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  return true;
}

bool parse_iso_datetime(std::string_view text, double& seconds) {
  Parts parts;
  if (!take_format(text, kIsoDate, parts)) return false;
  if (!text.starts_with('T') && !text.starts_with(' ')) return false;
  text.remove_prefix(1);
  if (!take_format(text, "%H:%M", parts)) return false;
  if (text.starts_with(':') && !take_format(text, ":%S", parts)) return false;
  int offset = 0;
  double local = 0.0;
  if (!parse_zone(text, offset) || !seconds_of(parts, local)) return false;
  seconds = local - offset;
  return true;
}

/// In as many digits as there are powers of ten up to `first`.
void append_digits(std::string& out, int value, int first) {
  for (int power = first; power > 0; power /= 10) out += static_cast<char>('0' + value / power % 10);
}

void append(char directive, const Parts& parts, std::string& out) {
  switch (directive) {
    case 'Y':
      return append_digits(out, parts.year, 1000);
    case 'y':
      return append_digits(out, parts.year, 10);
    case 'm':
      return append_digits(out, parts.month, 10);
    case 'b':
      out += kMonthNames[static_cast<std::size_t>(parts.month - 1)];
      return;
    case 'd':
      return append_digits(out, parts.day, 10);
    case 'H':
      return append_digits(out, parts.hour, 10);
    case 'M':
      return append_digits(out, parts.minute, 10);
    case 'S':
      return append_digits(out, parts.second, 10);
    default:
      out += directive;
  }
}

std::string format_parts(const Parts& parts, std::string_view format) {
  std::string out;
  out.reserve(2 * format.size());  // a directive of two characters becomes four at most
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size()) {
      append(format[++i], parts, out);
    } else {
      out += format[i];
    }
  }
  return out;
}

/// The digits of value * 10^decimals, rounded to the nearest, where a product of doubles tells which that is. The
/// product is off by 1/8 at most, so that a whole number within 1/4 of it is the nearest to the true one.
bool quick_digits(double value, int decimals, std::int64_t& digits) {
  constexpr double kMost = 1125899906842624.0;  // 2^50
  const double product = value * kPowers[static_cast<std::size_t>(decimals)];
  if (!(std::abs(product) < kMost)) return false;
  digits = static_cast<std::int64_t>(product < 0 ? product - 0.5 : product + 0.5);
  return std::abs(product - static_cast<double>(digits)) < 0.25;
}

Parts date_parts(std::int64_t days) {
  using namespace std::chrono;
  const auto within = std::clamp(days, kFirstDay, kLastDay);
  const year_month_day date{sys_days(std::chrono::days(within))};
  Parts parts;
  parts.year = static_cast<int>(date.year());
  parts.month = static_cast<int>(static_cast<unsigned>(date.month()));
  parts.day = static_cast<int>(static_cast<unsigned>(date.day()));
  return parts;
}

}  // namespace

std::string_view without_zeros(std::string_view text) {
  if (text.find('.') == std::string_view::npos) return text;
  text = text.substr(0, text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.remove_suffix(1);
  return text;
}

bool parse_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto number = number_from(text);
  if (number) value = *number;
  return number.has_value();
}

bool parse_boolean(std::string_view text, bool& value) {
  text = trimmed(text);
  for (const std::string_view yes : {"true", "t", "yes", "y", "on", "1"}) {
    if (same_letters(text, yes)) return value = true, true;
  }
  for (const std::string_view no : {"false", "f", "no", "n", "off", "0"}) {
    if (same_letters(text, no)) return value = false, true;
  }
  return false;
}

bool parse_date(std::string_view text, std::string_view format, std::int64_t& days) {
  text = trimmed(text);
  Parts parts;
  return take_format(text, format.empty() ? kIsoDate : format, parts) && text.empty() && days_of(parts, days);
}

bool parse_datetime(std::string_view text, std::string_view format, double& seconds) {
  text = trimmed(text);
  if (format.empty()) return parse_iso_datetime(text, seconds);
  Parts parts;
  return take_format(text, format, parts) && text.empty() && seconds_of(parts, seconds);
}

std::string format_number(double value, int decimals) {
  decimals = std::clamp(decimals, 0, kMostDecimals);
  std::array<char, 400> buffer;  // the largest double has 309 digits
  char* const begin = buffer.data();
  std::int64_t digits = 0;
  if (!quick_digits(value, decimals, digits)) {
    const auto end = std::to_chars(begin, begin + buffer.size(), value, std::chars_format::fixed, decimals).ptr;
    const std::string_view text = without_zeros({begin, end});
    return std::string(text == "-0" ? "0" : text);
  }
  // Written from the end: the decimals that are not zeros at the end, the point, the whole part, the sign.
  char* const end = begin + buffer.size();
  char* at = end;
  std::uint64_t rest = static_cast<std::uint64_t>(std::abs(digits));
  for (int i = 0; i < decimals; ++i, rest /= 10) {
    if (at != end || rest % 10 != 0) *--at = static_cast<char>('0' + rest % 10);
  }
  if (at != end) *--at = '.';
  do {
    *--at = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (digits < 0) *--at = '-';
  return {at, end};
}

std::string format_date(std::int64_t days, std::string_view format) {
  return format_parts(date_parts(days), format.empty() ? kIsoDate : format);
}

std::string format_datetime(double seconds, std::string_view format) {
  const double within =
      std::clamp(std::floor(seconds), static_cast<double>(kFirstSecond), static_cast<double>(kLastSecond));
  const auto whole = static_cast<std::int64_t>(within);
  const std::int64_t days = (whole - kFirstSecond) / kSecondsOfDay + kFirstDay;
  const auto rest = static_cast<int>(whole - days * kSecondsOfDay);
  Parts parts = date_parts(days);
  parts.hour = rest / 3600;
  parts.minute = rest / 60 % 60;
  parts.second = rest % 60;
  return format_parts(parts, format.empty() ? kIsoTime : format);
}

double round_decimals(double value, int decimals) {
  double rounded = value;
  return parse_number(format_number(value, decimals), rounded) ? rounded : value;
}

bool is_known_format(std::string_view format, bool with_time) {
  std::string seen;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (++i == format.size()) return false;
    if (format[i] == '%') continue;
    if (std::string_view("YymbdHMS").find(format[i]) == std::string_view::npos) return false;
    if (seen.find(format[i]) != std::string::npos) return false;
    seen += format[i];
  }
  const auto count = [&](std::string_view letters) {
    return std::count_if(seen.begin(), seen.end(), [&](char c) { return letters.find(c) != std::string_view::npos; });
  };
  if (count("Yy") != 1 || count("mb") != 1 || count("d") != 1) return false;
  return with_time ? count("H") == 1 : count("HMS") == 0;
}

}  // namespace sosia
