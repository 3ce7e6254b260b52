// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sosia::cli {

namespace {

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<std::size_t> widths(cells.front().size(), 0);
  std::vector<bool> right(widths.size(), false);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    right[c] = cells.front()[c].starts_with('>');
    if (right[c]) cells.front()[c].erase(0, 1);
    for (const auto& row : cells) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string out;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string space(widths[c] - width_of(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? space + row[c] : row[c] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string score_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : "infinite";
  const double size = std::abs(value);
  if (size >= 100.0) return fmt::format("{:.1f}", value);
  return size >= 0.001 || value == 0.0 ? fmt::format("{:.4f}", value) : fmt::format("{:.1e}", value);
}

}  // namespace sosia::cli
