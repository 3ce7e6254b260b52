// SPDX-License-Identifier: Apache-2.0
// DP-auto-GAN (Tantipongpipat et al. 2021), made sound: an auto-encoder, and then a Wasserstein GAN whose generator
// makes codes that the fixed decoder turns into rows.
//
// Claim. Two trainings by DP-SGD (dp_sgd.h), and before them, where there are numbers, one Gaussian release of counts
// for quantiles:
//   1. the auto-encoder: encoder and decoder together are one vector of parameters, clipped and noised as such;
//   2. the critic, by pairs of a real row and a made-up one. The generator sees critic and decoder alone, so it is
//      post-processing, and so is all that follows.
// All steps are one plan, fixed before a row is read, and priced as a whole: a composition of sampled Gaussian events
// whose noise and number depend on nothing. What a step computes may depend on earlier ones.
// The published code trains the encoder without noise, draws rows with replacement, clips at a median of private norms
// and scales numbers by private extremes; none of that is covered by its guarantee, and none is done here
// (docs/methods/dp_auto_gan.md).
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/check.h"
#include "generate/decoded_generator.h"
#include "generate/example_losses.h"
#include "methods/dp_sgd.h"
#include "methods/entries.h"
#include "simd/elementwise.h"
#include "simd/normals.h"

namespace sosia {

namespace {

constexpr char kAutoLabel[] = "steps of the auto-encoder", kCriticLabel[] = "steps of the critic";
constexpr std::size_t kMade = 128;  // rows that the generator makes in a step
constexpr double kHardlyAny = 1e-3;

double rows_of(const Outline& outline, const Settings& settings) {
  const double given = settings.number("rows");
  return given > 0.0 ? given : outline.rows.value_or(kRowsIfUnknown);
}

OpenRows rows_of(const Outline& outline) { return {outline.widths, std::nullopt}; }

bool is_binary(const Outline& outline, const Settings& settings) {
  if (settings.whole("preset") > 0) return settings.whole("preset") == 2;
  return std::ranges::all_of(outline.widths, [](std::uint32_t width) { return width == 2; });
}

/// The published widths, 60 and 15 for 106 numbers, scaled to the columns; for binary columns codes of 64 at most.
DecodedShape shape_of(const Outline& outline, const Settings& settings) {
  const double inputs = rows_of(outline).inputs();
  const auto or_scaled = [&](const char* name, double ratio, double least, double most) {
    const int given = settings.whole(name);
    return given > 0 ? given : static_cast<int>(std::clamp(std::round(ratio * inputs), least, most));
  };
  if (is_binary(outline, settings)) return {settings.whole("drawn"), or_scaled("latent", 0.5, 2.0, 64.0), 0};
  return {settings.whole("drawn"), or_scaled("latent", 15.0 / 106.0, 4.0, 64.0),
          or_scaled("hidden", 60.0 / 106.0, 16.0, 256.0)};
}

std::vector<nn::LayerPtr> critic_layers(const Outline& outline, const Settings& settings) {
  const auto inputs = static_cast<std::size_t>(rows_of(outline).inputs());
  const simd::Activation leaky{simd::ActivationKind::leaky_relu, 0.2F};
  std::vector<nn::LayerPtr> layers;
  const std::size_t first = std::max<std::size_t>(8, is_binary(outline, settings) ? inputs / 4 : 2 * inputs / 3);
  layers.push_back(nn::dense(inputs, first, {.activation = leaky}));
  if (!is_binary(outline, settings)) layers.push_back(nn::dense(first, first / 2, {.activation = leaky}));
  layers.push_back(nn::dense(layers.back()->outputs(), 1, {.init = nn::Init::xavier}));
  return layers;
}

/// One of the two trainings: "auto" or "critic".
struct Phase {
  std::string name, label;
  int steps;
  DpSgdOptions sgd;
};

Phase phase_of(const std::string& name, const Outline& outline, const Settings& settings, const Plan* plan) {
  const bool is_critic = name == "critic";
  Phase phase{name, is_critic ? kCriticLabel : kAutoLabel, settings.whole(name + "_steps"), {}};
  const double batch = std::min(settings.number(name + "_batch"), rows_of(outline, settings));
  double noise = settings.number(name + "_noise");
  if (noise == 0.0) noise = plan == nullptr ? kHardlyAny : 0.0;
  for (const Event& event : plan != nullptr ? plan->events : std::vector<Event>()) {
    if (event.label != phase.label) continue;
    const auto* sampled = std::get_if<SampledGaussian>(&event.mechanism);
    noise = sampled != nullptr ? sampled->noise : std::get<Gaussian>(event.mechanism).noise;
  }
  phase.sgd = {.how = {.noise = noise, .rate = batch / rows_of(outline, settings), .label = phase.label},
               .batch = batch,
               .rate = settings.number(name + "_rate"),
               .clip = settings.number(name + "_clip"),
               .quantile = settings.number("clip_quantile")};
  if (is_critic) phase.sgd.optimizer = nn::RmsProp();
  return phase;
}

OpenPlan events_of(const Outline& outline, const Settings& settings) {
  OpenPlan open;
  const double share = settings.number("auto_share");
  for (const char* name : {"auto", "critic"}) {
    Phase phase = phase_of(name, outline, settings, nullptr);
    const bool is_given = settings.number(phase.name + "_noise") > 0.0;
    open.plan.events.push_back(event_of(phase.sgd.how, phase.steps));
    open.shares.push_back(is_given ? 0.0 : phase.name == "auto" ? share : 1.0 - share);
  }
  return open;
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const auto inputs = static_cast<std::size_t>(rows_of(outline).inputs());
  ThreadPool alone(1);
  std::vector<PlannedRelease> list;
  for (const char* name : {"auto", "critic"}) {
    const Phase phase = phase_of(name, outline, settings, ledger.plan());
    const nn::Net net(
        phase.name == "auto" ? shape_of(outline, settings).auto_encoder(inputs) : critic_layers(outline, settings), 0,
        alone);
    list.push_back({std::to_string(phase.steps) + " " + phase.label, static_cast<std::int64_t>(net.parameters().size()),
                    phase.sgd.how.noise,
                    phase.sgd.how.noise * phase.sgd.clip * static_cast<double>(ledger.promise().unit.max_rows)});
  }
  return list;
}

/// The second training.
class Gan {
 public:
  Gan(const Outline& outline, const DecodedShape& shape, nn::Net critic, const Training& training)
      : rows_(rows_of(outline)),
        threads_(training.threads),
        seed_(training.seed),
        maker_(shape.maker(rows_), training.seed + 1, training.threads),
        critic_(std::move(critic)),
        generator_(maker_.parameters().size() - shape.decoder_parameters(maker_.outputs())),
        normals_(kMade * maker_.inputs()),
        gradient_(maker_.parameters().size()),
        made_(maker_, kMade),
        judged_(critic_, kMade, true),
        optimizer_(nn::RmsProp(), generator_) {}

  void set_decoder(std::span<const float> parameters) {
    std::ranges::copy(parameters.last(maker_.parameters().size() - generator_),
                      maker_.parameters().subspan(generator_).begin());
  }

  void critic_step(DpSgd& descent, double most) {
    const CriticLoss loss(rows_, make_rows());
    descent.step(loss, critic_);
    simd::clamp(static_cast<float>(most), critic_.parameters());
  }

  /// Towards rows that the critic scores higher.
  void generator_step(double rate) {
    critic_.evaluate(make_rows(), judged_, threads_);
    const MatrixView<float> slopes = judged_.output_gradient();
    std::fill_n(slopes.data, kMade, -1.0F / static_cast<float>(kMade));
    critic_.backward(judged_, {}, threads_);
    std::copy_n(judged_.input_gradient().data, kMade * maker_.outputs(), made_.output_gradient().data);
    maker_.backward(made_, gradient_, threads_);
    optimizer_.step(rate, std::span(gradient_).first(generator_), maker_.parameters().first(generator_), threads_);
  }

  const nn::Net& maker() const { return maker_; }
  nn::Net& critic() { return critic_; }

 private:
  MatrixView<const float> make_rows() {
    simd::fill_normals(seed_, ++stream_, normals_, threads_);
    return maker_.forward({normals_.data(), kMade, maker_.inputs()}, made_, threads_);
  }

  OpenRows rows_;
  ThreadPool& threads_;
  std::uint64_t seed_, stream_ = 0;
  nn::Net maker_, critic_;
  std::size_t generator_;  ///< parameters of the generator, the first of the maker's
  std::vector<float> normals_, gradient_;
  nn::Workspace made_, judged_;
  nn::Optimizer optimizer_;
};

Released run(const PrivateTable& table, Ledger& ledger, const Training& training) {
  const Outline& outline = training.outline;
  const Settings& settings = training.settings;
  const DecodedShape shape = shape_of(outline, settings);
  const OpenRows rows = rows_of(outline);
  const Phase first = phase_of("auto", outline, settings, ledger.plan());
  const Phase second = phase_of("critic", outline, settings, ledger.plan());
  int step = 0;
  const auto goes_on = [&] { return training.watch({++step, first.steps + second.steps, 0.0}); };
  bool is_on = true;

  nn::Net coder(shape.auto_encoder(static_cast<std::size_t>(rows.inputs())), training.seed, training.threads);
  const ReconstructionLoss loss(rows);
  DpSgd coder_descent(table, ledger, training.threads, coder.parameters().size(), first.sgd);
  for (int i = 0; i < first.steps && is_on; ++i) {
    coder_descent.step(loss, coder);
    is_on = goes_on();
  }

  Gan gan(outline, shape, nn::Net(critic_layers(outline, settings), training.seed + 2, training.threads), training);
  gan.set_decoder(coder.parameters());
  DpSgd critic_descent(table, ledger, training.threads, gan.critic().parameters().size(), second.sgd);
  for (int i = 0; i < second.steps && is_on; ++i) {
    gan.critic_step(critic_descent, settings.number("weights"));
    if ((i + 1) % settings.whole("turns") == 0) gan.generator_step(settings.number("critic_rate"));
    is_on = goes_on();
  }
  const nn::Net& maker = gan.maker();
  return DecodedNet{rows_of(outline, settings),
                    shape,
                    {maker.parameters().begin(), maker.parameters().end()},
                    {maker.state().begin(), maker.state().end()}};
}

std::shared_ptr<const Generator> train(const Released& released, const Training& training) {
  training.watch({1, 1, 0.0});
  return std::make_shared<const DecodedGenerator>(rows_of(training.outline), std::get<DecodedNet>(released));
}

}  // namespace

Method dp_auto_gan_method() {
  std::vector<MethodOption> options = {
      {"preset", 0, 0, 2, true, "nets: 1 for mixed columns, 2 for binary ones; 0: by the columns"},
      {"rows", 0, 0, 1e12, true,
       "of the table, about and publicly known, for the sampling rates; 0: as declared, or 10000"},
      {"quantiles", 0.05, 0.0, 0.9, false,
       "share of the budget for quantiles of the numbers; 0: scaled by their bounds"},
      {"stretches", 0, 0, 64, true,
       "of a number's range that hold as many rows each, at most; 0: 32, of up to 3 numbers 4"},
      {"auto_share", 0.5, 0.01, 0.99, false, "of the budget that is left, for the auto-encoder"},
      {"auto_steps", 10000, 1, 10000000, true, "of the auto-encoder"},
      {"auto_batch", 64, 1, 1e9, false, "rows in a sample, on average"},
      {"auto_rate", 0.005, 1e-6, 1.0, false, "of Adam"},
      {"auto_clip", 0.012, 1e-6, 1e6, false, "norm to which the gradient of a row is clipped"},
      {"auto_noise", 0.0, 0.0, 1e6, false, "multiplier; 0: as the budget allows"},
      {"critic_steps", 15000, 1, 10000000, true, "of the critic"},
      {"critic_batch", 128, 1, 1e9, false, "rows in a sample, on average"},
      {"critic_rate", 0.005, 1e-6, 1.0, false, "of RMSProp, for the generator too"},
      {"critic_clip", 0.022, 1e-6, 1e6, false, "norm to which the gradient of a row is clipped"},
      {"critic_noise", 0.0, 0.0, 1e6, false, "multiplier; 0: as the budget allows"},
      {"turns", 3, 1, 10000, true, "of the critic for one of the generator"},
      {"weights", 0.05, 1e-6, 1e6, false, "bound on the critic's weights"},
      {"clip_quantile", 0.0, 0.0, 0.99, false, "of the norms, which the clipping norms follow; 0: they stay"},
      {"latent", 0, 0, 100000, true, "numbers of a code; 0: by the columns"},
      {"hidden", 0, 0, 100000, true, "width of encoder and decoder, for mixed columns; 0: by the columns"},
      {"drawn", 64, 1, 100000, true, "normal numbers that a row is made from"}};
  return {{"dp-auto-gan", "an auto-encoder and a GAN in the space of its codes, by DP-SGD",
           "Sampled Gaussian releases, planned as a whole: a sum of clipped gradients for each step of the "
           "auto-encoder and of "
           "the critic; and a Gaussian release of counts of each number for quantiles.",
           std::move(options)},
          NumberCoding::scaled,
          plan,
          nullptr,
          train,
          PrivateTraining{events_of, run}};
}

}  // namespace sosia
