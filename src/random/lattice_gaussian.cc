// SPDX-License-Identifier: Apache-2.0
#include "random/lattice_gaussian.h"

#include "base/check.h"
#include "random/karney.h"

namespace sosia {

std::int64_t lattice_gaussian(int bits, SecureRng& rng) {
  SOSIA_CHECK(bits >= 1 && bits <= 40, "lattice noise is drawn with 1 to 40 bits");
  return karney::Karney<32>(bits, rng, 32).draw();
}

void add_lattice_gaussian(std::span<std::int64_t> numbers, int bits, SecureRng& rng) {
  SOSIA_CHECK(bits >= 1 && bits <= 40, "lattice noise is drawn with 1 to 40 bits");
  karney::Karney<32> source(bits, rng, karney::Words::kMost);
  for (std::int64_t& number : numbers) {
    number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(source.draw()));
  }
}

}  // namespace sosia
