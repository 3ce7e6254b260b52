// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include <sosia/error.h>

#include "base/wide_int.h"
#include "data/column_code.h"
#include "data/number_fields.h"

namespace sosia {

namespace {

/// Where log-even edges are even, and back.
double to_log(double x) { return std::copysign(std::log1p(std::abs(x)), x); }
/// A hair low, so that an edge that means a whole number does not come out just above it.
double from_log(double y) {
  const double x = std::copysign(std::expm1(std::abs(y)), y);
  return x - 1e-12 * std::abs(x);
}

/// The first number of each bin, rising, beginning with the grid's lowest; some may be equal.
std::vector<std::int64_t> bin_starts(const Column& column, const NumberGrid& grid, const CodecOptions& options) {
  std::vector<std::int64_t> starts;
  if (!column.edges.empty()) {
    starts.push_back(grid.low());
    for (const double edge : column.edges) starts.push_back(grid.first_from(edge));
    return starts;
  }
  const auto most = static_cast<std::uint64_t>(std::max(options.bins, options.few));
  const std::uint64_t count = grid.size() <= most ? grid.size() : static_cast<std::uint64_t>(options.bins);
  const double low = to_log(*column.min), high = to_log(*column.max);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (options.log_bins && count < grid.size() && i > 0) {
      const double share = static_cast<double>(i) / static_cast<double>(count);
      starts.push_back(grid.first_from(from_log(low + share * (high - low))));
    } else {
      starts.push_back(grid.low() + static_cast<std::int64_t>(u128(grid.size()) * i / count));
    }
  }
  return starts;
}

/// Bins of consecutive grid numbers, less the atoms among them: only these can be drawn, and each bin has some.
class BinFields : public NumberFields {
 public:
  BinFields(const Column& column, const NumberGrid& grid, const CodecOptions& options)
      : name_(column.name), grid_(grid) {
    std::vector<std::int64_t> starts = bin_starts(column, grid, options);
    starts.push_back(grid.high() + 1);
    const auto& atoms = grid.atoms();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const auto first = std::lower_bound(atoms.begin(), atoms.end(), starts[i]);
      const auto last = std::lower_bound(first, atoms.end(), starts[i + 1]);
      const std::int64_t points = starts[i + 1] - starts[i] - (last - first);
      if (points <= 0) continue;
      starts_.push_back(starts[i]);
      const auto positions = options.levels == 2 ? std::min<std::int64_t>(options.bins, points) : 1;
      bins_.push_back({points, static_cast<int>(positions), {first, last}});
      positions_ = std::max(positions_, static_cast<int>(positions));
    }
    index_bins();
  }

  std::vector<Field> fields() const override {
    const auto states = bins_.size() + grid_.atoms().size() + (grid_.missing() ? 1 : 0);
    std::vector<Field> fields = {{name_,
                                  Field::Kind::code,
                                  static_cast<int>(states),
                                  {},
                                  static_cast<int>(bins_.size()),
                                  grid_.missing() ? 1 : 0}};
    if (positions_ > 1) fields.push_back({name_, Field::Kind::code, positions_, "position", positions_});
    return fields;
  }

  void write(std::span<const GridCell> cells, MatrixView<float> rows) const override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto out = rows.row(i);
      const GridCell& cell = cells[i];
      if (positions_ > 1) out[1] = 0;
      if (cell.state == GridCell::kValue) {
        const std::size_t bin = find(cell.number);
        out[0] = static_cast<float>(bin);
        if (positions_ > 1) out[1] = position(bin, cell.number);
      } else {
        const auto atoms = static_cast<std::int32_t>(grid_.atoms().size());
        const std::int32_t state = cell.state == GridCell::kMissing ? atoms : cell.state;
        out[0] = static_cast<float>(static_cast<std::int32_t>(bins_.size()) + state);
      }
    }
  }

  void read(MatrixView<const float> rows, MatrixView<const float> uniforms, std::span<GridCell> cells) const override {
    const int width = fields().front().width;
    const auto count = static_cast<int>(bins_.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const int code = code_of(rows.row(i)[0], width);
      if (code < count) {
        const int part = positions_ > 1 ? code_of(rows.row(i)[1], bins_[static_cast<std::size_t>(code)].positions) : 0;
        cells[i] = {draw(static_cast<std::size_t>(code), part, uniforms.row(i)[0]), GridCell::kValue};
      } else if (static_cast<std::size_t>(code - count) < grid_.atoms().size()) {
        cells[i] = {grid_.atoms()[static_cast<std::size_t>(code - count)], code - count};
      } else {
        cells[i] = {grid_.low(), GridCell::kMissing};
      }
    }
  }

 private:
  struct Bin {
    std::int64_t points;  ///< numbers that are no atoms
    int positions;        ///< runs of points of nearly the same length
    std::vector<std::int64_t> atoms;
  };

  /// Looks among the bins of the number's slot, mostly one: a search among all would guess wrong at every step.
  std::size_t find(std::int64_t number) const {
    const std::size_t slot = static_cast<std::uint64_t>(number - grid_.low()) >> slot_shift_;
    const auto first = starts_.begin() + slots_[slot], last = starts_.begin() + slots_[slot + 1];
    return static_cast<std::size_t>(std::upper_bound(first + 1, last + 1, number) - starts_.begin()) - 1;
  }

  /// Cuts the grid into slots of 2^slot_shift_ numbers, and notes the bin of each one's first number.
  void index_bins() {
    const std::uint64_t last = grid_.size() - 1;
    while ((last >> slot_shift_) >= kSlots) ++slot_shift_;
    for (std::uint64_t slot = 0; slot <= (last >> slot_shift_) + 1; ++slot) {
      const std::int64_t number = grid_.low() + static_cast<std::int64_t>(std::min(slot << slot_shift_, last));
      const auto after = std::upper_bound(starts_.begin(), starts_.end(), number);
      slots_.push_back(after == starts_.begin() ? 0 : static_cast<std::int32_t>(after - starts_.begin()) - 1);
    }
  }

  /// The position p of the point j: the last whose first point, floor(p * points / positions), is not after it.
  float position(std::size_t bin, std::int64_t number) const {
    const Bin& b = bins_[bin];
    const auto below = std::lower_bound(b.atoms.begin(), b.atoms.end(), number) - b.atoms.begin();
    const auto point = static_cast<std::uint64_t>(number - starts_[bin] - below);
    const auto positions = static_cast<unsigned>(b.positions);
    return static_cast<float>(
        static_cast<int>((u128(point + 1) * positions - 1) / static_cast<std::uint64_t>(b.points)));
  }

  std::int64_t draw(std::size_t bin, int part, float uniform) const {
    const Bin& b = bins_[bin];
    const auto first_of = [&b](int p) {
      return static_cast<std::int64_t>(u128(static_cast<std::uint64_t>(b.points)) * static_cast<unsigned>(p) /
                                       static_cast<unsigned>(b.positions));
    };
    const std::int64_t first = first_of(part), points = first_of(part + 1) - first;
    const double share = (uniform > 0 ? std::min<double>(uniform, 1) : 0.0) * static_cast<double>(points);
    std::int64_t number = starts_[bin] + first + std::min(static_cast<std::int64_t>(share), points - 1);
    for (const std::int64_t atom : b.atoms) {
      if (atom <= number) ++number;
    }
    return number;
  }

  static constexpr std::uint64_t kSlots = 1024;

  std::string name_;
  const NumberGrid& grid_;
  std::vector<std::int64_t> starts_;
  std::vector<Bin> bins_;
  std::vector<std::int32_t> slots_;
  int slot_shift_ = 0;
  int positions_ = 1;
};

}  // namespace

std::unique_ptr<NumberFields> bin_fields(const Column& column, const NumberGrid& grid, const CodecOptions& options) {
  return std::make_unique<BinFields>(column, grid, options);
}

}  // namespace sosia
