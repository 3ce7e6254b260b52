// SPDX-License-Identifier: Apache-2.0
// What a metric of images is: a name, what it says, and a function of two sets. Each has a file to itself, which has
// its definition; docs/evaluation.md has the same in words.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <sosia/images.h>

#include "eval/images/image_set.h"
#include "eval/metric.h"

namespace sosia::eval {

/// Sets of images of the same shape, with features. All have at least one image.
struct ImageComparison {
  const ImageSchema& schema;
  const ImageSet& real;
  const ImageSet& made;     ///< the synthetic images, or those of a set that stands beside them
  const ImageSet* holdout;  ///< null if there is none
  std::uint64_t seed;
  ThreadPool& pool;
};

/// The finding depends on the comparison alone, as for tables.
struct ImageMetric {
  MetricInfo info;
  std::function<Finding(const ImageComparison&)> measure;
  bool describes = false;
};

/// In the order in which they are shown.
const std::vector<ImageMetric>& all_image_metrics();

// Distributions.
ImageMetric pixel_mean_metric();
ImageMetric pixel_deviation_metric();
ImageMetric class_balance_metric();
ImageMetric frechet_metric();
ImageMetric density_metric();

// Use.
ImageMetric image_transfer_metric();
ImageMetric convolution_metric();

// Coverage.
ImageMetric coverage_metric();

// Privacy.
ImageMetric closest_image_metric();
ImageMetric closest_image_share_metric();
ImageMetric image_attack_metric();

}  // namespace sosia::eval
