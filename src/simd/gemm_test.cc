// SPDX-License-Identifier: Apache-2.0
#include "simd/gemm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sosia/error.h>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

/// A matrix with room around it, at no special alignment.
class TestMatrix {
 public:
  TestMatrix(std::size_t rows, std::size_t cols, std::uint64_t seed)
      : rows_(rows), cols_(cols), numbers_(random_floats(rows * (cols + 2) + 1, -1.0F, 1.0F, seed)) {}
  MatrixView<float> view() { return {numbers_.data() + 1, rows_, cols_, cols_ + 2}; }
  bool operator==(const TestMatrix&) const = default;

 private:
  std::size_t rows_, cols_;
  std::vector<float> numbers_;
};

void expect_near(MatrixView<float> got, MatrixView<float> expected, float tolerance) {
  for (std::size_t r = 0; r < got.rows; ++r) {
    for (std::size_t c = 0; c < got.cols; ++c)
      ASSERT_NEAR(got.row(r)[c], expected.row(r)[c], tolerance) << r << "," << c;
  }
}

struct Shape {
  std::size_t rows, cols, inner;
};
// The last ones are cut again for want of tiles: across, down, and both ways.
const Shape kShapes[] = {{1, 1, 1},      {3, 5, 7},     {17, 33, 64},   {1, 600, 40},  {300, 1, 9},
                         {257, 513, 31}, {64, 40, 900}, {12, 700, 150}, {500, 14, 90}, {100, 200, 80}};

TEST(Gemm, AllFormsAgreeWithTheReference) {
  ThreadPool pool(2);
  for_each_target([&] {
    for (const auto [rows, cols, inner] : kShapes) {
      for (int form = 0; form < 4; ++form) {
        TestMatrix a = form & 1 ? TestMatrix(inner, rows, 1) : TestMatrix(rows, inner, 1);
        TestMatrix b = form & 2 ? TestMatrix(cols, inner, 2) : TestMatrix(inner, cols, 2);
        const Factor left(a.view(), (form & 1) != 0), right(b.view(), (form & 2) != 0);
        TestMatrix c(rows, cols, 3), expected = c;
        gemm(0.5F, left, right, -2.0F, c.view(), pool);
        reference::gemm(0.5F, left, right, -2.0F, expected.view());
        // inner products of numbers below 1, each rounded inner times
        expect_near(c.view(), expected.view(), 1e-7F * static_cast<float>(inner + 10));
      }
    }
  });
}

TEST(Gemm, OldValuesDoNotMatterWhenBetaIsZero) {
  ThreadPool pool(1);
  TestMatrix a(4, 3, 1), b(3, 5, 2), c(4, 5, 3), expected(4, 5, 3);
  for (std::size_t r = 0; r < 4; ++r) std::ranges::fill(c.view().row(r), std::numeric_limits<float>::quiet_NaN());
  gemm(1.0F, a.view(), b.view(), 0.0F, c.view(), pool);
  reference::gemm(1.0F, a.view(), b.view(), 0.0F, expected.view());
  expect_near(c.view(), expected.view(), 1e-6F);
}

TEST(Gemm, NothingToAddUpLeavesTheOldValuesScaled) {
  ThreadPool pool(1);
  std::vector<float> c = {1.0F, 2.0F, 3.0F, 4.0F};
  const MatrixView<float> view(c.data(), 2, 2);
  gemm(1.0F, MatrixView<const float>(nullptr, 2, 0), MatrixView<const float>(nullptr, 0, 2), 0.5F, view, pool);
  EXPECT_EQ(c, (std::vector<float>{0.5F, 1.0F, 1.5F, 2.0F}));
  gram(1.0F, MatrixView<const float>(nullptr, 0, 2), 0.0F, view, pool);
  EXPECT_EQ(c, std::vector<float>(4, 0.0F));
}

TEST(Gemm, ShapesMustFit) {
  ThreadPool pool(1);
  TestMatrix a(4, 3, 1), c(4, 5, 3);
  EXPECT_THROW(gemm(1.0F, a.view(), a.view(), 0.0F, c.view(), pool), Error);
  EXPECT_THROW(gram(1.0F, a.view(), 0.0F, c.view(), pool), Error);
}

TEST(Gemm, ThreadsChangeNoBit) {
  ThreadPool one(1);
  TestMatrix a(700, 300, 1), b(300, 1100, 2), c(700, 1100, 3), g(300, 300, 4);
  TestMatrix c1 = c, g1 = g;
  gemm(1.0F, a.view(), b.view(), 0.0F, c1.view(), one);
  gram(1.0F, a.view(), 0.0F, g1.view(), one);
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    TestMatrix c2 = c, g2 = g;
    gemm(1.0F, a.view(), b.view(), 0.0F, c2.view(), pool);
    gram(1.0F, a.view(), 0.0F, g2.view(), pool);
    EXPECT_TRUE(c1 == c2);
    EXPECT_TRUE(g1 == g2);
  }
}

// What the door asks of a map: the bits of a row's result depend on that row alone, not on its place or its neighbours.
TEST(Gemm, RowsAreIndependentToTheBit) {
  constexpr std::size_t kRows = 300;
  ThreadPool pool(2);
  for_each_target([&] {
    for (const auto& [cols, inner] : {std::pair<std::size_t, std::size_t>{1, 64}, {3, 14}, {100, 257}, {600, 40}}) {
      for (const bool is_transposed : {false, true}) {
        TestMatrix a(kRows, inner, 1), b = is_transposed ? TestMatrix(cols, inner, 2) : TestMatrix(inner, cols, 2);
        TestMatrix all(kRows, cols, 3), some(kRows, cols, 4);
        const Factor right(b.view(), is_transposed);
        gemm(1.0F, a.view(), right, 0.0F, all.view(), pool);
        for (const std::size_t first : {0, 1, 5, 191}) {
          for (const std::size_t count : {1, 2, 5, 11, 12, 13, 100}) {
            const MatrixView<float> rows(a.view().row(first).data(), count, inner, a.view().stride);
            const MatrixView<float> out(some.view().data, count, cols, some.view().stride);
            gemm(1.0F, rows, right, 0.0F, out, pool);
            for (std::size_t r = 0; r < count; ++r) {
              ASSERT_TRUE(std::ranges::equal(out.row(r), all.view().row(first + r))) << first << " " << count;
            }
          }
        }
      }
    }
  });
}

TEST(Gemm, TargetsWithFusedMultiplyAddsAgreeToTheBit) {
  ThreadPool pool(1);
  TestMatrix a(50, 600, 1), b(600, 70, 2), first(50, 70, 3);
  bool is_first = true;
  for_each_target([&] {
    const std::int64_t target = hwy::SupportedTargets();
    if (target != HWY_AVX2 && target != HWY_AVX3 && target != HWY_AVX3_DL && target != HWY_NEON) return;
    TestMatrix c(50, 70, 3);
    gemm(1.0F, a.view(), b.view(), 0.0F, c.view(), pool);
    if (is_first) first = c;
    is_first = false;
    EXPECT_TRUE(c == first);
  });
}

TEST(Gram, IsTheReferenceAndSymmetricToTheBit) {
  ThreadPool pool(2);
  for (const std::size_t cols : {1, 2, 31, 191, 192, 193, 600}) {
    TestMatrix a(90, cols, 1), c(cols, cols, 2);
    gram(1.0F, a.view(), 0.0F, c.view(), pool);
    TestMatrix expected = c;
    // The second time with an old value, which has to be symmetric.
    reference::gram(0.5F, a.view(), 3.0F, expected.view());
    gram(0.5F, a.view(), 3.0F, c.view(), pool);
    expect_near(c.view(), expected.view(), 4e-5F);
    for (std::size_t i = 0; i < cols; ++i) {
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(c.view().row(i)[j], c.view().row(j)[i]);
    }
  }
}

}  // namespace
}  // namespace sosia::simd
