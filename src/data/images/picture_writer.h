// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "data/images/image_writer.h"

namespace sosia {

std::unique_ptr<ImageWriter> make_picture_writer(const std::filesystem::path& folder, const ImageSchema& schema,
                                                 std::int64_t count);

/// Pixels of a row, cut to [0, 1] and rounded to 1/255: planes, or all channels of a pixel together.
void to_bytes(std::span<const float> row, const ImageShape& shape, bool is_planar, std::span<std::uint8_t> bytes);

/// The class of a row, whose last number it is; 0 where there are no classes.
std::uint32_t class_in(std::span<const float> row, const ImageShape& shape, std::size_t classes);

}  // namespace sosia
