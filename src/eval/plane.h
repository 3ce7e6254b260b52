// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "eval/features.h"

namespace sosia::eval {

/// The first two principal components of standardised features.
class Plane {
 public:
  /// Fitted to these rows of the table. Signs are such that a component's largest weight is positive.
  Plane(const Outline& outline, const Rows& real, std::span<const std::size_t> indices, ThreadPool& pool);

  /// The coordinates of rows, in standard deviations of the rows that it was fitted to.
  std::vector<std::array<double, 2>> project(const Rows& rows, std::span<const std::size_t> indices) const;
  /// The share of the variance along each component.
  const std::array<double, 2>& explained() const { return explained_; }

 private:
  Features features_;
  std::vector<double> means_, scales_;             ///< by feature
  std::array<std::vector<double>, 2> components_;  ///< unit vectors, by feature
  std::array<double, 2> deviations_ = {1.0, 1.0}, explained_ = {0.0, 0.0};
};

}  // namespace sosia::eval
