// SPDX-License-Identifier: Apache-2.0
// DP-MEPF (Harder, Jalali, Sutherland and Park 2023), made sound: mean embeddings by class of what a net that was
// trained on PUBLIC images sees in private ones, and a net that makes images with the same means.
//
// Claim. One Gaussian release: for each class the sum of the perceptual features of its images (perceptual_map.h), of
// norm 1 and never negative, and the number of its images, as one vector. Its sensitivity is that of
// docs/methods/door.md, section 3: with t the weight of a count, sqrt(1 + t^2) for an image more or less, and sqrt(2 (1
// + t^2)) for one that is replaced, by two images of a class sqrt(2) apart at most, as vectors without negative entries
// are. The feature net is public by declaration: the certificate names it, its hash and what it was trained on.
// With a stop_share, a second Gaussian release of the same sums, without counts, with noise of its own: sensitivity 1,
// or sqrt(2) for an image that is replaced. It decides which of the nets of the training is kept. The shares of mu^2 of
// the two add up to 1. Everything else is post-processing.
//
// With features that were computed elsewhere, a record is an image, its class and its row of the file. What the row
// holds does not matter for the sensitivity: unit_ball.h brings any numbers to a norm of 1 at most without negative
// entries, row by row, and the door checks it. That a row depends on its image alone is declared, and the certificate
// says so.
#include <algorithm>
#include <utility>

#include <sosia/error.h>

#include "features/unit_ball.h"
#include "generate/best_net.h"
#include "generate/moving_loss.h"
#include "methods/embeddings.h"
#include "methods/entries.h"
#include "perceptual/feature_file.h"
#include "perceptual/perceptual_map.h"

namespace sosia {

namespace {

std::vector<TargetMap> maps_of(const Outline& outline, const Settings& settings) {
  if (!outline.features || !outline.image) {
    throw Error(ErrorKind::io, "the model lacks its feature net", "dp-mepf", "fit again");
  }
  std::shared_ptr<const FeatureMap> map =
      perceptual(outline.features->net, *outline.image, {.moments = settings.whole("moments")});
  const double stop_share = settings.number("stop_share");
  // Of ten thousands of features each, a count of a class needs far less than half as much weight.
  std::vector<TargetMap> maps = {{.what = "features", .map = map, .share = 1.0 - stop_share, .count_weight = 0.2}};
  if (stop_share > 0.0) maps.push_back({.what = "features to stop by,", .map = std::move(map), .share = stop_share});
  return counted(std::move(maps), settings);
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const OpenRows rows(outline.widths, outline.target);
  return plan_embeddings(rows, maps_of(outline, settings), outline, ledger);
}

Released release(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                 ThreadPool& threads) {
  std::vector<TargetMap> maps = maps_of(outline, settings);
  if (!outline.is_computed) {
    return release_embeddings(table, OpenRows(outline.widths, outline.target), maps, outline, ledger, threads);
  }
  const int dim = maps.front().map->dim();
  for (TargetMap& target : maps) target.map = unit_ball(dim);
  std::vector<std::uint32_t> widths(static_cast<std::size_t>(dim), 0);
  if (outline.target) widths.push_back(outline.widths.back());
  const OpenRows rows(std::move(widths), outline.target ? std::optional(dim) : std::nullopt);
  return release_embeddings(table, rows, maps, outline, ledger, threads);
}

NetFitOptions net_options_of(const Outline& outline, const Settings& settings, std::uint64_t seed) {
  NetShape shape{settings.whole("codes"), 0, {settings.whole("hidden")}};
  shape.kind = NetKind::convolutional;
  shape.image = *outline.image;
  shape.planes = {2 * settings.whole("planes"), settings.whole("planes")};
  return {.shape = std::move(shape),
          .steps = settings.whole("steps"),
          .batch = settings.whole("batch"),
          .rate = settings.number("rate"),
          .momentum = 0.5,
          .seed = seed};
}

std::shared_ptr<const Generator> train(const Released& released, const Training& training) {
  const auto& embeddings = std::get<Embeddings>(released);
  const Settings& settings = training.settings;
  const OpenRows rows(training.outline.widths, training.outline.target);
  const std::vector<TargetMap> maps = maps_of(training.outline, settings);
  std::vector<std::unique_ptr<RowLoss>> losses;
  losses.push_back(
      moving_loss({maps.front().map, embeddings.list.data()}, embeddings.counts, settings.number("decay")));
  const NetFitOptions options = net_options_of(training.outline, settings, training.seed);
  constexpr int kLooks = 50;  // each costs as much as two or three steps
  Checkpoints checkpoints{.every = std::max(options.steps / kLooks, 1), .patience = settings.whole("patience")};
  std::unique_ptr<NetJudge> judge;
  if (maps.size() > 1) {
    judge = embedding_judge(rows, options.shape, {maps.back().map, &embeddings.list.back()}, embeddings.counts,
                            training.seed);
    checkpoints.judge = judge.get();
  }
  return std::make_shared<const NetGenerator>(
      fit_net(rows, losses, embeddings.counts, options, checkpoints, training.threads,
              [&](int step, double residual) { return training.watch({step, options.steps, residual}); }));
}

}  // namespace

Method dp_mepf_method() {
  const std::vector<MethodOption> options = {
      {"moments", 2, 1, 2, true, "1: means of features; 2: means of their squares as well"},
      {"steps", 4000, 1, 10000000, true, "of training"},
      {"batch", 160, 2, 1000000, true, "images that the net makes in a step; 16 of each class at least"},
      {"rate", 0.003, 1e-6, 1.0, false, "of Adam, at the start; it falls to 0 along half a cosine"},
      {"decay", 0.9, 0.0, 0.9999, false, "of the running means of the net's images, a step"},
      {"stop_share", 0.0, 0.0, 0.9, false,
       "of the budget, for a second release of the features, which says what net of the training to keep; 0: the last"},
      {"patience", 0, 0, 1000, true,
       "training ends after so many checkpoints, of 50, without a better net; 0: it never does"},
      {"codes", 10, 1, 10000, true, "normal numbers that an image is made from"},
      {"hidden", 500, 1, 100000, true, "width of the dense layer"},
      {"planes", 8, 1, 1024, true, "of the image before the last convolution; twice as many before the one before"},
      even_classes_option()};
  MethodInfo info{
      "dp-mepf", "means of perceptual features of a public net, followed by a net",
      "Gaussian releases: for each class, sums of what a net trained on public images sees in its images, and "
      "their number; with a stop_share, the sums once more. The vector of an image has norm 1 and no "
      "negative entry. The feature net (--features) is declared public, and where features come from a file "
      "(--computed), each row of it is declared to depend on its image alone.",
      options};
  info.takes_images = true;
  info.takes_tables = false;
  info.needs_features = true;
  return {std::move(info), NumberCoding::scaled, plan, release, train};
}

}  // namespace sosia
