// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/number_text.h"

namespace sosia::cli {

namespace {

/// What an option takes, in words, and a value that would do.
struct Wanted {
  const char* words;
  const char* example;
};

[[noreturn]] void refuse(const std::string& option, const std::string& text, bool is_number, const Wanted& wanted) {
  const std::string problem = is_number ? "is out of range" : "is not a number";
  throw Error(ErrorKind::usage, fmt::format("the value \"{}\" {}", text, problem), fmt::format("option {}", option),
              fmt::format("pass {}, for example {} {}", wanted.words, option, wanted.example));
}

}  // namespace

std::vector<std::string> comma_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

double positive(const std::string& option, const std::string& text) {
  const std::optional<double> value = number_from(text);
  if (!value || !(*value > 0.0)) refuse(option, text, value.has_value(), {"a number above 0", "1.5"});
  return *value;
}

double delta_value(const std::string& option, const std::string& text) {
  const std::optional<double> value = number_from(text);
  if (!value || !(*value > 0.0 && *value < 1.0)) {
    refuse(option, text, value.has_value(), {"a number between 0 and 1, both excluded", "1e-6"});
  }
  return *value;
}

std::vector<double> delta_values(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : comma_parts(text)) values.push_back(delta_value(option, part));
  return values;
}

double rate_value(const std::string& option, const std::string& text) {
  const std::optional<double> value = fraction_from(text);
  if (!value || !(*value > 0.0 && *value <= 1.0)) {
    refuse(option, text, value.has_value(), {"a probability above 0 and at most 1", "64/32561"});
  }
  return *value;
}

std::int64_t count_value(const std::string& option, const std::string& text) {
  const std::optional<std::int64_t> value = whole_from(text);
  if (!value || *value < 1) {
    refuse(option, text, number_from(text).has_value(), {"a whole number, 1 or above", "1000"});
  }
  return *value;
}

int small_count(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMost = 1000000;
  const std::int64_t value = count_value(option, text);
  if (value > kMost) refuse(option, text, true, {"a whole number up to a million", "100"});
  return static_cast<int>(value);
}

char delimiter_value(const std::string& option, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  const bool fit = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80 && text[0] != '"' && text[0] != '\n';
  if (fit) return text[0];
  throw Error(ErrorKind::usage, fmt::format("\"{}\" cannot stand between the cells of a row", text),
              fmt::format("option {}", option), fmt::format("pass one character or tab, for example {} \";\"", option));
}

std::vector<Fact> facts_from(const std::string& text) {
  std::vector<Fact> facts;
  for (const std::string& name : comma_parts(text)) facts.push_back(fact_from(name));
  return facts;
}

std::vector<std::pair<std::string, std::string>> assignments(const std::string& option,
                                                             const std::vector<std::string>& texts,
                                                             const AssignmentWords& words) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& text : texts) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0) {
      throw Error(ErrorKind::usage, fmt::format("\"{}\" is no {}", text, words.kind), fmt::format("option {}", option),
                  fmt::format("pass {}, for example {} {}", words.wanted, option, words.example));
    }
    list.emplace_back(text.substr(0, equal), text.substr(equal + 1));
  }
  return list;
}

const std::string& required(const std::string& option, const Argument& text, const std::string& example) {
  if (text) return *text;
  throw Error(ErrorKind::usage, fmt::format("option {} is missing", option), "command line",
              fmt::format("add it, for example {} {}", option, example));
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  const std::size_t most = std::max<std::size_t>(2, name.size() / 3);
  std::size_t best = most + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : names) {
    // Levenshtein distance, one row of the table at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t changed = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
      }
    }
    if (row.back() < best) best = row.back(), found = candidate;
  }
  return found;
}

}  // namespace sosia::cli
