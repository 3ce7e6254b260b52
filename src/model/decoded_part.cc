// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/contents.h"
#include "model/model_parts.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

int width_in(const ObjectReader& reader, const char* key, std::int64_t least, const std::string& where) {
  const std::int64_t width = reader.whole(key);
  if (width < least || width > kMostWidth) damaged_model(where, "a layer has no sensible width");
  return static_cast<int>(width);
}

/// Before a net is made: its numbers must be in the file, or nearly so.
void check_room(const DecodedShape& shape, std::size_t inputs, const ModelArrays& arrays) {
  const auto drawn = static_cast<std::size_t>(shape.drawn), latent = static_cast<std::size_t>(shape.latent);
  const std::size_t weights = drawn * (drawn + latent) + shape.decoder_parameters(inputs);
  if (weights > arrays.bytes_left() / sizeof(float)) damaged_model(arrays.where(), "numbers are missing");
}

/// Of each class, where rows are made by class.
std::vector<double> take_shares(const DecodedShape& shape, ModelArrays& arrays) {
  std::vector<double> shares = arrays.take<double>(static_cast<std::size_t>(shape.classes));
  double total = 0.0;
  for (const double share : shares) {
    if (!(share >= 0.0)) damaged_model(arrays.where(), "a share is out of range");
    total += share;
  }
  if (!shares.empty() && !(total > 0.0)) damaged_model(arrays.where(), "a share is out of range");
  return shares;
}

/// Where codes are drawn from.
CodeMixture take_codes(int components, const DecodedShape& shape, ModelArrays& arrays) {
  CodeMixture codes{components, {}, {}, {}};
  if (components == 0) return codes;
  if (shape.drawn > 0 || shape.classes == 0) damaged_model(arrays.where(), "its codes are not drawn by class");
  const auto all = static_cast<std::size_t>(components) * static_cast<std::size_t>(shape.classes);
  codes.weights = arrays.take<float>(all);
  codes.means = arrays.take<float>(all * static_cast<std::size_t>(shape.latent));
  codes.spreads = arrays.take<float>(all * static_cast<std::size_t>(shape.latent));
  const auto is_bad = [](float x) { return !(x >= 0.0F); };
  if (std::ranges::any_of(codes.weights, is_bad) || std::ranges::any_of(codes.spreads, is_bad)) {
    damaged_model(arrays.where(), "a mixture of codes is out of range");
  }
  return codes;
}

OpenRows rows_of(const DecodedShape& shape, const Codec& codec) {
  return shape.classes > 0 ? open_rows_of(codec) : unlabelled_rows_of(codec);
}

}  // namespace

OpenRows unlabelled_rows_of(const Codec& codec) { return {open_rows_of(codec).widths(), std::nullopt}; }

ordered_json describe(const DecodedNet& net) {
  return {{"rows", net.rows},           {"drawn", net.shape.drawn},     {"latent", net.shape.latent},
          {"hidden", net.shape.hidden}, {"classes", net.shape.classes}, {"components", net.codes.components}};
}

ordered_json describe(const DecodedGenerator& /*generator*/) { return {{"kind", "decoded"}}; }

void put_arrays(const DecodedNet& net, std::string& bytes) {
  put_array<double>(bytes, net.shares);
  for (const auto* numbers : {&net.codes.weights, &net.codes.means, &net.codes.spreads})
    put_array<float>(bytes, *numbers);
  put_array<float>(bytes, net.parameters);
  put_array<float>(bytes, net.state);
}

void put_arrays(const DecodedGenerator& /*generator*/, std::string& /*bytes*/) {}

DecodedNet read_decoded(const json& value, const Codec& codec, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "a decoded net",
                            {"rows", "drawn", "latent", "hidden", "classes", "components"});
  DecodedNet net;
  net.rows = reader.number("rows");
  if (!(net.rows > 0.0 && net.rows < 0x1p40)) damaged_model(where, "the number of rows is out of range");
  net.shape = {width_in(reader, "drawn", 0, where), width_in(reader, "latent", 1, where),
               width_in(reader, "hidden", 0, where), width_in(reader, "classes", 0, where)};
  const OpenRows rows = rows_of(net.shape, codec);
  if (rows.inputs() < 1) damaged_model(where, "there is nothing for a net to make");
  if (net.shape.classes > 0 && net.shape.classes != rows.parts()) damaged_model(where, "the label has other classes");
  net.shares = take_shares(net.shape, arrays);
  net.codes = take_codes(width_in(reader, "components", 0, where), net.shape, arrays);
  check_room(net.shape, static_cast<std::size_t>(rows.inputs()), arrays);
  ThreadPool alone(1);
  const nn::Net made(net.shape.maker(rows), 0, alone);
  net.parameters = arrays.take<float>(made.parameters().size());
  net.state = arrays.take<float>(made.state().size());
  return net;
}

std::shared_ptr<const DecodedGenerator> read_decoded_generator(const json& value, const DecodedNet& net,
                                                               const Codec& codec, const std::string& where) {
  const ObjectReader reader(value, where, "a generator", {"kind"});
  if (reader.text("kind") != "decoded") damaged_model(where, "a decoded net is followed by its generator");
  return std::make_shared<const DecodedGenerator>(rows_of(net.shape, codec), net);
}

}  // namespace sosia
