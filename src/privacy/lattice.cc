// SPDX-License-Identifier: Apache-2.0
#include "privacy/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <sosia/error.h>
#include <sosia/ledger.h>

#include "base/check.h"
#include "base/wide_int.h"

namespace sosia {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 40;
constexpr std::int64_t kMostRowsOfUnit = std::int64_t{1} << 31;
constexpr std::int64_t kMostNorm = std::int64_t{1} << 50;  // integers below are exact as doubles, with room to spare
constexpr std::size_t kMostCells = std::size_t{1} << 31;

void check(bool holds, const std::string& what, const std::string& fix) {
  if (!holds) throw Error(ErrorKind::usage, what, "the grid of a release", fix);
}

void validate(const GridRequest& r) {
  check(std::isfinite(r.noise) && r.noise > 0.0, fmt::format("the noise multiplier is {}", r.noise),
        "give a finite multiplier above 0");
  check(std::isfinite(r.norm_bound) && r.norm_bound > 0.0, fmt::format("the norm bound is {}", r.norm_bound),
        "declare a finite bound above 0 for the norm of a row's vector");
  check(r.norm_bound > 1e-100 && r.norm_bound < 1e100 && r.noise > 1e-100 && r.noise < 1e100,
        "the noise multiplier or the norm bound is out of all proportion", "rescale the map");
  check(r.count_weight >= 0.0 && r.count_weight <= 1000.0 * r.norm_bound,
        fmt::format("the weight of a count is {}", r.count_weight), "give a weight from 0 to 1000 norm bounds");
  check(r.max_rows >= 1 && r.max_rows <= kMostRowsOfUnit, fmt::format("a unit may have {} rows", r.max_rows),
        "allow between 1 and 2^31 rows");
  check(r.row_limit >= 1 && r.row_limit <= kMostRows, fmt::format("the row limit is {}", r.row_limit),
        "give a limit between 1 and 2^40");
}

// What a row adds to the count of its part, in units of the bound on its vector.
double count_ratio(const GridRequest& r) { return r.count_weight / r.norm_bound; }

// See Lattice. Without counts never below the true factor: this double is greater than the square root of 2. With
// counts off by a factor of at most 1 + 4 * 2^-53, from the ratio on.
double geometry(const GridRequest& r) {
  constexpr double kRootTwo = 0x1.6a09e667f3bcdp+0;
  const double ratio = count_ratio(r), row = std::sqrt(1.0 + ratio * ratio);
  if (r.sampled || r.relation != Neighbors::replace) return row;
  if (r.nonnegative) return kRootTwo * row;
  return r.max_rows == 1 && !r.signed_count ? std::max(2.0, kRootTwo * row) : 2.0 * row;
}

// The largest double that is certainly at most 2^bits / (noise * geometry * max_rows). Each of the eight roundings is
// off by a factor of at most 1 + 2^-53 and max_rows is exact, so 1 - 2^-49 outweighs them all.
double norm_limit(const GridRequest& r, int bits) {
  const double ratio = r.noise * geometry(r) * static_cast<double>(r.max_rows);
  return std::ldexp(1.0, bits) / ratio * (1.0 - 0x1p-49);
}

}  // namespace

double Lattice::sigma() const { return std::ldexp(step, bits); }

Lattice make_lattice(const GridRequest& request) {
  validate(request);
  const double sigma = request.noise * request.norm_bound * geometry(request) * static_cast<double>(request.max_rows);
  for (int bits = kMostBits; bits >= kLeastBits; --bits) {
    const double limit = norm_limit(request, bits);
    if (limit > static_cast<double>(kMostNorm)) continue;
    const auto norm = static_cast<std::int64_t>(limit);  // the floor: limit is positive
    const auto count = static_cast<std::int64_t>(static_cast<double>(norm) * count_ratio(request) * (1.0 - 0x1p-49));
    if (u128(std::max(norm, count)) * u128(request.row_limit) >= u128(1) << 62) continue;
    check(norm >= 1, fmt::format("the noise multiplier {} drowns everything", request.noise), "use less noise");
    check(count >= 1 || request.count_weight == 0.0, "the weight of a count is too small to be seen", "give more");
    return {bits, std::ldexp(sigma, -bits), norm, count};
  }
  throw Error(ErrorKind::usage,
              fmt::format("there is no exact grid for a noise multiplier of {} and up to {} rows", request.noise,
                          request.row_limit),
              "the grid of a release", "declare a lower row limit for the table, or use more noise");
}

double norm_of_slots(std::span<const CountSlot> slots) {
  check(!slots.empty(), "there is no slot to count in", "give the count map at least one slot");
  double squares = 0.0;
  std::size_t cells = 0;
  for (const CountSlot& slot : slots) {
    check(slot.width >= 1, "a slot has no cells", "give every slot a width of at least 1");
    check(std::isfinite(slot.weight) && slot.weight > 0.0, fmt::format("the weight of a slot is {}", slot.weight),
          "give every slot a finite weight above 0");
    squares += slot.weight * slot.weight;
    cells += slot.width;
    check(cells <= kMostCells, "the slots have more than 2^31 cells", "count fewer or coarser combinations");
  }
  return std::sqrt(squares);
}

double count_sigma(double noise, std::size_t slots, const Promise& promise) {
  constexpr std::int64_t kRowLimit = std::int64_t{1} << 31;
  return make_lattice({.noise = noise,
                       .norm_bound = std::sqrt(static_cast<double>(slots)),
                       .nonnegative = true,
                       .relation = promise.relation,
                       .max_rows = promise.unit.max_rows,
                       .row_limit = kRowLimit})
      .sigma();
}

std::vector<std::int64_t> grid_weights(std::span<const CountSlot> slots, const Lattice& lattice) {
  // A little below weight / step, so that the squares add up to at most norm^2 whatever was rounded on the way: a
  // sum of n squares is off by a factor of at most 1 + n 2^-53.
  const double margin = static_cast<double>(slots.size() + 16) * 0x1p-52;
  const double scale = static_cast<double>(lattice.norm) / norm_of_slots(slots) * (1.0 - margin);
  std::vector<std::int64_t> weights;
  u128 squares = 0;
  for (const CountSlot& slot : slots) {
    weights.push_back(static_cast<std::int64_t>(slot.weight * scale));
    squares += square(weights.back());
  }
  SOSIA_CHECK(squares <= square(lattice.norm), "the weights of the slots exceed their norm");
  return weights;
}

}  // namespace sosia
