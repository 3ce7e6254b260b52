// SPDX-License-Identifier: Apache-2.0
#include <sosia/verify.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include <sosia/accounting.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/plan_file.h>

#include "base/durable_file.h"
#include "model/model_file_test_support.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    model_.save(folder_ / "model.sosia");
    write_schema(model_.schema(), folder_ / "schema.json");
    write("synthetic.csv", "x,y\na,1\n");
    write_certificate_of(model_, folder_, {"model.sosia", "schema.json", "synthetic.csv"});
  }
  ~VerifyTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// Changes one key of the certificate.
  void lie(const std::string& key, const json& value) const {
    json certificate = json::parse(read_text_file(folder_ / kCertificateName));
    certificate[key] = value;
    write(kCertificateName, certificate.dump());
  }
  /// What does not agree.
  std::vector<std::string> differing(const fs::path& ledger = {}) const {
    std::vector<std::string> names;
    for (const VerifiedFact& fact : verify(folder_, ledger).facts) {
      if (!fact.problem.empty()) names.push_back(fact.what);
    }
    return names;
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("sosia_verify_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  Model model_{std::make_shared<ModelContents>(small_model())};
};

TEST_F(VerifyTest, WhatWasMadeTogetherAgrees) {
  EXPECT_THAT(differing(), IsEmpty());
  const Verification verification = verify(folder_ / kCertificateName);
  EXPECT_TRUE(verification.agrees());
  EXPECT_EQ(verification.statement, model_.statement());
  EXPECT_THAT(verification.not_covered, IsEmpty());
}

TEST_F(VerifyTest, ChangedMissingAndOtherFilesAreSeen) {
  write("synthetic.csv", "x,y\na,2\n");
  write("more.csv", "x,y\n");
  EXPECT_THAT(differing(), ElementsAre("synthetic.csv"));
  EXPECT_THAT(verify(folder_).not_covered, ElementsAre("more.csv"));
  fs::remove(folder_ / "synthetic.csv");
  EXPECT_THAT(differing(), ElementsAre("synthetic.csv"));
  fs::remove(folder_ / "model.sosia");
  EXPECT_THAT(differing(), ElementsAre("model.sosia", "synthetic.csv", "the model"));
}

TEST_F(VerifyTest, NamesOfOthersAreOneLineOfCleanText) {
  write("x\nagrees   all", "");
  write("y\xff", "");
  EXPECT_THAT(verify(folder_).not_covered, ElementsAre(R"("x\nagrees   all")", R"("y\ufffd")"));
}

TEST_F(VerifyTest, AnotherGuaranteeMethodOrOptionIsSeen) {
  lie("guarantee", true);  // the model says false
  EXPECT_THAT(differing(), ElementsAre("the guarantee"));
  lie("guarantee", false);
  EXPECT_THAT(differing(), IsEmpty());
  lie("method", "independent");
  EXPECT_THAT(differing(), ElementsAre("method and options"));
}

TEST_F(VerifyTest, TheLedgerMustHaveTheEntry) {
  const fs::path path = folder_.string() + ".ledger";
  fs::remove(path);
  LedgerFile ledger = LedgerFile::create(path, "test", {.epsilon = 2.0, .delta = 1e-6}, Spending::gaussian);
  EXPECT_THAT(differing(path), ElementsAre("the entry in " + path.filename().string()));
  const LedgerEntry entry = ledger.reserve({Neighbors::add_remove, {{Gaussian{9.0}, 1, "sum"}}}, "a test");
  const auto differs_for = [&](const Promise& promise) {
    ModelContents contents = small_model();
    contents.certificate =
        json{{"guarantee", true}, {"promise", json::parse(to_json(promise))}, {"ledger_head", entry.head}}.dump();
    const Model model(std::make_shared<ModelContents>(std::move(contents)));
    model.save(folder_ / "model.sosia", true);
    fs::remove(folder_ / kCertificateName);
    write_certificate_of(model, folder_, {"model.sosia"});
    return !differing(path).empty();
  };
  const double spent = account({Neighbors::add_remove, {{Gaussian{9.0}, 1, ""}}}, 1e-6).epsilon;
  EXPECT_FALSE(differs_for({.epsilon = 1.0, .delta = 1e-6}));
  EXPECT_FALSE(differs_for({.epsilon = spent, .delta = 1e-6}));
  // What was reserved costs more than this, or protects others.
  EXPECT_TRUE(differs_for({.epsilon = 0.99 * spent, .delta = 1e-6}));
  EXPECT_TRUE(differs_for({.epsilon = spent, .delta = 1e-9}));
  EXPECT_TRUE(differs_for({.epsilon = 1.0, .delta = 1e-6, .relation = Neighbors::replace}));
  EXPECT_TRUE(differs_for({.epsilon = 1.0, .delta = 1e-6, .unit = {"patient", 1}}));
  fs::remove(path);
}

TEST_F(VerifyTest, OtherFilesAndNamesOutsideTheFolderAreRefused) {
  EXPECT_THROW(verify(folder_ / "schema.json"), Error);
  for (const char* name : {"../model.sosia", "/etc/hosts", "..", ""}) {
    lie("files", {{name, "00"}});
    EXPECT_THROW(verify(folder_), Error) << name;
  }
  lie("files", {{"model.sosia", 3}});
  EXPECT_THROW(verify(folder_), Error);
}

}  // namespace
}  // namespace sosia
