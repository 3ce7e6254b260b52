// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "model/model_file.h"
#include "model/model_file_test_support.h"

namespace sosia {
namespace {

using nlohmann::json;

std::string body_of(const ModelContents& model) {
  std::string bytes = model_bytes(model);
  bytes.resize(bytes.size() - kModelHashBytes);
  return bytes;
}

/// The file with another value at a place of its header.
std::string with(const ModelContents& model, const std::string& place, const json& value) {
  const std::string body = body_of(model);
  const std::size_t line = body.find('\n', kModelMagic.size());
  const std::size_t length = std::stoull(body.substr(kModelMagic.size(), line - kModelMagic.size()));
  json header = json::parse(body.substr(line + 1, length));
  header[json::json_pointer(place)] = value;
  const std::string text = header.dump();
  return sealed(std::string(kModelMagic) + std::to_string(text.size()) + "\n" + text + body.substr(line + 1 + length));
}

std::vector<float> rows_of(const ModelContents& model, std::size_t count) {
  const std::size_t width = model.generator->widths().size();
  std::vector<float> rows(count * width);
  model.generator->sample(5, 3, {}, {rows.data(), count, width});
  return rows;
}

TEST(NetModel, ComesBackToTheByteAndMakesTheSameRows) {
  const ModelContents model = small_net_model();
  const std::string bytes = model_bytes(model);
  const ModelContents back = parse_model(bytes, "test");
  EXPECT_EQ(model_bytes(back), bytes);
  EXPECT_EQ(rows_of(back, 50), rows_of(model, 50));
  const auto& embeddings = std::get<Embeddings>(back.released);
  EXPECT_EQ(embeddings.counts, std::get<Embeddings>(model.released).counts);
  EXPECT_EQ(embeddings.list[1].sums, std::get<Embeddings>(model.released).list[1].sums);
  EXPECT_EQ(back.codec.numbers, NumberCoding::scaled);
}

/// With picks, sums of the other columns are of all rows together.
ModelContents picked_model() {
  ModelContents model = small_net_model();
  auto& embeddings = std::get<Embeddings>(model.released);
  embeddings.list[1] = {{0.25, -0.5}, 1.5, false};
  embeddings.picked = {1};
  return model;
}

TEST(NetModel, KeepsWhatWasPicked) {
  const std::string bytes = model_bytes(picked_model());
  const ModelContents back = parse_model(bytes, "test");
  EXPECT_EQ(model_bytes(back), bytes);
  const auto& embeddings = std::get<Embeddings>(back.released);
  EXPECT_EQ(embeddings.picked, std::vector<int>{1});
  EXPECT_FALSE(embeddings.list[1].by_part);
  EXPECT_EQ(embeddings.list[1].sums, (std::vector<double>{0.25, -0.5}));
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/embeddings/picked", R"([[0], [-1], [1, 1], [99], [1.5], ["x"], "x", [9223372036854775807], null])"},
      {"/embeddings/list/0/by_part", "[false, 0]"},
      {"/embeddings/list/1/by_part", R"([true, 0, null, "x"])"}};
  for (const auto& [place, values] : changes) {
    for (const json& value : json::parse(values)) {
      EXPECT_THROW(parse_model(with(picked_model(), place, value), "test"), Error) << place << " = " << value;
    }
  }
}

TEST(NetModel, KeepsAFileOfFeatures) {
  ModelContents model = small_net_model();
  model.features = std::string("any\0bytes", 9);
  const std::string bytes = model_bytes(model);
  const ModelContents back = parse_model(bytes, "test");
  EXPECT_EQ(back.features, model.features);
  EXPECT_EQ(model_bytes(back), bytes);
  for (const json& size : json::parse(R"([0, -1, 8, 10, 9223372036854775807, 1.5, "x", null])")) {
    EXPECT_THROW(parse_model(with(model, "/features", size), "test"), Error) << size;
  }
}

/// Two numbers, of which rows in one of four squares are made anew.
ModelContents thinned_model(std::vector<float> kept) {
  ModelContents model = small_net_model();
  model.schema.target = {};
  model.schema.columns[0] = {.name = "x", .type = ColumnType::real, .min = 0.0, .max = 1.0};
  model.schema.columns[1].missing = false;
  model.released = Embeddings{.rows = 9.5, .counts = {9.5}, .list = {{std::vector<double>(4, 1.5), 3.5}}};
  const OpenRows rows = open_rows_of(model);
  const NetShape shape{2, 1, {3}};
  ThreadPool alone(1);
  NetGenerator net(rows, shape, {1.0}, NetGenerator::make_net(rows, shape, 7, alone));
  model.generator = std::make_shared<const NetGenerator>(std::move(net), Thinning{2, std::move(kept)});
  return model;
}

TEST(NetModel, KeepsWhichRowsAreMadeAnew) {
  const ModelContents model = thinned_model({1.0F, 0.0F, 0.25F, 1.0F});
  const std::string bytes = model_bytes(model);
  const ModelContents back = parse_model(bytes, "test");
  EXPECT_EQ(model_bytes(back), bytes);
  EXPECT_EQ(rows_of(back, 50), rows_of(model, 50));
  EXPECT_NE(rows_of(back, 50), rows_of(thinned_model({1.0F, 1.0F, 1.0F, 1.0F}), 50));
  for (const json& side : json::parse(R"([0, -1, 1, 3, 10001, 9223372036854775807, 1.5, "x", null])")) {
    EXPECT_THROW(parse_model(with(model, "/generator/thinning", side), "test"), Error) << side;
  }
  EXPECT_THROW(parse_model(with(small_net_model(), "/generator/thinning", 2), "test"), Error);
  EXPECT_THROW(parse_model(model_bytes(thinned_model({1.0F, 0.0F, 1.5F, 1.0F})), "test"), Error);
  EXPECT_THROW(parse_model(model_bytes(thinned_model({1.0F, 0.0F, -0.5F, 1.0F})), "test"), Error);
}

TEST(NetModel, HostileHeadersAreRefused) {
  const ModelContents model = small_net_model();
  EXPECT_EQ(model_bytes(parse_model(with(model, "/codec/bins", 32), "test")), model_bytes(model));
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/embeddings/rows", R"([0, -1, 1e300, "x", null])"},
      {"/embeddings/count_sigma", R"([-1, "x", null])"},
      {"/embeddings/list", R"([1, [1], [{}], [], [{"dim": 4, "sigma": 3.5}]])"},
      {"/embeddings/list/0/dim", R"([0, -1, 5, 9223372036854775807, 1.5, 2147483647])"},
      {"/embeddings/list/0/sigma", R"([-1, "x"])"},
      {"/generator/kind", R"(["mixture", 1])"},
      {"/generator/codes", R"([0, -1, 1, 3, 1048577, 9223372036854775807])"},
      {"/generator/signs", R"([-1, 0, 2, 1048577, 9223372036854775807, "x"])"},
      {"/generator/hidden", R"([[], [0], [-1], [4], [3, 3], [1048576, 1048576], [2147483648], ["x"], "x"])"},
      {"/codec/numbers", R"(["bins"])"},
      {"/schema/target", R"(["y"])"}};
  for (const auto& [place, values] : changes) {
    for (const json& value : json::parse(values)) {
      EXPECT_THROW(parse_model(with(model, place, value), "test"), Error) << place << " = " << value;
    }
  }
}

TEST(ImageModel, ComesBackToTheByteAndMakesTheSameRows) {
  for (const NetKind kind : {NetKind::dense, NetKind::convolutional, NetKind::residual}) {
    const ModelContents model = small_image_model(kind);
    const ModelContents back = parse_model(model_bytes(model), "test");
    EXPECT_EQ(model_bytes(back), model_bytes(model));
    EXPECT_EQ(rows_of(back, 50), rows_of(model, 50));
  }
}

TEST(ImageModel, HostileHeadersAreRefused) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/generator/kind", R"(["net", "residual net", "mixture"])"},
      {"/generator/hidden", R"([[], [3, 3], [1048576], [0]])"},
      {"/generator/planes", R"([[], [3], [0, 2], [1048576, 1048576], [3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "x"])"},
      {"/schema/width", R"([9, 4096])"},
      {"/schema/channels", R"([3])"},
      {"/schema/classes", R"([["a"], ["a", "b", "c"]])"}};
  const ModelContents model = small_image_model(NetKind::convolutional);
  for (const auto& [place, values] : changes) {
    for (const json& value : json::parse(values)) {
      EXPECT_THROW(parse_model(with(model, place, value), "test"), Error) << place << " = " << value;
    }
  }
  // A table's model does not become one of images by its schema, nor the other way round.
  const json images = json::parse(to_json(model.schema)), table = json::parse(to_json(small_net_model().schema));
  EXPECT_THROW(parse_model(with(small_net_model(), "/schema", images), "test"), Error);
  EXPECT_THROW(parse_model(with(small_decoded_model(0), "/schema", images), "test"), Error);
  EXPECT_THROW(parse_model(with(model, "/schema", table), "test"), Error);
}

TEST(DecodedModel, ComesBackToTheByteAndMakesTheSameRows) {
  for (const int hidden : {0, 4}) {
    for (const auto& [drawn, by_class] : {std::pair(3, false), {0, false}, {3, true}, {0, true}}) {
      const ModelContents model = small_decoded_model(hidden, drawn, by_class);
      const std::string bytes = model_bytes(model);
      const ModelContents back = parse_model(bytes, "test");
      EXPECT_EQ(model_bytes(back), bytes);
      EXPECT_EQ(rows_of(back, 50), rows_of(model, 50));
      EXPECT_EQ(std::get<DecodedNet>(back.released).shape.hidden, hidden);
      EXPECT_EQ(sosia::rows_of(back.released), 99.5);
    }
  }
}

// Rows of a class are made as such; a class without a share has none.
TEST(DecodedModel, MakesRowsByClass) {
  const ModelContents model = small_decoded_model(4, 0, true);
  const std::size_t width = model.generator->widths().size();
  std::vector<float> rows(300 * width);
  const auto count = [&](const Condition& condition, float state) {
    model.generator->sample(5, 3, condition, {rows.data(), 300, width});
    int found = 0;
    for (std::size_t r = 0; r < 300; ++r) found += rows[r * width] == state ? 1 : 0;
    return found;
  };
  EXPECT_EQ(count({{0, 2}}, 2.0F), 300);
  EXPECT_NEAR(count({}, 0.0F), 150, 60);  // 7 sigmas of a fair coin: 2e-12, and the seed is fixed
  EXPECT_EQ(count({}, 1.0F), 0);
  EXPECT_THROW(count({{0, 1}}, 1.0F), Error);
}

TEST(DecodedModel, ConditionsAreMet) {
  const ModelContents model = small_decoded_model(4);
  const std::size_t width = model.generator->widths().size();
  std::vector<float> rows(300 * width);
  model.generator->sample(5, 3, {{0, 1}}, {rows.data(), 300, width});
  for (std::size_t r = 0; r < 300; ++r) EXPECT_EQ(rows[r * width], 1.0F);
}

TEST(DecodedModel, HostileHeadersAreRefused) {
  const ModelContents model = small_decoded_model(4);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/decoded/rows", R"([0, -1, 1e300, "x", null])"},
      {"/decoded/drawn", R"([0, -1, 2, 4, 1048577, 9223372036854775807, 1.5])"},
      {"/decoded/latent", R"([0, -1, 1, 3, 1048577, 9223372036854775807, "x"])"},
      {"/decoded/hidden", R"([-1, 0, 5, 1048577, 9223372036854775807, null])"},
      {"/decoded/classes", R"([-1, 1, 3, 1048577, 9223372036854775807, "x"])"},
      {"/decoded/components", R"([-1, 1, 1048577, 9223372036854775807, "x"])"},
      {"/generator/kind", R"(["net", "mixture", 1])"},
      {"/codec/numbers", R"(["bins"])"}};
  for (const auto& [place, values] : changes) {
    for (const json& value : json::parse(values)) {
      EXPECT_THROW(parse_model(with(model, place, value), "test"), Error) << place << " = " << value;
    }
  }
}

class ResealedDamageTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Nets, ResealedDamageTest, testing::Range(0, 3));

TEST_P(ResealedDamageTest, NeverCrashes) {
  const std::string body = body_of(GetParam() == 0   ? small_net_model()
                                   : GetParam() == 1 ? small_decoded_model(4)
                                                     : small_decoded_model(4, 0, true));
  int refused = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (const int bit : {0, 4, 7}) {
      std::string changed = body;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try {
        const ModelContents model = parse_model(sealed(changed), "test");
        if (model.generator) rows_of(model, 7);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(body.size()));
}

}  // namespace
}  // namespace sosia
