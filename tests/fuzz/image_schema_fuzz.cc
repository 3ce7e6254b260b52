// SPDX-License-Identifier: Apache-2.0
// Any text either is a schema of images, and then comes back the same from its JSON, or is refused by a sosia::Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <sosia/error.h>
#include <sosia/images.h>

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const sosia::ImageSchema schema = sosia::parse_image_schema(text, "fuzz");
    const sosia::ImageSchema back = sosia::parse_image_schema(sosia::to_json(schema), "fuzz");
    if (back.shape != schema.shape || back.classes != schema.classes) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::schema) std::abort();
  }
  return 0;
}
