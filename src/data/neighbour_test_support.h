// SPDX-License-Identifier: Apache-2.0
// Neighbouring CSV files: one line more, less or other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

/// Lines without their ends; what follows the last line end is a line unless it is empty.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

inline std::string text_of_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// How many rows are left of each table once the rows that they have in common at the start and at the end are gone.
struct Difference {
  std::size_t first = 0, second = 0;
};

template <class Row>
Difference difference_of(const std::vector<Row>& first, const std::vector<Row>& second) {
  const std::size_t least = std::min(first.size(), second.size());
  std::size_t start = 0, end = 0;
  while (start < least && first[start] == second[start]) ++start;
  while (start + end < least && first[first.size() - 1 - end] == second[second.size() - 1 - end]) ++end;
  return {first.size() - start - end, second.size() - start - end};
}

}  // namespace sosia
