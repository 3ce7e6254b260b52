// SPDX-License-Identifier: Apache-2.0
// DP-MERF with an auto-encoder (Harder, Adamczewski and Park 2021, algorithm 2), made sound: the mean embeddings of
// DP-MERF are followed by a generator of codes, which the fixed decoder of an auto-encoder turns into rows.
//
// Claim. The releases of DP-MERF, sums by class and numbers of rows (dp_merf.cc), and the auto-encoder by DP-SGD
// (dp_sgd.h), encoder and decoder as one vector of parameters; all of them one plan (private_plan.h). The generator
// sees embeddings, decoder and random numbers: post-processing. The paper updates the encoder without noise, as only
// the decoder is kept. But each gradient of the decoder depends on all rows through that encoder, so that clipping a
// row's gradient does not bound what a row changes: the decoder would not be private.
#include <utility>

#include "methods/embeddings.h"
#include "methods/entries.h"
#include "methods/private_nets.h"
#include "simd/normals.h"

namespace sosia {

namespace {

OpenRows open_rows(const Outline& outline) { return {outline.widths, outline.target}; }

DecodedShape nets_of(const OpenRows& rows, const Settings& settings) {
  return shape_of(rows, settings, settings.whole("drawn"), rows.parts());
}

PlanPart coder_part(const OpenRows& rows, const Outline& outline, const Settings& settings) {
  const DecodedShape shape = nets_of(rows, settings);
  return descent_part(kAutoPrefix, kAutoLabel, settings.number("auto_share"),
                      parameters_of(shape.auto_encoder(static_cast<std::size_t>(rows.inputs()))), outline, settings);
}

std::vector<PlanPart> parts_of(const Outline& outline, const Settings& settings) {
  const OpenRows rows = open_rows(outline);
  std::vector<PlanPart> parts =
      embedding_parts(rows, merf_maps(rows, outline, settings), 1.0 - settings.number("auto_share"));
  parts.push_back(coder_part(rows, outline, settings));
  return parts;
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const OpenRows rows = open_rows(outline);
  std::vector<PlannedRelease> list = plan_embeddings(rows, merf_maps(rows, outline, settings), outline, ledger);
  list.push_back(planned_releases({coder_part(rows, outline, settings)}, ledger).front());
  return list;
}

/// Fits the part of the maker that is no decoder.
void follow_embeddings(const Embeddings& released, const OpenRows& rows, const DecodedShape& shape,
                       const Training& training, Steps& steps, nn::Net& maker) {
  const Settings& settings = training.settings;
  const std::vector<TargetMap> maps = merf_maps(rows, training.outline, settings);
  std::vector<EmbeddingTarget> targets;
  for (std::size_t i = 0; i < maps.size(); ++i) targets.push_back({maps[i].map, &released.list[i], maps[i].weight});
  std::vector<float> normals;
  const auto write_inputs = [&](int step, Parts parts, MatrixView<float> inputs) {
    normals.resize(parts.size() * static_cast<std::size_t>(shape.drawn));
    simd::fill_normals(training.seed, static_cast<std::uint64_t>(step) + 1, normals, training.threads);
    write_maker_inputs(shape, parts, normals, inputs);
  };
  NetFitOptions options;
  options.steps = settings.whole("steps");
  options.batch = settings.whole("batch");
  options.rate = settings.number("rate");
  options.seed = training.seed;
  fit_net(maker, maker.parameters().size() - shape.decoder_parameters(maker.outputs()), write_inputs, targets,
          released.counts, options, training.threads, [&](int, double) { return steps.go_on(); });
}

Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const OpenRows rows = open_rows(training.outline);
  const DecodedShape shape = nets_of(rows, training.settings);
  const PlanPart part = coder_part(rows, training.outline, training.settings);
  const Embeddings released = release_embeddings(table, rows, merf_maps(rows, training.outline, training.settings),
                                                 training.outline, ledger, training.threads);
  Steps steps(training, part.count + training.settings.whole("steps"));
  nn::Net coder(shape.auto_encoder(static_cast<std::size_t>(rows.inputs())), training.seed, training.threads);
  train_auto_encoder({table, ledger, training, steps}, rows, part, released.rows, coder);
  nn::Net maker(shape.maker(rows), training.seed + 1, training.threads);
  copy_decoder(coder.parameters(), shape, maker);
  if (steps.is_on()) follow_embeddings(released, rows, shape, training, steps, maker);
  return decoded_net(shape, maker, {released.rows, released.counts});
}

}  // namespace

Method dp_merf_ae_method() {
  std::vector<MethodOption> options = merf_options();
  for (const MethodOption& option : training_options()) {
    if (option.name != "rows_share") options.push_back(option);  // rows are counted with the embeddings
  }
  options.push_back({"auto_share", 0.3, 0.01, 0.99, false, "of the budget that is left, for the auto-encoder"});
  add_descent_options(kAutoPrefix, "the auto-encoder", {10000, 128, 0.005, 0.012}, options);
  options.push_back({"steps", 3000, 1, 10000000, true, "of the generator"});
  options.push_back({"batch", 1000, 2, 1000000, true, "rows that it makes in a step"});
  options.push_back({"rate", 0.01, 1e-6, 1.0, false, "of Adam, at the start; it falls to 0 along half a cosine"});
  options.push_back({"drawn", 64, 1, 100000, true, "normal numbers that a row is made from"});
  add_net_options(options);
  Method method = private_method<parts_of, run>(
      {"dp-merf-ae", "random-Fourier mean embeddings, followed by a generator of an auto-encoder's codes",
       "Gaussian releases of counts of each number for quantiles, and for each class of sums of Fourier features, of "
       "one-hot categories and of rows; and sampled Gaussian ones, planned with them as a whole: a sum of clipped "
       "gradients for each step of the auto-encoder.",
       std::move(options)});
  method.plan = plan;
  return method;
}

}  // namespace sosia
