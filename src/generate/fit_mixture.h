// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.h"
#include "generate/measurement.h"
#include "generate/product_mixture.h"

namespace sosia {

struct MixtureOptions {
  int components = 1000;
  int steps = 600;    ///< at most
  double rate = 0.1;  ///< of Adam, on logits
  double stop = 1.0;  ///< mean squared residual, in standard deviations of the noise, at which only noise is left
  std::uint64_t seed = 1;
};

/// One step of a fit: its number, and the mean squared residual. Returning false ends the fit with what there is.
using FitProgress = std::function<bool(int step, double residual)>;

/// Fits a mixture to noisy marginals by Adam on the logits of its probabilities, from the product of the single fields'
/// distributions on, until the residual is what noise explains: fitting on would fit the noise. The same result for any
/// number of threads.
ProductMixture fit_mixture(const Measurements& measured, const MixtureOptions& options, ThreadPool& threads,
                           const FitProgress& progress);

/// The distribution of each field's groups, from all measurements of that field alone: counts below 0 are taken as 0.
std::vector<std::vector<double>> single_shares(const Measurements& measured);

}  // namespace sosia
