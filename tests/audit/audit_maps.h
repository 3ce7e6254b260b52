// SPDX-License-Identifier: Apache-2.0
// Rows of two numbers, and the maps and keys that the audit makes of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/private_keys.h"
#include "data/private_table.h"
#include "privacy/bounded_map.h"
#include "privacy/count_map.h"
#include "privacy/factored_map.h"

namespace sosia::audit {

using Row = std::array<float, 2>;

struct Rows {
  std::vector<float> values = {};
  std::optional<std::vector<std::uint64_t>> units = {};

  void add(const Row& row, std::uint64_t unit) {
    values.insert(values.end(), row.begin(), row.end());
    if (units) units->push_back(unit);
  }
  PrivateTable table() const {
    constexpr std::int64_t kRowLimit = 1'000;
    return PrivateTable(rows_in_memory(values, 2, units), kRowLimit);
  }
};

/// The row itself as its vector, times a factor that the declared bound of 1 does not know of.
class RowMap final : public BoundedMap {
 public:
  RowMap(float factor, bool nonnegative) : factor_(factor), nonnegative_(nonnegative) {}
  int dim() const override { return 2; }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return nonnegative_; }
  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) vectors.row(i)[j] = factor_ * rows.row(i)[j];
    }
  }

 private:
  float factor_;
  bool nonnegative_;
};

/// Three histograms of the first number.
class Histograms final : public CountMap {
 public:
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::uint32_t& cell : cells.row(i)) cell = static_cast<std::uint32_t>(rows.row(i)[0]);
    }
  }

 private:
  std::vector<CountSlot> slots_{{2, 1.0}, {2, 2.0}, {2, 0.5}};
};

/// Each number is a cell of its own slot: 2 class + value.
class ClassesTimesValues final : public CountMap {
 public:
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) cells.row(i)[j] = static_cast<std::uint32_t>(rows.row(i)[j]);
    }
  }

 private:
  std::vector<CountSlot> slots_{{4, 1.0}, {4, 1.0}};
};

/// The gradient of a layer of one input and one output: (a g, g) for a row (a, g), whatever its norm.
class RowGradients final : public FactoredMap {
 public:
  explicit RowGradients(double sign_weight = 0.0) : sign_weight_(sign_weight) {}
  double sign_weight() const override { return sign_weight_; }
  std::span<const FactorShape> shapes() const override { return shapes_; }
  double norm_bound() const override { return 1.0; }
  void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      factors[0].left.row(i)[0] = rows.row(i)[0];
      factors[0].right.row(i)[0] = rows.row(i)[1];
    }
  }

 private:
  double sign_weight_;
  std::vector<FactorShape> shapes_{{1, 1}};
};

/// Each number names a key of its own column; 0 is none. All rows in one block.
class RowKeys final : public KeySource {
 public:
  explicit RowKeys(Rows rows) : rows_(std::move(rows)) {
    for (const float number : rows_.values) texts_.push_back(std::to_string(static_cast<int>(number)));
  }
  int columns() const override { return 2; }
  bool has_units() const override { return rows_.units.has_value(); }
  std::unique_ptr<KeyScan> scan() const override { return std::make_unique<Scan>(*this); }

 private:
  class Scan final : public KeyScan {
   public:
    explicit Scan(const RowKeys& keys) : keys_(keys) {}
    bool next(KeyBlock& block) override {
      if (is_done_.exchange(true)) return false;
      const std::size_t count = keys_.rows_.values.size() / 2;
      block.rows.rows = {keys_.rows_.values.data(), count, 2};
      if (keys_.rows_.units) block.rows.units = *keys_.rows_.units;
      block.texts.assign(2, {});
      for (std::size_t i = 0; i < 2 * count; ++i) {
        const bool is_none = keys_.rows_.values[i] == 0.0F;
        block.texts[i % 2].push_back(is_none ? std::string_view() : std::string_view(keys_.texts_[i]));
      }
      return true;
    }

   private:
    const RowKeys& keys_;
    std::atomic<bool> is_done_ = false;
  };

  Rows rows_;
  std::vector<std::string> texts_;
};

}  // namespace sosia::audit
