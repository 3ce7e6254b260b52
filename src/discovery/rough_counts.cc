// SPDX-License-Identifier: Apache-2.0
#include "discovery/rough_counts.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "privacy/lattice.h"

namespace sosia {

namespace {

// A missing state costs little where there is none, so little evidence will do.
constexpr double kMissingSigmas = 2.0;
// A spike: this share of the rows at 0 exactly.
constexpr double kAtomShare = 0.05;

/// Tells present from missing cells and nothing else.
Column as_present(const Column& column) {
  Column counted = as_counted(column);
  if (!has_values(column.type)) return counted;
  counted.type = ColumnType::categorical;
  counted.values = {"other"};
  return counted;
}

bool holds(const std::vector<std::size_t>& list, std::size_t i) {
  return std::binary_search(list.begin(), list.end(), i);
}

}  // namespace

RoughCounts::RoughCounts(Search& search) : search_(search) {
  const OpenFacts& open = search.open;
  if (open.nothing()) return;
  if (open.rows) survey_.ask_rows();
  for (std::size_t i = 0; i < search.schema.columns.size(); ++i) {
    const Column& column = search.schema.columns[i];
    if (holds(open.bounds, i)) {
      const Range& range = ranges_.emplace(i, Range{widest_cells(column)}).first->second;
      questions_[i] = survey_.ask(range.scale.cut(as_counted(column)));
    } else if (holds(open.cuts, i) || (open.classes && column.name == search.schema.target)) {
      questions_[i] = survey_.ask(as_counted(column));
    } else if (holds(open.missing, i)) {
      questions_[i] = survey_.ask(as_present(column));
    } else if (open.rows && (has_values(column.type) || has_bounds(column.type)) && questions_.empty()) {
      survey_.carry(as_present(column));  // rows are counted by some column
    }
  }
}

DiscoveryStep RoughCounts::step(double noise) const {
  std::vector<std::size_t> columns;
  for (const auto& [i, question] : questions_) columns.push_back(i);
  const double sigma = count_sigma(noise, survey_.slots(), search_.promise);
  return {"rows and rough counts",
          search_.names(columns),
          static_cast<std::int64_t>(survey_.cells()),
          noise,
          sigma,
          0.0,
          threshold_for(survey_.cells(), sigma)};
}

void RoughCounts::run(const Source& source, double noise) {
  survey_.hold(source, search_, {.noise = noise, .label = "discovery: rough counts"});
  search_.found.rows_sigma = survey_.sigma();
  if (search_.open.rows) search_.found.rows = std::max(0.0, survey_.rows());
  const double threshold = threshold_for(survey_.cells(), survey_.sigma());
  for (const auto& [i, question] : questions_) {
    const std::span<const double> counts = survey_.answer(question);  // the last is that of missing cells
    const Column& asked = search_.schema.columns[i];
    if (asked.missing_is_open) {
      search_.column(i).missing = counts.back() > kMissingSigmas * survey_.sigma();
      search_.column(i).missing_is_open = false;
    }
    if (ranges_.contains(i)) {
      read_range(i, counts.first(counts.size() - 1), threshold);
    } else if (has_values(asked.type) && asked.values && !holds(search_.open.missing, i)) {
      read_values(i, counts, threshold);
    }
  }
}

void RoughCounts::read_range(std::size_t i, std::span<const double> counts, double threshold) {
  Range& range = ranges_.at(i);
  Column& column = search_.column(i);
  range.cells = outermost(counts, threshold);
  column.min = column.max = {};
  column.atoms.clear();
  column.edges.clear();
  const std::vector<std::int64_t>& starts = range.scale.starts;
  const auto zero = static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), 0) - starts.begin());
  // All numbers in the cell of 0 may be too small for the search.
  const bool is_cut = column.type == ColumnType::real && column.decimals > kSearchDecimals;
  if (is_cut && range.cells == std::pair(zero, zero)) range.cells = {1, 0};
  if (!range.is_found()) search_.miss(i, Fact::bounds);
  // 0 stands out: far more rows than in the cells beside it, of a column that has more than a few values.
  const bool is_number = column.type == ColumnType::integer || column.type == ColumnType::real;
  if (!is_number || range.cells.second - range.cells.first <= kOctaves || !range.is_found()) return;
  const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double beside = std::max(counts[zero - 1], counts[zero + 1]);
  if (counts[zero] > threshold && counts[zero] > kAtomShare * rows && counts[zero] > 3.0 * beside) column.atoms = {0.0};
}

void RoughCounts::read_values(std::size_t i, std::span<const double> counts, double threshold) {
  const std::vector<std::string> values = *search_.column(i).values;
  if (search_.column(i).name == search_.schema.target) {
    for (std::size_t v = 0; v < values.size(); ++v) {
      search_.found.classes.emplace_back(values[v], std::max(0.0, counts[v]));
    }
  }
  if (!holds(search_.open.cuts, i)) return;
  search_.keep(i, values, counts.first(values.size()), threshold);
  const std::size_t kept = search_.column(i).values ? search_.column(i).values->size() : 0;
  search_.tell(i, fmt::format("{} of {} declared values kept", kept, values.size()));
}

}  // namespace sosia
