// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "generate/generator.h"

namespace sosia {

/// Fills `rows` with those that meet the condition, out of chunks that `make` is asked for, numbered from 0. A usage
/// error if many chunks go by without one.
void sample_where(const Condition& condition, MatrixView<float> rows,
                  const std::function<void(std::uint64_t chunk, MatrixView<float> made)>& make);

/// Throws that usage error.
[[noreturn]] void refuse_condition();

/// The stream of normals for a chunk of a block, beside those that blocks and decoding have.
inline std::uint64_t normals_stream(std::uint64_t block, std::uint64_t chunk) {
  return (std::uint64_t{1} << 62) + (block << 20) + chunk;
}

}  // namespace sosia
