// SPDX-License-Identifier: Apache-2.0
#include <sosia/ledger_file.h>

#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/certificate.h>
#include <sosia/error.h>

#include "base/durable_file.h"
#include "privacy/ledger_text.h"

namespace sosia {
namespace {

using testing::HasSubstr;

const Promise kPromise{.epsilon = 1.0, .delta = 1e-6};

Plan gaussian_plan(double noise, Neighbors relation = Neighbors::add_remove) {
  return {relation, {{Gaussian{noise}, 1, "embedding"}}};
}

class LedgerFileTest : public testing::Test {
 protected:
  LedgerFileTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("sosia_ledger_file_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "adult.ledger";
  }
  ~LedgerFileTest() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const { return read_text_file(path_); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_, path_;
};

std::string refusal(ErrorKind kind, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST_F(LedgerFileTest, CreatesAndReadsBack) {
  Promise promise = kPromise;
  promise.relation = Neighbors::replace;
  promise.unit = {"person", 5};
  promise.selection_delta = 1e-7;
  const LedgerFile made = LedgerFile::create(path_, "adult", promise, Spending::renyi);
  const LedgerFile read = LedgerFile::open(path_);
  EXPECT_EQ(read.dataset(), "adult");
  EXPECT_EQ(read.created(), made.created());
  EXPECT_EQ(read.spending(), Spending::renyi);
  EXPECT_EQ(read.promise().relation, Neighbors::replace);
  EXPECT_EQ(read.promise().unit.column, "person");
  EXPECT_EQ(read.promise().unit.max_rows, 5);
  EXPECT_EQ(read.promise().selection_delta, 1e-7);
  EXPECT_EQ(read.head(), made.head());
  EXPECT_EQ(read.spent_epsilon(), 0.0);
  EXPECT_TRUE(read.entries().empty());
  struct stat mode{};
  ASSERT_EQ(::stat(path_.c_str(), &mode), 0);
  EXPECT_EQ(mode.st_mode & 0777, 0600U);
  EXPECT_EQ(files(), 1U);
}

TEST_F(LedgerFileTest, CreateRefuses) {
  const auto create = [&](const Promise& promise, const std::string& dataset = "adult",
                          Spending spending = Spending::gaussian) {
    return [=, this] { LedgerFile::create(path_, dataset, promise, spending); };
  };
  EXPECT_THAT(refusal(ErrorKind::usage, create(kPromise, "adult", Spending::planned)), HasSubstr("planned"));
  EXPECT_THAT(refusal(ErrorKind::usage, create(kPromise, "")), HasSubstr("name"));
  EXPECT_THAT(refusal(ErrorKind::usage, create(kPromise, "two\nlines")), HasSubstr("control"));
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_NE(refusal(ErrorKind::usage, create({.epsilon = bad, .delta = 1e-6})), "accepted");
  }
  for (const double bad : {0.0, 1.0, -1e-6, 2.0, nan}) {
    EXPECT_NE(refusal(ErrorKind::usage, create({.epsilon = 1.0, .delta = bad})), "accepted");
  }
  EXPECT_NE(refusal(ErrorKind::usage, create({.unit = {"person", 0}})), "accepted");
  EXPECT_NE(refusal(ErrorKind::usage, create({.selection_delta = 1e-6})), "accepted");
  EXPECT_EQ(files(), 0U);
  std::ofstream(path_) << "mine";
  EXPECT_THAT(refusal(ErrorKind::io, create(kPromise)), HasSubstr("exists"));
  EXPECT_EQ(bytes(), "mine");
  path_ = folder_ / "no" / "such";
  EXPECT_THAT(refusal(ErrorKind::io, create(kPromise)), HasSubstr("No such file"));
}

TEST_F(LedgerFileTest, ReservationsAddUpAndStay) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  const double noise = gaussian_noise(kPromise.epsilon, kPromise.delta);
  const LedgerEntry first = file.reserve(gaussian_plan(2.0 * noise), "a first look");
  const LedgerEntry second = file.reserve(gaussian_plan(2.0 * noise), "the model");
  EXPECT_GT(first.spent_epsilon, 0.0);
  EXPECT_GT(second.spent_epsilon, first.spent_epsilon);
  const LedgerFile read = LedgerFile::open(path_);
  ASSERT_EQ(read.entries().size(), 2U);
  EXPECT_EQ(read.entries()[0].purpose, "a first look");
  EXPECT_EQ(read.entries()[0].head, first.head);
  EXPECT_EQ(read.entries()[1].spent_epsilon, second.spent_epsilon);
  EXPECT_EQ(read.head(), second.head);
  EXPECT_EQ(read.spent_epsilon(), file.spent_epsilon());
  // Half of mu^2 is left: the noise of half the budget.
  EXPECT_NEAR(read.least_noise(), std::sqrt(2.0) * noise, 1e-6 * noise);
}

TEST_F(LedgerFileTest, SpendsTheWholePromiseAndNoMore) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  const double noise = gaussian_noise(kPromise.epsilon, kPromise.delta);
  const std::string before = bytes();
  EXPECT_NE(refusal(ErrorKind::budget, [&] { file.reserve(gaussian_plan(0.999 * noise), "too much"); }), "accepted");
  Plan pair = gaussian_plan(1.2 * noise);
  pair.events.push_back(pair.events[0]);
  EXPECT_NE(refusal(ErrorKind::budget, [&] { file.reserve(pair, "one fits, two do not"); }), "accepted");
  EXPECT_EQ(bytes(), before);
  EXPECT_TRUE(file.entries().empty());
  file.reserve(gaussian_plan(1.000001 * noise), "all of it");
  EXPECT_LE(file.spent_epsilon(), kPromise.epsilon);
  const std::string after = bytes();
  EXPECT_THAT(refusal(ErrorKind::budget, [&] { file.reserve(gaussian_plan(10.0 * noise), "more"); }),
              HasSubstr(path_.filename().string()));
  EXPECT_EQ(bytes(), after);
  EXPECT_EQ(files(), 1U);
}

TEST_F(LedgerFileTest, RefusesPlansThatAreNotItsOwn) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  const std::string before = bytes();
  EXPECT_THAT(refusal(ErrorKind::budget, [&] { file.reserve(gaussian_plan(50.0, Neighbors::replace), "x"); }),
              HasSubstr("the plan is stated under replace, the ledger promises add-remove"));
  EXPECT_NE(refusal(ErrorKind::usage, [&] { file.reserve(Plan{}, "nothing"); }), "accepted");
  EXPECT_NE(refusal(ErrorKind::usage, [&] { file.reserve(gaussian_plan(50.0), ""); }), "accepted");
  EXPECT_NE(refusal(ErrorKind::usage, [&] { file.reserve(gaussian_plan(50.0), "\x1b[2J"); }), "accepted");
  EXPECT_NE(refusal(ErrorKind::usage, [&] { file.reserve(gaussian_plan(50.0), "\xff"); }), "accepted");
  EXPECT_NE(refusal(ErrorKind::usage, [&] { file.reserve(gaussian_plan(0.0), "x"); }), "accepted");
  EXPECT_EQ(bytes(), before);
}

TEST_F(LedgerFileTest, OpenRefusesCutsEditsAndWrongPrices) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  file.reserve(gaussian_plan(20.0), "one");
  file.reserve(gaussian_plan(20.0), "two");
  const std::string text = bytes();
  const auto open_with = [&](const std::string& changed) {
    std::ofstream(path_, std::ios::trunc) << changed;
    return refusal(ErrorKind::io, [&] { LedgerFile::open(path_); });
  };
  EXPECT_EQ(open_with(text), "accepted");
  for (std::size_t size = 0; size < text.size(); size += 7) EXPECT_NE(open_with(text.substr(0, size)), "accepted");
  // A forger who keeps the chain but lowers a price, or fits in a plan above the promise.
  LedgerContents cheap = parse_ledger(text, "x"), dear = cheap;
  cheap.entries[1].spent_epsilon /= 2.0;
  dear.entries[1].plan = gaussian_plan(0.5);
  for (LedgerContents* forged : {&cheap, &dear}) {
    forged->head = forged->entries[1].head = next_head(forged->entries[0].head, forged->entries[1], 2);
    EXPECT_THAT(open_with(to_text(*forged)), HasSubstr("entry 2"));
  }
  EXPECT_EQ(open_with(text), "accepted");
}

TEST_F(LedgerFileTest, SeesAnOlderCopyPutBack) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  const std::string older = bytes();
  file.reserve(gaussian_plan(20.0), "one");
  std::ofstream(path_, std::ios::trunc) << older;
  EXPECT_THAT(refusal(ErrorKind::io, [&] { file.reserve(gaussian_plan(20.0), "two"); }), HasSubstr(file.head()));
  EXPECT_EQ(bytes(), older);
}

TEST_F(LedgerFileTest, TwoReadersOfOneFileSeeEachOther) {
  LedgerFile one = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  LedgerFile two = LedgerFile::open(path_);
  one.reserve(gaussian_plan(20.0), "one");
  two.reserve(gaussian_plan(20.0), "two");
  one.reserve(gaussian_plan(20.0), "three");
  EXPECT_EQ(LedgerFile::open(path_).entries().size(), 3U);
}

TEST_F(LedgerFileTest, FollowsLinksAndRefusesSeveralNames) {
  LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  std::filesystem::create_symlink(path_, folder_ / "link");
  LedgerFile through = LedgerFile::open(folder_ / "link");
  through.reserve(gaussian_plan(20.0), "one");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(LedgerFile::open(path_).entries().size(), 1U);
  std::filesystem::create_hard_link(path_, folder_ / "second");
  EXPECT_THAT(refusal(ErrorKind::io, [&] { through.reserve(gaussian_plan(20.0), "two"); }), HasSubstr("several names"));
}

TEST_F(LedgerFileTest, OpenRefusesWhatIsNoFile) {
  EXPECT_THAT(refusal(ErrorKind::io, [&] { LedgerFile::open(path_); }), HasSubstr("No such file"));
  EXPECT_THAT(refusal(ErrorKind::io, [&] { LedgerFile::open(folder_); }), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(ErrorKind::io, [&] { LedgerFile::open(path_); }), HasSubstr("not a regular file"));
}

TEST_F(LedgerFileTest, KeepsTheModeItsOwnerGaveIt) {
  LedgerFile file = LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  std::filesystem::permissions(path_, std::filesystem::perms(0640));
  file.reserve(gaussian_plan(20.0), "one");
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0640));
}

TEST(Spending, NamesGoThereAndBack) {
  EXPECT_EQ(spending_from("gaussian"), Spending::gaussian);
  EXPECT_EQ(spending_from("renyi"), Spending::renyi);
  EXPECT_STREQ(name_of(Spending::planned), "planned");
  EXPECT_THAT(refusal(ErrorKind::usage, [] { spending_from("planned"); }), HasSubstr("gaussian, renyi"));
}

TEST_F(LedgerFileTest, ARunReservesBeforeItStarts) {
  LedgerFile file = LedgerFile::create(path_, "adult", {.epsilon = 1.0, .delta = 1e-6}, Spending::gaussian);
  Ledger run = Ledger::reserved(file, {.epsilon = 0.6, .delta = 1e-6}, "a first model");
  EXPECT_NEAR(file.spent_epsilon(), 0.6, 1e-9) << "all of it, before anything was released";
  EXPECT_EQ(run.certificate().ledger_head, file.head());
  EXPECT_EQ(LedgerFile::open(path_).head(), file.head());
  refusal(ErrorKind::budget, [&] { Ledger::reserved(file, {.epsilon = 0.9, .delta = 1e-6}, "too much"); });
  const Plan plan{.events = {{SampledGaussian{0.01, 2.0}, 10}}};
  EXPECT_NE(
      refusal(ErrorKind::budget, [&] { Ledger::reserved(file, {.epsilon = 0.5, .delta = 1e-6}, plan, "sampled"); }),
      "accepted")
      << "not mu-GDP: refused by a file with Gaussian spending";
  EXPECT_NE(
      refusal(ErrorKind::budget,
              [&] { Ledger::reserved(file, {.epsilon = 0.1, .delta = 1e-6, .unit = {"id", 2}}, "another unit"); }),
      "accepted");
  EXPECT_EQ(file.entries().size(), 1U);
}

TEST_F(LedgerFileTest, ARunProtectsTheUnitsOfItsFile) {
  LedgerFile file =
      LedgerFile::create(path_, "visits", {.epsilon = 1.0, .delta = 1e-6, .unit = {"id", 4}}, Spending::gaussian);
  for (const std::int64_t max_rows : {3, 5}) {
    const Promise other{.epsilon = 0.1, .delta = 1e-6, .unit = {"id", max_rows}};
    EXPECT_THAT(refusal(ErrorKind::budget, [&] { Ledger::reserved(file, other, "other rows a unit"); }),
                HasSubstr("privacy unit"));
  }
  EXPECT_TRUE(file.entries().empty());
}

TEST_F(LedgerFileTest, ARunReservesTheDeltaOfItsThresholds) {
  const Promise promise{.epsilon = 1.0, .delta = 1e-6, .selection_delta = 1e-7};
  LedgerFile file = LedgerFile::create(path_, "adult", promise, Spending::gaussian);
  Ledger::reserved(file, {.epsilon = 0.5, .delta = 1e-6, .selection_delta = 6e-8}, "first");
  refusal(ErrorKind::budget,
          [&] { Ledger::reserved(file, {.epsilon = 0.1, .delta = 1e-6, .selection_delta = 6e-8}, "second"); });
  EXPECT_EQ(file.entries().size(), 1U);
}

TEST_F(LedgerFileTest, ARunMayTakeTheWholeBudget) {
  LedgerFile file =
      LedgerFile::create(path_, "adult", {.epsilon = 1.0, .delta = 1e-6, .selection_delta = 1e-7}, Spending::gaussian);
  Ledger::reserved(file, {.epsilon = 1.0, .delta = 1e-6, .selection_delta = 1e-7}, "all");
  EXPECT_NEAR(file.spent_epsilon(), 1.0, 1e-9);
  EXPECT_LE(file.spent_epsilon(), 1.0);
}

}  // namespace
}  // namespace sosia
