// SPDX-License-Identifier: Apache-2.0
// A made-up clinic: people who do not exist, with a structure that is known exactly.
//
//   patient     P0000001, ...; 1 to 4 visits with probabilities 0.62, 0.22, 0.11, 0.05
//   age         at admission; 12 % children (uniform 0-17), 38 % N(42, 13), 50 % N(71, 10), within 0-104
//   sex         F or M, 1/2 each
//   smoker      0 below 18, 0.26 from 18 to 64, 0.14 above
//   admitted    2021 to 2024, by weekday and month as in admission_weight()
//   discharged  the same day with probability 0.25, else 1 + a geometric number of days of mean 1 + age / 25, at most
//   60 diagnosis   200 codes: 20 chapters whose weights depend on age and sex, in each 10 codes with weights 1, 1/2,
//   1/3, ... ward        the chapter's with probability 0.8 (children: paediatrics), else any systolic    108 + 0.35
//   age + 13 a,               a, b standard normal diastolic   66 + 0.12 age + 8.5 (0.6 a + 0.8 b)  so that the two
//   correlate by 0.6 at any given age bmi         N(26, 4.5), 0.8 less for smokers, within 12-60 crp         8 exp(0.9
//   c), c standard normal; missing with probability 0.19 if c < 0, else 0.05: not at random, 0.12 in all cost        0
//   with probability 0.15, else 250 exp(0.7 d) (1 + 0.6 days), d standard normal readmitted  logistic(-3.4 + 0.022 (age
//   - 50) + 0.9 [chapter C, I or J] + 0.6 [smoker]): about 6 %
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sosia {

struct Visit {
  std::int64_t patient = 0;
  int age = 0;
  bool female = false, smoker = false, readmitted = false;
  std::int64_t admitted = 0, discharged = 0;  ///< days since 1970-01-01
  int diagnosis = 0, ward = 0;                ///< places in clinic_diagnoses() and clinic_wards()
  int systolic = 0, diastolic = 0;            ///< mmHg, within 70-240 and 35-150
  double bmi = 0.0;                           ///< one decimal
  std::optional<double> crp;                  ///< mg/l, one decimal, within 0.1-500
  double cost = 0.0;                          ///< two decimals, within 0-200000
};

/// All visits of one patient, by date. A function of its arguments alone: no library function whose last digit
/// differs between machines takes part.
std::vector<Visit> clinic_visits(std::uint64_t seed, std::int64_t patient);

/// In the order of their codes: chapter by chapter, "A05", "A14", ...
const std::vector<std::string>& clinic_diagnoses();
const std::vector<std::string>& clinic_wards();

/// How likely an admission on this day is, relative to a Monday in January.
double admission_weight(std::int64_t day);
inline constexpr std::int64_t kClinicFirstDay = 18628, kClinicLastDay = 20088;  // 2021-01-01 and 2024-12-31

}  // namespace sosia
