// SPDX-License-Identifier: Apache-2.0
#include <sosia/run_file.h>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/certificate.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>

#include "base/durable_file.h"
#include "base/thread_pool.h"
#include "data/encoded_rows.h"
#include "data/open_table.h"
#include "privacy/door_test_support.h"

namespace sosia {
namespace {

using testing::HasSubstr;

const Promise kRunPromise{.epsilon = 1.0, .delta = 1e-6};
const RunInputs kInputs = {{"schema", std::string(64, '1')}, {"data", std::string(64, '2')}};
const std::vector<std::string> kCommand = {"run", "clinic.csv", "-o", "out"};

class RunFileTest : public testing::Test {
 protected:
  RunFileTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("sosia_run_file_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "out.resume";
  }
  ~RunFileTest() override { std::filesystem::remove_all(folder_); }

  RunFile begin(const RunInputs& inputs = kInputs) const { return RunFile::begin(path_, inputs, kCommand); }

  /// Two releases under the run's key.
  static std::vector<std::int64_t> released(Ledger ledger) {
    ThreadPool pool(2);
    const PrivateTable table(rows_in_memory({1, 0, 1, 1}, 2), 100);
    std::vector<std::int64_t> cells;
    for (int i = 0; i < 2; ++i) {
      const Release release = ledger.noisy_sum(table, RowMap(2, 1.0), {.noise = 20.0, .label = "means"}, pool);
      cells.insert(cells.end(), release.cells().begin(), release.cells().end());
    }
    return cells;
  }
  static std::vector<std::int64_t> released(const RunFile& run) {
    return released(Ledger(kRunPromise, Spending::gaussian, &run));
  }
  /// A release of half of 200 people, told apart by ids in a file.
  std::vector<std::int64_t> sampled(const RunFile& run) const {
    const std::filesystem::path file = folder_ / "people.csv";
    const Schema schema{.columns = {{.name = "age", .type = ColumnType::integer, .min = 0.0, .max = 1024.0},
                                    {.name = "id", .type = ColumnType::identifier}},
                        .unit = {"id", 2}};
    std::ofstream out(file);
    out << "age,id\n";
    for (int row = 0; row < 400; ++row) out << row << ",p" << row % 200 << "\n";
    out.close();
    Ledger ledger({.epsilon = 1.0, .delta = 1e-6, .unit = schema.unit}, Spending::renyi, &run);
    ThreadPool pool(2);
    const PrivateTable table(encoded_rows(open_table(file, schema, {}),
                                          Codec(schema, {.numbers = NumberCoding::scaled}), ledger.unit_hash()),
                             1000);
    const Release release =
        ledger.noisy_sum(table, RowMap(1, 1.0), {.noise = 20.0, .rate = 0.5, .label = "ages"}, pool);
    return {release.cells().begin(), release.cells().end()};
  }
  static std::string problem_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.problem();
    }
    return "no error";
  }

  std::filesystem::path folder_, path_;
};

TEST_F(RunFileTest, TheSameKeyAndInputsGiveTheSameReleases) {
  std::vector<std::int64_t> first;
  std::string id;
  {
    const RunFile run = begin();
    first = released(run);
    id = run.id();
    EXPECT_THAT(problem_of([&] { released(run); }), HasSubstr("the same noise")) << "one ledger a run";
  }
  const RunFile again = begin();
  EXPECT_EQ(again.id(), id);
  EXPECT_EQ(again.command(), kCommand);
  EXPECT_EQ(released(again), first) << "from the file";
  EXPECT_NE(first[0], first[2]) << "each release has noise of its own";
}

TEST_F(RunFileTest, SamplesTheSameUnits) {
  const auto units = [&] {
    const RunFile run = begin();  // opened once for each ledger
    return sampled(run);
  };
  EXPECT_EQ(units(), units());
}

// The hash of an id, 64 bits under each of two keys, by chance alike once in 2^64.
TEST_F(RunFileTest, IdsHashAlikeInOneRunAlone) {
  const auto hashed = [](const RunFile* run) {
    const auto id = arrow::MakeArrayFromScalar(arrow::StringScalar("p1"), 1).ValueOrDie();
    std::vector<std::uint64_t> ids(1);
    Ledger(kRunPromise, Spending::gaussian, run).unit_hash().hash(*id, MissingWords({}), ids);
    return ids[0];
  };
  const auto hashed_in = [&](const char* name) {
    const RunFile run = RunFile::begin(folder_ / name, kInputs, kCommand);  // opened once for each ledger
    return hashed(&run);
  };
  EXPECT_EQ(hashed_in("run.resume"), hashed_in("run.resume"));
  EXPECT_NE(hashed_in("run.resume"), hashed(nullptr));
  EXPECT_NE(hashed(nullptr), hashed(nullptr));
  EXPECT_NE(hashed_in("run.resume"), hashed_in("other.resume"));
}

// Of two 64-digit ids, and of eight numbers with a noise of 2^35 steps, chance makes two alike less than once in 2^100.
TEST_F(RunFileTest, AnotherKeyOrOtherInputsGiveOtherReleases) {
  RunFile run = begin();
  const std::vector<std::int64_t> first = released(run);
  const std::string id = run.id(), text = read_text_file(path_);
  run.remove();
  RunFile other = begin();
  EXPECT_NE(other.id(), id);
  EXPECT_NE(released(other), first);
  other.remove();
  // The key of the first run, put to other inputs by hand.
  std::string forged = text;
  forged.replace(forged.find(std::string(64, '1')), 64, std::string(64, '3'));
  std::ofstream(path_) << forged;
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const RunFile moved = RunFile::open(path_);
  EXPECT_NE(moved.id(), id);
  EXPECT_NE(released(moved), first);
}

TEST_F(RunFileTest, RefusesOtherInputsAndSaysWhich) {
  {
    const RunFile run = begin();
  }
  RunInputs other = kInputs;
  other[0].second[5] = '4';
  EXPECT_THAT(problem_of([&] { begin(other); }), HasSubstr("schema"));
  EXPECT_THAT(problem_of([&] { begin({kInputs[0]}); }), HasSubstr("not as it was"));
  const RunFile run = begin();
}

TEST_F(RunFileTest, OnlyItsOwnerMayReadIt) {
  const RunFile run = begin();
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

// Whoever made it, or may read it, can know the noise.
TEST_F(RunFileTest, AFileThatOthersMayKnowIsRefused) {
  {
    const RunFile run = begin();
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_THAT(problem_of([&] { begin(); }), HasSubstr("others may know"));
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  std::filesystem::rename(path_, folder_ / "elsewhere");
  std::filesystem::create_symlink(folder_ / "elsewhere", path_);
  EXPECT_NE(problem_of([&] { begin(); }), "no error") << "a link";
  std::filesystem::remove(path_);
  std::filesystem::rename(folder_ / "elsewhere", path_);
  const RunFile run = begin();
}

// What is not in the inputs could be changed between two releases with the same noise.
TEST_F(RunFileTest, InputsAreNamesBytesAndSpelling) {
  const std::filesystem::path table = folder_ / "t.csv", other = folder_ / "t.tsv";
  std::ofstream(table) << "a,b\n1,2\n";
  std::filesystem::copy_file(table, other);
  Schema schema;
  schema.columns.emplace_back();
  schema.columns.back().name = "a";
  schema.columns.back().type = ColumnType::text;
  const TableSpelling spelling;
  const auto inputs = [&](const std::vector<std::filesystem::path>& files, const TableSpelling& how,
                          const std::vector<std::string>& options = {"x"}) {
    return inputs_of_run(files, how, schema, options);
  };
  const RunInputs first = inputs({table, {}}, spelling);
  EXPECT_EQ(inputs({table, {}}, spelling), first);
  EXPECT_NE(inputs({other, {}}, spelling), first) << "the ending says how it is read";
  EXPECT_NE(inputs({{}, table}, spelling), first) << "the place says what it is for";
  EXPECT_NE(inputs({table, {}}, {.delimiter = ';'}), first);
  EXPECT_NE(inputs({table, {}}, {.quotes = Quotes::none}), first);
  EXPECT_NE(inputs({table, {}}, {.quotes = Quotes::escaped}), first);
  EXPECT_NE(inputs({table, {}}, {.multiline = true}), first);
  EXPECT_NE(inputs({table, {}}, {.header = false}), first);
  EXPECT_NE(inputs({table, {}}, {.missing_words = {"a\nb"}}), inputs({table, {}}, {.missing_words = {"a", "b"}}));
  EXPECT_NE(inputs({table, {}}, spelling, {"x\ny"}), inputs({table, {}}, spelling, {"x", "y"}));
  std::ofstream(table, std::ios::app) << "3,4\n";
  EXPECT_NE(inputs({table, {}}, spelling), first);
}

TEST_F(RunFileTest, OneProcessAtATime) {
  const RunFile run = begin();
  EXPECT_THAT(problem_of([&] { RunFile::open(path_); }), HasSubstr("in use by another process"));
}

TEST_F(RunFileTest, WithoutItsKeyNothingIsReleased) {
  std::string key;
  {
    RunFile run = begin();
    const std::string text = read_text_file(path_);
    key = text.substr(text.find("\"key\": \"") + 8, 64);
    run.forget_key();
    EXPECT_THAT(problem_of([&] { released(run); }), HasSubstr("no key any more"));
  }
  EXPECT_EQ(read_text_file(path_).find(key), std::string::npos);
  RunFile again = begin();
  EXPECT_EQ(again.command(), kCommand);
  EXPECT_THAT(problem_of([&] { released(again); }), HasSubstr("no key any more"));
  again.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RunFileTest, ALedgerFileIsChargedOnceForARun) {
  const std::filesystem::path path = folder_ / "t.ledger";
  LedgerFile::create(path, "t", kRunPromise, Spending::gaussian);
  const auto reserved = [&](const RunFile* run) {
    LedgerFile file = LedgerFile::open(path);
    return Ledger::reserved(file, kRunPromise, "a run", run);
  };
  const auto once = [&] {
    const RunFile run = begin();
    Ledger ledger = reserved(&run);
    EXPECT_EQ(LedgerFile::open(path).entries().size(), 1U);
    EXPECT_EQ(LedgerFile::open(path).entries()[0].run, run.id());
    const std::string head = ledger.certificate().ledger_head;
    return std::pair(head, released(std::move(ledger)));
  };
  EXPECT_EQ(once(), once());
  RunFile run = begin();
  // Under another key it is another run, which pays by itself; here there is not enough left.
  run.remove();
  const RunFile other = begin();
  EXPECT_NE(problem_of([&] { reserved(&other); }), "no error");
  EXPECT_NE(problem_of([&] { reserved(nullptr); }), "no error");
  EXPECT_EQ(LedgerFile::open(path).entries().size(), 1U);
}

TEST_F(RunFileTest, AnEntryIsForItsOwnPlanAlone) {
  const std::filesystem::path path = folder_ / "t.ledger";
  LedgerFile file = LedgerFile::create(path, "t", {.epsilon = 10.0, .delta = 1e-5}, Spending::gaussian);
  const RunFile run = begin();
  const Plan plan{Neighbors::add_remove, {{Gaussian{5.0}, 1, "x"}}},
      larger{Neighbors::add_remove, {{Gaussian{4.0}, 1, "x"}}};
  file.reserve(plan, "a run", run.id());
  EXPECT_THAT(problem_of([&] { file.reserve(larger, "a run", run.id()); }), HasSubstr("other events"));
  EXPECT_EQ(LedgerFile::open(path).entries().size(), 1U);
}

TEST_F(RunFileTest, DamagedFilesAreErrors) {
  {
    const RunFile run = begin();
  }
  const std::string text = read_text_file(path_);
  const std::string key = text.substr(text.find("\"key\": \"") + 8, 64);
  std::string no_hex = key;
  no_hex[0] = 'z';
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{key, key.substr(1)},
                                                                                 {key, no_hex},
                                                                                 {"sosia-run", "sosia-ran"},
                                                                                 {"\"version\": 1", "\"version\": 2"},
                                                                                 {"[\n", "[[],\n"},
                                                                                 {"}\n}", "}"}}) {
    std::string damaged = text;
    ASSERT_NE(damaged.find(from), std::string::npos) << from;
    damaged.replace(damaged.find(from), from.size(), to);
    std::ofstream(path_) << damaged;
    EXPECT_NE(problem_of([&] { RunFile::open(path_); }), "no error") << damaged;
  }
}

}  // namespace
}  // namespace sosia
