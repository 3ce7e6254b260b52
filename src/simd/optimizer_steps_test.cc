// SPDX-License-Identifier: Apache-2.0
#include "simd/optimizer_steps.h"

#include <algorithm>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

struct Numbers {
  std::vector<float> grad, first, second, weights;
  explicit Numbers(std::size_t n)
      : grad(random_floats(n, -1.0F, 1.0F, 1)),
        first(random_floats(n, 0.0F, 1.0F, 2)),
        second(random_floats(n, 0.0F, 1.0F, 3)),
        weights(random_floats(n, -2.0F, 2.0F, 4)) {}
  bool operator==(const Numbers&) const = default;
};

// Step and reference over the same numbers, starting at the given offset; they must agree to the bit.
template <class Step, class Plain>
void compare(const Step& step, const Plain& plain) {
  ThreadPool pool(3);
  std::vector<std::size_t> lengths = kLengths;
  lengths.push_back(100'001);  // several pieces
  for_each_target([&] {
    for (const std::size_t n : lengths) {
      Numbers fast(n), slow(n);
      for (const std::size_t offset : {std::size_t{0}, std::min<std::size_t>(n, 3)}) {
        const auto tail = [&](std::vector<float>& v) { return std::span(v).subspan(offset); };
        step(tail(fast.grad), tail(fast.first), tail(fast.second), tail(fast.weights), pool);
        plain(tail(slow.grad), tail(slow.first), tail(slow.second), tail(slow.weights));
        ASSERT_TRUE(fast == slow) << n;
      }
    }
  });
}

using Span = std::span<float>;

TEST(OptimizerSteps, SgdIsTheReferenceToTheBit) {
  const SgdStep how{.rate = 0.03F, .momentum = 0.9F};
  compare([&](Span g, Span v, Span, Span w, ThreadPool& pool) { sgd_step(how, g, v, w, pool); },
          [&](Span g, Span v, Span, Span w) { reference::sgd_step(how, g, v, w); });
}

TEST(OptimizerSteps, RmsPropIsTheReferenceToTheBit) {
  const RmsPropStep how{.rate = 0.03F, .decay = 0.99, .epsilon = 1e-8F};
  compare([&](Span g, Span s, Span, Span w, ThreadPool& pool) { rmsprop_step(how, g, s, w, pool); },
          [&](Span g, Span s, Span, Span w) { reference::rmsprop_step(how, g, s, w); });
}

TEST(OptimizerSteps, AdamIsTheReferenceToTheBit) {
  const AdamStep how{.rate = 0.03F, .decay1 = 0.9, .decay2 = 0.999, .epsilon = 1e-8F, .scale = 3.0F};
  compare([&](Span g, Span m, Span s, Span w, ThreadPool& pool) { adam_step(how, g, m, s, w, pool); },
          [&](Span g, Span m, Span s, Span w) { reference::adam_step(how, g, m, s, w); });
}

}  // namespace
}  // namespace sosia::simd
