// SPDX-License-Identifier: Apache-2.0
#include "data/images/image_records.h"

#include <arrow/io/interfaces.h>

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "data/arrow_guard.h"

namespace sosia {

static_assert(std::endian::native == std::endian::little, "pixels are read as they lie in files");

std::size_t size_of(PixelType type) { return type == PixelType::byte ? 1 : type == PixelType::float32 ? 4 : 8; }

void raise_damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::io, what, name, "write or copy it again, or check that its name says what it is");
}

std::string read_bytes(arrow::io::InputStream& stream, std::size_t count, const std::string& name) {
  const Fault fault{ErrorKind::io, "the file is damaged or cut short", name, "write or copy it again"};
  return guarded(fault, [&] {
    std::string bytes(count, '\0');
    std::size_t filled = 0;
    while (filled < count) {
      const auto more = static_cast<std::int64_t>(count - filled);
      const std::int64_t got = require(stream.Read(more, bytes.data() + filled), fault);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  });
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  static constexpr std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return table;
  }();
  std::uint32_t sum = ~before;
  for (const char c : bytes) sum = kTable[(sum ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (sum >> 8);
  return ~sum;
}

namespace {

/// False if a pixel is no number in [0, 1].
template <class Number>
bool read_plane(const char* from, std::size_t step, std::span<float> plane) {
  bool fits = true;
  for (float& pixel : plane) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    if constexpr (sizeof(Number) == 1) {
      pixel = static_cast<float>(number) / 255.0F;
    } else {
      pixel = static_cast<float>(number);
      fits = fits && pixel >= 0.0F && pixel <= 1.0F;
    }
    from += step;
  }
  return fits;
}

bool read_plane(PixelType type, const char* from, std::size_t step, std::span<float> plane) {
  if (type == PixelType::byte) return read_plane<std::uint8_t>(from, step, plane);
  return type == PixelType::float32 ? read_plane<float>(from, step, plane) : read_plane<double>(from, step, plane);
}

class Records : public ImageFormat {
 public:
  Records(RecordLayout layout, const ImageSchema& schema)
      : layout_(std::move(layout)), shape_(schema.shape), classes_(schema.classes) {
    const bool needs_labels = !classes_.empty() && !layout_.begins_with_label;
    SOSIA_CHECK(!needs_labels || layout_.count == static_cast<std::int64_t>(layout_.labels.size()),
                "one label for each image");
  }

  const std::string& name() const override { return layout_.name; }
  std::optional<std::int64_t> count() const override { return layout_.count; }
  std::unique_ptr<ImagePass> start() const override;

  const RecordLayout& layout() const { return layout_; }
  std::size_t record_size() const {
    return shape_.values() * size_of(layout_.type) + (layout_.begins_with_label ? 1 : 0);
  }

  void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const {
    for (std::size_t i = 0; i < chunk.count; ++i) {
      const char* record = chunk.bytes.data() + i * record_size();
      const std::int64_t number = chunk.first + static_cast<std::int64_t>(i);
      if (!classes_.empty()) {
        const std::uint32_t label = layout_.begins_with_label ? classes_.of_number(static_cast<unsigned char>(*record))
                                                              : layout_.labels[static_cast<std::size_t>(number)];
        if (label == kNoClass) trouble.note(trouble.strange, number);
        rows.row(i).back() = label == kNoClass ? 0.0F : static_cast<float>(label);
      }
      if (layout_.begins_with_label) ++record;
      if (!decode_pixels(record, rows.row(i))) trouble.note(trouble.outside, number);
    }
  }

 private:
  bool decode_pixels(const char* record, std::span<float> row) const {
    const std::size_t size = size_of(layout_.type), channels = shape_.channels, pixels = shape_.pixels();
    bool fits = true;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::span<float> plane = row.subspan(c * pixels, pixels);
      const bool plane_fits = layout_.is_interleaved
                                  ? read_plane(layout_.type, record + c * size, channels * size, plane)
                                  : read_plane(layout_.type, record + c * pixels * size, size, plane);
      fits = fits && plane_fits;
    }
    return fits;
  }

  RecordLayout layout_;
  ImageShape shape_;
  ClassList classes_;
};

class RecordPass : public ImagePass {
 public:
  explicit RecordPass(const Records& records) : records_(records), input_(layout().open()) {
    const std::string header = read_bytes(*input_.stream, layout().header, layout().name);
    if (header.size() != layout().header) raise_damaged(layout().name, "the file is cut short");
    sum_ = layout().checksum ? checksum(header) : 0;
  }

  bool take(std::size_t most, ImageChunk& chunk) override {
    if (layout().count) most = std::min(most, static_cast<std::size_t>(*layout().count - next_));
    chunk.first = next_;
    chunk.bytes = read_bytes(*input_.stream, most * records_.record_size(), layout().name);
    chunk.count = chunk.bytes.size() / records_.record_size();
    if (chunk.bytes.size() % records_.record_size() != 0 || (layout().count && chunk.count != most)) {
      raise_damaged(layout().name, "the file is cut short in image " +
                                       std::to_string(next_ + static_cast<std::int64_t>(chunk.count) + 1));
    }
    if (layout().checksum) sum_ = checksum(chunk.bytes, sum_);
    next_ += static_cast<std::int64_t>(chunk.count);
    if (chunk.count == 0) check_end();
    return chunk.count > 0;
  }

  void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const override {
    records_.decode(chunk, rows, trouble);
  }

 private:
  const RecordLayout& layout() const { return records_.layout(); }

  /// Reading the end also makes packed files show whether their own checksum is right.
  void check_end() {
    if (!layout().count && next_ == 0) raise_damaged(layout().name, "the file is empty");
    if (!read_bytes(*input_.stream, 1, layout().name).empty()) {
      raise_damaged(layout().name, "the file goes on after its last image");
    }
    if (layout().checksum && *layout().checksum != sum_) raise_damaged(layout().name, "the file is damaged");
  }

  const Records& records_;
  ByteStream input_;
  std::int64_t next_ = 0;
  std::uint32_t sum_ = 0;
};

std::unique_ptr<ImagePass> Records::start() const { return std::make_unique<RecordPass>(*this); }

}  // namespace

std::shared_ptr<const ImageFormat> image_records(RecordLayout layout, const ImageSchema& schema) {
  return std::make_shared<Records>(std::move(layout), schema);
}

std::shared_ptr<const ImageFormat> open_cifar(const ByteSource& images, const ImageSchema& schema) {
  return image_records({.name = images.name(), .open = [images] { return images.stream(); }, .begins_with_label = true},
                       schema);
}

}  // namespace sosia
