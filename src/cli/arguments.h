// SPDX-License-Identifier: Apache-2.0
// Values from the command line, read strictly: a wrong one is a usage error that shows a right one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sosia/schema.h>

namespace sosia::cli {

/// An option's text, if it was given.
using Argument = std::optional<std::string>;

/// What stands between commas.
std::vector<std::string> comma_parts(const std::string& text);

/// A finite number above 0, as epsilon and noise.
double positive(const std::string& option, const std::string& text);
/// A number strictly between 0 and 1, as delta.
double delta_value(const std::string& option, const std::string& text);
/// The same, separated by commas.
std::vector<double> delta_values(const std::string& option, const std::string& text);
/// A probability above 0, at most 1; a number or a fraction "64/32561".
double rate_value(const std::string& option, const std::string& text);
/// A whole number, 1 or above.
std::int64_t count_value(const std::string& option, const std::string& text);

/// The same up to a million, for numbers of things that are held in memory.
int small_count(const std::string& option, const std::string& text);

/// One character between the cells of a row, or "tab".
char delimiter_value(const std::string& option, const std::string& text);

/// Kinds of facts, separated by commas.
std::vector<Fact> facts_from(const std::string& text);

/// What NAME=VALUE is called, what it takes in words, and one that would do.
struct AssignmentWords {
  const char* kind;
  const char* wanted;
  const char* example;
};
/// NAME=VALUE, each cut at its first "="; the name is not empty.
std::vector<std::pair<std::string, std::string>> assignments(const std::string& option,
                                                             const std::vector<std::string>& texts,
                                                             const AssignmentWords& words);

/// The text of an option that must be there; `example` is a value to show in the error.
const std::string& required(const std::string& option, const Argument& text, const std::string& example);

/// The name closest to `name` by edit distance, or nothing if none is close.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

}  // namespace sosia::cli
