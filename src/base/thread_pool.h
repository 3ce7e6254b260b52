// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sosia {

/// Worker threads, made once and passed in; no global pool, no OpenMP. Results must not depend on the number of
/// threads.
class ThreadPool {
 public:
  /// 0: one per core.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;
  /// Calls work(worker) once on each worker, worker = 0 .. size()-1, the caller being worker 0, and waits for all. The
  /// first exception is rethrown here after all have ended.
  void run(const std::function<void(int worker)>& work);
  /// The same on worker 0, and on those others that are there before worker 0 is done: for work that is handed out in
  /// pieces, where nobody has to wait for a thread that would find nothing left.
  void share(const std::function<void(int worker)>& work);
  /// Calls work(i) for every i below count, spread over the workers.
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t i)>& work);

 private:
  struct State;
  void run_round(const std::function<void(int worker)>& work, bool by_all);
  std::unique_ptr<State> state_;
};

}  // namespace sosia
