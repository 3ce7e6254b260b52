// SPDX-License-Identifier: Apache-2.0
#include "methods/gan.h"

#include <algorithm>
#include <utility>

#include "generate/conditioned_rows.h"
#include "generate/example_losses.h"
#include "simd/elementwise.h"
#include "simd/normals.h"

namespace sosia {

namespace {

constexpr std::size_t kMade = 128;  // rows that the maker makes in a step

}  // namespace

void add_gan_options(const std::string& prefix, std::vector<MethodOption>& options) {
  add_descent_options(prefix, "the critic", {15000, 128, 0.005, 0.022}, options);
  options.push_back({"turns", 3, 1, 10000, true, "of the critic for one of the generator"});
  options.push_back({"weights", 0.05, 1e-6, 1e6, false, "bound on the critic's weights"});
  options.push_back({"drawn", 64, 1, 100000, true, "normal numbers that a row is made from"});
}

Gan::Gan(const OpenRows& rows, const DecodedShape& shape, std::vector<double> shares, std::size_t trained,
         const Training& training)
    : rows_(rows),
      shape_(shape),
      shares_(std::move(shares)),
      threads_(training.threads),
      seed_(training.seed),
      maker_(shape.maker(rows_), training.seed + 1, training.threads),
      critic_(critic_layers(rows, shape), training.seed + 2, training.threads),
      trained_(trained),
      normals_(kMade * static_cast<std::size_t>(shape.drawn)),
      inputs_(kMade * maker_.inputs()),
      judged_rows_(kMade * critic_.inputs()),
      gradient_(maker_.parameters().size()),
      made_(maker_, kMade),
      judged_(critic_, kMade, true),
      optimizer_(nn::RmsProp(), trained) {}

MatrixView<const float> Gan::make_rows() {
  simd::fill_normals(seed_, ++stream_, normals_, threads_);
  PublicRng rng(seed_, (std::uint64_t{1} << 63) + stream_);  // beside the streams of normals
  const std::vector<std::uint32_t> parts = drawn_parts(shares_, kMade, rng);
  const MatrixView<float> inputs(inputs_.data(), kMade, maker_.inputs());
  write_maker_inputs(shape_, parts, normals_, inputs);
  const MatrixView<const float> made = maker_.forward(inputs, made_, threads_);
  const MatrixView<float> judged(judged_rows_.data(), kMade, critic_.inputs());
  for (std::size_t r = 0; r < kMade; ++r) {
    const std::span<float> row = judged.row(r);
    std::ranges::copy(made.row(r), row.begin());
    std::ranges::fill(row.subspan(made.cols), 0.0F);
    if (made.cols < row.size()) row[made.cols + parts[r]] = 1.0F;
  }
  return judged;
}

void Gan::critic_step(DpSgd& descent, double most_weight) {
  const CriticLoss loss(rows_, make_rows());
  descent.step(loss, critic_);
  simd::clamp(static_cast<float>(most_weight), critic_.parameters());
}

void Gan::maker_step(double rate) {
  critic_.evaluate(make_rows(), judged_, threads_);
  std::fill_n(judged_.output_gradient().data, kMade, -1.0F / static_cast<float>(kMade));
  critic_.backward(judged_, {}, threads_);
  const MatrixView<float> slopes = made_.output_gradient();
  for (std::size_t r = 0; r < kMade; ++r) {
    std::copy_n(judged_.input_gradient().row(r).begin(), slopes.cols, slopes.row(r).begin());
  }
  maker_.backward(made_, gradient_, threads_);
  optimizer_.step(rate, std::span(gradient_).first(trained_), maker_.parameters().first(trained_), threads_);
}

void Gan::train(const Descent& descent, const std::string& prefix, const PlanPart& part, double about_rows) {
  const Settings& settings = descent.training.settings;
  DpSgdOptions options = descent_of(prefix, part, about_rows, descent.training, descent.ledger);
  options.optimizer = nn::RmsProp();
  DpSgd sgd(descent.table, descent.ledger, threads_, critic_.parameters().size(), options);
  for (int i = 0; i < part.count && descent.steps.is_on(); ++i) {
    critic_step(sgd, settings.number("weights"));
    if ((i + 1) % settings.whole("turns") == 0) maker_step(options.rate);
    descent.steps.go_on();
  }
}

}  // namespace sosia
