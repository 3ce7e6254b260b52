// SPDX-License-Identifier: Apache-2.0
// Numbers as people type and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sosia {

/// The whole text as a decimal number, correctly rounded; nothing for anything else: empty text, spaces, a sign '+',
/// trailing letters, hexadecimal, "nan", "inf", or a number beyond the range of doubles.
std::optional<double> number_from(std::string_view text);

/// The whole text as a whole number; "1e5" and "100000" are the same. Nothing if it does not fit or is no whole number.
std::optional<std::int64_t> whole_from(std::string_view text);

/// A number or an exact fraction "a/b" of whole numbers up to 2^53, correctly rounded.
std::optional<double> fraction_from(std::string_view text);

/// The shortest number of `digits` significant digits that, read back, is not below (above) `value`: epsilons and
/// sigmas are shown rounded up, what is left of a budget rounded down. For 0 and above; "0", "inf" and "nan" as such.
std::string round_up_text(double value, int digits = 4);
std::string round_down_text(double value, int digits = 4);

/// The number itself if that takes up to 8 characters, as a number that somebody gave does; a long one, such as
/// calibrated noise or a computed delta, rounded up to 6 digits. What is shown is never below what holds.
std::string exact_or_up_text(double value);

}  // namespace sosia
