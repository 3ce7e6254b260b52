// SPDX-License-Identifier: Apache-2.0
// The attack on floating-point noise (Mironov 2012; Jin et al. 2022; Haney et al. 2022): which doubles a noisy value
// can be depends on the exponent of the true value, and one look at the last bits tells neighbours apart. Here it has
// nothing to look at: every output is a multiple of a step that is fixed before the data is read, and every multiple is
// reachable.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "privacy/bounded_map.h"

namespace sosia {
namespace {

class FirstColumn final : public BoundedMap {
 public:
  explicit FirstColumn(int dim) : dim_(dim) {}
  int dim() const override { return dim_; }
  double norm_bound() const override { return 1.0; }
  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      std::ranges::fill(vectors.row(i), rows.row(i)[0] / std::sqrt(static_cast<float>(dim_)));
    }
  }

 private:
  int dim_;
};

Release release_of(const std::vector<float>& column, std::uint64_t seed, int dim) {
  ThreadPool threads(1);
  Ledger ledger = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-6}, seed);
  const PrivateTable table(rows_in_memory(column, 1));
  return ledger.noisy_sum(table, FirstColumn(dim), {.noise = 2.0}, threads);
}

const std::vector<std::vector<float>> kTables{{},
                                              {0.0F},
                                              {1.0F},
                                              {-1.0F},
                                              {1e-30F},
                                              {std::numeric_limits<float>::denorm_min()},
                                              {0.1F, 0.2F, -0.3F},
                                              {1e-7F},
                                              {3e-39F},
                                              {0.5F},
                                              {0x1.fffffep-1F}};

TEST(GridAttack, EveryOutputIsAMultipleOfAStepThatNoTableCanMove) {
  const double step = release_of({}, 1, 8).step();
  for (const auto& table : kTables) {
    const Release release = release_of(table, 7, 8);
    EXPECT_EQ(release.step(), step);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(release.values()[i], static_cast<double>(release.cells()[i]) * step);
      EXPECT_EQ(std::fmod(release.values()[i], step), 0.0);
    }
  }
}

TEST(GridAttack, ValuesBelowTheStepLeaveNoTrace) {
  for (float tiny : {1e-30F, 3e-39F, std::numeric_limits<float>::denorm_min()}) {
    const Release with = release_of({tiny}, 11, 8), without = release_of({}, 11, 8);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(with.cells()[i], without.cells()[i]);
  }
}

TEST(GridAttack, ATrueValueShiftsTheNoiseByAnIntegerAndNothingElse) {
  // With the same noise, two tables give outputs that differ by the difference of their integer sums in every
  // coordinate alike.
  for (const auto& table : kTables) {
    const Release with = release_of(table, 13, 8), without = release_of({}, 13, 8);
    for (std::size_t i = 1; i < 8; ++i) {
      EXPECT_EQ(with.cells()[i] - without.cells()[i], with.cells()[0] - without.cells()[0]);
    }
  }
}

TEST(GridAttack, TheLastBitsAreUniformWhateverTheTrueValue) {
  // The noise has a standard deviation of at least 2^20 grid steps: the last 6 bits of an output are uniform for all
  // that any test could tell. Chi-square over 64 cells, 63 degrees of freedom, exceeds 147.5 with probability 1e-8
  // (boost::math::quantile of the complement); eleven tables make a false alarm of 1.1e-7. The seed is fixed.
  constexpr int kDraws = 200'000;
  for (const auto& table : kTables) {
    const Release release = release_of(table, 17, kDraws);
    std::array<double, 64> counts{};
    for (const std::int64_t cell : release.cells()) counts[static_cast<std::uint64_t>(cell) & 63] += 1.0;
    double chi_square = 0.0;
    for (double count : counts) chi_square += (count - kDraws / 64.0) * (count - kDraws / 64.0) / (kDraws / 64.0);
    EXPECT_LT(chi_square, 147.5);
  }
}

}  // namespace
}  // namespace sosia
