// SPDX-License-Identifier: Apache-2.0
// What a method is: a recipe in two halves, what to release and what to make of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sosia/accounting.h>
#include <sosia/fit.h>
#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/codec.h"
#include "data/private_table.h"
#include "generate/fit_mixture.h"
#include "generate/product_mixture.h"
#include "generate/released.h"

namespace sosia {

/// The options of a method with their values. A usage error for a name or a value that the method does not take.
class Settings {
 public:
  Settings(const MethodInfo& method, const std::vector<std::pair<std::string, std::string>>& given,
           bool of_images = false);
  /// From a model file.
  Settings(const MethodInfo& method, std::vector<std::pair<std::string, double>> values);
  double number(const std::string& name) const;
  int whole(const std::string& name) const { return static_cast<int>(number(name)); }
  const std::vector<std::pair<std::string, double>>& values() const { return values_; }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

/// Public numbers about the table.
inline constexpr int kFewNumbers = 3;            ///< whose joint shape can be learned in detail
inline constexpr int kManyNumbers = 100;         ///< more of a table are measurements of few things: they go together
inline constexpr double kRowsIfUnknown = 10000;  ///< to plan with, before anything is read

struct FeatureFile;  // perceptual/feature_file.h

/// Of states in order that are bins: by how many octaves these grow from one to the next towards an end; 0: not at all.
struct FarEnds {
  double low = 0.0, high = 0.0;
};

struct Outline {
  std::vector<std::uint32_t> widths;            ///< states of each field; 0: a scalar
  std::vector<std::uint32_t> ordered;           ///< the first so many of them stand in an order
  std::vector<FarEnds> far_ends;                ///< of that order
  std::vector<std::uint32_t> spare;             ///< the last so many stand for no declared value: `other`, missing
  std::optional<int> target;                    ///< the field of the label
  std::optional<double> rows;                   ///< declared, or released before
  std::optional<ImageShape> image;              ///< where rows are images: all scalars are pixels, plane by plane
  std::shared_ptr<const FeatureFile> features;  ///< a public net, for methods that need one
  bool is_computed = false;  ///< private rows hold what that net makes of images, in the place of their pixels
  std::shared_ptr<const DecodedNet> decoder;  ///< public as well: its last layers decode rows, for methods that take it
  double budget = 1.0;                        ///< the share of what the ledger has left that the method may use
};

/// The training of a method: public numbers and releases only.
struct Training {
  const Outline& outline;
  const Settings& settings;
  std::uint64_t seed;
  ThreadPool& threads;
  const TrainingWatch& watch;
};

/// The half of a method that trains on the rows themselves, by many sampled releases. All of them are planned, and the
/// ledger is opened for that plan alone: only a plan prices sampled releases well.
struct PrivateTraining {
  /// The releases, with shares of the budget where noise is left open.
  OpenPlan (*events)(const Outline& outline, const Settings& settings);
  /// Ends early if the watch says so. A ledger without a plan is one without privacy.
  Released (*run)(const PrivateTable& table, Ledger& ledger, const Training& training);
};

struct Method {
  MethodInfo info;
  /// How the method wants numbers: in bins, or as scalars. For scalars, the option "quantiles" is the share of the
  /// budget for quantiles of the numbers, and what is left is for the method itself; 0: numbers are scaled by their
  /// bounds.
  NumberCoding numbers = NumberCoding::bins;
  std::vector<PlannedRelease> (*plan)(const Outline& outline, const Settings& settings, const Ledger& ledger);
  Released (*release)(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                      ThreadPool& threads);
  std::shared_ptr<const Generator> (*train)(const Released& released, const Training& training);
  std::optional<PrivateTraining> private_training = std::nullopt;  ///< in the place of `release`
};

/// By its name; an unknown one is a usage error that lists them all.
const Method& find_method(const std::string& name);
/// The same; no name is the default one for rows of this kind. A method that does not take them is a usage error.
const Method& method_for(const Schema& schema, const std::string& name);

}  // namespace sosia
