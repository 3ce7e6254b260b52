// SPDX-License-Identifier: Apache-2.0
// What a method is: a recipe in two halves, what to release and what to make of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sosia/fit.h>
#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "generate/fit_mixture.h"
#include "generate/measurement.h"
#include "generate/product_mixture.h"

namespace sosia {

/// The options of a method with their values. A usage error for a name or a value that the method does not take.
class Settings {
 public:
  Settings(const MethodInfo& method, const std::vector<std::pair<std::string, std::string>>& given);
  /// From a model file.
  Settings(const MethodInfo& method, std::vector<std::pair<std::string, double>> values);
  double number(const std::string& name) const;
  int whole(const std::string& name) const { return static_cast<int>(number(name)); }
  const std::vector<std::pair<std::string, double>>& values() const { return values_; }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

/// Public numbers about the table.
struct Outline {
  std::vector<std::uint32_t> widths;   ///< states of each field
  std::vector<std::uint32_t> ordered;  ///< the first so many of them stand in an order
  std::vector<std::uint32_t> spare;    ///< the last so many stand for no declared value: `other`, missing
  std::optional<int> target;           ///< the field of the label
  std::optional<double> rows;          ///< declared, or released before
};

struct Method {
  MethodInfo info;
  std::vector<PlannedRelease> (*plan)(const Outline& outline, const Settings& settings, const Ledger& ledger);
  Measurements (*release)(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                          ThreadPool& threads);
  ProductMixture (*train)(const Measurements& measured, const Settings& settings, std::uint64_t seed,
                          ThreadPool& threads, const TrainingWatch& watch);
};

/// By its name; an unknown one is a usage error that lists them all.
const Method& find_method(const std::string& name);

}  // namespace sosia
