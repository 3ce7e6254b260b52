// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sosia/error.h>

namespace sosia {
namespace {

TEST(ThreadPool, HasTheSizeAskedFor) {
  EXPECT_EQ(ThreadPool(3).size(), 3);
  EXPECT_GE(ThreadPool().size(), 1);
  EXPECT_THROW(ThreadPool(-1), Error);
}

TEST(ThreadPool, RunsEachWorkerOnceInEveryRound) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> calls(4, 0);
    pool.run([&](int worker) { ++calls[worker]; });
    EXPECT_EQ(calls, std::vector<int>(4, 1));
  }
}

TEST(ThreadPool, CallerIsWorkerZero) {
  ThreadPool pool(2);
  std::thread::id zero;
  pool.run([&](int worker) {
    if (worker == 0) zero = std::this_thread::get_id();
  });
  EXPECT_EQ(zero, std::this_thread::get_id());
}

TEST(ThreadPool, ParallelForVisitsEveryIndexOnce) {
  ThreadPool pool(3);
  for (const std::int64_t count : {0, 1, 2, 1000}) {
    std::vector<std::atomic<int>> visits(count);
    pool.parallel_for(count, [&](std::int64_t i) { ++visits[i]; });
    for (const auto& v : visits) EXPECT_EQ(v.load(), 1);
  }
}

TEST(ThreadPool, SharedWorkIsDoneAndWhoeverBeganIsWaitedFor) {
  ThreadPool pool(4);
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> next = 0, begun = 0, ended = 0;
    std::vector<int> done(50, 0);
    pool.share([&](int) {
      ++begun;
      for (int i = next++; i < 50; i = next++) ++done[static_cast<std::size_t>(i)];
      if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++ended;
    });
    EXPECT_EQ(done, std::vector<int>(50, 1));
    EXPECT_GE(begun.load(), 1);
    EXPECT_EQ(begun.load(), ended.load());
    if (round % 10 == 0) {  // rounds of both kinds after each other
      std::atomic<int> calls = 0;
      pool.run([&](int) { ++calls; });
      EXPECT_EQ(calls.load(), 4);
    }
  }
  EXPECT_THROW(pool.share([](int worker) {
    if (worker == 0) throw std::runtime_error("zero");
  }),
               std::runtime_error);
}

TEST(ThreadPool, RethrowsAfterAllHaveEndedAndStaysUsable) {
  ThreadPool pool(4);
  std::atomic<int> ended = 0;
  EXPECT_THROW(pool.run([&](int worker) {
    if (worker == 2) throw std::runtime_error("one");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++ended;
  }),
               std::runtime_error);
  EXPECT_EQ(ended.load(), 3);
  ended = 0;
  pool.run([&](int) { ++ended; });
  EXPECT_EQ(ended.load(), 4);
}

TEST(ThreadPool, CallersFromSeveralThreadsTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int> total = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int j = 0; j < 50; ++j) pool.run([&](int) { ++total; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 4 * 50 * 2);
}

}  // namespace
}  // namespace sosia
