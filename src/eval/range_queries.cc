// SPDX-License-Identifier: Apache-2.0
// Range queries: how many rows lie between two bounds in each of three columns? A query takes three different columns
// (all, where there are fewer). Numbers and ordinal columns get the values of two random real rows as bounds; other
// columns a set of states, each with chance one half. The score is the mean absolute difference between the shares of
// real and made rows that answer to a query; its part is the largest one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/metrics.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kQueries = 1000, kColumns = 3;

/// What one column of a query asks for.
struct Condition {
  std::size_t column = 0;
  double low = 0.0, high = 0.0;               ///< numbers
  std::vector<unsigned char> is_wanted = {};  ///< other columns: by state
};
using Query = std::vector<Condition>;

/// The value of a random row that has one.
double draw_number(const std::vector<double>& numbers, PublicRng& rng) {
  constexpr int kMostTries = 1000;
  double number = std::numeric_limits<double>::quiet_NaN();  // a bound that nothing is within
  for (int tries = 0; std::isnan(number) && tries < kMostTries; ++tries)
    number = numbers[draw_below(numbers.size(), rng)];
  return number;
}

Condition draw_condition(const Comparison& comparison, std::size_t column, PublicRng& rng) {
  const ColumnOutline& outline = comparison.outline[column];
  Condition condition{.column = column};
  if (outline.is_number()) {
    const double first = draw_number(comparison.real.numbers[column], rng);
    const double second = draw_number(comparison.real.numbers[column], rng);
    condition.low = std::min(first, second);
    condition.high = std::max(first, second);
    return condition;
  }
  condition.is_wanted.resize(outline.states);
  if (outline.type == ColumnType::ordinal) {
    const auto& codes = comparison.real.codes[column];
    const std::uint32_t first = codes[draw_below(codes.size(), rng)], second = codes[draw_below(codes.size(), rng)];
    const auto [low, high] = std::minmax(first, second);
    std::fill(condition.is_wanted.begin() + low, condition.is_wanted.begin() + high + 1, 1);
  } else {
    for (unsigned char& wanted : condition.is_wanted) wanted = rng.uniform() < 0.5 ? 1 : 0;
  }
  return condition;
}

std::vector<Query> draw_queries(const Comparison& comparison) {
  PublicRng rng = rng_of(comparison.seed, Stream::queries);
  std::vector<Query> queries(kQueries);
  for (Query& query : queries) {
    for (const std::size_t column : draw_rows(comparison.outline.size(), kColumns, rng)) {
      query.push_back(draw_condition(comparison, column, rng));
    }
  }
  return queries;
}

double share_of(const Rows& rows, const Query& query) {
  std::vector<unsigned char> answers(rows.count, 1);
  for (const Condition& condition : query) {
    if (condition.is_wanted.empty()) {
      const double* numbers = rows.numbers[condition.column].data();
      for (std::size_t i = 0; i < rows.count; ++i) {
        answers[i] &= static_cast<unsigned char>((numbers[i] >= condition.low) & (numbers[i] <= condition.high));
      }
    } else {
      const std::uint32_t* codes = rows.codes[condition.column].data();
      for (std::size_t i = 0; i < rows.count; ++i) answers[i] &= condition.is_wanted[codes[i]];
    }
  }
  std::size_t count = 0;
  for (const unsigned char answer : answers) count += answer;
  return static_cast<double>(count) / static_cast<double>(rows.count);
}

Finding measure(const Comparison& comparison) {
  const std::vector<Query> queries = draw_queries(comparison);
  std::vector<double> errors(queries.size());
  comparison.pool.parallel_for(static_cast<std::int64_t>(queries.size()), [&](std::int64_t i) {
    const Query& query = queries[static_cast<std::size_t>(i)];
    errors[static_cast<std::size_t>(i)] = std::abs(share_of(comparison.real, query) - share_of(comparison.made, query));
  });
  Finding found{.value = mean(errors)};
  found.parts = {{{"largest"}, *std::max_element(errors.begin(), errors.end())}};
  found.counted = {{"queries", static_cast<double>(queries.size())}};
  return found;
}

}  // namespace

Metric range_queries_metric() {
  return {{.name = "range_queries", .summary = "share of rows between bounds in 3 columns, mean error of 1000 queries"},
          measure};
}

}  // namespace sosia::eval
