// SPDX-License-Identifier: Apache-2.0
// Images as records of one size, one after the other, as IDX, CIFAR and NPY files have them.
#pragma once

#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sosia/images.h>

#include "data/byte_source.h"
#include "data/images/class_list.h"
#include "data/images/image_format.h"

namespace sosia {

enum class PixelType { byte, float32, float64 };  ///< a byte is 255 times the pixel
std::size_t size_of(PixelType type);

struct RecordLayout {
  std::string name;                        ///< for errors
  std::function<ByteStream()> open;        ///< from the first byte of the header
  std::size_t header = 0;                  ///< bytes before the first record
  std::optional<std::int64_t> count = {};  ///< absent: up to the end
  PixelType type = PixelType::byte;
  bool is_interleaved = false;                 ///< all channels of a pixel together, instead of planes
  bool begins_with_label = false;              ///< one byte
  std::vector<std::uint32_t> labels = {};      ///< else one for each record, where there are classes
  std::optional<std::uint32_t> checksum = {};  ///< CRC-32 of all bytes, header included
};

std::shared_ptr<const ImageFormat> image_records(RecordLayout layout, const ImageSchema& schema);

/// Up to `count` bytes, fewer at the end only.
std::string read_bytes(arrow::io::InputStream& stream, std::size_t count, const std::string& name);
/// CRC-32 as in zip files; `before` is that of what came first.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);
/// The error for a file that is not what it should be.
[[noreturn]] void raise_damaged(const std::string& name, const std::string& what);

/// Of an IDX file of images.
ImageShape idx_shape(const ByteSource& images);
/// Of an array of images, in an .npy file or an .npz archive.
ImageShape npy_shape(const ByteSource& images);
ImageShape npz_shape(const ByteSource& file, const std::string& image_array);

// Kinds of files; each reads headers and labels only. `labels` may be nothing where there are no classes.
std::shared_ptr<const ImageFormat> open_idx(const ByteSource& images, const ByteSource* labels,
                                            const ImageSchema& schema);
std::shared_ptr<const ImageFormat> open_cifar(const ByteSource& images, const ImageSchema& schema);
std::shared_ptr<const ImageFormat> open_npy(const ByteSource& images, const ByteSource* labels,
                                            const ImageSchema& schema);
std::shared_ptr<const ImageFormat> open_npz(const ByteSource& file, const std::string& image_array,
                                            const std::string& label_array, const ImageSchema& schema);

}  // namespace sosia
