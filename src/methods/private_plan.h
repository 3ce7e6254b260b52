// SPDX-License-Identifier: Apache-2.0
// What the methods that train on the rows themselves share: a plan in parts, options, and how many rows there are.
//
// Claim. Every number that these methods learn of the rows comes out of an event that is in the plan: a sum of clipped
// gradients by DP-SGD (dp_sgd.h), or a Gaussian release. The plan is a function of the schema and the settings, made
// and priced before a row is read, sampling rates included: a rate is the public `rows`, declared or set, or a guess
// where there is none, and a wrong guess costs accuracy only. How many rows there are is then one of the releases; it
// says how many rows a model makes, and what sums of gradients are divided by, which is post-processing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "features/open_rows.h"
#include "methods/dp_sgd.h"
#include "methods/method.h"

namespace sosia {

/// Some releases of one kind.
struct PlanPart {
  NoisySum how;              ///< with noise 0, as the budget allows
  int count = 1;             ///< of the releases
  double share = 1.0;        ///< of the budget, where the noise is left open
  std::int64_t numbers = 1;  ///< in one release
  double norm = 1.0;         ///< of a row's vector, or by groups of a group's
};

/// Options that all of these methods have, and those of one training by DP-SGD, with its own standards.
std::vector<MethodOption> training_options();
struct DescentOptions {
  int steps;
  double batch, rate, clip;
};
void add_descent_options(const std::string& prefix, const std::string& what, const DescentOptions& standard,
                         std::vector<MethodOption>& options);
/// Options of nets in the shapes of DecodedShape: latent, hidden, and which preset.
void add_net_options(std::vector<MethodOption>& options);

/// Releases of sums over all rows, with noise as the budget allows.
PlanPart gaussian_part(const std::string& label, int count, double share, std::int64_t numbers, double norm);

/// A training by DP-SGD. `prefix`: of its options; `parameters`: of the net.
PlanPart descent_part(const std::string& prefix, const std::string& label, double share, std::size_t parameters,
                      const Outline& outline, const Settings& settings);

/// How many rows there are, of each class. There is no such part if that is known: for one class, and a public number.
inline constexpr char kRowsLabel[] = "rows", kClassesLabel[] = "rows by class";
void add_row_counts(const OpenRows& rows, const Outline& outline, const Settings& settings,
                    std::vector<PlanPart>& parts);

struct RowCounts {
  double rows = 1.0;           ///< about
  std::vector<double> shares;  ///< one for each class, not negative; what is no more than noise counts as none
};
RowCounts release_row_counts(const PrivateTable& table, const OpenRows& rows, const Training& training, Ledger& ledger);

/// The noise of releases with this label: the plan's. A ledger without one has no privacy, and hardly any noise.
double planned_noise(const Ledger& ledger, const std::string& label);

/// DP-SGD as it was planned, for a table of about this many rows.
DpSgdOptions descent_of(const std::string& prefix, const PlanPart& part, double rows, const Training& training,
                        const Ledger& ledger);

/// The method told by the parts of its plan, a function of public numbers, and by what it does with them.
using PlanParts = std::vector<PlanPart> (*)(const Outline& outline, const Settings& settings);
OpenPlan open_plan(const std::vector<PlanPart>& parts);
std::vector<PlannedRelease> planned_releases(const std::vector<PlanPart>& parts, const Ledger& ledger);
std::shared_ptr<const Generator> trained_already(const Released& released, const Training& training);

template <PlanParts kPartsOf, auto kRun>
Method private_method(MethodInfo info) {
  return {std::move(info),
          NumberCoding::scaled,
          [](const Outline& outline, const Settings& settings, const Ledger& ledger) {
            return planned_releases(kPartsOf(outline, settings), ledger);
          },
          nullptr,
          trained_already,
          PrivateTraining{
              [](const Outline& outline, const Settings& settings) { return open_plan(kPartsOf(outline, settings)); },
              kRun}};
}

}  // namespace sosia
