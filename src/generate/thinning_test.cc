// SPDX-License-Identifier: Apache-2.0
#include "generate/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "features/hermite.h"

namespace sosia {
namespace {

/// A net as it starts, of two numbers in two classes, and the density that it is to have.
class ThinningTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 4000;
  static constexpr float kLength = 0.05F;
  static constexpr std::size_t kSampled = 2000;  // no more than go through a net together: those draw numbers in turn

  NetGenerator net() const { return {rows_, shape_, {0.25, 0.75}, NetGenerator::make_net(rows_, shape_, 5, alone_)}; }
  NetGenerator thinned_by(const Embedding& embedding) const {
    return thinned(net(), {map_, &embedding}, {1000.0, 3000.0}, 3, alone_);
  }
  /// Rows that the net makes of a part, some of them only, as they would be released if there were `count`.
  template <class Among>
  std::vector<double> sums_of(std::uint32_t part, double count, const Among& among) const {
    const std::vector<float> made = net().make_open(77, 1, std::vector<std::uint32_t>(kRows, part));
    std::vector<float> few;
    for (std::size_t r = 0; r < kRows; ++r) {
      if (among(made[2 * r])) few.insert(few.end(), {made[2 * r], made[2 * r + 1]});
    }
    const std::size_t rows = few.size() / 2;
    std::vector<float> sum(static_cast<std::size_t>(map_->dim()));
    map_->sum({few.data(), rows, 2}, {}, {sum.data(), 1, sum.size()}, alone_);
    std::vector<double> out;
    for (const float number : sum) out.push_back(static_cast<double>(number) * count / static_cast<double>(rows));
    return out;
  }
  /// Half of the rows of class 0 should not be there; class 1 is as it should be.
  Embedding half_of_the_first(double sigma) const {
    const float middle = middle_of_the_first();
    Embedding embedding{sums_of(0, 1000.0, [&](float x) { return x < middle; }), sigma};
    const std::vector<double> second = sums_of(1, 3000.0, [](float) { return true; });
    embedding.sums.insert(embedding.sums.end(), second.begin(), second.end());
    return embedding;
  }
  float middle_of_the_first() const {
    const std::vector<float> made = net().make_open(77, 1, std::vector<std::uint32_t>(kRows, 0));
    std::vector<float> x;
    for (std::size_t r = 0; r < kRows; ++r) x.push_back(made[2 * r]);
    std::nth_element(x.begin(), x.begin() + kRows / 2, x.end());
    return x[kRows / 2];
  }
  static std::vector<float> sampled(const NetGenerator& generator) {
    std::vector<float> rows(kSampled * 3);
    generator.sample(11, 2, {}, {rows.data(), kSampled, 3});
    return rows;
  }

  OpenRows rows_{{0, 0, 2}, 2};
  NetShape shape_{2, 3, {16, 8}};
  mutable ThreadPool alone_{1};
  std::shared_ptr<const FeatureMap> map_ = [] {
    std::vector<std::unique_ptr<FeatureMap>> factors;
    for (int column = 0; column < 2; ++column) {
      factors.push_back(
          hermite_sum({{.column = column, .options = {.length_scale = static_cast<double>(kLength), .order = 40}}}, 2,
                      Centring::none));
    }
    return tensor_product(std::move(factors));
  }();
};

TEST_F(ThinningTest, RowsThatShouldNotBeThereAreMadeAnewWithinTheirClass) {
  const float middle = middle_of_the_first();
  const std::vector<float> before = sampled(net()), after = sampled(thinned_by(half_of_the_first(1.0)));
  // Two length scales beyond the middle the share of rows that belong there is Phi(-2), 0.023, and less further on.
  int wrong_before = 0, wrong_after = 0, changed = 0;
  for (std::size_t r = 0; r < kSampled; ++r) {
    const float *was = &before[3 * r], *is = &after[3 * r];
    EXPECT_EQ(was[2], is[2]);  // the class of a row stays
    const bool is_first = was[2] == 0.0F;
    wrong_before += is_first && was[0] > middle + 2.0F * kLength ? 1 : 0;
    wrong_after += is_first && is[0] > middle + 2.0F * kLength ? 1 : 0;
    changed += !is_first && was[0] != is[0] ? 1 : 0;
  }
  EXPECT_GT(wrong_before, 50);
  EXPECT_LT(wrong_after, wrong_before / 10);
  EXPECT_LT(changed, static_cast<int>(kSampled) / 10);  // chance alone: the density is that of a few thousand rows
}

TEST_F(ThinningTest, WhereThereIsOnlyNoiseToGoByRowsStay) {
  const NetGenerator noisy = thinned_by(half_of_the_first(1e9));
  EXPECT_GT(*std::min_element(noisy.thinning().kept.begin(), noisy.thinning().kept.end()), 0.999F);
  const NetGenerator all(net(), Thinning{2, std::vector<float>(8, 1.0F)});
  EXPECT_EQ(sampled(all), sampled(net()));
}

TEST_F(ThinningTest, WhereHardlyARowStaysSamplesEndAllTheSame) {
  const NetGenerator none(net(), Thinning{2, std::vector<float>(8, 0.0F)});
  const std::vector<float> rows = sampled(none);
  EXPECT_TRUE(std::all_of(rows.begin(), rows.end(), [](float number) { return number >= 0.0F && number <= 1.0F; }));
}

}  // namespace
}  // namespace sosia
