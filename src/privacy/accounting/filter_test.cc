// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <sosia/error.h>

#include "privacy/accounting/gaussian.h"

namespace sosia::accounting {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Act>
ErrorKind kind_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(Filter, RefusesPromisesThatMeanNothing) {
  for (double epsilon : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_EQ(kind_of([&] { Filter({.epsilon = epsilon}, Spending::gaussian); }), ErrorKind::usage);
  }
  for (double delta : {0.0, 1.0, -1e-9, kNaN}) {
    EXPECT_EQ(kind_of([&] { Filter({.delta = delta}, Spending::renyi); }), ErrorKind::usage);
  }
  for (const double delta : {0.1000001, 0.5, 0.999, 9e-101, 1e-200}) {
    for (const Spending spending : {Spending::gaussian, Spending::renyi}) {
      EXPECT_EQ(kind_of([&] { Filter({.delta = delta}, spending); }), ErrorKind::usage) << delta;
    }
    EXPECT_EQ(kind_of([&] { Filter({.delta = delta}, Plan{}); }), ErrorKind::usage) << delta;
  }
  EXPECT_NO_THROW(Filter({.delta = 0.1}, Spending::gaussian));
  EXPECT_NO_THROW(Filter({.delta = 1e-100}, Spending::renyi));
  EXPECT_EQ(kind_of([] { Filter({.delta = 1e-100, .selection_delta = 5e-101}, Spending::gaussian); }),
            ErrorKind::usage);
  EXPECT_EQ(kind_of([] { Filter({.delta = 1e-6, .selection_delta = 1e-6}, Spending::gaussian); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([] { Filter({.unit = {"", 3}}, Spending::gaussian); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([] { Filter({}, Spending::planned); }), ErrorKind::usage);
}

TEST(Filter, GaussianSpendsExactlyThePromise) {
  Filter filter({.epsilon = 1.0, .delta = 1e-5}, Spending::gaussian);
  const double mu = gaussian_mu(1.0, 1e-5);
  const Event third{Gaussian{std::sqrt(3.0) / mu * (1 + 1e-12)}};
  for (int i = 0; i < 3; ++i) filter.charge(third);
  EXPECT_NEAR(filter.spent_epsilon(), 1.0, 1e-10);
  EXPECT_LE(filter.spent_epsilon(), 1.0);
  EXPECT_EQ(kind_of([&] { filter.charge({Gaussian{1e4}}); }), ErrorKind::budget);
  EXPECT_LE(filter.spent_epsilon(), 1.0) << "a refused event costs nothing";
}

TEST(Filter, NoMoreIsSpentThanWasReserved) {
  for (const double epsilon : {1e-3, 0.7, 1.0, 30.0}) {
    for (const double delta : {1e-9, 1e-5, 0.1}) {
      const Promise promise{.epsilon = epsilon, .delta = delta};
      Filter file(promise, Spending::gaussian), run(promise, Spending::gaussian);
      const double reserved = run.reserve_mu2();
      file.charge({Gaussian{1.0 / std::sqrt(reserved)}});  // the whole budget of the file fits in
      const auto take = [&](double mu2) { run.charge({Gaussian{1.0 / std::sqrt(mu2)}}); };
      EXPECT_EQ(kind_of([&] { take(reserved * (1.0 + 1e-14)); }), ErrorKind::budget);
      EXPECT_EQ(kind_of([&] { take(reserved * (1.0 - 1e-14)); }), ErrorKind::budget);
      take(run.remaining_mu2());
    }
  }
}

TEST(Filter, ManyEventsCostWhatTheyDoOneByOne) {
  for (const Event& event : {Event{Gaussian{20.0}, 3}, Event{Exponential{0.02}, 3}, Event{Laplace{0.01}, 3}}) {
    Filter together({.epsilon = 1.0, .delta = 1e-5}, Spending::gaussian), apart = together;
    together.charge(event);
    for (int i = 0; i < 3; ++i) apart.charge({event.mechanism});
    EXPECT_NEAR(together.spent_epsilon(), apart.spent_epsilon(), 1e-9) << name_of(event.mechanism);
  }
}

TEST(Filter, ThresholdsSpendTheDeltaThatWasSetAsideAndNoMore) {
  const Event half{PartitionSelection{0.0, 4e-8}}, all{PartitionSelection{0.0, 1.1e-7}};
  for (const Spending spending : {Spending::gaussian, Spending::renyi}) {
    Filter filter({.epsilon = 1.0, .delta = 1e-6, .selection_delta = 1e-7}, spending);
    EXPECT_EQ(kind_of([&] { filter.charge(all); }), ErrorKind::budget);
    filter.charge(half);
    filter.charge(half);
    EXPECT_EQ(kind_of([&] { filter.charge(half); }), ErrorKind::budget);
  }
}

TEST(Filter, PriceForeseesTheCharge) {
  for (Spending spending : {Spending::gaussian, Spending::renyi}) {
    Filter filter({.epsilon = 2.0, .delta = 1e-6, .selection_delta = 1e-7}, spending);
    for (const Event& event : {Event{Gaussian{8.0}, 2}, Event{Laplace{0.05}}, Event{Exponential{0.1}, 3},
                               Event{PartitionSelection{0.01, 4e-8}}, Event{Geometric{0.1}}}) {
      const double price = filter.price(event);
      filter.charge(event);
      EXPECT_NEAR(filter.spent_epsilon(), price, 1e-12 * price);
    }
    EXPECT_EQ(filter.price({Gaussian{1e-3}}) <= 2.0, false);
    EXPECT_TRUE(std::isinf(filter.price({PartitionSelection{0.01, 9e-8}}))) << "above what was set aside";
  }
}

TEST(Filter, GaussianRefusesWhatIsNotGaussian) {
  Filter filter({.epsilon = 5.0, .delta = 1e-5}, Spending::gaussian);
  EXPECT_EQ(kind_of([&] { filter.charge({SampledGaussian{0.1, 5.0}}); }), ErrorKind::budget);
  EXPECT_EQ(kind_of([&] { filter.charge({GroupedGaussian{0.1, 5.0}}); }), ErrorKind::budget);
  EXPECT_EQ(kind_of([&] { filter.charge({DiscreteGaussian{5.0}}); }), ErrorKind::budget);
  EXPECT_EQ(filter.spent_epsilon(), 0.0);
  filter.charge({SampledGaussian{1.0, 5.0}});
  EXPECT_NEAR(filter.spent_epsilon(), gaussian_epsilon(0.2, 1e-5), 1e-9);
  Filter replaced({.epsilon = 5.0, .delta = 1e-5, .relation = Neighbors::replace}, Spending::gaussian);
  replaced.charge({SampledGaussian{1.0, 5.0}});
  EXPECT_NEAR(replaced.spent_epsilon(), gaussian_epsilon(0.4, 1e-5), 1e-9);
}

TEST(Filter, RenyiIsNeverBelowTheTruthAndTakesEverything) {
  Filter filter({.epsilon = 3.0, .delta = 1e-5}, Spending::renyi);
  const std::vector<Event> events{{SampledGaussian{0.01, 1.2}, 500}, {Gaussian{4.0}}, {DiscreteGaussian{20.0, 2}}};
  for (const Event& event : events) filter.charge(event);
  const Account truth = account({.events = events}, 1e-5);
  EXPECT_GE(filter.spent_epsilon(), truth.epsilon);
  EXPECT_LE(filter.spent_epsilon(), 1.6 * truth.epsilon);
}

TEST(Filter, NothingGivesBudgetBack) {
  for (Spending spending : {Spending::gaussian, Spending::renyi}) {
    Filter filter({.epsilon = 50.0, .delta = 1e-9, .selection_delta = 1e-10}, spending);
    filter.charge({Gaussian{10.0}});
    for (const Event& event :
         {Event{Laplace{1e-9}, 1'000'000'000'000}, Event{NoisyMax{1e-9}, 1'000'000'000'000},
          Event{Geometric{1e-9, 3}, 1'000'000'000'000}, Event{Exponential{1e-9}, 1'000'000'000'000},
          Event{SampledGaussian{1e-9, 1.0}, 1'000'000'000'000}, Event{Laplace{1e-3}, 1000},
          Event{PartitionSelection{0.0, 1e-12}}, Event{Gaussian{1e12}}}) {
      const double before = filter.spent_epsilon();
      if (std::isinf(filter.price(event))) continue;
      filter.charge(event);
      EXPECT_GE(filter.spent_epsilon(), before) << name_of(event.mechanism);
    }
  }
}

// Less than half of the last bit of what is spent: rounded to the nearest, any number of such events would be free.
TEST(Filter, NoEventIsTooSmallToCost) {
  Filter filter({.epsilon = 1.0, .delta = 1e-5}, Spending::gaussian);
  filter.charge({Gaussian{5.0}});  // more than half of it: what is left is exact
  for (int i = 0; i < 3; ++i) {
    const double left = filter.remaining_mu2();
    filter.charge({Gaussian{1e10}});
    EXPECT_LT(filter.remaining_mu2(), left);
  }
}

TEST(Filter, AtAnotherDeltaItIsTheLimitThatHolds) {
  const Filter filter({.epsilon = 1.0, .delta = 1e-5, .selection_delta = 1e-6}, Spending::gaussian);
  EXPECT_NEAR(filter.epsilon_at(1e-5), 1.0, 1e-9) << "although nothing was spent";
  EXPECT_GT(filter.epsilon_at(2e-6), 1.0);
  EXPECT_TRUE(std::isinf(filter.epsilon_at(1e-6)));
}

TEST(Filter, PlannedAllowsThePlanAndNothingElse) {
  const Plan plan{.events = {{SampledGaussian{0.01, 1.2}, 500}, {Gaussian{4.0}, 2}}};
  Filter filter({.epsilon = 3.0, .delta = 1e-5}, plan);
  const double whole = filter.spent_epsilon();
  EXPECT_GT(whole, 0.0) << "reserved from the start";
  filter.charge({SampledGaussian{0.01, 1.2}, 499});
  filter.charge({Gaussian{4.0}});
  EXPECT_EQ(kind_of([&] { filter.charge({Gaussian{3.9}}); }), ErrorKind::budget);
  EXPECT_EQ(kind_of([&] { filter.charge({SampledGaussian{0.01, 1.2}, 2}); }), ErrorKind::budget);
  EXPECT_EQ(kind_of([&] { filter.charge({GroupedGaussian{0.01, 1.2}}); }), ErrorKind::budget);
  filter.charge({SampledGaussian{0.01, 1.2}});
  filter.charge({Gaussian{4.0}});
  EXPECT_EQ(kind_of([&] { filter.charge({Gaussian{4.0}}); }), ErrorKind::budget);
  EXPECT_EQ(filter.spent_epsilon(), whole);
}

TEST(Filter, PlannedRefusesAPlanAboveItsPromiseOrUnderAnotherRelation) {
  const Plan plan{.events = {{Gaussian{1.0}}}};
  const double cost = gaussian_epsilon(1.0, 1e-5);
  EXPECT_EQ(kind_of([&] { Filter({.epsilon = cost * (1.0 - 1e-6), .delta = 1e-5}, plan); }), ErrorKind::budget);
  EXPECT_NO_THROW(Filter({.epsilon = cost * (1.0 + 1e-6), .delta = 1e-5}, plan));
  EXPECT_EQ(kind_of([&] { Filter({.epsilon = 9.0, .delta = 1e-5, .relation = Neighbors::replace}, plan); }),
            ErrorKind::budget);
}

}  // namespace
}  // namespace sosia::accounting
