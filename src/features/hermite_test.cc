// SPDX-License-Identifier: Apache-2.0
#include "features/hermite.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_contract.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

std::vector<float> random_rows(std::size_t count, std::size_t inputs, std::uint64_t seed) {
  PublicRng rng(seed);
  std::vector<float> rows(count * inputs);
  for (float& number : rows) number = static_cast<float>(rng.uniform());
  for (std::size_t i = 0; i < 4 * inputs && i < rows.size(); ++i)
    rows[i] = i / inputs % 2 == 0 ? 0.0F : 1.0F;  // corners
  return rows;
}

void expect_contract(const FeatureMap& map) {
  const std::vector<float> rows = random_rows(70, static_cast<std::size_t>(map.inputs()), 5);
  expect_bound(map, rows);
  expect_rows_alone(map, rows);
  expect_sums(map, 4);
  for (const std::uint64_t seed : {1, 2, 3}) expect_gradient(map, seed);
}

/// One number of rows of three.
std::unique_ptr<FeatureMap> single(int column, double length_scale, int order, Centring centring) {
  return hermite_sum({{column, {.length_scale = length_scale, .order = order}}}, 3, centring);
}

std::unique_ptr<FeatureMap> sum_of_three(Centring centring) {
  const HermiteOptions wide = {.length_scale = 0.7, .order = 20}, narrow = {.length_scale = 0.25, .order = 20};
  return hermite_sum({{0, wide}, {2, narrow, 3.0}, {1, wide}, {2, wide}}, 3, centring);
}

TEST(Hermite, SumsKeepTheContract) {
  for (const Centring centring : {Centring::none, Centring::smallest_ball}) {
    expect_contract(*sum_of_three(centring));
    expect_contract(*single(1, 0.4, 1, centring));
    expect_contract(*single(1, 0.3, 40, centring));
  }
}

std::unique_ptr<FeatureMap> product_of(int count, Centring centring) {
  std::vector<std::unique_ptr<FeatureMap>> factors;
  for (int i = 0; i < count; ++i) factors.push_back(single(i % 3, 0.3 + 0.1 * i, 3 + i, centring));
  return tensor_product(std::move(factors));
}

TEST(Hermite, ProductsKeepTheContract) {
  for (const Centring centring : {Centring::none, Centring::smallest_ball}) {
    for (const int count : {1, 2, 3, 4}) expect_contract(*product_of(count, centring));
  }
}

/// A one-hot block of four, less 1/4: the radius is sqrt(3/4), exactly.
std::unique_ptr<FeatureMap> centred_block() {
  return centred(block_products({4}, {{0}}), std::vector<float>(4, 0.25F), std::sqrt(0.75));
}

/// A block of four and a number behind it.
std::unique_ptr<FeatureMap> block_times_number() {
  std::vector<std::unique_ptr<FeatureMap>> factors;
  std::vector<MapPart> shifted;
  shifted.push_back({centred_block(), 1.0, 0});
  factors.push_back(concat(std::move(shifted), 5));
  factors.push_back(hermite_sum({{4, {.length_scale = 0.4, .order = 6}}}, 5));
  return tensor_product(std::move(factors));
}

TEST(Hermite, CombinationsKeepTheContract) {
  std::vector<MapPart> parts;
  parts.push_back({sum_of_three(Centring::smallest_ball), 0.5});
  parts.push_back({product_of(2, Centring::smallest_ball), 2.0});
  expect_contract(*concat(std::move(parts), 3));
  std::vector<float> blocks, rows;  // one-hot codes alone, and with a number behind each
  PublicRng rng(3);
  for (int i = 0; i < 40; ++i) {
    for (int s = 0; s < 4; ++s) blocks.push_back(s == i % 4 ? 1.0F : 0.0F);
    rows.insert(rows.end(), blocks.end() - 4, blocks.end());
    rows.push_back(static_cast<float>(rng.uniform()));
  }
  const auto block = centred_block(), mixed = block_times_number();
  for (const auto& [map, codes] : {std::pair(block.get(), blocks), std::pair(mixed.get(), rows)}) {
    expect_bound(*map, codes);
    expect_rows_alone(*map, codes);
    expect_sums(*map, 4);
    for (const std::uint64_t seed : {1, 2, 3}) expect_gradient(*map, seed);
  }
  EXPECT_EQ(mixed->dim(), 28);
}

// More rows than are taken at once, and no parts.
TEST(Hermite, BlocksOfRowsDoNotMatter) {
  constexpr std::size_t kMany = 5000;
  const std::vector<float> rows = random_rows(kMany, 3, 6);
  const std::vector<std::uint32_t> zeros(kMany, 0);
  ThreadPool threads(2);
  for (const int count : {1, 2, 3}) {
    const auto map = product_of(count, Centring::smallest_ball);
    const auto dim = static_cast<std::size_t>(map->dim());
    std::vector<float> sum(dim), again(dim), d_sum(dim), gradient(kMany * 3), alone(3);
    map->sum({rows.data(), kMany, 3}, {}, {sum.data(), 1, dim}, threads);
    map->sum({rows.data(), kMany, 3}, zeros, {again.data(), 1, dim}, threads);
    EXPECT_EQ(sum, again);
    const std::vector<float> vectors = vectors_of(*map, rows);
    PublicRng rng(7);
    for (std::size_t j = 0; j < dim; ++j) {
      double expected = 0.0;
      for (std::size_t r = 0; r < kMany; ++r) expected += vectors[r * dim + j];
      EXPECT_NEAR(sum[j], expected, 1e-3);
      d_sum[j] = static_cast<float>(rng.normal());
    }
    const MatrixView<const float> d(d_sum.data(), 1, dim);
    map->backward({rows.data(), kMany, 3}, {}, d, {gradient.data(), kMany, 3}, threads);
    for (const std::size_t r : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, kMany - 1}) {
      map->backward({rows.data() + r * 3, 1, 3}, {}, d, {alone.data(), 1, 3}, threads);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(gradient[r * 3 + j], alone[j], 1e-4) << r;
    }
  }
}

double product(const float* a, const float* b, std::size_t size) {
  double sum = 0.0;
  for (std::size_t k = 0; k < size; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return sum;
}

double kernel(double x, double y, double l) { return std::exp(-std::pow((x - y) / l, 2) / 2.0); }

TEST(Hermite, InnerProductsAreTheKernels) {
  const std::vector<float> rows = random_rows(12, 3, 8);
  const auto sum = sum_of_three(Centring::none);
  std::vector<std::unique_ptr<FeatureMap>> factors;
  factors.push_back(single(0, 0.3, 16, Centring::none));
  factors.push_back(single(1, 0.5, 12, Centring::none));
  factors.push_back(single(2, 0.4, 14, Centring::none));
  const auto tensor = tensor_product(std::move(factors));
  const std::vector<float> sums = vectors_of(*sum, rows), tensors = vectors_of(*tensor, rows);
  const auto dim = static_cast<std::size_t>(sum->dim()), cells = static_cast<std::size_t>(tensor->dim());
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      const auto of = [&](std::size_t c, double l) { return kernel(rows[i * 3 + c], rows[j * 3 + c], l); };
      EXPECT_NEAR(product(&sums[i * dim], &sums[j * dim], dim),
                  (of(0, 0.7) + 3.0 * of(2, 0.25) + of(1, 0.7) + of(2, 0.7)) / 6.0, 1e-6);
      EXPECT_NEAR(product(&tensors[i * cells], &tensors[j * cells], cells), of(0, 0.3) * of(1, 0.5) * of(2, 0.4), 1e-5);
    }
  }
}

TEST(Hermite, BoundsAreMeansAndProducts) {
  const auto radius = [](double l, int order) { return single(0, l, order, Centring::smallest_ball)->norm_bound(); };
  const double wide = radius(0.7, 20), narrow = radius(0.25, 20);
  EXPECT_NEAR(sum_of_three(Centring::smallest_ball)->norm_bound(),
              std::sqrt((3.0 * wide * wide + 3.0 * narrow * narrow) / 6.0), 1e-12);
  EXPECT_NEAR(product_of(2, Centring::smallest_ball)->norm_bound(), radius(0.3, 3) * radius(0.4, 4), 1e-12);
  EXPECT_NEAR(sum_of_three(Centring::none)->norm_bound(), 1.0, 1e-3);
  EXPECT_LT(wide, 0.6);
}

// The mean of the centred product, with the centred means of its factors, is the mean of the product itself: nothing
// is lost by centring.
TEST(Hermite, CentredProductsAndSumsGiveTheProduct) {
  const std::vector<float> rows = random_rows(200, 3, 2);
  const auto plain = product_of(2, Centring::none), inner = product_of(2, Centring::smallest_ball);
  const HermiteBasis first({.length_scale = 0.3, .order = 3}), second({.length_scale = 0.4, .order = 4});
  const auto left = single(0, 0.3, 3, Centring::smallest_ball), right = single(1, 0.4, 4, Centring::smallest_ball);
  const auto mean = [&](const FeatureMap& map) {
    ThreadPool threads(1);
    std::vector<float> sums(static_cast<std::size_t>(map.dim()));
    map.sum({rows.data(), 200, 3}, {}, {sums.data(), 1, sums.size()}, threads);
    for (float& number : sums) number /= 200.0F;
    return sums;
  };
  const std::vector<float> expected = mean(*plain), centred_mean = mean(*inner), m1 = mean(*left), m2 = mean(*right);
  const std::vector<double> c1 = first.smallest_ball().centre, c2 = second.smallest_ball().centre;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      EXPECT_NEAR(centred_mean[a * 5 + b] + c1[a] * m2[b] + m1[a] * c2[b] + c1[a] * c2[b], expected[a * 5 + b], 1e-6);
    }
  }
}

}  // namespace
}  // namespace sosia
