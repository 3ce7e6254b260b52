// SPDX-License-Identifier: Apache-2.0
#include "data/images/picture_writer.h"

#include <arrow/io/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/check.h"
#include "data/images/class_list.h"
#include "data/images/picture.h"
#include "data/output_file.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void raise_cannot_write(const fs::path& path) {
  throw Error(ErrorKind::io, "the images cannot be written", path.string(),
              "check that the folder above is there, that you may write to it and that the disk is not full");
}

/// The name of a folder may end in a slash.
fs::path without_slash(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

/// Files CLASS/00000001.png, in a folder of another name until all are there. Classes that are no names of files are
/// refused.
class PictureWriter : public ImageWriter {
 public:
  PictureWriter(const fs::path& folder, const ImageSchema& schema, std::int64_t count)
      : folder_(without_slash(folder)),
        shape_(schema.shape),
        classes_(schema.classes),
        count_(count),
        pixels_(shape_.values()) {
    for (const std::string& name : schema.classes) {
      if (name.find('/') == std::string::npos && !name.starts_with('.') && !name.starts_with('_')) continue;
      throw Error(ErrorKind::usage, "a class has a name that no folder of images can have", folder.string(),
                  "write another kind of file, or rename classes that begin with . or _ or have a /");
    }
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder_, error))) {
      throw Error(ErrorKind::io, "there is something of this name already", folder.string(), "choose another name");
    }
    temporary_ = folder_;
    temporary_ += ".part" + std::to_string(::getpid());
    if (!fs::create_directory(temporary_, error)) raise_cannot_write(folder);
    for (const std::string& name : schema.classes) {
      fs::create_directory(temporary_ / name, error);
      if (error) raise_cannot_write(folder);
    }
  }
  ~PictureWriter() override {
    std::error_code error;
    if (!temporary_.empty()) fs::remove_all(temporary_, error);
  }

  void write(MatrixView<const float> rows) override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::uint32_t code = class_in(rows.row(r), shape_, classes_.size());
      to_bytes(rows.row(r), shape_, false, pixels_);
      const std::string bytes = encode_png(shape_, pixels_);
      const fs::path below = classes_.empty() ? temporary_ : temporary_ / classes_.name(code);
      std::ofstream file(below / fmt::format("{:08}.png", ++written_), std::ios::binary);
      file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      file.close();
      if (!file) raise_cannot_write(folder_);
    }
  }

  void close() override {
    SOSIA_CHECK(written_ == count_, "as many images as were promised");
    std::error_code error;
    fs::rename(temporary_, folder_, error);
    if (error) raise_cannot_write(folder_);
    temporary_.clear();
  }

 private:
  fs::path folder_, temporary_;
  ImageShape shape_;
  ClassList classes_;
  std::int64_t count_, written_ = 0;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

void to_bytes(std::span<const float> row, const ImageShape& shape, bool is_planar, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < shape.values(); ++i) {
    const std::size_t from = is_planar ? i : i % shape.channels * shape.pixels() + i / shape.channels;
    const float pixel = row[from] > 0.0F ? std::min(row[from], 1.0F) : 0.0F;  // what is no number is 0
    bytes[i] = static_cast<std::uint8_t>(std::lround(255.0F * pixel));
  }
}

std::uint32_t class_in(std::span<const float> row, const ImageShape& shape, std::size_t classes) {
  SOSIA_CHECK(row.size() == shape.values() + (classes == 0 ? 0 : 1), "rows of images of this shape");
  if (classes == 0) return 0;
  const float code = row.back();
  SOSIA_CHECK(code >= 0.0F && code < static_cast<float>(classes), "a class of the schema");
  return static_cast<std::uint32_t>(code);
}

std::unique_ptr<ImageWriter> make_picture_writer(const fs::path& folder, const ImageSchema& schema,
                                                 std::int64_t count) {
  return std::make_unique<PictureWriter>(folder, schema, count);
}

ImageSamples samples_of(const ImageSchema& schema, MatrixView<const float> rows, std::size_t columns) {
  const ImageShape& shape = schema.shape;
  ImageSamples samples{.shape = shape};
  samples.lines.resize(std::max<std::size_t>(1, schema.classes.size()));
  std::vector<std::uint8_t> pixels(shape.values());
  for (std::size_t r = 0; r < rows.rows; ++r) {
    std::vector<std::uint8_t>& line = samples.lines[class_in(rows.row(r), shape, schema.classes.size())];
    if (line.size() == columns * shape.values()) continue;
    to_bytes(rows.row(r), shape, false, pixels);
    line.insert(line.end(), pixels.begin(), pixels.end());
  }
  return samples;
}

void write_sample_grid(const fs::path& path, const ImageSchema& schema, MatrixView<const float> rows,
                       std::size_t columns) {
  SOSIA_CHECK(columns > 0, "a grid has columns");
  const ImageSamples samples = samples_of(schema, rows, columns);
  const ImageShape& shape = schema.shape;
  const ImageShape grid{columns * shape.width, samples.lines.size() * shape.height, shape.channels};
  std::vector<std::uint8_t> all(grid.values());
  const std::size_t row_bytes = shape.width * shape.channels;
  for (std::size_t line = 0; line < samples.lines.size(); ++line) {
    for (std::size_t at = 0; at < samples.lines[line].size(); at += row_bytes) {
      const std::size_t image = at / shape.values(), y = at % shape.values() / row_bytes;
      std::copy_n(samples.lines[line].data() + at, row_bytes,
                  all.data() + ((line * shape.height + y) * columns + image) * row_bytes);
    }
  }
  const std::string bytes = encode_png(grid, all);
  OutputFile file(path, Packing::none);
  require(file.stream()->Write(bytes.data(), static_cast<std::int64_t>(bytes.size())), file.fault());
  file.commit();
}

}  // namespace sosia
