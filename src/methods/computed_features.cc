// SPDX-License-Identifier: Apache-2.0
// What a public net sees in private images, to a file of their owner. Nothing here is released: what is written is as
// private as what is read.
#include <algorithm>

#include <sosia/error.h>
#include <sosia/features.h>
#include <sosia/table.h>

#include "base/check.h"
#include "base/thread_pool.h"
#include "data/images/feature_writer.h"
#include "data/images/image_rows.h"
#include "perceptual/feature_file.h"
#include "perceptual/perceptual_map.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImages = 64;   // that are held at once, and their features
constexpr std::size_t kTogether = 8;  // of which a thread takes so many

void check_request(const Schema& schema, const ComputeOptions& options, const fs::path& output) {
  if (!schema.images) {
    throw Error(ErrorKind::schema, "the schema is one of a table", "features", "pass a schema of images");
  }
  if (options.moments != 1 && options.moments != 2) {
    throw Error(ErrorKind::usage, "features have one moment or two", "features", "pass 1 or 2, as the fit has it");
  }
  if (fs::exists(output)) {
    throw Error(ErrorKind::io, "there is a file of this name already", output.string(),
                "choose another name, or remove it");
  }
}

}  // namespace

ComputedFeatures compute_features(const fs::path& net, const fs::path& images, const Schema& schema,
                                  const ComputeOptions& options, const fs::path& output, const TrainingWatch& watch) {
  check_request(schema, options, output);
  const FeatureFile file = read_features(net);
  const auto map = perceptual(file.net, schema.images->shape, {.moments = options.moments});
  // An array begins with its length. All that is wrong with images is told here, too, before the long part.
  const std::int64_t count = check_images(images, schema, options.images).rows;
  const auto dim = static_cast<std::size_t>(map->dim()), pixels = schema.images->shape.values();
  FeatureWriter writer(output, count, dim);
  ThreadPool threads(options.threads);
  std::vector<float> held(kImages * pixels), vectors(kImages * dim);
  std::size_t many = 0;
  TrainingStep step{0, static_cast<int>((static_cast<std::size_t>(count) + kImages - 1) / kImages)};
  const auto write_held = [&] {
    simd::for_ranges(threads, many, kTogether, [&](std::size_t begin, std::size_t end) {
      map->forward({held.data() + begin * pixels, end - begin, pixels},
                   {vectors.data() + begin * dim, end - begin, dim});
    });
    writer.write({vectors.data(), many, dim});
    many = 0;
    ++step.step;
    if (watch(step)) return;
    throw Error(ErrorKind::io, "interrupted: no file was written", output.string(), "run it again");
  };
  const auto source = open_images(images, *schema.images, options.images);
  const auto scan = source->scan();
  std::int64_t next = 0;
  for (RowBlock block; scan->next(block); next += static_cast<std::int64_t>(block.rows.rows)) {
    SOSIA_CHECK(block.first_row == next, "a single reader gets the images in their order");
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      std::ranges::copy(block.rows.row(r).first(pixels), held.begin() + static_cast<std::ptrdiff_t>(many * pixels));
      if (++many == kImages) write_held();
    }
  }
  if (many > 0) write_held();
  writer.close();
  return {count, static_cast<std::int64_t>(dim)};
}

}  // namespace sosia
