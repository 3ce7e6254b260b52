// SPDX-License-Identifier: Apache-2.0
#include "features/open_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace sosia {

namespace {

constexpr std::uint32_t kNoState = std::numeric_limits<std::uint32_t>::max();

std::uint32_t state_of(float code, std::uint32_t width) {
  return code >= 0.0F && code < static_cast<float>(width) ? static_cast<std::uint32_t>(code) : kNoState;
}

std::uint32_t drawn_state(const float* shares, std::uint32_t width, double uniform) {
  double total = 0.0;
  for (std::uint32_t s = 0; s < width; ++s) total += static_cast<double>(shares[s]);
  double left = uniform * total;
  for (std::uint32_t s = 0; s + 1 < width; ++s) {
    left -= static_cast<double>(shares[s]);
    if (left < 0.0) return s;
  }
  return width - 1;
}

class OnEncoded : public BoundedMap {
 public:
  OnEncoded(OpenRows rows, std::shared_ptr<const FeatureMap> map, double count_weight, bool by_part)
      : rows_(std::move(rows)), map_(std::move(map)), count_weight_(count_weight), by_part_(by_part) {
    SOSIA_CHECK(map_->inputs() == rows_.inputs(), "the map is made for other rows");
  }

  int dim() const override { return map_->dim(); }
  double norm_bound() const override { return map_->norm_bound(); }
  bool nonnegative() const override { return map_->nonnegative(); }
  int parts() const override { return by_part_ ? rows_.parts() : 1; }
  double count_weight() const override { return count_weight_; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    std::vector<float> numbers(rows.rows * static_cast<std::size_t>(rows_.inputs()));
    const MatrixView<float> opened(numbers.data(), rows.rows, static_cast<std::size_t>(rows_.inputs()));
    rows_.open(rows, opened);
    map_->forward(opened, vectors);
  }
  void assign(MatrixView<const float> rows, std::span<std::uint32_t> parts) const override {
    if (by_part_) return rows_.assign(rows, parts);
    std::ranges::fill(parts, 0U);
  }

 private:
  OpenRows rows_;
  std::shared_ptr<const FeatureMap> map_;
  double count_weight_;
  bool by_part_;
};

}  // namespace

OpenRows::OpenRows(std::vector<std::uint32_t> widths, std::optional<int> label) : widths_(std::move(widths)) {
  // A label by itself is a block: there must be something to make.
  if (label && widths_.size() > 1 && widths_[static_cast<std::size_t>(*label)] > 0) {
    label_ = label;
    parts_ = static_cast<int>(widths_[static_cast<std::size_t>(*label)]);
  }
  places_.resize(widths_.size());
  for (std::size_t f = 0; f < widths_.size(); ++f) {
    if (widths_[f] == 0) places_[f] = {inputs_++, 0};
  }
  scalars_ = inputs_;
  for (std::size_t f = 0; f < widths_.size(); ++f) {
    if (widths_[f] == 0 || label_ == static_cast<int>(f)) continue;
    places_[f] = {inputs_, widths_[f]};
    blocks_.push_back(static_cast<int>(widths_[f]));
    inputs_ += static_cast<int>(widths_[f]);
  }
}

void OpenRows::open(MatrixView<const float> encoded, MatrixView<float> opened) const {
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    const auto in = encoded.row(r);
    float* const out = opened.row(r).data();
    std::fill_n(out, inputs_, 0.0F);
    for (std::size_t f = 0; f < places_.size(); ++f) {
      if (label_ == static_cast<int>(f)) continue;
      const Place place = places_[f];
      if (place.width == 0) {
        out[place.first] = in[f];
      } else if (const std::uint32_t state = state_of(in[f], place.width); state != kNoState) {
        out[static_cast<std::uint32_t>(place.first) + state] = 1.0F;
      }
    }
  }
}

void OpenRows::assign(MatrixView<const float> encoded, std::span<std::uint32_t> parts) const {
  for (std::size_t r = 0; r < encoded.rows; ++r) {
    parts[r] =
        label_ ? state_of(encoded.row(r)[static_cast<std::size_t>(*label_)], static_cast<std::uint32_t>(parts_)) : 0;
  }
}

void OpenRows::close(MatrixView<const float> opened, Parts parts, PublicRng& rng, MatrixView<float> encoded) const {
  for (std::size_t r = 0; r < opened.rows; ++r) {
    const float* const in = opened.row(r).data();
    const auto out = encoded.row(r);
    for (std::size_t f = 0; f < places_.size(); ++f) {
      const Place place = places_[f];
      if (label_ == static_cast<int>(f)) {
        out[f] = static_cast<float>(parts.empty() ? 0 : parts[r]);
      } else if (place.width == 0) {
        const float number = in[place.first];
        out[f] = std::isnan(number) ? 0.5F : std::clamp(number, 0.0F, 1.0F);
      } else {
        out[f] = static_cast<float>(drawn_state(in + place.first, place.width, rng.uniform()));
      }
    }
  }
}

std::unique_ptr<BoundedMap> on_encoded(const OpenRows& rows, std::shared_ptr<const FeatureMap> map, double count_weight,
                                       bool by_part) {
  return std::make_unique<OnEncoded>(rows, std::move(map), count_weight, by_part);
}

}  // namespace sosia
