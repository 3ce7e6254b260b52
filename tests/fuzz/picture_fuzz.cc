// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a PNG or JPEG image of the declared shape, the same when read twice, or are refused. What has
// been read comes back the same from a PNG file. libpng and libjpeg themselves are not instrumented.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "data/images/picture.h"

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  for (const std::size_t channels : {1, 3}) {
    const sosia::ImageShape shape{4, 3, channels};
    std::vector<std::uint8_t> first(shape.values()), second(shape.values(), 7), back(shape.values(), 9);
    const sosia::PictureFault fault = sosia::decode_picture(file, shape, first);
    if (sosia::decode_picture(file, shape, second) != fault) std::abort();
    if (fault != sosia::PictureFault::none) continue;
    if (first != second) std::abort();
    if (sosia::decode_picture(sosia::encode_png(shape, first), shape, back) != sosia::PictureFault::none) std::abort();
    if (first != back) std::abort();
  }
  return 0;
}
