// SPDX-License-Identifier: Apache-2.0
#include "generate/row_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sosia {
namespace {

using States = std::vector<std::vector<std::uint32_t>>;

struct Wanted {
  std::vector<RowEdits::Part> parts;
  std::vector<double> shares;
};

constexpr std::size_t kRows = 400;

States random_states(PublicRng& rng) {
  States states(3, std::vector<std::uint32_t>(kRows));
  for (std::size_t r = 0; r < kRows; ++r) {
    states[0][r] = rng.next_u32() % 3;
    states[1][r] = rng.next_u32() % 4;
    states[2][r] = rng.next_u32() % 5;
  }
  return states;
}

/// Pairs, one of a coarser view, and a triple: each with a random distribution to follow, and zeros in it.
std::vector<Wanted> random_wishes(PublicRng& rng) {
  const RowEdits::Part a{0, 3, {0, 1, 2}}, b{1, 4, {0, 1, 2, 3}}, c{2, 5, {0, 1, 2, 3, 4}},
      coarse{2, 2, {0, 0, 1, 1, 1}};
  std::vector<Wanted> wishes = {{{a, b}, {}}, {{b, coarse}, {}}, {{a, b, c}, {}}};
  for (Wanted& wish : wishes) {
    std::size_t cells = 1;
    for (const RowEdits::Part& part : wish.parts) cells *= part.width;
    double total = 0.0;
    for (std::size_t i = 0; i < cells; ++i) {
      wish.shares.push_back(std::max(rng.uniform() - 0.3, 0.0));
      total += wish.shares.back();
    }
    for (double& share : wish.shares) share /= total;
  }
  return wishes;
}

/// The sum of squared differences between counts and shares, counted afresh from the rows.
double squared_excess(const States& states, const std::vector<Wanted>& wishes) {
  double sum = 0.0;
  for (const Wanted& wish : wishes) {
    std::vector<double> excess;
    for (const double share : wish.shares) excess.push_back(-share * kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
      std::size_t cell = 0;
      for (const RowEdits::Part& part : wish.parts) cell = cell * part.width + part.group[states[part.field][r]];
      excess[cell] += 1.0;
    }
    for (const double value : excess) sum += value * value;
  }
  return sum;
}

States sorted_fields(States states) {
  for (auto& field : states) std::sort(field.begin(), field.end());
  return states;
}

/// One sweep after another with the counts that the object keeps by itself. Were one of them wrong, a later exchange
/// would be judged wrongly, and the sum counted afresh would rise.
TEST(RowEdits, NeverFartherAndSingleCountsStay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PublicRng rng(seed);
    States states = random_states(rng);
    const States before = sorted_fields(states);
    const std::vector<Wanted> wishes = random_wishes(rng);
    RowEdits edits(states);
    for (const Wanted& wish : wishes) edits.keep(wish.parts, wish.shares);
    const double first = squared_excess(states, wishes);
    double last = first;
    for (int sweep = 0; sweep < 30; ++sweep) {
      edits.run(1, rng);
      const double now = squared_excess(states, wishes);
      EXPECT_LE(now, last + 1e-3);
      last = now;
      ASSERT_EQ(sorted_fields(states), before);
    }
    EXPECT_LT(last, 0.9 * first);
  }
}

/// What an object knows after many exchanges is what a new one would count: both go on in the same way.
TEST(RowEdits, CountsKeptAreCountsCountedAfresh) {
  PublicRng rng(3);
  States states = random_states(rng);
  const std::vector<Wanted> wishes = random_wishes(rng);
  RowEdits old(states);
  for (const Wanted& wish : wishes) old.keep(wish.parts, wish.shares);
  for (int round = 0; round < 10; ++round) {
    old.run(1, rng);
    States copy = states;
    RowEdits fresh(copy);
    for (const Wanted& wish : wishes) fresh.keep(wish.parts, wish.shares);
    PublicRng a(99, static_cast<std::uint64_t>(round)), b = a;
    old.run(1, a);
    fresh.run(1, b);
    ASSERT_EQ(states, copy) << round;
  }
}

TEST(RowEdits, ReachesAPairThatCanBeReached) {
  States states(2, std::vector<std::uint32_t>(kRows));
  for (std::size_t r = 0; r < kRows; ++r) {
    states[0][r] = r % 2;
    states[1][r] = (r / 2) % 2;  // independent; wanted: always equal
  }
  const Wanted wish{{{0, 2, {0, 1}}, {1, 2, {0, 1}}}, {0.5, 0.0, 0.0, 0.5}};
  RowEdits edits(states);
  edits.keep(wish.parts, wish.shares);
  PublicRng rng(1);
  edits.run(1000, rng);  // partners are drawn at random: the last few take long to meet
  EXPECT_EQ(squared_excess(states, {wish}), 0.0);
}

/// An exchange that leaves some marginals as they are is judged by the others alone.
TEST(RowEdits, MarginalsThatStayDoNotCount) {
  States states = {{0, 1}, {0, 0}, {0, 1}};
  const RowEdits::Part a{0, 2, {0, 1}}, same{1, 1, {0}}, b{2, 2, {0, 1}};
  RowEdits edits(states);
  edits.keep({a, same}, std::vector<double>{0.5, 0.5});
  edits.keep({a, b}, std::vector<double>{0.1, 0.4, 0.4, 0.1});
  edits.keep({same, b}, std::vector<double>{0.5, 0.5});
  PublicRng rng(1);
  edits.run(20, rng);
  EXPECT_NE(states[0][0], states[2][0]);
  EXPECT_NE(states[0][1], states[2][1]);
}

TEST(RowEdits, NothingToKeepChangesNothing) {
  PublicRng rng(1);
  States states = random_states(rng);
  const States before = states;
  RowEdits(states).run(3, rng);
  EXPECT_EQ(states, before);
}

}  // namespace
}  // namespace sosia
