// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/report.h>

namespace sosia {

namespace {

MetricScores scored(const std::string& name, double synthetic, double floor, double ceiling) {
  return {.metric = {.name = name, .summary = "what it says"},
          .score = {.synthetic = synthetic, .floor = floor, .ceiling = ceiling}};
}

Grade grade_of(const std::vector<MetricScores>& metrics) { return verdict_of({.metrics = metrics}).grade; }

TEST(Verdict, SingleColumnsByWhatSamplingDoesNotExplain) {
  EXPECT_EQ(grade_of({scored("tvd_1", 0.02, 0.02, 0.02)}), Grade::best);
  EXPECT_EQ(grade_of({scored("tvd_1", 0.01, 0.02, 0.02)}), Grade::best);
  EXPECT_EQ(grade_of({scored("tvd_1", 0.045, 0.02, 0.02)}), Grade::good);
  EXPECT_EQ(grade_of({scored("tvd_1", 0.09, 0.02, 0.02)}), Grade::fair);
  EXPECT_EQ(grade_of({scored("tvd_1", 0.2, 0.02, 0.02)}), Grade::weak);
  EXPECT_EQ(grade_of({scored("tvd_1", 0.5, 0.02, 0.02)}), Grade::poor);
}

TEST(Verdict, PairsInTheSameWay) {
  EXPECT_EQ(grade_of({scored("tvd_2", 0.11, 0.1, 0.3)}), Grade::best);
  EXPECT_EQ(grade_of({scored("tvd_2", 0.15, 0.1, 0.3)}), Grade::good);
  EXPECT_EQ(grade_of({scored("tvd_2", 0.9, 0.1, 0.3)}), Grade::poor);
}

TEST(Verdict, RelationsByTheWayFromCeilingToFloor) {
  EXPECT_EQ(grade_of({scored("correlation", 0.11, 0.1, 0.3)}), Grade::best);
  EXPECT_EQ(grade_of({scored("correlation", 0.15, 0.1, 0.3)}), Grade::good);
  EXPECT_EQ(grade_of({scored("correlation", 0.3, 0.1, 0.3)}), Grade::poor);
  EXPECT_EQ(grade_of({scored("correlation", 0.9, 0.1, 0.3)}), Grade::poor);
  // The lower of two: 95 % and 55 % of the way.
  EXPECT_EQ(grade_of({scored("mutual_information", 0.11, 0.1, 0.3), scored("correlation", 0.09, 0.0, 0.2)}),
            Grade::fair);
}

TEST(Verdict, LargerCanBeBetter) {
  EXPECT_EQ(grade_of({scored("transfer", 0.89, 0.9, 0.5)}), Grade::best);
  EXPECT_EQ(grade_of({scored("transfer", 0.6, 0.9, 0.5)}), Grade::weak);
}

TEST(Verdict, TheWorstAnswerDecides) {
  EXPECT_EQ(grade_of({scored("tvd_1", 0.02, 0.02, 0.02), scored("correlation", 0.29, 0.1, 0.3)}), Grade::poor);
}

TEST(Verdict, SaysNothingWhereNothingCanBeTold) {
  EXPECT_EQ(grade_of({}), Grade::unknown);
  EXPECT_EQ(grade_of({scored("correlation", 0.5, 0.2, 0.201)}), Grade::unknown);
  EXPECT_EQ(grade_of({scored("tvd_1", std::nan(""), 0.2, 0.2)}), Grade::unknown);
  EXPECT_EQ(grade_of({scored("correlation", 0.5, std::nan(""), 0.2)}), Grade::unknown);
}

TEST(Verdict, SignsOfCopyingAreSaidAndDoNotPraise) {
  const Verdict copied = verdict_of({.metrics = {scored("distance_attack", 0.9, 1.0, 0.5)}});
  EXPECT_EQ(copied.grade, Grade::unknown);
  ASSERT_EQ(copied.answers.size(), 1U);
  EXPECT_EQ(copied.answers[0].grade, Grade::poor);
  EXPECT_THAT(copied.answers[0].sentence, testing::StartsWith("Look into them."));
  const Verdict clean = verdict_of({.metrics = {scored("distance_attack", 0.51, 1.0, 0.5)}});
  EXPECT_THAT(clean.answers[0].sentence, testing::StartsWith("None found."));
}

}  // namespace

}  // namespace sosia
