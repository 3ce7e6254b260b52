// SPDX-License-Identifier: Apache-2.0
// From a private table, or a set of private images, to a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sosia/ledger.h>
#include <sosia/model.h>
#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia {

/// An option of a method: a number.
struct MethodOption {
  std::string name;
  double standard = 0.0, least = 0.0, most = 0.0;
  bool is_whole = false;
  std::string help;
  std::optional<double> of_images = {};  ///< in the place of the standard value, where rows are images
  std::string declares = {};             ///< what the owner declares about the data by another value; empty: nothing
};

struct MethodInfo {
  std::string name, summary, claim;
  std::vector<MethodOption> options;
  bool takes_images = false;
  bool takes_tables = true;
  bool needs_features = false;      ///< a net trained on public images
  bool takes_public_model = false;  ///< a model of public rows to start from
};

/// All methods, the default one first; of images, the first that takes them.
std::vector<MethodInfo> methods();

struct FitOptions {
  double epsilon = 1.0;         ///< infinite: no noise, and everything made is stamped as not private
  std::optional<double> delta;  ///< absent: see default_delta
  std::string method = {};      ///< empty: the default one
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the method, by name
  double discovery = 0.0;  ///< share of the budget for facts that the schema leaves open; 0: none may be open
  std::filesystem::path ledger = {};             ///< of the data set; empty: this run stands alone
  std::uint64_t seed = 1;                        ///< of training and everything else that is public; never of noise
  std::optional<std::uint64_t> test_noise = {};  ///< reproducible noise, for tests only: no guarantee
  int threads = 0;                               ///< 0: one per core; the model does not depend on it
  TableSpelling spelling = {};
  ImageOptions images = {};             ///< where a set of images has its labels
  std::filesystem::path features = {};  ///< a feature net (sosia/features.h), for methods that need one
  /// What that net makes of the images, computed elsewhere (compute_features), to be taken in the place of running it
  /// over them; empty: none. Row i of it depends on image i alone by the word of who gives it, which the certificate
  /// repeats.
  std::filesystem::path computed = {};
  /// A model of PUBLIC rows, by the same method and with the same columns, that the fit starts from; empty: none. Never
  /// a model of the private rows.
  std::filesystem::path public_model = {};
  /// A run file (sosia/run_file.h), which is made before the budget is charged if it is not there: a release that was
  /// killed and is asked for again with the same file is the same, at no further charge. It stays there for the caller
  /// to remove. Empty: noise comes from the operating system.
  std::filesystem::path run_file = {};
  std::vector<std::string> command = {};  ///< what the run file keeps for who goes on
};

/// 1e-6; with a declared number of rows n, 1 / (10 n) if that is less.
double default_delta(const Schema& schema);

/// What a fit would release: what, of how many numbers, and the standard deviation of the noise on each count or sum.
struct PlannedRelease {
  std::string what;
  std::int64_t cells = 0;  ///< 0: depends on earlier releases
  double noise = 0.0, sigma = 0.0;
  /// Of mean embeddings, in units of their largest norm: by how much noise is expected to move them, and random
  /// features a squared distance. 0: not said.
  double noise_error = 0.0, feature_error = 0.0;
};

struct FitPlan {
  std::string method;
  Promise promise;
  std::vector<PlannedRelease> releases;
  std::vector<Bound> prices = {};  ///< of a plan that is fixed as a whole: what each accountant proves, tightest first
  double rows = 0.0;               ///< that the expected errors are for; 0: there are none
};

/// Checks everything that can be checked before the data is read, and says what would be spent. Spends nothing.
FitPlan plan_fit(const std::filesystem::path& data, const Schema& schema, const FitOptions& options);

/// A moment of the training: step of at most so many, and the misfit, at 1 no more than noise; 0: not known, as it
/// would have to be paid for.
struct TrainingStep {
  int step = 0, most = 0;
  double residual = 0.0;
};
/// Returning false ends the training with what there is.
using TrainingWatch = std::function<bool(const TrainingStep&)>;

/// Makes the releases: from here on the budget is spent, and all that follows is free. Save what it returns before
/// training on it: a run that is killed then can be taken up again. Methods that train on the rows themselves do so
/// here, and report to `watch`; if it ends the training, the model is what the steps so far have made of it, and the
/// budget of all that were planned is spent.
Model release(
    const std::filesystem::path& data, const Schema& schema, const FitOptions& options,
    const TrainingWatch& watch = [](const TrainingStep&) { return true; });

/// Trains on the releases of a model, which may have been trained before. The same model and seed give the same bytes.
Model train(const Model& released, int threads, const TrainingWatch& watch);

}  // namespace sosia
