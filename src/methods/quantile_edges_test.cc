// SPDX-License-Identifier: Apache-2.0
#include "methods/quantile_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "methods/method.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using testing::ElementsAre;

Schema two_numbers() {
  return {.columns = {{.name = "x", .type = ColumnType::real, .min = 0.0, .max = 10.0},
                      {.name = "c", .values = {{"a", "b"}}},
                      {.name = "pay", .type = ColumnType::integer, .min = 0.0, .max = 100000.0}}};
}

/// x even below 1, one of a hundred above; pay 0 for nine of ten.
std::vector<float> encoded(const Codec& codec, int count) {
  PublicRng rng(3);
  std::vector<float> rows;
  const auto fields = codec.fields();
  for (int i = 0; i < count; ++i) {
    const double x = rng.uniform() < 0.99 ? rng.uniform() : 10.0 * rng.uniform();
    rows.push_back(static_cast<float>(std::floor(x / 10.0 * 64.0)));
    rows.push_back(0.0F);
    rows.push_back(rng.uniform() < 0.9 ? 0.0F
                                       : static_cast<float>(rng.next_u32() % static_cast<unsigned>(fields[2].ordered)));
  }
  return rows;
}

TEST(QuantileEdges, FineEdgesAreForNumbersThatHaveNone) {
  Schema schema = two_numbers();
  schema.columns.push_back({.name = "y", .type = ColumnType::real, .min = 0.0, .max = 1.0, .edges = {0.25}});
  EXPECT_THAT(add_fine_edges(schema), ElementsAre(0, 2));
  EXPECT_EQ(schema.columns[0].edges.size(), 63U);
  EXPECT_DOUBLE_EQ(schema.columns[0].edges[0], 10.0 / 64.0);
  EXPECT_EQ(schema.columns[2].edges.front(), 1.0);  // by magnitude
  EXPECT_THAT(schema.columns[3].edges, ElementsAre(0.25));
}

TEST(QuantileEdges, AreWhereTheRowsAre) {
  Schema schema = two_numbers();
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  constexpr int kRows = 20000;
  const PrivateTable table(rows_in_memory(encoded(codec, kRows), 3));
  Ledger ledger = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-6}, 1);
  ThreadPool threads(1);
  const PlannedRelease planned = plan_quantiles(codec, columns, 8.0, ledger.promise());
  release_quantiles(table, codec, columns, 8.0, 32, ledger, threads, schema);
  ASSERT_EQ(ledger.events().size(), 1U);
  EXPECT_EQ(std::get<Gaussian>(ledger.events()[0].mechanism).noise, planned.noise);
  EXPECT_DOUBLE_EQ(planned.sigma, 8.0 * std::sqrt(2.0));
  // Of x 31 in 32 quantiles lie below 1; the noise of a cumulated count is far below a 32nd of the rows.
  const auto below_one = std::count_if(schema.columns[0].edges.begin(), schema.columns[0].edges.end(),
                                       [](double edge) { return edge < 1.1; });
  EXPECT_GE(below_one, 28);
  EXPECT_LE(schema.columns[0].edges.size(), 31U);
  EXPECT_EQ(schema.columns[2].edges.front(), 1.0);  // nine of ten are 0
  EXPECT_LE(schema.columns[2].edges.size(), 5U);
}

/// The edges of the first three of so many numbers, all about 0 or small: nine rows of ten are below 30, the others
/// anywhere. Both signs; one sign; both, but no magnitudes, which the others are as well.
std::vector<std::vector<double>> edges_of_small_numbers(int numbers) {
  Schema schema{.columns = {{.name = "signal", .type = ColumnType::integer, .min = -2048.0, .max = 2047.0},
                            {.name = "amount", .type = ColumnType::integer, .min = 0.0, .max = 2047.0}}};
  for (int c = 2; c < numbers; ++c) {
    schema.columns.push_back({.name = std::to_string(c), .type = ColumnType::real, .min = -1.0, .max = 1.0});
  }
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  PublicRng rng(3);
  std::vector<float> rows;
  constexpr int kRows = 1500;
  for (int i = 0; i < kRows; ++i) {
    const double size = (rng.uniform() < 0.9 ? 30.0 : 2047.0) * rng.uniform();
    for (int c = 0; c < numbers; ++c) {
      const double x = c == 0 ? std::copysign(size, rng.uniform() - 0.5) : c == 1 ? size : 2.0 * rng.uniform() - 1.0;
      const std::vector<double>& edges = schema.columns[static_cast<std::size_t>(c)].edges;
      rows.push_back(static_cast<float>(std::upper_bound(edges.begin(), edges.end(), x) - edges.begin()));
    }
  }
  Ledger ledger = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-6}, 1);
  ThreadPool threads(1);
  release_quantiles(PrivateTable(rows_in_memory(rows, schema.columns.size())), codec, columns, 1.0, 8, ledger, threads,
                    schema);
  return {schema.columns[0].edges, schema.columns[1].edges, schema.columns[2].edges};
}

TEST(QuantileEdges, OfManyNumbersEndsOfSignedMagnitudesAreCutByMagnitude) {
  const auto beyond = [](const std::vector<double>& edges, double size) {
    return std::count_if(edges.begin(), edges.end(), [&](double edge) { return std::abs(edge) > size; });
  };
  const auto many = edges_of_small_numbers(kManyNumbers + 1), few = edges_of_small_numbers(kManyNumbers);
  // An eighth of the rows is from about 30 on; two fine bins are a factor of 1.6, so 30 to 2,047 are nine of them.
  EXPECT_TRUE(std::is_sorted(many[0].begin(), many[0].end()));
  EXPECT_EQ(std::adjacent_find(many[0].begin(), many[0].end()), many[0].end());
  EXPECT_GE(beyond(many[0], 50.0), 2 * 6);
  EXPECT_LE(many[0].size(), 7U + 2 * 9);
  EXPECT_GT(many[0].front(), -2048.0);
  EXPECT_LT(many[0].back(), 2047.0);
  EXPECT_LE(many[1].size(), 7U);
  EXPECT_LE(many[2].size(), 7U);
  EXPECT_LE(few[0].size(), 7U);
}

/// The edges of one number of nonnegative size, most of it below 1,000, in a range up to `most`.
std::vector<double> edges_of_amount(double least, double most) {
  Schema schema{.columns = {{.name = "bytes", .type = ColumnType::integer, .min = least, .max = most}}};
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  const std::vector<double>& fine = schema.columns[0].edges;
  PublicRng rng(3);
  std::vector<float> rows;
  for (int i = 0; i < 5000; ++i) {
    const double size = std::floor((rng.uniform() < 0.99 ? 1e3 : 1e5) * rng.uniform());
    const double x = most > 0.0 ? size : -size;
    rows.push_back(static_cast<float>(std::upper_bound(fine.begin(), fine.end(), x) - fine.begin()));
  }
  Ledger ledger = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-6}, 1);
  ThreadPool threads(1);
  release_quantiles(PrivateTable(rows_in_memory(rows, 1)), codec, columns, 1.0, 8, ledger, threads, schema);
  return schema.columns[0].edges;
}

TEST(QuantileEdges, AnEndThatIsMagnitudesAwayIsReachedByMagnitude) {
  // Two fine bins are a factor of two: 1,000 to 2e9 are about 21 of them.
  const std::vector<double> far = edges_of_amount(0.0, 2147483647.0);
  EXPECT_TRUE(std::is_sorted(far.begin(), far.end()));
  EXPECT_EQ(std::adjacent_find(far.begin(), far.end()), far.end());
  EXPECT_NEAR(static_cast<double>(std::count_if(far.begin(), far.end(), [](double e) { return e > 1000.0; })), 21.0,
              2.0);
  EXPECT_LT(far.back(), 2147483647.0);
  EXPECT_LE(std::count_if(far.begin(), far.end(), [](double e) { return e <= 1000.0; }), 7);
  const std::vector<double> negative = edges_of_amount(-2147483647.0, 0.0);
  EXPECT_TRUE(std::is_sorted(negative.begin(), negative.end()));
  EXPECT_NEAR(
      static_cast<double>(std::count_if(negative.begin(), negative.end(), [](double e) { return e < -1000.0; })), 21.0,
      2.0);
  // An end that is no further than rows are is one stretch away.
  EXPECT_LE(edges_of_amount(0.0, 100000.0).size(), 7U);
}

TEST(QuantileEdges, AtomsAreNoBins) {
  Schema schema{
      .columns = {{.name = "pay", .type = ColumnType::integer, .min = 0.0, .max = 99999.0, .atoms = {0, 99999}},
                  {.name = "hours", .type = ColumnType::integer, .min = 1.0, .max = 60.0, .atoms = {1, 40, 60}}}};
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  for (const std::size_t c : columns) {
    EXPECT_EQ(static_cast<std::size_t>(codec.fields()[c].ordered), schema.columns[c].edges.size() + 1);
  }
  EXPECT_GT(plan_quantiles(codec, columns, 8.0, {}).cells, 100);
}

TEST(QuantileEdges, WithoutNumbersNothingIsReleased) {
  Schema schema{.columns = {{.name = "c", .values = {{"a", "b"}}}}};
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  Ledger ledger = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-6}, 1);
  ThreadPool threads(1);
  release_quantiles(PrivateTable(rows_in_memory({0.0F, 1.0F}, 1)), codec, columns, 8.0, 32, ledger, threads, schema);
  EXPECT_TRUE(ledger.events().empty());
  EXPECT_EQ(plan_quantiles(codec, columns, 8.0, ledger.promise()).cells, 0);
}

}  // namespace
}  // namespace sosia
