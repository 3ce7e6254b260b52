// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

inline constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

/// From labels to classes and back, by the schema alone. Files that have numbers for labels mean the class that is
/// spelled so, where all classes are whole numbers, and otherwise the place in the list, from 0.
class ClassList {
 public:
  explicit ClassList(const std::vector<std::string>& classes);

  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::uint32_t code) const { return names_.at(code); }
  /// kNoClass where there is none.
  std::uint32_t of_text(std::string_view label) const;
  std::uint32_t of_number(std::int64_t label) const;
  std::int64_t number_of(std::uint32_t code) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> by_text_;
  std::map<std::int64_t, std::uint32_t> by_number_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace sosia
