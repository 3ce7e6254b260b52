// SPDX-License-Identifier: Apache-2.0
// What the table (grid.h) has no room for: maps that lie, and samples.
#include "scenarios.h"

#include <memory>
#include <utility>

#include <sosia/ledger.h>

#include "audit_maps.h"
#include "base/thread_pool.h"
#include "grid.h"

namespace sosia::audit {

namespace {

template <class Map>
Scenario special(const std::string& name, const std::shared_ptr<const Map>& map, const Rows& without, const Rows& with,
                 const NoisySum& how) {
  const Event event = event_of(how);
  return {.name = name,
          .claim = {Neighbors::add_remove, {event}},
          .reach = (how.groups > 0 ? 2.0 : 1.0) / how.noise,
          .run = [=](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            const bool is_plain = std::holds_alternative<Gaussian>(event.mechanism);
            Ledger ledger = Ledger::for_tests({.epsilon = 100.0, .delta = 1e-6}, seed,
                                              is_plain ? Spending::gaussian : Spending::renyi);
            return shown(ledger.noisy_sum((canary ? with : without).table(), *map, how, threads));
          }};
}

}  // namespace

std::vector<Scenario> all_scenarios() {
  const auto row = std::make_shared<const RowMap>(1.0F, false), liar = std::make_shared<const RowMap>(10.0F, false);
  const auto gradients = std::make_shared<const RowGradients>();
  const Rows none{}, alone{{0.6F, 0.8F}};
  const Rows few{{0.3F, 0.1F, -0.2F, 0.4F}}, more{{0.3F, 0.1F, -0.2F, 0.4F, 0.6F, 0.8F}};
  const Rows steep{{0.3F, 0.1F, -0.2F, 0.4F, 0.75F, 8.0F}};
  const Rows downhill{{0.75F, -4.0F, 0.75F, -3.0F}}, uphill{{0.75F, -4.0F, 0.75F, -3.0F, 0.75F, 50.0F}};
  const NoisySum fifth{.noise = 0.5, .rate = 0.2, .label = "audit"};
  std::vector<Scenario> all = {
      special("a map that lies about its bound", liar, none, alone, {.noise = 1.0}),
      special("a sample of every fifth row", row, few, more, fifth),
      special("a step of DP-SGD on every fifth row", gradients, few, steep, fifth),
      special("every second group, which one row more turns around", gradients, downhill, uphill,
              {.noise = 1.0, .rate = 0.5, .label = "audit", .groups = 1}),
  };
  for (auto* const more_of : {&scenarios_of_rows, &scenarios_of_files}) {
    for (Scenario& scenario : more_of()) all.push_back(std::move(scenario));
  }
  return all;
}

}  // namespace sosia::audit
