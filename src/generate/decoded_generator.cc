// SPDX-License-Identifier: Apache-2.0
#include "generate/decoded_generator.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "generate/conditioned_rows.h"
#include "simd/normals.h"

namespace sosia {

namespace {

constexpr simd::Activation kLeaky{simd::ActivationKind::leaky_relu, 0.2F};
constexpr simd::Activation kTanh{simd::ActivationKind::tanh};

std::size_t size(int width) { return static_cast<std::size_t>(width); }

/// Dense, batch norm, leaky relu. Only nets that see no private row have batch norm.
std::vector<nn::LayerPtr> normed(int inputs, int outputs) {
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::dense(size(inputs), size(outputs)));
  layers.push_back(nn::batch_norm(size(outputs), {.activation = kLeaky}));
  return layers;
}

void add_decoder(const DecodedShape& shape, std::size_t outputs, std::vector<nn::LayerPtr>& layers) {
  if (shape.hidden > 0) layers.push_back(nn::dense(size(shape.latent), size(shape.hidden), {.activation = kLeaky}));
  const int last = shape.hidden > 0 ? shape.hidden : shape.latent;
  layers.push_back(nn::dense(size(last), outputs, {.init = nn::Init::xavier}));
}

}  // namespace

std::vector<nn::LayerPtr> DecodedShape::auto_encoder(std::size_t inputs) const {
  std::vector<nn::LayerPtr> layers;
  if (hidden > 0) {
    layers.push_back(nn::dense(inputs, size(hidden), {.activation = kLeaky}));
    layers.push_back(nn::dense(size(hidden), size(latent), {.activation = kLeaky}));
  } else {
    layers.push_back(nn::dense(inputs, size(latent), {.activation = kTanh, .init = nn::Init::xavier}));
  }
  add_decoder(*this, inputs, layers);
  return layers;
}

std::vector<nn::LayerPtr> DecodedShape::maker(const OpenRows& rows) const {
  std::vector<nn::LayerPtr> layers;
  if (hidden > 0) {
    for (int block = 0; block < 2; ++block) layers.push_back(nn::residual(normed(drawn, drawn)));
    for (nn::LayerPtr& layer : normed(drawn, latent)) layers.push_back(std::move(layer));
  } else {
    layers.push_back(nn::dense(size(drawn), size(drawn), {.activation = kTanh, .init = nn::Init::xavier}));
    layers.push_back(nn::dense(size(drawn), size(latent), {.activation = kTanh, .init = nn::Init::xavier}));
  }
  add_decoder(*this, size(rows.inputs()), layers);
  std::vector<nn::HeadBlock> blocks;
  if (rows.scalars() > 0) blocks.push_back({nn::HeadKind::sigmoid, static_cast<std::uint32_t>(rows.scalars())});
  for (const int block : rows.blocks()) blocks.push_back({nn::HeadKind::softmax, static_cast<std::uint32_t>(block)});
  layers.push_back(nn::head(blocks));
  return layers;
}

std::size_t DecodedShape::decoder_parameters(std::size_t inputs) const {
  if (hidden == 0) return (size(latent) + 1) * inputs;
  return (size(latent) + 1) * size(hidden) + (size(hidden) + 1) * inputs;
}

DecodedGenerator::DecodedGenerator(OpenRows rows, const DecodedNet& net)
    : rows_(std::move(rows)), net_([&] {
        ThreadPool alone(1);
        return nn::Net(net.shape.maker(rows_), 0, alone);
      }()) {
  SOSIA_CHECK(net.parameters.size() == net_.parameters().size() && net.state.size() == net_.state().size(),
              "the numbers of another net");
  std::ranges::copy(net.parameters, net_.parameters().begin());
  std::ranges::copy(net.state, net_.state().begin());
  for (const std::uint32_t width : rows_.widths()) widths_.push_back(std::max(width, 1U));
}

void DecodedGenerator::sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                              MatrixView<float> rows) const {
  PublicRng rng(seed, block);
  sample_where(condition, rows, [&](std::uint64_t chunk, MatrixView<float> made) {
    ThreadPool alone(1);
    std::vector<float> normals(made.rows * net_.inputs());
    simd::fill_normals(seed, normals_stream(block, chunk), normals, alone);
    nn::Workspace workspace(net_, made.rows);
    rows_.close(net_.evaluate({normals.data(), made.rows, net_.inputs()}, workspace, alone), {}, rng, made);
  });
}

}  // namespace sosia
