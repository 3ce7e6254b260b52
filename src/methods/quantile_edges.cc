// SPDX-License-Identifier: Apache-2.0
#include "methods/quantile_edges.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "features/marginals.h"
#include "methods/bin_edges.h"
#include "methods/clean_counts.h"
#include "methods/method.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr int kFineBins = 64;
constexpr double kStretchSeen = 3.0;  // sigmas that a stretch must hold

bool is_whole(const Column& column) { return column.type != ColumnType::real; }

void add_even_edges(Column& column) {
  for (int k = 1; k < kFineBins; ++k) {
    double edge = *column.min + (*column.max - *column.min) * k / kFineBins;
    if (is_whole(column)) edge = std::ceil(edge);
    const double last = column.edges.empty() ? *column.min : column.edges.back();
    if (edge > last && edge <= *column.max) column.edges.push_back(edge);
  }
}

/// Brings bins that hold nothing but atoms together with the next ones, as the codec does. Whole numbers only: a bin
/// of others has more values than atoms.
void drop_bins_of_atoms(Column& column) {
  if (!is_whole(column) || column.atoms.empty()) return;
  std::vector<double> kept;
  double low = *column.min;
  for (const double edge : column.edges) {
    const auto atoms = std::count_if(column.atoms.begin(), column.atoms.end(),
                                     [&](double atom) { return atom >= low && atom < edge; });
    if (edge - low - static_cast<double>(atoms) < 0.5) continue;
    kept.push_back(edge);
    low = edge;
  }
  const auto last = std::count_if(column.atoms.begin(), column.atoms.end(), [&](double atom) { return atom >= low; });
  if (!kept.empty() && *column.max + 1.0 - low - static_cast<double>(last) < 0.5) kept.pop_back();
  column.edges = std::move(kept);
}

/// The field of bins of each column that has as many bins as its edges say; others keep the edges they have.
std::vector<std::pair<std::size_t, int>> fields_of(const Codec& codec, const std::vector<std::size_t>& columns) {
  std::vector<std::pair<std::size_t, int>> found;
  const auto fields = codec.fields();
  for (const std::size_t c : columns) {
    const Column& column = codec.schema().columns[c];
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].column != column.name) continue;
      if (static_cast<std::size_t>(fields[f].ordered) == column.edges.size() + 1) {
        found.emplace_back(c, static_cast<int>(f));
      }
      break;
    }
  }
  return found;
}

std::vector<double> quantiles(const Column& column, std::span<const double> counts, double sigma, int most) {
  const double total = std::max(std::accumulate(counts.begin(), counts.end(), 0.0), 0.0);
  const std::vector<double> plausible = on_simplex(smooth(counts, sigma), total);
  const double least = kStretchSeen * sigma * std::sqrt(static_cast<double>(counts.size()) / most);
  const auto stretches = static_cast<int>(std::clamp(total / std::max(least, 1e-9), 1.0, static_cast<double>(most)));
  std::vector<double> edges;
  double below = 0.0;
  int next = 1;
  for (std::size_t s = 0; s < plausible.size(); ++s) {
    const double low = s == 0 ? *column.min : column.edges[s - 1];
    const double high = s < column.edges.size() ? column.edges[s] : *column.max;
    for (; next < stretches && below + plausible[s] >= total * next / stretches; ++next) {
      const double within = plausible[s] > 0.0 ? (total * next / stretches - below) / plausible[s] : 1.0;
      double edge = low + (high - low) * within;
      if (is_whole(column)) edge = std::ceil(edge);
      const double last = edges.empty() ? *column.min : edges.back();
      if (edge > last && edge < *column.max) edges.push_back(edge);
    }
    below += plausible[s];
  }
  return edges;
}

/// Whether one line from a quantile to the end of the range would make a row a little off the ordinary ones one of the
/// largest: the end is magnitudes away, or the number spans magnitudes on both sides of 0 and is one of so many that
/// noise allows few quantiles.
bool ends_far_away(const Column& column, const std::vector<double>& edges, std::size_t numbers) {
  constexpr double kFar = 1000.0;
  if (edges.empty() || !spans_magnitudes(column)) return false;
  const auto is_far = [](double end, double quantile) { return end > kFar * std::max(quantile, 1.0); };
  if (is_far(*column.max, edges.back()) || is_far(-*column.min, -edges.front())) return true;
  return *column.min < 0.0 && *column.max > 0.0 && numbers > kManyNumbers;
}

/// The stretches from the first and the last quantile to the ends of the range, cut by magnitude.
std::vector<double> with_cut_ends(const Column& column, const std::vector<double>& edges) {
  constexpr std::size_t kEndBins = 2;
  const std::vector<double>& fine = column.edges;
  std::vector<double> cut;
  for (std::size_t s = kEndBins; *column.min < 0.0 && s <= fine.size() && fine[s - 1] < edges.front(); s += kEndBins) {
    cut.push_back(fine[s - 1]);
  }
  cut.insert(cut.end(), edges.begin(), edges.end());
  const std::size_t quantiles_end = cut.size();
  for (std::size_t s = kEndBins; s <= fine.size() && fine[fine.size() - s] > edges.back(); s += kEndBins) {
    cut.push_back(fine[fine.size() - s]);
  }
  std::reverse(cut.begin() + static_cast<std::ptrdiff_t>(quantiles_end), cut.end());
  return cut;
}

}  // namespace

std::vector<std::size_t> add_fine_edges(Schema& schema) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    if (has_bounds(schema.columns[c].type) && schema.columns[c].edges.empty()) columns.push_back(c);
  }
  add_log_edges(schema);
  for (const std::size_t c : columns) {
    if (schema.columns[c].edges.empty()) add_even_edges(schema.columns[c]);
    drop_bins_of_atoms(schema.columns[c]);
  }
  return columns;
}

PlannedRelease plan_quantiles(const Codec& codec, const std::vector<std::size_t>& columns, double noise,
                              const Promise& promise) {
  const auto fields = fields_of(codec, columns);
  std::int64_t cells = 0;
  for (const auto& [column, field] : fields) cells += codec.fields()[static_cast<std::size_t>(field)].width;
  return {kQuantilesLabel, cells, noise, fields.empty() ? 0.0 : count_sigma(noise, fields.size(), promise)};
}

void release_quantiles(const PrivateTable& table, const Codec& codec, const std::vector<std::size_t>& columns,
                       double noise, int most, Ledger& ledger, ThreadPool& threads, Schema& schema) {
  const auto fields = fields_of(codec, columns);
  if (fields.empty()) return;
  std::vector<View> views;
  std::vector<Marginals::Weighted> sets;
  for (const auto& [column, field] : fields) {
    sets.push_back({{static_cast<int>(views.size())}, 1.0});
    views.push_back(
        View::finest(field, static_cast<std::uint32_t>(codec.fields()[static_cast<std::size_t>(field)].width)));
  }
  const Release counts =
      ledger.noisy_counts(table, Marginals(views, sets), {.noise = noise, .label = kQuantilesLabel}, threads);
  std::span<const double> values = counts.values();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Column& column = schema.columns[fields[i].first];
    const std::span<const double> of_bins = values.first(column.edges.size() + 1);
    const std::vector<double> edges = quantiles(column, of_bins, counts.sigma(), most);
    column.edges = ends_far_away(column, edges, fields.size()) ? with_cut_ends(column, edges) : edges;
    values = values.subspan(views[i].width);
  }
}

}  // namespace sosia
