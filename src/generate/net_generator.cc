// SPDX-License-Identifier: Apache-2.0
#include "generate/net_generator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

NetGenerator::NetGenerator(NetGenerator net, Thinning thinning) : NetGenerator(std::move(net)) {
  thinning_ = std::move(thinning);
  if (thinning_.side == 0) return;
  SOSIA_CHECK(rows_.inputs() == 2 && rows_.scalars() == 2, "a grid is of two numbers");
  SOSIA_CHECK(thinning_.kept.size() == shares_.size() * thinning_.side * thinning_.side, "a chance for each square");
}

float Thinning::chance(std::uint32_t part, std::span<const float> row) const {
  const auto square = [&](float number) {
    return std::min(static_cast<std::size_t>(std::max(0.0F, number) * static_cast<float>(side)), side - 1);
  };
  return kept[(part * side + square(row[0])) * side + square(row[1])];
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

std::vector<float> NetGenerator::make_open(std::uint64_t seed, std::uint64_t stream, Parts parts) const {
  ThreadPool alone(1);
  std::vector<float> normals(parts.size() * shape_.drawn()), inputs(parts.size() * net_.inputs());
  simd::fill_normals(seed, stream, normals, alone);
  const MatrixView<float> batch(inputs.data(), parts.size(), net_.inputs());
  write_inputs(rows_, shape_, parts, normals, batch);
  nn::Workspace workspace(net_, parts.size());
  const MatrixView<const float> made = net_.evaluate(batch, workspace, alone);
  std::vector<float> opened(parts.size() * made.cols);
  for (std::size_t r = 0; r < made.rows; ++r) std::copy_n(made.row(r).data(), made.cols, &opened[r * made.cols]);
  return opened;
}

/// Rows that do not stay give way to others of their part, so that parts keep their shares.
void NetGenerator::make_anew(PublicRng& rng, std::uint64_t seed, std::uint64_t stream, Parts parts,
                             MatrixView<float> opened) const {
  constexpr std::uint64_t kMostTimes = 20;  // where hardly a row stays, any will do in the end
  std::vector<std::size_t> open_places(opened.rows);
  std::iota(open_places.begin(), open_places.end(), std::size_t{0});
  for (std::uint64_t time = 1; time <= kMostTimes; ++time) {
    std::erase_if(open_places, [&](std::size_t r) {
      return rng.uniform() < static_cast<double>(thinning_.chance(parts[r], opened.row(r)));
    });
    if (open_places.empty()) return;
    std::vector<std::uint32_t> wanted;
    for (const std::size_t r : open_places) wanted.push_back(parts[r]);
    const std::vector<float> made = make_open(seed, stream + (time << 56), wanted);
    for (std::size_t i = 0; i < open_places.size(); ++i) {
      std::copy_n(&made[i * opened.cols], opened.cols, opened.row(open_places[i]).data());
    }
  }
}

void NetGenerator::make_rows(PublicRng& rng, std::uint64_t seed, std::uint64_t stream,
                             const std::vector<double>& shares, MatrixView<float> rows) const {
  const std::vector<std::uint32_t> parts = drawn_parts(shares, rows.rows, rng);
  std::vector<float> made = make_open(seed, stream, parts);
  const MatrixView<float> opened(made.data(), rows.rows, static_cast<std::size_t>(rows_.inputs()));
  if (thinning_.side > 0) make_anew(rng, seed, stream, parts, opened);
  rows_.close(opened, parts, rng, rows);
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
