// SPDX-License-Identifier: Apache-2.0
// Any text either is a file of scores, and then comes back the same from its JSON, or is refused by a sosia::Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sosia/error.h>
#include <sosia/evaluate.h>

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const sosia::Scores scores = sosia::parse_scores(text, "fuzz");
    const std::string json = sosia::to_json(scores);
    const sosia::Scores back = sosia::parse_scores(json, "fuzz");
    if (sosia::to_json(back) != json || back.metrics.size() != scores.metrics.size()) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::schema) std::abort();
  }
  return 0;
}
