// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/model_parts.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMostStates = std::int64_t{1} << 24, kMostComponents = 1000000;

/// Whole numbers of a list, each from 0 to below `limit`.
template <class T>
std::vector<T> wholes(const json& list, std::int64_t limit, const std::string& where) {
  if (!list.is_array()) damaged_model(where, "a list is expected");
  std::vector<T> numbers;
  for (const json& value : list) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() >= limit) {
      damaged_model(where, "a whole number is out of range");
    }
    numbers.push_back(static_cast<T>(value.get<std::int64_t>()));
  }
  return numbers;
}

ViewSet view_set(const json& list, const std::vector<View>& views, const std::string& where) {
  ViewSet set = wholes<int>(list, static_cast<std::int64_t>(views.size()), where);
  if (set.empty() || set.size() > 8 ||
      std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) != set.end()) {
    damaged_model(where, "the views of a marginal are not in order");
  }
  std::vector<int> fields;
  for (const int view : set) fields.push_back(views[static_cast<std::size_t>(view)].field);
  std::sort(fields.begin(), fields.end());
  if (std::adjacent_find(fields.begin(), fields.end()) != fields.end())
    damaged_model(where, "a marginal has a field twice");
  return set;
}

/// The finest view of each field first, then coarser ones that are functions of these.
void read_views(const ObjectReader& measured, const std::string& where, Measurements& out) {
  const json& list = measured.array("views");
  const std::int64_t fields = measured.whole("fields");
  if (fields < 1 || static_cast<std::size_t>(fields) > list.size()) damaged_model(where, "there are no fields");
  out.fields = static_cast<std::size_t>(fields);
  for (const json& item : list) {
    const ObjectReader reader(item, where, "a view", {"field", "group"});
    View view;
    const std::int64_t field = reader.whole("field");
    const bool is_finest = out.views.size() < out.fields;
    if (field < 0 || field >= fields || (is_finest && field != static_cast<std::int64_t>(out.views.size()))) {
      damaged_model(where, "the views are not in order");
    }
    view.field = static_cast<int>(field);
    view.group = wholes<std::uint32_t>(reader.array("group"), kMostStates, where);
    if (view.group.empty()) damaged_model(where, "a field has no states");
    view.width = *std::max_element(view.group.begin(), view.group.end()) + 1;
    if (view.width > view.group.size()) damaged_model(where, "a field has more groups than states");
    if (!is_finest) {
      const View& finest = out.views[static_cast<std::size_t>(field)];
      if (view.group.size() != finest.group.size() || !is_function_of(finest, view)) {
        damaged_model(where, "a view splits a group");
      }
    }
    out.views.push_back(std::move(view));
  }
}

std::vector<double> take_sigmas(ModelArrays& arrays, std::size_t count, const std::string& where) {
  std::vector<double> sigmas = arrays.take<double>(count);
  for (const double sigma : sigmas) {
    if (!(sigma >= 0.0)) damaged_model(where, "noise is out of range");
  }
  return sigmas;
}

/// The rows of the generator must be rows of the codec.
void check_codec(const Measurements& measured, const Codec& codec, const std::string& where) {
  const auto fields = codec.fields();
  bool fits = fields.size() == measured.fields;
  for (std::size_t f = 0; fits && f < fields.size(); ++f) {
    fits = fields[f].kind == Field::Kind::code &&
           static_cast<std::size_t>(fields[f].width) == measured.views[f].group.size();
  }
  if (!fits) damaged_model(where, "its schema and its measurements differ");
}

}  // namespace

Measurements read_counts(const json& value, const Codec& codec, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader measured(value, where, "what was measured", {"rows", "label", "fields", "views", "list"});
  Measurements out;
  out.rows = measured.number("rows");
  if (!(out.rows > 0.0 && out.rows < 0x1p40)) damaged_model(where, "the number of rows is out of range");
  read_views(measured, where, out);
  if (!measured.at("label").is_null()) {
    const std::int64_t label = measured.whole("label");
    if (label < 0 || label >= static_cast<std::int64_t>(out.fields)) damaged_model(where, "the label is no field");
    out.label = static_cast<int>(label);
  }
  for (std::size_t f = 0; f < out.fields; ++f) {
    out.spread.push_back(arrays.take<float>(out.views[f].group.size()));
    for (const float share : out.spread.back()) {
      if (!(share >= 0.0F)) damaged_model(where, "a share is out of range");
    }
  }
  for (const json& item : measured.array("list")) {
    const ObjectReader known(item, where, "a measurement", {"views", "cells", "sigma", "by_cell"});
    Measurement next;
    next.views = view_set(known.array("views"), out.views, where);
    const std::size_t cells = cells_of(next.views, out.views);
    if (known.whole("cells") != static_cast<std::int64_t>(cells)) damaged_model(where, "a marginal has another size");
    next.sigma = known.number("sigma");
    if (!(next.sigma >= 0.0 && std::isfinite(next.sigma))) damaged_model(where, "noise is out of range");
    next.counts = arrays.take<double>(cells);
    const json& by_cell = known.at("by_cell");
    if (!by_cell.is_boolean()) damaged_model(where, "a flag is expected");
    if (by_cell.get<bool>()) next.cell_sigma = take_sigmas(arrays, cells, where);
    out.list.push_back(std::move(next));
  }
  check_codec(out, codec, where);
  return out;
}

std::shared_ptr<const ProductMixture> read_mixture(const json& value, const Measurements& measured,
                                                   ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "a generator", {"kind", "components", "kept"});
  if (reader.text("kind") != "mixture") damaged_model(where, "counts are followed by a mixture");
  const std::int64_t components = reader.whole("components");
  if (components < 1 || components > kMostComponents) damaged_model(where, "the number of components is out of range");
  std::vector<ViewSet> kept;
  for (const json& set : reader.array("kept")) {
    kept.push_back(view_set(set, measured.views, where));
    const bool is_measured = std::any_of(measured.list.begin(), measured.list.end(),
                                         [&](const Measurement& known) { return known.views == kept.back(); });
    if (!is_measured) damaged_model(where, "a marginal is followed that was not measured");
  }
  std::size_t width = 0;
  for (std::size_t f = 0; f < measured.fields; ++f) width += measured.views[f].width;
  std::vector<float> p = arrays.take<float>(static_cast<std::size_t>(components) * width);
  for (const float number : p) {
    if (!(number >= 0.0F && number <= 1.0F)) damaged_model(where, "a probability is out of range");
  }
  return std::make_shared<const ProductMixture>(measured.views, measured.fields, measured.spread, std::move(p),
                                                std::move(kept));
}

ordered_json describe(const Measurements& measured) {
  ordered_json list = ordered_json::array(), views = ordered_json::array(), label = nullptr;
  for (const Measurement& known : measured.list) {
    list.push_back({{"views", known.views},
                    {"cells", known.counts.size()},
                    {"sigma", known.sigma},
                    {"by_cell", !known.cell_sigma.empty()}});
  }
  for (const View& view : measured.views) views.push_back({{"field", view.field}, {"group", view.group}});
  if (measured.label) label = *measured.label;
  return {{"rows", measured.rows}, {"label", label}, {"fields", measured.fields}, {"views", views}, {"list", list}};
}

ordered_json describe(const ProductMixture& mixture) {
  return {{"kind", "mixture"}, {"components", mixture.components()}, {"kept", mixture.kept()}};
}

void put_arrays(const Measurements& measured, std::string& bytes) {
  for (const auto& shares : measured.spread) put_array<float>(bytes, shares);
  for (const Measurement& known : measured.list) {
    put_array<double>(bytes, known.counts);
    put_array<double>(bytes, known.cell_sigma);
  }
}

void put_arrays(const ProductMixture& mixture, std::string& bytes) { put_array<float>(bytes, mixture.probabilities()); }

}  // namespace sosia
