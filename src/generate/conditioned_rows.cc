// SPDX-License-Identifier: Apache-2.0
#include "generate/conditioned_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <sosia/error.h>

namespace sosia {

namespace {

constexpr std::size_t kChunk = 2048;     // rows that go through a net together
constexpr std::size_t kMostTries = 100;  // chunks without a single row that fits, before we give up

bool fits(std::span<const float> row, const Condition& condition) {
  return std::all_of(condition.begin(), condition.end(), [&](const auto& wanted) {
    return row[static_cast<std::size_t>(wanted.first)] == static_cast<float>(wanted.second);
  });
}

}  // namespace

void refuse_condition() {
  throw Error(ErrorKind::usage, "the model gives no chance to rows like that", "the condition of a sample",
              "ask for values that occur together");
}

void sample_where(const Condition& condition, MatrixView<float> rows,
                  const std::function<void(std::uint64_t chunk, MatrixView<float> made)>& make) {
  std::vector<float> made;
  std::size_t done = 0, tries = 0;
  for (std::uint64_t chunk = 0; done < rows.rows; ++chunk) {
    const std::size_t count = condition.empty() ? std::min(kChunk, rows.rows - done) : kChunk;
    made.resize(count * rows.cols);
    const MatrixView<float> chunk_rows(made.data(), count, rows.cols);
    make(chunk, chunk_rows);
    const std::size_t before = done;
    for (std::size_t r = 0; r < count && done < rows.rows; ++r) {
      if (!fits(chunk_rows.row(r), condition)) continue;
      std::copy_n(chunk_rows.row(r).data(), rows.cols, rows.row(done++).data());
    }
    tries = done > before ? 0 : tries + 1;
    if (tries > kMostTries) refuse_condition();
  }
}

void sample_by_class(
    std::optional<int> label, const std::vector<double>& shares, const Condition& condition, MatrixView<float> rows,
    const std::function<void(std::uint64_t chunk, const std::vector<double>& shares, MatrixView<float> made)>& make) {
  std::vector<double> left = shares;
  Condition rest;
  for (const auto& [field, state] : condition) {
    if (label != field) {
      rest.emplace_back(field, state);
      continue;
    }
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (p != state) left[p] = 0.0;
    }
  }
  if (!left.empty() && !(std::accumulate(left.begin(), left.end(), 0.0) > 0.0)) refuse_condition();
  sample_where(rest, rows, [&](std::uint64_t chunk, MatrixView<float> made) { make(chunk, left, made); });
}

std::uint32_t drawn_part(std::span<const double> ends, PublicRng& rng) {
  const auto end = std::upper_bound(ends.begin(), ends.end() - 1, rng.uniform() * ends.back());
  return static_cast<std::uint32_t>(end - ends.begin());
}

std::vector<std::uint32_t> drawn_parts(const std::vector<double>& shares, std::size_t rows, PublicRng& rng) {
  std::vector<std::uint32_t> parts(rows, 0);
  if (shares.size() < 2) return parts;
  std::vector<double> ends(shares.size());
  std::partial_sum(shares.begin(), shares.end(), ends.begin());
  for (std::uint32_t& part : parts) part = drawn_part(ends, rng);
  return parts;
}

}  // namespace sosia
