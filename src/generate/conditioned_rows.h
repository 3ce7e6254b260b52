// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "generate/generator.h"
#include "random/public_rng.h"

namespace sosia {

/// Fills `rows` with those that meet the condition, out of chunks that `make` is asked for, numbered from 0. A usage
/// error if many chunks go by without one.
void sample_where(const Condition& condition, MatrixView<float> rows,
                  const std::function<void(std::uint64_t chunk, MatrixView<float> made)>& make);

/// The same for makers of rows by part: the label has the state that the condition asks for, by shares of the parts
/// that leave no other; what else is asked for is met by making rows until enough fit.
void sample_by_class(
    std::optional<int> label, const std::vector<double>& shares, const Condition& condition, MatrixView<float> rows,
    const std::function<void(std::uint64_t chunk, const std::vector<double>& shares, MatrixView<float> made)>& make);

/// One of the parts, by the partial sums of their shares, which are not negative.
std::uint32_t drawn_part(std::span<const double> ends, PublicRng& rng);
/// One for each row, by shares; part 0 throughout, and no random number taken, where there are no two.
std::vector<std::uint32_t> drawn_parts(const std::vector<double>& shares, std::size_t rows, PublicRng& rng);

/// Throws that usage error.
[[noreturn]] void refuse_condition();

/// The stream of normals for a chunk of a block, beside those that blocks and decoding have.
inline std::uint64_t normals_stream(std::uint64_t block, std::uint64_t chunk) {
  return (std::uint64_t{1} << 62) + (block << 20) + chunk;
}

}  // namespace sosia
