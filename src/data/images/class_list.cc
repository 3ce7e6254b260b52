// SPDX-License-Identifier: Apache-2.0
#include "data/images/class_list.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sosia {

namespace {

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // "07" is a name: only one spelling of a number counts as the number.
  if (error != std::errc() || stop != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

}  // namespace

ClassList::ClassList(const std::vector<std::string>& classes) : names_(classes) {
  const bool are_numbers =
      std::ranges::all_of(classes, [](const std::string& name) { return whole(name).has_value(); });
  for (std::uint32_t code = 0; code < names_.size(); ++code) {
    by_text_.emplace(names_[code], code);
    numbers_.push_back(are_numbers ? whole(names_[code]).value_or(0) : code);
    by_number_.emplace(numbers_.back(), code);
  }
}

std::uint32_t ClassList::of_text(std::string_view label) const {
  const auto found = by_text_.find(label);
  return found == by_text_.end() ? kNoClass : found->second;
}

std::uint32_t ClassList::of_number(std::int64_t label) const {
  const auto found = by_number_.find(label);
  return found == by_number_.end() ? kNoClass : found->second;
}

std::int64_t ClassList::number_of(std::uint32_t code) const { return numbers_.at(code); }

}  // namespace sosia
