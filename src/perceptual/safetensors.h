// SPDX-License-Identifier: Apache-2.0
// Files of named arrays in the safetensors format, version 0.3 and later:
//
//   file   = LENGTH header arrays
//   LENGTH = bytes of the header, 8 bytes, little-endian
//   header = {"__metadata__": {text: text, ...}, NAME: {"dtype": "F32", "shape": [whole, ...],
//             "data_offsets": [begin, end]}, ...}, counted from the end of the header
//
// Arrays of float32 alone, finite, that fill the file without holes and without sharing a byte.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

struct TensorArray {
  std::vector<std::size_t> shape;
  std::vector<float> numbers;

  bool operator==(const TensorArray&) const = default;
};

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorArray> arrays;

  bool operator==(const Safetensors&) const = default;
};

/// Any other bytes are a data error; `where` names the source in it.
Safetensors parse_safetensors(std::string_view bytes, const std::string& where);
/// parse_safetensors gives the same back.
std::string safetensors_bytes(const Safetensors& file);

}  // namespace sosia
