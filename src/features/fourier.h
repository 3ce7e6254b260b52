// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "features/feature_map.h"

namespace sosia {

struct FourierOptions {
  int frequencies = 1000;  ///< half the length of a vector
  /// Shared evenly, frequency by frequency: each multiplies all length scales, and the kernel is the mean of the
  /// kernels of all. A public grid of them needs no look at the data.
  std::vector<double> bandwidths = {1.0};
  /// Frequencies in blocks that are orthogonal before they are scaled: the same kernel on average, less error (Yu et
  /// al. 2016).
  bool orthogonal = false;
  std::uint64_t seed = 1;  ///< public
};

/// Random Fourier features (Rahimi and Recht 2007) of the Gaussian kernel exp(-|x - y|^2 / 2), where column i of x and
/// y is divided by length_scales[i] > 0 (infinite: the column is not seen): vectors sqrt(1 / frequencies) (cos w x,
/// sin w x) over normal w, whose inner products are the kernel up to about sqrt(1 / frequencies). The norm is 1, since
/// cos^2 + sin^2 = 1 at every frequency; all entries are made smaller by 2^-20 of themselves, which is more than every
/// rounding, so that no vector exceeds it. Angles w x are meant to stay below 1e5. The frequencies are a function of
/// seed and sizes alone.
std::unique_ptr<FeatureMap> fourier(const std::vector<double>& length_scales, const FourierOptions& options = {});

}  // namespace sosia
