// SPDX-License-Identifier: Apache-2.0
// DP-SYN (Abay et al. 2018): an auto-encoder, and for each class a mixture of normals over its codes.
//
// Claim. The auto-encoder by DP-SGD (dp_sgd.h), encoder and decoder as one vector of parameters; rounds of expectation
// maximisation, each one Gaussian release of moments of the codes by class (code_moments.h); Gaussian releases of
// counts for quantiles of numbers, and of the number of rows of each class where that is not public. All are one plan
// (private_plan.h).
// The paper trains an auto-encoder for each class. Here there is one, whose decoder is told the class: gradients of all
// classes add up against the same noise, where each of several would have its own rows alone against as much.
#include <utility>

#include "methods/code_moments.h"
#include "methods/entries.h"
#include "methods/private_nets.h"

namespace sosia {

namespace {

OpenRows open_rows(const Outline& outline) { return {outline.widths, outline.target}; }

DecodedShape nets_of(const OpenRows& rows, const Settings& settings) {
  return shape_of(rows, settings, 0, rows.parts());
}

/// The number of rows of each class, if need be; the auto-encoder; the mixture.
std::vector<PlanPart> parts_of(const Outline& outline, const Settings& settings) {
  const OpenRows rows = open_rows(outline);
  const DecodedShape shape = nets_of(rows, settings);
  const double share = settings.number("mixture_share");
  std::vector<PlanPart> parts;
  add_row_counts(rows, outline, settings, parts);
  parts.push_back(descent_part(kAutoPrefix, kAutoLabel, 1.0 - share,
                               parameters_of(shape.auto_encoder(static_cast<std::size_t>(rows.inputs()), true)),
                               outline, settings));
  parts.push_back(gaussian_part(kMomentsLabel, settings.whole("rounds"), share,
                                moment_numbers(rows, shape, settings.whole("components")), kMomentsNorm));
  return parts;
}

/// The first half of an auto-encoder, by itself.
nn::Net encoder_of(const DecodedShape& shape, const nn::Net& coder, std::size_t inputs, ThreadPool& threads) {
  nn::Net encoder(shape.encoder(inputs, true), 0, threads);
  std::ranges::copy(coder.parameters().first(encoder.parameters().size()), encoder.parameters().begin());
  return encoder;
}

Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const OpenRows rows = open_rows(training.outline);
  const DecodedShape shape = nets_of(rows, training.settings);
  const auto inputs = static_cast<std::size_t>(rows.inputs());
  const std::vector<PlanPart> parts = parts_of(training.outline, training.settings);
  const PlanPart &of_coder = parts[parts.size() - 2], &of_mixture = parts.back();
  const RowCounts counts = release_row_counts(table, rows, training, ledger);
  Steps steps(training, of_coder.count + of_mixture.count);

  nn::Net coder(shape.auto_encoder(inputs, true), training.seed, training.threads);
  train_auto_encoder({table, ledger, training, steps}, rows, of_coder, counts.rows, coder);
  const nn::Net encoder = encoder_of(shape, coder, inputs, training.threads);
  CodeMixture mixture = first_mixture(rows, shape, training.settings.whole("components"), training.seed);
  const NoisySum how{.noise = planned_noise(ledger, kMomentsLabel), .label = kMomentsLabel};
  for (int round = 0; round < of_mixture.count && steps.is_on(); ++round) {
    improve_mixture(table, rows, encoder, how, ledger, training.threads, mixture);
    steps.go_on();
  }
  nn::Net maker(shape.maker(rows), training.seed, training.threads);
  copy_decoder(coder.parameters(), shape, maker);
  DecodedNet net = decoded_net(shape, maker, counts);
  net.codes = std::move(mixture);
  return net;
}

}  // namespace

Method dp_syn_method() {
  std::vector<MethodOption> options = training_options();
  add_descent_options(kAutoPrefix, "the auto-encoder", {10000, 128, 0.005, 0.012}, options);
  options.push_back({"mixture_share", 0.3, 0.01, 0.99, false, "of the budget that is left, for the mixture of codes"});
  options.push_back({"components", 5, 1, 1000, true, "of the mixture, for each class"});
  options.push_back({"rounds", 10, 1, 1000, true, "of expectation maximisation"});
  add_net_options(options);
  return private_method<parts_of, run>(
      {"dp-syn", "an auto-encoder by DP-SGD, and mixtures of normals over its codes by class",
       "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of the auto-encoder; "
       "and "
       "Gaussian ones of moments of the codes by class for each round of the mixture, of counts of each number for "
       "quantiles, and of the number of rows of each class.",
       std::move(options)});
}

}  // namespace sosia
