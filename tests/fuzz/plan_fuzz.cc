// SPDX-License-Identifier: Apache-2.0
// Any text either is a plan, and then comes back the same from its JSON, or is refused by a sosia::Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sosia/error.h>
#include <sosia/plan_file.h>

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const sosia::Plan plan = sosia::parse_plan(text, "fuzz");
    const std::string json = sosia::to_json(plan);
    const sosia::Plan back = sosia::parse_plan(json, "fuzz");
    if (sosia::to_json(back) != json || back.relation != plan.relation) std::abort();
    if (back.events.size() != plan.events.size()) std::abort();
    for (std::size_t i = 0; i < plan.events.size(); ++i) {
      const sosia::Event &a = plan.events[i], &b = back.events[i];
      if (a.mechanism != b.mechanism || a.count != b.count || a.label != b.label) std::abort();
    }
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::schema) std::abort();
  }
  try {
    const sosia::OpenPlan open = sosia::parse_open_plan(text, "fuzz");
    if (open.shares.size() != open.plan.events.size()) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::schema) std::abort();
  }
  return 0;
}
