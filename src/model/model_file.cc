// SPDX-License-Identifier: Apache-2.0
// The grammar of a model file:
//
//   file    = "sosia-model 2\n" LENGTH "\n" header "\n" arrays hash
//   LENGTH  = bytes of the header, in decimal digits
//   hash    = 32 bytes, BLAKE2b of everything before it: damage is found, intent is not proved
//   header  = one JSON object:
//     {"method": name, "settings": [[name, number], ...], "seed": text of digits, "schema": as a schema file,
//      "codec": {"numbers": "bins" | "scaled", "bins": whole, "few": whole, "missing_words": [text, ...]},
//      "statement": text, "certificate": text of a JSON object,
//      counts | sums | decoded, "generator": null | mixture | net | {"kind": "decoded"},
//      "features": bytes of a file of features, absent without one}
//   counts  = "measured": {"rows": number, "label": whole | null, "fields": whole,
//               "views": [{"field": whole, "group": [of each state]}, ...],
//               "list": [{"views": [whole, ...], "cells": whole, "sigma": number, "by_cell": true | false}, ...]}
//   sums    = "embeddings": {"rows": number, "count_sigma": number,
//               "list": [{"dim": whole, "sigma": number, "by_part": false, absent if true}, ...],
//               "picked": [field, ...], absent without picks}
//   decoded = "decoded": {"rows": number, "drawn": whole, "latent": whole, "hidden": whole, "classes": whole,
//               "components": whole}, followed by its own kind
//   mixture = {"kind": "mixture", "components": whole, "kept": [[view, ...], ...]}, after counts
//   net     = {"kind": "net" | "convolutional net" | "residual net", "codes": whole, "signs": whole,
//              "hidden": [whole, ...], "planes": [whole, ...], "thinning": squares across, absent without one},
//              after sums; the last two kinds make images
//   arrays  = of the releases, then of the generator, little-endian:
//     counts: spread (float32, one for each state of each field); then of each measurement its counts and, by cell, its
//             sigmas (float64)
//     sums:   counts of the parts, then of each embedding its sums, dim for each part, or for all (float64)
//     decoded: shares of the classes (float64), of a mixture of codes weights, means and spreads, parameters and
//     running
//             statistics of the net (float32)
//     mixture: probabilities (float32, components times the groups of all fields)
//     net:    shares of the parts (float64), parameters and running statistics, then of each part the chances of the
//             squares that a row in them stays (float32)
//     at the end, the file of features as it was (perceptual/feature_file.h)
//
// All other keys are refused.
#include "model/model_file.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "base/number_text.h"
#include "model/model_parts.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie in memory");

constexpr std::string_view kMagic = "sosia-model 2\n";
constexpr std::size_t kMostHeader = std::size_t{64} << 20;

std::string hash_of(std::string_view bytes) {
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  std::string hash(kModelHashBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

/// Calls visit with what the model's generator really is.
template <class Visit>
void visit_generator(const Generator& generator, const Visit& visit) {
  if (const auto* mixture = dynamic_cast<const ProductMixture*>(&generator)) return visit(*mixture);
  if (const auto* decoded = dynamic_cast<const DecodedGenerator*>(&generator)) return visit(*decoded);
  const auto* net = dynamic_cast<const NetGenerator*>(&generator);
  SOSIA_CHECK(net != nullptr, "a generator that model files know");
  visit(*net);
}

/// In the order of Released.
constexpr const char* kReleasedKeys[] = {"measured", "embeddings", "decoded"};
static_assert(std::size(kReleasedKeys) == std::variant_size_v<Released>);

ordered_json header_of(const ModelContents& m) {
  ordered_json settings = ordered_json::array(), generator = nullptr;
  for (const auto& [name, value] : m.settings) settings.push_back({name, value});
  if (m.generator) visit_generator(*m.generator, [&](const auto& known) { generator = describe(known); });
  ordered_json header = {
      {"method", m.method},
      {"settings", settings},
      {"seed", std::to_string(m.seed)},
      {"schema", ordered_json::parse(to_json(m.schema))},
      {"codec",
       {{"numbers", m.codec.numbers == NumberCoding::bins ? "bins" : "scaled"},
        {"bins", m.codec.bins},
        {"few", m.codec.few},
        {"missing_words", m.codec.missing_words}}},
      {"statement", m.statement},
      {"certificate", m.certificate},
      {kReleasedKeys[m.released.index()], std::visit([](const auto& known) { return describe(known); }, m.released)},
      {"generator", generator}};
  if (!m.features.empty()) header["features"] = m.features.size();
  return header;
}

CodecOptions read_codec(const ObjectReader& reader, const std::string& where) {
  const ObjectReader codec(reader.at("codec"), where, "a codec", {"numbers", "bins", "few", "missing_words"});
  CodecOptions options;
  const std::string numbers = codec.text("numbers");
  if (numbers != "bins" && numbers != "scaled") damaged_model(where, "its codec is unknown");
  options.numbers = numbers == "bins" ? NumberCoding::bins : NumberCoding::scaled;
  options.exact = options.numbers == NumberCoding::bins;
  options.bins = static_cast<int>(std::clamp<std::int64_t>(codec.whole("bins"), 0, 1 << 24));
  options.few = static_cast<int>(std::clamp<std::int64_t>(codec.whole("few"), 0, 1 << 24));
  options.missing_words.clear();
  for (const json& word : codec.array("missing_words")) {
    if (!word.is_string()) damaged_model(where, "a word is no text");
    options.missing_words.push_back(word.get<std::string>());
  }
  return options;
}

void check_statement(const std::string& text, const std::string& where) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!is_clean_text(line)) damaged_model(where, "its statement is no clean text");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

/// Whether a model of images has only what images can be made from.
void check_kind(const ModelContents& m, bool has_embeddings, const std::string& where) {
  if (m.schema.images && !has_embeddings) damaged_model(where, "its schema is one of images, and its releases are not");
}

/// Releases, and the generator if there is one.
void read_parts(const ObjectReader& reader, ModelContents& m, ModelArrays& arrays) {
  const json& generator = reader.at("generator");
  const bool has_embeddings = reader.has("embeddings");
  check_kind(m, has_embeddings, arrays.where());
  if (has_embeddings) {
    const OpenRows rows = open_rows_of(m);
    m.released = read_embeddings(reader.at("embeddings"), rows, arrays);
    const ImageShape* const image = m.schema.images ? &m.schema.images->shape : nullptr;
    if (!generator.is_null()) m.generator = read_net(generator, rows, image, arrays);
    return;
  }
  const Codec rows(m.schema, m.codec);
  if (reader.has("measured")) {
    Measurements measured = read_counts(reader.at("measured"), rows, arrays);
    if (!generator.is_null()) m.generator = read_mixture(generator, measured, arrays);
    m.released = std::move(measured);
  } else {
    DecodedNet net = read_decoded(reader.at("decoded"), rows, arrays);
    if (!generator.is_null()) m.generator = read_decoded_generator(generator, net, rows, arrays.where());
    m.released = std::move(net);
  }
}

ModelContents read_header(const json& document, const std::string& where, ModelArrays& arrays) {
  const auto has = [&](const char* key) { return document.is_object() && document.contains(key); };
  const char* released = has("measured") ? "measured" : has("decoded") ? "decoded" : "embeddings";
  const ObjectReader reader(
      document, where, "a model",
      {"method", "settings", "seed", "schema", "codec", "statement", "certificate", released, "generator", "features"});
  ModelContents m;
  m.method = reader.text("method");
  for (const json& item : reader.array("settings")) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_number()) {
      damaged_model(where, "a setting is no name and number");
    }
    m.settings.emplace_back(item[0].get<std::string>(), item[1].get<double>());
  }
  const std::string seed = reader.text("seed");
  if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != std::string::npos) {
    damaged_model(where, "the seed is no number");
  }
  m.seed = std::strtoull(seed.c_str(), nullptr, 10);
  m.schema = parse_schema(reader.at("schema").dump(), where);
  m.codec = read_codec(reader, where);
  if (!reader.at("statement").is_string()) reader.refuse("statement", "must be a text", "fit again");
  m.statement = reader.at("statement").get<std::string>();
  check_statement(m.statement, where);
  if (!reader.at("certificate").is_string()) reader.refuse("certificate", "must be a text", "fit again");
  m.certificate = reader.at("certificate").get<std::string>();
  if (!parse_json(m.certificate, where).is_object()) damaged_model(where, "its certificate is no object");
  read_parts(reader, m, arrays);
  if (reader.has("features")) {
    const std::int64_t size = reader.whole("features");
    if (size < 1) damaged_model(where, "its features have no size");
    m.features = arrays.take_bytes(static_cast<std::size_t>(size));
  }
  return m;
}

}  // namespace

void damaged_model(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::io, "the model file is damaged: " + what, where, "copy it again, or fit again");
}

std::string model_bytes(const ModelContents& contents) {
  const std::string header = header_of(contents).dump();
  std::string bytes = fmt::format("{}{}\n{}\n", kMagic, header.size(), header);
  std::visit([&](const auto& known) { put_arrays(known, bytes); }, contents.released);
  if (contents.generator) {
    visit_generator(*contents.generator, [&](const auto& known) { put_arrays(known, bytes); });
  }
  bytes += contents.features;
  return bytes + hash_of(bytes);
}

ModelContents parse_model(std::string_view bytes, const std::string& where) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    throw Error(ErrorKind::io, "this is no model file, or one of another version", where,
                "pass a file that `sosia fit` has made");
  }
  if (bytes.size() < kMagic.size() + kModelHashBytes) damaged_model(where, "it is cut short");
  const std::string_view body = bytes.substr(0, bytes.size() - kModelHashBytes);
  if (hash_of(body) != bytes.substr(body.size())) damaged_model(where, "its fingerprint does not fit");
  std::string_view rest = body.substr(kMagic.size());
  const std::size_t line = rest.find('\n');
  const std::optional<std::int64_t> length = whole_from(rest.substr(0, std::min<std::size_t>(line, 20)));
  if (!length || *length < 2 || static_cast<std::size_t>(*length) > kMostHeader)
    damaged_model(where, "it has no header");
  rest.remove_prefix(line + 1);
  const auto size = static_cast<std::size_t>(*length);
  if (rest.size() < size + 1 || rest[size] != '\n') damaged_model(where, "its header is cut short");
  ModelArrays arrays(rest.substr(size + 1), where);
  ModelContents contents = read_header(parse_json(rest.substr(0, size), where), where, arrays);
  arrays.end();
  return contents;
}

}  // namespace sosia
