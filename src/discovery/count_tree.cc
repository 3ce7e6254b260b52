// SPDX-License-Identifier: Apache-2.0
#include "discovery/count_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace sosia {

TreeShape::TreeShape(std::size_t leaves) {
  SOSIA_CHECK(leaves >= 1, "a tree has at least one leaf");
  for (std::size_t span = 1, width = leaves;; span *= kBranches, width = (leaves + span - 1) / span) {
    widths_.insert(widths_.begin(), width);
    spans_.insert(spans_.begin(), span);
    if (width <= kBranches) break;
  }
}

CountTree::CountTree(TreeShape shape, std::span<const double> counts, double sigma)
    : shape_(std::move(shape)), sigma_(sigma) {
  std::size_t first = 0;
  for (std::size_t level = 0; level < shape_.levels(); ++level) {
    const auto part = counts.subspan(first, shape_.width(level));
    counts_.emplace_back(part.begin(), part.end());
    first += part.size();
  }
}

double CountTree::weight(std::size_t level, std::size_t node) const { return std::max(counts_[level][node], 0.0); }

double CountTree::quantile(double share) const {
  std::size_t first = 0, count = shape_.width(0);
  for (std::size_t level = 0;; ++level) {
    double total = 0.0;
    for (std::size_t i = 0; i < count; ++i) total += weight(level, first + i);
    std::size_t node = 0;
    if (total > 0.0) {
      double left = share * total;
      while (node + 1 < count && left > weight(level, first + node)) left -= weight(level, first + node++);
      const double here = weight(level, first + node);
      share = here > 0.0 ? std::clamp(left / here, 0.0, 1.0) : 0.0;
    } else {
      const double place = share * static_cast<double>(count);  // nothing is known: evenly
      node = std::min(static_cast<std::size_t>(place), count - 1);
      share = place - static_cast<double>(node);
    }
    const std::size_t found = first + node;
    if (level + 1 == shape_.levels()) return static_cast<double>(found) + share;
    first = found * TreeShape::kBranches;
    count = std::min(TreeShape::kBranches, shape_.width(level + 1) - first);
  }
}

std::size_t CountTree::outer_leaf(bool from_first) const {
  constexpr double kSigmas = 3.0;
  std::size_t first = 0, count = shape_.width(0);
  std::size_t leaf = from_first ? 0 : shape_.leaves() - 1;
  for (std::size_t level = 0;; ++level) {
    double sum = 0.0;
    std::size_t seen = 0;
    bool is_clear = false;
    while (seen < count && !is_clear) {
      sum += counts_[level][first + (from_first ? seen : count - 1 - seen)];
      ++seen;
      is_clear = sum > kSigmas * sigma_ * std::sqrt(static_cast<double>(seen));
    }
    if (!is_clear) return leaf;
    const std::size_t node = first + (from_first ? seen - 1 : count - seen);
    if (counts_[level][node] <= kSigmas * sigma_) return leaf;  // the rows are spread over the nodes before it
    const std::size_t begin = node * shape_.span(level);
    leaf = from_first ? begin : std::min(begin + shape_.span(level), shape_.leaves()) - 1;
    if (level + 1 == shape_.levels()) return leaf;
    first = node * TreeShape::kBranches;
    count = std::min(TreeShape::kBranches, shape_.width(level + 1) - first);
  }
}

}  // namespace sosia
