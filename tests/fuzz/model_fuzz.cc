// SPDX-License-Identifier: Apache-2.0
// Any bytes, made to fit their fingerprint, either are a model, which then comes back the same and makes rows of states
// that it has, or are refused by a sosia::Error. Bytes that do not start like a model file are a header, up to the end
// of the line, and arrays: its length is made to fit as well, so that changes of it get past the first lines.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "model/model_file.h"
#include "model/model_file_test_support.h"

namespace {

std::string model_body(std::string bytes) {
  const std::string magic(sosia::kModelMagic);
  if (bytes.starts_with(magic)) return bytes;
  const std::size_t header = std::min(bytes.find('\n'), bytes.size());
  return magic + std::to_string(header) + "\n" + bytes;
}

void sample_some(const sosia::Generator& generator) {
  constexpr std::size_t kRows = 5;
  const std::vector<std::uint32_t>& widths = generator.widths();
  std::vector<float> rows(kRows * widths.size());
  generator.sample(1, 0, {}, {rows.data(), kRows, widths.size()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto width = static_cast<float>(widths[i % widths.size()]);  // 1 for a number up to 1
    if (!(rows[i] >= 0.0F && (rows[i] < width || (width == 1.0F && rows[i] == 1.0F)))) std::abort();
  }
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string body = model_body({reinterpret_cast<const char*>(data), size});
    const sosia::ModelContents model = sosia::parse_model(sosia::sealed(body), "fuzz");
    const std::string bytes = sosia::model_bytes(model);
    if (sosia::model_bytes(sosia::parse_model(bytes, "fuzz")) != bytes) std::abort();
    if (model.generator) sample_some(*model.generator);
  } catch (const sosia::Error& error) {
    if (error.kind() == sosia::ErrorKind::internal) std::abort();
  }
  return 0;
}
