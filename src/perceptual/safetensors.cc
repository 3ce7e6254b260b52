// SPDX-License-Identifier: Apache-2.0
#include "perceptual/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie in memory");

constexpr std::size_t kLengthBytes = 8, kMostHeader = std::size_t{100} << 20;
constexpr const char* kMetadata = "__metadata__";

[[noreturn]] void refuse_file(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::data, "this is no safetensors file that can be used here: " + what, where,
              "write it by safetensors.torch.save_file, with arrays of float32");
}

/// Where an array lies in the bytes after the header.
struct Extent {
  std::size_t begin = 0, end = 0;
};

std::size_t whole_in(const json& value, const std::string& where) {
  if (!value.is_number_unsigned()) refuse_file(where, "a size that is no whole number");
  return value.get<std::size_t>();
}

std::vector<std::size_t> wholes_in(const json& value, const std::string& where) {
  if (!value.is_array()) refuse_file(where, "a list of sizes is missing");
  std::vector<std::size_t> list;
  for (const json& item : value) list.push_back(whole_in(item, where));
  return list;
}

/// The product, if it is no more than `most`.
std::size_t numbers_of(const std::vector<std::size_t>& shape, std::size_t most, const std::string& where) {
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (size != 0 && count > most / size) refuse_file(where, "an array that is larger than the file");
    count *= size;
  }
  return count;
}

TensorArray read_array(const json& value, std::string_view bytes, Extent& extent, const std::string& where) {
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets")) {
    refuse_file(where, "an array without type, shape or place");
  }
  if (value["dtype"] != "F32") refuse_file(where, "an array that is not of float32");
  TensorArray array{wholes_in(value["shape"], where), {}};
  const std::vector<std::size_t> offsets = wholes_in(value["data_offsets"], where);
  const std::size_t count = numbers_of(array.shape, bytes.size() / sizeof(float), where);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > bytes.size() ||
      offsets[1] - offsets[0] != count * sizeof(float)) {
    refuse_file(where, "an array whose place does not fit its shape");
  }
  extent = {offsets[0], offsets[1]};
  array.numbers.resize(count);
  std::memcpy(array.numbers.data(), bytes.data() + extent.begin, count * sizeof(float));
  if (!std::ranges::all_of(array.numbers, [](float x) { return std::isfinite(x); })) {
    refuse_file(where, "a number that is not finite");
  }
  return array;
}

std::map<std::string, std::string> read_metadata(const json& value, const std::string& where) {
  if (!value.is_object()) refuse_file(where, "metadata that are no texts");
  std::map<std::string, std::string> texts;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) refuse_file(where, "metadata that are no texts");
    texts[key] = text.get<std::string>();
  }
  return texts;
}

}  // namespace

Safetensors parse_safetensors(std::string_view bytes, const std::string& where) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) refuse_file(where, "it is too short");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  bytes.remove_prefix(kLengthBytes);
  if (length > std::min(bytes.size(), kMostHeader)) refuse_file(where, "the header is longer than the file");
  const json header = parse_json(bytes.substr(0, length), where);
  bytes.remove_prefix(length);
  if (!header.is_object()) refuse_file(where, "the header is no object");
  Safetensors file;
  std::vector<Extent> extents;
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadata) {
      file.metadata = read_metadata(value, where);
    } else {
      file.arrays[name] = read_array(value, bytes, extents.emplace_back(), where);
    }
  }
  std::ranges::sort(extents, {}, [](const Extent& e) { return std::pair(e.begin, e.end); });
  std::size_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != end) refuse_file(where, "arrays with holes between them, or that overlap");
    end = extent.end;
  }
  if (end != bytes.size()) refuse_file(where, "there is more than the header says");
  return file;
}

std::string safetensors_bytes(const Safetensors& file) {
  ordered_json header = ordered_json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  std::string arrays;
  for (const auto& [name, array] : file.arrays) {
    const std::size_t begin = arrays.size();
    arrays.append(reinterpret_cast<const char*>(array.numbers.data()), array.numbers.size() * sizeof(float));
    header[name] = {{"dtype", "F32"}, {"shape", array.shape}, {"data_offsets", {begin, arrays.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');  // arrays begin on a multiple of 8
  const std::uint64_t length = text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + text + arrays;
}

}  // namespace sosia
