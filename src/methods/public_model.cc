// SPDX-License-Identifier: Apache-2.0
#include "methods/public_model.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "base/number_text.h"
#include "base/sha256.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "perceptual/feature_file.h"

namespace sosia {

namespace {

constexpr char kWhere[] = "--public-model; nothing was spent";

/// Columns that rows are coded by; identifiers and free text are not.
std::vector<const Column*> coded_columns(const Schema& schema) {
  std::vector<const Column*> columns;
  for (const Column& column : schema.columns) {
    if (has_values(column.type) || has_bounds(column.type)) columns.push_back(&column);
  }
  return columns;
}

/// What makes codes of the two mean different things; null: nothing. Edges that are not declared are the model's.
const char* difference(const Column& own, const Column& other) {
  if (own.type != other.type) return "type";
  if (own.values != other.values) return "values";
  if (own.min != other.min || own.max != other.max) return "bounds";
  if (own.missing != other.missing) return "missing";
  if (own.atoms != other.atoms) return "atoms";
  if (own.decimals != other.decimals) return "decimals";
  if (!own.edges.empty() && own.edges != other.edges) return "edges";
  const auto refuses = [](const Column& column) { return column.outside == Outside::refuse; };
  if (has_values(own.type) && refuses(own) != refuses(other)) return "outside";  // a state for `other`, or none
  return nullptr;
}

[[noreturn]] void refuse_columns(const std::string& where) {
  throw Error(ErrorKind::schema, "the public model was fitted to other columns", where,
              "pass a model whose schema declares the same columns, in the same order and alike");
}

/// What its own certificate says of the rows that the model was fitted to.
std::string told_by(const ModelContents& model) {
  const nlohmann::json certificate = parse_json(model.certificate, "the certificate of the public model");
  const auto guarantee = certificate.find("guarantee"), total = certificate.find("total");
  if (guarantee == certificate.end() || *guarantee != true || total == certificate.end()) {
    return ", fitted to rows declared to be others, without a guarantee of its own";
  }
  const ObjectReader told(*total, "the certificate of the public model", "a guarantee", {"epsilon", "delta"});
  return fmt::format(", fitted to rows declared to be others, under epsilon {}, delta {}",
                     exact_or_up_text(told.number("epsilon")), exact_or_up_text(told.number("delta")));
}

}  // namespace

PublicModel read_public_model(const std::filesystem::path& path, const std::string& method) {
  const std::string bytes = read_text_file(path);
  ModelContents model = parse_model(bytes, path.string());
  auto* const net = std::get_if<DecodedNet>(&model.released);
  const bool has_decoder = net != nullptr && net->shape.drawn > 0 && net->shape.classes == 0;
  if (model.method != method || !has_decoder || model.codec.numbers != NumberCoding::scaled) {
    throw Error(ErrorKind::usage, fmt::format("the public model is one by {}", shown(model.method)), kWhere,
                fmt::format("pass one by {}", method));
  }
  return {std::move(model.schema), std::move(*net),
          fmt::format("the model {} (sha256 {}){}", shown(path.filename().string()), sha256_of(bytes), told_by(model))};
}

Schema coded_alike(const Schema& schema, const PublicModel& model) {
  const std::vector<const Column*> own = coded_columns(schema), others = coded_columns(model.schema);
  for (std::size_t i = 0; i < std::max(own.size(), others.size()); ++i) {
    if (i >= own.size()) refuse_columns(fmt::format("column {}: only in the model", shown(others[i]->name)));
    if (i >= others.size() || own[i]->name != others[i]->name) {
      refuse_columns(fmt::format("column {}: not in this place in the model", shown(own[i]->name)));
    }
    if (const char* const fact = difference(*own[i], *others[i])) {
      refuse_columns(fmt::format("column {}: {}", shown(own[i]->name), fact));
    }
  }
  Schema coded = schema;
  for (Column& column : coded.columns) {
    if (has_bounds(column.type)) column.edges = model.schema.find(column.name)->edges;
  }
  return coded;
}

void check_settings_beside(const std::vector<std::pair<std::string, std::string>>& given) {
  constexpr std::array<std::string_view, 5> kOfTheModel = {"quantiles", "stretches", "preset", "latent", "hidden"};
  for (const auto& [name, value] : given) {
    if (!name.starts_with("auto_") && std::ranges::find(kOfTheModel, name) == kOfTheModel.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("the option {} has no effect beside a public model", shown(name)), kWhere,
                "leave it out: coding and decoder are the model's");
  }
}

}  // namespace sosia
