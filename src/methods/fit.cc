// SPDX-License-Identifier: Apache-2.0
#include <sosia/fit.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include <sosia/certificate.h>
#include <sosia/discovery.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/run_file.h>

#include "data/held_rows.h"
#include "data/images/image_kind.h"
#include "data/images/picture_folder.h"
#include "methods/fit_source.h"
#include "model/contents.h"
#include "perceptual/feature_file.h"

namespace sosia {

namespace {

Promise promise_of(const Schema& schema, const FitOptions& options) {
  Promise promise = discovery_promise(schema, options.epsilon, options.delta.value_or(default_delta(schema)));
  if (options.discovery == 0.0) promise.selection_delta = 0.0;
  return promise;
}

bool without_noise(const FitOptions& options) { return std::isinf(options.epsilon) && options.epsilon > 0.0; }

/// A ledger that has reserved nothing, to plan with.
Ledger planning_ledger(const Schema& schema, const FitOptions& options, const std::optional<Plan>& plan) {
  if (without_noise(options)) return Ledger::without_privacy(schema.relation, schema.unit);
  return plan ? Ledger(promise_of(schema, options), *plan) : Ledger(promise_of(schema, options));
}

Ledger spending_ledger(const Schema& schema, const FitOptions& options, const std::string& method,
                       const std::optional<Plan>& plan, const RunFile* run) {
  if (without_noise(options)) return Ledger::without_privacy(schema.relation, schema.unit);
  const Promise promise = promise_of(schema, options);
  if (options.test_noise) {
    return plan ? Ledger::for_tests(promise, *plan, *options.test_noise)
                : Ledger::for_tests(promise, *options.test_noise);
  }
  if (options.ledger.empty()) return plan ? Ledger(promise, *plan, run) : Ledger(promise, Spending::gaussian, run);
  LedgerFile file = LedgerFile::open(options.ledger);
  const std::string purpose = "fit by " + method;
  return plan ? Ledger::reserved(file, promise, *plan, purpose, run) : Ledger::reserved(file, promise, purpose, run);
}

/// All options that a release depends on, beside files and the spelling of tables.
std::vector<std::string> texts_of(const FitRequest& request) {
  const FitOptions& options = request.options;
  std::vector<std::string> texts = {fmt::format("{} {} {} {} {}", options.epsilon, options.delta.value_or(0.0),
                                                options.discovery, options.seed, options.test_noise.value_or(0)),
                                    request.method.info.name, options.images.image_array, options.images.label_array};
  for (const auto& [name, value] : request.settings.values()) texts.push_back(fmt::format("{} {}", name, value));
  return texts;
}

/// Each in its own place; empty: there is none. Pictures in a list may lie anywhere: they come last.
std::vector<std::filesystem::path> files_of(const FitRequest& request) {
  const FitOptions& options = request.options;
  std::filesystem::path labels = options.images.labels;
  if (request.schema.images && labels.empty()) labels = labels_beside(request.data);
  std::vector<std::filesystem::path> files = {request.data, labels, options.features, options.computed,
                                              options.public_model};
  if (!options.images.labels.empty() && std::filesystem::is_directory(request.data)) {
    const std::vector<std::filesystem::path> listed = pictures_in_list(request.data, labels);
    files.front().clear();  // what is not in the list is not read
    files.insert(files.end(), listed.begin(), listed.end());
  }
  return files;
}

RunInputs inputs_of(const FitRequest& request) {
  return inputs_of_run(files_of(request), request.options.spelling, request.schema, texts_of(request));
}

/// The run file that goes with the request, made unless it is there.
std::optional<RunFile> run_of(const FitRequest& request) {
  const FitOptions& options = request.options;
  if (options.run_file.empty()) return std::nullopt;
  return RunFile::begin(options.run_file, inputs_of(request), options.command);
}

/// The error with what was charged before it.
Error told(const Error& error, const Ledger& ledger, const FitOptions& options) {
  if (!ledger.has_guarantee()) return error;
  const Promise& promise = ledger.promise();
  return {
      error.kind(), error.problem(), error.where(),
      fmt::format("{}; epsilon {}, delta {} {}", error.fix(), promise.epsilon, promise.delta,
                  options.ledger.empty() ? "were there to be spent" : "stay charged to " + options.ledger.string())};
}

/// All that a method of sampled releases will ask for, with the noise that keeps the promise.
std::optional<Plan> whole_plan(const FitRequest& request, const FitSource& source) {
  if (!request.method.private_training || without_noise(request.options)) return std::nullopt;
  OpenPlan open = source.first_events();
  const OpenPlan own = request.method.private_training->events(source.outline(), request.settings);
  open.plan.events.insert(open.plan.events.end(), own.plan.events.begin(), own.plan.events.end());
  open.shares.insert(open.shares.end(), own.shares.begin(), own.shares.end());
  open.plan.relation = request.schema.relation;
  const Promise promise = promise_of(request.schema, request.options);
  const bool is_open = std::any_of(open.shares.begin(), open.shares.end(), [](double share) { return share > 0.0; });
  return is_open ? calibrate(open, promise.epsilon, promise.delta) : open.plan;
}

/// What each accountant says of a plan; the way older papers report it, too.
std::vector<Bound> prices_of(const Ledger& ledger) {
  if (ledger.plan() == nullptr) return {};
  std::vector<Bound> bounds = account(*ledger.plan(), ledger.promise().delta).bounds;
  bounds.push_back(bound_by(*ledger.plan(), ledger.promise().delta, "rdp-mironov"));
  return bounds;
}

/// What would be released, and for methods of sampled releases the plan that the ledger is opened for.
struct Prepared {
  FitPlan shown;
  std::optional<Plan> whole;
};

Prepared prepared(const FitRequest& request, const FitSource& source) {
  if (!request.options.ledger.empty() && (without_noise(request.options) || request.options.test_noise)) {
    throw Error(ErrorKind::usage, "a fit without a guarantee takes no budget from a ledger file",
                "fit; nothing was spent", "leave out the ledger, or make a private fit");
  }
  const auto ledger_for = [&](const std::optional<Plan>& plan) {
    return planning_ledger(request.schema, request.options, plan);
  };
  ledger_for({});  // refuses a promise that means nothing
  const std::optional<Plan> whole = source.is_open() ? std::nullopt : whole_plan(request, source);
  const Ledger ledger = ledger_for(whole);
  FitPlan plan{request.method.info.name, ledger.promise(), source.plan(ledger), prices_of(ledger)};
  if (source.is_open()) return {plan, {}};  // what the method releases depends on what is found
  const Outline outline = source.outline();
  for (const PlannedRelease& planned : request.method.plan(outline, request.settings, ledger)) {
    plan.releases.push_back(planned);
    if (planned.noise_error > 0.0) plan.rows = outline.rows.value_or(kRowsIfUnknown);
  }
  return {plan, whole};
}

/// See even_classes_option in embeddings.h.
bool declares_even_classes(const Settings& settings) {
  return std::ranges::any_of(
      settings.values(), [](const auto& setting) { return setting.first == "even_classes" && setting.second == 1.0; });
}

/// Options that say something about the data do so by the word of the owner.
void declare_options(const MethodInfo& method, const Settings& settings, Certificate& certificate) {
  for (const MethodOption& option : method.options) {
    const double value = settings.number(option.name);
    if (option.declares.empty() || value == option.standard) continue;
    certificate.declared.push_back(fmt::format("{} (--set {}={:.15g})", option.declares, option.name, value));
  }
}

/// The method's releases, or its whole training where that is made of releases.
Released released_by(const Method& method, std::unique_ptr<RowSource> rows, Ledger& ledger, const Training& training) {
  if (!method.private_training) {
    return method.release(PrivateTable(std::move(rows)), training.outline, training.settings, ledger, training.threads);
  }
  return method.private_training->run(PrivateTable(held_rows(std::move(rows))), ledger, training);
}

/// From the charge on. What goes wrong says what was charged.
Model released_under(Ledger& ledger, const FitRequest& request, FitSource& source, const TrainingWatch& watch) try {
  ThreadPool threads(request.options.threads);
  source.prepare(ledger, threads);
  auto contents = std::make_shared<ModelContents>();
  contents->method = request.method.info.name;
  contents->settings = request.settings.values();
  contents->seed = request.options.seed;
  source.describe(*contents);
  const Outline outline = source.outline();
  contents->released = released_by(request.method, source.rows(ledger), ledger,
                                   {outline, request.settings, request.options.seed, threads, watch});
  Certificate certificate = ledger.certificate();
  certificate.declared.push_back(source.known());
  declare_options(request.method.info, request.settings, certificate);
  certificate.cover(contents->schema, request.schema.purchases.size());
  certificate.left_out = source.left_out();
  contents->statement = certificate.statement();
  contents->certificate = certificate.json();
  return Model(std::move(contents));
} catch (const Error& error) {
  throw told(error, ledger, request.options);
} catch (const std::bad_alloc&) {
  throw told({ErrorKind::io, "this machine has too little memory left to go on", "the fit",
              "close other programs, use fewer threads, or a machine with more memory"},
             ledger, request.options);
}

}  // namespace

double default_delta(const Schema& schema) {
  constexpr double kDelta = 1e-6;
  return schema.rows ? std::min(kDelta, 0.1 / static_cast<double>(*schema.rows)) : kDelta;
}

std::unique_ptr<FitSource> open_source(const FitRequest& request) {
  if (declares_even_classes(request.settings) && !(request.schema.images && request.schema.rows)) {
    throw Error(ErrorKind::usage, "classes of the same size are known of images alone, and where the number of all is",
                "fit; nothing was spent", "declare the number of images in the schema, or leave out even_classes");
  }
  if (!request.options.features.empty() && !request.method.info.needs_features) {
    throw Error(ErrorKind::usage, "the method has no use for a feature net", "fit; nothing was spent",
                "leave it out, or pass --method dp-mepf");
  }
  if (!request.options.computed.empty() && !request.method.info.needs_features) {
    throw Error(ErrorKind::usage, "the method has no use for computed features", "fit; nothing was spent",
                "leave them out, or pass --method dp-mepf and the feature net");
  }
  if (!request.options.public_model.empty() && !request.method.info.takes_public_model) {
    throw Error(ErrorKind::usage, "the method has no use for a public model", "fit; nothing was spent",
                "leave it out, or pass --method dp-auto-gan");
  }
  return request.schema.images ? open_image_source(request) : open_table_source(request);
}

FitPlan plan_fit(const std::filesystem::path& data, const Schema& schema, const FitOptions& options) {
  const Method& method = method_for(schema, options.method);
  const Settings settings(method.info, options.settings, schema.images.has_value());
  const FitRequest request{data, schema, method, settings, options};
  return prepared(request, *open_source(request)).shown;
}

Model release(const std::filesystem::path& data, const Schema& schema, const FitOptions& options,
              const TrainingWatch& watch) {
  const Method& method = method_for(schema, options.method);
  const Settings settings(method.info, options.settings, schema.images.has_value());
  const FitRequest request{data, schema, method, settings, options};
  const std::unique_ptr<FitSource> source = open_source(request);
  // What can be refused for public reasons is refused here, before anything is spent.
  const std::optional<Plan> plan = prepared(request, *source).whole;
  const bool goes_on = !options.run_file.empty() && std::filesystem::exists(options.run_file);
  std::optional<RunFile> run = run_of(request);
  try {
    Ledger ledger = spending_ledger(schema, options, method.info.name, plan, run ? &*run : nullptr);
    Model model = released_under(ledger, request, *source, watch);
    if (run) run->check(inputs_of(request));
    return model;
  } catch (const Error& error) {
    // There is no budget for it, or nothing was found for it: so it would be once more. What goes on may have been paid
    // for before, in another ledger.
    if (run && !goes_on && error.kind() == ErrorKind::budget) run->remove();
    throw;
  }
}

Outline outline_of(const ModelContents& contents) {
  if (contents.schema.images) {
    std::shared_ptr<const FeatureFile> net;
    if (!contents.features.empty()) {
      net = std::make_shared<const FeatureFile>(parse_features(contents.features, "the feature net in the model"));
    }
    return outline_of_images(contents.schema, std::move(net));
  }
  return outline_of(Codec(contents.schema, contents.codec));
}

Model train(const Model& released, int threads, const TrainingWatch& watch) {
  auto contents = std::make_shared<ModelContents>(released.contents());
  const Method& method = method_for(contents->schema, contents->method);
  ThreadPool pool(threads);
  const Settings settings(method.info, contents->settings);
  contents->generator =
      method.train(contents->released, {outline_of(*contents), settings, contents->seed, pool, watch});
  return Model(std::move(contents));
}

}  // namespace sosia
