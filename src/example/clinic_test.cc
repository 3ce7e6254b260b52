// SPDX-License-Identifier: Apache-2.0
// The seed is fixed, so nothing here fails by chance; the thresholds are such that another seed would fail one of the
// checks with a probability of at most 1e-6. Rates: Hoeffding 1963. Correlation: Fisher's z.
#include "example/clinic.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <sosia/table.h>

#include "example/clinic_table.h"

namespace sosia {
namespace {

constexpr int kPatients = 30000;
constexpr int kChecks = 12;  // what 1e-6 is divided among

const std::vector<Visit>& visits() {
  static const std::vector<Visit> all = [] {
    std::vector<Visit> made;
    for (int patient = 1; patient <= kPatients; ++patient) {
      for (const Visit& visit : clinic_visits(1, patient)) made.push_back(visit);
    }
    return made;
  }();
  return all;
}

/// How far a mean of n independent numbers in [0, 1] may lie from its expectation.
double slack(double n) { return std::sqrt(std::log(2.0 * kChecks / 1e-6) / (2.0 * n)); }

template <typename Is, typename Of>
void expect_rate(double rate, const Is& is, const Of& of) {
  double n = 0.0, count = 0.0;
  for (const Visit& visit : visits()) {
    if (!of(visit)) continue;
    n += 1.0;
    count += is(visit) ? 1.0 : 0.0;
  }
  ASSERT_GT(n, 1000.0);
  EXPECT_NEAR(count / n, rate, slack(n));
}

template <typename Is>
double rate_of(const Is& is, const std::vector<Visit>& all = visits()) {
  return static_cast<double>(std::count_if(all.begin(), all.end(), is)) / static_cast<double>(all.size());
}

bool any(const Visit&) { return true; }

TEST(Clinic, RatesAreAsStated) {
  expect_rate(0.15, [](const Visit& v) { return v.cost == 0.0; }, any);
  expect_rate(0.12, [](const Visit& v) { return !v.crp; }, any);
  expect_rate(0.25, [](const Visit& v) { return v.discharged == v.admitted; }, any);
  // Sex is drawn once a patient, and so are smoking and the number of visits.
  std::map<std::int64_t, int> counts;
  double women = 0.0;
  for (const Visit& visit : visits()) women += counts[visit.patient]++ == 0 && visit.female ? 1.0 : 0.0;
  EXPECT_NEAR(women / kPatients, 0.5, slack(kPatients));
  double single = 0.0;
  for (const auto& [patient, count] : counts) {
    single += count == 1 ? 1.0 : 0.0;
    ASSERT_LE(count, 4);
  }
  EXPECT_NEAR(single / kPatients, 0.62, slack(kPatients));
}

TEST(Clinic, WeekendsAreQuiet) {
  double all = 0.0, weekend = 0.0;
  for (std::int64_t day = kClinicFirstDay; day <= kClinicLastDay; ++day) {
    all += admission_weight(day);
    weekend += (day + 3) % 7 >= 5 ? admission_weight(day) : 0.0;
  }
  expect_rate(weekend / all, [](const Visit& v) { return (v.admitted + 3) % 7 >= 5; }, any);
  EXPECT_LT(weekend / all, 0.2);
}

TEST(Clinic, PressuresCorrelateAtAGivenAge) {
  double n = 0.0, a = 0.0, b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
  for (const Visit& v : visits()) {
    const double x = v.systolic - 0.35 * v.age, y = v.diastolic - 0.12 * v.age;
    n += 1.0, a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
  }
  const double rho = (ab / n - a / n * b / n) / std::sqrt((aa / n - a / n * a / n) * (bb / n - b / n * b / n));
  // 5.4 standard deviations of Fisher's z; rounding to whole mmHg takes less than 0.001 off the correlation.
  EXPECT_NEAR(std::atanh(rho), std::atanh(0.6), 5.4 / std::sqrt(n - 3.0) + 0.0016);
  EXPECT_NEAR(a / n, 108.0, 13.0 * 5.4 / std::sqrt(n) + 0.01);
}

TEST(Clinic, TheOutcomeIsRareAndHasItsCauses) {
  const double all = rate_of([](const Visit& v) { return v.readmitted; });
  EXPECT_GT(all, 0.05);
  EXPECT_LT(all, 0.07);
  const auto rate_among = [](const auto& of) {
    std::vector<Visit> some;
    for (const Visit& v : visits()) {
      if (of(v)) some.push_back(v);
    }
    return rate_of([](const Visit& v) { return v.readmitted; }, some);
  };
  EXPECT_GT(rate_among([](const Visit& v) { return v.smoker; }), rate_among([](const Visit& v) { return !v.smoker; }));
  EXPECT_GT(rate_among([](const Visit& v) { return v.age >= 65; }),
            2.0 * rate_among([](const Visit& v) { return v.age < 40; }));
}

TEST(Clinic, DiagnosesDependOnAgeAndSex) {
  std::map<int, int> counts;
  for (const Visit& v : visits()) {
    ++counts[v.diagnosis];
    const char letter = clinic_diagnoses()[static_cast<std::size_t>(v.diagnosis)][0];
    ASSERT_TRUE(letter != 'O' || (v.female && v.age >= 18 && v.age <= 50));
    ASSERT_TRUE(letter != 'P' || v.age < 18);
  }
  EXPECT_GT(counts.size(), 190U);
  EXPECT_EQ(clinic_diagnoses().size(), 200U);
  const double circulatory_old = rate_of([](const Visit& v) { return v.age >= 65 && v.diagnosis / 10 == 8; }) /
                                 rate_of([](const Visit& v) { return v.age >= 65; });
  EXPECT_NEAR(circulatory_old, 0.2, 0.03);
}

TEST(Clinic, StaysWithinItsSchema) {
  const Schema schema = clinic_schema();
  EXPECT_NO_THROW(validate(schema));
  for (const Visit& v : visits()) {
    ASSERT_TRUE(v.age >= 0 && v.age <= *schema.find("age")->max);
    ASSERT_TRUE(v.discharged >= v.admitted && v.discharged <= *schema.find("discharged")->max);
    ASSERT_TRUE(v.cost >= 0.0 && v.cost <= *schema.find("cost")->max);
    ASSERT_TRUE(!v.crp || (*v.crp > 0.0 && *v.crp <= *schema.find("crp")->max));
  }
}

TEST(Clinic, IsAFunctionOfTheSeed) {
  const auto first = clinic_visits(1, 7), again = clinic_visits(1, 7), other = clinic_visits(2, 7);
  ASSERT_EQ(first.size(), again.size());
  EXPECT_EQ(first[0].cost, again[0].cost);
  EXPECT_EQ(first[0].admitted, again[0].admitted);
  EXPECT_FALSE(first[0].admitted == other[0].admitted && first[0].systolic == other[0].systolic);
}

}  // namespace
}  // namespace sosia
