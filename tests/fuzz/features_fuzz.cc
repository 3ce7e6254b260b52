// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a feature net, which then comes back the same, or are refused by a sosia::Error. Bytes up to a
// line end are a header, whose length is put before them, so that changes of it get past the first lines.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sosia/error.h>

#include "perceptual/feature_file.h"

namespace {

std::string with_length(const std::string& bytes) {
  const std::uint64_t header = std::min(bytes.find('\n'), bytes.size());
  std::string length(sizeof(header), '\0');
  std::memcpy(length.data(), &header, sizeof(header));
  return length + bytes.substr(0, header) + (header < bytes.size() ? bytes.substr(header + 1) : "");
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& file : {bytes, with_length(bytes)}) {
    try {
      const sosia::FeatureFile features = sosia::parse_features(file, "fuzz");
      const std::string again = sosia::feature_bytes(features);
      const sosia::FeatureFile same = sosia::parse_features(again, "fuzz");
      if (!(same.net == features.net) || sosia::feature_bytes(same) != again) std::abort();
    } catch (const sosia::Error& error) {
      if (error.kind() == sosia::ErrorKind::internal) std::abort();
    }
  }
  return 0;
}
