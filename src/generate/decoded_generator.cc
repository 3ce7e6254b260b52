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
std::vector<nn::LayerPtr> normed(std::size_t inputs, std::size_t outputs) {
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::dense(inputs, outputs));
  layers.push_back(nn::batch_norm(outputs, {.activation = kLeaky}));
  return layers;
}

}  // namespace

void DecodedShape::add_decoder(std::size_t outputs, std::vector<nn::LayerPtr>& layers) const {
  const std::size_t first = size(decoder_inputs());
  if (hidden > 0) layers.push_back(nn::dense(first, size(hidden), {.activation = kLeaky}));
  layers.push_back(nn::dense(hidden > 0 ? size(hidden) : first, outputs, {.init = nn::Init::xavier}));
}

std::vector<nn::LayerPtr> DecodedShape::encoder(std::size_t inputs, bool is_bounded) const {
  std::vector<nn::LayerPtr> layers;
  if (hidden > 0) layers.push_back(nn::dense(inputs, size(hidden), {.activation = kLeaky}));
  if (hidden > 0 && !is_bounded) {
    layers.push_back(nn::dense(size(hidden), size(latent), {.activation = kLeaky}));
  } else {
    layers.push_back(
        nn::dense(hidden > 0 ? size(hidden) : inputs, size(latent), {.activation = kTanh, .init = nn::Init::xavier}));
  }
  return layers;
}

std::vector<nn::LayerPtr> DecodedShape::auto_encoder(std::size_t inputs, bool is_bounded) const {
  const std::size_t told = size(decoder_inputs() - latent);
  std::vector<nn::LayerPtr> layers = encoder(inputs, is_bounded);
  if (told > 0) {
    std::vector<nn::LayerPtr> past;
    past.push_back(nn::beside(std::move(layers), told));
    layers = std::move(past);
  }
  add_decoder(inputs, layers);
  return layers;
}

std::vector<nn::LayerPtr> DecodedShape::variational(std::size_t inputs) const {
  SOSIA_CHECK(drawn == 0 && classes == 0, "codes are drawn from one normal distribution");
  std::vector<nn::LayerPtr> encoding, decoding, layers;
  if (hidden > 0) encoding.push_back(nn::dense(inputs, size(hidden), {.activation = kLeaky}));
  encoding.push_back(nn::dense(hidden > 0 ? size(hidden) : inputs, 2 * size(latent), {.init = nn::Init::xavier}));
  add_decoder(inputs, decoding);
  layers.push_back(nn::beside(std::move(encoding), size(latent)));
  layers.push_back(nn::drawn_codes(size(latent)));
  layers.push_back(nn::beside(std::move(decoding), 2 * size(latent)));
  return layers;
}

std::vector<nn::LayerPtr> DecodedShape::maker(const OpenRows& rows) const {
  std::vector<nn::LayerPtr> layers;
  const std::size_t first = inputs();
  if (drawn > 0 && hidden > 0) {
    for (int block = 0; block < 2; ++block) layers.push_back(nn::residual(normed(first, first)));
    for (nn::LayerPtr& layer : normed(first, size(latent))) layers.push_back(std::move(layer));
  } else if (drawn > 0) {
    layers.push_back(nn::dense(first, size(drawn), {.activation = kTanh, .init = nn::Init::xavier}));
    layers.push_back(nn::dense(size(drawn), size(latent), {.activation = kTanh, .init = nn::Init::xavier}));
  }
  add_decoder(size(rows.inputs()), layers);
  std::vector<nn::HeadBlock> blocks;
  if (rows.scalars() > 0) blocks.push_back({nn::HeadKind::sigmoid, static_cast<std::uint32_t>(rows.scalars())});
  for (const int block : rows.blocks()) blocks.push_back({nn::HeadKind::softmax, static_cast<std::uint32_t>(block)});
  layers.push_back(nn::head(blocks));
  return layers;
}

std::size_t DecodedShape::decoder_parameters(std::size_t outputs) const {
  const std::size_t first = size(decoder_inputs());
  if (hidden == 0) return (first + 1) * outputs;
  return (first + 1) * size(hidden) + (size(hidden) + 1) * outputs;
}

void write_maker_inputs(const DecodedShape& shape, Parts parts, std::span<const float> normals,
                        MatrixView<float> inputs) {
  const std::size_t drawn = inputs.cols - size(shape.classes);
  for (std::size_t r = 0; r < inputs.rows; ++r) {
    const std::span<float> row = inputs.row(r);
    std::ranges::copy(normals.subspan(r * drawn, drawn), row.begin());
    if (shape.classes == 0) continue;
    std::ranges::fill(row.subspan(drawn), 0.0F);
    row[drawn + parts[r]] = 1.0F;
  }
}

DecodedGenerator::DecodedGenerator(OpenRows rows, const DecodedNet& net)
    : rows_(std::move(rows)), shape_(net.shape), shares_(net.shares), codes_(net.codes), net_([&] {
        ThreadPool alone(1);
        return nn::Net(net.shape.maker(rows_), 0, alone);
      }()) {
  SOSIA_CHECK(net.parameters.size() == net_.parameters().size() && net.state.size() == net_.state().size(),
              "the numbers of another net");
  SOSIA_CHECK(shares_.size() == size(shape_.classes) && (shares_.empty() || shares_.size() == size(rows_.parts())),
              "there is a share for each class");
  std::ranges::copy(net.parameters, net_.parameters().begin());
  std::ranges::copy(net.state, net_.state().begin());
  for (const std::uint32_t width : rows_.widths()) widths_.push_back(std::max(width, 1U));
}

void DecodedGenerator::make_rows(PublicRng& rng, std::uint64_t seed, std::uint64_t stream,
                                 const std::vector<double>& shares, MatrixView<float> rows) const {
  ThreadPool alone(1);
  const std::vector<std::uint32_t> parts = drawn_parts(shares, rows.rows, rng);
  const std::size_t drawn = net_.inputs() - size(shape_.classes);
  std::vector<float> normals(rows.rows * drawn), inputs(rows.rows * net_.inputs());
  simd::fill_normals(seed, stream, normals, alone);
  codes_.draw(parts, drawn, rng, normals);
  const MatrixView<float> batch(inputs.data(), rows.rows, net_.inputs());
  write_maker_inputs(shape_, parts, normals, batch);
  nn::Workspace workspace(net_, rows.rows);
  rows_.close(net_.evaluate(batch, workspace, alone), parts, rng, rows);
}

void DecodedGenerator::sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                              MatrixView<float> rows) const {
  PublicRng rng(seed, block);
  sample_by_class(rows_.label(), shares_, condition, rows,
                  [&](std::uint64_t chunk, const std::vector<double>& shares, MatrixView<float> made) {
                    make_rows(rng, seed, normals_stream(block, chunk), shares, made);
                  });
}

}  // namespace sosia
