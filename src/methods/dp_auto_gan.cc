// SPDX-License-Identifier: Apache-2.0
// DP-auto-GAN (Tantipongpipat et al. 2021), made sound: an auto-encoder, and then a Wasserstein GAN whose generator
// makes codes that the fixed decoder turns into rows.
//
// Claim. Two trainings by DP-SGD (dp_sgd.h), and before them, where there are numbers, one Gaussian release of counts
// for quantiles, and where it is not public, one of the number of rows:
//   1. the auto-encoder: encoder and decoder together are one vector of parameters, clipped and noised as such;
//   2. the critic, by pairs of a real row and a made-up one. The generator sees critic and decoder alone, so it is
//      post-processing, and so is all that follows.
// All steps are one plan, fixed before a row is read, and priced as a whole: a composition of sampled Gaussian events
// whose noise and number depend on nothing. What a step computes may depend on earlier ones.
// The published code trains the encoder without noise, draws rows with replacement, clips at a median of private norms
// and scales numbers by private extremes; none of that is covered by its guarantee, and none is done here
// (docs/methods/dp_auto_gan.md). With a public model (public_model.h) the coding of numbers and the decoder are those
// of the model: 1. falls away, and so do the quantiles.
#include <utility>

#include "methods/entries.h"
#include "methods/gan.h"

namespace sosia {

namespace {

constexpr char kCriticPrefix[] = "critic_";

/// The label is a column like any other.
OpenRows open_rows(const Outline& outline) { return {outline.widths, std::nullopt}; }

/// Codes are those of a public decoder, where there is one.
DecodedShape nets_of(const OpenRows& rows, const Outline& outline, const Settings& settings) {
  const int drawn = settings.whole("drawn");
  if (!outline.decoder) return shape_of(rows, settings, drawn, 0);
  return {drawn, outline.decoder->shape.latent, outline.decoder->shape.hidden, 0};
}

/// The number of rows, if need be; the auto-encoder, unless its decoder is public; the critic.
std::vector<PlanPart> parts_of(const Outline& outline, const Settings& settings) {
  const OpenRows rows = open_rows(outline);
  const DecodedShape shape = nets_of(rows, outline, settings);
  const double share = outline.decoder ? 0.0 : settings.number("auto_share");
  std::vector<PlanPart> parts;
  add_row_counts(rows, outline, settings, parts);
  if (!outline.decoder) {
    const std::size_t weights = parameters_of(shape.auto_encoder(static_cast<std::size_t>(rows.inputs())));
    parts.push_back(descent_part(kAutoPrefix, kAutoLabel, share, weights, outline, settings));
  }
  parts.push_back(descent_part(kCriticPrefix, kCriticLabel, 1.0 - share, parameters_of(critic_layers(rows, shape)),
                               outline, settings));
  return parts;
}

/// The numbers of an auto-encoder, at whose end the decoder is.
std::vector<float> trained_coder(const Descent& descent, const OpenRows& rows, const DecodedShape& shape,
                                 const PlanPart& part, const RowCounts& counts) {
  nn::Net coder(shape.auto_encoder(static_cast<std::size_t>(rows.inputs())), descent.training.seed,
                descent.training.threads);
  train_auto_encoder(descent, rows, part, counts.rows, coder);
  return {coder.parameters().begin(), coder.parameters().end()};
}

Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const OpenRows rows = open_rows(training.outline);
  const DecodedShape shape = nets_of(rows, training.outline, training.settings);
  const std::vector<PlanPart> parts = parts_of(training.outline, training.settings);
  const PlanPart& of_critic = parts.back();
  const PlanPart* const of_coder = training.outline.decoder ? nullptr : &parts[parts.size() - 2];
  const RowCounts counts = release_row_counts(table, rows, training, ledger);
  Steps steps(training, (of_coder != nullptr ? of_coder->count : 0) + of_critic.count);
  const Descent descent{table, ledger, training, steps};

  const std::vector<float> decoded_by = of_coder != nullptr ? trained_coder(descent, rows, shape, *of_coder, counts)
                                                            : training.outline.decoder->parameters;
  const std::size_t all = parameters_of(shape.maker(rows));
  Gan gan(rows, shape, {}, all - shape.decoder_parameters(static_cast<std::size_t>(rows.inputs())), training);
  copy_decoder(decoded_by, shape, gan.maker());
  gan.train(descent, kCriticPrefix, of_critic, counts.rows);
  return decoded_net(shape, gan.maker(), counts);
}

}  // namespace

Method dp_auto_gan_method() {
  std::vector<MethodOption> options = training_options();
  options.push_back({"auto_share", 0.5, 0.01, 0.99, false, "of the budget that is left, for the auto-encoder"});
  add_descent_options(kAutoPrefix, "the auto-encoder", {10000, 64, 0.005, 0.012}, options);
  add_gan_options(kCriticPrefix, options);
  add_net_options(options);
  Method method = private_method<parts_of, run>(
      {"dp-auto-gan", "an auto-encoder and a GAN in the space of its codes, by DP-SGD",
       "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of the auto-encoder "
       "and of the critic; and Gaussian ones of counts of each number for quantiles, and of the number of rows. With "
       "a model of public rows (--public-model) neither quantiles nor steps of the auto-encoder are released: coding "
       "and decoder are the model's, which is declared public.",
       std::move(options)});
  method.info.takes_public_model = true;
  return method;
}

}  // namespace sosia
