// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/boosted_sum.h"

#include "simd/parallel.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kDepth = 3, kRowsPerPiece = 256;
constexpr double kRate = 0.1;
constexpr double kLeastCurve = 1e-150;  // below, a leaf has nothing left to learn

}  // namespace

void BoostedSum::add_stage(const FeatureCodes& codes, const Slopes& slopes, std::span<const double> weights,
                           double factor, std::span<double> sums, ThreadPool& pool) {
  GrownTree grown = grow_tree(codes, NumberTarget{slopes.down}, weights, {.depth = kDepth}, pool);
  std::vector<double> steps(grown.tree.leaves(), 0.0), curves(steps.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (grown.leaves[i] == GrownTree::kNowhere) continue;
    steps[grown.leaves[i]] += weights[i] * slopes.down[i];
    curves[grown.leaves[i]] += weights[i] * slopes.curves[i];
  }
  for (std::size_t leaf = 0; leaf < steps.size(); ++leaf) {
    steps[leaf] = curves[leaf] > kLeastCurve ? kRate * factor * steps[leaf] / curves[leaf] : 0.0;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (grown.leaves[i] != GrownTree::kNowhere) sums[i] += steps[grown.leaves[i]];
  }
  stages_.push_back({std::move(grown.tree), std::move(steps)});
}

std::vector<double> BoostedSum::of(MatrixView<const float> x, ThreadPool& pool) const {
  std::vector<double> sums(x.rows, constant_);
  simd::for_ranges(pool, x.rows, kRowsPerPiece, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (const Stage& stage : stages_) sums[i] += stage.steps[stage.tree.leaf_of(x.row(i))];
    }
  });
  return sums;
}

}  // namespace sosia::eval
