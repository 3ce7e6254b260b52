// SPDX-License-Identifier: Apache-2.0
#include "nn/optimizer.h"

#include <cmath>

#include "base/check.h"
#include "simd/optimizer_steps.h"

namespace sosia::nn {

namespace {

float to_float(double x) { return static_cast<float>(x); }

bool is_share(double x) { return x >= 0.0 && x < 1.0; }

bool is_valid(const Sgd& o) { return is_share(o.momentum); }
bool is_valid(const Adam& o) { return is_share(o.decay1) && is_share(o.decay2) && o.epsilon > 0.0; }
bool is_valid(const RmsProp& o) { return is_share(o.decay) && o.epsilon > 0.0; }

}  // namespace

Optimizer::Optimizer(OptimizerOptions options, std::size_t weights)
    : options_(options), first_(weights), second_(std::holds_alternative<Adam>(options) ? weights : 0) {
  SOSIA_CHECK(std::visit([](const auto& o) { return is_valid(o); }, options), "options of an optimiser out of range");
}

void Optimizer::step(double rate, std::span<const float> gradient, std::span<float> weights, ThreadPool& pool) {
  ++steps_;
  if (const auto* sgd = std::get_if<Sgd>(&options_)) {
    simd::sgd_step({to_float(rate), to_float(sgd->momentum)}, gradient, first_, weights, pool);
  } else if (const auto* rms = std::get_if<RmsProp>(&options_)) {
    simd::rmsprop_step({to_float(rate), rms->decay, to_float(rms->epsilon)}, gradient, first_, weights, pool);
  } else {
    const Adam& adam = std::get<Adam>(options_);
    const auto count = static_cast<double>(steps_);
    const simd::AdamStep how = {
        .rate = to_float(rate / (1.0 - std::pow(adam.decay1, count))),
        .decay1 = adam.decay1,
        .decay2 = adam.decay2,
        .epsilon = to_float(adam.epsilon),
        .scale = to_float(1.0 / std::sqrt(1.0 - std::pow(adam.decay2, count))),
    };
    simd::adam_step(how, gradient, first_, second_, weights, pool);
  }
}

}  // namespace sosia::nn
