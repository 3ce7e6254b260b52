// SPDX-License-Identifier: Apache-2.0
// What a fit learns from: a table, or a set of images.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "methods/method.h"
#include "model/contents.h"

namespace sosia {

/// What was asked for.
struct FitRequest {
  std::filesystem::path data;
  const Schema& schema;
  const Method& method;
  const Settings& settings;
  const FitOptions& options;
};

/// The way from a file to the rows that a method sees, with the releases that it takes to code them.
class FitSource {
 public:
  virtual ~FitSource() = default;

  /// What the rows are: as far as that is known, and for good once `prepare` is done.
  virtual Outline outline() const = 0;
  /// Whether the method's own releases depend on what `prepare` finds, and cannot be planned.
  virtual bool is_open() const { return false; }
  /// The releases of `prepare` in a plan that is fixed as a whole.
  virtual OpenPlan first_events() const { return {}; }
  virtual std::vector<PlannedRelease> plan(const Ledger& /*ledger*/) const { return {}; }
  virtual void prepare(Ledger& /*ledger*/, ThreadPool& /*threads*/) {}

  /// After `prepare`, for the same ledger.
  virtual std::unique_ptr<RowSource> rows(const Ledger& ledger) const = 0;
  /// What the model has to know of how rows are coded: public, or released.
  virtual void describe(ModelContents& contents) const = 0;
  /// After `prepare`: columns that the model does not have, as too little of them could be discovered.
  virtual std::vector<std::string> left_out() const { return {}; }
  /// What is public without having been declared.
  virtual std::string known() const = 0;
};

/// By the schema's kind. Reads headers only; throws for what can be refused before anything is spent.
std::unique_ptr<FitSource> open_source(const FitRequest& request);
std::unique_ptr<FitSource> open_table_source(const FitRequest& request);
std::unique_ptr<FitSource> open_image_source(const FitRequest& request);

/// The rows of a model.
Outline outline_of(const ModelContents& contents);
Outline outline_of(const Codec& codec);
/// With a feature net where there is one.
Outline outline_of_images(const Schema& schema, std::shared_ptr<const FeatureFile> features);

}  // namespace sosia
