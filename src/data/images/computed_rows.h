// SPDX-License-Identifier: Apache-2.0
// Features of images that were computed elsewhere: an NPY array, images x features, one row for each image of a set, in
// the order of the set. Such a file is as private as the images.
#pragma once

#include <filesystem>
#include <memory>

#include "data/byte_source.h"
#include "data/images/image_format.h"
#include "data/images/image_rows.h"

namespace sosia {

/// .npy, which may be packed, .gz or .zst. Another ending is a usage error.
Packing packing_of_features(const std::filesystem::path& path);

/// Rows of `width` numbers of the array, float32 or float64, then the class of the image, where classes are declared:
/// in the place of its pixels, and sealed like these. Both files are read block by block, side by side. An array of
/// another type, width or length is refused when it is opened, as far as headers and sizes tell; images that cannot be
/// read, and features that are no numbers in [0, 1], are refused by counts (image_rows.h). That row i of the array
/// depends on image i alone is for its maker to say: nothing here could see it.
std::unique_ptr<RowSource> computed_rows(std::shared_ptr<const ImageFormat> images, const ByteSource& features,
                                         std::size_t width, const ImageSchema& schema);

}  // namespace sosia
