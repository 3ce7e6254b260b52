// SPDX-License-Identifier: Apache-2.0
#include "privacy/factor_room.h"

namespace sosia {

FactorRoom::FactorRoom(std::span<const FactorShape> shapes, std::size_t terms)
    : shapes_(shapes.begin(), shapes.end()), terms_(terms) {}

void FactorRoom::clear(std::size_t rows) {
  const std::size_t lines = rows * terms_;
  std::size_t count = 0;
  for (const FactorShape& shape : shapes_) count += lines * (shape.inputs + shape.outputs);
  numbers_.assign(count, 0.0F);
  factors_.clear();
  float* next = numbers_.data();
  for (const FactorShape& shape : shapes_) {
    float* const right = next + lines * shape.inputs;
    factors_.push_back({{next, lines, shape.inputs}, {right, lines, shape.outputs}});
    next = right + lines * shape.outputs;
  }
}

}  // namespace sosia
