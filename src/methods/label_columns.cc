// SPDX-License-Identifier: Apache-2.0
#include "methods/label_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "methods/clean_counts.h"
#include "methods/private_plan.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr char kPicksLabel[] = "columns to be learned by class";
constexpr std::uint32_t kNumberValues = 4;  // of a number, told apart where columns are picked
constexpr double kDrowned = 0.06;           // the error of a class's mean, where a column's own is from 0 to 1
constexpr double kMostPicked = 0.25;        // of the columns
constexpr double kSigmasAPick = 50.0;  // rows a picked column, in units of the noise of a count with all the budget

/// mu of counts to which a row adds 1, with all of the method's budget.
double count_mu(const Outline& outline, const Ledger& ledger) {
  return 1.0 / count_sigma(ledger.noise_for_share(outline.budget), 1, ledger.promise());
}

int columns_in(const OpenRows& rows) { return rows.scalars() + static_cast<int>(rows.blocks().size()); }

/// States that stand for a declared value.
std::uint32_t declared(const Outline& outline, int field) {
  const auto f = static_cast<std::size_t>(field);
  return outline.widths[f] - outline.spare[f];
}

/// For each field but the label a slot of declared classes times values, the value running fastest; numbers, which are
/// spread over [0, 1], have even bins for values. Fields that say no more than whether there is a value are left out.
class LabelledValues : public CountMap {
 public:
  LabelledValues(const OpenRows& rows, const Outline& outline)
      : rows_(rows), classes_(declared(outline, *rows.label())) {
    for (int field = 0; field < static_cast<int>(rows.widths().size()); ++field) {
      const bool is_number = outline.widths[static_cast<std::size_t>(field)] == 0;
      if (field == rows.label() || (!is_number && declared(outline, field) < 2)) continue;
      fields_.push_back(field);
      slots_.push_back({classes_ * values(field)});
    }
  }

  const std::vector<int>& fields() const { return fields_; }
  std::uint32_t values(int field) const {
    const std::uint32_t width = rows_.widths()[static_cast<std::size_t>(field)];
    return width > 0 ? width : kNumberValues;
  }
  std::span<const CountSlot> slots() const override { return slots_; }

  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    std::vector<std::uint32_t> parts(rows.rows);
    rows_.assign(rows, parts);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t s = 0; s < fields_.size(); ++s) {
        const std::uint32_t value = value_of(rows.row(r)[static_cast<std::size_t>(fields_[s])], fields_[s]);
        const bool is_cell = value != kNoCell && parts[r] < classes_;
        cells.row(r)[s] = is_cell ? parts[r] * values(fields_[s]) + value : kNoCell;
      }
    }
  }

 private:
  std::uint32_t value_of(float encoded, int field) const {
    const std::uint32_t count = values(field);
    const bool is_number = rows_.widths()[static_cast<std::size_t>(field)] == 0;
    const float place = is_number ? encoded * static_cast<float>(count) : encoded;
    if (!(place >= 0.0F && place <= static_cast<float>(count))) return kNoCell;
    const auto value = static_cast<std::uint32_t>(place);
    if (value < count) return value;
    return is_number ? count - 1 : kNoCell;
  }

  OpenRows rows_;
  std::uint32_t classes_;
  std::vector<int> fields_;
  std::vector<CountSlot> slots_;
};

/// What each slot would score if it said nothing, with declared values that are equally frequent, in rows.
std::vector<double> chance_scores(const LabelledValues& slots, const Outline& outline,
                                  const std::vector<double>& rows) {
  const double total = std::accumulate(rows.begin(), rows.end(), 0.0);
  std::vector<double> chance;
  for (const int field : slots.fields()) {
    const bool is_number = outline.widths[static_cast<std::size_t>(field)] == 0;
    const double values = is_number ? kNumberValues : declared(outline, field);
    double score = 0.0;
    for (const double of_class : rows) {
      if (total > 0.0) score += values * poisson_deviation(of_class / values) * std::sqrt(1.0 - of_class / total);
    }
    chance.push_back(score);
  }
  return chance;
}

}  // namespace

Columns all_columns(const OpenRows& rows) {
  Columns all{std::vector<int>(static_cast<std::size_t>(rows.scalars())), std::vector<int>(rows.blocks().size())};
  std::iota(all.numbers.begin(), all.numbers.end(), 0);
  std::iota(all.blocks.begin(), all.blocks.end(), 0);
  return all;
}

SplitColumns split_columns(const OpenRows& rows, const std::vector<int>& picked_fields) {
  SplitColumns split;
  int numbers = 0, blocks = 0;
  for (int field = 0; field < static_cast<int>(rows.widths().size()); ++field) {
    if (field == rows.label()) continue;
    const bool is_picked = std::find(picked_fields.begin(), picked_fields.end(), field) != picked_fields.end();
    Columns& list = is_picked ? split.picked : split.others;
    if (rows.widths()[static_cast<std::size_t>(field)] == 0) {
      list.numbers.push_back(numbers++);
    } else {
      list.blocks.push_back(blocks++);
    }
  }
  return split;
}

int columns_to_pick(const OpenRows& rows, const Outline& outline, const Settings& settings, const Ledger& ledger) {
  if (rows.parts() < 2 || outline.image || declared(outline, *rows.label()) < 2) return 0;
  const auto candidates = static_cast<double>(LabelledValues(rows, outline).fields().size());
  if (const double given = settings.number("picks"); given > 0.0) {
    return given < candidates ? static_cast<int>(given) : 0;
  }
  const double mu = count_mu(outline, ledger), count = outline.rows.value_or(kRowsIfUnknown);
  const double error = std::sqrt(columns_in(rows)) * rows.parts() / (mu * count);
  const double picks = std::floor(mu * count / kSigmasAPick);
  return error > kDrowned && picks <= kMostPicked * candidates ? static_cast<int>(picks) : 0;
}

std::vector<PlannedRelease> plan_picks(const OpenRows& rows, const Outline& outline, int count, const Ledger& ledger) {
  const auto planned = [&](const char* what, int cells, double share) -> PlannedRelease {
    const double noise = ledger.noise_for_share(outline.budget * share);
    return {what, cells, noise, count_sigma(noise, 1, ledger.promise())};
  };
  return {planned(kClassesLabel, rows.parts(), kClassShare), planned(kPicksLabel, count, kPickShare)};
}

Embeddings release_picks(const PrivateTable& table, const OpenRows& rows, const Outline& outline, int count,
                         Ledger& ledger, ThreadPool& threads) {
  const double whole_noise = ledger.noise_for_share(1.0);
  const auto classes = static_cast<std::uint32_t>(rows.parts());
  const Release counted =
      ledger.noisy_counts(table, Marginals({View::finest(*rows.label(), classes)}, {{{0}, 1.0}}),
                          {.noise = whole_noise / std::sqrt(kClassShare), .label = kClassesLabel}, threads);
  Embeddings out;
  out.counts.assign(counted.values().begin(), counted.values().end());
  out.count_sigma = counted.sigma();
  std::vector<double> classes_seen(out.counts.begin(), out.counts.begin() + declared(outline, *rows.label()));
  for (double& of_class : classes_seen) of_class = std::max(of_class, 0.0);
  const LabelledValues slots(rows, outline);
  const Picks how{.count = count,
                  .epsilon = std::min(1e6, epsilon_of_picks(whole_noise / std::sqrt(kPickShare), count)),
                  .chance = chance_scores(slots, outline, classes_seen),
                  .label = kPicksLabel};
  for (const int slot : ledger.private_picks(table, slots, classes_seen, how, threads)) {
    out.picked.push_back(slots.fields()[static_cast<std::size_t>(slot)]);
  }
  return out;
}

}  // namespace sosia
