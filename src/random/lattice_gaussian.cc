// SPDX-License-Identifier: Apache-2.0
#include "random/lattice_gaussian.h"

#include "base/check.h"
#include "random/box_sampler.h"

namespace sosia {

namespace {

// Columns of 1/128 up to 8. One word: 10 digits for a slot, 16 for the column, a sign, and 37 for the place in it.
using Sampler = BoxSampler<NormalBoxes<10, 7, 16>, 37>;

// Words for so many numbers, most likely: one draw in 160 takes another word or two.
std::size_t words_for(std::size_t numbers) { return numbers + numbers / 64 + 8; }

}  // namespace

void add_lattice_gaussian(std::span<std::int64_t> numbers, int bits, SecureRng& rng) {
  SOSIA_CHECK(bits >= 1 && bits <= 40, "lattice noise is drawn with 1 to 40 bits");
  const std::size_t words = words_for(numbers.size()), pieces = (words - 1) / SecureWords::kMost + 1;
  Sampler source(bits, rng, (words - 1) / pieces + 1);
  for (std::int64_t& number : numbers) {
    number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(source.draw()));
  }
}

}  // namespace sosia
