// SPDX-License-Identifier: Apache-2.0
// libjpeg reports errors by a function that must not return, hence setjmp: in the frames that longjmp leaves nothing
// has a destructor.
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "base/check.h"
#include "data/images/picture.h"

namespace sosia {

namespace {

struct Failure {
  jpeg_error_mgr manager;  // first, so that libjpeg's pointer is ours
  std::jmp_buf back;
};

[[noreturn]] void fail(j_common_ptr decoder) { std::longjmp(reinterpret_cast<Failure*>(decoder->err)->back, 1); }
void count_warning(j_common_ptr decoder, int level) {
  if (level < 0) ++decoder->err->num_warnings;
}
void say_nothing(j_common_ptr) {}

void listen(jpeg_decompress_struct& decoder, Failure& failure) {
  decoder.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = fail;
  failure.manager.emit_message = count_warning;
  failure.manager.output_message = say_nothing;
}

bool fits(const jpeg_decompress_struct& decoder, const ImageShape& shape) {
  return decoder.image_width == shape.width && decoder.image_height == shape.height &&
         (decoder.num_components == 1 || (decoder.num_components == 3 && shape.channels == 3));
}

bool read_header(jpeg_decompress_struct& decoder, std::string_view file) {
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  return jpeg_read_header(&decoder, TRUE) == JPEG_HEADER_OK;
}

bool find_header(jpeg_decompress_struct& decoder, Failure& failure, std::string_view file) {
  return setjmp(failure.back) == 0 && read_header(decoder, file);
}

PictureFault decode(jpeg_decompress_struct& decoder, Failure& failure, std::string_view file, const ImageShape& shape,
                    std::uint8_t* pixels) {
  if (setjmp(failure.back) != 0) return PictureFault::damaged;
  if (!read_header(decoder, file)) return PictureFault::damaged;
  if (!fits(decoder, shape)) return PictureFault::misfit;
  decoder.out_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  decoder.dct_method = JDCT_ISLOW;  // the same pixels on every machine
  jpeg_start_decompress(&decoder);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = pixels + std::size_t{decoder.output_scanline} * shape.width * shape.channels;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return failure.manager.num_warnings == 0 ? PictureFault::none : PictureFault::damaged;
}

}  // namespace

PictureFault decode_jpeg(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels) {
  SOSIA_CHECK(pixels.size() == shape.values(), "room for the pixels");
  Failure failure{};
  jpeg_decompress_struct decoder{};
  listen(decoder, failure);
  const PictureFault fault = decode(decoder, failure, file, shape, pixels.data());
  jpeg_destroy_decompress(&decoder);
  return fault;
}

std::optional<ImageShape> jpeg_shape(std::string_view file) {
  Failure failure{};
  jpeg_decompress_struct decoder{};
  listen(decoder, failure);
  std::optional<ImageShape> shape;
  if (find_header(decoder, failure, file)) {
    shape = ImageShape{decoder.image_width, decoder.image_height, decoder.num_components == 1 ? 1U : 3U};
  }
  jpeg_destroy_decompress(&decoder);
  return shape;
}

std::optional<ImageShape> picture_shape(std::string_view file) {
  return file.starts_with("\x89PNG") ? png_shape(file) : file.starts_with("\xFF\xD8") ? jpeg_shape(file) : std::nullopt;
}

PictureFault decode_picture(std::string_view file, const ImageShape& shape, std::span<std::uint8_t> pixels) {
  if (file.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(file, shape, pixels);
  if (file.starts_with("\xFF\xD8")) return decode_jpeg(file, shape, pixels);
  return PictureFault::damaged;
}

}  // namespace sosia
