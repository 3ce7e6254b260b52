// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <sosia/images.h>

#include "data/images/image_format.h"

namespace sosia {

/// PNG and JPEG files, in the order of their names. With classes: in folders that are named like them or, with a table
/// of labels, those that its column "file" names, in its order. Hidden files, and those that start with "_", belong to
/// other programs. Errors tell images by their number: a name may be somebody's.
std::shared_ptr<const ImageFormat> open_picture_folder(const std::filesystem::path& folder,
                                                       const std::filesystem::path& labels, const ImageSchema& schema);

/// The files that a table of labels names, in its order: below the folder, or elsewhere.
std::vector<std::filesystem::path> pictures_in_list(const std::filesystem::path& folder,
                                                    const std::filesystem::path& labels);

/// The picture whose path comes first, at any depth.
std::optional<std::filesystem::path> first_picture(const std::filesystem::path& folder);

}  // namespace sosia
