// SPDX-License-Identifier: Apache-2.0
// What the tests of image files share.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/images/image_rows.h"
#include "data/images/image_writer.h"

namespace sosia {

/// A folder that goes away with the test.
class ImageTestFolder {
 public:
  ImageTestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sosia_images_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~ImageTestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ImageTestFolder(const ImageTestFolder&) = delete;
  ImageTestFolder& operator=(const ImageTestFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}
inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Images of random bytes as rows.
struct TestImages {
  ImageSchema schema;
  std::size_t count = 0;
  std::vector<float> rows = {};

  TestImages(ImageSchema schema_, std::size_t count_) : schema(std::move(schema_)), count(count_) {
    std::mt19937 random;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < schema.shape.values(); ++j) {
        rows.push_back(static_cast<float>(random() % 256) / 255.0F);
      }
      if (!schema.classes.empty()) rows.push_back(static_cast<float>(random() % schema.classes.size()));
    }
  }
  std::size_t width() const { return schema.shape.values() + (schema.classes.empty() ? 0 : 1); }
  MatrixView<const float> view() const { return {rows.data(), count, width()}; }

  void write(const std::filesystem::path& path) const {
    const auto writer = ImageWriter::create(path, schema, static_cast<std::int64_t>(count));
    const std::size_t half = count / 2;
    writer->write({rows.data(), half, width()});
    writer->write({rows.data() + half * width(), count - half, width()});
    writer->close();
  }
};

/// All rows in their order, read by several threads; each must come once.
inline std::vector<float> read_rows(const RowSource& source, int threads = 3) {
  std::vector<float> all;
  std::vector<std::int64_t> firsts;
  std::mutex mutex;
  ThreadPool pool(threads);
  const auto scan = source.scan();
  const auto width = static_cast<std::size_t>(source.columns());
  std::size_t rows = 0;
  pool.run([&](int) {
    for (RowBlock block; scan->next(block);) {
      const std::lock_guard lock(mutex);
      const std::size_t first = static_cast<std::size_t>(block.first_row) * width, size = block.rows.rows * width;
      all.resize(std::max(all.size(), first + size), -1.0F);
      std::copy_n(block.rows.data, size, all.data() + first);
      rows += block.rows.rows;
    }
  });
  if (rows * width != all.size()) throw std::runtime_error("rows are missing, or came twice");
  return all;
}

}  // namespace sosia
