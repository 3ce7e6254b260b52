// SPDX-License-Identifier: Apache-2.0
#include "privacy/group_quantizer.h"

#include <algorithm>

namespace sosia {

namespace {

std::size_t size_of(std::span<const FactorShape> shapes) {
  std::size_t size = 0;
  for (const FactorShape& shape : shapes) size += shape.size();
  return size;
}

void add_scaled(float factor, std::span<const float> from, float* to) {
  for (std::size_t j = 0; j < from.size(); ++j) to[j] += factor * from[j];
}

}  // namespace

GroupQuantizer::GroupQuantizer(const Lattice& lattice, std::span<const FactorShape> shapes, std::size_t terms)
    : room_(shapes, terms), vector_(size_of(shapes)), quantizer_(lattice, static_cast<int>(vector_.size()), false) {}

std::span<const FactorPair<float>> GroupQuantizer::room(std::size_t rows) {
  room_.clear(rows);
  return room_.factors();
}

void GroupQuantizer::add(std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
  std::ranges::fill(vector_, 0.0F);
  float* block = vector_.data();
  const std::size_t terms = room_.terms();
  for (const auto& [left, right] : room_.factors()) {
    const std::size_t outputs = right.cols;
    for (std::size_t line = first * terms; line < (first + count) * terms; ++line) {
      for (std::size_t i = 0; i < left.cols; ++i) {
        // Most inputs of a first layer are zeros. What is not finite still shows in the last line.
        if (left.row(line)[i] != 0.0F) add_scaled(left.row(line)[i], right.row(line), block + i * outputs);
      }
      add_scaled(1.0F, right.row(line), block + left.cols * outputs);
    }
    block += (left.cols + 1) * outputs;
  }
  constexpr std::uint32_t kOnlyPart = 0;
  quantizer_.add({vector_.data(), 1, vector_.size()}, {&kOnlyPart, 1}, sums);
}

}  // namespace sosia
