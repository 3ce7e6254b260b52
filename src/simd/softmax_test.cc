// SPDX-License-Identifier: Apache-2.0
#include "simd/softmax.h"

#include <cmath>
#include <numeric>

#include <sosia/error.h>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

using Widths = std::vector<std::uint32_t>;

const Widths kShapes[] = {{1}, {2}, {3, 1, 2}, {16}, {17, 15, 16}, {5, 64, 65, 2, 33}, {200, 1, 7}};

class SoftmaxTest : public testing::TestWithParam<Widths> {
 protected:
  static constexpr std::size_t kRows = 9;
  const Widths widths = GetParam();
  const std::size_t cols = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const std::size_t stride = cols + 3;
  const std::vector<float> logits = random_floats(kRows * stride + 1, -20.0F, 20.0F, 1);
  const std::vector<float> grads = random_floats(kRows * stride + 1, -2.0F, 2.0F, 2);
  const MatrixView<const float> x{logits.data() + 1, kRows, cols, stride}, grad{grads.data() + 1, kRows, cols, stride};
  ThreadPool pool{2};
};

TEST_P(SoftmaxTest, ForwardIsTheReference) {
  for_each_target([&] {
    std::vector<float> out(kRows * cols), logs(kRows * cols), expected(cols);
    softmax(x, widths, {out.data(), kRows, cols}, pool);
    log_softmax(x, widths, {logs.data(), kRows, cols}, pool);
    for (std::size_t r = 0; r < kRows; ++r) {
      reference::softmax(x.row(r), widths, expected);
      // A logit's distance to the largest, at most about |log p|, is rounded before the exponential.
      for (std::size_t c = 0; c < cols; ++c) {
        const float relative = 1e-6F + 6e-8F * std::abs(std::log(expected[c]));
        ASSERT_NEAR(out[r * cols + c], expected[c], relative * expected[c]);
      }
      reference::log_softmax(x.row(r), widths, expected);
      // Differences of numbers up to 40 that are known to half a unit of their last place.
      for (std::size_t c = 0; c < cols; ++c) ASSERT_NEAR(logs[r * cols + c], expected[c], 6e-6F);
    }
  });
}

TEST_P(SoftmaxTest, BackwardIsTheReference) {
  std::vector<float> p(kRows * cols), expected(cols);
  for (std::size_t r = 0; r < kRows; ++r) reference::softmax(x.row(r), widths, {p.data() + r * cols, cols});
  for_each_target([&] {
    std::vector<float> out(kRows * cols);
    softmax_backward({p.data(), kRows, cols}, grad, widths, {out.data(), kRows, cols}, pool);
    for (std::size_t r = 0; r < kRows; ++r) {
      reference::softmax_backward({p.data() + r * cols, cols}, grad.row(r), widths, expected);
      for (std::size_t c = 0; c < cols; ++c) ASSERT_NEAR(out[r * cols + c], expected[c], 2e-6F * p[r * cols + c]);
    }
  });
}

TEST_P(SoftmaxTest, MayBeDoneInPlace) {
  std::vector<float> out(kRows * cols), copy(kRows * cols);
  for (std::size_t r = 0; r < kRows; ++r)
    std::ranges::copy(x.row(r), copy.begin() + static_cast<std::ptrdiff_t>(r * cols));
  const MatrixView<float> place(copy.data(), kRows, cols), apart(out.data(), kRows, cols);
  softmax(x, widths, apart, pool);
  softmax(place, widths, place, pool);
  EXPECT_EQ(copy, out);
  softmax_backward(apart, place, widths, place, pool);
  for (const float v : copy) EXPECT_TRUE(std::isfinite(v));
}

INSTANTIATE_TEST_SUITE_P(Shapes, SoftmaxTest, testing::ValuesIn(kShapes));

TEST(Softmax, ExtremeLogitsStayFinite) {
  const Widths widths = {3, 20};
  std::vector<float> x(23, -3e38F), out(23);
  x[1] = 3e38F;
  x[10] = 500.0F;
  ThreadPool pool(1);
  for_each_target([&] {
    softmax({x.data(), 1, 23}, widths, {out.data(), 1, 23}, pool);
    for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(out[i], i == 1 || i == 10 ? 1.0F : 0.0F) << i;
  });
}

TEST(Softmax, RefusesBlocksThatDoNotFit) {
  std::vector<float> x(6);
  const MatrixView<float> view(x.data(), 2, 3);
  ThreadPool pool(1);
  EXPECT_THROW(softmax(view, Widths{2}, view, pool), Error);
  EXPECT_THROW(softmax(view, Widths{3, 0}, view, pool), Error);
}

TEST(Softmax, ThreadsChangeNothing) {
  const Widths widths(100, 7);
  const std::vector<float> x = random_floats(std::size_t{400} * 700, -5.0F, 5.0F, 1);
  std::vector<float> one(x.size()), four(x.size());
  ThreadPool single(1), several(4);
  softmax({x.data(), 400, 700}, widths, {one.data(), 400, 700}, single);
  softmax({x.data(), 400, 700}, widths, {four.data(), 400, 700}, several);
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace sosia::simd
