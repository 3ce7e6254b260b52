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
Ledger planning_ledger(const Schema& schema, const FitOptions& options) {
  if (without_noise(options)) return Ledger::without_privacy(schema.relation, schema.unit);
  return Ledger(promise_of(schema, options));
}

Ledger spending_ledger(const Schema& schema, const FitOptions& options) {
  if (!options.ledger.empty() && (without_noise(options) || options.test_noise)) {
    throw Error(ErrorKind::usage, "a fit without a guarantee takes no budget from a ledger file",
                "fit; nothing was spent", "leave out the ledger, or make a private fit");
  }
  if (without_noise(options)) return Ledger::without_privacy(schema.relation, schema.unit);
  const Promise promise = promise_of(schema, options);
  if (options.test_noise) return Ledger::for_tests(promise, *options.test_noise);
  if (options.ledger.empty()) return Ledger(promise);
  LedgerFile file = LedgerFile::open(options.ledger);
  return Ledger::reserved(file, promise, "fit by " + options.method);
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

FitPlan plan_fit(const std::filesystem::path& data, const Schema& schema, const FitOptions& options) {
  const Method& method = find_method(options.method);
  const Settings settings(method.info, options.settings);
  check_discovery(schema, options);
  check_header(data, schema, options.spelling);
  const Ledger ledger = planning_ledger(schema, options);
  FitPlan plan{ledger.promise(), {}};
  if (options.discovery > 0.0 && is_open(schema)) {
    for (const DiscoveryStep& step :
         plan_discovery(schema, {.spelling = options.spelling, .share = options.discovery}, ledger)) {
      plan.releases.push_back({"discovery: " + step.what, step.cells, step.noise, step.sigma});
    }
    return plan;  // what the method releases depends on what is found
  }
  Schema with_edges = schema;
  const std::vector<StoredColumn> stored = open_table(data, schema, options.spelling)->columns();
  double budget = 1.0;
  if (method.numbers == NumberCoding::scaled) {
    const std::vector<std::size_t> columns = add_fine_edges(with_edges);
    const Codec bins(with_edges, fine_bins(options), stored);
    const double noise = ledger.noise_for_share(settings.number("quantiles"));
    const PlannedRelease planned = plan_quantiles(bins, columns, noise, ledger.promise());
    if (planned.cells > 0) {
      budget -= settings.number("quantiles");
      plan.releases.push_back(planned);
    }
  } else {
    add_log_edges(with_edges);
  }
  const Codec codec(with_edges, codec_options(options, method.numbers), stored);
  Outline outline = outline_of(codec);
  outline.budget = budget;
  for (const PlannedRelease& planned : method.plan(outline, settings, ledger)) {
    plan.releases.push_back(planned);
    if (planned.noise_error > 0.0) plan.rows = outline.rows.value_or(kRowsIfUnknown);
  }
  return plan;
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

}  // namespace

Model release(const std::filesystem::path& data, const Schema& schema, const FitOptions& options) {
  const Method& method = find_method(options.method);
  const Settings settings(method.info, options.settings);
  plan_fit(data, schema, options);  // what can be refused for public reasons is refused before anything is spent
  Ledger ledger = spending_ledger(schema, options);
  ThreadPool threads(options.threads);
  auto contents = std::make_shared<ModelContents>();
  contents->schema = closed_schema(data, schema, options, ledger);
  const auto table = open_table(data, schema, options.spelling);
  contents->method = options.method;
  contents->settings = settings.values();
  contents->seed = options.seed;
  contents->codec = codec_options(options, method.numbers);
  for (const StoredColumn& column : table->columns()) {
    if (schema.find(column.name) != nullptr) contents->stored.push_back(column);
  }
  const bool with_units = !schema.unit.column.empty();
  if (method.numbers == NumberCoding::scaled) {
    const std::vector<std::size_t> columns = add_fine_edges(contents->schema);
    const Codec bins(contents->schema, fine_bins(options), contents->stored);
    release_quantiles(PrivateTable(encoded_rows(table, bins, with_units)), bins, columns,
                      ledger.noise_for_share(settings.number("quantiles")), stretches_of(settings, columns.size()),
                      ledger, threads, contents->schema);
  } else {
    add_log_edges(contents->schema);
  }
  const Codec codec(contents->schema, contents->codec, contents->stored);
  const PrivateTable rows_of_table(encoded_rows(table, codec, with_units));
  contents->released = method.release(rows_of_table, outline_of(codec), settings, ledger, threads);
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
