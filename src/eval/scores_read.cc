// SPDX-License-Identifier: Apache-2.0
// Scores from their JSON. Strict about what is there, silent about keys that it does not know: docs/evaluation.md has
// the grammar, and later versions may add to it.
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/evaluate.h>

#include "base/durable_file.h"
#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;

constexpr std::array kBetter = {Better::smaller, Better::larger, Better::half};
constexpr std::array kGroups = {MetricGroup::distributions, MetricGroup::use, MetricGroup::coverage,
                                MetricGroup::privacy};

[[noreturn]] void refuse(const std::string& problem, const std::string& where) {
  throw Error(ErrorKind::schema, problem, where, "give a file that `sosia evaluate -o` wrote, as it wrote it");
}

const json& at(const json& object, const char* key, const std::string& where) {
  if (!object.is_object()) refuse(fmt::format("an object is expected here, not {}", object.type_name()), where);
  const auto found = object.find(key);
  if (found == object.end()) refuse(fmt::format("key \"{}\" is missing", key), where);
  return *found;
}

std::string clean(const json& value, const std::string& where) {
  if (!value.is_string()) refuse(fmt::format("a text is expected here, not {}", value.type_name()), where);
  check_text(value.get_ref<const std::string&>(), where, true);
  return value.get<std::string>();
}

std::string text_at(const json& object, const char* key, const std::string& where) {
  return clean(at(object, key, where), fmt::format("{}, key \"{}\"", where, key));
}

/// NaN for null.
double number(const json& value, const std::string& where) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_number()) refuse(fmt::format("a number or null is expected here, not {}", value.type_name()), where);
  return value.get<double>();
}

double number_at(const json& object, const char* key, const std::string& where) {
  return number(at(object, key, where), fmt::format("{}, key \"{}\"", where, key));
}

std::uint64_t whole_at(const json& object, const char* key, const std::string& where) {
  const json& value = at(object, key, where);
  if (!value.is_number_unsigned()) refuse(fmt::format("\"{}\" must be a whole number from 0 on", key), where);
  return value.get<std::uint64_t>();
}

/// The one of `all` that has the name at this key.
template <typename Kind, std::size_t count>
Kind kind_at(const json& object, const char* key, const std::array<Kind, count>& all, const std::string& where) {
  const std::string name = text_at(object, key, where);
  std::vector<std::string> names;
  for (const Kind kind : all) {
    if (name == name_of(kind)) return kind;
    names.emplace_back(name_of(kind));
  }
  refuse(fmt::format("\"{}\" is {}, and should be one of: {}", key, shown(name), listed(names)), where);
}

/// What may be absent, but has to be of this type where it is there.
const json& optional_at(const json& object, const char* key, json::value_t type, const std::string& where) {
  static const json none;
  const auto found = object.find(key);
  if (found == object.end()) return none;
  if (found->type() != type) refuse(fmt::format("\"{}\" must not be {}", key, found->type_name()), where);
  return *found;
}

Score score_from(const json& value, const std::string& where) {
  Score score{.synthetic = number_at(value, "synthetic", where),
              .floor = number_at(value, "floor", where),
              .ceiling = number_at(value, "ceiling", where)};
  if (value.contains("real")) score.real = number_at(value, "real", where);
  return score;
}

NamedScore part_from(const json& value, const std::string& where) {
  const json& names = at(value, "of", where);
  if (!names.is_array() || names.empty()) refuse("\"of\" must be a list of texts", where);
  NamedScore part;
  for (const json& name : names) part.of.push_back(clean(name, where));
  part.score = score_from(value, where);
  return part;
}

MetricScores metric_from(const json& value, const std::string& source, std::size_t place) {
  const std::string name = text_at(value, "name", fmt::format("{}, metric {}", source, place));
  const std::string where = fmt::format("{}, metric {}", source, shown(name));
  // Member by member: g++ 12 destroys members twice where an initialiser in braces throws.
  MetricScores scores;
  scores.metric.name = name;
  scores.metric.summary = text_at(value, "says", where);
  scores.metric.group = kind_at(value, "group", kGroups, where);
  scores.metric.better = kind_at(value, "better", kBetter, where);
  scores.score = score_from(value, where);
  for (const auto& item : optional_at(value, "counted", json::value_t::object, where).items()) {
    check_text(item.key(), where, true);
    scores.counted.emplace_back(item.key(), number(item.value(), where));
  }
  for (const json& part : optional_at(value, "parts", json::value_t::array, where)) {
    scores.parts.push_back(part_from(part, fmt::format("{}, part {}", where, scores.parts.size() + 1)));
  }
  return scores;
}

std::int64_t rows_at(const json& rows, const char* key, const std::string& where) {
  const std::uint64_t count = whole_at(rows, key, where);
  if (count > std::uint64_t{1} << 62) refuse(fmt::format("\"{}\" is beyond any table", key), where);
  return static_cast<std::int64_t>(count);
}

}  // namespace

Scores parse_scores(std::string_view text, const std::string& where) {
  const json file = parse_json(text, where);
  if (whole_at(file, "sosia-scores", where) != 1) refuse("the scores are of a version that is not known", where);
  const json& rows = at(file, "rows", where);
  const std::string rows_where = where + ", key \"rows\"";
  Scores scores;
  scores.synthetic_rows = rows_at(rows, "synthetic", rows_where);
  scores.real_rows = rows_at(rows, "real", rows_where);
  scores.holdout_rows = rows_at(rows, "holdout", rows_where);
  scores.seed = whole_at(file, "seed", where);
  if (file.contains("model")) scores.model = text_at(file, "model", where);
  if (file.contains("features")) scores.features = text_at(file, "features", where);
  for (const auto& item : optional_at(file, "left_out", json::value_t::object, where).items()) {
    check_text(item.key(), where, true);
    const std::string why = clean(item.value(), where);
    scores.left_out.push_back({item.key(), why});
  }
  const json& metrics = at(file, "metrics", where);
  if (!metrics.is_array()) refuse("\"metrics\" must be a list", where);
  std::set<std::string> names;
  for (const json& metric : metrics) {
    scores.metrics.push_back(metric_from(metric, where, scores.metrics.size() + 1));
    const std::string& name = scores.metrics.back().metric.name;
    if (!names.insert(name).second) refuse(fmt::format("metric {} is there twice", shown(name)), where);
  }
  return scores;
}

Scores read_scores(const std::filesystem::path& path) { return parse_scores(read_text_file(path), path.string()); }

}  // namespace sosia
