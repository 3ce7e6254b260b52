// SPDX-License-Identifier: Apache-2.0
#include <sosia/fit.h>

#include <algorithm>
#include <cmath>

#include <sosia/certificate.h>
#include <sosia/discovery.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>

#include "data/codec.h"
#include "data/encoded_rows.h"
#include "data/held_rows.h"
#include "data/open_table.h"
#include "methods/bin_edges.h"
#include "methods/method.h"
#include "methods/quantile_edges.h"
#include "model/contents.h"

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

Ledger spending_ledger(const Schema& schema, const FitOptions& options, const std::optional<Plan>& plan) {
  if (!options.ledger.empty() && (without_noise(options) || options.test_noise)) {
    throw Error(ErrorKind::usage, "a fit without a guarantee takes no budget from a ledger file",
                "fit; nothing was spent", "leave out the ledger, or make a private fit");
  }
  if (without_noise(options)) return Ledger::without_privacy(schema.relation, schema.unit);
  const Promise promise = promise_of(schema, options);
  if (options.test_noise) {
    return plan ? Ledger::for_tests(promise, *plan, *options.test_noise)
                : Ledger::for_tests(promise, *options.test_noise);
  }
  if (options.ledger.empty()) return plan ? Ledger(promise, *plan) : Ledger(promise);
  LedgerFile file = LedgerFile::open(options.ledger);
  const std::string purpose = "fit by " + options.method;
  return plan ? Ledger::reserved(file, promise, *plan, purpose) : Ledger::reserved(file, promise, purpose);
}

CodecOptions codec_options(const FitOptions& options, NumberCoding numbers) {
  return {.numbers = numbers,
          .bins = 64,
          .few = 128,
          .exact = numbers == NumberCoding::bins,
          .missing_words = options.spelling.missing_words};
}

Outline outline_of(const Codec& codec) {
  if (codec.width() == 0) {
    throw Error(ErrorKind::schema, "the schema has no column that can be learned from", "fit; nothing was spent",
                "declare at least one column that is neither an identifier nor free text");
  }
  Outline outline;
  const Schema& schema = codec.schema();
  outline.target = codec.target_field();
  for (const Field& field : codec.fields()) {
    outline.widths.push_back(field.kind == Field::Kind::scalar ? 0 : static_cast<std::uint32_t>(field.width));
    outline.ordered.push_back(static_cast<std::uint32_t>(field.ordered));
    outline.spare.push_back(static_cast<std::uint32_t>(field.spare));
  }
  if (schema.rows) outline.rows = static_cast<double>(*schema.rows);
  return outline;
}

/// Bins just as the fine edges say, to find quantiles in.
CodecOptions fine_bins(const FitOptions& options) {
  CodecOptions codec = codec_options(options, NumberCoding::bins);
  codec.few = 0;
  return codec;
}

/// All that a method of sampled releases will ask for, with the noise that keeps the promise.
std::optional<Plan> whole_plan(const Method& method, const Outline& outline, const Settings& settings,
                               bool has_quantiles, const Schema& schema, const FitOptions& options) {
  if (!method.private_training || without_noise(options)) return std::nullopt;
  OpenPlan open = method.private_training->events(outline, settings);
  if (has_quantiles) {
    open.plan.events.insert(open.plan.events.begin(), {Gaussian{1.0}, 1, kQuantilesLabel});
    open.shares.insert(open.shares.begin(), settings.number("quantiles"));
  }
  open.plan.relation = schema.relation;
  const Promise promise = promise_of(schema, options);
  const bool is_open = std::any_of(open.shares.begin(), open.shares.end(), [](double share) { return share > 0.0; });
  return is_open ? calibrate(open, promise.epsilon, promise.delta) : open.plan;
}

/// The noise of the quantiles: the first event of a plan, or a share of the budget.
double quantile_noise(const Ledger& ledger, const Settings& settings) {
  if (ledger.plan() != nullptr) return std::get<Gaussian>(ledger.plan()->events.front().mechanism).noise;
  return ledger.noise_for_share(settings.number("quantiles"));
}

/// What each accountant says of a plan; the way older papers report it, too.
std::vector<Bound> prices_of(const Ledger& ledger) {
  if (ledger.plan() == nullptr) return {};
  std::vector<Bound> bounds = account(*ledger.plan(), ledger.promise().delta).bounds;
  bounds.push_back(bound_by(*ledger.plan(), ledger.promise().delta, "rdp-mironov"));
  return bounds;
}

/// The joint shape of few numbers can be learned as it is; of many it is best to spread each by itself.
int stretches_of(const Settings& settings, std::size_t numbers) {
  if (settings.whole("stretches") > 0) return settings.whole("stretches");
  return numbers > static_cast<std::size_t>(kFewNumbers) ? 32 : 4;
}

bool is_open(const Schema& schema) {
  return !schema.unreviewed().empty() || std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& c) {
    return (has_values(c.type) && !c.values) || (has_bounds(c.type) && !(c.min && c.max));
  });
}

void check_discovery(const Schema& schema, const FitOptions& options) {
  if (!(options.discovery >= 0.0 && options.discovery < 1.0)) {
    throw Error(ErrorKind::usage, "the share of the budget for discovery is out of range", "fit",
                "pass a share from 0 to below 1");
  }
  if (options.discovery > 0.0 || !is_open(schema)) return;
  const std::vector<std::string> facts = schema.unreviewed();
  throw Error(ErrorKind::schema,
              facts.empty() ? "the schema leaves values or bounds open"
                            : "the schema has facts that were read off the data and that nobody has reviewed",
              facts.empty() ? "the schema" : facts.front() + (facts.size() == 1 ? "" : " and others"),
              "confirm them as public knowledge (--confirm), or let them be discovered privately (--discover)");
}

}  // namespace

double default_delta(const Schema& schema) {
  constexpr double kDelta = 1e-6;
  return schema.rows ? std::min(kDelta, 0.1 / static_cast<double>(*schema.rows)) : kDelta;
}

namespace {

/// How the rows are coded, as far as that is known before anything is released.
struct Coding {
  Schema schema;                       ///< with edges
  std::vector<std::size_t> quantiles;  ///< columns whose edges will be released quantiles; empty: no such release
  Outline outline;
};

Coding coding_of(const Schema& schema, const std::vector<StoredColumn>& stored, const Method& method,
                 const Settings& settings, const FitOptions& options) {
  Coding coding{schema, {}, {}};
  if (method.numbers == NumberCoding::bins) {
    add_log_edges(coding.schema);
  } else if (settings.number("quantiles") > 0.0) {
    const std::vector<std::size_t> columns = add_fine_edges(coding.schema);
    const Codec bins(coding.schema, fine_bins(options), stored);
    constexpr double kAnyNoise = 1.0;
    if (plan_quantiles(bins, columns, kAnyNoise, {}).cells > 0) coding.quantiles = columns;
  }
  coding.outline = outline_of(Codec(coding.schema, codec_options(options, method.numbers), stored));
  return coding;
}

/// What would be released, and for methods of sampled releases the plan that the ledger is opened for.
struct Prepared {
  FitPlan shown;
  std::optional<Plan> whole;
};

[[noreturn]] void refuse_discovery(const Method& method) {
  throw Error(ErrorKind::schema,
              "the method " + method.info.name + " plans its whole budget before anything is known of the table",
              "fit with --discover; nothing was spent", "discover first: sosia discover");
}

Prepared prepared(const std::filesystem::path& data, const Schema& schema, const FitOptions& options) {
  const Method& method = find_method(options.method);
  const Settings settings(method.info, options.settings);
  check_discovery(schema, options);
  check_header(data, schema, options.spelling);
  if (options.discovery > 0.0 && is_open(schema)) {
    if (method.private_training) refuse_discovery(method);
    const Ledger ledger = planning_ledger(schema, options, {});
    FitPlan plan{ledger.promise(), {}};
    for (const DiscoveryStep& step :
         plan_discovery(schema, {.spelling = options.spelling, .share = options.discovery}, ledger)) {
      plan.releases.push_back({"discovery: " + step.what, step.cells, step.noise, step.sigma});
    }
    return {plan, {}};  // what the method releases depends on what is found
  }
  planning_ledger(schema, options, {});  // refuses a promise that means nothing
  const std::vector<StoredColumn> stored = open_table(data, schema, options.spelling)->columns();
  Coding coding = coding_of(schema, stored, method, settings, options);
  const bool has_quantiles = !coding.quantiles.empty();
  const std::optional<Plan> whole = whole_plan(method, coding.outline, settings, has_quantiles, schema, options);
  const Ledger ledger = planning_ledger(schema, options, whole);
  FitPlan plan{ledger.promise(), {}, prices_of(ledger)};
  if (has_quantiles) {
    coding.outline.budget -= settings.number("quantiles");
    plan.releases.push_back(plan_quantiles(Codec(coding.schema, fine_bins(options), stored), coding.quantiles,
                                           quantile_noise(ledger, settings), ledger.promise()));
  }
  for (const PlannedRelease& planned : method.plan(coding.outline, settings, ledger)) {
    plan.releases.push_back(planned);
    if (planned.noise_error > 0.0) plan.rows = coding.outline.rows.value_or(kRowsIfUnknown);
  }
  return {plan, whole};
}

}  // namespace

FitPlan plan_fit(const std::filesystem::path& data, const Schema& schema, const FitOptions& options) {
  return prepared(data, schema, options).shown;
}

namespace {

/// The schema without open facts: those that it leaves open, discovered.
Schema closed_schema(const std::filesystem::path& data, const Schema& schema, const FitOptions& options,
                     Ledger& ledger) {
  if (!(options.discovery > 0.0 && is_open(schema))) return schema;
  Discovery found = discover(
      data, schema, {.spelling = options.spelling, .share = options.discovery, .threads = options.threads}, ledger);
  if (!found.not_found.empty()) {
    throw Error(ErrorKind::budget, "the table has too few rows to discover all that the schema leaves open",
                found.not_found.front() + (found.not_found.size() == 1 ? "" : " and others"),
                "declare it, or spend more; what was charged stays spent");
  }
  found.schema.confirm();  // found under noise for tests, they wait for review; the model is stamped itself
  return found.schema;
}

/// The method's releases, or its whole training where that is made of releases.
Released released_by(const Method& method, std::unique_ptr<RowSource> rows, Ledger& ledger, const Training& training) {
  if (!method.private_training) {
    return method.release(PrivateTable(std::move(rows)), training.outline, training.settings, ledger, training.threads);
  }
  return method.private_training->run(PrivateTable(held_rows(std::move(rows))), ledger, training);
}

}  // namespace

Model release(const std::filesystem::path& data, const Schema& schema, const FitOptions& options,
              const TrainingWatch& watch) {
  const Method& method = find_method(options.method);
  const Settings settings(method.info, options.settings);
  // What can be refused for public reasons is refused here, before anything is spent.
  const std::optional<Plan> plan = prepared(data, schema, options).whole;
  const auto table = open_table(data, schema, options.spelling);
  auto contents = std::make_shared<ModelContents>();
  for (const StoredColumn& column : table->columns()) {
    if (schema.find(column.name) != nullptr) contents->stored.push_back(column);
  }
  Ledger ledger = spending_ledger(schema, options, plan);
  ThreadPool threads(options.threads);
  const Schema closed = closed_schema(data, schema, options, ledger);
  const Coding coding = coding_of(closed, contents->stored, method, settings, options);
  contents->schema = coding.schema;
  contents->method = options.method;
  contents->settings = settings.values();
  contents->seed = options.seed;
  contents->codec = codec_options(options, method.numbers);
  const bool with_units = !schema.unit.column.empty();
  if (!coding.quantiles.empty()) {
    const Codec bins(contents->schema, fine_bins(options), contents->stored);
    release_quantiles(PrivateTable(encoded_rows(table, bins, with_units)), bins, coding.quantiles,
                      quantile_noise(ledger, settings), stretches_of(settings, coding.quantiles.size()), ledger,
                      threads, contents->schema);
  }
  const Codec codec(contents->schema, contents->codec, contents->stored);
  const Outline outline = outline_of(codec);
  contents->released = released_by(method, encoded_rows(table, codec, with_units), ledger,
                                   {outline, settings, options.seed, threads, watch});
  Certificate certificate = ledger.certificate();
  certificate.declared_public.emplace_back("the names of the columns and the types in which they are stored");
  certificate.declared_public.insert(certificate.declared_public.end(), options.declared_public.begin(),
                                     options.declared_public.end());
  contents->statement = certificate.statement();
  contents->certificate = certificate.json();
  return Model(std::move(contents));
}

Model train(const Model& released, int threads, const TrainingWatch& watch) {
  auto contents = std::make_shared<ModelContents>(released.contents());
  const Method& method = find_method(contents->method);
  ThreadPool pool(threads);
  const Settings settings(method.info, contents->settings);
  const Outline outline = outline_of(Codec(contents->schema, contents->codec, contents->stored));
  contents->generator = method.train(contents->released, {outline, settings, contents->seed, pool, watch});
  return Model(std::move(contents));
}

}  // namespace sosia
