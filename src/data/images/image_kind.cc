// SPDX-License-Identifier: Apache-2.0
#include "data/images/image_kind.h"

#include <string>

#include <sosia/error.h>

#include "data/images/image_records.h"
#include "data/images/image_rows.h"
#include "data/images/picture_folder.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

void replace(std::string& text, const std::string& from, const std::string& to) {
  if (const std::size_t at = text.rfind(from); at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

ImageKind image_kind_of(const fs::path& path) {
  ImageKind kind;
  std::string name = path.filename().string();
  for (const auto& [ending, packing] : {std::pair{".gz", Packing::gzip}, {".zst", Packing::zstd}}) {
    if (!name.ends_with(ending)) continue;
    kind.packing = packing;
    name.resize(name.size() - std::string_view(ending).size());
  }
  const bool is_packed = kind.packing != Packing::none;
  if (name.ends_with("-ubyte") || name.ends_with(".idx")) {
    kind.kind = ImageFileKind::idx;
  } else if (name.ends_with(".bin")) {
    kind.kind = ImageFileKind::cifar;
  } else if (name.ends_with(".npy")) {
    kind.kind = ImageFileKind::npy;
  } else if (name.ends_with(".npz") && !is_packed) {
    kind.kind = ImageFileKind::npz;
  } else if (name.find('.') != std::string::npos || is_packed) {
    throw Error(ErrorKind::usage, "the ending of the name says no known kind of images", path.string(),
                "known are ...-ubyte and .idx, .bin and .npy (also with .gz or .zst), .npz, and folders");
  }
  return kind;
}

fs::path labels_beside(const fs::path& images) {
  std::string name = images.filename().string();
  if (name.find("images") == std::string::npos) return {};
  replace(name, "images", "labels");
  replace(name, "idx3", "idx1");
  replace(name, "idx4", "idx1");
  return images.parent_path() / name;
}

std::shared_ptr<const ImageFormat> open_image_files(const fs::path& path, const ImageSchema& schema,
                                                    const ImageOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) return open_picture_folder(path, options.labels, schema);
  const ImageKind kind = image_kind_of(path);
  const ByteSource images(path, kind.packing);
  if (kind.kind == ImageFileKind::cifar) return open_cifar(images, schema);
  if (kind.kind == ImageFileKind::npz) {
    return open_npz(images, options.image_array, options.label_array, schema);
  }
  const bool is_idx = kind.kind == ImageFileKind::idx;
  if (schema.classes.empty()) {
    return is_idx ? open_idx(images, nullptr, schema) : open_npy(images, nullptr, schema);
  }
  const fs::path beside = options.labels.empty() ? labels_beside(path) : options.labels;
  if (beside.empty()) {
    throw Error(ErrorKind::usage, "nothing says where the labels are", path.string(),
                "name the file of labels (--labels), or declare no classes");
  }
  const ByteSource labels(beside, image_kind_of(beside).packing);
  return is_idx ? open_idx(images, &labels, schema) : open_npy(images, &labels, schema);
}

std::unique_ptr<RowSource> open_images(const fs::path& path, const ImageSchema& schema, const ImageOptions& options) {
  return image_rows(open_image_files(path, schema, options), schema);
}

}  // namespace sosia
