// SPDX-License-Identifier: Apache-2.0
// DP-HP (Vinaroz, Charusaie, Harder, Adamczewski and Park 2022), made sound: mean embeddings by Hermite features, of
// single columns (the sum kernel) and of columns together (the product kernel), by class, and a net that follows them.
//
// Claim. Releases, all Gaussian:
//   1. counts of each number in bins, for quantiles (quantile_edges.h);
//   2. for each class the sum of centred Hermite features of the numbers, of images also of their mean, and the number
//      of rows, as one vector;
//   3. for each class the sum of one-hot codes of the categories, of norm 1;
//   4. for each class the sum of products of the features of columns: all pairs at once (the tensor product of the sum
//      map with itself), or of sets of columns that are drawn at random, all in one release, or each in one of its own.
//      Of images: all pairs of coarse squares (features/coarse_image.h), not negative and of norm below 1;
//   5. of two numbers and nothing else, in the place of all these: for each class the sum of all products of their
//      features, and the number of rows; and once more by a narrower kernel. Norms are below 1.
// Where these would drown in the noise: picked columns first (label_columns.h), then 2. and 3. of the picked columns
// alone, and of the others over all rows.
// Every norm bound is a function of options and schema (docs/methods/dp_hp.md), and enforced by the door; the sets are
// public randomness. Everything else is post-processing.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "features/coarse_image.h"
#include "features/hermite.h"
#include "methods/embedding_method.h"
#include "methods/entries.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

constexpr std::uint64_t kSetSeed = 1;      // public, and the same when the maps are made again for training
constexpr int kMostFeaturesSquared = 300;  // of all columns together, to multiply each with each
constexpr int kSetsIfMore = 20;

double length_scale(const OpenRows& rows, const Settings& settings) {
  const double said = settings.number("length_scale");
  return said > 0.0 ? said : rows.scalars() > kFewNumbers ? 0.15 : 0.12;
}

int order_of(double length, const Settings& settings) {
  return settings.whole("order") > 0 ? settings.whole("order") : static_cast<int>(std::ceil(2.0 / length));
}

HermiteOptions kernel_of(const OpenRows& rows, const Settings& settings) {
  const double length = length_scale(rows, settings);
  return {.length_scale = length, .order = std::min(order_of(length, settings), 400)};
}

std::unique_ptr<FeatureMap> numbers_of(const std::vector<int>& numbers, const OpenRows& rows,
                                       const Settings& settings) {
  std::vector<HermiteColumn> columns;
  for (const int number : numbers) columns.push_back({.column = number, .options = kernel_of(rows, settings)});
  return hermite_sum(std::move(columns), rows.inputs());
}

/// These numbers; of an image besides how bright it is as a whole. Pixels one by one do not tell that, and in the dark
/// part of the range, where most images are, it takes a narrow kernel.
std::unique_ptr<FeatureMap> with_brightness(const std::vector<int>& columns, const OpenRows& rows,
                                            const Outline& outline, const Settings& settings) {
  constexpr double kBrightnessScale = 0.05;
  const double share = settings.number("brightness");
  std::unique_ptr<FeatureMap> numbers = numbers_of(columns, rows, settings);
  if (!outline.image || share == 0.0) return numbers;
  const ImageShape& shape = *outline.image;
  const HermiteOptions narrow{.length_scale = kBrightnessScale, .order = static_cast<int>(2.0 / kBrightnessScale)};
  std::vector<HermiteColumn> channels;
  for (int c = 0; c < static_cast<int>(shape.channels); ++c) channels.push_back({.column = c, .options = narrow});
  std::unique_ptr<FeatureMap> brightness = hermite_sum(channels, static_cast<int>(shape.channels));
  std::vector<MapPart> parts;
  parts.push_back({std::move(numbers), std::sqrt(1.0 - share)});
  parts.push_back({of_squares(shape, std::max(shape.width, shape.height), std::move(brightness)), std::sqrt(share)});
  return concat(std::move(parts), rows.inputs());
}

/// The features of one column, a number or a block of one-hot codes, centred.
MapPart column_of(const OpenRows& rows, int column, const Settings& settings) {
  if (column < rows.scalars()) {
    return {hermite_sum({{.column = 0, .options = kernel_of(rows, settings)}}, 1), 1.0, column};
  }
  const std::vector<int>& blocks = rows.blocks();
  const auto block = static_cast<std::size_t>(column - rows.scalars());
  const int states = blocks[block];
  const int before = std::accumulate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(block), 0);
  const double share = 1.0 / states;
  return {centred(block_products({states}, {{0}}),
                  std::vector<float>(static_cast<std::size_t>(states), static_cast<float>(share)),
                  std::sqrt(1.0 - share) + 1e-9),
          1.0, rows.scalars() + before};
}

int columns_in(const OpenRows& rows) { return rows.scalars() + static_cast<int>(rows.blocks().size()); }

/// All columns side by side, each with the same weight.
std::unique_ptr<FeatureMap> side_by_side(const OpenRows& rows, const Settings& settings) {
  std::vector<MapPart> parts;
  for (int c = 0; c < columns_in(rows); ++c) {
    parts.push_back(column_of(rows, c, settings));
    parts.back().weight = std::sqrt(1.0 / columns_in(rows));
  }
  return concat(std::move(parts), rows.inputs());
}

/// It reads these columns alone: a table has many more.
MapPart product_of(const OpenRows& rows, const std::vector<int>& columns, const Settings& settings) {
  std::vector<MapPart> parts;
  std::vector<int> read;
  for (const int column : columns) {
    MapPart part = column_of(rows, column, settings);
    const int first = std::exchange(part.first, static_cast<int>(read.size()));
    for (int j = 0; j < part.map->inputs(); ++j) read.push_back(first + j);
    parts.push_back(std::move(part));
  }
  std::vector<std::unique_ptr<FeatureMap>> factors;
  for (MapPart& part : parts) {
    std::vector<MapPart> alone;
    alone.push_back(std::move(part));
    factors.push_back(concat(std::move(alone), static_cast<int>(read.size())));
  }
  return {.map = tensor_product(std::move(factors)), .columns = read};
}

std::shared_ptr<const FeatureMap> on_rows(MapPart part, const OpenRows& rows) {
  std::vector<MapPart> alone;
  alone.push_back(std::move(part));
  return concat(std::move(alone), rows.inputs());
}

/// Sets of different columns, drawn evenly: every column is in one before any is in two.
std::vector<std::vector<int>> draw_sets(int columns, int size, int count) {
  PublicRng rng(kSetSeed);
  std::vector<int> deck;
  std::vector<std::vector<int>> sets;
  while (static_cast<int>(sets.size()) < count) {
    std::vector<int> set;
    while (static_cast<int>(set.size()) < size) {
      if (deck.empty()) {
        deck.resize(static_cast<std::size_t>(columns));
        std::iota(deck.begin(), deck.end(), 0);
        for (std::size_t i = deck.size(); i > 1; --i) std::swap(deck[i - 1], deck[rng.next_u64() % i]);
      }
      if (std::find(set.begin(), set.end(), deck.back()) == set.end()) set.push_back(deck.back());
      deck.pop_back();
    }
    std::sort(set.begin(), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

/// All pairs of coarse squares of an image, as fine as their number allows unless the settings say otherwise.
TargetMap pairs_of_squares(const ImageShape& shape, const Settings& settings) {
  constexpr std::size_t kMostSquares = 200;
  const auto squares = [&](std::size_t side) {
    return shape.channels * ((shape.width + side - 1) / side) * ((shape.height + side - 1) / side);
  };
  auto side = static_cast<std::size_t>(settings.whole("product_side"));
  if (side == 0) {
    for (side = 1; squares(side) > kMostSquares;) ++side;
  }
  std::vector<std::unique_ptr<FeatureMap>> both;
  both.push_back(unit_image(shape, side));
  both.push_back(unit_image(shape, side));
  return {.what = "products of squares", .map = tensor_product(std::move(both)), .in_halves = true};
}

/// The maps of products, with shares that add up to 1.
std::vector<TargetMap> products_of(const OpenRows& rows, const Outline& outline, const Settings& settings) {
  const int columns = columns_in(rows), size = std::min(settings.whole("product_columns"), columns);
  if (columns < 2 || settings.number("product_share") == 0.0) return {};
  int count = settings.whole("products");
  if (count == 0 && outline.image) return {pairs_of_squares(*outline.image, settings)};
  if (count == 0 && columns == 2) {
    return {{.what = "products", .map = on_rows(product_of(rows, {0, 1}, settings), rows)}};
  }
  if (count == 0 && side_by_side(rows, settings)->dim() <= kMostFeaturesSquared) {
    std::vector<std::unique_ptr<FeatureMap>> both;
    both.push_back(side_by_side(rows, settings));
    both.push_back(side_by_side(rows, settings));
    return {{.what = "products of all pairs", .map = tensor_product(std::move(both))}};
  }
  if (count == 0) count = kSetsIfMore;
  std::vector<TargetMap> maps;
  std::vector<MapPart> parts;
  for (const std::vector<int>& set : draw_sets(columns, size, count)) {
    const double number = static_cast<double>(maps.size() + parts.size());
    if (settings.whole("by_epoch") == 1) {
      maps.push_back({.what = "products of a set",
                      .map = on_rows(product_of(rows, set, settings), rows),
                      .share = 1.0 / count,
                      .from = number / count,
                      .to = (number + 1.0) / count});
    } else {
      parts.push_back(product_of(rows, set, settings));
      parts.back().weight = std::sqrt(1.0 / count);
    }
  }
  if (!parts.empty()) maps.push_back({.what = "products of sets", .map = concat(std::move(parts), rows.inputs())});
  return maps;
}

/// The product kernel of two numbers as it is, not centred: there is nothing left for single columns to tell.
std::unique_ptr<FeatureMap> whole_product(const OpenRows& rows, double length, const Settings& settings) {
  const HermiteOptions options{.length_scale = length, .order = std::min(order_of(length, settings), 400)};
  std::vector<std::unique_ptr<FeatureMap>> factors;
  for (int number = 0; number < 2; ++number) {
    factors.push_back(hermite_sum({{.column = number, .options = options}}, rows.inputs(), Centring::none));
  }
  return tensor_product(std::move(factors));
}

/// Two numbers and nothing else. A narrow kernel tells how many rows there are near any place; training begins without
/// it, as rows far from where they belong do not feel it.
std::vector<TargetMap> maps_of_two(const OpenRows& rows, const Settings& settings) {
  constexpr double kSharpness = 2.4, kFrom = 0.4;
  const double length = length_scale(rows, settings), sharp_share = settings.number("sharp_share");
  std::vector<TargetMap> maps;
  maps.push_back({.what = "both numbers", .map = whole_product(rows, length, settings), .share = 1.0 - sharp_share});
  if (sharp_share > 0.0) {
    maps.push_back({.what = "both numbers, sharply",
                    .map = whole_product(rows, length / kSharpness, settings),
                    .share = sharp_share,
                    .from = kFrom,
                    .thins = true});
  }
  return maps;
}

/// Products are of all columns: where noise drowns the sums of single ones, it drowns products all the more.
std::vector<TargetMap> maps_of(const OpenRows& rows, const Outline& outline, const Settings& settings,
                               const Columns& columns) {
  const auto numbers = static_cast<double>(columns.numbers.size());
  const auto categories = static_cast<double>(columns.blocks.size());
  std::vector<TargetMap> products, maps;
  const bool has_all = numbers + categories == columns_in(rows);
  const bool is_two = has_all && numbers == 2.0 && categories == 0.0 && !outline.image;
  if (is_two && settings.number("product_share") > 0.0 && settings.whole("products") == 0) {
    return maps_of_two(rows, settings);
  }
  if (has_all) products = products_of(rows, outline, settings);
  const double product_share = products.empty() ? 0.0 : settings.number("product_share");
  const double column_share = (1.0 - product_share) / (numbers + categories);
  if (numbers > 0.0) {
    maps.push_back({.what = outline.image ? "pixels" : "numbers",
                    .map = with_brightness(columns.numbers, rows, outline, settings),
                    .share = column_share * numbers});
  }
  if (categories > 0.0) {
    maps.push_back(one_hot_means(rows, columns.blocks));
    maps.back().share = column_share * categories;
  }
  for (TargetMap& product : products) {
    product.share *= product_share;
    product.weight = settings.number("product_weight");
    maps.push_back(std::move(product));
  }
  return maps;
}

/// Pairs tell which images of a class there are, so that they can be made from more codes than by means of pixels
/// alone.
std::vector<MethodOption> options_of_net() {
  std::vector<MethodOption> options = net_options();
  for (MethodOption& option : options) {
    if (option.name == "codes") option.of_images = 10;
    if (option.name == "hidden") option.of_images = 300;
  }
  return options;
}

}  // namespace

Method dp_hp_method() {
  std::vector<MethodOption> options = {
      {"length_scale", 0.0, 0.0, 100.0, false,
       "of the kernel, numbers being spread over 0 to 1; 0: 0.15, of up to 3 numbers 0.12", 0.3},
      {"order", 0, 0, 400, true, "of the Hermite features; 0: 2 / length_scale, which loses next to nothing"},
      {"products", 0, 0, 10000, true,
       "sets of columns that are drawn; 0: all pairs at once where they are not too many, of images pairs of squares"},
      {"product_columns", 2, 2, 8, true, "columns in a set"},
      {"product_side", 0, 0, 64, true,
       "images only: pixels across the squares whose pairs are released; 0: up to 200 squares"},
      {"brightness", 0.0, 0.0, 0.99, false,
       "images only: share of the kernel of single columns for the mean of all pixels", 0.1},
      {"by_epoch", 0, 0, 1, true, "1: a release for each set, used in its own part of the training"},
      {"product_share", 0.4, 0.0, 0.99, false, "of the budget, for products"},
      {"sharp_share", 0.3, 0.0, 0.99, false,
       "of the budget, where there are two numbers and nothing else: products of both by a narrower kernel, by which "
       "rows are made anew where there should be fewer"},
      {"product_weight", 3.0, 0.0, 1e6, false, "of products beside single columns, in training", 10.0}};
  for (MethodOption& option : options_of_net()) options.push_back(std::move(option));
  options.push_back(even_classes_option());
  return embedding_method<maps_of>(
      {"dp-hp", "Hermite mean embeddings of columns and of their products, followed by a net",
       "Gaussian releases of counts of each number for quantiles, and for each class of sums of Hermite features, "
       "of one-hot categories, of products of columns, and of rows. The norms are known. On small tables with many "
       "columns, those that say most about the class are picked by the exponential mechanism, and only they are "
       "learned "
       "by class.",
       std::move(options), true});
}

}  // namespace sosia
