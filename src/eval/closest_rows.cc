// SPDX-License-Identifier: Apache-2.0
#include "eval/closest_rows.h"

#include <algorithm>

#include "eval/gower.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostQueries = 5000, kMostReferences = 50000;

}  // namespace

ClosestRows::ClosestRows(const Comparison& comparison) {
  const auto& [outline, real, made, holdout, target, seed, pool] = comparison;
  const Ruler ruler(outline, real);
  PublicRng rng = rng_of(seed, Stream::closest_rows);
  const std::size_t most = std::min(kMostReferences, holdout != nullptr ? holdout->count : real.count);
  const PlacedRows references = ruler.place(real, draw_rows(real.count, most, rng));
  const PlacedRows queries = ruler.place(made, draw_rows(made.count, kMostQueries, rng));
  to_real = closest_distances(queries, references, pool);
  counted = {{"made rows", static_cast<double>(queries.count)}, {"real rows", static_cast<double>(references.count)}};
  if (holdout == nullptr) return;
  const PlacedRows others = ruler.place(*holdout, draw_rows(holdout->count, references.count, rng));
  to_holdout = closest_distances(queries, others, pool);
  counted.emplace_back("holdout rows", static_cast<double>(others.count));
}

}  // namespace sosia::eval
