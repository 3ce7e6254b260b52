// SPDX-License-Identifier: Apache-2.0
// One image in a PNG or JPEG file, by libpng and libjpeg.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sosia/images.h>

namespace sosia {

enum class PictureFault {
  none,
  damaged,  ///< cut short, or neither PNG nor JPEG
  misfit    ///< of another size than declared, in colours where grey is declared, with transparency or 16 bits a value
};

/// Decodes whatever the first bytes say it is. Pixels: all channels of one together. Thread-safe; says nothing about
/// the contents, and nothing to the terminal.
PictureFault decode_picture(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels);

/// The size and colours that the first bytes of a file tell, not those of the pixels; nothing for what is no picture.
std::optional<ImageShape> picture_shape(std::string_view file);
std::optional<ImageShape> png_shape(std::string_view file);
std::optional<ImageShape> jpeg_shape(std::string_view file);

// The same for one kind of file.
PictureFault decode_png(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels);
PictureFault decode_jpeg(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels);

/// The bytes of a PNG file.
std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels);

}  // namespace sosia
