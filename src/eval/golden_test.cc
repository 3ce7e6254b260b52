// SPDX-License-Identifier: Apache-2.0
// Every metric against SciPy, scikit-learn or its definition written out (tools/make_golden_scores.py).
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "eval/metric.h"

namespace sosia::eval {
namespace {

using nlohmann::json;

const json& golden() {
  static const json value = json::parse(std::ifstream("tests/golden_scores/scores.json"));
  return value;
}

Outline outline_from(const json& columns) {
  Outline outline;
  for (const json& column : columns) {
    ColumnOutline made{.name = column.at("name"), .type = column_type_from(column.at("type").get<std::string>())};
    made.states = column.at("states");
    made.values = column.value("values", 0U);
    made.may_be_missing = column.value("missing", false);
    made.range = column.value("range", 1.0);
    for (std::uint32_t s = 0; s < made.states; ++s) made.labels.push_back(std::to_string(s));
    outline.push_back(made);
  }
  return outline;
}

Rows rows_from(const json& table) {
  Rows rows;
  rows.codes = table.at("codes").get<std::vector<std::vector<std::uint32_t>>>();
  rows.count = rows.codes.front().size();
  for (const json& column : table.at("numbers")) {
    auto& numbers = rows.numbers.emplace_back();
    for (const json& x : column) {
      numbers.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
    }
  }
  return rows;
}

/// The score, and what else of a finding the golden file has.
std::vector<double> numbers_of(const std::string& name, const Finding& found) {
  std::vector<double> numbers = {found.value};
  if (name == "pca") {
    numbers.insert(numbers.end(), {found.counted.at(2).second, found.counted.at(3).second});
  } else if (name == "minorities") {
    numbers.push_back(found.counted.at(0).second);
  } else if (name == "regression") {
    numbers = {found.parts.at(0).value};  // trees_test.cc has the other
  } else {
    for (const Part& part : found.parts) numbers.push_back(part.value);
  }
  return numbers;
}

class GoldenScores : public testing::TestWithParam<std::string> {};

// Both sides compute in double, but for: distances between rows, which both have in float; kernels and principal
// components and regressions, where ours are products of floats.
TEST_P(GoldenScores, AreThoseOfTheReference) {
  const Outline outline = outline_from(golden().at("columns"));
  const Rows real = rows_from(golden().at("real")), made = rows_from(golden().at("made"));
  const Rows holdout = rows_from(golden().at("holdout"));
  const auto expected = golden().at("scores").at(GetParam()).get<std::vector<double>>();
  const Metric& metric = *find_metrics({GetParam()}).front();
  const double tolerance =
      std::map<std::string, double>{
          {"mmd", 1e-6}, {"pca", 1e-6}, {"regression", 1e-6}, {"prediction", 1e-6}}[GetParam()] +
      1e-12;
  const std::size_t target = metric.info.target == TargetNeed::number ? 1 : 4;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const Finding found = metric.measure({outline, real, made, &holdout, target, golden().at("seed"), pool});
    const std::vector<double> numbers = numbers_of(GetParam(), found);
    ASSERT_GE(numbers.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(numbers[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << i;
    }
  }
}

/// All but those that train a net, whose numbers are nobody else's: known_answers_test.cc.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Metric& metric : all_metrics()) {
    if (metric.info.name != "transfer" && metric.info.name != "propensity") names.push_back(metric.info.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenScores, testing::ValuesIn(all_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sosia::eval
