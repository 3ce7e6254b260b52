// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "data/byte_source.h"

namespace sosia {

enum class ImageFileKind { idx, cifar, npy, npz, folder };

struct ImageKind {
  ImageFileKind kind = ImageFileKind::folder;
  Packing packing = Packing::none;
};

/// What the ending of the name says; a name without an ending is a folder. An unknown ending is a usage error that
/// lists the known ones.
ImageKind image_kind_of(const std::filesystem::path& path);

/// The file of labels that belongs to an IDX or NPY file of images: "labels" in the place of "images". Nothing where
/// the name does not say "images".
std::filesystem::path labels_beside(const std::filesystem::path& images);

}  // namespace sosia
