// SPDX-License-Identifier: Apache-2.0
#include "privacy/requests.h"

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia {

namespace {

void require(bool holds, const std::string& what, const std::string& fix) {
  if (!holds) throw Error(ErrorKind::usage, what, "a noisy sum", fix);
}

void check_no_groups(const NoisySum& how) {
  require(how.groups == 0, "only vectors given by factors are summed by groups", "leave out the groups");
}

}  // namespace

GridRequest request_for(const BoundedMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit) {
  require(map.dim() >= 1, fmt::format("the map gives vectors of {} numbers", map.dim()), "give it at least one");
  check_no_groups(how);
  return {.noise = how.noise,
          .norm_bound = map.norm_bound(),
          .count_weight = map.count_weight(),
          .nonnegative = map.nonnegative(),
          .sampled = how.rate < 1.0,
          .relation = promise.relation,
          .max_rows = promise.unit.max_rows,
          .row_limit = row_limit};
}

GridRequest request_for(const FactoredMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit) {
  require(!map.shapes().empty(), "the map gives vectors of no numbers", "give it at least one block");
  const bool by_groups = how.groups > 0;
  require(!by_groups || map.sign_weight() == 0.0, "there are no signs of groups",
          "let the bound stay, or leave out the groups");
  return {.noise = how.noise,
          .norm_bound = map.norm_bound(),
          .count_weight = map.sign_weight(),
          .sampled = how.rate < 1.0 || by_groups,
          .signed_count = true,
          .relation = promise.relation,
          .max_rows = by_groups ? 1 : promise.unit.max_rows,
          .row_limit = row_limit};
}

GridRequest request_for(const CountMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit) {
  check_no_groups(how);
  return {.noise = how.noise,
          .norm_bound = norm_of_slots(map.slots()),
          .nonnegative = true,
          .sampled = how.rate < 1.0,
          .relation = promise.relation,
          .max_rows = promise.unit.max_rows,
          .row_limit = row_limit};
}

}  // namespace sosia
