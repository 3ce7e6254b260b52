// SPDX-License-Identifier: Apache-2.0
// A schema that fits a set of images: all that is in it was read off the images.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "data/images/image_kind.h"
#include "data/images/image_records.h"
#include "data/images/image_rows.h"
#include "data/images/picture.h"
#include "data/images/picture_folder.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

constexpr ImageShape kCifar{32, 32, 3};  // its files have no header

ImageShape folder_shape(const fs::path& folder) {
  const std::optional<fs::path> first = first_picture(folder);
  std::string bytes;
  if (first) {
    std::ifstream file(*first, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (const std::optional<ImageShape> shape = picture_shape(bytes)) return *shape;
  throw Error(ErrorKind::io, first ? "a picture of the folder cannot be read" : "the folder holds no image",
              folder.string(), "give a folder with files that end in .png, .jpg or .jpeg");
}

ImageShape shape_of(const fs::path& path, const ImageOptions& options) {
  if (fs::is_directory(path)) return folder_shape(path);
  const ImageKind kind = image_kind_of(path);
  const ByteSource file(path, kind.packing);
  if (kind.kind == ImageFileKind::idx) return idx_shape(file);
  if (kind.kind == ImageFileKind::npy) return npy_shape(file);
  if (kind.kind == ImageFileKind::npz) return npz_shape(file, options.image_array);
  return kCifar;
}

/// Names of the folders that hold pictures.
std::vector<std::string> folder_classes(const fs::path& folder) {
  std::vector<std::string> classes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && first_picture(entry.path())) classes.push_back(entry.path().filename().string());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

/// Labels that are numbers, up to 255: those that occur.
std::vector<std::string> number_classes(const fs::path& path, const ImageShape& shape, const ImageOptions& options) {
  ImageSchema images{shape, {}};
  for (int label = 0; label < 256; ++label) images.classes.push_back(std::to_string(label));
  std::set<std::size_t> seen;
  const auto source = open_images(path, images, options);
  const auto scan = source->scan();
  for (RowBlock block; scan->next(block);) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) seen.insert(static_cast<std::size_t>(block.rows.row(r).back()));
  }
  std::vector<std::string> classes;
  for (const std::size_t label : seen) classes.push_back(images.classes[label]);
  return classes;
}

bool has_labels(const fs::path& path, const ImageOptions& options) {
  const ImageFileKind kind = image_kind_of(path).kind;
  if (kind == ImageFileKind::cifar || kind == ImageFileKind::npz || !options.labels.empty()) return true;
  const fs::path beside = labels_beside(path);
  return !beside.empty() && fs::exists(beside);
}

}  // namespace

bool holds_images(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return first_picture(path).has_value();
  try {
    return path != "-" && image_kind_of(path).kind != ImageFileKind::folder;
  } catch (const Error&) {
    return false;
  }
}

Draft draft_image_schema(const fs::path& path, const ImageOptions& options) {
  ImageSchema images{shape_of(path, options)};
  std::vector<Fact> unreviewed = {Fact::size};
  if (fs::is_directory(path)) {
    images.classes = folder_classes(path);
  } else if (has_labels(path, options)) {
    images.classes = number_classes(path, images.shape, options);
  }
  if (!images.classes.empty()) unreviewed.push_back(Fact::classes);
  return Draft(Schema{.columns = {}, .images = images}, {.unreviewed = {{"", unreviewed}}}, path.string());
}

}  // namespace sosia
