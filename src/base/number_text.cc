// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace sosia {

namespace {

constexpr std::int64_t kMaxExactWhole = std::int64_t{1} << 53;  // every whole number up to here is a double

/// A decimal number: digits * 10^exponent, `digits` with a fixed number of places.
struct Decimal {
  std::int64_t digits;
  int exponent;

  double value() const { return *number_from(fmt::format("{}e{}", digits, exponent)); }
};

/// Plain notation in the range that is easy to read, scientific beyond it.
std::string text_of(const Decimal& decimal, int places) {
  const int leading = decimal.exponent + places - 1;
  const int decimals = decimal.exponent < 0 ? -decimal.exponent : 0;
  if (leading >= -3 && leading < 6) return fmt::format("{:.{}f}", decimal.value(), decimals);
  return fmt::format("{:.{}e}", decimal.value(), places - 1);
}

std::string round_text(double value, int digits, bool up) {
  if (!(value > 0.0)) return std::isnan(value) ? "nan" : "0";
  if (std::isinf(value)) return "inf";
  // The nearest decimal of this many digits, then one step further if it lies on the wrong side.
  const std::string nearest = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t e = nearest.find('e');
  Decimal decimal{0, std::stoi(nearest.substr(e + 1)) - (digits - 1)};
  std::int64_t top = 1;
  for (int i = 0; i < digits; ++i) top *= 10;
  for (const char c : nearest.substr(0, e)) {
    if (c != '.') decimal.digits = 10 * decimal.digits + (c - '0');
  }
  const std::optional<double> read_back = number_from(nearest);
  if (up && read_back && *read_back < value) {
    ++decimal.digits;
    if (decimal.digits == top) decimal = {top / 10, decimal.exponent + 1};
  } else if (!up && (!read_back || *read_back > value)) {
    --decimal.digits;
    if (decimal.digits < top / 10) decimal = {top - 1, decimal.exponent - 1};
  }
  if (!number_from(fmt::format("{}e{}", decimal.digits, decimal.exponent))) return up ? "inf" : "0";
  return text_of(decimal, digits);
}

}  // namespace

std::optional<double> number_from(std::string_view text) {
  // from_chars also reads "nan" and "inf": a number starts with a digit, a point or a minus before one of these.
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  if (unsigned_text.empty() || unsigned_text.find_first_of("nNiI") != std::string_view::npos) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_from(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  const std::optional<double> number = number_from(text);
  if (!number || std::abs(*number) > static_cast<double>(kMaxExactWhole) || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> fraction_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return number_from(text);
  const auto whole = [](std::string_view part) -> std::optional<double> {
    if (part.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    const std::optional<std::int64_t> value = whole_from(part);
    if (!value || *value > kMaxExactWhole) return std::nullopt;
    return static_cast<double>(*value);
  };
  const std::optional<double> above = whole(text.substr(0, slash)), below = whole(text.substr(slash + 1));
  if (!above || !below || *below == 0.0) return std::nullopt;
  return *above / *below;
}

std::string round_up_text(double value, int digits) { return round_text(value, digits, true); }

std::string round_down_text(double value, int digits) { return round_text(value, digits, false); }

std::string exact_or_up_text(double value) {
  const std::string exact = fmt::format("{}", value);
  return exact.size() <= 8 ? exact : round_up_text(value, 6);
}

}  // namespace sosia
