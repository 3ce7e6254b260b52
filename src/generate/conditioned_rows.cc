// SPDX-License-Identifier: Apache-2.0
#include "generate/conditioned_rows.h"

#include <algorithm>
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

}  // namespace sosia
