// SPDX-License-Identifier: Apache-2.0
// Metrics that train models, on rows for which the best possible model is known: normal numbers of two means.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "eval/metric.h"

namespace sosia::eval {
namespace {

constexpr double kShift = 1.0;

double normal_number(PublicRng& rng) {
  constexpr std::size_t kFine = std::size_t{1} << 30;
  const double u = (static_cast<double>(draw_below(kFine, rng)) + 0.5) / kFine;
  const double v = static_cast<double>(draw_below(kFine, rng)) / kFine;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

/// One number; with `labels`, two values of a category before it, and the number's mean goes by them.
Rows normal_rows(std::size_t count, double mean, bool labels, std::uint64_t seed) {
  PublicRng rng(seed);
  Rows rows{count, {}, {}};
  std::vector<std::uint32_t> label(count);
  std::vector<double> number(count);
  for (std::size_t i = 0; i < count; ++i) {
    label[i] = labels ? static_cast<std::uint32_t>(i % 2) : 0;
    number[i] = mean + kShift * label[i] + normal_number(rng);
  }
  rows.codes = {label, std::vector<std::uint32_t>(count, 0)};
  rows.numbers = {{}, number};
  return rows;
}

Outline outline_with(std::uint32_t values) {
  ColumnOutline label{.name = "label", .type = ColumnType::categorical, .states = values, .values = values};
  for (std::uint32_t s = 0; s < values; ++s) label.labels.push_back(std::to_string(s));
  return {label, {.name = "number", .type = ColumnType::real, .range = 20.0}};
}

/// The chance that a number of the larger mean exceeds one of the smaller: no model has a larger area.
double best_area() { return 0.5 * std::erfc(-kShift / 2.0); }

/// The mean of (c - 1/2)^2 over both kinds of rows, for the true chance c = 1 / (1 + exp(-shift (x - shift / 2))).
double best_pmse() {
  constexpr double kStep = 1e-3;
  double sum = 0.0;
  for (double x = -10.0; x < 10.0; x += kStep) {
    const double density = (std::exp(-x * x / 2.0) + std::exp(-(x - kShift) * (x - kShift) / 2.0)) /
                           (2.0 * std::sqrt(2.0 * std::numbers::pi));
    const double chance = 1.0 / (1.0 + std::exp(-kShift * (x - kShift / 2.0)));
    sum += kStep * density * (chance - 0.5) * (chance - 0.5);
  }
  return sum;
}

// An area from n rows of each kind has a standard deviation of about sqrt(0.12 / n): 0.0035 for 10,000. Five and a half
// of these are exceeded with a chance of 4e-8; a net that has seen as many rows lacks less than 0.001 of the best.
TEST(KnownAnswers, PropensityOfTwoMeans) {
  const Rows real = normal_rows(10000, 0.0, false, 1), made = normal_rows(10000, kShift, false, 2);
  ThreadPool pool(2);
  const Outline outline = outline_with(1);
  const Finding found =
      find_metrics({"propensity"}).front()->measure({outline, real, made, nullptr, std::nullopt, 1, pool});
  EXPECT_NEAR(found.value, best_area(), 0.02);
  ASSERT_EQ(found.parts.size(), 1U);
  EXPECT_NEAR(found.parts[0].value, best_pmse(), 0.1 * best_pmse());
}

// Linear models rank rows by the number itself, so they have the holdout's own area, whatever they were trained on.
TEST(KnownAnswers, TransferOfTwoMeans) {
  const Rows real = normal_rows(3000, 0.0, true, 1), made = normal_rows(3000, 0.3, true, 2);
  const Rows holdout = normal_rows(3000, 0.0, true, 3);
  double above = 0.0;
  for (std::size_t i = 1; i < holdout.count; i += 2) {
    for (std::size_t j = 0; j < holdout.count; j += 2) above += holdout.numbers[1][i] > holdout.numbers[1][j];
  }
  const double area = above / (0.25 * static_cast<double>(holdout.count) * static_cast<double>(holdout.count));
  ThreadPool pool(2);
  const Outline outline = outline_with(2);
  const Finding found = find_metrics({"transfer"}).front()->measure({outline, real, made, &holdout, 0, 1, pool});
  int seen = 0;
  for (const Part& part : found.parts) {
    for (const char* name : {"logistic regression", "linear svm", "linear discriminant"}) {
      if (part.of.front() != name || part.of.back() != "area under roc") continue;
      EXPECT_NEAR(part.value, area, 1e-6) << name;  // two numbers may be one as floats
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace sosia::eval
