// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include <sosia/image_samples.h>
#include <sosia/model.h>

#include "model/contents.h"

namespace sosia {

/// Some of the rows that belong to a seed.
struct SampleBlock {
  std::uint64_t seed = 1, block = 0;
  std::int64_t rows = 0;
  Condition condition = {};
};
/// As a table. The codec is the model's, which has a generator.
std::shared_ptr<arrow::RecordBatch> sample_block(const ModelContents& model, const Codec& codec,
                                                 const SampleBlock& wanted);

/// How many rows are asked for.
std::int64_t rows_wanted(const ModelContents& model, const SampleOptions& options);

/// See Model::sample and Model::sample_grid. The model has a generator.
std::int64_t write_samples(const ModelContents& model, const std::filesystem::path& file, const SampleOptions& options);
std::int64_t write_image_samples(const ModelContents& model, const std::filesystem::path& file,
                                 const SampleOptions& options);
/// The first images of each class that belong to a seed.
ImageSamples sample_images(const ModelContents& model, std::size_t columns, std::uint64_t seed);
void write_image_grid(const ModelContents& model, const std::filesystem::path& file, std::int64_t columns,
                      const SampleOptions& options);

}  // namespace sosia
