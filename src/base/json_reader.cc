// SPDX-License-Identifier: Apache-2.0
#include "base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/number_text.h"

namespace sosia {

namespace {

using nlohmann::json;

/// Line and column of a byte, for errors.
std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

/// Watches a parse for what JSON allows and we do not.
class Watch {
 public:
  explicit Watch(std::string where) : where_(std::move(where)) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxJsonDepth) {
      throw Error(ErrorKind::schema, fmt::format("JSON nested more than {} levels deep", kMaxJsonDepth), where_,
                  "remove the inner levels: none of them has a meaning here");
    }
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second) {
      throw Error(ErrorKind::schema, fmt::format("key {} is given twice", shown(parsed.get<std::string>())), where_,
                  "keep one of the two");
    }
    return true;
  }

 private:
  std::string where_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

json parse_json(std::string_view text, const std::string& where) {
  Watch watch(where);
  try {
    return json::parse(text.begin(), text.end(), std::ref(watch));
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::schema, "this is not valid JSON in UTF-8",
                fmt::format("{}, {}", where, position(text, error.byte)), "correct the text at this place");
  } catch (const json::out_of_range&) {
    throw Error(ErrorKind::schema, "a number is beyond the range of double precision", where,
                "use numbers below 1.7e308");
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  const bool cut = text.size() > kMost;
  const json whole = cut ? std::string(text.substr(0, kMost)) + "..." : std::string(text);
  return whole.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string first_of(const std::vector<std::string>& list) {
  if (list.size() == 1) return list.front();
  return fmt::format("{} and {} other{}", list.front(), list.size() - 1, list.size() == 2 ? "" : "s");
}

bool is_printable(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C0 and DEL; in UTF-8 the C1 controls U+0080..U+009F are C2 80..C2 9F.
    if (byte < 0x20 || byte == 0x7f) return false;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return false;
  }
  return true;
}

bool is_clean_text(std::string_view text) {
  if (!is_printable(text)) return false;
  try {
    (void)json(text).dump();
  } catch (const json::type_error&) {
    return false;
  }
  return true;
}

void check_text(std::string_view text, const std::string& where, bool from_file) {
  if (is_clean_text(text)) return;
  throw Error(from_file ? ErrorKind::schema : ErrorKind::usage,
              fmt::format("the text {} holds control characters or is not UTF-8", shown(text)), where,
              "use printable characters only, on one line");
}

ObjectReader::ObjectReader(const json& value, std::string where, std::string noun, std::vector<std::string> keys)
    : value_(value), where_(std::move(where)), noun_(std::move(noun)), keys_(std::move(keys)) {
  if (!value_.is_object()) {
    throw Error(ErrorKind::schema, fmt::format("{} must be a JSON object, not {}", noun_, value_.type_name()), where_,
                fmt::format("write {{...}} with the keys: {}", listed(keys_)));
  }
  for (const auto& item : value_.items()) {
    if (std::find(keys_.begin(), keys_.end(), item.key()) != keys_.end()) continue;
    throw Error(ErrorKind::schema, fmt::format("unknown key {} in {}", shown(item.key()), noun_), where_,
                fmt::format("valid keys: {}", listed(keys_)));
  }
}

bool ObjectReader::has(const std::string& key) const { return value_.contains(key); }

const json& ObjectReader::at(const std::string& key) const {
  const auto found = value_.find(key);
  if (found != value_.end()) return *found;
  throw Error(ErrorKind::schema, fmt::format("key \"{}\" is missing in {}", key, noun_), where_,
              fmt::format("add \"{}\"; valid keys: {}", key, listed(keys_)));
}

double ObjectReader::number(const std::string& key) const {
  const json& value = at(key);
  if (!value.is_number()) {
    refuse(key, fmt::format("must be a number, not {}", value.type_name()), "write a number without quotes");
  }
  return value.get<double>();
}

double ObjectReader::fraction(const std::string& key) const {
  const json& value = at(key);
  if (value.is_number()) return value.get<double>();
  const auto parsed = value.is_string() ? fraction_from(value.get<std::string>()) : std::nullopt;
  if (!parsed) refuse(key, "must be a number or a fraction", "write a number, or whole numbers as in \"64/32561\"");
  return *parsed;
}

std::int64_t ObjectReader::whole(const std::string& key) const {
  const json& value = at(key);
  // The text of the number decides, so that 1e4 is as good as 10000 and nothing is rounded in silence.
  const auto parsed = value.is_number() ? whole_from(value.dump()) : std::nullopt;
  if (!parsed) refuse(key, "must be a whole number", "write a whole number such as 1 or 10000");
  return *parsed;
}

std::string ObjectReader::text(const std::string& key) const {
  const json& value = at(key);
  if (!value.is_string()) {
    refuse(key, fmt::format("must be a text, not {}", value.type_name()), "write a text in double quotes");
  }
  std::string text = value.get<std::string>();
  check_text(text, fmt::format("{}, key \"{}\"", where_, key), true);
  return text;
}

const json& ObjectReader::array(const std::string& key) const {
  const json& value = at(key);
  if (!value.is_array()) refuse(key, fmt::format("must be a list, not {}", value.type_name()), "write a list: [...]");
  return value;
}

void ObjectReader::refuse(const std::string& key, const std::string& problem, const std::string& fix) const {
  throw Error(ErrorKind::schema, fmt::format("\"{}\" {}", key, problem), fmt::format("{}, key \"{}\"", where_, key),
              fix);
}

}  // namespace sosia
