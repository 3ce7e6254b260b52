// SPDX-License-Identifier: Apache-2.0
#include "eval/images/image_metric.h"

namespace sosia {

namespace eval {

const std::vector<ImageMetric>& all_image_metrics() {
  static const std::vector<ImageMetric> list = {
      pixel_mean_metric(),    pixel_deviation_metric(),     class_balance_metric(), frechet_metric(),
      density_metric(),       image_transfer_metric(),      convolution_metric(),   coverage_metric(),
      closest_image_metric(), closest_image_share_metric(), image_attack_metric()};
  return list;
}

}  // namespace eval

std::vector<MetricInfo> image_metrics() {
  std::vector<MetricInfo> list;
  for (const eval::ImageMetric& metric : eval::all_image_metrics()) list.push_back(metric.info);
  return list;
}

}  // namespace sosia
