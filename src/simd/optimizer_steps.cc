// SPDX-License-Identifier: Apache-2.0
#include "simd/optimizer_steps.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/optimizer_steps.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/loops_inl.h"
#include "simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

/// old * decay + new * (1 - decay)
template <class D, class V>
HWY_INLINE HWY_ATTR V average(D d, double decay, V old_value, V new_value) {
  const V old_share = hn::Set(d, static_cast<float>(decay)), new_share = hn::Set(d, static_cast<float>(1.0 - decay));
  return hn::Add(hn::Mul(old_share, old_value), hn::Mul(new_share, new_value));
}

void sgd_target(SgdStep step, const float* grad, float* velocity, float* weights, std::size_t n) {
  const auto faster = [step](auto d, auto g, auto v)
                          HWY_ATTR { return hn::Add(hn::Mul(hn::Set(d, step.momentum), v), g); };
  transform(velocity, n, faster, grad, velocity);
  const auto move = [step](auto d, auto v, auto w) HWY_ATTR { return hn::Sub(w, hn::Mul(hn::Set(d, step.rate), v)); };
  transform(weights, n, move, velocity, weights);
}

void rmsprop_target(RmsPropStep step, const float* grad, float* square, float* weights, std::size_t n) {
  const auto smooth = [step](auto d, auto g, auto s) HWY_ATTR { return average(d, step.decay, s, hn::Mul(g, g)); };
  transform(square, n, smooth, grad, square);
  const auto move = [step](auto d, auto g, auto s, auto w) HWY_ATTR {
    const auto size = hn::Add(hn::Sqrt(s), hn::Set(d, step.epsilon));
    return hn::Sub(w, hn::Div(hn::Mul(hn::Set(d, step.rate), g), size));
  };
  transform(weights, n, move, grad, square, weights);
}

void adam_target(AdamStep step, const float* grad, float* mean, float* square, float* weights, std::size_t n) {
  transform(mean, n, [step](auto d, auto g, auto m) HWY_ATTR { return average(d, step.decay1, m, g); }, grad, mean);
  const auto smooth = [step](auto d, auto g, auto s) HWY_ATTR { return average(d, step.decay2, s, hn::Mul(g, g)); };
  transform(square, n, smooth, grad, square);
  const auto move = [step](auto d, auto m, auto s, auto w) HWY_ATTR {
    const auto size = hn::Add(hn::Mul(hn::Set(d, step.scale), hn::Sqrt(s)), hn::Set(d, step.epsilon));
    return hn::Sub(w, hn::Div(hn::Mul(hn::Set(d, step.rate), m), size));
  };
  transform(weights, n, move, mean, square, weights);
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(sgd_target);
HWY_EXPORT(rmsprop_target);
HWY_EXPORT(adam_target);

// Pieces small enough that the second loop of a kernel finds in the cache what the first one wrote.
constexpr std::size_t kCachedPiece = 2048;

void sgd_step(SgdStep step, std::span<const float> grad, std::span<float> velocity, std::span<float> weights,
              ThreadPool& pool) {
  SOSIA_CHECK(grad.size() == weights.size() && velocity.size() == weights.size(), "lengths differ");
  for_ranges(pool, grad.size(), kPieceSize, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += kCachedPiece) {
      const std::size_t n = std::min(kCachedPiece, end - i);
      HWY_DYNAMIC_DISPATCH(sgd_target)(step, &grad[i], &velocity[i], &weights[i], n);
    }
  });
}

void rmsprop_step(RmsPropStep step, std::span<const float> grad, std::span<float> square, std::span<float> weights,
                  ThreadPool& pool) {
  SOSIA_CHECK(grad.size() == weights.size() && square.size() == weights.size(), "lengths differ");
  for_ranges(pool, grad.size(), kPieceSize, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += kCachedPiece) {
      const std::size_t n = std::min(kCachedPiece, end - i);
      HWY_DYNAMIC_DISPATCH(rmsprop_target)(step, &grad[i], &square[i], &weights[i], n);
    }
  });
}

void adam_step(AdamStep step, std::span<const float> grad, std::span<float> mean, std::span<float> square,
               std::span<float> weights, ThreadPool& pool) {
  SOSIA_CHECK(grad.size() == weights.size() && mean.size() == weights.size() && square.size() == weights.size(),
              "lengths differ");
  for_ranges(pool, grad.size(), kPieceSize, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += kCachedPiece) {
      const std::size_t n = std::min(kCachedPiece, end - i);
      HWY_DYNAMIC_DISPATCH(adam_target)(step, &grad[i], &mean[i], &square[i], &weights[i], n);
    }
  });
}

}  // namespace sosia::simd
#endif
