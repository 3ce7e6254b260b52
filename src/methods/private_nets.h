// SPDX-License-Identifier: Apache-2.0
// Nets that are trained on private rows, and their training: what methods are put together from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "generate/decoded_generator.h"
#include "methods/private_plan.h"

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

/// All numbers of a maker.
DecodedNet decoded_net(const DecodedShape& shape, const nn::Net& maker, const RowCounts& counts);

/// Puts the decoder at the end of the numbers of an auto-encoder, or of a maker, at the end of a maker's.
void copy_decoder(std::span<const float> from, const DecodedShape& shape, nn::Net& maker);

}  // namespace sosia
