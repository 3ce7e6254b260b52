// SPDX-License-Identifier: Apache-2.0
#include "methods/bin_edges.h"

#include <algorithm>
#include <cmath>

namespace sosia {

namespace {

double to_log(double x) { return std::copysign(std::log1p(std::abs(x)), x); }
double from_log(double y) { return std::copysign(std::expm1(std::abs(y)), y); }

/// Edges that are made of bounds come from where these do.
void follow_bounds(Column& column) {
  std::erase(column.confirmed, Fact::edges);
  std::erase_if(column.bought, [](const BoughtFact& fact) { return fact.fact == Fact::edges; });
  if (std::ranges::find(column.confirmed, Fact::bounds) != column.confirmed.end()) {
    column.confirmed.push_back(Fact::edges);
  }
  if (const auto bounds = std::ranges::find(column.bought, Fact::bounds, &BoughtFact::fact);
      bounds != column.bought.end()) {
    column.bought.push_back({Fact::edges, bounds->purchase});
  }
}

}  // namespace

bool spans_magnitudes(const Column& column) {
  if ((column.type != ColumnType::integer && column.type != ColumnType::real) || !column.min || !column.max)
    return false;
  const double step = column.type == ColumnType::real ? std::pow(10.0, -column.decimals) : 1.0;
  const double largest = std::max(std::abs(*column.min), std::abs(*column.max));
  const double least =
      *column.min <= 0.0 && *column.max >= 0.0 ? 0.0 : std::min(std::abs(*column.min), std::abs(*column.max));
  return *column.max - *column.min > kManyValues * step && largest >= 100.0 && least <= largest / 100.0;
}

void add_log_edges(Schema& schema) {
  for (Column& column : schema.columns) {
    if (!column.edges.empty() || !spans_magnitudes(column)) continue;
    follow_bounds(column);
    const double low = to_log(*column.min), high = to_log(*column.max);
    for (int k = 1; k < kLogBins; ++k) {
      double edge = from_log(low + (high - low) * k / kLogBins);
      if (column.type == ColumnType::integer) edge = std::ceil(edge);
      const double last = column.edges.empty() ? *column.min : column.edges.back();
      if (edge > last && edge <= *column.max) column.edges.push_back(edge);
    }
  }
}

}  // namespace sosia
