// SPDX-License-Identifier: Apache-2.0
#include "eval/rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sosia::eval {

namespace {

template <class T>
std::vector<T> gather(const std::vector<T>& cells, std::span<const std::size_t> indices) {
  std::vector<T> taken;
  if (cells.empty()) return taken;
  taken.reserve(indices.size());
  for (const std::size_t i : indices) taken.push_back(cells[i]);
  return taken;
}

std::vector<std::size_t> draw_with_replacement(std::size_t below, std::size_t count, PublicRng& rng) {
  std::vector<std::size_t> indices(count);
  for (std::size_t& i : indices) i = draw_below(below, rng);
  return indices;
}

}  // namespace

Rows take(const Rows& rows, std::span<const std::size_t> indices) {
  Rows taken{.count = indices.size(), .codes = {}, .numbers = {}};
  for (const auto& column : rows.codes) taken.codes.push_back(gather(column, indices));
  for (const auto& column : rows.numbers) taken.numbers.push_back(gather(column, indices));
  return taken;
}

Rows bootstrap(const Rows& rows, std::size_t count, PublicRng& rng) {
  return take(rows, draw_with_replacement(rows.count, count, rng));
}

Rows independent_columns(const Rows& rows, std::size_t count, PublicRng& rng) {
  Rows drawn{.count = count, .codes = {}, .numbers = {}};
  for (std::size_t c = 0; c < rows.codes.size(); ++c) {
    const std::vector<std::size_t> indices = draw_with_replacement(rows.count, count, rng);
    drawn.codes.push_back(gather(rows.codes[c], indices));
    drawn.numbers.push_back(gather(rows.numbers[c], indices));
  }
  return drawn;
}

// Off from uniform by less than count / 2^53.
std::size_t draw_below(std::size_t count, PublicRng& rng) {
  return std::min(count - 1, static_cast<std::size_t>(rng.uniform() * static_cast<double>(count)));
}

std::vector<std::size_t> draw_rows(std::size_t count, std::size_t most, PublicRng& rng) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const std::size_t wanted = std::min(count, most);
  for (std::size_t i = 0; i < wanted; ++i) std::swap(indices[i], indices[i + draw_below(count - i, rng)]);
  indices.resize(wanted);
  return indices;
}

std::vector<std::size_t> draw_columns(std::size_t count, std::size_t most, PublicRng& rng) {
  std::vector<std::size_t> indices = draw_rows(count, most, rng);
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace sosia::eval
