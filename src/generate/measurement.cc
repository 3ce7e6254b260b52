// SPDX-License-Identifier: Apache-2.0
#include "generate/measurement.h"

#include "base/check.h"

namespace sosia {

bool is_function_of(const View& finest, const View& coarse) {
  std::vector<std::int64_t> map(finest.width, -1);
  for (std::size_t s = 0; s < finest.group.size(); ++s) {
    std::int64_t& to = map[finest.group[s]];
    if (to >= 0 && to != coarse.group[s]) return false;
    to = coarse.group[s];
  }
  return true;
}

std::vector<std::uint32_t> coarser_group(const View& finest, const View& coarse) {
  constexpr std::uint32_t kUnknown = 0xffffffff;
  SOSIA_CHECK(finest.field == coarse.field && finest.group.size() == coarse.group.size(), "views of different fields");
  std::vector<std::uint32_t> map(finest.width, kUnknown);
  for (std::size_t s = 0; s < finest.group.size(); ++s) {
    std::uint32_t& to = map[finest.group[s]];
    SOSIA_CHECK(to == kUnknown || to == coarse.group[s], "a coarser view splits a group");
    to = coarse.group[s];
  }
  for (std::uint32_t& to : map) to = to == kUnknown ? 0 : to;  // groups without states never occur
  return map;
}

}  // namespace sosia
