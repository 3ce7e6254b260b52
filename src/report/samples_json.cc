// SPDX-License-Identifier: Apache-2.0
#include "report/samples_json.h"

#include <string>

#include <nlohmann/json.hpp>

namespace sosia::report {

namespace {

/// RFC 4648.
std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 3; ++b) bits = bits << 8 | (b < count ? bytes[i + b] : 0U);
    for (std::size_t d = 0; d < 4; ++d) text += d <= count ? kDigits[bits >> (18 - 6 * d) & 63] : '=';
  }
  return text;
}

}  // namespace

nlohmann::ordered_json samples_json(const ImageSamples& samples) {
  nlohmann::ordered_json out = {{"width", samples.shape.width},
                                {"height", samples.shape.height},
                                {"channels", samples.shape.channels},
                                {"classes", nlohmann::ordered_json::array()},
                                {"lines", nlohmann::ordered_json::array()}};
  for (const std::vector<std::uint8_t>& line : samples.lines) out["lines"].push_back(base64(line));
  return out;
}

}  // namespace sosia::report
