// SPDX-License-Identifier: Apache-2.0
#include "methods/private_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <sosia/error.h>

#include "base/check.h"
#include "generate/decoded_generator.h"
#include "privacy/count_map.h"

namespace sosia {

namespace {

constexpr double kHardlyAny = 1e-3;
constexpr double kClassSeen = 2.0;  // standard deviations of noise, below which a class counts as empty

/// Declared or set; none if neither.
std::optional<double> public_rows(const Outline& outline, const Settings& settings) {
  const double given = settings.number("rows");
  return given > 0.0 ? given : outline.rows;
}

/// One count of all rows of a class.
class ClassCounts : public CountMap {
 public:
  explicit ClassCounts(const OpenRows& rows) : rows_(rows), slot_{static_cast<std::uint32_t>(rows.parts())} {}
  std::span<const CountSlot> slots() const override { return {&slot_, 1}; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    std::vector<std::uint32_t> parts(rows.rows);
    rows_.assign(rows, parts);
    for (std::size_t r = 0; r < rows.rows; ++r) cells.row(r)[0] = parts[r];
  }

 private:
  OpenRows rows_;
  CountSlot slot_;
};

std::string counts_label(const OpenRows& rows) { return rows.parts() > 1 ? kClassesLabel : kRowsLabel; }

bool has_counts(const OpenRows& rows, const Outline& outline, const Settings& settings) {
  return rows.parts() > 1 || !public_rows(outline, settings);
}

}  // namespace

std::vector<MethodOption> training_options() {
  return {
      {"rows",
       0,
       0,
       1e12,
       true,
       "of the table, about and publicly known, for the sampling rates; 0: as declared, or 10000",
       {},
       "the number of rows, about"},
      {"rows_share", 0.02, 1e-4, 0.5, false,
       "of the budget for the number of rows, of each class if need be, where it is not public"},
      {"quantiles", 0.05, 0.0, 0.9, false,
       "share of the budget for quantiles of the numbers; 0: scaled by their bounds"},
      {"stretches", 0, 0, 64, true,
       "of a number's range that hold as many rows each, at most; 0: 32, of up to 3 numbers 4"},
      {"clip_quantile", 0.0, 0.0, 0.99, false, "of the norms, which the clipping norms follow; 0: they stay"},
      {"microbatch", 1, 1, 10000, true,
       "rows whose mean gradient is clipped, on average; above 1 a row can turn a mean around, and noise is dearer"}};
}

void add_descent_options(const std::string& prefix, const std::string& what, const DescentOptions& standard,
                         std::vector<MethodOption>& options) {
  options.push_back({prefix + "steps", static_cast<double>(standard.steps), 1, 10000000, true, "of " + what});
  options.push_back({prefix + "batch", standard.batch, 1, 1e9, false, "rows in a sample, on average"});
  options.push_back({prefix + "rate", standard.rate, 1e-6, 1.0, false, "at which it learns"});
  options.push_back(
      {prefix + "clip", standard.clip, 1e-6, 1e6, false, "norm to which the gradient of a row is clipped"});
  options.push_back({prefix + "noise", 0.0, 0.0, 1e6, false, "multiplier; 0: as the budget allows"});
}

void add_net_options(std::vector<MethodOption>& options) {
  options.push_back({"preset", 0, 0, 2, true, "nets: 1 for mixed columns, 2 for binary ones; 0: by the columns"});
  options.push_back({"latent", 0, 0, 100000, true, "numbers of a code; 0: by the columns"});
  options.push_back(
      {"hidden", 0, 0, 100000, true, "width of encoder and decoder, for mixed columns; 0: by the columns"});
}

PlanPart gaussian_part(const std::string& label, int count, double share, std::int64_t numbers, double norm) {
  PlanPart part;
  part.how.label = label;
  part.count = count;
  part.share = share;
  part.numbers = numbers;
  part.norm = norm;
  return part;
}

PlanPart descent_part(const std::string& prefix, const std::string& label, double share, std::size_t parameters,
                      const Outline& outline, const Settings& settings) {
  const double rows = public_rows(outline, settings).value_or(kRowsIfUnknown);
  const double noise = settings.number(prefix + "noise"), microbatch = settings.number("microbatch");
  PlanPart part{
      .how = {.noise = noise, .rate = std::min(settings.number(prefix + "batch"), rows) / rows, .label = label},
      .count = settings.whole(prefix + "steps"),
      .share = share,
      .numbers = static_cast<std::int64_t>(parameters),
      .norm = settings.number(prefix + "clip") * microbatch};
  if (microbatch == 1.0) return part;
  if (settings.number("clip_quantile") > 0.0) {
    throw Error(ErrorKind::usage, "clipping norms of microbatches cannot follow a quantile", "fit; nothing was spent",
                "leave out clip_quantile or microbatch");
  }
  part.how.groups = static_cast<std::int64_t>(std::ceil(rows / microbatch));
  return part;
}

void add_row_counts(const OpenRows& rows, const Outline& outline, const Settings& settings,
                    std::vector<PlanPart>& parts) {
  if (!has_counts(rows, outline, settings)) return;
  parts.push_back(gaussian_part(counts_label(rows), 1, settings.number("rows_share"), rows.parts(), 1.0));
}

RowCounts release_row_counts(const PrivateTable& table, const OpenRows& rows, const Training& training,
                             Ledger& ledger) {
  const std::optional<double> known = public_rows(training.outline, training.settings);
  const auto parts = static_cast<std::size_t>(rows.parts());
  if (!has_counts(rows, training.outline, training.settings)) return {*known, std::vector<double>(parts, 1.0)};
  const std::string label = counts_label(rows);
  const Release release = ledger.noisy_counts(
      table, ClassCounts(rows), {.noise = planned_noise(ledger, label), .label = label}, training.threads);
  std::vector<double> counts(release.values().begin(), release.values().end());
  for (double& count : counts) {
    if (count < std::max(kClassSeen * release.sigma(), 0.5)) count = 0.0;
  }
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (total == 0.0) std::ranges::fill(counts, 1.0);
  return {known.value_or(std::max(total, 1.0)), counts};
}

double planned_noise(const Ledger& ledger, const std::string& label) {
  if (ledger.plan() == nullptr) return kHardlyAny;
  for (const Event& event : ledger.plan()->events) {
    if (event.label != label) continue;
    if (const auto* grouped = std::get_if<GroupedGaussian>(&event.mechanism)) return grouped->noise;
    const auto* sampled = std::get_if<SampledGaussian>(&event.mechanism);
    return sampled != nullptr ? sampled->noise : std::get<Gaussian>(event.mechanism).noise;
  }
  SOSIA_CHECK(false, "a release that is not in the plan");
}

DpSgdOptions descent_of(const std::string& prefix, const PlanPart& part, double rows, const Training& training,
                        const Ledger& ledger) {
  DpSgdOptions options{.how = part.how,
                       .batch = std::max(part.how.rate * rows, 1.0),
                       .rate = training.settings.number(prefix + "rate"),
                       .clip = part.norm,
                       .quantile = training.settings.number("clip_quantile")};
  options.how.noise = planned_noise(ledger, part.how.label);
  return options;
}

OpenPlan open_plan(const std::vector<PlanPart>& parts) {
  OpenPlan open;
  for (const PlanPart& part : parts) {
    NoisySum how = part.how;
    if (how.noise == 0.0) how.noise = 1.0;
    open.plan.events.push_back(event_of(how, part.count));
    open.shares.push_back(part.how.noise > 0.0 ? 0.0 : part.share);
  }
  return open;
}

std::vector<PlannedRelease> planned_releases(const std::vector<PlanPart>& parts, const Ledger& ledger) {
  std::vector<PlannedRelease> list;
  for (const PlanPart& part : parts) {
    const double noise = planned_noise(ledger, part.how.label);
    const std::int64_t rows_of_unit = part.how.groups > 0 ? 1 : ledger.promise().unit.max_rows;
    list.push_back({(part.count > 1 ? std::to_string(part.count) + " " : "") + part.how.label, part.numbers, noise,
                    noise * part.norm * static_cast<double>(rows_of_unit)});
  }
  return list;
}

std::shared_ptr<const Generator> trained_already(const Released& released, const Training& training) {
  training.watch({1, 1, 0.0});
  const auto& net = std::get<DecodedNet>(released);
  const Outline& outline = training.outline;
  return std::make_shared<const DecodedGenerator>(
      OpenRows(outline.widths, net.shape.classes > 0 ? outline.target : std::nullopt), net);
}

}  // namespace sosia
