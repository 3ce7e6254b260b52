// SPDX-License-Identifier: Apache-2.0
#include "generate/example_losses.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "nn/loss.h"

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

}  // namespace

ReconstructionLoss::ReconstructionLoss(const OpenRows& rows) : rows_(rows) {
  for (const int block : rows.blocks()) widths_.push_back(static_cast<std::uint32_t>(block));
}

void ReconstructionLoss::write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const {
  rows_.open(encoded, batch);
}

void ReconstructionLoss::write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                                      MatrixView<float> slopes) const {
  ThreadPool alone(1);
  std::vector<double> losses(batch.rows);
  const auto scalars = static_cast<std::size_t>(rows_.scalars());
  const std::size_t rest = batch.cols - scalars;
  nn::logistic_loss(columns(output, 0, scalars), columns(batch, 0, scalars), 1.0, {columns(slopes, 0, scalars), losses},
                    alone);
  nn::cross_entropy(columns(output, scalars, rest), widths_, columns(batch, scalars, rest), 1.0,
                    {columns(slopes, scalars, rest), losses}, alone);
}

CriticLoss::CriticLoss(const OpenRows& rows, MatrixView<const float> made) : rows_(rows), made_(made) {
  SOSIA_CHECK(made.rows > 0 && made.cols == static_cast<std::size_t>(rows.inputs()),
              "made-up rows are of another kind");
}

void CriticLoss::write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const {
  rows_.open(encoded, {batch.data, encoded.rows, batch.cols, 2 * batch.stride});
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    std::ranges::copy(made_.row(hash_of(encoded.row(r)) % made_.rows), batch.row(2 * r + 1).begin());
  }
}

void CriticLoss::write_slopes(MatrixView<const float>, MatrixView<const float>, MatrixView<float> slopes) const {
  for (std::size_t r = 0; r < slopes.rows; ++r) std::ranges::fill(slopes.row(r), r % 2 == 0 ? -1.0F : 1.0F);
}

}  // namespace sosia
