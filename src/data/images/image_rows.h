// SPDX-License-Identifier: Apache-2.0
// Sets of images as rows of numbers, as the door takes them: pixels in [0, 1], plane by plane, then the class, where
// classes are declared.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <sosia/images.h>

#include "data/images/image_format.h"
#include "data/private_table.h"

namespace sosia {

/// By the name: a folder holds PNG and JPEG files, in folders that are named like their class; .npy, .npz; .bin is
/// CIFAR's own form; ...-ubyte and .idx are IDX. The last two and .npy may be packed, .gz or .zst. Labels of IDX and
/// NPY files are in a file whose name says "labels" where the other says "images" ("idx1" where it says "idx3"). Reads
/// headers, labels and lists of names only.
std::unique_ptr<RowSource> open_images(const std::filesystem::path& path, const ImageSchema& schema,
                                       const ImageOptions& options = {});
/// The same, for what else is to be made of the files.
std::shared_ptr<const ImageFormat> open_image_files(const std::filesystem::path& path, const ImageSchema& schema,
                                                    const ImageOptions& options);

/// Decoded block by block by whoever asks for the next one: memory does not grow with the set. Images that do not fit
/// their schema make `next` throw an error with counts over the whole set, for which it is read once more; then no
/// further block is given. `numbers`: that a row has besides the class, where these are not the pixels.
std::unique_ptr<RowSource> image_rows(std::shared_ptr<const ImageFormat> format, const ImageSchema& schema,
                                      std::optional<std::size_t> numbers = {});

}  // namespace sosia
