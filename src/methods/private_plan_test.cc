// SPDX-License-Identifier: Apache-2.0
#include "methods/private_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "methods/code_moments.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

/// 3 fields: a number, three states, and a label of two classes, the first of which has three rows of four.
class PrivatePlanTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 800;
  ThreadPool threads{2};
  const std::vector<std::uint32_t> widths = {0, 3, 2};
  const OpenRows labelled{widths, 2}, plain{widths, std::nullopt};
  const Method& method = find_method("dp-cgan");
  const Settings settings{method.info, std::vector<std::pair<std::string, std::string>>()};
  const TrainingWatch watch = [](const TrainingStep&) { return true; };
  Outline outline;

  PrivatePlanTest() {
    outline.widths = widths;
    outline.target = 2;
  }
  static PrivateTable table() {
    PublicRng rng(1);
    std::vector<float> values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const bool is_second = r % 4 == 3;
      values.push_back(static_cast<float>(is_second ? 0.9 : 0.1));
      values.push_back(static_cast<float>(rng.next_u32() % 3));
      values.push_back(is_second ? 1.0F : 0.0F);
    }
    return PrivateTable(rows_in_memory(std::move(values), 3));
  }
  std::vector<std::string> labels(const OpenRows& rows) const {
    std::vector<PlanPart> parts;
    add_row_counts(rows, outline, settings, parts);
    std::vector<std::string> list;
    for (const PlanPart& part : parts) list.push_back(part.how.label);
    return list;
  }
};

TEST_F(PrivatePlanTest, WhatIsPublicIsNotBought) {
  EXPECT_EQ(labels(plain), std::vector<std::string>{kRowsLabel});
  EXPECT_EQ(labels(labelled), std::vector<std::string>{kClassesLabel});
  outline.rows = 900.0;
  EXPECT_TRUE(labels(plain).empty());
  EXPECT_EQ(labels(labelled), std::vector<std::string>{kClassesLabel}) << "classes are not told by the total";
}

// A group's mean is clipped to 0.5: its sum to 4 times that, whoever's rows are in it.
TEST_F(PrivatePlanTest, MicrobatchesAreGroupsOfSoManyRowsOnAverage) {
  const auto part_with = [&](const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::pair<std::string, std::string>> given = {{"rows", "1001"}, {"batch", "100"}, {"clip", "0.5"}};
    given.insert(given.end(), more.begin(), more.end());
    return descent_part("", "steps", 1.0, 7, outline, Settings(method.info, given));
  };
  EXPECT_EQ(part_with({}).how.groups, 0);
  EXPECT_EQ(part_with({}).norm, 0.5);
  const PlanPart part = part_with({{"microbatch", "4"}});
  EXPECT_EQ(part.how.groups, 251);
  EXPECT_EQ(part.how.rate, part_with({}).how.rate);
  EXPECT_EQ(part.norm, 2.0);
  EXPECT_TRUE(std::holds_alternative<GroupedGaussian>(open_plan({part}).plan.events[0].mechanism));
  EXPECT_THROW(part_with({{"microbatch", "4"}, {"clip_quantile", "0.5"}}), Error);
  const Plan plan{Neighbors::add_remove, {{GroupedGaussian{part.how.rate, 2.0}, part.count, "steps"}}};
  const Ledger ledger = Ledger::for_tests({.epsilon = 1e3, .delta = 1e-6, .unit = {"id", 5}}, plan, 1);
  EXPECT_EQ(planned_noise(ledger, "steps"), 2.0);
  EXPECT_EQ(planned_releases({part}, ledger)[0].sigma, 4.0);
}

TEST_F(PrivatePlanTest, CountsTheRowsOfEachClassUnderThePlansNoise) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{5.0}, 1, kClassesLabel}}};
  Ledger ledger = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-5}, plan, 3);
  const RowCounts counts = release_row_counts(table(), labelled, {outline, settings, 1, threads, watch}, ledger);
  // 7 sigmas: a false alarm in 4e11 runs, and the noise is seeded.
  ASSERT_EQ(counts.shares.size(), 2U);
  EXPECT_NEAR(counts.shares[0], 600.0, 35.0);
  EXPECT_NEAR(counts.shares[1], 200.0, 35.0);
  EXPECT_NE(counts.shares[1], 200.0);
  EXPECT_EQ(counts.rows, counts.shares[0] + counts.shares[1]);
  ASSERT_EQ(ledger.events().size(), 1U);
  EXPECT_EQ(ledger.events()[0].label, kClassesLabel);
}

TEST_F(PrivatePlanTest, WhereAllIsPublicNothingIsReleased) {
  outline.rows = 900.0;
  Ledger ledger = Ledger::without_privacy(Neighbors::add_remove, {});
  const RowCounts counts = release_row_counts(table(), plain, {outline, settings, 1, threads, watch}, ledger);
  EXPECT_EQ(counts.rows, 900.0);
  EXPECT_TRUE(ledger.events().empty());
}

TEST_F(PrivatePlanTest, RatesComeFromPublicNumbersAlone) {
  EXPECT_EQ(descent_part("", "steps", 1.0, 10, outline, settings).how.rate, 128.0 / kRowsIfUnknown);
  outline.rows = 256.0;
  EXPECT_EQ(descent_part("", "steps", 1.0, 10, outline, settings).how.rate, 0.5);
  outline.rows = 100.0;
  EXPECT_EQ(descent_part("", "steps", 1.0, 10, outline, settings).how.rate, 1.0);
}

// Without noise, rounds find the two places where the codes of the classes are.
TEST_F(PrivatePlanTest, RoundsFindTheCodesOfEachClass) {
  const DecodedShape shape{0, 1, 0, 2};
  nn::Net encoder(shape.encoder(4, true), 1, threads);
  std::ranges::fill(encoder.parameters(), 0.0F);
  encoder.parameters()[0] = 1.0F;  // the code is tanh of the number
  CodeMixture mixture = first_mixture(labelled, shape, 2, 7);
  Ledger ledger = Ledger::without_privacy(Neighbors::add_remove, {});
  for (int round = 0; round < 3; ++round) {
    improve_mixture(table(), labelled, encoder, {.noise = 1.0}, ledger, threads, mixture);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    if (mixture.weights[k] == 0.0F) continue;
    EXPECT_NEAR(mixture.means[k], std::tanh(k < 2 ? 0.1 : 0.9), 1e-3);
    EXPECT_LE(mixture.spreads[k], 0.03F);
  }
  // No vector was shrunk: all responsibilities have arrived.
  EXPECT_NEAR(mixture.weights[0] + mixture.weights[1], 600.0, 1e-3);
  EXPECT_NEAR(mixture.weights[2] + mixture.weights[3], 200.0, 1e-3);
  std::vector<float> codes(200, 0.5F);
  PublicRng rng(8);
  mixture.draw(std::vector<std::uint32_t>(200, 1), 1, rng, codes);
  for (const float code : codes) EXPECT_NEAR(code, std::tanh(0.9), 0.05);
}

}  // namespace
}  // namespace sosia
