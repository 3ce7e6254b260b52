// SPDX-License-Identifier: Apache-2.0
#include "generate/best_net.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sosia {
namespace {

using Numbers = std::vector<float>;

Numbers copy_of(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

/// Gives the distances that it is told, and remembers the nets.
class TellingJudge : public NetJudge {
 public:
  explicit TellingJudge(std::vector<double> distances) : distances_(std::move(distances)) {}
  double distance(const nn::Net& net, ThreadPool&) override {
    nets.emplace_back(copy_of(net.parameters()), copy_of(net.state()));
    return distances_.at(nets.size() - 1);
  }
  std::vector<std::pair<Numbers, Numbers>> nets;

 private:
  std::vector<double> distances_;
};

/// One class with three states, whose noise has made them 30, 60 and 10 of 100.
struct ThreeStates {
  OpenRows rows{{3}, {}};
  std::shared_ptr<const FeatureMap> map = block_products({3}, {{0}});
  Embedding noisy{{30.0, 60.0, 10.0}, 10.0};
  std::vector<double> counts = {100.0};
  NetFitOptions options{.shape = {2, 0, {8}}, .steps = 60, .batch = 64, .seed = 3};

  NetGenerator fit(const Checkpoints& checkpoints, int stop_after = 1000) const {
    ThreadPool threads(1);
    std::vector<std::unique_ptr<RowLoss>> losses;
    losses.push_back(embedding_loss({map, &noisy}, counts));
    return fit_net(rows, losses, counts, options, checkpoints, threads,
                   [&](int step, double) { return step <= stop_after; });
  }
};

TEST(BestNet, KeepsTheOneThatIsClosest) {
  TellingJudge judge({3.0, 1.0, 2.0, 1.0});
  const NetGenerator fitted = ThreeStates().fit({.judge = &judge, .every = 15});
  ASSERT_EQ(judge.nets.size(), 4U);
  EXPECT_NE(judge.nets[1].first, judge.nets[3].first);
  EXPECT_EQ(copy_of(fitted.net().parameters()), judge.nets[1].first);
  EXPECT_EQ(copy_of(fitted.net().state()), judge.nets[1].second);
}

TEST(BestNet, HasPatienceAndThenEnds) {
  TellingJudge judge({3.0, 4.0, 2.0, 5.0, 5.0});
  const NetGenerator fitted = ThreeStates().fit({.judge = &judge, .every = 10, .patience = 2});
  ASSERT_EQ(judge.nets.size(), 5U);  // not 6
  EXPECT_EQ(copy_of(fitted.net().parameters()), judge.nets[2].first);
}

TEST(BestNet, JudgesTheNetOfATrainingThatIsInterrupted) {
  TellingJudge better({3.0, 2.0}), worse({3.0, 4.0}), only({1.0});
  const ThreeStates states;
  const NetGenerator last = states.fit({.judge = &better, .every = 10}, 14);
  const NetGenerator first = states.fit({.judge = &worse, .every = 10}, 14);
  EXPECT_EQ(copy_of(last.net().parameters()), better.nets[1].first);
  EXPECT_EQ(copy_of(first.net().parameters()), worse.nets[0].first);
  states.fit({.judge = &only, .every = 10}, 4);
  EXPECT_EQ(only.nets.size(), 1U);
}

/// Says what another judge says, and whether it ever said less than in the end.
class ListeningJudge : public NetJudge {
 public:
  explicit ListeningJudge(NetJudge& judge) : judge_(judge) {}
  double distance(const nn::Net& net, ThreadPool& threads) override {
    said.push_back(judge_.distance(net, threads));
    return said.back();
  }
  std::vector<double> said;

 private:
  NetJudge& judge_;
};

TEST(EmbeddingJudge, AnotherReleaseShowsThatNoiseIsLearned) {
  // The net starts near even shares, on its way to the noisy ones it passes nothing better: with the true ones at hand,
  // it is kept early; judged by what it is trained by, late.
  const ThreeStates states;
  const Embedding even{{34.0, 33.0, 33.0}, 10.0};
  ThreadPool threads(1);
  const auto other = embedding_judge(states.rows, states.options.shape, {states.map, &even}, states.counts, 1);
  const auto own = embedding_judge(states.rows, states.options.shape, {states.map, &states.noisy}, states.counts, 1);
  ListeningJudge by_other(*other), by_own(*own);
  const NetGenerator early = states.fit({.judge = &by_other, .every = 5});
  const NetGenerator late = states.fit({.judge = &by_own, .every = 5});
  EXPECT_LT(std::ranges::min(by_other.said), 0.5 * by_other.said.back());
  EXPECT_LT(by_own.said.back(), 0.1 * by_own.said.front());
  EXPECT_LT(other->distance(early.net(), threads), 0.5 * other->distance(late.net(), threads));
  EXPECT_DOUBLE_EQ(other->distance(early.net(), threads), std::ranges::min(by_other.said));
}

}  // namespace
}  // namespace sosia
