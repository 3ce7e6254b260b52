// SPDX-License-Identifier: Apache-2.0
#include "simd/reduce.h"

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

TEST(Reduce, KeepsItsErrorAtEveryLengthAndAlignment) {
  for_each_target([] {
    for (const std::size_t length : kLengths) {
      for (const std::size_t offset : {0, 1, 2}) {
        TestArray x(length, offset, -1.0F, 3.0F, length), y(length, offset + 1, -2.0F, 1.0F, length + 1);
        double magnitude = 0.0, product = 0.0;
        for (std::size_t i = 0; i < length; ++i) {
          magnitude += std::abs(x.span()[i]);
          product += std::abs(double{x.span()[i]} * y.span()[i]);
        }
        EXPECT_NEAR(sum(x.span()), reference::sum(x.span()), 5e-6 * magnitude);
        EXPECT_NEAR(dot(x.span(), y.span()), reference::dot(x.span(), y.span()), 5e-6 * product);
        const double squares = reference::dot(x.span(), x.span());
        EXPECT_NEAR(squared_norm(x.span()), squares, 5e-6 * squares);
        if (length > 0) {
          EXPECT_EQ(max(x.span()), *std::ranges::max_element(x.span()));
        }
      }
    }
  });
}

TEST(Reduce, MaximumIsFoundInEveryPlace) {
  for_each_target([] {
    for (const std::size_t length : {1, 3, 4, 17, 40}) {
      for (std::size_t place = 0; place < length; ++place) {
        std::vector<float> x(length, -5.0F);
        x[place] = -4.0F;
        EXPECT_EQ(max(x), -4.0F);
      }
    }
  });
  EXPECT_THROW(max({}), Error);
}

// A float sum of so many equal numbers would stop growing at 2^24.
TEST(Reduce, LongSumsStayExact) {
  const std::vector<float> ones((std::size_t{1} << 24) + 5, 1.0F);
  EXPECT_EQ(sum(ones), static_cast<double>(ones.size()));
}

TEST(Reduce, RowDotsAreTheDotsOfRows) {
  const std::vector<float> x = random_floats(37 * 20, -1.0F, 1.0F, 1), y = random_floats(37 * 25, -1.0F, 1.0F, 2);
  const MatrixView<const float> a(x.data(), 37, 20), b(y.data() + 2, 37, 20, 25);
  std::vector<double> dots(37);
  ThreadPool pool(3);
  row_dots(a, b, dots, pool);
  for (std::size_t r = 0; r < dots.size(); ++r) EXPECT_EQ(dots[r], dot(a.row(r), b.row(r)));
}

}  // namespace
}  // namespace sosia::simd
