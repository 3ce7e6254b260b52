// SPDX-License-Identifier: Apache-2.0
// Gradients of single examples against an honest backward of each example by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "nn/test_support.h"

namespace sosia::nn {
namespace {

using MakeLayers = std::vector<LayerPtr> (*)();
constexpr MakeLayers kNets[] = {net_without_batch_norm, image_net_without_batch_norm};
/// In names of tests, where a pointer says nothing.
std::string name_of(MakeLayers net) { return net == net_without_batch_norm ? "dense" : "images"; }

class PerExampleTest : public testing::TestWithParam<std::tuple<std::size_t, MakeLayers>> {
 protected:
  static constexpr std::size_t kRows = 24;
  const std::size_t rows_per_example = std::get<0>(GetParam()), examples = kRows / rows_per_example;
  ThreadPool pool{2};
  Net net{std::get<1>(GetParam())(), 1, pool};
  Workspace workspace{net, kRows};
  const std::vector<float> x = normal_floats(kRows * 7, 2), direction = normal_floats(kRows * 6, 3);
  std::vector<std::vector<float>> expected;  // one gradient for each example
  std::vector<double> norms;

  void SetUp() override {
    perturb(net, 4);
    for (std::size_t e = 0; e < examples; ++e) {
      std::vector<float> gradient(net.parameters().size());
      run(e * rows_per_example, rows_per_example);
      net.backward(workspace, gradient, pool);
      double square = 0.0;
      for (const float g : gradient) square += double{g} * g;
      norms.push_back(std::sqrt(square));
      expected.push_back(std::move(gradient));
    }
    run(0, kRows);
    net.backward(workspace, {}, pool);
  }

  void run(std::size_t first, std::size_t rows) {
    net.forward({x.data() + first * 7, rows, 7}, workspace, pool);
    std::copy_n(direction.data() + first * 6, rows * 6, workspace.output_gradient().data);
  }
};

TEST_P(PerExampleTest, NormsAreThoseOfTheGradients) {
  std::vector<double> squares(examples);
  net.squared_norms(workspace, rows_per_example, squares, pool);
  for (std::size_t e = 0; e < examples; ++e) EXPECT_NEAR(std::sqrt(squares[e]), norms[e], 2e-6 * norms[e]);
}

TEST_P(PerExampleTest, GradientsAreThoseOfTheExamples) {
  const std::size_t size = net.parameters().size();
  std::vector<float> gradients(examples * (size + 1), 7.0F);
  net.example_gradients(workspace, rows_per_example, {gradients.data(), examples, size, size + 1}, pool);
  for (std::size_t e = 0; e < examples; ++e) {
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_NEAR(gradients[e * (size + 1) + i], expected[e][i], 2e-6 * norms[e]) << e << " " << i;
    }
    EXPECT_EQ(gradients[e * (size + 1) + size], 7.0F) << "written beyond the row";
  }
}

TEST_P(PerExampleTest, FactorsMultiplyToTheGradients) {
  if (std::get<1>(GetParam()) == image_net_without_batch_norm) {  // whose filters have gradients of another form
    EXPECT_THROW(net.factor_shapes(), Error);
    EXPECT_THROW(net.factors(workspace, pool), Error);
    return;
  }
  const std::vector<FactorShape> shapes = net.factor_shapes();
  const std::vector<FactorPair<const float>> factors = net.factors(workspace, pool);
  ASSERT_EQ(factors.size(), shapes.size());
  for (std::size_t e = 0; e < examples; ++e) {
    std::vector<double> gradient;
    for (std::size_t b = 0; b < shapes.size(); ++b) {
      ASSERT_EQ(factors[b].left.cols, shapes[b].inputs);
      ASSERT_EQ(factors[b].right.cols, shapes[b].outputs);
      for (std::size_t k = 0; k < shapes[b].size(); ++k) {
        const std::size_t i = k / shapes[b].outputs, j = k % shapes[b].outputs;
        double cell = 0.0;
        for (std::size_t r = e * rows_per_example; r < (e + 1) * rows_per_example; ++r) {
          cell += (i < shapes[b].inputs ? double{factors[b].left.row(r)[i]} : 1.0) * factors[b].right.row(r)[j];
        }
        gradient.push_back(cell);
      }
    }
    ASSERT_EQ(gradient.size(), expected[e].size());
    for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_NEAR(gradient[i], expected[e][i], 2e-6 * norms[e]) << i;
  }
}

TEST_P(PerExampleTest, ClippedSumIsTheSumOfClippedGradients) {
  // A bound in the middle: some are clipped, some are not.
  std::vector<double> sorted = norms;
  std::ranges::sort(sorted);
  const double bound = (sorted[examples / 2] + sorted[examples / 2 - 1]) / 2;
  std::vector<double> sum(net.parameters().size());
  for (std::size_t e = 0; e < examples; ++e) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += expected[e][i] * std::min(1.0, bound / norms[e]);
  }
  std::vector<float> clipped(sum.size());
  net.clipped_gradient_sum(workspace, bound, rows_per_example, clipped, pool);
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(clipped[i], sum[i], 1e-5 * bound) << i;
  // The gradients at the layers have been scaled: asking once more would be wrong, and is refused.
  EXPECT_THROW(net.clipped_gradient_sum(workspace, bound, rows_per_example, clipped, pool), Error);
}

TEST_P(PerExampleTest, ALargeBoundClipsNothing) {
  std::vector<float> all(net.parameters().size()), clipped(all.size());
  net.clipped_gradient_sum(workspace, 1e9, rows_per_example, clipped, pool);
  run(0, kRows);
  net.backward(workspace, all, pool);
  EXPECT_EQ(clipped, all);
}

INSTANTIATE_TEST_SUITE_P(RowsPerExample, PerExampleTest,
                         testing::Combine(testing::Values(1, 2, 3), testing::ValuesIn(kNets)), [](const auto& test) {
                           return name_of(std::get<1>(test.param)) + "_" + std::to_string(std::get<0>(test.param));
                         });

// One example alone has the clipped norm exactly, whatever its gradient.
TEST(PerExample, AClippedGradientHasTheNormOfTheBound) {
  ThreadPool pool(1);
  Net net(net_without_batch_norm(), 1, pool);
  Workspace workspace(net, 1);
  const std::vector<float> x = normal_floats(7, 2, 100.0);
  net.forward({x.data(), 1, 7}, workspace, pool);
  std::ranges::copy(normal_floats(6, 3, 1e4), workspace.output_gradient().data);
  net.backward(workspace, {}, pool);
  std::vector<float> clipped(net.parameters().size());
  net.clipped_gradient_sum(workspace, 0.25, 1, clipped, pool);
  double square = 0.0;
  for (const float g : clipped) square += double{g} * g;
  EXPECT_NEAR(std::sqrt(square), 0.25, 1e-6);
}

TEST(PerExample, IsRefusedWithBatchNorm) {
  ThreadPool pool(1);
  Net net(layers(dense(2, 3), residual(layers(batch_norm(3)))), 1, pool);
  Workspace workspace(net, 4);
  const std::vector<float> x = normal_floats(8, 1);
  net.forward({x.data(), 4, 2}, workspace, pool);
  net.backward(workspace, {}, pool);
  std::vector<double> norms(4);
  std::vector<float> gradient(net.parameters().size());
  std::vector<float> gradients(4 * gradient.size());
  EXPECT_THROW(net.squared_norms(workspace, 1, norms, pool), Error);
  EXPECT_THROW(net.clipped_gradient_sum(workspace, 1.0, 1, gradient, pool), Error);
  EXPECT_THROW(net.example_gradients(workspace, 1, {gradients.data(), 4, gradient.size()}, pool), Error);
  EXPECT_THROW(net.factors(workspace, pool), Error);
  EXPECT_THROW(net.factor_shapes(), Error);
}

// The bits of an example's gradient depend on that example alone: what the door asks of a map.
class IndependenceTest : public testing::TestWithParam<MakeLayers> {};
INSTANTIATE_TEST_SUITE_P(Nets, IndependenceTest, testing::ValuesIn(kNets),
                         [](const auto& test) { return name_of(test.param); });
TEST_P(IndependenceTest, GradientsAreIndependentToTheBit) {
  constexpr std::size_t kRows = 50;
  ThreadPool pool(2);
  Net net(GetParam()(), 1, pool);
  const std::size_t size = net.parameters().size();
  Workspace workspace(net, kRows);
  const std::vector<float> x = normal_floats(kRows * 7, 2), direction = normal_floats(kRows * 6, 3);
  const auto gradients_of = [&](std::size_t first, std::size_t rows) {
    net.evaluate({x.data() + first * 7, rows, 7}, workspace, pool);
    std::copy_n(direction.data() + first * 6, rows * 6, workspace.output_gradient().data);
    net.backward(workspace, {}, pool);
    std::vector<float> gradients(rows * size);
    net.example_gradients(workspace, 1, {gradients.data(), rows, size}, pool);
    return gradients;
  };
  const std::vector<float> all = gradients_of(0, kRows);
  for (const std::size_t first : {0, 1, 20, 49}) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, kRows - 1}) {
      if (first + rows > kRows) continue;
      const std::vector<float> some = gradients_of(first, rows);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + static_cast<std::ptrdiff_t>(first * size)));
    }
  }
}

}  // namespace
}  // namespace sosia::nn
