// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

#include "data/images/image_records.h"
#include "data/images/npy_header.h"
#include "data/images/zip_file.h"

namespace sosia {

namespace {

/// An array: a file of its own, or a member of an archive.
struct NpyArray {
  std::string name;
  std::function<ByteStream()> open;
  std::optional<std::uint32_t> checksum = {};
};

PixelType pixel_type(const NpyHeader& header, const std::string& name) {
  const std::map<std::string, PixelType> types = {
      {"|u1", PixelType::byte}, {"<f4", PixelType::float32}, {"<f8", PixelType::float64}};
  const auto found = types.find(header.type);
  if (found != types.end()) return found->second;
  throw Error(ErrorKind::data, "the images are neither bytes nor floats", name,
              "save them as uint8 from 0 to 255, or as float32 from 0 to 1");
}

/// Whether the channels of a pixel lie together: (count, height, width, channels), as most programs have it, and not
/// (count, channels, height, width).
bool is_interleaved(const NpyHeader& header, const ImageShape& shape, const std::string& name) {
  const auto height = static_cast<std::int64_t>(shape.height), width = static_cast<std::int64_t>(shape.width),
             channels = static_cast<std::int64_t>(shape.channels);
  const std::vector<std::int64_t> each(header.shape.begin() + (header.shape.empty() ? 0 : 1), header.shape.end());
  using Sizes = std::vector<std::int64_t>;
  if (each == Sizes{height, width, channels} || (channels == 1 && each == Sizes{height, width})) return true;
  if (each == Sizes{channels, height, width}) return false;
  throw Error(ErrorKind::data,
              fmt::format("an array of shape {} holds no images of {} x {} pixels in {} channels", header.shape_text(),
                          shape.width, shape.height, shape.channels),
              name, "declare the shape that they have; arrays are (count, height, width, channels)");
}

/// Whole numbers of 1 to 8 bytes.
std::int64_t label_at(const char* bytes, std::size_t size, bool is_signed) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, size);
  if (is_signed && size < 8 && (number >> (8 * size - 1)) != 0) number |= ~std::uint64_t{0} << 8 * size;
  return static_cast<std::int64_t>(number);
}

std::vector<std::uint32_t> read_labels(const NpyArray& array, const ClassList& classes, std::int64_t count) {
  const ByteStream input = array.open();
  const NpyHeader header = read_npy_header(*input.stream, array.name);
  const std::string& type = header.type;
  const bool is_whole = type.size() == 3 && (type[1] == 'i' || type[1] == 'u') && type[0] != '>' &&
                        (type[2] == '1' || type[2] == '2' || type[2] == '4' || type[2] == '8');
  if (!is_whole || header.shape.size() != 1) {
    throw Error(ErrorKind::data, "the labels are no list of whole numbers", array.name,
                "save them as an array of shape (count,) and type uint8 or int64");
  }
  if (header.shape[0] != count) {
    throw Error(ErrorKind::data, fmt::format("there are {} labels for {} images", header.shape[0], count), array.name,
                "give the labels that belong to the images");
  }
  const auto size = static_cast<std::size_t>(type[2] - '0');
  std::vector<std::uint32_t> labels;
  std::uint32_t sum = checksum(read_bytes(*array.open().stream, header.bytes, array.name));
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (std::string bytes; !(bytes = read_bytes(*input.stream, kPiece * size, array.name)).empty();) {
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
      labels.push_back(classes.of_number(label_at(bytes.data() + at, size, type[1] == 'i')));
    }
    sum = checksum(bytes, sum);
    if (bytes.size() % size != 0 || static_cast<std::int64_t>(labels.size()) > count) break;
  }
  if (static_cast<std::int64_t>(labels.size()) != count) {
    raise_damaged(array.name, "the array holds more or fewer labels than its header says");
  }
  if (array.checksum.value_or(sum) != sum) raise_damaged(array.name, "the array is damaged");
  return labels;
}

std::shared_ptr<const ImageFormat> open_arrays(const NpyArray& images, const std::optional<NpyArray>& labels,
                                               const ImageSchema& schema) {
  const NpyHeader header = read_npy_header(*images.open().stream, images.name);
  RecordLayout layout{.name = images.name,
                      .open = images.open,
                      .header = header.bytes,
                      .type = pixel_type(header, images.name),
                      .is_interleaved = is_interleaved(header, schema.shape, images.name),
                      .checksum = images.checksum};
  layout.count = header.shape[0];
  if (labels) layout.labels = read_labels(*labels, ClassList(schema.classes), *layout.count);
  return image_records(std::move(layout), schema);
}

NpyArray array_in(const ByteSource& source) {
  return {source.name(), [source] { return source.stream(); }};
}

NpyArray array_in(const ByteSource& file, const std::vector<ZipMember>& members, const std::string& name) {
  const auto found = std::ranges::find(members, name + ".npy", &ZipMember::name);
  if (found == members.end()) {
    throw Error(ErrorKind::data, fmt::format("the archive has no array \"{}\"", name), file.name(),
                "say which of its arrays are images and labels, or save them as \"images\" and \"labels\"");
  }
  return {fmt::format("{}, array \"{}\"", file.name(), name),
          [file, member = *found] { return open_zip_member(file, member); }, found->checksum};
}

/// (count, height, width), with the channels behind or before the two.
ImageShape shape_in(const NpyArray& images) {
  const std::vector<std::int64_t> sizes = read_npy_header(*images.open().stream, images.name).shape;
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(sizes[i]); };
  if (sizes.size() == 3) return {at(2), at(1), 1};
  if (sizes.size() == 4 && (sizes[3] == 1 || sizes[3] == 3)) return {at(2), at(1), at(3)};
  if (sizes.size() == 4 && (sizes[1] == 1 || sizes[1] == 3)) return {at(3), at(2), at(1)};
  throw Error(ErrorKind::data, "the array holds no images in grey or in three colours", images.name,
              "arrays are (count, height, width) or (count, height, width, channels)");
}

}  // namespace

ImageShape npy_shape(const ByteSource& images) { return shape_in(array_in(images)); }

ImageShape npz_shape(const ByteSource& file, const std::string& image_array) {
  return shape_in(array_in(file, read_zip_directory(file), image_array));
}

std::shared_ptr<const ImageFormat> open_npy(const ByteSource& images, const ByteSource* labels,
                                            const ImageSchema& schema) {
  return open_arrays(array_in(images), labels != nullptr ? std::optional(array_in(*labels)) : std::nullopt, schema);
}

std::shared_ptr<const ImageFormat> open_npz(const ByteSource& file, const std::string& image_array,
                                            const std::string& label_array, const ImageSchema& schema) {
  const std::vector<ZipMember> members = read_zip_directory(file);
  std::optional<NpyArray> labels;
  if (!schema.classes.empty()) labels = array_in(file, members, label_array);
  return open_arrays(array_in(file, members, image_array), labels, schema);
}

}  // namespace sosia
