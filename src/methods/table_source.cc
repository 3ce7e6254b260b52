// SPDX-License-Identifier: Apache-2.0
// A table on its way into a fit: what the schema leaves open is discovered, and numbers that a method wants as scalars
// are spread by quantiles. Both are releases that the ledger charges. Beside a public model, rows are coded as it has
// them, and nothing is released for that.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <sosia/discovery.h>
#include <sosia/error.h>

#include "base/json_reader.h"
#include "data/encoded_rows.h"
#include "data/open_table.h"
#include "methods/bin_edges.h"
#include "methods/fit_source.h"
#include "methods/public_model.h"
#include "methods/quantile_edges.h"

namespace sosia {

namespace {

CodecOptions codec_options(const FitOptions& options, NumberCoding numbers) {
  return {.numbers = numbers,
          .bins = 64,
          .few = 128,
          .exact = numbers == NumberCoding::bins,
          .missing_words = options.spelling.missing_words};
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

void check_discovery(const Schema& schema, const FitOptions& options) {
  if (!(options.discovery >= 0.0 && options.discovery < 1.0)) {
    throw Error(ErrorKind::usage, "the share of the budget for discovery is out of range", "fit",
                "pass a share from 0 to below 1");
  }
  const std::vector<std::string> open = schema.open();
  if (options.discovery > 0.0 || open.empty()) return;
  throw Error(ErrorKind::schema, "the schema leaves facts open", first_of(open),
              "confirm them as public knowledge (--confirm), or let them be discovered privately (--discover)");
}

/// How the rows are coded, as far as that is known before anything is released.
struct Coding {
  Schema schema;                       ///< with edges
  std::vector<std::size_t> quantiles;  ///< columns whose edges will be released quantiles; empty: no such release
};

Coding coding_of(const Schema& schema, const FitRequest& request) {
  Coding coding{schema, {}};
  if (request.method.numbers == NumberCoding::bins) {
    add_log_edges(coding.schema);
  } else if (request.settings.number("quantiles") > 0.0) {
    const std::vector<std::size_t> columns = add_fine_edges(coding.schema);
    const Codec bins(coding.schema, fine_bins(request.options));
    constexpr double kAnyNoise = 1.0;
    if (plan_quantiles(bins, columns, kAnyNoise, {}).cells > 0) coding.quantiles = columns;
  }
  return coding;
}

/// The noise of the quantiles: the first event of a plan, or a share of the budget.
double quantile_noise(const Ledger& ledger, const Settings& settings) {
  if (ledger.plan() != nullptr) return std::get<Gaussian>(ledger.plan()->events.front().mechanism).noise;
  return ledger.noise_for_share(settings.number("quantiles"));
}

class TableSource : public FitSource {
 public:
  explicit TableSource(const FitRequest& request) : request_(request), options_(request.options) {
    check_discovery(request.schema, options_);
    check_header(request.data, request.schema, options_.spelling);
    is_open_ = options_.discovery > 0.0 && !request.schema.open().empty();
    if (is_open_ && request.method.private_training) {
      throw Error(
          ErrorKind::schema,
          "the method " + request.method.info.name + " plans its whole budget before anything is known of the table",
          "fit with --discover; nothing was spent", "discover first: sosia discover");
    }
    table_ = open_table(request.data, request.schema, options_.spelling);
    if (!options_.public_model.empty()) {
      take_public_model();
    } else if (!is_open_) {
      coding_ = coding_of(request.schema, request);
    }
  }

  bool is_open() const override { return is_open_; }

  Outline outline() const override {
    Outline outline = outline_of(codec());
    if (!coding_.quantiles.empty() && !is_prepared_) outline.budget -= request_.settings.number("quantiles");
    outline.decoder = decoder_;
    return outline;
  }

  OpenPlan first_events() const override {
    if (coding_.quantiles.empty()) return {};
    OpenPlan open;
    open.plan.events = {{Gaussian{1.0}, 1, kQuantilesLabel}};
    open.shares = {request_.settings.number("quantiles")};
    return open;
  }

  std::vector<PlannedRelease> plan(const Ledger& ledger) const override {
    std::vector<PlannedRelease> releases;
    if (is_open_) {
      for (const DiscoveryStep& step :
           plan_discovery(request_.schema, {.spelling = options_.spelling, .share = options_.discovery}, ledger)) {
        releases.push_back({"discovery: " + step.what, step.cells, step.noise, step.sigma});
      }
    } else if (!coding_.quantiles.empty()) {
      releases.push_back(
          plan_quantiles(bins(), coding_.quantiles, quantile_noise(ledger, request_.settings), ledger.promise()));
    }
    return releases;
  }

  void prepare(Ledger& ledger, ThreadPool& threads) override {
    if (is_open_) coding_ = coding_of(discovered(ledger), request_);
    if (!coding_.quantiles.empty()) {
      release_quantiles(PrivateTable(encoded_rows(table_, bins(), units(ledger))), bins(), coding_.quantiles,
                        quantile_noise(ledger, request_.settings),
                        stretches_of(request_.settings, coding_.quantiles.size()), ledger, threads, coding_.schema);
      std::vector<Purchase>& purchases = coding_.schema.purchases;
      if (purchases.size() == request_.schema.purchases.size()) purchases.push_back(purchase_of(ledger));
      for (const std::size_t c : coding_.quantiles) {
        set_bought(coding_.schema.columns[c], Fact::edges, purchases.size() - 1);
      }
    }
    is_prepared_ = true;
  }

  std::unique_ptr<RowSource> rows(const Ledger& ledger) const override {
    return encoded_rows(table_, codec(), units(ledger));
  }

  void describe(ModelContents& contents) const override {
    contents.schema = coding_.schema;
    contents.codec = codec_options(options_, request_.method.numbers);
  }
  std::vector<std::string> left_out() const override { return left_out_; }
  std::string known() const override {
    const std::string known = "the names of the columns";
    return decoder_ ? known + "; " + origin_ : known;
  }

 private:
  std::optional<UnitHash> units(const Ledger& ledger) const {
    if (request_.schema.unit.column.empty()) return std::nullopt;
    return ledger.unit_hash();
  }
  Codec codec() const { return Codec(coding_.schema, codec_options(options_, request_.method.numbers)); }
  Codec bins() const { return Codec(coding_.schema, fine_bins(options_)); }

  void take_public_model() {
    check_settings_beside(options_.settings);
    PublicModel model = read_public_model(options_.public_model, request_.method.info.name);
    coding_.schema = coded_alike(request_.schema, model);
    decoder_ = std::make_shared<const DecodedNet>(std::move(model.net));
    origin_ = std::move(model.origin);
  }

  /// The schema with the facts that it leaves open. A column whose facts were not found is left out; one that tells
  /// units apart goes on doing that, and is not made.
  Schema discovered(Ledger& ledger) {
    Discovery found =
        discover(request_.data, request_.schema,
                 {.spelling = options_.spelling, .share = options_.discovery, .threads = options_.threads}, ledger);
    Schema& schema = found.schema;
    std::erase_if(schema.columns, [&](Column& column) {
      const bool is_open = !Schema{.columns = {column}}.open().empty();
      if (is_open) left_out_.push_back(column.name);
      const bool is_unit = column.name == schema.unit.column;
      if (is_open && is_unit) column = {.name = column.name, .type = ColumnType::identifier, .missing = column.missing};
      return is_open && !is_unit;
    });
    if (schema.find(schema.target) == nullptr) schema.target.clear();
    if (std::ranges::any_of(schema.columns, [](const Column& c) { return has_values(c.type) || has_bounds(c.type); })) {
      return schema;
    }
    throw Error(ErrorKind::budget, "the table has too few rows to discover anything of its columns with this budget",
                first_of(found.not_found),
                fmt::format("declare what is public knowledge, or spend more; epsilon {:g} stays spent",
                            ledger.promise().epsilon));
  }

  FitRequest request_;
  const FitOptions& options_;
  std::shared_ptr<const TableFile> table_;
  Coding coding_;
  std::vector<std::string> left_out_;          ///< columns of which too little was found
  std::shared_ptr<const DecodedNet> decoder_;  ///< of a public model, like the next
  std::string origin_;
  bool is_open_ = false, is_prepared_ = false;
};

FarEnds far_ends(const Field& field, const Schema& schema) {
  const auto column = std::find_if(schema.columns.begin(), schema.columns.end(),
                                   [&](const Column& c) { return c.name == field.column; });
  if (column == schema.columns.end() || !field.part.empty() || column->edges.empty() || !spans_magnitudes(*column)) {
    return {};
  }
  const auto octaves = [](double from, double to) { return std::log2((1.0 + std::abs(to)) / (1.0 + std::abs(from))); };
  return {.low = *column->min < 0.0 ? std::max(octaves(column->edges.front(), *column->min), 0.0) : 0.0,
          .high = *column->max > 0.0 ? std::max(octaves(column->edges.back(), *column->max), 0.0) : 0.0};
}

}  // namespace

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
    outline.far_ends.push_back(far_ends(field, schema));
    outline.spare.push_back(static_cast<std::uint32_t>(field.spare));
  }
  if (schema.rows) outline.rows = static_cast<double>(*schema.rows);
  return outline;
}

std::unique_ptr<FitSource> open_table_source(const FitRequest& request) {
  return std::make_unique<TableSource>(request);
}

}  // namespace sosia
