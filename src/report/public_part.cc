// SPDX-License-Identifier: Apache-2.0
#include "report/public_part.h"

#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "model/contents.h"
#include "model/sampling.h"
#include "report/guarantee.h"
#include "report/profile.h"
#include "report/samples_json.h"

namespace sosia::report {

namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kProfileRows = 20000;
constexpr std::size_t kSampleColumns = 10;
constexpr std::uint64_t kSampleSeed = 1;

/// What the schema says of a column, which was declared public or bought.
ordered_json fact_json(const Column& column) {
  ordered_json out = {{"name", column.name}, {"type", name_of(column.type)}, {"missing", column.missing}};
  if (column.values) out["values"] = column.values->size();
  if (column.min && column.max) out["bounds"] = {*column.min, *column.max};
  if (!column.unit.empty()) out["unit"] = column.unit;
  return out;
}

ordered_json profile_json(const ColumnProfile& profile) {
  ordered_json out = {{"name", profile.name}, {"shares", profile.shares}, {"missing", profile.missing}};
  if (has_bounds(profile.type)) {
    out["low"] = profile.low;
    out["high"] = profile.high;
  } else {
    out["labels"] = profile.labels;
  }
  return out;
}

}  // namespace

PublicPart::PublicPart(const Model& model) {
  if (!model.is_trained()) {
    throw Error(ErrorKind::usage, "the model has its releases, but has not been trained", "report",
                "train it: sosia fit --resume MODEL");
  }
  const ModelContents& contents = model.contents();
  ordered_json out = {{"method", contents.method},
                      {"settings", ordered_json::object()},
                      {"certificate", explained(contents.certificate)},
                      {"target", contents.schema.target},
                      {"rows", kProfileRows},
                      {"columns", ordered_json::array()},
                      {"profiles", ordered_json::array()}};
  for (const auto& [name, value] : contents.settings) out["settings"][name] = value;
  if (contents.schema.images) {
    out["images"] = samples_json(sample_images(contents, kSampleColumns, kSampleSeed));
    out["images"]["classes"] = contents.schema.images->classes;
    json_ = out.dump();
    return;
  }
  for (const Column& column : contents.schema.columns) out["columns"].push_back(fact_json(column));
  for (const ColumnProfile& profile : profiles_of(model, kProfileRows))
    out["profiles"].push_back(profile_json(profile));
  json_ = out.dump();
}

}  // namespace sosia::report
