// SPDX-License-Identifier: Apache-2.0
#include "generate/code_mixture.h"

#include <algorithm>
#include <cmath>

#include "generate/conditioned_rows.h"

namespace sosia {

void CodeMixture::draw(Parts parts, std::size_t latent, PublicRng& rng, std::span<float> normals) const {
  if (components == 0) return;
  const auto count = static_cast<std::size_t>(components);
  std::vector<double> ends(weights.size());
  for (std::size_t k = 0; k < ends.size(); ++k)
    ends[k] = static_cast<double>(weights[k]) + (k % count > 0 ? ends[k - 1] : 0.0);
  for (std::size_t r = 0; r < normals.size() / latent; ++r) {
    const std::size_t part = parts.empty() ? 0 : parts[r];
    const std::size_t first = (part * count + drawn_part(std::span(ends).subspan(part * count, count), rng)) * latent;
    for (std::size_t i = 0; i < latent; ++i) {
      float& code = normals[r * latent + i];
      code = std::clamp(means[first + i] + spreads[first + i] * code, -1.0F, 1.0F);
    }
  }
}

void CodeMixture::responsibilities(std::size_t part, std::span<const float> code, std::span<double> shares) const {
  const auto count = static_cast<std::size_t>(components);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t component = part * count + k;
    double log_density = std::log(std::max(static_cast<double>(weights[component]), 1e-30));
    for (std::size_t i = 0; i < code.size(); ++i) {
      const double spread = spreads[component * code.size() + i];
      const double distance =
          (static_cast<double>(code[i]) - static_cast<double>(means[component * code.size() + i])) / spread;
      log_density -= 0.5 * distance * distance + std::log(spread);
    }
    shares[k] = log_density;
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  double total = 0.0;
  for (double& share : shares) total += share = std::exp(share - largest);
  for (double& share : shares) share /= total;
}

}  // namespace sosia
