// SPDX-License-Identifier: Apache-2.0
#include <sosia/certificate.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <sosia/version.h>

#include "base/thread_pool.h"
#include "privacy/door_test_support.h"

namespace sosia {
namespace {

Certificate certificate_of(Ledger ledger, int releases) {
  ThreadPool pool(1);
  const PrivateTable table(rows_in_memory({1, 1, 1}, 1), 100);
  for (int i = 0; i < releases; ++i) ledger.noisy_sum(table, RowMap(1, 1.0), {.noise = 20.0, .label = "means"}, pool);
  return ledger.certificate();
}

TEST(Certificate, SaysWhatWasPromisedAndSpent) {
  const Certificate c = certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5, .relation = Neighbors::replace}), 2);
  EXPECT_EQ(c.version, version());
  ASSERT_EQ(c.events.size(), 1U) << "events of one kind are one, with a count";
  EXPECT_EQ(c.events[0].count, 2);
  EXPECT_EQ(c.declared, std::vector<std::string>{"the number of records"});
  EXPECT_GT(c.spent_epsilon, 0.0);
  const std::string text = c.statement();
  for (const char* part : {"epsilon 1, delta 1e-05", "replace", "one row", "2 releases", "number of records"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("NO GUARANTEE"), std::string::npos);
}

TEST(Certificate, SaysWhichNumberIsTheGuarantee) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{20.0}, 1, "means"}}};
  const Promise promise{.epsilon = 1.0, .delta = 1.00000001e-5};
  const struct {
    Certificate certificate;
    const char* shown;
    bool spent;
  } kCases[] = {{certificate_of(Ledger(promise), 1), "earlier releases); a diagnostic, no guarantee\n", false},
                {certificate_of(Ledger(promise, Spending::renyi), 1), "a diagnostic, no guarantee\n", false},
                {certificate_of(Ledger(promise, plan), 1), "data was read); holds as well\n", true},
                {certificate_of(Ledger::for_tests(promise, plan, 1), 1), "a diagnostic, no guarantee\n", false}};
  for (const auto& [certificate, shown, spent] : kCases) {
    const std::string text = certificate.statement();
    EXPECT_NE(text.find(shown), std::string::npos) << text;
    EXPECT_NE(text.find("delta 1.00001e-05 under"), std::string::npos) << "never rounded down\n" << text;
    EXPECT_EQ(text.find("this is the guarantee") != std::string::npos, !certificate.test_noise) << text;
    EXPECT_EQ(nlohmann::json::parse(certificate.json()).at("spent_is_guarantee"), spent);
  }
}

TEST(Certificate, TheNumberOfRecordsIsPrivateUnderAddRemove) {
  EXPECT_TRUE(certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5}), 1).declared.empty());
}

TEST(Certificate, TestNoiseIsStampedFirst) {
  const Certificate c = certificate_of(Ledger::for_tests({.epsilon = 1.0, .delta = 1e-5}, 1), 1);
  EXPECT_EQ(c.statement().find("NO GUARANTEE"), 0U);
  EXPECT_EQ(nlohmann::json::parse(c.json()).at("guarantee"), false);
}

TEST(Certificate, JsonHoldsEverything) {
  const auto json = nlohmann::json::parse(certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5}), 2).json());
  EXPECT_EQ(json.at("sosia"), version());
  EXPECT_EQ(json.at("guarantee"), true);
  EXPECT_EQ(json.at("promise").at("epsilon"), 1.0);
  EXPECT_EQ(json.at("promise").at("relation"), "add-remove");
  EXPECT_EQ(json.at("spending"), "gaussian");
  EXPECT_EQ(json.at("events").size(), 1U);
  EXPECT_EQ(json.at("events").at(0).at("count"), 2);
  EXPECT_EQ(json.at("events").at(0).at("label"), "means");
  EXPECT_EQ(json.at("curve").size(), 5U);
}

// The budget of an adaptive ledger is what is proved, so the curve passes through the promise.
TEST(Certificate, CurveOfAFilterPassesThroughThePromise) {
  for (const Spending spending : {Spending::gaussian, Spending::renyi}) {
    const Certificate c = certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5}, spending), 1);
    ASSERT_EQ(c.curve.size(), 5U);
    for (std::size_t i = 1; i < c.curve.size(); ++i) {
      EXPECT_LT(c.curve[i].first, c.curve[i - 1].first);
      EXPECT_GT(c.curve[i].second, c.curve[i - 1].second);
    }
    EXPECT_EQ(c.curve[2].first, 1e-5);
    EXPECT_NEAR(c.curve[2].second, 1.0, 1e-6);
  }
}

TEST(Certificate, CurveOfAPlanIsThatOfTheWholePlan) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{20.0}, 5, "means"}}};
  const Certificate c = certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5}, plan), 1);
  ASSERT_EQ(c.curve.size(), 5U);
  EXPECT_EQ(c.curve[2].second, account(plan, 1e-5).epsilon);
  EXPECT_EQ(c.events.size(), 1U);
}

TEST(Certificate, PrintedEpsilonsAreRoundedUpToFourDigits) {
  Certificate c = certificate_of(Ledger({.epsilon = 1.0, .delta = 1e-5}), 1);
  const struct {
    double epsilon;
    const char* shown;
  } kCases[] = {{0.123401, "0.1235"}, {0.1234, "0.1234"}, {9.99901, "10.00"}, {1.00001, "1.001"}, {0.0, "0"}};
  for (const auto& item : kCases) {
    c.spent_epsilon = item.epsilon;
    EXPECT_NE(c.statement().find(std::string("epsilon ") + item.shown + " by"), std::string::npos)
        << item.epsilon << "\n"
        << c.statement();
    EXPECT_GE(nlohmann::json::parse(c.json()).at("spent_epsilon").get<double>(), item.epsilon);
  }
}

Purchase purchase_for(const Promise& promise) {
  Purchase purchase;
  purchase.promise = promise;
  return purchase;
}

/// A schema with one declared, one confirmed and one bought fact.
Schema bought_under(const Purchase& purchase) {
  Schema schema;
  schema.columns = {{.name = "age", .type = ColumnType::integer, .min = 0, .max = 90}};
  schema.columns[0].confirmed = {Fact::type};
  schema.columns[0].bought = {{Fact::bounds, 0}};
  schema.purchases = {purchase};
  return schema;
}

TEST(Certificate, FactsThatWereBoughtBeforeAddTheirPromise) {
  const Promise promise{.epsilon = 0.1, .delta = 1e-6};
  Certificate c = certificate_of(Ledger(promise), 0);
  Purchase before = purchase_for({.epsilon = 2.0, .delta = 1e-6});
  before.ledger_head = "3:ab";
  c.cover(bought_under(before), 1);
  EXPECT_EQ(c.declared, std::vector<std::string>{"column \"age\": missing"});
  EXPECT_EQ(c.confirmed, std::vector<std::string>{"column \"age\": type"});
  ASSERT_EQ(c.discovered.size(), 1U);
  EXPECT_FALSE(c.discovered[0].is_own);
  EXPECT_EQ(c.discovered[0].facts, std::vector<std::string>{"column \"age\": bounds"});
  EXPECT_EQ(c.guarantee().epsilon, 2.1);
  EXPECT_EQ(c.guarantee().delta, 2e-6);
  EXPECT_NE(
      c.statement().find(
          "in all:   epsilon 2.100, delta 2e-06, with the facts that were discovered before; this is the guarantee"),
      std::string::npos)
      << c.statement();
  const auto json = nlohmann::json::parse(c.json());
  EXPECT_EQ(json.at("guarantee"), true);
  EXPECT_GE(json.at("total").at("epsilon").get<double>(), 2.1);
  EXPECT_EQ(json.at("public").at("discovered").at(0).at("ledger_head"), "3:ab");

  Certificate own = certificate_of(Ledger(promise), 0);
  own.cover(bought_under(purchase_for(promise)), 0);
  EXPECT_EQ(own.guarantee().epsilon, 0.1);
}

TEST(Certificate, PromisesThatDoNotAddUpAreNoGuarantee) {
  Promise units{.epsilon = 1.0, .delta = 1e-6};
  units.unit.column = "patient";
  Purchase seen = purchase_for({.epsilon = 1.0, .delta = 1e-6});
  seen.has_guarantee = false;
  const Purchase replaced = purchase_for({.epsilon = 1.0, .delta = 1e-6, .relation = Neighbors::replace});
  for (const Purchase& other : {replaced, purchase_for(units), seen}) {
    Certificate c = certificate_of(Ledger({.epsilon = 0.1, .delta = 1e-6}), 0);
    c.cover(bought_under(other), 1);
    EXPECT_FALSE(c.guarantee().none.empty());
    EXPECT_NE(c.statement().find("NO GUARANTEE"), std::string::npos) << c.statement();
    const auto json = nlohmann::json::parse(c.json());
    EXPECT_EQ(json.at("guarantee"), false);
    EXPECT_TRUE(json.at("total").is_null());
  }
}

}  // namespace
}  // namespace sosia
