// SPDX-License-Identifier: Apache-2.0
// Noisy counts of cells at several widths at once: any quantile from one release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sosia {

/// The shape: `leaves` cells in a row, grouped by kBranches, the groups grouped again, until one level is no wider than
/// that. A row adds one to one node of each level.
class TreeShape {
 public:
  static constexpr std::size_t kBranches = 16;
  explicit TreeShape(std::size_t leaves);

  std::size_t levels() const { return widths_.size(); }                  ///< the coarsest first
  std::size_t width(std::size_t level) const { return widths_[level]; }  ///< nodes
  std::size_t span(std::size_t level) const { return spans_[level]; }    ///< leaves under a node
  std::size_t leaves() const { return widths_.back(); }

 private:
  std::vector<std::size_t> widths_, spans_;
};

class CountTree {
 public:
  /// `counts` has the levels of the shape one after the other.
  CountTree(TreeShape shape, std::span<const double> counts, double sigma);

  /// How many leaves lie below the quantile `share` of the rows: a number between 0 and leaves(), within a leaf by
  /// proportion. Rises with the share. Each node's rows are spread over its children by their counts, where positive.
  double quantile(double share) const;
  /// The leaf where rows begin, from the first on or from the last back. At each level counts are added up from outside
  /// until they exceed three standard deviations of their noise; where one node does so by itself, its children are
  /// looked at next.
  std::size_t outer_leaf(bool from_first) const;

 private:
  double weight(std::size_t level, std::size_t node) const;

  TreeShape shape_;
  std::vector<std::vector<double>> counts_;
  double sigma_;
};

}  // namespace sosia
