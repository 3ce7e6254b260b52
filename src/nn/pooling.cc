// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "nn/layers.h"
#include "nn/parameter_free.h"
#include "simd/parallel.h"

namespace sosia::nn {

namespace {

class PoolingLayer final : public ParameterFree {
 public:
  PoolingLayer(const ImageShape& shape, std::size_t side, Pooling how)
      : ParameterFree(shape.values(), shape.values() / (side * side)), shape_(shape), side_(side), how_(how) {}

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    simd::for_ranges(pass.pool, x.rows, simd::rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        for (std::size_t i = 0; i < y.cols; ++i) {
          const float* const square = x.row(r).data() + corner(i);
          y.row(r)[i] = how_ == Pooling::max ? square[place_of_max(square)] : mean(square);
        }
      }
    });
  }

  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float>, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    if (grad_x.data == nullptr) return;
    simd::for_ranges(pass.pool, x.rows, simd::rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        if (how_ == Pooling::max) std::ranges::fill(grad_x.row(r), 0.0F);
        for (std::size_t i = 0; i < grad_y.cols; ++i) {
          float* const square = grad_x.row(r).data() + corner(i);
          const float g = grad_y.row(r)[i];
          if (how_ == Pooling::max) {
            square[place_of_max(x.row(r).data() + corner(i))] = g;
          } else {
            for_square([&](std::size_t place) { square[place] = g * share(); });
          }
        }
      }
    });
  }

 private:
  /// Where in an image the square of result i begins: rows of all planes follow each other.
  std::size_t corner(std::size_t i) const {
    const std::size_t in_row = shape_.width / side_;
    return i / in_row * side_ * shape_.width + i % in_row * side_;
  }
  template <class Visit>
  void for_square(const Visit& visit) const {
    for (std::size_t y = 0; y < side_; ++y) {
      for (std::size_t x = 0; x < side_; ++x) visit(y * shape_.width + x);
    }
  }
  float share() const { return 1.0F / static_cast<float>(side_ * side_); }
  float mean(const float* square) const {
    float sum = 0.0F;
    for_square([&](std::size_t place) { sum += square[place]; });
    return sum * share();
  }
  /// The first of equal ones.
  std::size_t place_of_max(const float* square) const {
    std::size_t best = 0;
    for_square([&](std::size_t place) { best = square[place] > square[best] ? place : best; });
    return best;
  }

  ImageShape shape_;
  std::size_t side_;
  Pooling how_;
};

}  // namespace

LayerPtr pooling(const ImageShape& shape, std::size_t side, Pooling how) {
  SOSIA_CHECK(shape.values() > 0 && side > 0 && shape.width % side == 0 && shape.height % side == 0,
              "squares that do not fill the image");
  return std::make_unique<PoolingLayer>(shape, side, how);
}

}  // namespace sosia::nn
