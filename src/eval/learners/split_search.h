// SPDX-License-Identifier: Apache-2.0
// The best split of some rows by a feature. Gini impurity and squared error are one criterion: both are least where the
// sum over the two sides of |sum of weighted targets|^2 / weight is largest, a class being a vector with a single 1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eval/learners/feature_codes.h"

namespace sosia::eval {

/// Of two neighbouring codes of a feature; there is none unless first_high > last_low.
struct Split {
  double score = -1.0;
  std::size_t feature = 0;
  std::uint16_t last_low = 0, first_high = 0;

  bool exists() const { return first_high > last_low; }
};

/// A row with its class. Sums are the weight of each class.
struct ClassItem {
  std::uint32_t row, label;
  double weight;

  void add_to(double* sums) const { sums[label] += weight; }
  bool is_like(const ClassItem& other) const { return label == other.label; }

  /// Negative if a side has no weight.
  static double score(std::span<const double> low, std::span<const double> total) {
    double low_weight = 0.0, high_weight = 0.0, low_squares = 0.0, high_squares = 0.0;
    for (std::size_t k = 0; k < low.size(); ++k) {
      const double high = total[k] - low[k];
      low_weight += low[k];
      high_weight += high;
      low_squares += low[k] * low[k];
      high_squares += high * high;
    }
    if (low_weight <= 0.0 || high_weight <= 0.0) return -1.0;
    return low_squares / low_weight + high_squares / high_weight;
  }
};

/// A row with its number. Sums are the weight, and the weighted numbers.
struct NumberItem {
  std::uint32_t row;
  double weight, number;

  void add_to(double* sums) const {
    sums[0] += weight;
    sums[1] += weight * number;
  }
  bool is_like(const NumberItem& other) const { return number == other.number; }

  static double score(std::span<const double> low, std::span<const double> total) {
    const double high_weight = total[0] - low[0], high_sum = total[1] - low[1];
    if (low[0] <= 0.0 || high_weight <= 0.0) return -1.0;
    return low[1] * low[1] / low[0] + high_sum * high_sum / high_weight;
  }
};

/// Tries features on the items of a node and keeps the best split.
template <class Item>
class SplitSearch {
 public:
  /// `total`: the sums of all items.
  SplitSearch(const FeatureCodes& codes, std::span<const Item> items, std::span<const double> total)
      : codes_(codes), items_(items), total_(total), low_(total.size()) {}

  const Split& best() const { return best_; }

  void try_feature(std::size_t feature) {
    feature_ = feature;
    last_ = -1;
    std::fill(low_.begin(), low_.end(), 0.0);
    const std::size_t cells = codes_.count(feature) * total_.size();
    // A table costs its size, a sort some steps for each item.
    if (cells <= kTableCells * items_.size()) {
      by_table();
    } else {
      by_sorting();
    }
  }

 private:
  static constexpr std::size_t kTableCells = 4;

  /// Sums by code. Most features are indicators and most codes 0: what these sum up to is left over from the total.
  void by_table() {
    const std::size_t width = total_.size(), count = codes_.count(feature_);
    const auto codes = codes_.of(feature_);
    table_.assign(count * width, 0.0);
    filled_.assign(count, 0);
    std::size_t others = 0;
    for (const Item& item : items_) {
      const std::size_t code = codes[item.row];
      if (code == 0) continue;
      item.add_to(&table_[code * width]);
      filled_[code] = 1;
      ++others;
    }
    filled_[0] = others < items_.size() ? 1 : 0;
    if (filled_[0] != 0) {
      for (std::size_t k = 0; k < width; ++k) {
        low_[k] = total_[k];
        for (std::size_t code = 1; code < count; ++code) low_[k] -= table_[code * width + k];
      }
      last_ = 0;
    }
    for (std::size_t code = 1; code < count; ++code) {
      if (filled_[code] == 0) continue;
      consider(code);
      for (std::size_t k = 0; k < width; ++k) low_[k] += table_[code * width + k];
    }
  }

  void by_sorting() {
    const auto codes = codes_.of(feature_);
    order_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) order_.push_back(std::uint64_t{codes[items_[i].row]} << 32 | i);
    std::sort(order_.begin(), order_.end());
    for (const std::uint64_t entry : order_) {
      consider(entry >> 32);
      items_[entry & 0xffffffff].add_to(low_.data());
    }
  }

  /// A split below this code; low_ holds all that is below.
  void consider(std::size_t code) {
    const auto next = static_cast<int>(code);
    if (next == last_) return;
    if (last_ >= 0) {
      const double score = Item::score(low_, total_);
      if (score > best_.score) {
        best_ = {score, feature_, static_cast<std::uint16_t>(last_), static_cast<std::uint16_t>(code)};
      }
    }
    last_ = next;
  }

  const FeatureCodes& codes_;
  std::span<const Item> items_;
  std::span<const double> total_;
  std::vector<double> low_, table_;
  std::vector<char> filled_;
  std::vector<std::uint64_t> order_;
  std::size_t feature_ = 0;
  int last_ = -1;  ///< the last code that was seen
  Split best_;
};

}  // namespace sosia::eval
