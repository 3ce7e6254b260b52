// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sosia/error.h>

namespace sosia {

namespace {

// A step of training is tens of short rounds. To be woken takes as long as such a round, so one looks whether the next
// is there for about as long as two take, and sleeps then.
constexpr auto kPatience = std::chrono::microseconds(60);

/// Returns when is_over says so, or a little later when it does not.
template <class IsOver>
void look_for(const IsOver& is_over) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_over() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

struct ThreadPool::State {
  std::mutex one_run;  // held for the whole of a run: callers from several threads take turns

  std::mutex mutex;
  std::condition_variable started, finished;
  const std::function<void(int)>* work = nullptr;  // null: nobody may begin
  bool by_all = false;                             // whether every worker has to take part
  // Changed with the mutex held, looked at without.
  std::atomic<std::uint64_t> round = 0;
  std::atomic<int> waited_for = 0;  // workers that are at work, or have to be before the round can end
  std::atomic<bool> stopping = false;
  std::exception_ptr failure;

  std::vector<std::thread> threads;

  void call(const std::function<void(int)>& task, int worker) {
    try {
      task(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    while (true) {
      const std::function<void(int)>* task = nullptr;
      look_for([&] { return stopping || round != seen; });
      {
        std::unique_lock lock(mutex);
        started.wait(lock, [&] { return stopping || round != seen; });
        if (stopping) return;
        seen = round;
        if (work == nullptr) continue;
        task = work;
        if (!by_all) ++waited_for;
      }
      call(*task, worker);
      const std::lock_guard lock(mutex);
      if (--waited_for == 0) finished.notify_one();
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    started.notify_all();
    for (std::thread& thread : threads) thread.join();
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads < 0) {
    throw Error(ErrorKind::usage, "the number of threads must not be negative", "ThreadPool",
                "pass 0 for one thread per core, or a positive number");
  }
  const int count = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < count; ++worker) {
      state_->threads.emplace_back([state = state_.get(), worker] { state->serve(worker); });
    }
  } catch (...) {
    state_->stop();  // a std::thread that is destroyed while joinable would end the program
    throw;
  }
}

ThreadPool::~ThreadPool() { state_->stop(); }

int ThreadPool::size() const { return static_cast<int>(state_->threads.size()) + 1; }

void ThreadPool::run(const std::function<void(int worker)>& work) { run_round(work, true); }

void ThreadPool::share(const std::function<void(int worker)>& work) { run_round(work, false); }

void ThreadPool::run_round(const std::function<void(int worker)>& work, bool by_all) {
  const std::lock_guard turn(state_->one_run);
  {
    const std::lock_guard lock(state_->mutex);
    state_->work = &work;
    state_->by_all = by_all;
    state_->waited_for = by_all ? static_cast<int>(state_->threads.size()) : 0;
    ++state_->round;
  }
  state_->started.notify_all();
  state_->call(work, 0);

  if (!by_all) {
    const std::lock_guard lock(state_->mutex);
    state_->work = nullptr;
  }
  look_for([&] { return state_->waited_for == 0; });
  std::unique_lock lock(state_->mutex);
  state_->finished.wait(lock, [&] { return state_->waited_for == 0; });
  state_->work = nullptr;
  if (std::exception_ptr failure = std::exchange(state_->failure, nullptr)) {
    lock.unlock();
    std::rethrow_exception(failure);
  }
}

void ThreadPool::parallel_for(std::int64_t count, const std::function<void(std::int64_t i)>& work) {
  std::atomic<std::int64_t> next = 0;
  share([&](int) {
    for (std::int64_t i = next++; i < count; i = next++) work(i);
  });
}

}  // namespace sosia
