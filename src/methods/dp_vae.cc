// SPDX-License-Identifier: Apache-2.0
// DP-VAE: a variational auto-encoder trained on the rows by DP-SGD (Chen et al. 2018, after Acs et al. 2018). Rows are
// made from standard normal codes.
//
// Claim. One training by DP-SGD (dp_sgd.h), of encoder and decoder as one vector of parameters, and Gaussian releases
// of counts for quantiles of numbers and of the number of rows where that is not public. All are one plan
// (private_plan.h). The codes of a step are drawn by public randomness, a function of the row's own bits and the number
// of the step (VariationalLoss), so that a row's vector depends on that row and public numbers alone: the bound on its
// norm is the sensitivity, whatever was drawn.
#include <utility>

#include "generate/example_losses.h"
#include "methods/entries.h"
#include "methods/private_nets.h"

namespace sosia {

namespace {

constexpr char kNoPrefix[] = "", kLabel[] = "steps of the variational auto-encoder";

OpenRows open_rows(const Outline& outline) { return {outline.widths, std::nullopt}; }

std::vector<nn::LayerPtr> coder_layers(const OpenRows& rows, const Settings& settings) {
  return shape_of(rows, settings, 0, 0).variational(static_cast<std::size_t>(rows.inputs()));
}

std::vector<PlanPart> parts_of(const Outline& outline, const Settings& settings) {
  const OpenRows rows = open_rows(outline);
  std::vector<PlanPart> parts;
  add_row_counts(rows, outline, settings, parts);
  parts.push_back(descent_part(kNoPrefix, kLabel, 1.0, parameters_of(coder_layers(rows, settings)), outline, settings));
  return parts;
}

Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const OpenRows rows = open_rows(training.outline);
  const DecodedShape shape = shape_of(rows, training.settings, 0, 0);
  const PlanPart part = parts_of(training.outline, training.settings).back();
  const RowCounts counts = release_row_counts(table, rows, training, ledger);
  nn::Net coder(coder_layers(rows, training.settings), training.seed, training.threads);
  DpSgd sgd(table, ledger, training.threads, coder.parameters().size(),
            descent_of(kNoPrefix, part, counts.rows, training, ledger));
  Steps steps(training, part.count);
  for (int i = 0; i < part.count && steps.is_on(); ++i) {
    sgd.step(
        VariationalLoss(rows, static_cast<std::size_t>(shape.latent), training.seed, static_cast<std::uint64_t>(i)),
        coder);
    steps.go_on();
  }
  nn::Net maker(shape.maker(rows), training.seed, training.threads);
  copy_decoder(coder.parameters(), shape, maker);
  return decoded_net(shape, maker, counts);
}

}  // namespace

Method dp_vae_method() {
  std::vector<MethodOption> options = training_options();
  add_descent_options(kNoPrefix, "the auto-encoder", {10000, 128, 0.005, 0.012}, options);
  add_net_options(options);
  return private_method<parts_of, run>(
      {"dp-vae", "a variational auto-encoder, by DP-SGD",
       "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of encoder and "
       "decoder; "
       "and Gaussian ones of counts of each number for quantiles, and of the number of rows.",
       std::move(options)});
}

}  // namespace sosia
