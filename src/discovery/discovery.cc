// SPDX-License-Identifier: Apache-2.0
// Three releases at most: rough counts, keys of unknown values, trees for quantiles. Each depends on nothing but public
// numbers and the releases before it, so the ledger's filter covers them all; claims in docs/methods/discovery.md.
#include <sosia/discovery.h>

#include <utility>

#include <sosia/error.h>

#include "data/open_table.h"
#include "discovery/key_values.h"
#include "discovery/quantiles.h"
#include "discovery/rough_counts.h"

namespace sosia {

namespace {

// What each step takes of the share, before those that are not needed fall out.
constexpr double kRoughShare = 0.4, kKeyShare = 0.3, kTreeShare = 0.3;

/// What is protected must be what the schema says is to be protected.
void check_promise(const Schema& schema, const Promise& promise) {
  const bool fits = schema.relation == promise.relation && schema.unit.column == promise.unit.column &&
                    schema.unit.max_rows == promise.unit.max_rows;
  if (fits) return;
  throw Error(ErrorKind::usage, "the promise has another neighbouring relation or privacy unit than the schema",
              "discovery; nothing was spent", "promise what the schema says");
}

class Steps {
 public:
  Steps(const Schema& schema, const DiscoveryOptions& options, const Ledger& ledger)
      : search_(schema, options, ledger.promise()), rough_(search_), keys_(search_), trees_(search_) {
    check_promise(schema, ledger.promise());
    const double all = (rough_.is_needed() ? kRoughShare : 0.0) + (keys_.is_needed() ? kKeyShare : 0.0) +
                       (trees_.is_needed() ? kTreeShare : 0.0);
    const auto noise = [&](double part) { return ledger.noise_for_share(options.share * part / all); };
    if (rough_.is_needed()) rough_noise_ = noise(kRoughShare);
    if (keys_.is_needed()) key_noise_ = noise(kKeyShare);
    if (trees_.is_needed()) tree_noise_ = noise(kTreeShare);
  }

  std::vector<DiscoveryStep> plan() const {
    std::vector<DiscoveryStep> steps;
    if (rough_.is_needed()) steps.push_back(rough_.step(rough_noise_));
    if (keys_.is_needed()) steps.push_back(keys_.step(key_noise_));
    if (trees_.is_needed()) steps.push_back(trees_.step(tree_noise_));
    return steps;
  }

  Discovery run(const Source& source) {
    if (rough_.is_needed()) rough_.run(source, rough_noise_);
    if (keys_.is_needed()) keys_.run(source, key_noise_);
    if (trees_.is_needed()) trees_.run(source, rough_, tree_noise_);
    if (search_.schema.rows) search_.found.rows = static_cast<double>(*search_.schema.rows);
    if (!search_.open.nothing()) search_.record(purchase_of(source.ledger));
    return std::move(search_.found);
  }

 private:
  Search search_;
  RoughCounts rough_;
  KeyValues keys_;
  Quantiles trees_;
  double rough_noise_ = 0.0, key_noise_ = 0.0, tree_noise_ = 0.0;
};

}  // namespace

std::vector<DiscoveryStep> plan_discovery(const Schema& schema, const DiscoveryOptions& options, const Ledger& ledger) {
  return Steps(schema, options, ledger).plan();
}

Discovery discover(const std::filesystem::path& file, const Schema& schema, const DiscoveryOptions& options,
                   Ledger& ledger) {
  Steps steps(schema, options, ledger);
  ThreadPool threads(options.threads);
  const auto table = open_table(file, schema, options.spelling);
  return steps.run({table, ledger, threads});
}

}  // namespace sosia
