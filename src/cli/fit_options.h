// SPDX-License-Identifier: Apache-2.0
// What `sosia fit` and `sosia run` have in common.
#pragma once

#include <string>
#include <vector>

#include <sosia/fit.h>

#include "cli/arguments.h"
#include "cli/facts.h"
#include "cli/progress.h"
#include "cli/spelling.h"

namespace sosia::cli {

struct FitArguments {
  Argument file, epsilon, delta, method, target, discover, ledger, seed, threads, test_noise, features, computed,
      public_model;
  FactArguments facts;
  std::vector<std::string> settings;
  std::vector<std::string> command;  ///< all words of the command line
  bool quiet = false, trust_table = false;
  SpellingOptions spelling;
  ImageArguments images;
};

void add_fit_options(const Declared& command, FitArguments& arguments);

/// What was asked for: the schema with the target and what was confirmed, and the options of the fit.
struct FitTask {
  std::string data;
  Schema schema;
  FitOptions options;
};
FitTask fit_task(const FitArguments& arguments, const std::string& command);

/// The ledger file, and all rows unless the caller has just checked them: what does not fit is refused.
void check_data(const FitTask& task, const FitArguments& arguments);

/// The releases that are to be made, for people.
std::string plan_text(const FitPlan& plan, const FitTask& task);

/// Makes the releases, with progress where that takes a training.
Model release_watched(const FitTask& task, Progress& progress);

/// Trains a model with progress, and says how it ended.
Model train_watched(const Model& released, const FitArguments& arguments, Progress& progress);

}  // namespace sosia::cli
