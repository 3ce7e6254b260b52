// SPDX-License-Identifier: Apache-2.0
// What may be published, and what may not, in pages made from a fitted model.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/report.h>
#include <sosia/table.h>

#include "report/guarantee.h"
#include "report/internal_part.h"

namespace sosia {

namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

/// A model of the example, made once for all tests.
const Model& model() {
  static const Model fitted = [] {
    // Tests run beside each other.
    const std::string name = "report_clinic_" + std::to_string(getpid()) + ".csv";
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
    write_example("clinic", file, {.rows = 500, .seed = 1});
    FitOptions how;
    how.method = "independent";
    how.threads = 1;
    how.test_noise = 1;
    Model made = train(release(file, example_schema("clinic"), how), 1, [](const TrainingStep&) { return true; });
    std::filesystem::remove(file);
    return made;
  }();
  return fitted;
}

/// A number that no other part of a page has.
constexpr double kCanary = 0.123456789012345;

Scores scores_of(const std::string& column) {
  const Score score{.synthetic = kCanary, .floor = kCanary, .ceiling = kCanary, .real = kCanary};
  return {.synthetic_rows = 987654321,
          .real_rows = 876543219,
          .metrics = {{.metric = {.name = "probability", .summary = "canary </script><b>"},
                       .score = score,
                       .parts = {{{column, "a state </script>"}, score}}}}};
}

std::string block(const std::string& page, const std::string& id) {
  const std::string begin = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(Report, NoScoreReachesThePublishablePart) {
  const std::string open = publishable_page(model()), closed = internal_page(model(), scores_of("age"));
  EXPECT_EQ(block(open, "internal-data"), "null");
  EXPECT_THAT(open, Not(HasSubstr("0.12345678901")));
  EXPECT_THAT(open, Not(HasSubstr("876543219")));
  // The same model gives the same publishable block, to the byte, whatever the scores.
  EXPECT_EQ(block(open, "publishable-data"), block(closed, "publishable-data"));
  // The search can find what it looks for.
  EXPECT_THAT(block(closed, "internal-data"), HasSubstr("0.12345678901"));
  EXPECT_THAT(block(closed, "internal-data"), HasSubstr("876543219"));
}

TEST(Report, ReproducibleNoiseIsNoGuarantee) { EXPECT_FALSE(has_guarantee(model())); }

TEST(Report, TextsCannotLeaveTheirBlock) {
  const std::string page = internal_page(model(), scores_of("age")), internal = block(page, "internal-data");
  EXPECT_THAT(internal, HasSubstr("\\u003c/script>"));
  EXPECT_EQ(ordered_json::parse(internal)["scores"]["metrics"][0]["says"], "canary </script><b>");
}

TEST(Report, LicencesOfTheChartLibraryAreInEveryPage) {
  for (const std::string& page : {publishable_page(model()), internal_page(model(), scores_of("age"))}) {
    EXPECT_THAT(page, HasSubstr("Copyright 2010-2023 Mike Bostock\n\nPermission to use"));
    EXPECT_THAT(page, HasSubstr("Observable, Inc.\n\nPermission to use"));
  }
}

TEST(Report, RefusesScoresOfAnotherTable) {
  try {
    (void)internal_page(model(), scores_of("income"));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("\"income\""));
  }
}

TEST(Report, RefusesScoresOfAnotherModel) {
  Scores scores = scores_of("age");
  scores.model = fingerprint_of(model());
  EXPECT_EQ(parse_scores(to_json(scores), "test").model, scores.model);
  EXPECT_THAT(internal_page(model(), scores), HasSubstr("Synthetic data report"));
  scores.model[0] = scores.model[0] == '0' ? '1' : '0';
  EXPECT_THROW((void)internal_page(model(), scores), Error);
  scores.model.clear();
  scores.features = "pixels";
  EXPECT_THROW((void)internal_page(model(), scores), Error);  // of images, and the model makes rows
}

TEST(Report, OfManyColumnsTheWorstPairsAreKept) {
  Scores scores{.metrics = {{.metric = {.name = "mutual_information", .summary = "canary"}}}};
  constexpr int kColumns = 60;
  for (int a = 0; a < kColumns; ++a) {
    for (int b = a + 1; b < kColumns; ++b) {
      // The later two columns come, the farther they are from the real ones.
      const Score score{.synthetic = static_cast<double>(a + b), .floor = 0.0, .ceiling = 0.0, .real = 0.0};
      scores.metrics[0].parts.push_back({{std::to_string(a), std::to_string(b)}, score});
    }
  }
  const auto parts = ordered_json::parse(report::InternalPart(scores).json())["scores"]["metrics"][0]["parts"];
  EXPECT_EQ(parts.size(), 40U * 39U / 2U);
  for (const auto& part : parts) EXPECT_GE(std::stoi(part["of"][0].get<std::string>()), kColumns - 40);
}

TEST(Report, SharesOfTheProfileAddUpToAllRows) {
  const auto data = ordered_json::parse(block(publishable_page(model()), "publishable-data"));
  EXPECT_EQ(data["profiles"].size(), 13U);
  for (const auto& profile : data["profiles"]) {
    double sum = profile["missing"];
    for (const double share : profile["shares"]) sum += share;
    EXPECT_NEAR(sum, 1.0, 1e-9) << profile["name"];
  }
}

TEST(ScoresFile, ComesBackTheSame) {
  Scores scores = scores_of("age");
  scores.seed = 18446744073709551615U;
  scores.left_out = {{"transfer", "a holdout"}};
  scores.metrics[0].counted = {{"rows", 3.0}};
  scores.metrics[0].score.floor = std::nan("");
  scores.metrics[0].parts[0].score.real = {};
  const Scores back = parse_scores(to_json(scores), "test");
  EXPECT_EQ(to_json(back), to_json(scores));
  EXPECT_EQ(back.seed, scores.seed);
  EXPECT_EQ(back.real_rows, 876543219);
  EXPECT_EQ(back.metrics[0].score.synthetic, kCanary);
  EXPECT_TRUE(std::isnan(back.metrics[0].score.floor));
  EXPECT_FALSE(back.metrics[0].parts[0].score.real);
}

/// Of a promise without guarantee, with one, and under other spendings.
ordered_json certificate(double epsilon, double delta, const std::string& spending, double selection = 0.0) {
  return {{"guarantee", true},
          {"private", true},
          {"promise", {{"epsilon", epsilon}, {"delta", delta}, {"selection_delta", selection}}},
          {"total", {{"epsilon", epsilon}, {"delta", delta}}},
          {"public", {{"discovered", ordered_json::array()}}},
          {"spending", spending},
          {"events", {{{"mechanism", "gaussian"}, {"noise", 10.0}, {"label", "a"}}}}};
}

TEST(Guarantee, ChanceOfAnAttacker) {
  // (e^1 + 1e-6) / (1 + e^1), and Phi(mu / 2) with mu = 0.2367036 by Balle and Wang's formula, both from SciPy.
  EXPECT_NEAR(report::best_chance(certificate(1.0, 1e-6, "renyi")), 0.7310588475, 1e-9);
  EXPECT_NEAR(report::best_chance(certificate(1.0, 1e-6, "gaussian")), 0.5471048, 1e-6);
  EXPECT_GT(report::best_chance(certificate(1.0, 1e-6, "gaussian", 5e-7)), 0.5 + 5e-7);
  EXPECT_LE(report::best_chance(certificate(50.0, 1e-6, "gaussian")), 1.0);
  ordered_json more = certificate(1.0, 1e-6, "gaussian");
  more["public"]["discovered"] = {{{"own", true}}};
  EXPECT_NEAR(report::best_chance(more), 0.5471048, 1e-6);
  more["public"]["discovered"] = {{{"own", false}}};
  more["total"]["epsilon"] = 3.0;  // two thirds of it for facts that were discovered before
  EXPECT_NEAR(report::best_chance(more), (std::exp(3.0) + 1e-6) / (1.0 + std::exp(3.0)), 1e-9);
  ordered_json none = certificate(1.0, 1e-6, "gaussian");
  none["guarantee"] = false;
  EXPECT_EQ(report::best_chance(none), 1.0);
}

TEST(Guarantee, SharesOfTheBudgetAreOfMuSquared) {
  const ordered_json out = report::explained(certificate(1.0, 1e-6, "gaussian").dump());
  EXPECT_NEAR(out["events"][0]["share"].get<double>(), 0.01 / (0.2367036 * 0.2367036), 1e-5);
  EXPECT_NEAR(out["left"].get<double>() + out["events"][0]["share"].get<double>(), 1.0, 1e-12);
  EXPECT_FALSE(report::explained(certificate(1.0, 1e-6, "renyi").dump()).contains("left"));
  EXPECT_THROW((void)report::explained("{}"), Error);
  EXPECT_THROW((void)report::explained("no JSON"), Error);
}

}  // namespace

}  // namespace sosia
