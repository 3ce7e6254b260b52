// SPDX-License-Identifier: Apache-2.0
// The grammar of a model file:
//
//   file    = "sosia-model 1\n" LENGTH "\n" header "\n" arrays hash
//   LENGTH  = bytes of the header, in decimal digits
//   hash    = 32 bytes, BLAKE2b of everything before it: damage is found, intent is not proved
//   header  = one JSON object:
//     {"method": name, "settings": {name: number, ...}, "seed": text of digits,
//      "schema": as a schema file, "codec": {"bins": whole, "few": whole, "missing_words": [text, ...]},
//      "stored": [[column, Arrow type], ...], "statement": text, "certificate": object,
//      "measured": {"rows": number, "label": whole | null, "fields": whole, "views": [{"field": whole, "group": [of
//      each state]}, ...],
//                   "list": [{"views": [whole, ...], "cells": whole, "sigma": number, "by_cell": true | false}, ...]},
//      "generator": null | {"components": whole, "kept": [[view, ...], ...]}}
//   arrays  = spread (float32, one for each state of each field); then of each measurement its counts and, by cell, its
//             sigmas (float64); then the generator's probabilities (float32, components times the groups of all
//             fields); little-endian
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

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "arrays are stored as they lie in memory");

constexpr std::string_view kMagic = "sosia-model 1\n";
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kMostHeader = std::size_t{64} << 20;
constexpr std::int64_t kMostStates = std::int64_t{1} << 24, kMostComponents = 1000000;

[[noreturn]] void damaged(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::io, "the model file is damaged: " + what, where, "copy it again, or fit again");
}

std::string hash_of(std::string_view bytes) {
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  std::string hash(kHashBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

template <class T>
void put(std::string& bytes, std::span<const T> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

/// Takes numbers off the front; refuses more than there are, and what is not finite.
class ArrayReader {
 public:
  ArrayReader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  template <class T>
  std::vector<T> take(std::size_t count) {
    if (count > bytes_.size() / sizeof(T)) damaged(where_, "numbers are missing");
    std::vector<T> numbers(count);
    const std::string_view part = bytes_.substr(0, count * sizeof(T));
    std::copy(part.begin(), part.end(), reinterpret_cast<char*>(numbers.data()));
    bytes_.remove_prefix(part.size());
    for (const T number : numbers) {
      if (!std::isfinite(number)) damaged(where_, "a number is not finite");
    }
    return numbers;
  }
  void end() const {
    if (!bytes_.empty()) damaged(where_, "there is more than the header says");
  }

 private:
  std::string_view bytes_;
  const std::string& where_;
};

ordered_json header_of(const ModelContents& m) {
  ordered_json settings = ordered_json::object(), stored = ordered_json::array(), list = ordered_json::array();
  for (const auto& [name, value] : m.settings) settings[name] = value;
  for (const StoredColumn& column : m.stored) stored.push_back({column.name, column.type});
  for (const Measurement& known : m.measured.list) {
    list.push_back({{"views", known.views},
                    {"cells", known.counts.size()},
                    {"sigma", known.sigma},
                    {"by_cell", !known.cell_sigma.empty()}});
  }
  ordered_json views = ordered_json::array();
  for (const View& view : m.measured.views) views.push_back({{"field", view.field}, {"group", view.group}});
  ordered_json label = nullptr;
  if (m.measured.label) label = *m.measured.label;
  ordered_json generator = nullptr;
  if (m.generator) generator = {{"components", m.generator->components()}, {"kept", m.generator->kept()}};
  return {
      {"method", m.method},
      {"settings", settings},
      {"seed", std::to_string(m.seed)},
      {"schema", ordered_json::parse(to_json(m.schema))},
      {"codec", {{"bins", m.codec.bins}, {"few", m.codec.few}, {"missing_words", m.codec.missing_words}}},
      {"stored", stored},
      {"statement", m.statement},
      {"certificate", ordered_json::parse(m.certificate)},
      {"measured",
       {{"rows", m.measured.rows}, {"label", label}, {"fields", m.measured.fields}, {"views", views}, {"list", list}}},
      {"generator", generator}};
}

/// Whole numbers of a list, each from 0 to below `limit`.
template <class T>
std::vector<T> wholes(const json& list, std::int64_t limit, const std::string& where) {
  if (!list.is_array()) damaged(where, "a list is expected");
  std::vector<T> numbers;
  for (const json& value : list) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() >= limit) {
      damaged(where, "a whole number is out of range");
    }
    numbers.push_back(static_cast<T>(value.get<std::int64_t>()));
  }
  return numbers;
}

ViewSet view_set(const json& list, const std::vector<View>& views, const std::string& where) {
  ViewSet set = wholes<int>(list, static_cast<std::int64_t>(views.size()), where);
  if (set.empty() || set.size() > 8 ||
      std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) != set.end()) {
    damaged(where, "the views of a marginal are not in order");
  }
  std::vector<int> fields;
  for (const int view : set) fields.push_back(views[static_cast<std::size_t>(view)].field);
  std::sort(fields.begin(), fields.end());
  if (std::adjacent_find(fields.begin(), fields.end()) != fields.end()) damaged(where, "a marginal has a field twice");
  return set;
}

/// The finest view of each field first, then coarser ones that are functions of these.
void read_views(const ObjectReader& measured, const std::string& where, Measurements& out) {
  const json& list = measured.array("views");
  const std::int64_t fields = measured.whole("fields");
  if (fields < 1 || static_cast<std::size_t>(fields) > list.size()) damaged(where, "there are no fields");
  out.fields = static_cast<std::size_t>(fields);
  for (const json& item : list) {
    const ObjectReader reader(item, where, "a view", {"field", "group"});
    View view;
    const std::int64_t field = reader.whole("field");
    const bool is_finest = out.views.size() < out.fields;
    if (field < 0 || field >= fields || (is_finest && field != static_cast<std::int64_t>(out.views.size()))) {
      damaged(where, "the views are not in order");
    }
    view.field = static_cast<int>(field);
    view.group = wholes<std::uint32_t>(reader.array("group"), kMostStates, where);
    if (view.group.empty()) damaged(where, "a field has no states");
    view.width = *std::max_element(view.group.begin(), view.group.end()) + 1;
    if (view.width > view.group.size()) damaged(where, "a field has more groups than states");
    if (!is_finest) {
      const View& finest = out.views[static_cast<std::size_t>(field)];
      if (view.group.size() != finest.group.size() || !is_function_of(finest, view)) {
        damaged(where, "a view splits a group");
      }
    }
    out.views.push_back(std::move(view));
  }
}

std::vector<double> take_sigmas(ArrayReader& arrays, std::size_t count, const std::string& where) {
  std::vector<double> sigmas = arrays.take<double>(count);
  for (const double sigma : sigmas) {
    if (!(sigma >= 0.0)) damaged(where, "noise is out of range");
  }
  return sigmas;
}

Measurements read_measured(const ObjectReader& reader, const std::string& where, ArrayReader& arrays) {
  const ObjectReader measured(reader.at("measured"), where, "what was measured",
                              {"rows", "label", "fields", "views", "list"});
  Measurements out;
  out.rows = measured.number("rows");
  if (!(out.rows > 0.0 && out.rows < 0x1p40)) damaged(where, "the number of rows is out of range");
  read_views(measured, where, out);
  if (!measured.at("label").is_null()) {
    const std::int64_t label = measured.whole("label");
    if (label < 0 || label >= static_cast<std::int64_t>(out.fields)) damaged(where, "the label is no field");
    out.label = static_cast<int>(label);
  }
  for (std::size_t f = 0; f < out.fields; ++f) {
    out.spread.push_back(arrays.take<float>(out.views[f].group.size()));
    for (const float share : out.spread.back()) {
      if (!(share >= 0.0F)) damaged(where, "a share is out of range");
    }
  }
  for (const json& item : measured.array("list")) {
    const ObjectReader known(item, where, "a measurement", {"views", "cells", "sigma", "by_cell"});
    Measurement next;
    next.views = view_set(known.array("views"), out.views, where);
    const std::size_t cells = cells_of(next.views, out.views);
    if (known.whole("cells") != static_cast<std::int64_t>(cells)) damaged(where, "a marginal has another size");
    next.sigma = known.number("sigma");
    if (!(next.sigma >= 0.0 && std::isfinite(next.sigma))) damaged(where, "noise is out of range");
    next.counts = arrays.take<double>(cells);
    const json& by_cell = known.at("by_cell");
    if (!by_cell.is_boolean()) damaged(where, "a flag is expected");
    if (by_cell.get<bool>()) next.cell_sigma = take_sigmas(arrays, cells, where);
    out.list.push_back(std::move(next));
  }
  return out;
}

std::shared_ptr<const ProductMixture> read_generator(const json& value, const Measurements& measured,
                                                     const std::string& where, ArrayReader& arrays) {
  if (value.is_null()) return nullptr;
  const ObjectReader reader(value, where, "a generator", {"components", "kept"});
  const std::int64_t components = reader.whole("components");
  if (components < 1 || components > kMostComponents) damaged(where, "the number of components is out of range");
  std::vector<ViewSet> kept;
  for (const json& set : reader.array("kept")) {
    kept.push_back(view_set(set, measured.views, where));
    const bool is_measured = std::any_of(measured.list.begin(), measured.list.end(),
                                         [&](const Measurement& known) { return known.views == kept.back(); });
    if (!is_measured) damaged(where, "a marginal is followed that was not measured");
  }
  std::size_t width = 0;
  for (std::size_t f = 0; f < measured.fields; ++f) width += measured.views[f].width;
  std::vector<float> p = arrays.take<float>(static_cast<std::size_t>(components) * width);
  for (const float number : p) {
    if (!(number >= 0.0F && number <= 1.0F)) damaged(where, "a probability is out of range");
  }
  return std::make_shared<const ProductMixture>(measured.views, measured.fields, measured.spread, std::move(p),
                                                std::move(kept));
}

/// The rows of the generator must be rows of the codec.
void check_codec(const ModelContents& m, const std::string& where) {
  const Codec codec(m.schema, m.codec, m.stored);
  const auto fields = codec.fields();
  bool fits = fields.size() == m.measured.fields;
  for (std::size_t f = 0; fits && f < fields.size(); ++f) {
    fits = fields[f].kind == Field::Kind::code &&
           static_cast<std::size_t>(fields[f].width) == m.measured.views[f].group.size();
  }
  if (!fits) damaged(where, "its schema and its measurements differ");
}

void check_statement(const std::string& text, const std::string& where) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!is_clean_text(line)) damaged(where, "its statement is no clean text");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

ModelContents read_header(const json& document, const std::string& where, ArrayReader& arrays) {
  const ObjectReader reader(
      document, where, "a model",
      {"method", "settings", "seed", "schema", "codec", "stored", "statement", "certificate", "measured", "generator"});
  ModelContents m;
  m.method = reader.text("method");
  if (!reader.at("settings").is_object()) reader.refuse("settings", "must be an object", "fit again");
  for (const auto& item : reader.at("settings").items()) {
    if (!item.value().is_number()) reader.refuse("settings", "must hold numbers", "fit again");
    m.settings.emplace_back(item.key(), item.value().get<double>());
  }
  const std::string seed = reader.text("seed");
  if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != std::string::npos) {
    damaged(where, "the seed is no number");
  }
  m.seed = std::strtoull(seed.c_str(), nullptr, 10);
  m.schema = parse_schema(reader.at("schema").dump(), where);
  const ObjectReader codec(reader.at("codec"), where, "a codec", {"bins", "few", "missing_words"});
  m.codec.bins = static_cast<int>(std::clamp<std::int64_t>(codec.whole("bins"), 0, 1 << 24));
  m.codec.few = static_cast<int>(std::clamp<std::int64_t>(codec.whole("few"), 0, 1 << 24));
  m.codec.missing_words.clear();
  for (const json& word : codec.array("missing_words")) {
    if (!word.is_string()) damaged(where, "a word is no text");
    m.codec.missing_words.push_back(word.get<std::string>());
  }
  for (const json& column : reader.array("stored")) {
    if (!column.is_array() || column.size() != 2 || !column[0].is_string() || !column[1].is_string()) {
      damaged(where, "a stored column is no pair of texts");
    }
    m.stored.push_back({column[0].get<std::string>(), column[1].get<std::string>()});
  }
  if (!reader.at("statement").is_string()) reader.refuse("statement", "must be a text", "fit again");
  m.statement = reader.at("statement").get<std::string>();
  check_statement(m.statement, where);
  m.certificate = reader.at("certificate").dump(2);
  m.measured = read_measured(reader, where, arrays);
  m.generator = read_generator(reader.at("generator"), m.measured, where, arrays);
  check_codec(m, where);
  return m;
}

}  // namespace

std::string model_bytes(const ModelContents& contents) {
  const std::string header = header_of(contents).dump();
  std::string bytes = fmt::format("{}{}\n{}\n", kMagic, header.size(), header);
  for (const auto& shares : contents.measured.spread) put<float>(bytes, shares);
  for (const Measurement& known : contents.measured.list) {
    put<double>(bytes, known.counts);
    put<double>(bytes, known.cell_sigma);
  }
  if (contents.generator) put<float>(bytes, contents.generator->probabilities());
  return bytes + hash_of(bytes);
}

ModelContents parse_model(std::string_view bytes, const std::string& where) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    throw Error(ErrorKind::io, "this is no model file, or one of another version", where,
                "pass a file that `sosia fit` has made");
  }
  if (bytes.size() < kMagic.size() + kHashBytes) damaged(where, "it is cut short");
  const std::string_view body = bytes.substr(0, bytes.size() - kHashBytes);
  if (hash_of(body) != bytes.substr(body.size())) damaged(where, "its fingerprint does not fit");
  std::string_view rest = body.substr(kMagic.size());
  const std::size_t line = rest.find('\n');
  const std::optional<std::int64_t> length = whole_from(rest.substr(0, std::min<std::size_t>(line, 20)));
  if (!length || *length < 2 || static_cast<std::size_t>(*length) > kMostHeader) damaged(where, "it has no header");
  rest.remove_prefix(line + 1);
  const auto size = static_cast<std::size_t>(*length);
  if (rest.size() < size + 1 || rest[size] != '\n') damaged(where, "its header is cut short");
  ArrayReader arrays(rest.substr(size + 1), where);
  ModelContents contents = read_header(parse_json(rest.substr(0, size), where), where, arrays);
  arrays.end();
  return contents;
}

}  // namespace sosia
