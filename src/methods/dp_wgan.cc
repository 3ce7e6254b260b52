// SPDX-License-Identifier: Apache-2.0
// DP-WGAN: a Wasserstein GAN whose critic is trained on the rows by DP-SGD (Xie et al. 2018; for mixed columns Frigerio
// et al. 2019). No auto-encoder: all layers of the maker learn from the critic. Told the label's classes, it is DP-CGAN
// (Torkzadehmahani, Kairouz and Paten 2019).
//
// Claim. One training by DP-SGD (dp_sgd.h), of the critic, by pairs of a real row and a made-up one; Gaussian releases
// of counts for quantiles of numbers, and of the number of rows, for DP-CGAN of each class, where these are not public.
// All are one plan (private_plan.h). The maker sees the critic, shares of classes and random numbers: post-processing.
// A row of a critic that is told the class is the row with its own label, one example of norm `clip` like any other.
#include <utility>

#include "methods/entries.h"
#include "methods/gan.h"

namespace sosia {

namespace {

constexpr char kNoPrefix[] = "";

template <bool kByClass>
OpenRows open_rows(const Outline& outline) {
  return {outline.widths, kByClass ? outline.target : std::nullopt};
}

template <bool kByClass>
DecodedShape nets_of(const OpenRows& rows, const Settings& settings) {
  return shape_of(rows, settings, settings.whole("drawn"), kByClass ? rows.parts() : 0);
}

template <bool kByClass>
std::vector<PlanPart> parts_of(const Outline& outline, const Settings& settings) {
  const OpenRows rows = open_rows<kByClass>(outline);
  std::vector<PlanPart> parts;
  add_row_counts(rows, outline, settings, parts);
  const std::size_t parameters = parameters_of(critic_layers(rows, nets_of<kByClass>(rows, settings)));
  parts.push_back(descent_part(kNoPrefix, kCriticLabel, 1.0, parameters, outline, settings));
  return parts;
}

template <bool kByClass>
Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const OpenRows rows = open_rows<kByClass>(training.outline);
  const DecodedShape shape = nets_of<kByClass>(rows, training.settings);
  const PlanPart part = parts_of<kByClass>(training.outline, training.settings).back();
  const RowCounts counts = release_row_counts(table, rows, training, ledger);
  Steps steps(training, part.count);
  Gan gan(rows, shape, counts.shares, parameters_of(shape.maker(rows)), training);
  gan.train({table, ledger, training, steps}, kNoPrefix, part, counts.rows);
  return decoded_net(shape, gan.maker(), counts);
}

std::vector<MethodOption> options() {
  std::vector<MethodOption> list = training_options();
  add_gan_options(kNoPrefix, list);
  add_net_options(list);
  return list;
}

}  // namespace

Method dp_wgan_method() {
  return private_method<parts_of<false>, run<false>>(
      {"dp-wgan", "a Wasserstein GAN, by DP-SGD",
       "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of the critic; and "
       "Gaussian ones of counts of each number for quantiles, and of the number of rows.",
       options()});
}

Method dp_cgan_method() {
  return private_method<parts_of<true>, run<true>>(
      {"dp-cgan", "a Wasserstein GAN that is told the class, by DP-SGD",
       "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of the critic; and "
       "Gaussian ones of counts of each number for quantiles, and of the number of rows of each class.",
       options()});
}

}  // namespace sosia
