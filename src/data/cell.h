// SPDX-License-Identifier: Apache-2.0
// The text of one cell, as a typed value and back. No locale, no time zone of the machine: the same on every computer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sosia {

/// All parse functions take the whole text, spaces at either end ignored, and return false for anything else; the
/// result is then untouched.

/// A finite decimal number: "12", "-0.5", "+3", "1e5".
bool parse_number(std::string_view text, double& value);
/// true/false, t/f, yes/no, y/n, on/off, 1/0 in any case.
bool parse_boolean(std::string_view text, bool& value);
/// Days since 1970-01-01 (Gregorian, years 1 to 9999). An empty format means ISO 8601: "2024-02-29".
bool parse_date(std::string_view text, std::string_view format, std::int64_t& days);
/// Seconds since 1970-01-01T00:00:00 UTC, with a fraction if there is one. An empty format means ISO 8601:
/// "2024-02-29T12:30:00", with a space for the T, without seconds, with a fraction, with "Z" or an offset "+02:00".
bool parse_datetime(std::string_view text, std::string_view format, double& seconds);

/// A number with at most `decimals` digits after the point (0 to 15), rounded to the nearest; trailing zeros are left
/// out, so that parse_number gives back the nearest number of that many decimals. Never "-0".
std::string format_number(double value, int decimals);
/// The same number without zeros after the point, or the point where nothing follows: "1.50" is "1.5", "2.0" is "2".
std::string_view without_zeros(std::string_view text);
/// The reverse of parse_date and parse_datetime; fractions of a second are dropped (rounded down).
std::string format_date(std::int64_t days, std::string_view format = {});
std::string format_datetime(double seconds, std::string_view format = {});

/// The value that `decimals` digits after the point can say, nearest to `value`.
double round_decimals(double value, int decimals);

/// Whether parse and format know every part of this format: %Y %y %m %d %b %H %M %S %% and plain characters, and
/// whether it says a whole date (and, for `with_time`, at least the hour). %S also reads a fraction.
bool is_known_format(std::string_view format, bool with_time);

inline constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline constexpr double kMaxWhole = 9007199254740992.0;  ///< 2^53: every whole number up to here is a double

/// The first and last day and second that can be said in a four-digit year: 0001-01-01 and 9999-12-31.
inline constexpr std::int64_t kFirstDay = -719162, kLastDay = 2932896;
inline constexpr std::int64_t kFirstSecond = kFirstDay * 86400, kLastSecond = kLastDay * 86400 + 86399;

}  // namespace sosia
