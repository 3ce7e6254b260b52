// SPDX-License-Identifier: Apache-2.0
// A fit that starts from a model of public rows.
#include "methods/public_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "base/durable_file.h"
#include "base/sha256.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "perceptual/feature_file.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// Numbers that are spread otherwise in the public table than in the private one.
class PublicModelTest : public testing::Test {
 protected:
  const fs::path folder = fs::temp_directory_path() / ("sosia_public_model_" + std::to_string(::getpid()));
  const fs::path open = folder / "open.csv", closed = folder / "closed.csv", model = folder / "open.sosia";
  const Schema schema{.columns = {{.name = "x", .values = {{"a", "b"}}},
                                  {.name = "y", .type = ColumnType::real, .min = 0.0, .max = 1.0},
                                  {.name = "note", .type = ColumnType::text}}};

  void SetUp() override {
    fs::create_directories(folder);
    std::ofstream first(open), second(closed);
    first << "x,y,note\n";
    second << "x,y,note\n";
    for (int i = 0; i < 400; ++i) {
      first << (i % 3 == 0 ? "a," : "b,") << 0.0001 * i << ",n\n";
      second << (i % 2 == 0 ? "a," : "b,") << 1.0 - 0.0001 * i << ",n\n";
    }
    first.close();
    second.close();
    fitted(open, {.epsilon = std::numeric_limits<double>::infinity(), .delta = {}, .settings = quick(true)})
        .save(model);
  }
  void TearDown() override { fs::remove_all(folder); }

  /// All rows in each step: sampled ones take seconds to be priced.
  static std::vector<std::pair<std::string, std::string>> quick(bool has_coder) {
    std::vector<std::pair<std::string, std::string>> list = {
        {"critic_batch", "1e9"}, {"critic_steps", "3"}, {"turns", "1"}};
    if (has_coder) list.insert(list.end(), {{"auto_batch", "1e9"}, {"auto_steps", "3"}, {"hidden", "8"}});
    return list;
  }
  Model fitted(const fs::path& table, FitOptions options) const {
    options.method = "dp-auto-gan";
    options.threads = 1;
    return train(release(table, schema, options), 1, [](const TrainingStep&) { return true; });
  }
  FitOptions beside(double epsilon = 1.0) const {
    return {.epsilon = epsilon,
            .delta = {},
            .method = "dp-auto-gan",
            .settings = quick(false),
            .test_noise = 5,
            .threads = 1,
            .public_model = model};
  }
  static std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  }
};

// No quantiles and no auto-encoder: the number of rows and the critic, which together keep the promise and use it up.
TEST_F(PublicModelTest, AllOfTheBudgetIsTheCritics) {
  const FitPlan plan = plan_fit(closed, schema, beside());
  ASSERT_EQ(plan.releases.size(), 2U);
  const json certificate = json::parse(fitted(closed, beside()).certificate());
  ASSERT_EQ(certificate["events"].size(), 2U);
  Plan again;
  for (std::size_t i = 0; i < 2; ++i) {
    const json& event = certificate["events"][i];
    EXPECT_EQ(event["noise"].get<double>(), plan.releases[i].noise);
    again.events.push_back({Gaussian{event["noise"]}, event["count"], event["label"]});
  }
  EXPECT_EQ(again.events[0].label, "rows");
  EXPECT_EQ(again.events[1].label, "steps of the critic");
  EXPECT_LE(account(again, certificate["promise"]["delta"]).epsilon, 1.0);
  EXPECT_GT(account(again, certificate["promise"]["delta"]).epsilon, 0.99);
  FitOptions alone = beside();
  alone.public_model.clear();
  alone.settings = quick(true);
  EXPECT_GT(plan_fit(closed, schema, alone).releases.back().noise, plan.releases.back().noise);
}

TEST_F(PublicModelTest, CodingAndDecoderAreTheModels) {
  const Model made = fitted(closed, beside()), from = Model::load(model);
  const ModelContents &own = made.contents(), &other = from.contents();
  EXPECT_FALSE(other.schema.columns[1].edges.empty());
  EXPECT_EQ(own.schema.columns[1].edges, other.schema.columns[1].edges);
  const auto &net = std::get<DecodedNet>(own.released), &open_net = std::get<DecodedNet>(other.released);
  EXPECT_EQ(net.shape.hidden, open_net.shape.hidden);
  const std::size_t decoder = net.shape.decoder_parameters(3 + 1);  // a, b, any other value; y
  ASSERT_LT(decoder, net.parameters.size());
  EXPECT_TRUE(std::equal(net.parameters.end() - static_cast<std::ptrdiff_t>(decoder), net.parameters.end(),
                         open_net.parameters.end() - static_cast<std::ptrdiff_t>(decoder)));
  EXPECT_NE(net.parameters, open_net.parameters);
}

TEST_F(PublicModelTest, TheCertificateNamesTheFileAndTheModelNeedsItNoMore) {
  const std::string hash = sha256_of(read_text_file(model));
  const Model made = fitted(closed, beside());
  EXPECT_THAT(made.statement(), HasSubstr("the model \"open.sosia\" (sha256 " + hash +
                                          "), fitted to rows declared to be others, without a guarantee of its own"));
  EXPECT_THAT(json::parse(made.certificate())["public"]["declared"].dump(), HasSubstr(hash));
  fs::remove(model);
  made.save(folder / "made.sosia");
  const Model back = train(Model::load(folder / "made.sosia"), 1, [](const TrainingStep&) { return true; });
  EXPECT_EQ(model_bytes(back.contents()), model_bytes(made.contents()));
  EXPECT_EQ(back.sample(folder / "made.csv", {.rows = 20}), 20);
}

TEST_F(PublicModelTest, AModelWithAPromiseOfItsOwnSaysSo) {
  fs::remove(model);
  fitted(open, {.epsilon = 3.0, .delta = 1e-5, .settings = quick(true)}).save(model);
  EXPECT_THAT(fitted(closed, beside()).statement(),
              HasSubstr("fitted to rows declared to be others, under epsilon 3, delta 1e-05"));
}

TEST_F(PublicModelTest, ItsPromiseIsTheOneOfAllOfIt) {
  fs::remove(model);
  Schema found = schema;
  found.purchases = {{.promise = {.epsilon = 2.0, .delta = 1e-5}}};
  const FitOptions options{
      .epsilon = 3.0, .delta = 1e-5, .method = "dp-auto-gan", .settings = quick(true), .threads = 1};
  train(release(open, found, options), 1, [](const TrainingStep&) { return true; }).save(model);
  EXPECT_THAT(fitted(closed, beside()).statement(), HasSubstr("under epsilon 5, delta 2e-05"));
}

TEST_F(PublicModelTest, RefusesOtherColumnsAndNamesTheFirst) {
  const auto refused = [&](const std::function<void(Schema&)>& change) {
    Schema changed = schema;
    change(changed);
    return error_of([&] { plan_fit(closed, changed, beside()); });
  };
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].max = 2.0; }), HasSubstr("column \"y\": bounds"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].missing = true; }), HasSubstr("column \"y\": missing"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].atoms = {0.0}; }), HasSubstr("column \"y\": atoms"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].decimals = 2; }), HasSubstr("column \"y\": decimals"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].edges = {0.5}; }), HasSubstr("column \"y\": edges"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[1].type = ColumnType::integer; }), HasSubstr("column \"y\": type"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[0].values = {{"b", "a"}}; }), HasSubstr("column \"x\": values"));
  EXPECT_THAT(refused([](Schema& s) { s.columns[0].outside = Outside::refuse; }), HasSubstr("column \"x\": outside"));
  EXPECT_THAT(refused([](Schema& s) { std::swap(s.columns[0], s.columns[1]); }),
              HasSubstr("column \"y\": not in this"));
  EXPECT_THAT(refused([](Schema& s) { s.columns.erase(s.columns.begin() + 1); }), HasSubstr("column \"y\": only in"));
  // What no row is coded by may differ.
  EXPECT_EQ(refused([](Schema& s) { s.columns.pop_back(); }), "not refused");
  EXPECT_EQ(refused([](Schema& s) { s.columns[1].outside = Outside::refuse; }), "not refused");
}

TEST_F(PublicModelTest, RefusesWhatHasNoEffect) {
  for (const char* name : {"quantiles", "stretches", "preset", "latent", "hidden", "auto_share", "auto_steps"}) {
    FitOptions options = beside();
    options.settings.emplace_back(name, name == std::string("auto_steps") ? "10" : "0.5");
    EXPECT_THROW(plan_fit(closed, schema, options), Error) << name;
  }
  FitOptions other = beside();
  other.method = "dp-wgan";
  other.settings.clear();
  EXPECT_THAT(error_of([&] { plan_fit(closed, schema, other); }), HasSubstr("no use for a public model"));
}

TEST_F(PublicModelTest, RefusesModelsOfOtherMethodsAndOtherFiles) {
  FitOptions options{.epsilon = 1.0, .delta = {}, .method = "independent", .threads = 1};
  release(closed, schema, options).save(folder / "independent.sosia");
  options = beside();
  options.public_model = folder / "independent.sosia";
  EXPECT_THAT(error_of([&] { plan_fit(closed, schema, options); }), HasSubstr("one by \"independent\""));
  options.public_model = closed;
  EXPECT_THAT(error_of([&] { plan_fit(closed, schema, options); }), HasSubstr("no model file"));
  // A file that calls itself one of the method and codes its numbers in bins.
  ModelContents claims = Model::load(model).contents();
  claims.codec.numbers = NumberCoding::bins;
  claims.method = "dp-auto-gan";
  EXPECT_THROW(parse_model(model_bytes(claims), "claims"), Error) << "a net of other rows";
}

}  // namespace
}  // namespace sosia
