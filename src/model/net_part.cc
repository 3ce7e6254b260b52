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

constexpr std::int64_t kMostWidth = 1 << 20, kMostDim = std::int64_t{1} << 31;

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

NetShape read_shape(const ObjectReader& reader, const OpenRows& rows, const ModelArrays& arrays) {
  NetShape shape{static_cast<int>(in_range(reader, "codes", kMostWidth, arrays.where())),
                 static_cast<int>(reader.whole("signs")),
                 {}};
  if (reader.whole("signs") < 0 || reader.whole("signs") > kMostWidth) {
    damaged_model(arrays.where(), "a size is out of range");
  }
  // Every layer has more weights than numbers that it takes in, and all of them must be in the file.
  std::size_t weights = 0;
  std::size_t width = shape.drawn();
  const auto add_layer = [&](std::int64_t next) {
    if (next < 1 || next > kMostWidth) damaged_model(arrays.where(), "a layer has no sensible width");
    weights += width * static_cast<std::size_t>(next);
    width = static_cast<std::size_t>(next);
    if (weights > arrays.bytes_left() / sizeof(float)) damaged_model(arrays.where(), "numbers are missing");
  };
  for (const json& hidden : reader.array("hidden")) {
    if (!hidden.is_number_integer()) damaged_model(arrays.where(), "a layer has no width");
    add_layer(hidden.get<std::int64_t>());
    shape.hidden.push_back(static_cast<int>(width));
  }
  add_layer(rows.inputs());
  return shape;
}

}  // namespace

OpenRows open_rows_of(const Codec& codec) {
  std::vector<std::uint32_t> widths;
  for (const Field& field : codec.fields()) {
    widths.push_back(field.kind == Field::Kind::scalar ? 0 : static_cast<std::uint32_t>(field.width));
  }
  return {std::move(widths), codec.target_field()};
}

ordered_json describe(const Embeddings& embeddings) {
  ordered_json list = ordered_json::array();
  for (const Embedding& known : embeddings.list) {
    list.push_back({{"dim", known.sums.size() / embeddings.counts.size()}, {"sigma", known.sigma}});
  }
  return {{"rows", embeddings.rows}, {"count_sigma", embeddings.count_sigma}, {"list", list}};
}

ordered_json describe(const NetGenerator& generator) {
  return {{"kind", "net"},
          {"codes", generator.shape().codes},
          {"signs", generator.shape().signs},
          {"hidden", generator.shape().hidden}};
}

void put_arrays(const Embeddings& embeddings, std::string& bytes) {
  put_array<double>(bytes, embeddings.counts);
  for (const Embedding& known : embeddings.list) put_array<double>(bytes, known.sums);
}

void put_arrays(const NetGenerator& generator, std::string& bytes) {
  put_array<double>(bytes, generator.shares());
  put_array<float>(bytes, generator.net().parameters());
  put_array<float>(bytes, generator.net().state());
}

Embeddings read_embeddings(const json& value, const Codec& codec, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "embeddings", {"rows", "count_sigma", "list"});
  const auto parts = static_cast<std::size_t>(open_rows_of(codec).parts());
  Embeddings out;
  out.rows = reader.number("rows");
  if (!(out.rows > 0.0 && out.rows < 0x1p40)) damaged_model(where, "the number of rows is out of range");
  out.count_sigma = noise_in(reader, "count_sigma", where);
  out.counts = arrays.take<double>(parts);
  for (const json& item : reader.array("list")) {
    const ObjectReader known(item, where, "an embedding", {"dim", "sigma"});
    const auto dim = static_cast<std::size_t>(in_range(known, "dim", kMostDim, where));
    const double sigma = noise_in(known, "sigma", where);
    out.list.push_back({arrays.take<double>(parts * dim), sigma});
  }
  return out;
}

std::shared_ptr<const NetGenerator> read_net(const json& value, const Codec& codec, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "a generator", {"kind", "codes", "signs", "hidden"});
  if (reader.text("kind") != "net") damaged_model(where, "embeddings are followed by a net");
  const OpenRows rows = open_rows_of(codec);
  if (rows.inputs() < 1) damaged_model(where, "there is nothing for a net to make");
  std::vector<double> shares = arrays.take<double>(static_cast<std::size_t>(rows.parts()));
  if (*std::min_element(shares.begin(), shares.end()) < 0.0 ||
      !(std::accumulate(shares.begin(), shares.end(), 0.0) > 0.0)) {
    damaged_model(where, "a share is out of range");
  }
  NetShape shape = read_shape(reader, rows, arrays);
  ThreadPool alone(1);
  nn::Net net = NetGenerator::make_net(rows, shape, 0, alone);
  const std::vector<float> parameters = arrays.take<float>(net.parameters().size());
  const std::vector<float> state = arrays.take<float>(net.state().size());
  std::copy(parameters.begin(), parameters.end(), net.parameters().begin());
  std::copy(state.begin(), state.end(), net.state().begin());
  return std::make_shared<const NetGenerator>(rows, std::move(shape), std::move(shares), std::move(net));
}

}  // namespace sosia
