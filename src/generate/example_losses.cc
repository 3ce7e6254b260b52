// SPDX-License-Identifier: Apache-2.0
#include "generate/example_losses.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "nn/loss.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

template <class T>
MatrixView<T> columns(MatrixView<T> all, std::size_t first, std::size_t count) {
  return {all.data + first, all.rows, count, all.stride};
}

std::uint64_t hash_of(std::span<const float> row) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float x : row) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The opened row, and its class where there is room.
void write_opened(const OpenRows& rows, MatrixView<const float> encoded, MatrixView<float> batch) {
  const auto inputs = static_cast<std::size_t>(rows.inputs());
  rows.open(encoded, columns(batch, 0, inputs));
  if (batch.cols == inputs) return;
  std::vector<std::uint32_t> parts(encoded.rows);
  rows.assign(encoded, parts);
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    const std::span<float> told = batch.row(r).subspan(inputs);
    std::ranges::fill(told, 0.0F);
    if (parts[r] < told.size()) told[parts[r]] = 1.0F;
  }
}

}  // namespace

ReconstructionLoss::ReconstructionLoss(const OpenRows& rows) : rows_(rows) {
  for (const int block : rows.blocks()) widths_.push_back(static_cast<std::uint32_t>(block));
}

void ReconstructionLoss::write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const {
  write_opened(rows_, encoded, batch);
}

void ReconstructionLoss::write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                                      MatrixView<float> slopes) const {
  ThreadPool alone(1);
  std::vector<double> losses(batch.rows);
  const auto scalars = static_cast<std::size_t>(rows_.scalars());
  const std::size_t rest = static_cast<std::size_t>(rows_.inputs()) - scalars;
  nn::logistic_loss(columns(output, 0, scalars), columns(batch, 0, scalars), 1.0, {columns(slopes, 0, scalars), losses},
                    alone);
  nn::cross_entropy(columns(output, scalars, rest), widths_, columns(batch, scalars, rest), 1.0,
                    {columns(slopes, scalars, rest), losses}, alone);
}

VariationalLoss::VariationalLoss(const OpenRows& rows, std::size_t latent, std::uint64_t seed, std::uint64_t step)
    : reconstruction_(rows),
      inputs_(static_cast<std::size_t>(rows.inputs())),
      latent_(latent),
      seed_(seed),
      step_(step) {}

void VariationalLoss::write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const {
  reconstruction_.write_examples(encoded, columns(batch, 0, inputs_));
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    PublicRng rng(seed_, hash_of(encoded.row(r)) + step_);
    for (float& normal : batch.row(r).subspan(inputs_, latent_)) normal = static_cast<float>(rng.normal());
  }
}

void VariationalLoss::write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                                   MatrixView<float> slopes) const {
  reconstruction_.write_slopes(batch, columns(output, 0, inputs_), columns(slopes, 0, inputs_));
  // Of (m^2 + exp(2 s) - 1 - 2 s) / 2, number by number.
  for (std::size_t r = 0; r < slopes.rows; ++r) {
    for (std::size_t i = inputs_; i < inputs_ + latent_; ++i) {
      slopes.row(r)[i] = output.row(r)[i];
      slopes.row(r)[i + latent_] = std::exp(2.0F * output.row(r)[i + latent_]) - 1.0F;
    }
  }
}

CriticLoss::CriticLoss(const OpenRows& rows, MatrixView<const float> made) : rows_(rows), made_(made) {
  SOSIA_CHECK(made.rows > 0 && made.cols >= static_cast<std::size_t>(rows.inputs()),
              "made-up rows are of another kind");
}

void CriticLoss::write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const {
  write_opened(rows_, encoded, {batch.data, encoded.rows, batch.cols, 2 * batch.stride});
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    std::ranges::copy(made_.row(hash_of(encoded.row(r)) % made_.rows), batch.row(2 * r + 1).begin());
  }
}

void CriticLoss::write_slopes(MatrixView<const float>, MatrixView<const float>, MatrixView<float> slopes) const {
  for (std::size_t r = 0; r < slopes.rows; ++r) std::ranges::fill(slopes.row(r), r % 2 == 0 ? -1.0F : 1.0F);
}

}  // namespace sosia
