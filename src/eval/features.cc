// SPDX-License-Identifier: Apache-2.0
#include "eval/features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "eval/category_columns.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostIndicators = 256, kMostInAll = 4096;
constexpr auto kIndicator = static_cast<float>(1.0 / std::numbers::sqrt2);

/// A place for each of the commonest states, in the order of states.
std::vector<int> commonest(const std::vector<double>& shares, std::size_t most) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return shares[a] > shares[b] || (shares[a] == shares[b] && a < b);
  };
  std::sort(order.begin(), order.end(), is_before);
  order.resize(std::min(order.size(), most));
  std::sort(order.begin(), order.end());
  std::vector<int> places(shares.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<int>(i);
  return places;
}

}  // namespace

Features::Features(const Outline& outline, const Rows& real, std::optional<std::size_t> without) {
  const std::size_t most = std::clamp<std::size_t>(kMostInAll / outline.size(), 2, kMostIndicators);
  for (std::size_t c = 0; c < outline.size(); ++c) {
    if (c == without) continue;
    Place place{.column = c, .first = width_, .is_number = outline[c].is_number()};
    if (place.is_number) {
      const std::vector<double> present = sorted_numbers(real.numbers[c]);
      const double deviation = standard_deviation(present);
      if (!present.empty()) place.center = mean(present);
      place.scale = deviation > 0.0 ? 1.0 / deviation : 1.0;
      width_ += outline[c].may_be_missing ? 2 : 1;
    } else {
      place.indicators = commonest(shares_of(real, outline, c), most);
      width_ += std::min<std::size_t>(outline[c].states, most);
    }
    places_.push_back(std::move(place));
  }
}

std::vector<float> Features::vectors(const Rows& rows, std::span<const std::size_t> indices) const {
  std::vector<float> out(indices.size() * width_, 0.0F);
  for (std::size_t i = 0; i < indices.size(); ++i) write(rows, indices[i], std::span(out).subspan(i * width_, width_));
  return out;
}

void Features::write(const Rows& rows, std::size_t row, std::span<float> out) const {
  for (const Place& place : places_) {
    const std::size_t c = place.column;
    if (!place.is_number) {
      const int indicator = place.indicators[rows.codes[c][row]];
      if (indicator >= 0) out[place.first + static_cast<std::size_t>(indicator)] = kIndicator;
    } else if (const double x = rows.numbers[c][row]; !std::isnan(x)) {
      out[place.first] = static_cast<float>((x - place.center) * place.scale);
    } else {
      out[place.first + 1] = kIndicator;
    }
  }
}

}  // namespace sosia::eval
