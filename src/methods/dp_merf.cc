// SPDX-License-Identifier: Apache-2.0
// DP-MERF (Harder, Adamczewski and Park 2021), made sound: random-Fourier mean embeddings of the numbers and one-hot
// means of the categories, by class, and a net that follows them.
//
// Claim. Up to three releases, all Gaussian:
//   1. counts of each number in bins, for quantiles (quantile_edges.h);
//   2. for each class the sum of Fourier features of the numbers, of norm 1, and the number of rows, as one vector;
//   3. for each class the sum of the one-hot codes of p categories, scaled by 1 / sqrt(p): of norm 1, whatever the
//      number of states, and not negative. Without numbers, with the number of rows.
// Where these would drown in the noise: picked columns first (label_columns.h), then 2. and 3. of the picked columns
// alone, and of the others over all rows.
// Sensitivities by docs/methods/door.md, section 3. Two releases with shares of mu^2 cost what one vector with weights
// would, and the second may use that its entries are not negative. The frequencies are public randomness, the length
// scale a function of the schema: numbers are spread by their released quantiles over [0, 1]. Everything else is
// post-processing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "features/fourier.h"
#include "methods/embedding_method.h"
#include "methods/entries.h"

namespace sosia {

namespace {

constexpr std::uint64_t kFrequencySeed = 1;  // public, and the same when the map is made again for training

/// In root mean squared distances of two rows of even numbers. A kernel that wide takes rows of many numbers that go
/// together for all alike, and so their classes (docs/methods/dp_merf.md). Numbers that were not picked are learned
/// without classes: they keep it, as what all rows have in common is better known by it.
double length_scale(const OpenRows& rows, const Outline& outline, int numbers, const Settings& settings) {
  if (const double said = settings.number("length_scale"); said > 0.0) return said;
  if (rows.scalars() <= kFewNumbers) return 0.2;
  const bool is_narrow = !outline.image && numbers > kManyNumbers && numbers == rows.scalars();
  return is_narrow ? 0.4 : 1.0;
}

std::shared_ptr<const FeatureMap> fourier_of(const OpenRows& rows, const Outline& outline,
                                             const std::vector<int>& numbers, const Settings& settings) {
  // The root of the mean squared distance of two rows of even numbers.
  const double distance = std::sqrt(static_cast<double>(numbers.size()) / 6.0);
  FourierOptions options{.frequencies = settings.whole("features") / 2, .seed = kFrequencySeed};
  while (static_cast<int>(options.bandwidths.size()) < settings.whole("scales")) {
    options.bandwidths.push_back(options.bandwidths.back() / 3.0);
  }
  std::vector<MapPart> parts;
  const double length = length_scale(rows, outline, static_cast<int>(numbers.size()), settings);
  // A column of endless length scale is not seen.
  std::vector<double> lengths(static_cast<std::size_t>(rows.scalars()), std::numeric_limits<double>::infinity());
  for (const int number : numbers) lengths[static_cast<std::size_t>(number)] = length * distance;
  parts.push_back({fourier(lengths, options)});
  return concat(std::move(parts), rows.inputs());
}

std::vector<TargetMap> maps_of(const OpenRows& rows, const Outline& outline, const Settings& settings,
                               const Columns& columns) {
  const auto numbers = static_cast<double>(columns.numbers.size());
  const auto categories = static_cast<double>(columns.blocks.size());
  std::vector<TargetMap> maps;
  if (numbers > 0.0)
    maps.push_back({.what = outline.image ? "pixels" : "numbers",
                    .map = fourier_of(rows, outline, columns.numbers, settings),
                    .random = settings.whole("features")});
  if (categories > 0.0) maps.push_back(one_hot_means(rows, columns.blocks));
  if (maps.size() == 2) {
    const double share = settings.number("category_share");
    maps[1].share = share > 0.0 ? share : std::clamp(categories / (numbers + categories), 0.2, 0.8);
    maps[0].share = 1.0 - maps[1].share;
    maps[1].weight = settings.number("category_weight");
  }
  return maps;
}

}  // namespace

std::vector<TargetMap> merf_maps(const OpenRows& rows, const Outline& outline, const Settings& settings) {
  return maps_of(rows, outline, settings, all_columns(rows));
}

std::vector<MethodOption> merf_options() {
  return {
      {"features", 2000, 2, 1000000, true, "random Fourier features of the numbers", 4000},
      {"length_scale", 0.0, 0.0, 100.0, false,
       "of the kernel, in root mean squared distances of even numbers; 0: 1, of up to 3 numbers 0.2, where more than "
       "100 of a table are learned by class 0.4"},
      {"scales", 1, 1, 10, true, "kernels, each a third as wide as the one before, that share the features"},
      {"category_share", 0.0, 0.0, 0.99, false, "of the budget, where there are numbers too; 0: by the columns"},
      {"category_weight", 1.0, 0.001, 1000.0, false, "of categories beside numbers, in training"}};
}

Method dp_merf_method() {
  std::vector<MethodOption> options = merf_options();
  for (const MethodOption& option : net_options()) options.push_back(option);
  options.push_back(even_classes_option());
  return embedding_method<maps_of>(
      {"dp-merf", "random-Fourier mean embeddings, followed by a net",
       "Gaussian releases of counts of each number for quantiles, and for each class of sums of Fourier features, of "
       "one-hot categories and of rows. The vectors of a row have norm 1. On small tables with many columns, those "
       "that "
       "say most about the class are picked by the exponential mechanism, and only they are learned by class.",
       std::move(options), true});
}

}  // namespace sosia
