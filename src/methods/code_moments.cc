// SPDX-License-Identifier: Apache-2.0
#include "methods/code_moments.h"

#include <algorithm>
#include <cmath>

#include "privacy/bounded_map.h"

namespace sosia {

namespace {

/// For each component: its responsibility, and by it the code and its squares.
class CodeMoments : public BoundedMap {
 public:
  CodeMoments(const OpenRows& rows, const nn::Net& encoder, const CodeMixture& mixture)
      : rows_(rows), encoder_(encoder), mixture_(mixture) {}

  int dim() const override { return mixture_.components * (1 + 2 * static_cast<int>(encoder_.outputs())); }
  double norm_bound() const override { return kMomentsNorm; }
  int parts() const override { return rows_.parts(); }
  void assign(MatrixView<const float> rows, std::span<std::uint32_t> parts) const override {
    rows_.assign(rows, parts);
  }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    ThreadPool alone(1);  // the door's threads have a stretch of rows each
    std::vector<float> numbers(rows.rows * encoder_.inputs());
    const MatrixView<float> opened(numbers.data(), rows.rows, encoder_.inputs());
    rows_.open(rows, opened);
    nn::Workspace workspace(encoder_, rows.rows);
    const MatrixView<const float> codes = encoder_.evaluate(opened, workspace, alone);
    std::vector<std::uint32_t> parts(rows.rows);
    rows_.assign(rows, parts);
    std::vector<double> shares(static_cast<std::size_t>(mixture_.components));
    const double scale = 1.0 / std::sqrt(static_cast<double>(codes.cols));
    for (std::size_t r = 0; r < rows.rows; ++r) {
      if (parts[r] >= static_cast<std::uint32_t>(rows_.parts())) continue;
      mixture_.responsibilities(parts[r], codes.row(r), shares);
      float* out = vectors.row(r).data();
      for (const double share : shares) {
        *out++ = static_cast<float>(share);
        for (const float z : codes.row(r)) *out++ = static_cast<float>(share * scale * z);
        for (const float z : codes.row(r)) *out++ = static_cast<float>(share * scale * z * z);
      }
    }
  }

 private:
  const OpenRows& rows_;
  const nn::Net& encoder_;
  const CodeMixture& mixture_;
};

std::size_t latent_of(const CodeMixture& mixture) { return mixture.means.size() / mixture.weights.size(); }

}  // namespace

std::int64_t moment_numbers(const OpenRows& rows, const DecodedShape& shape, int components) {
  return static_cast<std::int64_t>(rows.parts()) * components * (1 + 2 * shape.latent);
}

CodeMixture first_mixture(const OpenRows& rows, const DecodedShape& shape, int components, std::uint64_t seed) {
  constexpr float kSpread = 0.5F;
  const auto all = static_cast<std::size_t>(rows.parts()) * static_cast<std::size_t>(components);
  const std::size_t numbers = all * static_cast<std::size_t>(shape.latent);
  CodeMixture mixture{components, std::vector<float>(all, 1.0F / static_cast<float>(components)),
                      std::vector<float>(numbers), std::vector<float>(numbers, kSpread)};
  PublicRng rng(seed);
  for (float& mean : mixture.means) mean = static_cast<float>(rng.uniform() - 0.5);
  return mixture;
}

void improve_mixture(const PrivateTable& table, const OpenRows& rows, const nn::Net& encoder, const NoisySum& how,
                     Ledger& ledger, ThreadPool& threads, CodeMixture& mixture) {
  constexpr double kSeenSigmas = 2.0, kLeastSpread = 0.02;
  const Release release = ledger.noisy_sum(table, CodeMoments(rows, encoder, mixture), how, threads);
  const std::size_t latent = latent_of(mixture);
  const double scale = std::sqrt(static_cast<double>(latent));
  const double seen = std::max(kSeenSigmas * release.sigma(), 0.5);
  for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
    const std::span<const double> sums = release.values().subspan(k * (1 + 2 * latent), 1 + 2 * latent);
    mixture.weights[k] = static_cast<float>(std::max(sums[0], 0.0));
    if (sums[0] < seen) {  // of a component that has hardly a row, moments are noise
      mixture.weights[k] = 0.0F;
      continue;
    }
    for (std::size_t i = 0; i < latent; ++i) {
      const double mean = std::clamp(scale * sums[1 + i] / sums[0], -1.0, 1.0);
      const double square = std::clamp(scale * sums[1 + latent + i] / sums[0], 0.0, 1.0);
      mixture.means[k * latent + i] = static_cast<float>(mean);
      mixture.spreads[k * latent + i] =
          static_cast<float>(std::sqrt(std::max(square - mean * mean, kLeastSpread * kLeastSpread)));
    }
  }
  // A class without any keeps all of its components: there is nothing to tell them apart by.
  const auto count = static_cast<std::size_t>(mixture.components);
  for (std::size_t first = 0; first < mixture.weights.size(); first += count) {
    const std::span<float> of_class = std::span(mixture.weights).subspan(first, count);
    if (std::ranges::all_of(of_class, [](float weight) { return weight == 0.0F; })) std::ranges::fill(of_class, 1.0F);
  }
}

}  // namespace sosia
