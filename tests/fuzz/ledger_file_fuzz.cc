// SPDX-License-Identifier: Apache-2.0
// Any text either is a ledger, and then is exactly what would be written for it, or is refused by a sosia::Error.
// As no search finds a hash, the text is also tried with its chain put right: each line closed by its own head.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sosia/error.h>

#include "privacy/ledger_text.h"

namespace {

void check(std::string_view text) {
  try {
    if (sosia::to_text(sosia::parse_ledger(text, "fuzz")) != text) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::io) std::abort();
  }
}

/// The lines of the text, each an object without its head, as a ledger whose chain holds.
std::string sealed(std::string_view text) {
  std::string out, head(64, '0');
  std::size_t lines = 0;
  for (std::size_t start = 0; start < text.size(); ++lines) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('}')) line.remove_suffix(1);
    head = sosia::chain(head, line);
    out += std::string(line) + ",\"head\":\"" + head + "\"}\n";
    start = end + 1;
  }
  return out + "{\"end\":" + std::to_string(lines > 0 ? lines - 1 : 0) + ",\"head\":\"" + head + "\"}\n";
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(sealed(text));
  return 0;
}
