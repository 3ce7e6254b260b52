// SPDX-License-Identifier: Apache-2.0
#include "methods/label_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "methods/pick_rule.h"
#include "methods/private_plan.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr char kPicksLabel[] = "columns to be learned by class";
constexpr std::uint32_t kNumberValues = 4;  // of a number, told apart where columns are picked

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

/// What each slot would score if it said nothing, with values that are equally frequent, in rows. Without shares of
/// the classes, they are taken to be even.
std::vector<double> chance_scores(const LabelledValues& slots, const Outline& outline, std::vector<double> classes,
                                  double rows) {
  const double total = std::accumulate(classes.begin(), classes.end(), 0.0);
  const auto even = [](std::size_t count) { return std::vector<double>(count, 1.0 / static_cast<double>(count)); };
  if (total > 0.0) {
    for (double& of_class : classes) of_class /= total;
  } else {
    classes = even(classes.size());
  }
  std::vector<double> chance;
  for (const int field : slots.fields()) {
    const bool is_number = outline.widths[static_cast<std::size_t>(field)] == 0;
    const std::uint32_t values = is_number ? kNumberValues : declared(outline, field);
    chance.push_back(chance_score(total > 0.0 ? total : rows, classes, even(values), !(total > 0.0)));
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
  const std::size_t candidates = LabelledValues(rows, outline).fields().size();
  if (const int given = settings.whole("picks"); given > 0) {
    return static_cast<std::size_t>(given) < candidates ? given : 0;
  }
  const Promise& promise = ledger.promise();
  const double noise = ledger.noise_for_share(outline.budget * pick_shares(promise.relation).picks);
  const int picks = columns_worth_picking(1.0 / count_sigma(noise, 1, promise), outline.rows.value_or(kRowsIfUnknown),
                                          candidates, promise.relation);
  return 2 * static_cast<std::size_t>(picks) < candidates ? picks : 0;
}

std::vector<PlannedRelease> plan_picks(const OpenRows& rows, const Outline& outline, int count, const Ledger& ledger) {
  const auto planned = [&](const char* what, int cells, double share) -> PlannedRelease {
    const double noise = ledger.noise_for_share(outline.budget * share);
    return {what, cells, noise, count_sigma(noise, 1, ledger.promise())};
  };
  const PickShares shares = pick_shares(ledger.promise().relation);
  std::vector<PlannedRelease> list;
  if (shares.classes > 0.0) list.push_back(planned(kClassesLabel, rows.parts(), shares.classes));
  list.push_back(planned(kPicksLabel, count, shares.picks));
  return list;
}

Embeddings release_picks(const PrivateTable& table, const OpenRows& rows, const Outline& outline, int count,
                         Ledger& ledger, ThreadPool& threads) {
  const double whole_noise = ledger.noise_for_share(1.0);
  const PickShares shares = pick_shares(ledger.promise().relation);
  Embeddings out;
  std::vector<double> classes_seen(declared(outline, *rows.label()));
  if (shares.classes > 0.0) {
    const auto classes = static_cast<std::uint32_t>(rows.parts());
    const Release counted =
        ledger.noisy_counts(table, Marginals({View::finest(*rows.label(), classes)}, {{{0}, 1.0}}),
                            {.noise = whole_noise / std::sqrt(shares.classes), .label = kClassesLabel}, threads);
    out.counts.assign(counted.values().begin(), counted.values().end());
    out.count_sigma = counted.sigma();
    for (std::size_t y = 0; y < classes_seen.size(); ++y) classes_seen[y] = std::max(out.counts[y], 0.0);
  }
  const LabelledValues slots(rows, outline);
  const Picks how{.count = count,
                  .epsilon = std::min(1e6, epsilon_of_picks(whole_noise / std::sqrt(shares.picks), count)),
                  .chance = chance_scores(slots, outline, classes_seen, outline.rows.value_or(kRowsIfUnknown)),
                  .label = kPicksLabel};
  for (const int slot : ledger.private_picks(table, slots, classes_seen, how, threads)) {
    out.picked.push_back(slots.fields()[static_cast<std::size_t>(slot)]);
  }
  return out;
}

}  // namespace sosia
