// SPDX-License-Identifier: Apache-2.0
// Around every image lies a ball that reaches to its fifth nearest neighbour in its own set, by the features of images;
// up to 5,000 images of each set. Are made images where real ones are, and real ones where made ones are?
//   density    balls of real images that a made image is in, the mean over made images, by 5; about 1 if alike, and
//              above where made images crowd in the middle. Part: precision, made images in a real ball at all
//   coverage   share of real images whose ball has a made one. Part: recall, real images in a ball of a made one
// Density and coverage are those of Naeem et al. (2020), precision and recall those of Kynkaanniemi et al. (2019).
#include <algorithm>

#include "eval/images/image_metric.h"
#include "eval/images/neighbours.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kNeighbours = 5, kMostImages = 5000;

double mean_of_flags(const std::vector<char>& flags) {
  return static_cast<double>(std::count(flags.begin(), flags.end(), 1)) / static_cast<double>(flags.size());
}

std::vector<std::pair<std::string, double>> counted(MatrixView<const float> real, MatrixView<const float> made) {
  return {{"real images", static_cast<double>(real.rows)}, {"made images", static_cast<double>(made.rows)}};
}

Finding density(const ImageComparison& comparison) {
  const auto real = comparison.real.feature_rows(kMostImages), made = comparison.made.feature_rows(kMostImages);
  const std::vector<float> radii = squared_radii(real, kNeighbours, comparison.pool);
  std::vector<double> balls(made.rows, 0.0);
  std::vector<char> is_inside(made.rows, 0);
  for_squared_distances(made, real, comparison.pool, [&](std::size_t query, std::span<float> squares) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < squares.size(); ++i) count += squares[i] < radii[i] ? 1 : 0;
    balls[query] = static_cast<double>(count);
    is_inside[query] = count > 0 ? 1 : 0;
  });
  Finding found{.counted = counted(real, made)};
  for (const double count : balls) found.value += count / static_cast<double>(kNeighbours * made.rows);
  found.parts = {{{"precision"}, mean_of_flags(is_inside)}};
  return found;
}

Finding coverage(const ImageComparison& comparison) {
  const auto real = comparison.real.feature_rows(kMostImages), made = comparison.made.feature_rows(kMostImages);
  const std::vector<float> real_radii = squared_radii(real, kNeighbours, comparison.pool);
  const std::vector<float> made_radii = squared_radii(made, kNeighbours, comparison.pool);
  std::vector<char> is_covered(real.rows, 0), is_recalled(real.rows, 0);
  for_squared_distances(real, made, comparison.pool, [&](std::size_t query, std::span<float> squares) {
    for (std::size_t i = 0; i < squares.size(); ++i) {
      if (squares[i] < real_radii[query]) is_covered[query] = 1;
      if (squares[i] < made_radii[i]) is_recalled[query] = 1;
    }
  });
  return {.value = mean_of_flags(is_covered),
          .parts = {{{"recall"}, mean_of_flags(is_recalled)}},
          .counted = counted(real, made)};
}

}  // namespace

ImageMetric density_metric() {
  return {.info = {.name = "density",
                   .summary = "do synthetic images lie where real ones do? About 1 if alike",
                   .better = Better::larger},
          .measure = density};
}

ImageMetric coverage_metric() {
  return {.info = {.name = "coverage",
                   .summary = "share of real images with a synthetic one among their nearest",
                   .group = MetricGroup::coverage,
                   .better = Better::larger},
          .measure = coverage};
}

}  // namespace sosia::eval
