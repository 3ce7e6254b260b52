// SPDX-License-Identifier: Apache-2.0
// Synthetic images into files.
#include <algorithm>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "base/thread_pool.h"
#include "data/images/image_writer.h"
#include "model/sampling.h"

namespace sosia {

namespace {

/// Images that are made together: as few as keep a net busy, since it holds all that lies between codes and pixels.
std::int64_t block_rows(const ImageShape& shape) {
  constexpr std::size_t kBlockValues = std::size_t{1} << 19;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(kBlockValues / shape.values(), 16, 1024));
}

Condition condition_of(const ImageSchema& images, const SampleOptions& options) {
  Condition condition;
  for (const auto& [name, value] : options.where) {
    const auto found = std::find(images.classes.begin(), images.classes.end(), value);
    if (name != "class" || found == images.classes.end()) {
      throw Error(ErrorKind::usage, shown(name) + " of " + shown(value) + " is no condition for images",
                  "the condition of a sample",
                  images.classes.empty() ? "leave it out: the images have no classes"
                                         : "ask for \"class\", one of: " + listed(images.classes));
    }
    condition.emplace_back(static_cast<int>(images.shape.values()),
                           static_cast<std::uint32_t>(found - images.classes.begin()));
  }
  return condition;
}

}  // namespace

std::int64_t write_image_samples(const ModelContents& model, const std::filesystem::path& file,
                                 const SampleOptions& options) {
  const ImageSchema& images = *model.schema.images;
  const std::size_t width = model.generator->widths().size();
  const Condition condition = condition_of(images, options);
  const std::int64_t rows = rows_wanted(model, options), most = block_rows(images.shape);
  const auto writer = ImageWriter::create(file, images, rows);
  ThreadPool threads(options.threads);
  std::vector<std::vector<float>> made(static_cast<std::size_t>(threads.size()));
  const std::int64_t blocks = (rows + most - 1) / most;
  for (std::int64_t first = 0; first < blocks; first += threads.size()) {
    const std::int64_t count = std::min<std::int64_t>(threads.size(), blocks - first);
    threads.parallel_for(count, [&](std::int64_t i) {
      std::vector<float>& block = made[static_cast<std::size_t>(i)];
      const auto size = static_cast<std::size_t>(std::min(most, rows - (first + i) * most));
      block.resize(size * width);
      model.generator->sample(options.seed, static_cast<std::uint64_t>(first + i), condition,
                              {block.data(), size, width});
    });
    for (std::int64_t i = 0; i < count; ++i) {
      const std::vector<float>& block = made[static_cast<std::size_t>(i)];
      writer->write({block.data(), block.size() / width, width});
    }
  }
  writer->close();
  return rows;
}

namespace {

/// So many images of each class, but for classes that the model has never seen.
std::vector<float> rows_by_class(const ModelContents& model, std::size_t columns, std::uint64_t seed) {
  const ImageSchema& images = *model.schema.images;
  const std::size_t width = model.generator->widths().size();
  std::vector<float> rows;
  for (std::size_t line = 0; line < std::max<std::size_t>(1, images.classes.size()); ++line) {
    Condition condition;
    if (!images.classes.empty()) {
      condition = {{static_cast<int>(images.shape.values()), static_cast<std::uint32_t>(line)}};
    }
    std::vector<float> block(columns * width);
    try {
      model.generator->sample(seed, line, condition, {block.data(), columns, width});
    } catch (const Error&) {
      continue;
    }
    rows.insert(rows.end(), block.begin(), block.end());
  }
  return rows;
}

}  // namespace

ImageSamples sample_images(const ModelContents& model, std::size_t columns, std::uint64_t seed) {
  const std::vector<float> rows = rows_by_class(model, columns, seed);
  const std::size_t width = model.generator->widths().size();
  return samples_of(*model.schema.images, {rows.data(), rows.size() / width, width}, columns);
}

void write_image_grid(const ModelContents& model, const std::filesystem::path& file, std::int64_t columns,
                      const SampleOptions& options) {
  constexpr std::int64_t kMostColumns = 1000;
  if (columns < 1 || columns > kMostColumns) {
    throw Error(ErrorKind::usage, "that are too many images in a line", "sample", "ask for up to 1000");
  }
  const auto n = static_cast<std::size_t>(columns);
  const std::size_t width = model.generator->widths().size();
  const std::vector<float> rows = rows_by_class(model, n, options.seed);
  write_sample_grid(file, *model.schema.images, {rows.data(), rows.size() / width, width}, n);
}

}  // namespace sosia
