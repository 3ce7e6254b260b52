// SPDX-License-Identifier: Apache-2.0
// Any text either is a draft or a schema, and then comes back the same from its JSON, or is refused by a sosia::Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sosia/draft.h>
#include <sosia/error.h>
#include <sosia/schema.h>

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    sosia::Draft draft = sosia::parse_draft(text, "fuzz");
    const std::string json = sosia::to_json(draft);
    const sosia::Draft again = sosia::parse_draft(json, "fuzz");
    if (sosia::to_json(again) != json || again.unreviewed() != draft.unreviewed()) std::abort();
    const sosia::Schema &schema = draft.private_facts(), &back = again.private_facts();
    if (back.rows != schema.rows || back.purchases != schema.purchases) std::abort();
    if (back.columns.size() != schema.columns.size()) std::abort();
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      const sosia::Column &a = schema.columns[i], &b = back.columns[i];
      if (a.name != b.name || a.type != b.type || a.values != b.values || a.min != b.min || a.max != b.max)
        std::abort();
      if (a.atoms != b.atoms || a.outside != b.outside || a.bought != b.bought) std::abort();
    }
    draft.confirm();
    if (!draft.unreviewed().empty()) std::abort();
    sosia::validate(draft.reviewed());
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::schema) std::abort();
  }
  return 0;
}
