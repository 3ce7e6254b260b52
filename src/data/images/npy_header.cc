// SPDX-License-Identifier: Apache-2.0
// The header of an .npy file is 6 magic bytes, two of version, its length (16 bits little-endian, 32 from version 2 on)
// and a Python dictionary: {'descr': '|u1', 'fortran_order': False, 'shape': (60000, 28, 28), }, with its keys in any
// order.
#include "data/images/npy_header.h"

#include <charconv>
#include <optional>

#include "data/images/image_records.h"

namespace sosia {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongest = 1 << 16;

/// Takes the dictionary apart. Every function is false, or nothing, where something else stands.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> quoted() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }
  bool word(std::string_view expected) {
    skip_space();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::optional<std::vector<std::int64_t>> numbers() {
    std::vector<std::int64_t> all;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      skip_space();
      std::int64_t number = 0;
      const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc() || number < 0) return std::nullopt;
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      all.push_back(number);
      if (!take(',') && !rest_.starts_with(')')) return std::nullopt;
    }
    return all;
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  std::string_view rest_;
};

std::optional<NpyHeader> parse(std::string_view text) {
  Words words(text);
  NpyHeader header;
  bool has_type = false, has_order = false, has_shape = false;
  if (!words.take('{')) return std::nullopt;
  for (bool is_open = !words.take('}'); is_open;) {
    const std::optional<std::string> key = words.quoted();
    if (!key || !words.take(':')) return std::nullopt;
    if (*key == "descr") {
      const std::optional<std::string> type = words.quoted();
      if (!type) return std::nullopt;
      header.type = *type;
      has_type = true;
    } else if (*key == "fortran_order") {
      if (!words.word("False")) return std::nullopt;
      has_order = true;
    } else if (*key == "shape") {
      const auto shape = words.numbers();
      if (!shape) return std::nullopt;
      header.shape = *shape;
      has_shape = true;
    } else {
      return std::nullopt;
    }
    const bool has_comma = words.take(',');
    is_open = !words.take('}');
    if (is_open && !has_comma) return std::nullopt;
  }
  if (!has_type || !has_order || !has_shape || !words.at_end()) return std::nullopt;
  return header;
}

}  // namespace

std::string NpyHeader::shape_text() const {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + ")";
}

NpyHeader read_npy_header(arrow::io::InputStream& stream, const std::string& name) {
  const auto refuse = [&] { raise_damaged(name, "this is no NPY file of numbers, row by row"); };
  const std::string start = read_bytes(stream, kMagic.size() + 2, name);
  if (!start.starts_with(kMagic) || start.size() != kMagic.size() + 2) refuse();
  const char version = start[kMagic.size()];
  if (version < 1 || version > 3) refuse();
  const std::string length_bytes = read_bytes(stream, version == 1 ? 2 : 4, name);
  std::size_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
  if (length == 0 || length > kLongest) refuse();
  const std::string text = read_bytes(stream, length, name);
  std::optional<NpyHeader> header = text.size() == length ? parse(text) : std::nullopt;
  if (!header) refuse();
  header->bytes = start.size() + length_bytes.size() + length;
  return *header;
}

std::string npy_header_text(std::string_view type, const std::vector<std::int64_t>& shape) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t size : shape) text += std::to_string(size) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  // NumPy aligns the numbers.
  const std::size_t before = kMagic.size() + 4;
  text.append((64 - (before + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\x01', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return out + text;
}

}  // namespace sosia
