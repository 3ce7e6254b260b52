// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <sosia/error.h>

#include "base/check.h"
#include "data/images/picture.h"

namespace sosia {

namespace {

png_image new_image() {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  return image;
}

png_uint_32 format_of(const ImageShape& shape) { return shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB; }

}  // namespace

PictureFault decode_png(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels) {
  SOSIA_CHECK(pixels.size() == shape.values(), "room for the pixels");
  png_image image = new_image();
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return PictureFault::damaged;
  const bool has_other_values = (image.format & (PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_LINEAR)) != 0;
  const bool has_colour = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  if (image.width != shape.width || image.height != shape.height || has_other_values ||
      (has_colour && shape.channels == 1)) {
    png_image_free(&image);
    return PictureFault::misfit;
  }
  image.format = format_of(shape);
  const bool is_read = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  // A warning is a chunk that is not as it should be.
  const bool is_whole = is_read && image.warning_or_error == 0;
  png_image_free(&image);
  return is_whole ? PictureFault::none : PictureFault::damaged;
}

std::optional<ImageShape> png_shape(std::string_view file) {
  png_image image = new_image();
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return std::nullopt;
  const ImageShape shape{image.width, image.height, (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3U : 1U};
  png_image_free(&image);
  return shape;
}

std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  SOSIA_CHECK(pixels.size() == shape.values(), "as many pixels as the shape says");
  png_image image = new_image();
  image.width = static_cast<png_uint_32>(shape.width);
  image.height = static_cast<png_uint_32>(shape.height);
  image.format = format_of(shape);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0) {
    png_image_free(&image);
    throw Error(ErrorKind::io, "an image cannot be written as PNG", "libpng", "check that there is memory left");
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace sosia
