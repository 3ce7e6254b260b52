// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/contents.h"
#include "model/model_parts.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMostDim = std::int64_t{1} << 31;

std::int64_t in_range(const ObjectReader& reader, const char* key, std::int64_t most, const std::string& where) {
  const std::int64_t number = reader.whole(key);
  if (number < 1 || number > most) damaged_model(where, "a size is out of range");
  return number;
}

double noise_in(const ObjectReader& reader, const char* key, const std::string& where) {
  const double sigma = reader.number(key);
  if (!(sigma >= 0.0)) damaged_model(where, "noise is out of range");
  return sigma;
}

/// In the order of NetKind.
constexpr const char* kKinds[] = {"net", "convolutional net", "residual net"};

std::vector<int> read_widths(const ObjectReader& reader, const char* key, const ModelArrays& arrays) {
  std::vector<int> widths;
  for (const json& width : reader.array(key)) {
    const bool fits = width.is_number_integer() && width >= 1 && width <= kMostWidth;
    if (!fits) damaged_model(arrays.where(), "a layer has no sensible width");
    widths.push_back(width.get<int>());
  }
  return widths;
}

/// The least number of weights that a net of this shape has.
double weights_of(const NetShape& shape, const OpenRows& rows) {
  double weights = 0.0;
  double width = static_cast<double>(shape.drawn());
  for (const int hidden : shape.hidden) {
    weights += width * hidden;
    width = hidden;
  }
  if (shape.kind == NetKind::dense) return weights + width * rows.inputs();
  const std::size_t doublings = shape.planes.size() - (shape.kind == NetKind::residual ? 1 : 0);
  const auto before = [&](std::size_t side) { return static_cast<double>(((side - 1) >> doublings) + 1); };
  weights += width * before(shape.image.width) * before(shape.image.height) * shape.planes.front();
  for (std::size_t i = 1; i < shape.planes.size(); ++i) {
    weights += 9.0 * shape.planes[i - 1] * shape.planes[i];
  }
  return weights;
}

NetShape read_shape(const ObjectReader& reader, const OpenRows& rows, const ImageShape* image,
                    const ModelArrays& arrays) {
  const std::string kind = reader.text("kind");
  const auto* const found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (found == std::end(kKinds)) damaged_model(arrays.where(), "embeddings are followed by a net");
  NetShape shape{static_cast<int>(in_range(reader, "codes", kMostWidth, arrays.where())),
                 static_cast<int>(reader.whole("signs")), read_widths(reader, "hidden", arrays),
                 static_cast<NetKind>(found - std::begin(kKinds))};
  if (reader.whole("signs") < 0 || reader.whole("signs") > kMostWidth) {
    damaged_model(arrays.where(), "a size is out of range");
  }
  shape.planes = read_widths(reader, "planes", arrays);
  constexpr std::size_t kMostDoublings = 12;
  const bool is_dense = shape.kind == NetKind::dense, is_residual = shape.kind == NetKind::residual;
  const bool fits = is_dense ? shape.planes.empty()
                             : image != nullptr && !shape.planes.empty() && shape.planes.size() <= kMostDoublings &&
                                   shape.hidden.size() == (is_residual ? 0U : 1U);
  if (!fits) damaged_model(arrays.where(), "a net of no sensible shape");
  if (!is_dense) shape.image = *image;
  // All weights must be in the file: before a net of them takes memory.
  if (weights_of(shape, rows) * sizeof(float) > static_cast<double>(arrays.bytes_left())) {
    damaged_model(arrays.where(), "numbers are missing");
  }
  return shape;
}

/// Of rows of two numbers, where there is one.
Thinning read_thinning(const ObjectReader& reader, const OpenRows& rows, ModelArrays& arrays) {
  constexpr std::int64_t kMostSide = 10000;
  if (!reader.has("thinning")) return {};
  const auto side = static_cast<std::size_t>(in_range(reader, "thinning", kMostSide, arrays.where()));
  if (rows.inputs() != 2 || rows.scalars() != 2) damaged_model(arrays.where(), "a grid is of two numbers");
  Thinning thinning{side, arrays.take<float>(static_cast<std::size_t>(rows.parts()) * side * side)};
  const auto is_chance = [](float kept) { return kept >= 0.0F && kept <= 1.0F; };
  if (!std::all_of(thinning.kept.begin(), thinning.kept.end(), is_chance)) {
    damaged_model(arrays.where(), "a chance is out of range");
  }
  return thinning;
}

/// Fields but the label, each once.
std::vector<int> read_picked(const ObjectReader& reader, const OpenRows& rows, const std::string& where) {
  std::vector<int> picked;
  for (const json& field : reader.array("picked")) {
    const bool is_field = field.is_number_integer() && field >= 0 && field < rows.widths().size();
    if (!is_field || field == rows.label() || std::find(picked.begin(), picked.end(), field) != picked.end()) {
      damaged_model(where, "a picked column is none");
    }
    picked.push_back(field.get<int>());
  }
  return picked;
}

}  // namespace

OpenRows open_rows_of(const Codec& codec) {
  std::vector<std::uint32_t> widths;
  for (const Field& field : codec.fields()) {
    widths.push_back(field.kind == Field::Kind::scalar ? 0 : static_cast<std::uint32_t>(field.width));
  }
  return {std::move(widths), codec.target_field()};
}

std::vector<std::uint32_t> row_widths(const ImageSchema& images) {
  std::vector<std::uint32_t> widths(images.shape.values());
  if (!images.classes.empty()) widths.push_back(static_cast<std::uint32_t>(images.classes.size()));
  return widths;
}

OpenRows open_rows_of(const ModelContents& model) {
  if (!model.schema.images) return open_rows_of(Codec(model.schema, model.codec));
  const ImageSchema& images = *model.schema.images;
  if (images.classes.empty()) return {row_widths(images), std::nullopt};
  return {row_widths(images), static_cast<int>(images.shape.values())};
}

ordered_json describe(const Embeddings& embeddings) {
  ordered_json list = ordered_json::array();
  for (const Embedding& known : embeddings.list) {
    const std::size_t parts = known.by_part ? embeddings.counts.size() : 1;
    list.push_back({{"dim", known.sums.size() / parts}, {"sigma", known.sigma}});
    if (!known.by_part) list.back()["by_part"] = false;
  }
  ordered_json described = {{"rows", embeddings.rows}, {"count_sigma", embeddings.count_sigma}, {"list", list}};
  if (!embeddings.picked.empty()) described["picked"] = embeddings.picked;
  return described;
}

ordered_json describe(const NetGenerator& generator) {
  const NetShape& shape = generator.shape();
  ordered_json described = {{"kind", kKinds[static_cast<int>(shape.kind)]},
                            {"codes", shape.codes},
                            {"signs", shape.signs},
                            {"hidden", shape.hidden},
                            {"planes", shape.planes}};
  if (generator.thinning().side > 0) described["thinning"] = generator.thinning().side;
  return described;
}

void put_arrays(const Embeddings& embeddings, std::string& bytes) {
  put_array<double>(bytes, embeddings.counts);
  for (const Embedding& known : embeddings.list) put_array<double>(bytes, known.sums);
}

void put_arrays(const NetGenerator& generator, std::string& bytes) {
  put_array<double>(bytes, generator.shares());
  put_array<float>(bytes, generator.net().parameters());
  put_array<float>(bytes, generator.net().state());
  put_array<float>(bytes, generator.thinning().kept);
}

Embeddings read_embeddings(const json& value, const OpenRows& rows, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "embeddings", {"rows", "count_sigma", "list", "picked"});
  const auto parts = static_cast<std::size_t>(rows.parts());
  Embeddings out;
  out.rows = reader.number("rows");
  if (!(out.rows > 0.0 && out.rows < 0x1p40)) damaged_model(where, "the number of rows is out of range");
  out.count_sigma = noise_in(reader, "count_sigma", where);
  out.counts = arrays.take<double>(parts);
  for (const json& item : reader.array("list")) {
    const ObjectReader known(item, where, "an embedding", {"dim", "sigma", "by_part"});
    const auto dim = static_cast<std::size_t>(in_range(known, "dim", kMostDim, where));
    const double sigma = noise_in(known, "sigma", where);
    const bool by_part = !known.has("by_part");
    if (!by_part && known.at("by_part") != false) damaged_model(where, "sums are of parts, or of all rows");
    out.list.push_back({arrays.take<double>(by_part ? parts * dim : dim), sigma, by_part});
  }
  if (reader.has("picked")) out.picked = read_picked(reader, rows, where);
  return out;
}

std::shared_ptr<const NetGenerator> read_net(const json& value, const OpenRows& rows, const ImageShape* image,
                                             ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "a generator", {"kind", "codes", "signs", "hidden", "planes", "thinning"});
  if (rows.inputs() < 1) damaged_model(where, "there is nothing for a net to make");
  std::vector<double> shares = arrays.take<double>(static_cast<std::size_t>(rows.parts()));
  if (*std::min_element(shares.begin(), shares.end()) < 0.0 ||
      !(std::accumulate(shares.begin(), shares.end(), 0.0) > 0.0)) {
    damaged_model(where, "a share is out of range");
  }
  NetShape shape = read_shape(reader, rows, image, arrays);
  ThreadPool alone(1);
  nn::Net net = NetGenerator::make_net(rows, shape, 0, alone);
  const std::vector<float> parameters = arrays.take<float>(net.parameters().size());
  const std::vector<float> state = arrays.take<float>(net.state().size());
  std::copy(parameters.begin(), parameters.end(), net.parameters().begin());
  std::copy(state.begin(), state.end(), net.state().begin());
  NetGenerator generator(rows, std::move(shape), std::move(shares), std::move(net));
  return std::make_shared<const NetGenerator>(std::move(generator), read_thinning(reader, rows, arrays));
}

}  // namespace sosia
