// SPDX-License-Identifier: Apache-2.0
#include "discovery/quantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "privacy/lattice.h"

namespace sosia {

namespace {

/// Where about as many rows lie between one edge and the next. Equal ones are left out.
std::vector<double> even_edges(const NumberScale& scale, const CountTree& tree, int bins, const Column& column) {
  std::vector<double> edges;
  for (int k = 1; k < bins; ++k) {
    const double place = tree.quantile(static_cast<double>(k) / bins);
    const auto leaf = std::min(static_cast<std::size_t>(place), scale.size() - 1);
    const std::int64_t low = scale.starts[leaf], high = scale.end_of(leaf);
    const double inside = (place - static_cast<double>(leaf)) * static_cast<double>(high - low + 1);
    const double edge = scale.value(std::min(high, low + static_cast<std::int64_t>(std::llround(inside))));
    const bool is_new = edges.empty() || edge > edges.back();
    if (edge > *column.min && edge <= *column.max && is_new) edges.push_back(edge);
  }
  return edges;
}

}  // namespace

DiscoveryStep Quantiles::step(double noise) const {
  const TreeShape largest(kMostLeaves);
  std::size_t cells = 0;
  for (std::size_t level = 0; level < largest.levels(); ++level) cells += largest.width(level);
  cells *= search_.open.fine.size();
  const double sigma = count_sigma(noise, search_.open.fine.size() * largest.levels(), search_.promise);
  return {
      "bounds and quantiles",     search_.names(search_.open.fine), static_cast<std::int64_t>(cells), noise, sigma, 0.0,
      threshold_for(cells, sigma)};
}

void Quantiles::run(const Source& source, const RoughCounts& rough, double noise) {
  Survey survey;
  std::vector<Tree> trees;
  for (const std::size_t i : search_.open.fine) {
    const Column& column = search_.schema.columns[i];
    const auto range = rough.ranges().find(i);
    const bool sets_bounds = range != rough.ranges().end();
    if (sets_bounds && !range->second.is_found()) continue;
    NumberScale scale = sets_bounds ? fine_cells(column, range->second.scale, range->second.cells) : fine_cells(column);
    TreeShape shape(scale.size());
    const std::size_t question = survey.ask_tree(scale.cut(as_counted(column)), shape);
    trees.push_back({i, question, std::move(scale), std::move(shape), sets_bounds});
  }
  if (trees.empty()) return;
  survey.hold(source, search_, {.noise = noise, .label = "discovery: quantiles"});
  for (const Tree& tree : trees) read(tree, survey);
}

void Quantiles::read(const Tree& asked, const Survey& survey) {
  const CountTree tree(asked.shape, survey.answer(asked.question), survey.sigma());
  Column& column = search_.column(asked.column);
  if (asked.sets_bounds) {
    const std::size_t first = tree.outer_leaf(true), last = std::max(first, tree.outer_leaf(false));
    column.min = asked.scale.value(asked.scale.starts[first]);
    column.max = asked.scale.value(asked.scale.end_of(last));
    for (const double atom : column.atoms) {
      column.min = std::min(*column.min, atom);
      column.max = std::max(*column.max, atom);
    }
    search_.tell(asked.column, column.atoms.empty() ? "bounds found" : "bounds and a spike at 0 found");
  }
  column.edges = even_edges(asked.scale, tree, search_.options.quantiles, column);
}

}  // namespace sosia
