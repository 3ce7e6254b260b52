// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/contents.h"
#include "model/model_parts.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMostWidth = 1 << 20;

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

}  // namespace

OpenRows unlabelled_rows_of(const Codec& codec) { return {open_rows_of(codec).widths(), std::nullopt}; }

ordered_json describe(const DecodedNet& net) {
  return {{"rows", net.rows}, {"drawn", net.shape.drawn}, {"latent", net.shape.latent}, {"hidden", net.shape.hidden}};
}

ordered_json describe(const DecodedGenerator& /*generator*/) { return {{"kind", "decoded"}}; }

void put_arrays(const DecodedNet& net, std::string& bytes) {
  put_array<float>(bytes, net.parameters);
  put_array<float>(bytes, net.state);
}

void put_arrays(const DecodedGenerator& /*generator*/, std::string& /*bytes*/) {}

DecodedNet read_decoded(const json& value, const Codec& codec, ModelArrays& arrays) {
  const std::string& where = arrays.where();
  const ObjectReader reader(value, where, "a decoded net", {"rows", "drawn", "latent", "hidden"});
  DecodedNet net;
  net.rows = reader.number("rows");
  if (!(net.rows > 0.0 && net.rows < 0x1p40)) damaged_model(where, "the number of rows is out of range");
  net.shape = {width_in(reader, "drawn", 1, where), width_in(reader, "latent", 1, where),
               width_in(reader, "hidden", 0, where)};
  const OpenRows rows = unlabelled_rows_of(codec);
  if (rows.inputs() < 1) damaged_model(where, "there is nothing for a net to make");
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
  return std::make_shared<const DecodedGenerator>(unlabelled_rows_of(codec), net);
}

}  // namespace sosia
