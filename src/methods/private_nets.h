// SPDX-License-Identifier: Apache-2.0
// Nets that are trained on private rows, and their training: what methods are put together from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/decoded_generator.h"
#include "methods/private_plan.h"
#include "nn/optimizer.h"

namespace sosia {

/// Counts the steps of all trainings of a method for its watch, which may end them.
class Steps {
 public:
  Steps(const Training& training, int most) : training_(training), most_(most) {}
  /// A step was taken; whether there shall be another one.
  bool go_on() { return is_on_ = training_.watch({++step_, most_, 0.0}); }
  bool is_on() const { return is_on_; }

 private:
  const Training& training_;
  int most_, step_ = 0;
  bool is_on_ = true;
};

/// The published widths, 60 and 15 for 106 numbers, scaled to the columns; for binary columns codes of 64 at most.
DecodedShape shape_of(const OpenRows& rows, const Settings& settings, int drawn, int classes);
std::vector<nn::LayerPtr> critic_layers(const OpenRows& rows, const DecodedShape& shape);
std::size_t parameters_of(std::vector<nn::LayerPtr> layers);

/// What a descent needs beside its loss.
struct Descent {
  const PrivateTable& table;
  Ledger& ledger;
  const Training& training;
  Steps& steps;
};

/// Trains an auto-encoder on the rows: the options with the prefix "auto_", and Adam. A net that is told the class
/// takes it by the label of `rows`.
inline constexpr char kAutoPrefix[] = "auto_", kAutoLabel[] = "steps of the auto-encoder";
void train_auto_encoder(const Descent& descent, const OpenRows& rows, const PlanPart& part, double about_rows,
                        nn::Net& coder);

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
  std::size_t critic_parameters() const { return critic_.parameters().size(); }
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

/// All numbers of a maker.
DecodedNet decoded_net(const DecodedShape& shape, const nn::Net& maker, const RowCounts& counts);

/// Puts the decoder of an auto-encoder at the end of a maker's numbers.
void copy_decoder(const nn::Net& coder, const DecodedShape& shape, nn::Net& maker);

}  // namespace sosia
