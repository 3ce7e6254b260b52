// SPDX-License-Identifier: Apache-2.0
#include "generate/net_generator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "generate/conditioned_rows.h"
#include "nn/image_generator.h"
#include "simd/normals.h"

namespace sosia {

namespace {

std::size_t input_width(const OpenRows& rows, const NetShape& shape) {
  return shape.drawn() + (rows.parts() > 1 ? static_cast<std::size_t>(rows.parts()) : 0);
}

std::vector<nn::LayerPtr> image_layers(std::size_t inputs, const NetShape& shape) {
  const std::vector<std::size_t> planes(shape.planes.begin(), shape.planes.end());
  if (shape.kind == NetKind::residual) return nn::residual_generator(inputs, shape.image, {.planes = planes});
  SOSIA_CHECK(shape.hidden.size() == 1, "a convolutional net has one dense layer in front");
  const auto hidden = static_cast<std::size_t>(shape.hidden.front());
  return nn::convolutional_generator(inputs, shape.image, {.hidden = hidden, .planes = planes});
}

}  // namespace

NetGenerator::NetGenerator(OpenRows rows, NetShape shape, std::vector<double> shares, nn::Net net)
    : rows_(std::move(rows)), shape_(std::move(shape)), shares_(std::move(shares)), net_(std::move(net)) {
  SOSIA_CHECK(shares_.size() == static_cast<std::size_t>(rows_.parts()), "there is a share for each part");
  for (const std::uint32_t width : rows_.widths()) widths_.push_back(std::max(width, 1U));
}

nn::Net NetGenerator::make_net(const OpenRows& rows, const NetShape& shape, std::uint64_t seed, ThreadPool& threads) {
  std::size_t width = input_width(rows, shape);
  if (shape.kind != NetKind::dense) {
    SOSIA_CHECK(static_cast<std::size_t>(rows.inputs()) == shape.image.values(), "rows are images of this shape");
    return {image_layers(width, shape), seed, threads};
  }
  std::vector<nn::LayerPtr> layers;
  for (const int hidden : shape.hidden) {
    layers.push_back(nn::dense(width, static_cast<std::size_t>(hidden)));
    width = static_cast<std::size_t>(hidden);
    layers.push_back(nn::batch_norm(width, {.activation = {simd::ActivationKind::relu}}));
  }
  layers.push_back(nn::dense(width, static_cast<std::size_t>(rows.inputs()), {.init = nn::Init::xavier}));
  std::vector<nn::HeadBlock> blocks;
  if (rows.scalars() > 0) blocks.push_back({nn::HeadKind::sigmoid, static_cast<std::uint32_t>(rows.scalars())});
  for (const int block : rows.blocks()) {
    blocks.push_back({nn::HeadKind::softmax, static_cast<std::uint32_t>(block)});
  }
  layers.push_back(nn::head(blocks));
  return {std::move(layers), seed, threads};
}

void NetGenerator::write_inputs(const OpenRows& rows, const NetShape& shape, Parts parts,
                                std::span<const float> normals, MatrixView<float> inputs) {
  const std::size_t codes = static_cast<std::size_t>(shape.codes), drawn = shape.drawn();
  SOSIA_CHECK(inputs.cols == input_width(rows, shape) && normals.size() >= inputs.rows * drawn, "inputs have a place");
  for (std::size_t r = 0; r < inputs.rows; ++r) {
    float* const out = inputs.row(r).data();
    std::copy_n(normals.data() + r * drawn, drawn, out);
    for (std::size_t j = codes; j < drawn; ++j) out[j] = std::copysign(1.0F, out[j]);
    std::fill(out + drawn, out + inputs.cols, 0.0F);
    if (inputs.cols > drawn) out[drawn + parts[r]] = 1.0F;
  }
}

void NetGenerator::make_rows(PublicRng& rng, std::uint64_t seed, std::uint64_t stream,
                             const std::vector<double>& shares, MatrixView<float> rows) const {
  ThreadPool alone(1);
  const std::size_t drawn = shape_.drawn();
  const std::vector<std::uint32_t> parts = drawn_parts(shares, rows.rows, rng);
  std::vector<float> normals(rows.rows * drawn), inputs(rows.rows * net_.inputs());
  simd::fill_normals(seed, stream, normals, alone);
  const MatrixView<float> batch(inputs.data(), rows.rows, net_.inputs());
  write_inputs(rows_, shape_, parts, normals, batch);
  nn::Workspace workspace(net_, rows.rows);
  rows_.close(net_.evaluate(batch, workspace, alone), parts, rng, rows);
}

void NetGenerator::sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                          MatrixView<float> rows) const {
  PublicRng rng(seed, block);
  sample_by_class(rows_.label(), shares_, condition, rows,
                  [&](std::uint64_t chunk, const std::vector<double>& shares, MatrixView<float> made) {
                    make_rows(rng, seed, normals_stream(block, chunk), shares, made);
                  });
}

}  // namespace sosia
