// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "data/column_code.h"
#include "data/number_fields.h"

namespace sosia {

namespace {

/// A float tells that many equal steps of [0, 1] apart, with a bit to spare, and of [-1, 1] too.
constexpr int kFloatBits = 23;
constexpr double kMissingShare = 0.5;

/// Where a column has edges, equal parts of [0, 1] for the stretches between them, whatever their length: what is even
/// there has the distribution that the edges, say quantiles, tell.
class Stretches {
 public:
  Stretches(const Column& column, const NumberGrid& grid) {
    for (const double edge : column.edges) {
      const auto offset = static_cast<std::uint64_t>(grid.first_from(edge) - grid.low());
      if (offset > knots_.back() && offset < grid.size() - 1) knots_.push_back(offset);
    }
    knots_.push_back(std::max<std::uint64_t>(grid.size() - 1, 1));
  }

  double share(std::uint64_t offset) const {
    const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, offset);
    const auto stretch = static_cast<std::size_t>(next - knots_.begin()) - 1;
    const double within =
        static_cast<double>(offset - knots_[stretch]) / static_cast<double>(knots_[stretch + 1] - knots_[stretch]);
    return (static_cast<double>(stretch) + within) / count();
  }
  std::uint64_t offset(double share) const {
    const double place = share * count();
    const auto stretch = std::min(static_cast<std::size_t>(place), knots_.size() - 2);
    const auto length = static_cast<double>(knots_[stretch + 1] - knots_[stretch]);
    return knots_[stretch] + static_cast<std::uint64_t>(std::llround((place - static_cast<double>(stretch)) * length));
  }

 private:
  double count() const { return static_cast<double>(knots_.size() - 1); }
  std::vector<std::uint64_t> knots_ = {0};
};

/// The offset from the low bound as digits, the highest first, each scaled to the range. One digit is enough for most,
/// and all there is where columns need not be exact; that digit goes by the column's edges.
class ScaledFields : public NumberFields {
 public:
  ScaledFields(const Column& column, const NumberGrid& grid, const CodecOptions& options)
      : name_(column.name),
        grid_(grid),
        least_(options.range == ScalarRange::zero_to_one ? 0.0 : -1.0),
        steps_(grid.size() - 1),
        stretches_(options.exact ? Column{} : column, grid) {
    const int bits = std::bit_width(steps_);
    digits_ = options.exact ? std::max(1, (bits + kFloatBits - 1) / kFloatBits) : 1;
    if (digits_ == 1) {
      top_ = steps_;
      return;
    }
    base_ = std::uint64_t{1} << ((bits + digits_ - 1) / digits_);
    std::uint64_t unit = 1;
    for (int d = 1; d < digits_; ++d) unit *= base_;
    top_ = steps_ / unit;
  }

  std::vector<Field> fields() const override {
    std::vector<Field> fields = {{name_, Field::Kind::scalar, 1}};
    for (int d = 1; d < digits_; ++d) fields.push_back({name_, Field::Kind::scalar, 1, "low"});
    if (states() > 1) fields.push_back({name_, Field::Kind::code, states(), "state"});
    return fields;
  }

  void write(std::span<const GridCell> cells, MatrixView<float> rows) const override {
    const auto digits = static_cast<std::size_t>(digits_);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto out = rows.row(i);
      const GridCell& cell = cells[i];
      const bool missing = cell.state == GridCell::kMissing;
      auto offset = static_cast<std::uint64_t>(std::clamp(cell.number, grid_.low(), grid_.high()) - grid_.low());
      for (std::size_t d = digits; d-- > 0;) {
        const std::uint64_t digit = d > 0 ? offset % base_ : offset;
        const double share =
            digits == 1 ? stretches_.share(digit) : static_cast<double>(digit) / static_cast<double>(most(d));
        out[d] = static_cast<float>(least_ + (1.0 - least_) * (missing ? kMissingShare : share));
        if (d > 0) offset /= base_;
      }
      if (states() > 1) out[digits] = static_cast<float>(missing ? states() - 1 : cell.state + 1);
    }
  }

  void read(MatrixView<const float> rows, MatrixView<const float> /*uniforms*/,
            std::span<GridCell> cells) const override {
    const auto digits = static_cast<std::size_t>(digits_);
    const auto atoms = static_cast<int>(grid_.atoms().size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto in = rows.row(i);
      const int state = states() > 1 ? code_of(in[digits], states()) : 0;
      if (state > atoms) {
        cells[i] = {grid_.low(), GridCell::kMissing};
      } else if (state > 0) {
        cells[i] = {grid_.atoms()[static_cast<std::size_t>(state) - 1], state - 1};
      } else {
        std::uint64_t offset = 0;
        for (std::size_t d = 0; d < digits; ++d) offset = offset * base_ + digit(in[d], d);
        cells[i] = {grid_.low() + static_cast<std::int64_t>(std::min(offset, steps_)), GridCell::kValue};
      }
    }
  }

 private:
  int states() const { return 1 + static_cast<int>(grid_.atoms().size()) + (grid_.missing() ? 1 : 0); }
  /// The largest digit of a place, at least 1.
  std::uint64_t most(std::size_t place) const { return std::max<std::uint64_t>(place == 0 ? top_ : base_ - 1, 1); }

  std::uint64_t digit(float scaled, std::size_t place) const {
    const double within = (static_cast<double>(scaled) - least_) / (1.0 - least_);
    const double share = std::isnan(scaled) ? kMissingShare : std::clamp(within, 0.0, 1.0);
    if (digits_ == 1) return stretches_.offset(share);
    return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(most(place))));
  }

  std::string name_;
  const NumberGrid& grid_;
  double least_;         ///< of the range, which ends at 1
  std::uint64_t steps_;  ///< between the bounds
  int digits_ = 1;
  std::uint64_t base_ = 2, top_ = 1;
  Stretches stretches_;
};

}  // namespace

std::unique_ptr<NumberFields> scaled_fields(const Column& column, const NumberGrid& grid, const CodecOptions& options) {
  return std::make_unique<ScaledFields>(column, grid, options);
}

}  // namespace sosia
