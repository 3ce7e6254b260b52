// SPDX-License-Identifier: Apache-2.0
#include "perceptual/feature_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <sosia/error.h>

#include "base/sha256.h"
#include "perceptual/perceptual_test_support.h"
#include "perceptual/safetensors.h"

namespace sosia {
namespace {

using ::testing::HasSubstr;

FeatureFile example() {
  FeatureFile file{.name = "small", .net = small_feature_net(FeatureLayer::Kind::max_pool, 2)};
  file.net.mean = {0.5};
  file.net.deviation = {0.25};
  file.public_data = {{"letters", 26, {"ab12"}}};
  file.training = {{"accuracy", "0.9"}};
  return file;
}

std::string refusal(const std::string& bytes) {
  try {
    parse_features(bytes, "x.features");
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "accepted";
}

/// A file with one array, and what the header says of it.
std::string one_array(const std::string& header, std::size_t numbers) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  return bytes + header + std::string(4 * numbers, '\0');
}

TEST(FeatureFile, ComesBackTheSame) {
  const FeatureFile file = example();
  const std::string bytes = feature_bytes(file);
  const FeatureFile again = parse_features(bytes, "x.features");
  EXPECT_EQ(again.net, file.net);
  EXPECT_EQ(again.name, file.name);
  EXPECT_EQ(again.public_data, file.public_data);
  EXPECT_EQ(again.training, file.training);
  EXPECT_EQ(feature_bytes(again), bytes);
  EXPECT_EQ(again.sha256, sha256_of(bytes));
  EXPECT_THAT(again.provenance(), HasSubstr("\"letters\", 26 images (sha256 ab12)"));
}

TEST(FeatureFile, BlocksComeBackTheSame) {
  const FeatureFile file{.name = "blocks", .net = small_residual_net(2)};
  const std::string bytes = feature_bytes(file);
  EXPECT_EQ(parse_features(bytes, "x").net, file.net);
  const Safetensors arrays = parse_safetensors(bytes, "x");
  const auto with = [&](const std::string& from, const std::string& to) {
    Safetensors changed = arrays;
    std::string& text = changed.metadata["sosia-features"];
    text.replace(text.find(from), from.size(), to);
    return refusal(safetensors_bytes(changed));
  };
  EXPECT_THAT(with(R"("c","stride":2)", R"("c","stride":1)"), HasSubstr("another shape than its convolutions"));
  EXPECT_THAT(with(R"("a","stride":2)", R"("a","stride":3)"), HasSubstr("a stride that does not divide the image"));
  EXPECT_THAT(with(R"([{"convolution":"d"},{"convolution":"e"}])", "[]"), HasSubstr("another shape"));
  EXPECT_THAT(with(R"({"convolution":"d"})", R"({"pool":"max"})"), HasSubstr("pool"));
  EXPECT_THAT(with(R"(,"bypass":{"convolution":"c","stride":2})", ""), HasSubstr("another shape"));
}

TEST(FeatureFile, IgnoresWhatComesAfterTheLastLayerThatIsRead) {
  Safetensors arrays = parse_safetensors(feature_bytes(example()), "x");
  std::string& text = arrays.metadata["sosia-features"];
  text.replace(text.find("}],\"public_data\""), 2, R"(},{"pool":"max","side":2},{"convolution":"head"}])");
  arrays.arrays["classifier.weight"] = {{1, 2}, {1.0F, 2.0F}};
  EXPECT_EQ(parse_features(safetensors_bytes(arrays), "x").net, example().net);
}

TEST(FeatureFile, SaysWhatDoesNotFit) {
  Safetensors arrays = parse_safetensors(feature_bytes(example()), "x");
  const auto with = [&](const std::string& from, const std::string& to) {
    Safetensors changed = arrays;
    std::string& text = changed.metadata["sosia-features"];
    text.replace(text.find(from), from.size(), to);
    return refusal(safetensors_bytes(changed));
  };
  EXPECT_THAT(with("\"second\"", "\"third\""), HasSubstr("the arrays of the convolution \"third\" are missing"));
  EXPECT_THAT(with("\"second\"", "\"first\""), HasSubstr("do not fit"));
  EXPECT_THAT(with("\"side\":2", "\"side\":3"), HasSubstr("squares of a pool that do not fill the image"));
  EXPECT_THAT(with("\"max\"", "\"median\""), HasSubstr("choose one of: max, mean"));
  EXPECT_THAT(with("\"width\":4", "\"width\":0"), HasSubstr("width"));
  EXPECT_THAT(with("[0.25]", "[0]"), HasSubstr("out of range"));
  EXPECT_THAT(with("\"version\":1", "\"version\":2"), HasSubstr("version"));
  EXPECT_THAT(with("{\"version\"", "{\"bias\":1,\"version\""), HasSubstr("bias"));
  Safetensors none = arrays;
  none.metadata.clear();
  EXPECT_THAT(refusal(safetensors_bytes(none)), HasSubstr("does not say what net"));
}

TEST(Safetensors, RefusesWhatIsDamaged) {
  const std::string whole = feature_bytes(example());
  EXPECT_THAT(refusal(""), HasSubstr("too short"));
  EXPECT_THAT(refusal(whole.substr(0, 40)), HasSubstr("the header is longer than the file"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 4)), HasSubstr("does not fit its shape"));
  EXPECT_THAT(refusal(whole + "more"), HasSubstr("more than the header says"));
  EXPECT_THAT(refusal(one_array(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", 1)), HasSubstr("float32"));
  EXPECT_THAT(refusal(one_array(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 2)), HasSubstr("holes"));
  EXPECT_THAT(refusal(one_array(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0)),
              HasSubstr("larger than the file"));
  std::string strange = one_array(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 1);
  strange.back() = '\x7f';
  strange[strange.size() - 2] = '\xc0';
  EXPECT_THAT(refusal(strange), HasSubstr("not finite"));
}

}  // namespace
}  // namespace sosia
