// SPDX-License-Identifier: Apache-2.0
#include "perceptual/feature_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/check.h"
#include "base/durable_file.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "perceptual/safetensors.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kKey = "sosia-features";
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostLayers = 1000, kMostParameters = std::size_t{1} << 26;

[[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& fix) {
  throw Error(ErrorKind::data, what, where, fix);
}

std::size_t size_in(const ObjectReader& reader, const char* key) {
  const std::int64_t size = reader.whole(key);
  if (size < 1 || size > (1 << 24)) reader.refuse(key, "is out of range", "pass a whole number from 1 on");
  return static_cast<std::size_t>(size);
}

std::vector<double> numbers_in(const ObjectReader& reader, const char* key) {
  std::vector<double> numbers;
  if (!reader.has(key)) return numbers;
  for (const json& number : reader.array(key)) {
    if (!number.is_number()) reader.refuse(key, "holds what is no number", "pass a number for each channel");
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

bool flag_in(const ObjectReader& reader, const char* key) {
  if (!reader.has(key)) return false;
  if (!reader.at(key).is_boolean()) reader.refuse(key, "is neither true nor false", "pass true or false");
  return reader.at(key).get<bool>();
}

/// The arrays of a convolution, after those of the layers before it.
void add_convolution(const Safetensors& file, FeatureLayer& layer, std::size_t planes, FeatureNet& net,
                     const std::string& where) {
  const auto weight = file.arrays.find(layer.name + ".weight"), bias = file.arrays.find(layer.name + ".bias");
  if (weight == file.arrays.end() || bias == file.arrays.end()) {
    refuse(where, "the arrays of the convolution " + shown(layer.name) + " are missing",
           "name it as its arrays are named: NAME.weight and NAME.bias");
  }
  const std::vector<std::size_t>& shape = weight->second.shape;
  if (shape.size() != 4 || shape[0] == 0 || shape[1] != planes || shape[2] != shape[3] ||
      bias->second.numbers.size() != shape[0]) {
    refuse(where, "the arrays of the convolution " + shown(layer.name) + " do not fit",
           "weights are channels x planes x side x side, biases one for each channel");
  }
  layer.channels = shape[0];
  layer.side = shape[2];
  // Layers may name the same arrays: what a small file asks for is bounded here.
  if (net.parameters.size() + weight->second.numbers.size() > kMostParameters) {
    refuse(where, "the feature net has too many numbers", "describe a smaller one");
  }
  for (const TensorArray* array : {&weight->second, &bias->second}) {
    net.parameters.insert(net.parameters.end(), array->numbers.begin(), array->numbers.end());
  }
}

FeatureLayer convolution_in(const ObjectReader& reader) {
  FeatureLayer layer{.name = reader.text("convolution")};
  if (reader.has("stride")) layer.stride = size_in(reader, "stride");
  return layer;
}

FeatureLayer convolution_in(const json& value, const std::string& where) {
  return convolution_in(ObjectReader(value, where, "a convolution of a block", {"convolution", "stride"}));
}

FeatureLayer read_layer(const json& value, const std::string& where) {
  const ObjectReader reader(value, where, "a layer",
                            {"convolution", "stride", "pool", "side", "residual", "bypass", "read"});
  FeatureLayer layer;
  if (reader.has("convolution")) {
    layer = convolution_in(reader);
  } else if (reader.has("residual")) {
    layer.kind = FeatureLayer::Kind::residual;
    for (const json& part : reader.array("residual")) layer.inside.push_back(convolution_in(part, where));
    if (reader.has("bypass")) layer.bypass.push_back(convolution_in(reader.at("bypass"), where));
  } else {
    const std::string how = reader.text("pool");
    if (how != "max" && how != "mean") reader.refuse("pool", "is of no known kind", "choose one of: max, mean");
    layer.kind = how == "max" ? FeatureLayer::Kind::max_pool : FeatureLayer::Kind::mean_pool;
    layer.side = size_in(reader, "side");
  }
  layer.is_read = flag_in(reader, "read");
  return layer;
}

std::vector<FeatureLayer> read_layers(const json& list, const std::string& where) {
  std::vector<FeatureLayer> layers;
  std::size_t count = 0;
  for (const json& value : list) {
    layers.push_back(read_layer(value, where));
    count += 1 + layers.back().inside.size();
    if (count > kMostLayers) refuse(where, "the feature net has too many layers", "describe a net of at most 1000");
  }
  while (!layers.empty() && !layers.back().is_read) layers.pop_back();
  return layers;
}

std::vector<PublicData> read_public_data(const json& list, const std::string& where) {
  std::vector<PublicData> all;
  for (const json& value : list) {
    const ObjectReader reader(value, where, "public data", {"name", "images", "sha256"});
    PublicData data{reader.text("name"), reader.whole("images"), {}};
    for (const json& hash : reader.array("sha256")) {
      if (!hash.is_string()) reader.refuse("sha256", "holds what is no text", "pass the hash of each file");
      data.sha256.push_back(hash.get<std::string>());
      check_text(data.sha256.back(), where, true);
    }
    check_text(data.name, where, true);
    all.push_back(std::move(data));
  }
  return all;
}

/// The net's own arrays, by name.
std::map<std::string, TensorArray> arrays_of(const FeatureNet& net) {
  SOSIA_CHECK(net.parameters.size() == parameter_count(net, "feature net"), "a net with all of its numbers");
  std::map<std::string, TensorArray> arrays;
  auto next = net.parameters.begin();
  for (const Filters& filters : convolutions_of(net)) {
    const FeatureLayer& layer = *filters.layer;
    const auto put = [&](const char* what, std::vector<std::size_t> shape, std::size_t count) {
      const auto end = next + static_cast<std::ptrdiff_t>(count);
      arrays[layer.name + what] = {std::move(shape), {next, end}};
      next = end;
    };
    put(".weight", {layer.channels, filters.planes, layer.side, layer.side}, filters.count());
    put(".bias", {layer.channels}, layer.channels);
  }
  return arrays;
}

ordered_json describe_convolution(const FeatureLayer& layer) {
  ordered_json out = {{"convolution", layer.name}};
  if (layer.stride > 1) out["stride"] = layer.stride;
  return out;
}

ordered_json describe(const FeatureLayer& layer) {
  ordered_json out;
  if (layer.kind == FeatureLayer::Kind::convolution) {
    out = describe_convolution(layer);
  } else if (layer.kind == FeatureLayer::Kind::residual) {
    out["residual"] = ordered_json::array();
    for (const FeatureLayer& part : layer.inside) out["residual"].push_back(describe_convolution(part));
    if (!layer.bypass.empty()) out["bypass"] = describe_convolution(layer.bypass.front());
  } else {
    out["pool"] = layer.kind == FeatureLayer::Kind::max_pool ? "max" : "mean";
    out["side"] = layer.side;
  }
  out["read"] = layer.is_read;
  return out;
}

}  // namespace

std::string FeatureFile::provenance() const {
  std::string text = fmt::format("the feature net {} (sha256 {}) and all that it was trained on", shown(name), sha256);
  for (std::size_t i = 0; i < public_data.size(); ++i) {
    const PublicData& data = public_data[i];
    text += fmt::format("{} {}, {} images (sha256 {})", i == 0 ? ":" : ",", shown(data.name), data.images,
                        fmt::join(data.sha256, ", "));
  }
  return text;
}

FeatureFile parse_features(std::string_view bytes, const std::string& where) {
  const Safetensors arrays = parse_safetensors(bytes, where);
  const auto described = arrays.metadata.find(kKey);
  if (described == arrays.metadata.end()) {
    refuse(where, "the file does not say what net its arrays are",
           "add the metadata that docs/methods/dp_mepf.md shows");
  }
  const json value = parse_json(described->second, where);
  const ObjectReader reader(
      value, where, "a feature net",
      {"version", "name", "width", "height", "channels", "mean", "deviation", "layers", "public_data", "training"});
  if (reader.whole("version") != kVersion) reader.refuse("version", "is of another time", "pass 1");
  FeatureFile file{.name = reader.text("name"), .net = {}};
  check_text(file.name, where, true);
  FeatureNet& net = file.net;
  net.shape = {size_in(reader, "width"), size_in(reader, "height"), size_in(reader, "channels")};
  net.mean = numbers_in(reader, "mean");
  net.deviation = numbers_in(reader, "deviation");
  net.layers = read_layers(reader.array("layers"), where);
  std::size_t planes = net.shape.channels;
  const auto add = [&](FeatureLayer& convolution, std::size_t taken) {
    add_convolution(arrays, convolution, taken, net, where);
    return convolution.channels;
  };
  for (FeatureLayer& layer : net.layers) {  // in the order of convolutions_of, which needs the channels
    const std::size_t given = planes;
    if (layer.kind == FeatureLayer::Kind::convolution) planes = add(layer, planes);
    for (FeatureLayer& convolution : layer.inside) planes = add(convolution, planes);
    for (FeatureLayer& convolution : layer.bypass) add(convolution, given);
  }
  parameter_count(net, where);  // refuses what does not fit together
  feature_count(net, where);
  if (reader.has("public_data")) file.public_data = read_public_data(reader.array("public_data"), where);
  if (reader.has("training")) {
    if (!reader.at("training").is_object()) reader.refuse("training", "is no object", "pass names and values");
    for (const auto& [key, item] : reader.at("training").items()) {
      file.training.emplace_back(key, item.is_string() ? item.get<std::string>() : item.dump());
      check_text(key, where, true);
      check_text(file.training.back().second, where, true);
    }
  }
  file.sha256 = sha256_of(bytes);
  return file;
}

FeatureFile read_features(const std::filesystem::path& path) {
  return parse_features(read_text_file(path), path.string());
}

std::string feature_bytes(const FeatureFile& file) {
  const FeatureNet& net = file.net;
  ordered_json value = {{"version", kVersion},
                        {"name", file.name},
                        {"width", net.shape.width},
                        {"height", net.shape.height},
                        {"channels", net.shape.channels}};
  if (!net.mean.empty()) value["mean"] = net.mean;
  if (!net.deviation.empty()) value["deviation"] = net.deviation;
  value["layers"] = ordered_json::array();
  for (const FeatureLayer& layer : net.layers) value["layers"].push_back(describe(layer));
  value["public_data"] = ordered_json::array();
  for (const PublicData& data : file.public_data) {
    value["public_data"].push_back({{"name", data.name}, {"images", data.images}, {"sha256", data.sha256}});
  }
  value["training"] = ordered_json::object();
  for (const auto& [key, text] : file.training) value["training"][key] = text;
  return safetensors_bytes({{{kKey, value.dump()}}, arrays_of(net)});
}

}  // namespace sosia
