// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "methods/private_nets.h"
#include "nn/optimizer.h"

namespace sosia {

/// A maker and a critic that learn from each other (Goodfellow et al. 2014), by scores (Arjovsky, Chintala and Bottou
/// 2017): the critic by DP-SGD on pairs of a real row and a made-up one, its weights cut to a bound after each step.
/// The maker sees the critic and random numbers alone, so it is post-processing. Where rows are made by class, both are
/// told it, and classes are made by their shares.
class Gan {
 public:
  /// Of the maker's parameters the first `trained` learn; the others are set, and stay.
  Gan(const OpenRows& rows, const DecodedShape& shape, std::vector<double> shares, std::size_t trained,
      const Training& training);

  nn::Net& maker() { return maker_; }
  /// Takes the critic's steps, as many as were planned, by the options "turns", "weights" and those with the prefix.
  void train(const Descent& descent, const std::string& prefix, const PlanPart& part, double about_rows);

 private:
  MatrixView<const float> make_rows();
  void critic_step(DpSgd& descent, double most_weight);
  /// Towards rows that the critic scores higher.
  void maker_step(double rate);

  OpenRows rows_;
  DecodedShape shape_;
  std::vector<double> shares_;
  ThreadPool& threads_;
  std::uint64_t seed_, stream_ = 0;
  nn::Net maker_, critic_;
  std::size_t trained_;
  std::vector<float> normals_, inputs_, judged_rows_, gradient_;
  nn::Workspace made_, judged_;
  nn::Optimizer optimizer_;
};

/// What a GAN's options are: of its critic, with the prefix, and how the two take turns.
void add_gan_options(const std::string& prefix, std::vector<MethodOption>& options);
inline constexpr char kCriticLabel[] = "steps of the critic";

}  // namespace sosia
