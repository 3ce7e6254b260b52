// SPDX-License-Identifier: Apache-2.0
// The IDX format, big-endian:
//
//   file = 0 0 TYPE RANK, RANK sizes of 32 bits, numbers     TYPE 8: bytes, the only one read
//   images are of rank 3 (count, height, width) or 4 (count, height, width, channels), labels of rank 1
#include <fmt/format.h>

#include <sosia/error.h>

#include "data/images/image_records.h"

namespace sosia {

namespace {

struct IdxHeader {
  std::vector<std::uint32_t> sizes;
  std::size_t bytes() const { return 4 + 4 * sizes.size(); }
};

IdxHeader read_header(arrow::io::InputStream& stream, const std::string& name) {
  const std::string magic = read_bytes(stream, 4, name);
  if (magic.size() != 4 || magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] < 1 || magic[3] > 4) {
    raise_damaged(name, "this is no IDX file of bytes");
  }
  IdxHeader header;
  const auto rank = static_cast<std::size_t>(static_cast<unsigned char>(magic[3]));
  const std::string sizes = read_bytes(stream, 4 * rank, name);
  if (sizes.size() != 4 * rank) raise_damaged(name, "the file is cut short");
  for (std::size_t i = 0; i < rank; ++i) {
    std::uint32_t size = 0;
    for (std::size_t b = 0; b < 4; ++b) size = size << 8 | static_cast<unsigned char>(sizes[4 * i + b]);
    header.sizes.push_back(size);
  }
  return header;
}

std::vector<std::uint32_t> read_labels(const ByteSource& source, const ClassList& classes, std::int64_t count) {
  const ByteStream input = source.stream();
  const IdxHeader header = read_header(*input.stream, source.name());
  if (header.sizes.size() != 1) raise_damaged(source.name(), "this is no IDX file of labels");
  if (header.sizes[0] != count) {
    throw Error(ErrorKind::data, fmt::format("there are {} labels for {} images", header.sizes[0], count),
                source.name(), "give the labels that belong to the images");
  }
  // One more than there should be: what follows is seen. In pieces, as the header may promise what is not there.
  std::string bytes;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (bytes.size() <= header.sizes[0]) {
    const std::string piece =
        read_bytes(*input.stream, std::min(kPiece, header.sizes[0] + 1 - bytes.size()), source.name());
    if (piece.empty()) break;
    bytes += piece;
  }
  if (bytes.size() != header.sizes[0]) {
    raise_damaged(source.name(), "the file holds more or fewer labels than its header says");
  }
  std::vector<std::uint32_t> labels;
  for (const char label : bytes) labels.push_back(classes.of_number(static_cast<unsigned char>(label)));
  return labels;
}

IdxHeader read_image_header(const ByteSource& images) {
  IdxHeader header = read_header(*images.stream().stream, images.name());
  if (header.sizes.size() < 3) raise_damaged(images.name(), "this is no IDX file of images");
  return header;
}

ImageShape shape_in(const IdxHeader& header) {
  return {header.sizes[2], header.sizes[1], header.sizes.size() == 4 ? header.sizes[3] : 1};
}

}  // namespace

ImageShape idx_shape(const ByteSource& images) { return shape_in(read_image_header(images)); }

std::shared_ptr<const ImageFormat> open_idx(const ByteSource& images, const ByteSource* labels,
                                            const ImageSchema& schema) {
  const IdxHeader header = read_image_header(images);
  const ImageShape& shape = schema.shape;
  const std::vector<std::uint32_t>& sizes = header.sizes;
  const ImageShape found = shape_in(header);
  if (found != shape) {
    throw Error(ErrorKind::data,
                fmt::format("the images have {} x {} pixels in {} channels, and {} x {} in {} are declared",
                            found.width, found.height, found.channels, shape.width, shape.height, shape.channels),
                images.name(), "declare the shape that they have");
  }
  RecordLayout layout{.name = images.name(),
                      .open = [images] { return images.stream(); },
                      .header = header.bytes(),
                      .count = sizes[0],
                      .is_interleaved = true};
  if (labels != nullptr) layout.labels = read_labels(*labels, ClassList(schema.classes), sizes[0]);
  return image_records(std::move(layout), schema);
}

}  // namespace sosia
