// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/feature_map.h"
#include "random/public_rng.h"

namespace sosia {

/// Codes by class as a mixture of normals, whose numbers are independent of each other within a component. Without
/// components, codes are standard normals.
struct CodeMixture {
  int components = 0;          ///< of each class
  std::vector<float> weights;  ///< of the components of class 0, of class 1 ...; not negative
  std::vector<float> means;    ///< `latent` for each of them
  std::vector<float> spreads;  ///< their standard deviations, as many

  /// From standard normals, `latent` a row, to codes in [-1, 1], each of its row's class.
  void draw(Parts parts, std::size_t latent, PublicRng& rng, std::span<float> normals) const;
  /// How likely each component of a class is, for a code; they add up to 1.
  void responsibilities(std::size_t part, std::span<const float> code, std::span<double> shares) const;
};

}  // namespace sosia
