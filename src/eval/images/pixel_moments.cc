// SPDX-License-Identifier: Apache-2.0
// Mean images and images of standard deviations: the root of the mean square over pixels of the difference between
// real and made images. Its parts are the same among the images of one class; NaN where a set has none of it.
#include <cmath>
#include <limits>

#include "eval/images/image_metric.h"

namespace sosia::eval {

namespace {

struct Moments {
  double count = 0.0;
  std::vector<double> means, deviations;  ///< by pixel
};

/// Of all images, then of those of each class.
std::vector<Moments> moments_of(const ImageSet& set, std::size_t classes) {
  std::vector<Moments> all(classes + 1);
  for (Moments& moments : all) {
    moments.means.assign(set.values, 0.0);
    moments.deviations.assign(set.values, 0.0);
  }
  const auto add = [&](Moments& moments, std::span<const float> image) {
    moments.count += 1.0;
    for (std::size_t p = 0; p < set.values; ++p) {
      moments.means[p] += image[p];
      moments.deviations[p] += static_cast<double>(image[p]) * image[p];
    }
  };
  for (std::size_t i = 0; i < set.count; ++i) {
    add(all[0], set.images().row(i));
    if (classes > 0) add(all[1 + set.classes[i]], set.images().row(i));
  }
  for (Moments& moments : all) {
    for (std::size_t p = 0; p < set.values; ++p) {
      moments.means[p] /= moments.count;
      const double variance = moments.deviations[p] / moments.count - moments.means[p] * moments.means[p];
      moments.deviations[p] = std::sqrt(std::max(0.0, variance));
    }
  }
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p) sum += (a[p] - b[p]) * (a[p] - b[p]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

Finding compare(const ImageComparison& comparison, std::vector<double> Moments::* what) {
  const std::vector<std::string>& classes = comparison.schema.classes;
  const std::vector<Moments> real = moments_of(comparison.real, classes.size());
  const std::vector<Moments> made = moments_of(comparison.made, classes.size());
  const auto between = [&](std::size_t i) {
    const bool is_empty = real[i].count == 0.0 || made[i].count == 0.0;
    return is_empty ? std::numeric_limits<double>::quiet_NaN() : distance(real[i].*what, made[i].*what);
  };
  Finding found{.value = between(0)};
  for (std::size_t k = 0; k < classes.size(); ++k) found.parts.push_back({{classes[k]}, between(k + 1)});
  return found;
}

}  // namespace

ImageMetric pixel_mean_metric() {
  return {.info = {.name = "pixel_mean", .summary = "distance of the mean images, root mean square over pixels"},
          .measure = [](const ImageComparison& comparison) { return compare(comparison, &Moments::means); }};
}

ImageMetric pixel_deviation_metric() {
  return {.info = {.name = "pixel_deviation", .summary = "the same of standard deviations of pixels"},
          .measure = [](const ImageComparison& comparison) { return compare(comparison, &Moments::deviations); }};
}

}  // namespace sosia::eval
