// SPDX-License-Identifier: Apache-2.0
#include "generate/thinning.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace sosia {

namespace {

constexpr std::uint64_t kCodeStream = std::uint64_t{1} << 60;  // of codes, beside those of steps and of samples
constexpr std::size_t kSide = 100, kRows = 20000, kBlock = 2000;

/// Vectors of the centres of all squares, in the order of Thinning, times each of two vectors.
std::vector<std::pair<double, double>> densities(const FeatureMap& map, std::span<const double> one,
                                                 std::span<const double> other) {
  std::vector<std::pair<double, double>> found;
  std::vector<float> centres(2 * kSide), vectors(kSide * one.size());
  const MatrixView<float> views(vectors.data(), kSide, one.size());
  for (std::size_t x = 0; x < kSide; ++x) {
    for (std::size_t y = 0; y < kSide; ++y) {
      centres[2 * y] = (static_cast<float>(x) + 0.5F) / kSide;
      centres[2 * y + 1] = (static_cast<float>(y) + 0.5F) / kSide;
    }
    map.forward({centres.data(), kSide, 2}, views);
    for (std::size_t y = 0; y < kSide; ++y) {
      const std::span<const float> vector = views.row(y);
      found.emplace_back(std::inner_product(one.begin(), one.end(), vector.begin(), 0.0),
                         std::inner_product(other.begin(), other.end(), vector.begin(), 0.0));
    }
  }
  return found;
}

/// The mean vector of rows that the net makes of this part.
std::vector<double> mean_of(const NetGenerator& net, std::uint32_t part, const FeatureMap& map, std::uint64_t seed,
                            ThreadPool& threads) {
  std::vector<double> mean(static_cast<std::size_t>(map.dim()));
  std::vector<float> sum(mean.size());
  const std::vector<std::uint32_t> parts(kBlock, part);
  for (std::uint64_t block = 0; block < kRows / kBlock; ++block) {
    const std::vector<float> rows = net.make_open(seed, kCodeStream + (std::uint64_t{part} << 20) + block, parts);
    map.sum({rows.data(), kBlock, 2}, {}, {sum.data(), 1, sum.size()}, threads);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += static_cast<double>(sum[j]) / kRows;
  }
  return mean;
}

}  // namespace

NetGenerator thinned(NetGenerator net, const EmbeddingTarget& target, const std::vector<double>& counts,
                     std::uint64_t seed, ThreadPool& threads) {
  const FeatureMap& map = *target.map;
  const auto dim = static_cast<std::size_t>(map.dim());
  SOSIA_CHECK(map.inputs() == 2 && target.embedding->sums.size() == counts.size() * dim, "a map of two numbers");
  Thinning thinning{.side = kSide, .kept = {}};
  for (std::uint32_t part = 0; part < counts.size(); ++part) {
    if (!(counts[part] > 0.0)) {
      thinning.kept.insert(thinning.kept.end(), kSide * kSide, 1.0F);
      continue;
    }
    const auto sums = std::span(target.embedding->sums).subspan(part * dim, dim);
    const double noise = 2.0 * std::max(target.embedding->sigma, kLeastSigma) / counts[part];
    for (const auto& [sum, made] : densities(map, sums, mean_of(net, part, map, seed, threads))) {
      thinning.kept.push_back(
          static_cast<float>(std::clamp((sum / counts[part] + noise) / (std::max(made, 0.0) + noise), 0.0, 1.0)));
    }
  }
  return {std::move(net), std::move(thinning)};
}

}  // namespace sosia
