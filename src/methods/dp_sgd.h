// SPDX-License-Identifier: Apache-2.0
// DP-SGD (Abadi et al. 2016) as a client of the door: training steps whose gradients are noisy sums.
//
// Claim. A step is one release by the door: of a Poisson sample of the rows (of the privacy units), in which each takes
// part with the same public rate, the sum of the gradients by all parameters, each shrunk to a norm of at most `clip`,
// with Gaussian noise of noise * clip. So it is one sampled Gaussian event of this rate and multiplier, whatever the
// parameters before the step, which are a function of earlier releases and public numbers. What follows, dividing by
// the expected size of the sample, the optimiser and adapting the bound, is post-processing. With signs (below) the
// vector of a row is one longer, and the noise grows with its norm: the event stays the same. Neighbours, sensitivity
// and noise: docs/methods/door.md, sections 2 to 6; the method: docs/methods/dp_sgd.md. With groups of rows (NoisySum)
// it is the gradient of a group that is shrunk, and the event is a grouped one.
#pragma once

#include <cstdint>
#include <vector>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "generate/net_gradients.h"
#include "nn/net.h"
#include "nn/optimizer.h"

namespace sosia {

struct DpSgdOptions {
  NoisySum how;         ///< noise, rate and label of a step
  double batch = 0.0;   ///< rows that a sample has on average, by public numbers
  double rate = 0.005;  ///< of the optimiser
  nn::OptimizerOptions optimizer = nn::Adam();
  double clip = 1.0;  ///< the bound on gradients; with a quantile, where it starts
  /// Above 0: the bound follows this quantile of the norms (Andrew et al. 2021), which is learned by `sign` times the
  /// bound for each row. For t = sign, noise on gradients grows by sqrt(1 + t^2).
  double quantile = 0.0, sign = 0.25;
  double clip_rate = 0.2;  ///< how fast: the exponent by which the bound moves if all gradients are on one side
};

/// Trains one net. Keeps the averages of the optimiser and the bound from step to step. The table, the ledger and the
/// threads must outlive it.
class DpSgd {
 public:
  DpSgd(const PrivateTable& table, Ledger& ledger, ThreadPool& threads, std::size_t parameters,
        const DpSgdOptions& options);

  /// One step down. The event is charged before a row is read; a budget error leaves the net as it is.
  void step(const ExampleLoss& loss, nn::Net& net);
  double clip() const { return clip_; }

 private:
  const PrivateTable& table_;
  Ledger& ledger_;
  ThreadPool& threads_;
  DpSgdOptions options_;
  nn::Optimizer optimizer_;
  double clip_;
  std::vector<float> gradient_;
};

}  // namespace sosia
