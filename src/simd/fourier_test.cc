// SPDX-License-Identifier: Apache-2.0
#include "simd/fourier.h"

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

constexpr float kScale = 0.3F;
constexpr std::size_t kParts = 3;

/// Rows and frequencies of one size, rows some numbers apart from each other, in parts of different sizes.
struct Case {
  Case(std::size_t row_count, std::size_t input_count, std::size_t frequency_count)
      : stride(input_count + 3),
        inputs(input_count),
        frequencies(frequency_count),
        numbers(random_floats(row_count * stride, -1.0F, 1.0F, 1)),
        w(random_floats(frequency_count * input_count, -3.0F, 3.0F, 2)),
        d_sums(random_floats(kParts * 2 * frequency_count, -1.0F, 1.0F, 3)),
        rows(numbers.data(), row_count, input_count, stride),
        panels(frequency_matrix()) {
    for (std::size_t r = 0; r < row_count; ++r) parts.push_back(r % 7 == 0 ? 2 : r % 3 == 0 ? 0 : 1);
  }
  MatrixView<const float> frequency_matrix() const { return {w.data(), frequencies, inputs}; }
  /// An angle is off by roundings of its products and of its sum.
  double angle_error() const { return 3.0 * 0x1p-23 * static_cast<double>(inputs + 1) * static_cast<double>(inputs); }

  std::vector<float> vectors() const {
    std::vector<float> out(rows.rows * 2 * frequencies, NAN);
    fourier_vectors(panels, kScale, rows, {out.data(), rows.rows, 2 * frequencies});
    return out;
  }
  std::vector<float> sums(int threads, std::span<float> angles = {}) const {
    ThreadPool pool(threads);
    std::vector<float> out(kParts * 2 * frequencies, NAN);
    fourier_sums(panels, kScale, rows, parts, {out.data(), kParts, 2 * frequencies}, angles, pool);
    return out;
  }
  std::vector<float> gradients(int threads, std::span<const float> angles = {}) const {
    ThreadPool pool(threads);
    std::vector<float> out(rows.rows * inputs, NAN);
    fourier_gradients(panels, kScale, rows, parts, {d_sums.data(), kParts, 2 * frequencies}, angles,
                      {out.data(), rows.rows, inputs}, pool);
    return out;
  }

  std::size_t stride, inputs, frequencies;
  std::vector<float> numbers, w, d_sums;
  MatrixView<const float> rows;
  FourierPanels panels;
  std::vector<std::uint32_t> parts;
};

void expect_reference(const Case& c) {
  const std::size_t dim = 2 * c.frequencies;
  const std::vector<float> vectors = c.vectors(), sums = c.sums(1), gradients = c.gradients(1);
  std::vector<double> vector(dim), expected(kParts * dim), d_row(c.inputs);
  const double error = kScale * (c.angle_error() + 3e-7);
  for (std::size_t r = 0; r < c.rows.rows; ++r) {
    reference::fourier_vector(c.frequency_matrix(), kScale, c.rows.row(r), vector);
    for (std::size_t j = 0; j < dim; ++j) {
      ASSERT_NEAR(vectors[r * dim + j], vector[j], error) << "row " << r << ", entry " << j;
      expected[c.parts[r] * dim + j] += vector[j];
    }
    reference::fourier_gradient(c.frequency_matrix(), kScale, c.rows.row(r), {c.d_sums.data() + c.parts[r] * dim, dim},
                                d_row);
    // A slope is a product of numbers below 1 and kScale, an entry the sum of as many as there are frequencies, each
    // times a frequency below 3.
    const double slope_error = 2.0 * error + 0x1p-22;
    for (std::size_t i = 0; i < c.inputs; ++i) {
      ASSERT_NEAR(gradients[r * c.inputs + i], d_row[i], 3.0 * slope_error * static_cast<double>(c.frequencies))
          << "row " << r << ", input " << i;
    }
  }
  const auto count = static_cast<double>(c.rows.rows);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    ASSERT_NEAR(sums[j], expected[j], count * (error + 1e-5 * kScale)) << "entry " << j;
  }
}

TEST(Fourier, AgreesWithTheReference) {
  for_each_target([] {
    for (const std::size_t rows : {1, 12, 61}) {
      for (const std::size_t inputs : {1, 14, 35}) {
        for (const std::size_t frequencies : {1, 31, 32, 33, 150}) {
          SCOPED_TRACE(testing::Message() << rows << " rows, " << inputs << " inputs, " << frequencies);
          expect_reference(Case(rows, inputs, frequencies));
        }
      }
    }
  });
}

// More rows than are added up, packed or written at a time.
TEST(Fourier, AgreesWithTheReferenceForManyRows) { expect_reference(Case(1500, 3, 40)); }

TEST(Fourier, GivesTheSameBitsFromAnyNumberOfThreads) {
  const Case c(300, 40, 200);
  EXPECT_EQ(c.sums(1), c.sums(3));
  EXPECT_EQ(c.gradients(1), c.gradients(3));
}

TEST(Fourier, KeptAnglesChangeNoBit) {
  for_each_target([] {
    for (const std::size_t frequencies : {1, 70, 200}) {
      const Case c(100, 14, frequencies);
      std::vector<float> angles(c.panels.angles(100), NAN);
      EXPECT_EQ(c.sums(2, angles), c.sums(1));
      EXPECT_EQ(c.gradients(2, angles), c.gradients(1));
    }
  });
}

TEST(Fourier, ARowDependsOnItselfAlone) {
  for_each_target([] {
    const Case c(61, 14, 70);
    const std::vector<float> vectors = c.vectors(), gradients = c.gradients(1);
    ThreadPool pool(1);
    for (std::size_t r = 0; r < c.rows.rows; ++r) {
      std::vector<float> vector(140), gradient(14);
      fourier_vectors(c.panels, kScale, {c.rows.row(r).data(), 1, 14}, {vector.data(), 1, 140});
      fourier_gradients(c.panels, kScale, {c.rows.row(r).data(), 1, 14}, {&c.parts[r], 1},
                        {c.d_sums.data(), kParts, 140}, {}, {gradient.data(), 1, 14}, pool);
      ASSERT_TRUE(std::equal(vector.begin(), vector.end(), vectors.data() + r * 140)) << r;
      ASSERT_TRUE(std::equal(gradient.begin(), gradient.end(), gradients.data() + r * 14)) << r;
    }
  });
}

TEST(Fourier, RefusesPartsThatDoNotExist) {
  Case c(5, 2, 3);
  c.parts[4] = kParts;
  EXPECT_THROW(c.sums(1), Error);
  EXPECT_THROW(c.gradients(1), Error);
}

}  // namespace
}  // namespace sosia::simd
