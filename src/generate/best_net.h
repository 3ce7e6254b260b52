// SPDX-License-Identifier: Apache-2.0
// Which of the nets that a training goes through is kept.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "generate/embedding.h"

namespace sosia {

/// Says how far a net is from what it should make: less is better.
class NetJudge {
 public:
  virtual ~NetJudge() = default;
  virtual double distance(const nn::Net& net, ThreadPool& threads) = 0;
};

/// The squared distance of the mean embedding of a net's rows from a released one, part by part, up to a constant. Rows
/// are made from the same codes each time, so that only the net makes a difference. Judge by another release than
/// the net is trained by: what it has learned of the noise in its own brings it no closer to one with other noise.
std::unique_ptr<NetJudge> embedding_judge(const OpenRows& rows, const NetShape& shape, const EmbeddingTarget& target,
                                          const std::vector<double>& counts, std::uint64_t seed);

/// When nets are judged.
struct Checkpoints {
  NetJudge* judge = nullptr;  ///< none: the last net is kept
  int every = 1;              ///< steps
  int patience = 0;           ///< nets in a row that are not better before training ends; 0: any number
};

/// The best net so far.
class BestNet {
 public:
  explicit BestNet(const Checkpoints& checkpoints) : checkpoints_(checkpoints) {}

  /// After each step. False: no better one has come for a long time.
  bool look(const nn::Net& net, int steps, ThreadPool& threads);
  /// After the last step, which may have come early: the net becomes the best there was.
  void restore(nn::Net& net, int steps, ThreadPool& threads);

 private:
  void judge(const nn::Net& net, int steps, ThreadPool& threads);

  Checkpoints checkpoints_;
  int judged_at_ = 0, worse_ = 0;
  double distance_ = 0.0;
  std::vector<float> parameters_, state_;  ///< empty: none was judged
};

}  // namespace sosia
