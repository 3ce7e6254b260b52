// SPDX-License-Identifier: Apache-2.0
#include "eval/images/image_set.h"

#include <algorithm>
#include <mutex>

#include <sosia/error.h>
#include <sosia/image_samples.h>

#include "data/images/image_rows.h"
#include "data/images/image_writer.h"
#include "eval/metric.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostDrawn = 10000;

ImageSet empty_like(const ImageSet& set, std::size_t count) {
  ImageSet made{.count = count, .values = set.values, .pixels = {}, .classes = {}};
  made.pixels.resize(count * set.values);
  if (!set.classes.empty()) made.classes.resize(count);
  return made;
}

}  // namespace

MatrixView<const float> ImageSet::feature_rows(std::size_t most) const {
  return {features.data(), std::min(most, drawn.size()), features.size() / drawn.size()};
}

ImageSet read_image_set(const std::filesystem::path& path, const ImageSchema& schema, ThreadPool& pool,
                        const ImageOptions& options) {
  const auto source = open_images(path, schema, options);
  const auto scan = source->scan();
  const bool has_classes = !schema.classes.empty();
  ImageSet set{.count = 0, .values = schema.shape.values(), .pixels = {}, .classes = {}};
  std::mutex mutex;
  pool.run([&](int) {
    for (RowBlock block; scan->next(block);) {
      const auto first = static_cast<std::size_t>(block.first_row);
      const std::lock_guard lock(mutex);  // vectors may move while they grow
      set.count = std::max(set.count, first + block.rows.rows);
      if (set.pixels.size() < set.count * set.values) set.pixels.resize(set.count * set.values);
      if (has_classes && set.classes.size() < set.count) set.classes.resize(set.count);
      for (std::size_t i = 0; i < block.rows.rows; ++i) {
        const auto row = block.rows.row(i);
        std::copy_n(row.data(), set.values, set.pixels.data() + (first + i) * set.values);
        if (has_classes) set.classes[first + i] = static_cast<std::uint32_t>(row.back());
      }
    }
  });
  if (set.count > 0) return set;
  throw Error(ErrorKind::data, "the set has no images", path.string(), "give a set with at least one image");
}

ImageSet bootstrap(const ImageSet& set, std::size_t count, PublicRng& rng) {
  ImageSet made = empty_like(set, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = draw_below(set.count, rng);
    std::copy_n(set.pixels.data() + from * set.values, set.values, made.pixels.data() + i * set.values);
    if (!set.classes.empty()) made.classes[i] = set.classes[from];
  }
  return made;
}

ImageSet independent_pixels(const ImageSet& set, std::size_t count, PublicRng& rng) {
  ImageSet made = empty_like(set, count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t p = 0; p < set.values; ++p) {
      made.pixels[i * set.values + p] = set.pixels[draw_below(set.count, rng) * set.values + p];
    }
    if (!set.classes.empty()) made.classes[i] = set.classes[draw_below(set.count, rng)];
  }
  return made;
}

void add_features(const ImageFeatures& features, std::uint64_t seed, ThreadPool& pool, ImageSet& set) {
  PublicRng rng = rng_of(seed, Stream::image_rows);
  set.drawn = draw_rows(set.count, kMostDrawn, rng);
  set.features = features.vectors(set.images(), set.drawn, pool);
}

}  // namespace sosia::eval

namespace sosia {

ImageSamples first_images(const std::filesystem::path& images, const ImageSchema& schema, std::size_t columns,
                          const ImageOptions& options) {
  const auto source = open_images(images, schema, options);
  const auto scan = source->scan();  // one thread: blocks come in the order of the file
  ImageSamples all{.shape = schema.shape};
  all.lines.resize(std::max<std::size_t>(1, schema.classes.size()));
  for (RowBlock block; scan->next(block);) {
    const ImageSamples some = samples_of(schema, block.rows, columns);
    for (std::size_t k = 0; k < all.lines.size(); ++k) {
      const std::size_t room = columns * schema.shape.values() - all.lines[k].size();
      const auto last = some.lines[k].begin() + static_cast<std::ptrdiff_t>(std::min(room, some.lines[k].size()));
      all.lines[k].insert(all.lines[k].end(), some.lines[k].begin(), last);
    }
  }
  return all;
}

}  // namespace sosia
