// SPDX-License-Identifier: Apache-2.0
// A small valid model, and files that were changed by somebody who knows how to make the fingerprint fit again.
#pragma once

#include <sodium.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "data/codec.h"
#include "generate/net_generator.h"
#include "generate/product_mixture.h"
#include "model/contents.h"
#include "model/model_file.h"

namespace sosia {

inline constexpr std::string_view kModelMagic = "sosia-model 2\n";

/// The body with its fingerprint behind it.
inline std::string sealed(std::string body) {
  std::string hash(kModelHashBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(body.data()), body.size(), nullptr, 0);
  return std::move(body) + hash;
}

/// Two columns, a coarser view of the second, three measurements and a mixture of two components.
inline ModelContents small_model() {
  ModelContents model;
  model.method = "pairwise";
  model.settings = {{"components", 2.0}, {"rate", 0.1}};
  model.seed = 18446744073709551615U;
  model.schema.columns = {{.name = "x", .values = {{"a", "b", "\xc3\xa9"}}, .outside = Outside::refuse},
                          {.name = "y", .type = ColumnType::integer, .min = 0.0, .max = 3.0, .missing = true}};
  model.codec = {.bins = 32, .few = 128, .missing_words = {"", "NA"}};
  model.statement = "a statement\nof two lines";
  model.certificate = "{\n  \"guarantee\": false,\n  \"private\": true\n}";
  auto& measured = model.released.emplace<Measurements>();
  measured.rows = 123.25;
  const Codec codec(model.schema, model.codec);
  for (const Field& field : codec.fields()) {
    const auto width = static_cast<std::uint32_t>(field.width);
    measured.views.push_back(View::finest(static_cast<int>(measured.fields++), width));
    measured.spread.emplace_back(width, 0.5F);
  }
  View half = measured.views[1];
  half.width = 2;
  for (std::uint32_t& group : half.group) group = group == 0 ? 0 : 1;
  measured.views.push_back(half);
  std::vector<float> probabilities;
  for (int component = 0; component < 2; ++component) {
    for (std::size_t f = 0; f < measured.fields; ++f) {
      const std::uint32_t width = measured.views[f].width;
      for (std::uint32_t s = 0; s < width; ++s) probabilities.push_back(1.0F / static_cast<float>(width));
    }
  }
  for (const ViewSet& set : {ViewSet{0}, ViewSet{1}, ViewSet{0, 2}}) {
    Measurement known{set, std::vector<double>(cells_of(set, measured.views), 20.5), 1.25};
    if (set.size() == 1) known.cell_sigma.assign(known.counts.size(), 0.75);
    measured.list.push_back(std::move(known));
  }
  model.generator = std::make_shared<const ProductMixture>(measured.views, measured.fields, measured.spread,
                                                           std::move(probabilities), std::vector<ViewSet>{{0, 2}});
  return model;
}

/// The same columns by a net: x is the class, y a number and a state for missing.
inline ModelContents small_net_model() {
  ModelContents model = small_model();
  model.schema.target = "x";
  model.codec.numbers = NumberCoding::scaled;
  model.codec.exact = false;
  model.released = Embeddings{.rows = 99.5,
                              .counts = {50.0, 40.0, 9.5},
                              .count_sigma = 2.5,
                              .list = {{std::vector<double>(12, 1.5), 3.5}, {std::vector<double>(3, -0.5), 0.0}}};
  const OpenRows rows = open_rows_of(Codec(model.schema, model.codec));
  const NetShape shape{2, 1, {3}};
  ThreadPool alone(1);
  model.generator = std::make_shared<const NetGenerator>(rows, shape, std::vector<double>{0.5, 0.25, 0.25},
                                                         NetGenerator::make_net(rows, shape, 7, alone));
  return model;
}

/// Images of 4 x 4 pixels in two classes, by a net of this kind.
inline ModelContents small_image_model(NetKind kind) {
  ModelContents model = small_net_model();
  model.schema = {.columns = {}, .images = ImageSchema{{4, 4, 1}, {"a", "b"}}};
  model.codec = {};
  model.released =
      Embeddings{.rows = 9.5, .counts = {5.0, 4.5}, .count_sigma = 0.5, .list = {{std::vector<double>(6, 1.5), 3.5}}};
  const OpenRows rows = open_rows_of(model);
  const NetShape shape{2,
                       1,
                       kind == NetKind::residual ? std::vector<int>{} : std::vector<int>{3},
                       kind,
                       kind == NetKind::dense ? ImageShape{} : model.schema.images->shape,
                       kind == NetKind::dense ? std::vector<int>{} : std::vector<int>{3, 2}};
  ThreadPool alone(1);
  model.generator = std::make_shared<const NetGenerator>(rows, shape, std::vector<double>{0.5, 0.5},
                                                         NetGenerator::make_net(rows, shape, 7, alone));
  return model;
}

/// The same by a decoder, of 3 normals by default; of codes of a class's mixture where `drawn` is 0. x is a block like
/// others, or rows are made by its classes.
inline ModelContents small_decoded_model(int hidden, int drawn = 3, bool by_class = false) {
  ModelContents model = small_net_model();
  const Codec codec(model.schema, model.codec);
  const OpenRows rows = by_class ? open_rows_of(codec) : unlabelled_rows_of(codec);
  DecodedNet net;
  net.rows = 99.5;
  net.shape = {drawn, 2, hidden, by_class ? 3 : 0};
  if (by_class) net.shares = {0.5, 0.0, 0.5};
  if (by_class && drawn == 0) {
    net.codes = {2, {1.0F, 2.0F, 0.5F, 0.5F, 0.0F, 1.0F}, std::vector<float>(12, 0.25F), std::vector<float>(12, 0.5F)};
  }
  ThreadPool alone(1);
  const nn::Net made(net.shape.maker(rows), 7, alone);
  net.parameters.assign(made.parameters().begin(), made.parameters().end());
  net.state.assign(made.state().begin(), made.state().end());
  model.generator = std::make_shared<const DecodedGenerator>(rows, net);
  model.released = std::move(net);
  return model;
}

}  // namespace sosia
