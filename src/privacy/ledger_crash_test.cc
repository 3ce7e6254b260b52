// SPDX-License-Identifier: Apache-2.0
// The ledger file among several processes, some of them killed.
#include <sosia/ledger_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>

#include "base/durable_file.h"

namespace sosia {
namespace {

using testing::HasSubstr;

const Promise kPromise{.epsilon = 1.0, .delta = 1e-6};

Plan plan_of(double noise) { return {Neighbors::add_remove, {{Gaussian{noise}, 1, "step"}}}; }

/// A child process whose output arrives here line by line.
class Child {
 public:
  explicit Child(const std::function<void(int pipe)>& work) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      try {
        work(ends[1]);
      } catch (const Error& error) {
        ::_exit(error.exit_code());
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Child() { ::close(output_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() const { ::kill(id_, SIGKILL); }

  /// All whole lines that the child wrote before it ended, and its exit code (-1 if killed).
  std::vector<std::string> lines(int& code) const {
    std::string text;
    char block[4096];
    for (ssize_t got = 0; (got = ::read(output_, block, sizeof block)) > 0;)
      text.append(block, static_cast<std::size_t>(got));
    int status = 0;
    ::waitpid(id_, &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::vector<std::string> lines;
    for (std::size_t start = 0, end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
      lines.push_back(text.substr(start, end - start));
    }
    return lines;
  }

 private:
  pid_t id_;
  int output_;
};

/// Reserves until the budget is used up, and reports the head of every reservation that was granted.
void reserve_all(const std::filesystem::path& path, double noise, int pipe) {
  LedgerFile file = LedgerFile::open(path);
  for (;;) {
    const std::string line = file.reserve(plan_of(noise), "child", 60.0).head + "\n";
    if (::write(pipe, line.data(), line.size()) < 0) ::_exit(99);
  }
}

std::vector<std::string> heads(const LedgerFile& file) {
  std::vector<std::string> all;
  for (const LedgerEntry& entry : file.entries()) all.push_back(entry.head);
  return all;
}

class LedgerCrashTest : public testing::Test {
 protected:
  LedgerCrashTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("sosia_ledger_crash_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "adult.ledger";
    LedgerFile::create(path_, "adult", kPromise, Spending::gaussian);
  }
  ~LedgerCrashTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, path_;
  double unit_ = gaussian_noise(kPromise.epsilon, kPromise.delta);  ///< the noise of one release of the whole budget
};

TEST_F(LedgerCrashTest, AKilledRunLeavesAValidFileWithAllItWasGranted) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> microseconds(500, 20000);
  std::size_t granted = 0;
  for (int round = 0; round < 40; ++round) {
    const Child child([&](int pipe) { reserve_all(path_, 1000.0 * unit_, pipe); });
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    child.kill();
    int code = 0;
    const std::vector<std::string> reported = child.lines(code);
    EXPECT_EQ(code, -1);
    const std::vector<std::string> kept = heads(LedgerFile::open(path_));
    for (const std::string& head : reported) EXPECT_THAT(kept, testing::Contains(head));
    // A reservation may have been written in the moment before the kill, one at most.
    granted += reported.size();
    EXPECT_GE(kept.size(), granted);
    EXPECT_LE(kept.size(), granted + 1);
    granted = kept.size();
  }
  EXPECT_GT(granted, 0U) << "no child lived long enough: the test shows nothing";
  LedgerFile::open(path_).reserve(plan_of(1000.0 * unit_), "after all this");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "a draft was left behind";
}

TEST_F(LedgerCrashTest, ProcessesAtOnceLoseNothingAndStayWithinTheBudget) {
  // Each reservation takes 1/60 of mu^2: exactly 59 or 60 fit in.
  const double noise = std::sqrt(60.0) * unit_;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(std::make_unique<Child>([&](int pipe) { reserve_all(path_, noise, pipe); }));
  }
  std::vector<std::string> granted;
  for (const auto& child : children) {
    int code = 0;
    const std::vector<std::string> reported = child->lines(code);
    EXPECT_EQ(code, static_cast<int>(ErrorKind::budget));
    granted.insert(granted.end(), reported.begin(), reported.end());
  }
  const LedgerFile file = LedgerFile::open(path_);
  EXPECT_THAT(heads(file), testing::UnorderedElementsAreArray(granted));
  EXPECT_GE(file.entries().size(), 59U);
  EXPECT_LE(file.entries().size(), 60U);
  EXPECT_LE(file.spent_epsilon(), kPromise.epsilon);
}

TEST_F(LedgerCrashTest, AHeldLockIsWaitedForThenReported) {
  const std::string before = read_text_file(path_);
  const Child holder([&](int pipe) {
    const int file = ::open(path_.c_str(), O_RDWR);
    ::flock(file, LOCK_EX);
    if (::write(pipe, "locked", 6) < 0) ::_exit(99);
    ::pause();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  LedgerFile file = LedgerFile::open(path_);
  const auto start = std::chrono::steady_clock::now();
  try {
    file.reserve(plan_of(20.0 * unit_), "blocked", 0.3);
    ADD_FAILURE() << "reserved under another's lock";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.problem(), HasSubstr("in use by another process"));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(300));
  EXPECT_EQ(read_text_file(path_), before);
  // The lock goes with its holder: a killed run blocks nobody.
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    holder.kill();
  });
  EXPECT_NO_THROW(file.reserve(plan_of(20.0 * unit_), "after the wait", 30.0));
  end.join();
  int code = 0;
  holder.lines(code);
}

TEST_F(LedgerCrashTest, AFailedWriteLeavesTheOldFile) {
  const std::string before = read_text_file(path_);
  const Child child([&](int) {
    LedgerFile file = LedgerFile::open(path_);
    // As on a full disk: the draft can be begun but not completed.
    const rlimit limit{before.size(), before.size()};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    file.reserve(plan_of(20.0 * unit_), "no room");
  });
  int code = 0;
  child.lines(code);
  EXPECT_EQ(code, static_cast<int>(ErrorKind::io));
  EXPECT_EQ(read_text_file(path_), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(LedgerCrashTest, AReadOnlyFolderLeavesTheOldFile) {
  const std::string before = read_text_file(path_);
  std::filesystem::permissions(path_, std::filesystem::perms(0666));
  std::filesystem::permissions(folder_, std::filesystem::perms(0555));
  const Child child([&](int) {
    // Root may write anywhere: become someone who may not.
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
    LedgerFile::open(path_).reserve(plan_of(20.0 * unit_), "no right");
  });
  int code = 0;
  child.lines(code);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  EXPECT_EQ(code, static_cast<int>(ErrorKind::io));
  EXPECT_EQ(read_text_file(path_), before);
}

}  // namespace
}  // namespace sosia
