// SPDX-License-Identifier: Apache-2.0
#include "methods/quantile_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// A signal about 0, and the same without a sign: nine rows of ten are below 30, the others anywhere.
TEST(QuantileEdges, EndsOfSignedMagnitudesAreCutByMagnitude) {
  Schema schema{.columns = {{.name = "signal", .type = ColumnType::integer, .min = -2048.0, .max = 2047.0},
                            {.name = "amount", .type = ColumnType::integer, .min = 0.0, .max = 2047.0},
                            {.name = "place", .type = ColumnType::real, .min = -1.0, .max = 1.0}}};
  const std::vector<std::size_t> columns = add_fine_edges(schema);
  const Codec codec(schema, {.few = 0});
  const Schema fine = schema;
  const auto bin_of = [&](std::size_t column, double x) {
    const std::vector<double>& edges = fine.columns[column].edges;
    return static_cast<float>(std::upper_bound(edges.begin(), edges.end(), x) - edges.begin());
  };
  PublicRng rng(3);
  std::vector<float> rows;
  for (int i = 0; i < 20000; ++i) {
    const double size = (rng.uniform() < 0.9 ? 30.0 : 2047.0) * rng.uniform();
    rows.insert(rows.end(),
                {bin_of(0, rng.uniform() < 0.5 ? -size : size), bin_of(1, size), bin_of(2, 2.0 * rng.uniform() - 1.0)});
  }
  Ledger ledger = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-6}, 1);
  ThreadPool threads(1);
  release_quantiles(PrivateTable(rows_in_memory(rows, 3)), codec, columns, 8.0, 8, ledger, threads, schema);
  const auto beyond = [](const std::vector<double>& edges, double size) {
    return std::count_if(edges.begin(), edges.end(), [&](double edge) { return std::abs(edge) > size; });
  };
  // An eighth of the rows is from about 30 on; two fine bins are a factor of 1.6, so 30 to 2,047 are nine of them.
  const std::vector<double>& signal = schema.columns[0].edges;
  EXPECT_TRUE(std::is_sorted(signal.begin(), signal.end()));
  EXPECT_EQ(std::adjacent_find(signal.begin(), signal.end()), signal.end());
  EXPECT_GE(beyond(signal, 50.0), 2 * 6);
  EXPECT_LE(signal.size(), 7U + 2 * 9);
  EXPECT_GT(signal.front(), -2048.0);
  EXPECT_LT(signal.back(), 2047.0);
  EXPECT_EQ(beyond(schema.columns[1].edges, 200.0), 0);
  EXPECT_LE(schema.columns[1].edges.size(), 7U);
  EXPECT_LE(schema.columns[2].edges.size(), 7U);
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
