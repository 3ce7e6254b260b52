// SPDX-License-Identifier: Apache-2.0
#include <sosia/fit.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/table.h>

#include "methods/method.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "privacy/accounting/gaussian.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Every test runs for every method: what holds for one must hold for the next.
class FitTest : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("sosia_fit_" + std::to_string(::getpid()));
    fs::create_directories(folder());
    write_example("clinic", folder() / "clinic.csv", {.rows = 600});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static fs::path clinic() { return folder() / "clinic.csv"; }
  static fs::path file(const std::string& text) {
    const fs::path path = folder() / "table.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// Quick: few components, few steps; a few more where something is to be learned.
  FitOptions options(double epsilon = 1.0, bool learns = false) const {
    FitOptions options{.epsilon = epsilon, .delta = {}, .method = GetParam(), .test_noise = 5, .threads = 2};
    if (GetParam() == "pairwise") options.settings = {{"components", "40"}, {"steps", "15"}};
    if (GetParam() == "dp-hp") options.settings = {{"length_scale", "0.5"}, {"steps", "15"}, {"batch", "50"}};
    if (GetParam() == "dp-merf") options.settings = {{"features", "60"}, {"steps", "15"}, {"batch", "50"}};
    // All rows in each step: sampled ones take seconds to be priced (dp_auto_gan_test.cc has these).
    const auto add = [&](std::initializer_list<std::pair<std::string, std::string>> more) {
      options.settings.insert(options.settings.end(), more);
    };
    const std::string steps = learns ? "60" : "3";
    const bool is_gan = find_method(GetParam()).info.summary.find("GAN") != std::string::npos;
    if (find_method(GetParam()).private_training) add({{"hidden", "8"}, {"latent", "4"}});
    if (GetParam() == "dp-auto-gan") {
      add({{"critic_batch", "1e9"}, {"critic_steps", steps}, {"critic_rate", "0.05"}});
    } else if (is_gan) {
      add({{"batch", "1e9"}, {"steps", steps}, {"rate", "0.05"}});
    }
    if (is_gan) add({{"turns", "1"}});
    if (GetParam() == "dp-vae") add({{"batch", "1e9"}, {"steps", steps}, {"rate", "0.1"}});
    if (GetParam() == "dp-merf-ae") add({{"features", "60"}, {"steps", "30"}, {"batch", "50"}, {"rate", "0.05"}});
    if (GetParam() == "dp-syn") add({{"rounds", "2"}, {"components", "2"}});
    for (const MethodOption& option : find_method(GetParam()).info.options) {
      if (option.name == "auto_steps") add({{"auto_batch", "1e9"}, {"auto_steps", steps}, {"auto_rate", "0.1"}});
    }
    return options;
  }
  static Model trained(const Model& released, int threads = 2) {
    return train(released, threads, [](const TrainingStep&) { return true; });
  }
  static std::vector<std::string> sampled(const Model& model, const SampleOptions& how) {
    const fs::path path = folder() / "sample.csv";
    fs::remove(path);
    model.sample(path, how);
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    fs::remove(path);
    return lines;
  }
  /// Fits, trains and samples; returns the lines of a table of 50 rows.
  std::vector<std::string> whole_way(const fs::path& data, const Schema& schema) const {
    const Model model = trained(release(data, schema, options()));
    const std::vector<std::string> lines = sampled(model, {.rows = 50});
    EXPECT_EQ(lines.size(), 51U);
    return lines;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, FitTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& method : methods()) {
                             if (method.takes_tables) names.push_back(method.name);
                           }
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Priced afresh from the events in the certificate, by the tightest accountant.
TEST_P(FitTest, OneColumn) {
  const Schema schema{.columns = {{.name = "x", .values = {{"a", "b"}}}}};
  std::string text = "x\n";
  for (int i = 0; i < 300; ++i) text += i % 3 == 0 ? "a\n" : "b\n";
  EXPECT_EQ(whole_way(file(text), schema).front(), "x");
}

/// An exponential event as the Gaussian one that dominates it (docs/methods/accounting.md, section 2.3).
Mechanism mechanism_of(const json& event) {
  if (event.at("mechanism") == "exponential") {
    return Gaussian{1.0 / accounting::gaussian_mu_of_range(event.at("epsilon"))};
  }
  if (event.at("mechanism") == "gaussian") return Gaussian{event.at("noise")};
  return SampledGaussian{event.at("rate"), event.at("noise")};
}

TEST_P(FitTest, SpendsNoMoreThanPromised) {
  for (const double epsilon : {0.05, 1.0, 20.0}) {
    const Model model = release(clinic(), example_schema("clinic"), options(epsilon));
    const json certificate = json::parse(model.certificate());
    EXPECT_EQ(certificate["promise"]["epsilon"], epsilon);
    EXPECT_LE(certificate["spent_epsilon"], epsilon);
    Plan plan{neighbors_from(certificate["promise"]["relation"].get<std::string>()), {}};
    for (const json& event : certificate["events"]) {
      plan.events.push_back({mechanism_of(event), event["count"], event["label"]});
    }
    ASSERT_FALSE(plan.events.empty());
    EXPECT_LE(account(plan, certificate["promise"]["delta"]).epsilon, epsilon);
    EXPECT_FALSE(certificate["guarantee"]) << "noise for tests";
  }
}

/// The same with the ledger at hand: everything that the method asks for goes through it, and it can pay.
TEST_P(FitTest, LedgerHoldsEveryEvent) {
  const Method& method = find_method(GetParam());
  if (method.private_training) GTEST_SKIP() << "its ledger is opened for its plan";
  PublicRng rng(1);
  std::vector<float> rows;
  for (int i = 0; i < 900; ++i) rows.push_back(static_cast<float>(rng.next_u32() % 4));
  const PrivateTable table(rows_in_memory(rows, 3));
  const Settings settings(method.info, std::vector<std::pair<std::string, std::string>>{});
  for (const auto& [relation, has_target] :
       {std::pair(Neighbors::add_remove, true), std::pair(Neighbors::zero_out, false),
        std::pair(Neighbors::replace, true), std::pair(Neighbors::replace, false)}) {
    Outline outline;
    outline.widths = {4, 4, 4};
    outline.ordered = {4, 0, 0};
    outline.far_ends.resize(3);
    outline.spare = {0, 0, 1};
    if (has_target) outline.target = 2;
    if (relation != Neighbors::add_remove) outline.rows = 300.0;
    Ledger ledger = Ledger::for_tests({.epsilon = 0.7, .delta = 1e-6, .relation = relation}, 3);
    ThreadPool threads(1);
    const std::vector<PlannedRelease> planned = method.plan(outline, settings, ledger);
    EXPECT_TRUE(ledger.events().empty()) << "a plan spends nothing";
    const Released released = method.release(table, outline, settings, ledger, threads);
    EXPECT_LE(ledger.spent_epsilon(), 0.7);
    EXPECT_GT(ledger.spent_epsilon(), 0.6);  // and leaves little unused
    EXPECT_LE(ledger.events().size(), planned.size());
    // Every event was planned, in this order. A plan does not know the number of rows under add-remove: what there turn
    // out to be too few rows for is left out.
    std::size_t next = 0;
    for (const auto& event : ledger.events()) {
      const double noise = std::get<Gaussian>(event.mechanism).noise;
      while (next < planned.size() && std::abs(noise - planned[next].noise) > 0.2 * planned[next].noise) ++next;
      EXPECT_LT(next, planned.size()) << "noise " << noise;
      ++next;
    }
    EXPECT_TRUE(relation == Neighbors::add_remove || next == planned.size());
    EXPECT_GT(rows_of(released), 0.0);
  }
}

/// A training on the rows asks for what its plan says, for all of it and for nothing else.
TEST_P(FitTest, APrivateTrainingIsItsPlan) {
  if (!find_method(GetParam()).private_training) GTEST_SKIP() << "its releases may depend on each other";
  const FitPlan plan = plan_fit(clinic(), example_schema("clinic"), options());
  const json events = json::parse(release(clinic(), example_schema("clinic"), options()).certificate())["events"];
  ASSERT_EQ(events.size(), plan.releases.size());
  for (std::size_t i = 0; i < plan.releases.size(); ++i) {
    const int count = events[i]["count"];
    const std::string label = events[i]["label"];
    EXPECT_EQ(plan.releases[i].what, count > 1 ? std::to_string(count) + " " + label : label);
    EXPECT_EQ(plan.releases[i].noise, events[i]["noise"].get<double>());
    EXPECT_GT(plan.releases[i].cells, 0);
  }
}

TEST_P(FitTest, RefusesABudgetThatIsNone) {
  for (const double epsilon : {0.0, -1.0, -kInfinite, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(plan_fit(clinic(), example_schema("clinic"), options(epsilon)), Error) << epsilon;
    EXPECT_THROW(release(clinic(), example_schema("clinic"), options(epsilon)), Error) << epsilon;
  }
  for (const double delta : {0.0, 1.0, -1e-6, std::numeric_limits<double>::quiet_NaN()}) {
    FitOptions bad = options();
    bad.delta = delta;
    EXPECT_THROW(plan_fit(clinic(), example_schema("clinic"), bad), Error) << delta;
    EXPECT_THROW(release(clinic(), example_schema("clinic"), bad), Error) << delta;
  }
}

TEST_P(FitTest, RepeatsToTheByteForAnyNumberOfThreads) {
  const auto fitted = [&](int threads, std::uint64_t noise) {
    FitOptions how = options();
    how.threads = threads;
    how.test_noise = noise;
    return model_bytes(trained(release(clinic(), example_schema("clinic"), how), threads).contents());
  };
  const std::string one = fitted(1, 5);
  EXPECT_TRUE(fitted(2, 5) == one);
  EXPECT_FALSE(fitted(1, 6) == one);
}

TEST_P(FitTest, TrainingDependsOnTheReleasesAlone) {
  const Model released = release(clinic(), example_schema("clinic"), options());
  EXPECT_FALSE(released.is_trained());
  EXPECT_THROW(sampled(released, {.rows = 1}), Error);
  const Model once = trained(released);
  EXPECT_TRUE(once.is_trained());
  EXPECT_EQ(model_bytes(trained(once).contents()), model_bytes(once.contents()));
  EXPECT_EQ(once.certificate(), released.certificate());
}

TEST_P(FitTest, EndsWhenItIsTold) {
  const Model released = release(clinic(), example_schema("clinic"), options());
  int calls = 0;
  const Model model = train(released, 1, [&](const TrainingStep& step) {
    EXPECT_EQ(step.step, ++calls);
    return false;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(sampled(model, {.rows = 20}).size(), 21U);
}

/// An infinite epsilon is the only way to a model without noise, and everything made from it says so.
TEST_P(FitTest, WithoutNoiseNothingIsCalledPrivate) {
  const Model model = trained(release(clinic(), example_schema("clinic"), options(kInfinite)));
  EXPECT_THAT(model.statement(), StartsWith("NOT PRIVATE"));
  const json certificate = json::parse(model.certificate());
  EXPECT_FALSE(certificate["private"]);
  EXPECT_FALSE(certificate["guarantee"]);
  const fs::path path = folder() / "model.sosia";
  model.save(path);
  EXPECT_THAT(Model::load(path).statement(), StartsWith("NOT PRIVATE"));
  EXPECT_FALSE(json::parse(Model::load(path).certificate())["private"]);
  fs::remove(path);
  std::visit(
      [](const auto& released) {
        if constexpr (requires { released.list; }) {
          for (const auto& known : released.list) EXPECT_EQ(known.sigma, 0.0);
        }
      },
      model.contents().released);
}

TEST_P(FitTest, WithNoiseFromTheSystemThereIsAGuarantee) {
  FitOptions how = options();
  how.test_noise = {};
  const Model a = release(clinic(), example_schema("clinic"), how),
              b = release(clinic(), example_schema("clinic"), how);
  EXPECT_TRUE(json::parse(a.certificate())["guarantee"]);
  EXPECT_THAT(a.statement(), Not(HasSubstr("NO GUARANTEE")));
  EXPECT_NE(model_bytes(a.contents()), model_bytes(b.contents())) << "noise must not repeat";
}

TEST_P(FitTest, RefusesSettingsOutOfRange) {
  const auto refused = [&](const std::string& name, const std::string& value) {
    FitOptions how = options();
    how.settings = {{name, value}};
    EXPECT_THROW(plan_fit(clinic(), example_schema("clinic"), how), Error) << name << "=" << value;
    EXPECT_THROW(release(clinic(), example_schema("clinic"), how), Error) << name << "=" << value;
  };
  refused("no_such_option", "1");
  for (const MethodOption& option : find_method(GetParam()).info.options) {
    for (const char* value : {"", "x", "nan", "inf", "-inf", "1e999", "-1", "1 "}) refused(option.name, value);
    refused(option.name, std::to_string(option.most * 1.01 + 1.0));
    if (option.is_whole) refused(option.name, "1.5");
    EXPECT_TRUE(option.standard >= option.least && option.standard <= option.most);
  }
}

TEST_P(FitTest, RefusesWhatTheSchemaLeavesOpen) {
  const auto refused = [&](const Schema& schema) {
    for (const bool plan : {true, false}) {
      try {
        plan ? static_cast<void>(plan_fit(clinic(), schema, options()))
             : static_cast<void>(release(clinic(), schema, options()));
        ADD_FAILURE() << "not refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::schema);
      }
    }
  };
  Schema values = example_schema("clinic"), bounds = values, missing = values;
  for (Column& column : values.columns) {
    if (column.name == "ward") column.values = {};
  }
  for (Column& column : bounds.columns) {
    if (column.name == "age") column.max = {};
  }
  missing.columns[1].missing_is_open = true;
  refused(values);
  refused(bounds);
  refused(missing);
  for (const double share : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    FitOptions how = options();
    how.discovery = share;
    EXPECT_THROW(plan_fit(clinic(), example_schema("clinic"), how), Error);
  }
}

TEST_P(FitTest, RefusesAFileThatIsNotThereBeforeSpending) {
  EXPECT_THROW(plan_fit(folder() / "none.csv", example_schema("clinic"), options()), Error);
  EXPECT_THROW(release(folder() / "none.csv", example_schema("clinic"), options()), Error);
  EXPECT_THROW(release(file("age\n3\n"), example_schema("clinic"), options()), Error);
}

TEST_P(FitTest, OneRowAndNone) {
  const Schema schema{.columns = {{.name = "x", .values = {{"a", "b"}}},
                                  {.name = "y", .type = ColumnType::integer, .min = 0.0, .max = 1000.0}}};
  whole_way(file("x,y\na,7\n"), schema);
  whole_way(file("x,y\n"), schema);
}

TEST_P(FitTest, AColumnThatIsMissingThroughout) {
  const Schema schema{.columns = {{.name = "x", .values = {{"a", "b"}}},
                                  {.name = "y", .type = ColumnType::real, .min = 0.0, .max = 1.0, .missing = true}}};
  std::string text = "x,y\n";
  for (int i = 0; i < 400; ++i) text += i % 2 == 0 ? "a,\n" : "b,NA\n";
  const Model model = trained(release(file(text), schema, options(kInfinite, true)));
  const std::vector<std::string> lines = sampled(model, {.rows = 50});
  const auto missing = std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.ends_with(","); });
  // A mixture knows it for sure, a net after so few steps nearly.
  EXPECT_GE(missing, std::holds_alternative<Measurements>(model.contents().released) ? 50 : 40);
  whole_way(file(text), schema);
}

TEST_P(FitTest, AColumnOfOneValue) {
  const Schema schema{.columns = {{.name = "x", .values = {{"a"}}, .outside = Outside::refuse},
                                  {.name = "y", .type = ColumnType::integer, .min = 3.0, .max = 3.0}}};
  whole_way(file("x,y\na,3\na,3\n"), schema);
}

TEST_P(FitTest, ATargetOfManyClasses) {
  Schema schema{.columns = {{.name = "x", .type = ColumnType::integer, .min = 0.0, .max = 9.0},
                            {.name = "y", .values = std::vector<std::string>{}}},
                .target = "y"};
  std::string text = "x,y\n";
  for (int i = 0; i < 300; ++i) {
    schema.columns[1].values->push_back("class" + std::to_string(i));
    text += std::to_string(i % 10) + ",class" + std::to_string(i * 7 % 300) + "\n";
  }
  whole_way(file(text), schema);
}

TEST(FindMethod, ListsTheNames) {
  try {
    find_method("nothing");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pairwise, independent"));
  }
}

}  // namespace
}  // namespace sosia
