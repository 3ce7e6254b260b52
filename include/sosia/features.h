// SPDX-License-Identifier: Apache-2.0
// Feature nets for the method dp-mepf: what public images teach about images, for private ones to be described by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sosia/fit.h>
#include <sosia/images.h>
#include <sosia/schema.h>

namespace sosia {

/// A set of labelled images that is PUBLIC: whoever holds a net can learn about the images that it was trained on, and
/// nothing here hides them.
struct PublicImages {
  std::filesystem::path path;
  ImageSchema schema;
  ImageOptions options = {};
};

struct FeatureOptions {
  std::string name = {};                           ///< that the net goes by in certificates; empty: names of the sets
  std::optional<ImageShape> shape;                 ///< of the images that the net takes; absent: as the first set's
  std::vector<std::size_t> planes = {16, 32, 64};  ///< of the stages of the net, between which images are halved
  bool residual = false;  ///< stages are blocks with a bypass, in the place of two convolutions one after the other
  int epochs = 8;         ///< passes over the images
  double rate = 2e-3;     ///< of Adam, at the start; it falls to 0 along half a cosine
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core; the net does not depend on it
};

/// What a file of features holds.
struct FeatureSummary {
  std::string name;
  ImageShape shape;
  std::vector<std::string> layers;  ///< in words, up to the last one that is read
  std::int64_t parameters = 0;
  std::int64_t features = 0;         ///< numbers that are read of an image
  std::vector<std::string> sources;  ///< the public data it was trained on, as it says
  std::vector<std::pair<std::string, std::string>> training;
  std::string sha256;
};

/// Trains a classifier of the sets' classes, all of them told apart, and keeps what it needs to describe an image. Sets
/// of other sizes and colours are brought to the net's shape. An existing file is not touched.
FeatureSummary train_features(const std::vector<PublicImages>& sets, const FeatureOptions& options,
                              const std::filesystem::path& output, const TrainingWatch& watch);

FeatureSummary describe_features(const std::filesystem::path& path);

struct ComputeOptions {
  int moments = 2;  ///< as the fit's that they are for
  ImageOptions images = {};
  int threads = 0;  ///< 0: one per core; the file does not depend on it
};

/// How many rows of how many numbers were written.
struct ComputedFeatures {
  std::int64_t images = 0, features = 0;
};

/// Writes what the method dp-mepf makes of images by means of a feature net: an NPY array of float32, images x
/// features, a row for each image in the order of the set, for FitOptions::computed. Memory does not grow with the set.
/// This is no release: nothing is noised, and the file is AS PRIVATE AS THE IMAGES. An existing file is not touched;
/// none is left behind if `watch` ends it, which is an error.
ComputedFeatures compute_features(const std::filesystem::path& net, const std::filesystem::path& images,
                                  const Schema& schema, const ComputeOptions& options,
                                  const std::filesystem::path& output, const TrainingWatch& watch);

}  // namespace sosia
