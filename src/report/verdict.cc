// SPDX-License-Identifier: Apache-2.0
// The rules are those of docs/report.md.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <sosia/report.h>

namespace sosia {

namespace {

using Answer = Verdict::Answer;

constexpr const char* kRelations[] = {"correlation", "mutual_information"};
constexpr const char* kUses[] = {"transfer", "regression"};
constexpr const char* kAttacks[] = {"closest_share", "distance_attack", "likelihood_attack"};
/// Floor and ceiling that are no farther apart leave nothing to be told from chance.
constexpr double kNoDifference = 0.005;

const MetricScores* find(const Scores& scores, const std::string& name) {
  const auto found = std::find_if(scores.metrics.begin(), scores.metrics.end(),
                                  [&](const MetricScores& metric) { return metric.metric.name == name; });
  return found == scores.metrics.end() || !std::isfinite(found->score.synthetic) ? nullptr : &*found;
}

/// The first bound that the value does not exceed says the grade.
Grade grade_up_to(double value, const double (&bounds)[4]) {
  const auto place = std::lower_bound(std::begin(bounds), std::end(bounds), value) - std::begin(bounds);
  return static_cast<Grade>(place);
}

/// 1 at the floor, 0 at the ceiling, whichever of them is the larger number; nothing where they hardly differ.
std::optional<double> kept(const Score& score) {
  const double room = score.ceiling - score.floor;
  if (!std::isfinite(room) || std::abs(room) < kNoDifference) return {};
  return std::clamp((score.ceiling - score.synthetic) / room + 0.0, 0.0, 1.0);  // + 0: there is no "-0 %"
}

Grade grade_of_kept(double share) { return grade_up_to(1.0 - share, {0.1, 0.3, 0.6, 0.9}); }

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

/// Distances of tables of counts are shares of rows, and so mean the same everywhere.
std::optional<Answer> tables(const Scores& scores, const char* name, const char* question, const double (&bounds)[4]) {
  const MetricScores* metric = find(scores, name);
  if (metric == nullptr) return {};
  const Score& score = metric->score;
  return Answer{.question = question,
                .sentence = fmt::format("{:.1f} of 100 rows would have to change; sampling alone takes {:.1f}.",
                                        100.0 * score.synthetic, 100.0 * score.floor),
                .grade = grade_up_to(std::max(0.0, score.synthetic - score.floor), bounds),
                .metrics = {name}};
}

std::optional<Answer> columns(const Scores& scores) {
  return tables(scores, "tvd_1", "Single columns", {0.01, 0.03, 0.08, 0.2});
}

std::optional<Answer> pairs(const Scores& scores) {
  return tables(scores, "tvd_2", "Pairs of columns", {0.02, 0.06, 0.15, 0.3});
}

/// The lower of two shares: each can be high by chance alone.
std::optional<Answer> relations(const Scores& scores) {
  Answer answer{.question = "Relations between columns"};
  double least = 1.0;
  for (const char* name : kRelations) {
    const MetricScores* metric = find(scores, name);
    const auto share = metric != nullptr ? kept(metric->score) : std::nullopt;
    if (!share) continue;
    least = std::min(least, *share);
    answer.metrics.emplace_back(name);
  }
  if (answer.metrics.empty()) return {};
  answer.grade = grade_of_kept(least);
  answer.sentence = fmt::format("{} of what columns tell about each other is kept.", percent(least));
  return answer;
}

/// Images, by the share of their distance that a metric keeps.
std::optional<Answer> images(const Scores& scores, const char* name, const char* question, const char* words) {
  const MetricScores* metric = find(scores, name);
  const auto share = metric != nullptr ? kept(metric->score) : std::nullopt;
  if (!share) return {};
  return Answer{
      .question = question, .sentence = percent(*share) + words, .grade = grade_of_kept(*share), .metrics = {name}};
}

std::optional<Answer> looks(const Scores& scores) {
  return images(scores, "frechet", "Images as a whole", " of the way from pixels drawn at random to real images.");
}

/// Not by pixels: there a slight blur is far from everything.
std::optional<Answer> variety(const Scores& scores) {
  if (scores.features == "pixels") return {};
  return images(scores, "coverage", "Variety", " of the real images that a copy would come near have one near.");
}

std::optional<Answer> classes(const Scores& scores) {
  const MetricScores* metric = find(scores, "class_balance");
  if (metric == nullptr) return {};
  const Score& score = metric->score;
  return Answer{.question = "Classes",
                .sentence = fmt::format("{:.1f} of 100 images would need another class; sampling alone takes {:.1f}.",
                                        100.0 * score.synthetic, 100.0 * score.floor),
                .grade = grade_up_to(std::max(0.0, score.synthetic - score.floor), {0.01, 0.03, 0.08, 0.2}),
                .metrics = {"class_balance"}};
}

std::optional<Answer> use(const Scores& scores) {
  for (const char* name : kUses) {
    const MetricScores* metric = find(scores, name);
    if (metric == nullptr) continue;
    Answer answer{.question = "Models trained on it", .metrics = {name}};
    if (const auto share = kept(metric->score)) {
      answer.grade = grade_of_kept(*share);
      answer.sentence = fmt::format(
          "They keep {} of what {}.", percent(*share),
          scores.features.empty() ? "the other columns tell about the target" : "real images tell about the class");
    } else {
      answer.sentence = "The other columns tell nothing about the target, in the real rows either.";
    }
    return answer;
  }
  return {};
}

std::optional<Answer> coverage(const Scores& scores) {
  const MetricScores* metric = find(scores, "minorities");
  if (metric == nullptr) return {};
  const double missed = metric->score.synthetic, by_chance = metric->score.floor;
  const double excess = std::max(0.0, missed - (std::isfinite(by_chance) ? by_chance : 0.0));
  const auto count = static_cast<double>(metric->parts.size());
  return Answer{.question = "Values that few rows have",
                .sentence = fmt::format("{:.0f} of {:.0f} occur in synthetic rows too.", (1.0 - missed) * count, count),
                .grade = grade_up_to(excess, {0.0, 0.1, 0.3, 0.6}),
                .metrics = {"minorities"}};
}

std::optional<Answer> copying(const Scores& scores) {
  Answer answer{.question = "Signs of copying"};
  double worst = 0.0;
  for (const char* name : kAttacks) {
    const MetricScores* metric = find(scores, name);
    if (metric == nullptr) continue;
    worst = std::max(worst, metric->score.synthetic);
    answer.metrics.emplace_back(name);
  }
  if (answer.metrics.empty()) return {};
  answer.grade = grade_up_to(worst - 0.5, {0.03, 0.05, 0.1, 0.2});
  answer.sentence = fmt::format("{} Attacks score {:.2f} at the most; guessing scores 0.50.",
                                worst <= 0.55 ? "None found." : "Look into them.", worst);
  return answer;
}

const char* sentence_of(Grade grade) {
  switch (grade) {
    case Grade::best:
      return "Close to the best that any table of this size can be.";
    case Grade::good:
      return "Good: near the real table in what was measured, with small losses.";
    case Grade::fair:
      return "Fair: the main shapes are there, part of the detail is lost.";
    case Grade::weak:
      return "Weak: much of what was measured is lost. Use it for trying things out, not for results.";
    case Grade::poor:
      return "Poor: hardly anything of what was measured is kept.";
    default:
      return "Nothing was measured that a verdict could rest on.";
  }
}

}  // namespace

const char* name_of(Grade grade) noexcept {
  constexpr const char* kNames[] = {"best", "good", "fair", "weak", "poor", "unknown"};
  return kNames[static_cast<std::size_t>(grade)];
}

Verdict verdict_of(const Scores& scores) {
  Verdict verdict;
  for (const auto& question : {columns, pairs, relations, classes, looks, variety, use}) {
    const auto answer = question(scores);
    if (!answer) continue;
    verdict.answers.push_back(*answer);
    if (answer->grade == Grade::unknown) continue;
    verdict.grade = verdict.grade == Grade::unknown ? answer->grade : std::max(verdict.grade, answer->grade);
  }
  for (const auto& question : {coverage, copying}) {
    if (const auto answer = question(scores)) verdict.answers.push_back(*answer);
  }
  verdict.sentence = sentence_of(verdict.grade);
  return verdict;
}

}  // namespace sosia
