// SPDX-License-Identifier: Apache-2.0
// From public images to a file of features. No private table comes near this file, and no ledger: all that it reads
// is public by the word of who calls it, which the file repeats and certificates show.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/features.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "data/images/image_kind.h"
#include "data/images/image_rows.h"
#include "perceptual/feature_file.h"
#include "perceptual/preparation.h"
#include "perceptual/train_features.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

/// Images of all sets in the net's shape, and classes, those of a set after those of the sets before it.
struct Gathered {
  std::vector<float> pixels;
  std::vector<std::uint32_t> classes;
  std::size_t class_count = 0;
};

[[noreturn]] void refuse(const std::string& what, const std::string& where, const std::string& fix) {
  throw Error(ErrorKind::usage, what, where, fix);
}

/// In the order of the set, whatever order its blocks come in. Returns the number of images.
std::int64_t add_set(const PublicImages& set, const ImageShape& shape, Gathered& all) {
  if (set.schema.classes.size() < 2) {
    refuse("a net learns from images of at least two classes", set.path.string(), "declare the classes in its schema");
  }
  const FeatureNet target{.shape = shape, .layers = {}, .parameters = {}};
  const std::size_t values = set.schema.shape.values(), first = all.classes.size();
  const auto source = open_images(set.path, set.schema, set.options);
  const auto scan = source->scan();
  for (RowBlock block; scan->next(block);) {
    const std::size_t end = first + static_cast<std::size_t>(block.first_row) + block.rows.rows;
    if (all.classes.size() < end) {
      all.classes.resize(end);
      all.pixels.resize(end * shape.values());
    }
    const std::size_t begin = end - block.rows.rows;
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      all.classes[begin + r] =
          static_cast<std::uint32_t>(all.class_count) + static_cast<std::uint32_t>(block.rows.row(r)[values]);
    }
    prepare_images(target, set.schema.shape, {block.rows.data, block.rows.rows, values, block.rows.stride},
                   {all.pixels.data() + begin * shape.values(), block.rows.rows, shape.values()});
  }
  all.class_count += set.schema.classes.size();
  return static_cast<std::int64_t>(all.classes.size() - first);
}

/// Of a file or a folder, and of the file of its labels.
std::vector<std::string> hashes_of(const PublicImages& set) {
  std::vector<std::string> hashes = {sha256_of_file(set.path)};
  if (fs::is_directory(set.path)) return hashes;
  const fs::path beside = set.options.labels.empty() ? labels_beside(set.path) : set.options.labels;
  if (!beside.empty() && fs::exists(beside)) hashes.push_back(sha256_of_file(beside));
  return hashes;
}

void check_options(const std::vector<PublicImages>& sets, const FeatureOptions& options, const ImageShape& shape) {
  constexpr std::size_t kMostStages = 8;
  if (sets.empty() || options.planes.empty() || options.planes.size() > kMostStages) {
    refuse("there is nothing to learn from, or no net that could learn", "features",
           "name a set of images, and planes of 1 to 8 stages");
  }
  const std::size_t halvings = options.planes.size() - 1;
  if (shape.width != shape.height || shape.width % (std::size_t{1} << halvings) != 0) {
    refuse(fmt::format("images of {} x {} pixels cannot be halved {} times", shape.width, shape.height, halvings),
           "features", fmt::format("pass a shape with equal sides that are multiples of {}", 1 << halvings));
  }
}

std::string words_of_convolution(const FeatureLayer& layer) {
  return fmt::format("convolution {0} x {0} to {1} planes{2}", layer.side, layer.channels,
                     layer.stride > 1 ? fmt::format(", stride {}", layer.stride) : "");
}

std::string words_of_kind(const FeatureLayer& layer) {
  if (layer.kind == FeatureLayer::Kind::convolution) return words_of_convolution(layer) + ", relu";
  if (layer.kind == FeatureLayer::Kind::residual) {
    std::vector<std::string> parts;
    for (const FeatureLayer& part : layer.inside) parts.push_back(words_of_convolution(part));
    const std::string bypass = layer.bypass.empty() ? "bypass" : "bypass by " + words_of_convolution(layer.bypass[0]);
    return fmt::format("block: {}; {}; relu", fmt::join(parts, ", relu, "), bypass);
  }
  return fmt::format("{} pool {} x {}", layer.kind == FeatureLayer::Kind::max_pool ? "max" : "mean", layer.side,
                     layer.side);
}

std::string words(const FeatureLayer& layer) { return words_of_kind(layer) + (layer.is_read ? ", read" : ""); }

FeatureSummary summary_of(const FeatureFile& file) {
  FeatureSummary out{.name = file.name,
                     .shape = file.net.shape,
                     .layers = {},
                     .parameters = static_cast<std::int64_t>(file.net.parameters.size()),
                     .features = static_cast<std::int64_t>(feature_count(file.net, file.name)),
                     .sources = {},
                     .training = file.training,
                     .sha256 = file.sha256};
  for (const FeatureLayer& layer : file.net.layers) out.layers.push_back(words(layer));
  for (const PublicData& data : file.public_data) {
    out.sources.push_back(fmt::format("{}, {} images, sha256 {}", data.name, data.images, fmt::join(data.sha256, " ")));
  }
  return out;
}

}  // namespace

FeatureSummary train_features(const std::vector<PublicImages>& sets, const FeatureOptions& options,
                              const fs::path& output, const TrainingWatch& watch) {
  const ImageShape shape = options.shape.value_or(sets.empty() ? ImageShape{} : sets.front().schema.shape);
  check_options(sets, options, shape);
  if (fs::exists(output)) {
    throw Error(ErrorKind::io, "there is a file of this name already", output.string(),
                "choose another name, or remove it");
  }
  FeatureFile file{.name = options.name, .net = {}};
  Gathered all;
  for (const PublicImages& set : sets) {
    const std::string name = set.path.filename().string();
    if (options.name.empty()) file.name += (file.name.empty() ? "" : " + ") + name;
    file.public_data.push_back({name, add_set(set, shape, all), hashes_of(set)});
  }
  check_text(file.name, "the name of the feature net", false);
  constexpr std::size_t kLeastImages = 20;
  if (all.classes.size() < kLeastImages) {
    throw Error(ErrorKind::data, "there are too few images to learn from", file.name, "pass 20 at least");
  }
  ThreadPool threads(options.threads);
  const FeatureTrainingOptions how{.planes = options.planes,
                                   .residual = options.residual,
                                   .epochs = options.epochs,
                                   .rate = options.rate,
                                   .seed = options.seed};
  TrainedFeatures trained =
      train_feature_net(shape, {{all.pixels.data(), all.classes.size(), shape.values()}, all.classes, all.class_count},
                        how, threads, [&](int step, int most, double) { return watch({step, most, 0.0}); });
  file.net = std::move(trained.net);
  file.training = {{"images", fmt::format("{}", trained.trained)},
                   {"images held out", fmt::format("{}", trained.held_out)},
                   {"accuracy on images held out", fmt::format("{:.4f}", trained.accuracy)},
                   {"classes", fmt::format("{}", all.class_count)},
                   {"epochs", fmt::format("{}", options.epochs)},
                   {"steps", fmt::format("{} of {}", trained.steps, trained.planned_steps)},
                   {"rate", fmt::format("{:g}", options.rate)},
                   {"seed", fmt::format("{}", options.seed)}};
  create_durable_file(output, feature_bytes(file));
  return describe_features(output);
}

FeatureSummary describe_features(const fs::path& path) { return summary_of(read_features(path)); }

}  // namespace sosia
