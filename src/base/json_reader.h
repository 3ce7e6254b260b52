// SPDX-License-Identifier: Apache-2.0
// Strict reading of JSON: whatever is not expected is a schema error that says where and lists what would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sosia {

/// Parses exactly one JSON value in UTF-8. Refused: anything after it, a key given twice, numbers beyond the range of
/// doubles, nesting deeper than kMaxJsonDepth. `where` names the source in errors.
nlohmann::json parse_json(std::string_view text, const std::string& where);
inline constexpr int kMaxJsonDepth = 16;

/// `text` in quotes, fit to be shown: escaped to ASCII and cut to a modest length.
std::string shown(std::string_view text);

/// "a, b, c", for errors that list what would be right.
std::string listed(const std::vector<std::string>& names);
/// "a and 2 others" of a list that is not empty.
std::string first_of(const std::vector<std::string>& list);

/// Whether a text in UTF-8 has no control characters.
bool is_printable(std::string_view text);
/// Whether the text is UTF-8 without control characters: texts in files are shown on terminals later.
bool is_clean_text(std::string_view text);
/// Throws (a schema error for texts from files, else a usage error) unless the text is clean.
void check_text(std::string_view text, const std::string& where, bool from_file);

/// A JSON object with known keys. Every accessor throws a schema error for a missing key or a value of another type.
class ObjectReader {
 public:
  /// Refuses what is no object and any key that is not in `keys`. `noun` says what the object is, as in "a plan".
  /// Keeps a reference to `value`.
  ObjectReader(const nlohmann::json& value, std::string where, std::string noun, std::vector<std::string> keys);

  bool has(const std::string& key) const;
  const nlohmann::json& at(const std::string& key) const;
  double number(const std::string& key) const;
  /// A number, or an exact fraction as text: "64/32561".
  double fraction(const std::string& key) const;
  std::int64_t whole(const std::string& key) const;
  std::string text(const std::string& key) const;
  const nlohmann::json& array(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& problem, const std::string& fix) const;
  const std::string& where() const { return where_; }

 private:
  const nlohmann::json& value_;
  std::string where_, noun_;
  std::vector<std::string> keys_;
};

}  // namespace sosia
