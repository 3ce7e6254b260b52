// SPDX-License-Identifier: Apache-2.0
#include "methods/dp_sgd.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sosia {

DpSgd::DpSgd(const PrivateTable& table, Ledger& ledger, ThreadPool& threads, std::size_t parameters,
             const DpSgdOptions& options)
    : table_(table),
      ledger_(ledger),
      threads_(threads),
      options_(options),
      optimizer_(options.optimizer, parameters),
      clip_(options.clip),
      gradient_(parameters) {
  SOSIA_CHECK(options.batch > 0.0 && options.clip > 0.0 && options.quantile >= 0.0 && options.quantile < 1.0,
              "options of DP-SGD out of range");
}

void DpSgd::step(const ExampleLoss& loss, nn::Net& net) {
  const bool adapts = options_.quantile > 0.0;
  const double sign_weight = adapts ? options_.sign * clip_ : 0.0;
  const Release release =
      ledger_.noisy_sum(table_, NetGradients(net, loss, clip_, sign_weight), options_.how, threads_);
  // The size of the sample is private: the expected one stands in for it.
  const std::span<const double> sums = release.values();
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = static_cast<float>(sums[i] / options_.batch);
  optimizer_.step(options_.rate, gradient_, net.parameters(), threads_);
  if (!adapts) return;
  const double share_within = 0.5 + 0.5 * sums[gradient_.size()] / (sign_weight * options_.batch);
  const double excess = std::clamp(share_within, 0.0, 1.0) - options_.quantile;
  clip_ = std::clamp(clip_ * std::exp(-options_.clip_rate * excess), 1e-12, 1e12);
}

}  // namespace sosia
