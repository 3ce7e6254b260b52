// SPDX-License-Identifier: Apache-2.0
#include "methods/dp_sgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <sosia/error.h>

#include "generate/decoded_generator.h"
#include "generate/example_losses.h"
#include "privacy/group_choice.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

const std::vector<std::uint32_t> kWidths = {0, 3, 2};

class DpSgdTest : public testing::Test {
 protected:
  ThreadPool threads{2};
  const OpenRows rows{kWidths, std::nullopt};
  const std::size_t inputs = static_cast<std::size_t>(rows.inputs());
  std::vector<float> values = random_rows(40);

  static std::vector<float> random_rows(std::size_t count) {
    PublicRng rng(3);
    std::vector<float> made;
    for (std::size_t r = 0; r < count; ++r) {
      made.push_back(static_cast<float>(rng.uniform()));
      made.push_back(static_cast<float>(rng.next_u32() % 3));
      made.push_back(static_cast<float>(rng.next_u32() % 2));
    }
    return made;
  }
  static PrivateTable table(std::vector<float> of) { return PrivateTable(rows_in_memory(std::move(of), 3), 1000); }
  static Ledger no_noise() { return Ledger::without_privacy(Neighbors::add_remove, {}); }

  nn::Net variational() { return {DecodedShape{0, 2, 4, 0}.variational(inputs), 1, threads}; }
  nn::Net net(std::size_t outputs) {
    std::vector<nn::LayerPtr> layers;
    layers.push_back(nn::dense(inputs, 5, {.activation = {simd::ActivationKind::leaky_relu, 0.2F}}));
    layers.push_back(nn::dense(5, outputs));
    return {std::move(layers), 1, threads};
  }
  /// The gradient of each row's loss, of one row at a time and by the plain backward.
  std::vector<std::vector<float>> gradients(const nn::Net& of, const ExampleLoss& loss) {
    const std::size_t n = loss.rows_per_example();
    std::vector<std::vector<float>> list;
    nn::Workspace workspace(of, n);
    for (std::size_t r = 0; r < values.size() / 3; ++r) {
      std::vector<float> batch(n * of.inputs()), gradient(of.parameters().size());
      const MatrixView<float> rows_of_net(batch.data(), n, of.inputs());
      loss.write_examples({values.data() + 3 * r, 1, 3}, rows_of_net);
      const auto output = of.evaluate(rows_of_net, workspace, threads);
      loss.write_slopes(rows_of_net, output, workspace.output_gradient());
      of.backward(workspace, gradient, threads);
      list.push_back(std::move(gradient));
    }
    return list;
  }
  static double norm(const std::vector<float>& gradient) {
    double squares = 0.0;
    for (const float g : gradient) squares += double{g} * g;
    return std::sqrt(squares);
  }
  std::vector<double> sorted_norms(const nn::Net& of, const ExampleLoss& loss) {
    std::vector<double> list;
    for (const auto& gradient : gradients(of, loss)) list.push_back(norm(gradient));
    std::ranges::sort(list);
    return list;
  }

  /// The sum of the gradients of each unit's rows, which follow each other.
  static std::vector<std::vector<float>> unit_gradients(const std::vector<std::vector<float>>& of_rows,
                                                        std::size_t rows_of_unit) {
    std::vector<std::vector<float>> list;
    for (std::size_t r = 0; r < of_rows.size(); ++r) {
      if (r % rows_of_unit == 0) list.emplace_back(of_rows[r].size());
      for (std::size_t i = 0; i < of_rows[r].size(); ++i) list.back()[i] += of_rows[r][i];
    }
    return list;
  }

  /// With more rows a unit, by groups: so many that each unit has its own, but for a chance below 45 / 2^31.
  void expect_clipped_step(nn::Net trained, const ExampleLoss& loss, std::size_t rows_of_unit = 1) {
    const std::vector<std::vector<float>> vectors = unit_gradients(gradients(trained, loss), rows_of_unit);
    std::vector<double> norms;
    for (const auto& gradient : vectors) norms.push_back(norm(gradient));
    std::ranges::sort(norms);
    const double clip = norms[norms.size() / 2] * 1.000001;  // half of them are shrunk
    ASSERT_LT(norms.front(), 0.99 * norms.back());
    std::vector<double> expected(trained.parameters().begin(), trained.parameters().end());
    for (const auto& gradient : vectors) {
      const double factor = std::min(1.0, clip / norm(gradient));
      for (std::size_t i = 0; i < gradient.size(); ++i) expected[i] -= 0.5 * factor * gradient[i] / 32.0;
    }
    NoisySum how{.noise = 1.0};
    std::optional<std::vector<std::uint64_t>> units;
    PrivacyUnit unit;
    if (rows_of_unit > 1) {
      how.groups = GroupChoice::kMostGroups;
      unit = {"id", static_cast<std::int64_t>(rows_of_unit)};
      units.emplace();
      for (std::size_t r = 0; r < values.size() / 3; ++r) units->push_back(r / rows_of_unit);
    }
    Ledger ledger = Ledger::without_privacy(Neighbors::add_remove, unit);
    const PrivateTable private_rows(rows_in_memory(values, 3, units), 1000);
    DpSgd descent(private_rows, ledger, threads, trained.parameters().size(),
                  {.how = how, .batch = 32.0, .rate = 0.5, .optimizer = nn::Sgd(), .clip = clip});
    descent.step(loss, trained);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(trained.parameters()[i], expected[i], 2e-6) << i;
  }
};

TEST_F(DpSgdTest, AStepOfAnAutoEncoderIsTheSumOfClippedGradients) {
  expect_clipped_step(net(inputs), ReconstructionLoss(rows));
}

TEST_F(DpSgdTest, AStepOfAVariationalAutoEncoderIsTheSumOfClippedGradients) {
  expect_clipped_step(variational(), VariationalLoss(rows, 2, 5, 17));
}

// The slopes against differences of the loss itself: reconstruction, and divergence from a standard normal.
TEST_F(DpSgdTest, SlopesOfTheVariationalLossAreItsDerivatives) {
  const VariationalLoss loss(rows, 2, 5, 17);
  std::vector<float> batch(inputs + 2), output(inputs + 4), slopes(inputs + 4);
  loss.write_examples({values.data(), 1, 3}, {batch.data(), 1, inputs + 2});
  PublicRng rng(6);
  for (float& x : output) x = static_cast<float>(rng.normal());
  loss.write_slopes({batch.data(), 1, inputs + 2}, {output.data(), 1, inputs + 4}, {slopes.data(), 1, inputs + 4});
  const auto value = [&] {
    double total = std::log1p(std::exp(double{output[0]})) - double{batch[0]} * output[0];
    for (const auto& [first, width] : {std::pair<std::size_t, std::size_t>{1, 3}, {4, 2}}) {
      double sum = 0.0;
      for (std::size_t j = first; j < first + width; ++j) {
        sum += std::exp(double{output[j]});
        total -= double{batch[j]} * output[j];
      }
      total += std::log(sum);
    }
    for (std::size_t i = inputs; i < inputs + 2; ++i) {
      const double m = output[i], s = output[i + 2];
      total += 0.5 * (m * m + std::exp(2.0 * s) - 1.0 - 2.0 * s);
    }
    return total;
  };
  for (std::size_t i = 0; i < output.size(); ++i) {
    const float before = output[i];
    output[i] = before + 0x1p-10F;
    const double above = value();
    output[i] = before - 0x1p-10F;
    const double slope = (above - value()) * 0x1p9;
    output[i] = before;
    EXPECT_NEAR(slopes[i], slope, 1e-4 * (1.0 + std::abs(slope))) << i;
  }
}

TEST_F(DpSgdTest, AStepOfACriticIsTheSumOfClippedGradientsOfPairs) {
  std::vector<float> made(7 * inputs);
  PublicRng rng(4);
  for (float& x : made) x = static_cast<float>(rng.uniform());
  expect_clipped_step(net(1), CriticLoss(rows, {made.data(), 7, inputs}));
  expect_clipped_step(net(1), CriticLoss(rows, {made.data(), 7, inputs}), 4);
}

TEST_F(DpSgdTest, AStepByGroupsIsTheSumOfTheirClippedGradients) {
  expect_clipped_step(net(inputs), ReconstructionLoss(rows), 4);
  expect_clipped_step(variational(), VariationalLoss(rows, 2, 5, 17), 8);
}

TEST_F(DpSgdTest, ABoundThatAdaptsFindsItsQuantile) {
  nn::Net still = net(inputs);
  const ReconstructionLoss loss(rows);
  const std::vector<double> norms = sorted_norms(still, loss);
  Ledger ledger = no_noise();
  const PrivateTable private_rows = table(values);
  const auto count = static_cast<double>(norms.size());
  DpSgd descent(
      private_rows, ledger, threads, still.parameters().size(),
      {.how = {.noise = 1.0}, .batch = count, .rate = 1e-12, .optimizer = nn::Sgd(), .clip = 1e-3, .quantile = 0.7});
  for (int i = 0; i < 400; ++i) descent.step(loss, still);
  const auto within = std::ranges::count_if(norms, [&](double n) { return n <= descent.clip(); });
  EXPECT_NEAR(static_cast<double>(within) / count, 0.7, 0.051);
}

TEST_F(DpSgdTest, AnEmptyTableTakesNoisyStepsUntilThePlanEnds) {
  const NoisySum how{.noise = 2.0, .rate = 0.1, .label = "step"};
  const Plan plan{Neighbors::add_remove, {event_of(how, 2)}};
  Ledger ledger = Ledger::for_tests({.epsilon = 5.0, .delta = 1e-5}, plan, 1);
  const PrivateTable private_rows = table({});
  nn::Net trained = net(inputs);
  DpSgd descent(private_rows, ledger, threads, trained.parameters().size(),
                {.how = how, .batch = 4.0, .rate = 0.1, .optimizer = nn::Sgd(), .clip = 1.0});
  const ReconstructionLoss loss(rows);
  std::vector<float> before(trained.parameters().begin(), trained.parameters().end());
  for (int i = 0; i < 2; ++i) {
    descent.step(loss, trained);
    EXPECT_FALSE(std::ranges::equal(before, trained.parameters()));
    before.assign(trained.parameters().begin(), trained.parameters().end());
  }
  EXPECT_THROW(descent.step(loss, trained), Error);
  EXPECT_TRUE(std::ranges::equal(before, trained.parameters()));
  ASSERT_EQ(ledger.events().size(), 1U);
  EXPECT_EQ(ledger.events()[0].count, 2);
}

// Which made-up row a real one is paired with, and what is drawn for it, is its own affair; so is its class.
TEST_F(DpSgdTest, ExamplesDependOnTheirRowAlone) {
  const OpenRows labelled(kWidths, 2);
  const std::size_t told = static_cast<std::size_t>(labelled.inputs()) + 2;
  std::vector<float> made(5 * inputs);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(i);
  const auto expect_alone = [&](const ExampleLoss& loss, std::size_t width) {
    const std::size_t count = values.size() / 3, n = loss.rows_per_example();
    std::vector<float> all(n * count * width), one(n * width);
    loss.write_examples({values.data(), count, 3}, {all.data(), n * count, width});
    for (std::size_t r = 0; r < count; ++r) {
      loss.write_examples({values.data() + 3 * r, 1, 3}, {one.data(), n, width});
      EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(n * r * width))) << r;
    }
    return all;
  };
  expect_alone(CriticLoss(rows, {made.data(), 5, inputs}), inputs);
  expect_alone(CriticLoss(labelled, {made.data(), 4, told}), told);
  const std::vector<float> classes = expect_alone(ReconstructionLoss(labelled), told);
  for (std::size_t r = 0; r < values.size() / 3; ++r) {
    EXPECT_EQ(classes[r * told + told - 2], values[3 * r + 2] == 0.0F ? 1.0F : 0.0F);
    EXPECT_EQ(classes[r * told + told - 1], values[3 * r + 2] == 1.0F ? 1.0F : 0.0F);
  }
  const std::vector<float> drawn = expect_alone(VariationalLoss(rows, 2, 5, 17), inputs + 2);
  EXPECT_NE(drawn, expect_alone(VariationalLoss(rows, 2, 5, 18), inputs + 2)) << "another step draws others";
}

}  // namespace
}  // namespace sosia
