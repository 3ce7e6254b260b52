// SPDX-License-Identifier: Apache-2.0
// The file of a feature net: a safetensors file with one text of metadata, "sosia-features", that says in JSON what the
// net is and where it comes from:
//
//   {"version": 1, "name": text, "width": whole, "height": whole, "channels": 1 | 3,
//    "mean": [number for each channel], "deviation": [number for each channel],
//    "layers": [LAYER, ...], "public_data": [{"name": text, "images": whole, "sha256": [text, ...]}, ...],
//    "training": {text: number or text, ...}}
//   LAYER       = CONVOLUTION | {"pool": "max" | "mean", "side": whole} | {"residual": [CONVOLUTION, ...],
//                 "bypass": CONVOLUTION}, each with "read": true | false where it is not part of a block
//   CONVOLUTION = {"convolution": NAME, "stride": whole}
//
// A convolution's arrays are NAME.weight, channels x planes x side x side, and NAME.bias. Relu follows it, but for the
// last one of a block and the one of a bypass: their results are added, and then relu follows. Without "bypass", what
// the block was given is added as it is. "stride" (1) thins out the result: the first line and column are kept.
// "mean" and "deviation" may be absent, and so may "read" (then false), "public_data" and "training". Layers after the
// last one that is read are dropped, arrays that no layer names are ignored: so the state_dict of a net from elsewhere
// is the file, with the metadata added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perceptual/feature_net.h"

namespace sosia {

/// A public set of images that a net was trained on.
struct PublicData {
  std::string name;
  std::int64_t images = 0;
  std::vector<std::string> sha256;  ///< of its files

  bool operator==(const PublicData&) const = default;
};

struct FeatureFile {
  std::string name;
  FeatureNet net;
  std::vector<PublicData> public_data = {};
  std::vector<std::pair<std::string, std::string>> training = {};  ///< how it went: names and values
  std::string sha256 = {};                                         ///< of the file that it was read from

  /// Where the net comes from, in one line for a certificate.
  std::string provenance() const;
};

/// Other bytes are a data or a schema error.
FeatureFile parse_features(std::string_view bytes, const std::string& where);
FeatureFile read_features(const std::filesystem::path& path);
std::string feature_bytes(const FeatureFile& file);

}  // namespace sosia
