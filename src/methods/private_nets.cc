// SPDX-License-Identifier: Apache-2.0
#include "methods/private_nets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "generate/example_losses.h"

namespace sosia {

namespace {

bool is_binary(const OpenRows& rows, const Settings& settings) {
  if (settings.whole("preset") > 0) return settings.whole("preset") == 2;
  return rows.scalars() == 0 && std::ranges::all_of(rows.blocks(), [](int width) { return width == 2; });
}

}  // namespace

DecodedShape shape_of(const OpenRows& rows, const Settings& settings, int drawn, int classes) {
  const double inputs = rows.inputs();
  const auto or_scaled = [&](const char* name, double ratio, double least, double most) {
    const int given = settings.whole(name);
    return given > 0 ? given : static_cast<int>(std::clamp(std::round(ratio * inputs), least, most));
  };
  if (is_binary(rows, settings)) return {drawn, or_scaled("latent", 0.5, 2.0, 64.0), 0, classes};
  return {drawn, or_scaled("latent", 15.0 / 106.0, 4.0, 64.0), or_scaled("hidden", 60.0 / 106.0, 16.0, 256.0), classes};
}

std::vector<nn::LayerPtr> critic_layers(const OpenRows& rows, const DecodedShape& shape) {
  const std::size_t inputs = static_cast<std::size_t>(rows.inputs()) + static_cast<std::size_t>(shape.classes);
  const simd::Activation leaky{simd::ActivationKind::leaky_relu, 0.2F};
  const bool is_mixed = shape.hidden > 0;
  std::vector<nn::LayerPtr> layers;
  const std::size_t first = std::max<std::size_t>(8, is_mixed ? 2 * inputs / 3 : inputs / 4);
  layers.push_back(nn::dense(inputs, first, {.activation = leaky}));
  if (is_mixed) layers.push_back(nn::dense(first, first / 2, {.activation = leaky}));
  layers.push_back(nn::dense(layers.back()->outputs(), 1, {.init = nn::Init::xavier}));
  return layers;
}

std::size_t parameters_of(std::vector<nn::LayerPtr> layers) {
  return nn::Sequence(std::move(layers)).parameter_count();
}

void train_auto_encoder(const Descent& descent, const OpenRows& rows, const PlanPart& part, double about_rows,
                        nn::Net& coder) {
  const ReconstructionLoss loss(rows);
  DpSgd sgd(descent.table, descent.ledger, descent.training.threads, coder.parameters().size(),
            descent_of(kAutoPrefix, part, about_rows, descent.training, descent.ledger));
  for (int i = 0; i < part.count && descent.steps.is_on(); ++i) {
    sgd.step(loss, coder);
    descent.steps.go_on();
  }
}

DecodedNet decoded_net(const DecodedShape& shape, const nn::Net& maker, const RowCounts& counts) {
  return {.rows = counts.rows,
          .shares = shape.classes > 0 ? counts.shares : std::vector<double>(),
          .shape = shape,
          .codes = {},
          .parameters = {maker.parameters().begin(), maker.parameters().end()},
          .state = {maker.state().begin(), maker.state().end()}};
}

void copy_decoder(std::span<const float> from, const DecodedShape& shape, nn::Net& maker) {
  const std::size_t count = shape.decoder_parameters(maker.outputs());
  SOSIA_CHECK(from.size() >= count, "the decoder of other rows");
  std::ranges::copy(from.last(count), maker.parameters().last(count).begin());
}

}  // namespace sosia
