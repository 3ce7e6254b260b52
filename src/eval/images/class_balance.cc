// SPDX-License-Identifier: Apache-2.0
// Half of the sum of abs(p - q), p and q being the shares of the classes among real and made images. Its parts are q.
#include <cmath>

#include "eval/images/image_metric.h"

namespace sosia::eval {

namespace {

std::vector<double> shares_of(const ImageSet& set, std::size_t classes) {
  std::vector<double> shares(classes, 0.0);
  for (const std::uint32_t k : set.classes) shares[k] += 1.0 / static_cast<double>(set.count);
  return shares;
}

Finding measure(const ImageComparison& comparison) {
  const std::vector<std::string>& classes = comparison.schema.classes;
  const std::vector<double> real = shares_of(comparison.real, classes.size());
  const std::vector<double> made = shares_of(comparison.made, classes.size());
  Finding found;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    found.value += std::abs(real[k] - made[k]) / 2.0;
    found.parts.push_back({{classes[k]}, made[k]});
  }
  return found;
}

}  // namespace

ImageMetric class_balance_metric() {
  return {.info = {.name = "class_balance",
                   .summary = "total variation distance of the classes",
                   .target = TargetNeed::classes},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
