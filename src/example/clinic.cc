// SPDX-License-Identifier: Apache-2.0
#include "example/clinic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "data/cell.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

constexpr int kCodesOfChapter = 10;
constexpr double kLn2 = 0.693147180559945309417;

enum Ward { cardiology, emergency, general, maternity, oncology, paediatrics, psychiatry, surgery };

/// A chapter of diagnoses: weights below 18, from 18 to 64 and above, for either sex, and its ward.
struct Chapter {
  char letter;
  double child, adult, old, female, male;
  Ward ward;
};

constexpr std::array<Chapter, 20> kChapters = {{
    {'A', 0.10, 0.03, 0.030, 1.0, 1.0, general},      {'B', 0.04, 0.020, 0.010, 1.0, 1.0, general},
    {'C', 0.01, 0.07, 0.140, 1.0, 1.0, oncology},     {'D', 0.02, 0.030, 0.040, 1.2, 0.8, oncology},
    {'E', 0.02, 0.06, 0.090, 1.1, 0.9, general},      {'F', 0.02, 0.100, 0.030, 0.9, 1.1, psychiatry},
    {'G', 0.04, 0.05, 0.060, 1.0, 1.0, general},      {'H', 0.08, 0.030, 0.060, 1.0, 1.0, surgery},
    {'I', 0.01, 0.08, 0.260, 0.8, 1.2, cardiology},   {'J', 0.22, 0.060, 0.110, 0.9, 1.1, general},
    {'K', 0.08, 0.12, 0.090, 1.0, 1.0, surgery},      {'L', 0.05, 0.030, 0.020, 1.0, 1.0, general},
    {'M', 0.03, 0.10, 0.100, 1.1, 0.9, surgery},      {'N', 0.02, 0.070, 0.060, 1.1, 0.9, surgery},
    {'O', 0.00, 0.14, 0.000, 2.0, 0.0, maternity},    {'P', 0.06, 0.000, 0.000, 1.0, 1.0, paediatrics},
    {'Q', 0.05, 0.005, 0.002, 1.0, 1.0, paediatrics}, {'R', 0.10, 0.080, 0.080, 1.0, 1.0, emergency},
    {'S', 0.14, 0.12, 0.070, 0.7, 1.3, emergency},    {'T', 0.04, 0.040, 0.020, 1.0, 1.0, emergency},
}};

constexpr std::array<double, 7> kWeekday = {1.0, 0.95, 0.9, 0.9, 0.85, 0.45, 0.4};  // Monday first
constexpr std::array<double, 12> kMonth = {1.0, 0.95, 0.9, 0.8, 0.75, 0.7, 0.65, 0.65, 0.75, 0.8, 0.9, 1.0};
constexpr std::array<double, 4> kVisits = {0.62, 0.22, 0.11, 0.05};

/// exp by its series: the standard one may differ in the last digit from machine to machine.
double portable_exp(double x) {
  const double k = std::floor(x / kLn2 + 0.5);
  const double r = x - k * kLn2;
  double sum = 1.0;
  for (int i = 16; i > 0; --i) sum = 1.0 + sum * r / i;
  return std::ldexp(sum, static_cast<int>(k));
}

/// Near enough to a standard normal number: the sum of twelve uniform ones.
double portable_normal(PublicRng& rng) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

template <std::size_t n>
std::size_t draw(PublicRng& rng, const std::array<double, n>& weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  double rest = rng.uniform() * total;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    rest -= weights[i];
    if (rest < 0.0) return i;
  }
  return n - 1;
}

int draw_age(PublicRng& rng) {
  const double kind = rng.uniform();
  if (kind < 0.12) return static_cast<int>(rng.uniform() * 18.0);
  const double age = kind < 0.5 ? 42.0 + 13.0 * portable_normal(rng) : 71.0 + 10.0 * portable_normal(rng);
  return static_cast<int>(std::clamp(std::floor(age), 0.0, 100.0));
}

std::int64_t draw_admission(PublicRng& rng) {
  constexpr auto kDays = static_cast<double>(kClinicLastDay - kClinicFirstDay + 1);
  for (;;) {
    const std::int64_t day = kClinicFirstDay + static_cast<std::int64_t>(rng.uniform() * kDays);
    if (rng.uniform() < admission_weight(day)) return day;
  }
}

int draw_days(PublicRng& rng, int age) {
  if (rng.uniform() < 0.25) return 0;
  const double stop = 1.0 / (2.0 + age / 25.0);
  int days = 1;
  while (days < 60 && rng.uniform() >= stop) ++days;
  return days;
}

int draw_diagnosis(PublicRng& rng, int age, bool female) {
  std::array<double, kChapters.size()> chapters;
  for (std::size_t i = 0; i < kChapters.size(); ++i) {
    const Chapter& chapter = kChapters[i];
    const double weight = age < 18 ? chapter.child : age < 65 ? chapter.adult : chapter.old;
    chapters[i] = weight * (female ? chapter.female : chapter.male);
    if (chapter.ward == maternity && age > 50) chapters[i] = 0.0;
  }
  std::array<double, kCodesOfChapter> codes;
  for (int i = 0; i < kCodesOfChapter; ++i) codes[static_cast<std::size_t>(i)] = 1.0 / (i + 1);
  const std::size_t chapter = draw(rng, chapters);
  return static_cast<int>(chapter) * kCodesOfChapter + static_cast<int>(draw(rng, codes));
}

const Chapter& chapter_of(const Visit& visit) {
  return kChapters[static_cast<std::size_t>(visit.diagnosis / kCodesOfChapter)];
}

int draw_ward(PublicRng& rng, const Visit& visit) {
  if (rng.uniform() < 0.2) return static_cast<int>(rng.uniform() * static_cast<double>(clinic_wards().size()));
  return visit.age < 18 ? paediatrics : chapter_of(visit).ward;
}

double readmission_chance(const Visit& visit) {
  const char letter = chapter_of(visit).letter;
  const bool serious = letter == 'C' || letter == 'I' || letter == 'J';
  const double score = -3.4 + 0.022 * (visit.age - 50) + (serious ? 0.9 : 0.0) + (visit.smoker ? 0.6 : 0.0);
  return 1.0 / (1.0 + portable_exp(-score));
}

int whole_within(double value, double least, double most) {
  return static_cast<int>(std::clamp(std::floor(value + 0.5), least, most));
}

/// All that is measured at a visit whose patient and date are known.
void measure(PublicRng& rng, Visit& visit) {
  const int days = draw_days(rng, visit.age);
  visit.discharged = visit.admitted + days;
  visit.diagnosis = draw_diagnosis(rng, visit.age, visit.female);
  visit.ward = draw_ward(rng, visit);
  const double a = portable_normal(rng), b = portable_normal(rng);
  visit.systolic = whole_within(108.0 + 0.35 * visit.age + 13.0 * a, 70.0, 240.0);
  visit.diastolic = whole_within(66.0 + 0.12 * visit.age + 8.5 * (0.6 * a + 0.8 * b), 35.0, 150.0);
  const double bmi = 26.0 + 4.5 * portable_normal(rng) - (visit.smoker ? 0.8 : 0.0);
  visit.bmi = round_decimals(std::clamp(bmi, 12.0, 60.0), 1);
  const double c = portable_normal(rng);
  const double crp = round_decimals(std::clamp(8.0 * portable_exp(0.9 * c), 0.1, 500.0), 1);
  if (rng.uniform() >= (c < 0.0 ? 0.19 : 0.05)) visit.crp = crp;
  const double cost = 250.0 * portable_exp(0.7 * portable_normal(rng)) * (1.0 + 0.6 * days);
  visit.cost = rng.uniform() < 0.15 ? 0.0 : round_decimals(std::clamp(cost, 0.01, 200000.0), 2);
  visit.readmitted = rng.uniform() < readmission_chance(visit);
}

}  // namespace

double admission_weight(std::int64_t day) {
  const std::string date = format_date(day);  // 2024-12-31
  const int month = 10 * (date[5] - '0') + (date[6] - '0');
  // 1970-01-01 was a Thursday.
  const auto weekday = static_cast<std::size_t>((day + 3) % 7);
  return kWeekday[weekday] * kMonth[static_cast<std::size_t>(month - 1)];
}

std::vector<Visit> clinic_visits(std::uint64_t seed, std::int64_t patient) {
  PublicRng rng(seed, static_cast<std::uint64_t>(patient));
  Visit person;
  person.patient = patient;
  person.age = draw_age(rng);
  person.female = rng.uniform() < 0.5;
  person.smoker = rng.uniform() < (person.age < 18 ? 0.0 : person.age < 65 ? 0.26 : 0.14);
  std::vector<Visit> visits(draw(rng, kVisits) + 1, person);
  std::vector<std::int64_t> days;
  for (std::size_t i = 0; i < visits.size(); ++i) days.push_back(draw_admission(rng));
  std::sort(days.begin(), days.end());
  for (std::size_t i = 0; i < visits.size(); ++i) {
    visits[i].admitted = days[i];
    visits[i].age += static_cast<int>((days[i] - days[0]) / 365);
    measure(rng, visits[i]);
  }
  return visits;
}

const std::vector<std::string>& clinic_diagnoses() {
  static const std::vector<std::string> codes = [] {
    std::vector<std::string> made;
    for (const Chapter& chapter : kChapters) {
      for (int i = 0; i < kCodesOfChapter; ++i) made.push_back(fmt::format("{}{:02}", chapter.letter, 9 * i + 5));
    }
    return made;
  }();
  return codes;
}

const std::vector<std::string>& clinic_wards() {
  static const std::vector<std::string> wards = {"cardiology", "emergency",   "general",    "maternity",
                                                 "oncology",   "paediatrics", "psychiatry", "surgery"};
  return wards;
}

}  // namespace sosia
