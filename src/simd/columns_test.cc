// SPDX-License-Identifier: Apache-2.0
#include "simd/columns.h"

#include <cmath>
#include <optional>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

struct Result {
  std::vector<float> sums, means, variances, products, combined;
  bool operator==(const Result&) const = default;
};

struct Input {
  std::size_t rows, cols, stride = cols + 1;
  std::vector<float> x_numbers = random_floats(rows * stride + 1, 2.0F, 5.0F, 1);
  std::vector<float> g_numbers = random_floats(rows * stride + 1, -1.0F, 1.0F, 2);
  std::vector<float> center = random_floats(cols, 3.0F, 4.0F, 3), a = random_floats(cols, -1.0F, 1.0F, 4);
  MatrixView<const float> x() const { return {x_numbers.data() + 1, rows, cols, stride}; }
  MatrixView<const float> g() const { return {g_numbers.data() + 1, rows, cols, stride}; }

  Result run(ThreadPool& pool) const {
    Result result;
    for (auto* v : {&result.sums, &result.means, &result.variances, &result.products}) v->resize(cols);
    column_sums(x(), result.sums, pool);
    column_moments(x(), result.means, result.variances, pool);
    column_products(g(), x(), center, result.products, pool);
    result.combined = g_numbers;
    const MatrixView<float> combined(result.combined.data() + 1, rows, cols, stride);
    combine_columns(a, combined, center, x(), a, combined, pool);
    return result;
  }
};

TEST(Columns, AgreeWithTheReferenceAndOverAllTargetsToTheBit) {
  ThreadPool one(1), several(3);
  for (const std::size_t rows : {1, 2, 127, 128, 129, 400}) {
    for (const std::size_t cols : {1, 5, 16, 63, 64, 65, 200}) {
      const Input input{rows, cols};
      std::optional<Result> first;
      for_each_target([&] {
        const Result result = input.run(one);
        EXPECT_TRUE(result == input.run(several)) << "threads change the result";
        if (!first) first = result;
        EXPECT_TRUE(result == *first) << "targets differ";
      });
      std::vector<float> sums(cols), means(cols), variances(cols), products(cols);
      reference::column_sums(input.x(), sums);
      reference::column_moments(input.x(), means, variances);
      reference::column_products(input.g(), input.x(), input.center, products);
      for (std::size_t c = 0; c < cols; ++c) {
        ASSERT_NEAR(first->sums[c], sums[c], 4e-6F * sums[c]);
        ASSERT_NEAR(first->means[c], means[c], 4e-6F * means[c]);
        ASSERT_NEAR(first->variances[c], variances[c], 1e-5F * variances[c] + 1e-10F);
        ASSERT_NEAR(first->products[c], products[c], 4e-6F * static_cast<float>(rows));
        for (std::size_t r = 0; r < rows; ++r) {
          const float expected = input.a[c] * input.g().row(r)[c] + input.center[c] * input.x().row(r)[c] + input.a[c];
          ASSERT_EQ(first->combined[1 + r * input.stride + c], expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sosia::simd
