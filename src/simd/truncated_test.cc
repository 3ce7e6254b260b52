// SPDX-License-Identifier: Apache-2.0
#include "simd/truncated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

TEST(Truncated, SquaresGiveTheSameBitsOnEveryTarget) {
  for_each_target([] {
    for (const std::size_t length : kLengths) {
      for (const std::size_t offset : {0, 1, 3}) {
        TestArray x(length, offset, -2.0F, 2.0F, length);
        ASSERT_EQ(sum_of_squares(x.span()), reference::sum_of_squares(x.span())) << length;
      }
    }
  });
}

// The door relies on it: nothing finite overflows, nothing that is not finite goes unseen, wherever it stands.
TEST(Truncated, SquaresShowWhatIsNotFinite) {
  for_each_target([] {
    std::vector<float> x(70, std::numeric_limits<float>::max());
    EXPECT_TRUE(std::isfinite(sum_of_squares(x)));
    for (const float odd : {NAN, INFINITY, -INFINITY}) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::vector<float> y(x.size(), 0.5F);
        y[i] = odd;
        ASSERT_FALSE(std::isfinite(sum_of_squares(y))) << i;
      }
    }
  });
}

TEST(Truncated, SumsGiveTheSameBitsOnEveryTarget) {
  for_each_target([] {
    for (const double scale : {0.7, 0x1p30, 0x1p61 * 0.9}) {
      for (const std::size_t length : kLengths) {
        for (const std::size_t offset : {0, 1, 3}) {
          TestArray x(length, offset, -2.0F, 2.0F, length);
          std::vector<std::int64_t> sum(length + 1, -5), expected(length + 1, -5);
          add_truncated(x.span(), scale, {sum.data(), length});
          reference::add_truncated(x.span(), scale, {expected.data(), length});
          ASSERT_EQ(sum, expected) << scale;
          for (float& number : x.span()) number = std::max(number, 0.0F);
          reference::add_truncated(x.span(), scale, {expected.data(), length});
          add_truncated_positive(TestArray(length, offset, -2.0F, 2.0F, length).span(), scale, {sum.data(), length});
          ASSERT_EQ(sum, expected) << scale << ", positive";
        }
      }
    }
  });
}

// Numbers just beside whole ones, on both sides of zero.
TEST(Truncated, CutsTowardZero) {
  std::vector<float> x;
  for (const float whole : {0.0F, 1.0F, 2.0F, 1000.0F, 8388607.0F}) {
    for (const float sign : {-1.0F, 1.0F}) {
      for (const float to : {-1e9F, 1e9F}) x.push_back(std::nextafter(sign * whole, to));
      x.push_back(sign * whole);
    }
  }
  for_each_target([&] {
    std::vector<std::int64_t> sum(x.size());
    add_truncated(x, 1.0, sum);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(sum[i], static_cast<std::int64_t>(std::trunc(x[i]))) << x[i];
  });
}

TEST(Truncated, OuterProductsGiveTheSameBitsOnEveryTarget) {
  constexpr std::size_t kGap = 3;
  for_each_target([] {
    for (const std::size_t inputs : {1, 3, 4, 7, 17}) {
      for (const std::size_t outputs : {1, 2, 5, 8, 9, 35}) {
        for (const std::size_t terms : {1, 2}) {
          for (const std::size_t groups : {0, 1, 5}) {
            const std::size_t rows = groups * terms;
            std::vector<double> left, right;
            for (const float x : random_floats(rows * (inputs + kGap), -2.0F, 2.0F, inputs)) left.push_back(x);
            for (const float x : random_floats(rows * (padded_outer(outputs) + kGap), -1.0F, 1.0F, outputs))
              right.push_back(1e9 * x);  // of 24 and 21 digits: the product has 45
            const MatrixView<const double> l(left.data(), rows, inputs, inputs + kGap);
            const MatrixView<const double> r(right.data(), rows, outputs, padded_outer(outputs) + kGap);
            const std::size_t size = inputs * outputs;
            std::vector<std::int64_t> sum(size + 1, -5), expected(size + 1, -5);
            add_outer_rounded(l, r, terms, {sum.data(), size});
            reference::add_outer_rounded(l, r, terms, {expected.data(), size});
            ASSERT_EQ(sum, expected) << inputs << " " << outputs << " " << terms << " " << groups;
          }
        }
      }
    }
  });
}

// Halves go to the even neighbour, on both sides of zero and for the largest numbers that are allowed.
TEST(Truncated, OuterProductsAreRoundedToTheNearest) {
  const std::vector<double> left = {1.0, -1.0, 0.5, 0x1p26};
  const std::vector<double> right = {0.5, 1.5, -2.5, 0.49, 0x1.000001p24, -0x1.ffffffp23, 0.0, 7.0};
  for_each_target([&] {
    std::vector<std::int64_t> sum(left.size() * right.size());
    add_outer_rounded({left.data(), 1, left.size()}, {right.data(), 1, right.size()}, 1, sum);
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = 0; j < right.size(); ++j) {
        EXPECT_EQ(sum[i * right.size() + j], std::llrint(left[i] * right[j])) << left[i] << " " << right[j];
      }
    }
  });
}

}  // namespace
}  // namespace sosia::simd
