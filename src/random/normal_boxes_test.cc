// SPDX-License-Identifier: Apache-2.0
// The claims of the tables and of the comparisons that exact noise rests on, in whole numbers: nothing is measured
// here.
#include "random/normal_boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "random/box_sampler.h"
#include "random/normal_curve.h"

namespace sosia {
namespace {

constexpr int kPrecision = 120;

// Made once for each kind: a compiler takes seconds for it.
template <class Boxes>
constexpr Boxes kBoxes = {};

template <class Boxes>
PlanePoint edge_of(std::size_t column, std::uint64_t height) {
  return {column, Boxes::kWidthBits, height, 0};
}

// Of the curve's height over the left edge of a column, `height` is the next whole number or the one after it, as what
// is told of the chord takes for granted; what is full ends at or below the curve over the right edge.
template <class Boxes>
void expect_claims_of_cells() {
  for (std::size_t j = 0; j <= Boxes::kColumns; ++j) {
    EXPECT_TRUE(surely_above(edge_of<Boxes>(j, kBoxes<Boxes>.height[j]), kBoxes<Boxes>.scale, kPrecision)) << j;
    if (kBoxes<Boxes>.height[j] >= 2) {
      EXPECT_TRUE(surely_below(edge_of<Boxes>(j, kBoxes<Boxes>.height[j] - 2), kBoxes<Boxes>.scale, kPrecision)) << j;
    }
  }
  for (std::size_t j = 0; j < Boxes::kColumns; ++j) {
    EXPECT_TRUE(surely_below(edge_of<Boxes>(j + 1, kBoxes<Boxes>.full[j]), kBoxes<Boxes>.scale, kPrecision)) << j;
    EXPECT_EQ(kBoxes<Boxes>.doubtful_before[j + 1] - kBoxes<Boxes>.doubtful_before[j],
              kBoxes<Boxes>.height[j] - kBoxes<Boxes>.full[j])
        << j;
    EXPECT_LE(kBoxes<Boxes>.full[j], kBoxes<Boxes>.height[j]) << j;
  }
  EXPECT_LE(kBoxes<Boxes>.tail_end(), kBoxes<Boxes>.doubtful);
  // Little is thrown at cells that stand nowhere.
  EXPECT_LE(kBoxes<Boxes>.doubtful - kBoxes<Boxes>.tail_end(),
            Boxes::kColumns + 2 * (std::uint64_t{1} << Boxes::kWidthBits) + 200);
}

// Every column has as many cells in the slots as it is full of, and the rest are doubtful.
template <class Boxes>
void expect_claims_of_slots() {
  constexpr std::uint64_t kWorth = std::uint64_t{1} << Boxes::kUnitBits;
  std::vector<std::uint64_t> cells(Boxes::kColumns);
  for (std::size_t j = 0; j < Boxes::kColumns; ++j) {
    cells[j] += kBoxes<Boxes>.slots[j].threshold;
    cells[kBoxes<Boxes>.slots[j].other] += kWorth - kBoxes<Boxes>.slots[j].threshold;
  }
  std::uint64_t all = 0;
  for (std::size_t j = 0; j < Boxes::kColumns; ++j) {
    EXPECT_EQ(cells[j], j == Boxes::kDoubtful ? kBoxes<Boxes>.doubtful : kBoxes<Boxes>.full[j]) << j;
    all += cells[j];
  }
  EXPECT_EQ(all, Boxes::kCells);
}

template <class Boxes>
class NormalBoxesTest : public testing::Test {};
using AllBoxes =
    testing::Types<NormalBoxes<10, 7, 16>, NormalBoxes<4, 2, 12>, NormalBoxes<2, 1, 8>, NormalBoxes<1, 1, 6>>;
TYPED_TEST_SUITE(NormalBoxesTest, AllBoxes);

TYPED_TEST(NormalBoxesTest, CellsAreBelowOrOnOrAboveTheCurve) { expect_claims_of_cells<TypeParam>(); }
TYPED_TEST(NormalBoxesTest, SlotsHoldExactlyTheFullCells) { expect_claims_of_slots<TypeParam>(); }

// Of the cells of a place, those next to what the chord cannot tell.
template <class Sampler, class Boxes>
void expect_claims_of_the_chord(int place_digits) {
  using Verdict = typename Sampler::Verdict;
  const std::uint64_t last = (std::uint64_t{1} << place_digits) - 1;
  int decided = 0;
  for (std::size_t j = 0; j < Boxes::kColumns; ++j) {
    for (const std::uint64_t place : {std::uint64_t{0}, last / 4, last / 2, last - last / 3, last}) {
      const std::uint64_t x = j << place_digits | place;
      std::uint64_t level = kBoxes<Boxes>.height[j];
      EXPECT_EQ(Sampler::by_chord(j, level + 2 * Boxes::kCells, place), Verdict::above);
      while (Sampler::by_chord(j, level, place) != Verdict::above) ++level;
      while (level > 0 && Sampler::by_chord(j, level - 1, place) == Verdict::above) --level;
      EXPECT_TRUE(surely_above({x, Sampler::kDigits, level, 0}, kBoxes<Boxes>.scale, kPrecision)) << j << " " << place;
      while (level > 0 && Sampler::by_chord(j, level - 1, place) == Verdict::close) --level;
      if (level == 0) continue;
      ASSERT_EQ(Sampler::by_chord(j, level - 1, place), Verdict::below);
      EXPECT_TRUE(surely_below({x + 1, Sampler::kDigits, level, 0}, kBoxes<Boxes>.scale, kPrecision))
          << j << " " << place;
      ++decided;
    }
  }
  EXPECT_GT(decided, 0);
}

TEST(BoxSampler, TheChordTellsNothingThatIsNotSo) {
  expect_claims_of_the_chord<BoxSampler<NormalBoxes<10, 7, 16>, 37>, NormalBoxes<10, 7, 16>>(37);
  expect_claims_of_the_chord<BoxSampler<NormalBoxes<4, 2, 12>, 30>, NormalBoxes<4, 2, 12>>(30);
  expect_claims_of_the_chord<BoxSampler<NormalBoxes<4, 2, 12>, 3>, NormalBoxes<4, 2, 12>>(3);
}

// Digits of e^(-x^2/2), cut to 18 decimals, from tables of e^-y: y = 1/2, 1/8, 2, 32.
TEST(NormalCurve, IsWhereItIs) {
  struct Known {
    std::uint64_t x;
    int digits;
    std::uint64_t value;  // e^(-x^2/2) * 10^18, cut
  };
  for (const auto& [x, digits, value] : {Known{1, 0, 606'530'659'712'633'423}, Known{1, 1, 882'496'902'584'595'402},
                                         Known{2, 0, 135'335'283'236'612'691}, Known{8, 0, 12'664}}) {
    constexpr std::uint64_t kScale = 1'000'000'000'000'000'000;
    EXPECT_TRUE(surely_below({x, digits, value, 0}, kScale, kPrecision)) << x;
    EXPECT_FALSE(surely_above({x, digits, value, 0}, kScale, kPrecision)) << x;
    EXPECT_TRUE(surely_above({x, digits, value + 1, 0}, kScale, kPrecision)) << x;
    EXPECT_FALSE(surely_below({x, digits, value + 1, 0}, kScale, kPrecision)) << x;
  }
}

// Points of a unit square are below the curve as often as the area says; |N(0,1)| exceeds 4.9 with probability 9.6e-7.
TEST(NormalCurve, ComparisonsGoOnUntilTheyAreSure) {
  constexpr int kPoints = 20'000;
  SecureRng rng = SecureRng::for_tests(1);
  SecureWords words(rng, 64);
  for (const std::uint64_t x : {0, 1, 2}) {
    for (const int step : {1, 5, 64}) {
      int below = 0;
      for (int i = 0; i < kPoints; ++i) below += below_curve({x, 0, 0, 0}, 1, step, words) ? 1 : 0;
      const double root = std::numbers::sqrt2, from = static_cast<double>(x), to = from + 1.0;
      const double area = std::sqrt(std::numbers::pi / 2) * (std::erf(to / root) - std::erf(from / root));
      EXPECT_NEAR(below, kPoints * area, 4.9 * std::sqrt(kPoints * area * (1 - area))) << x << " by " << step;
    }
  }
}

}  // namespace
}  // namespace sosia
