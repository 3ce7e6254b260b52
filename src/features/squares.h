// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <sosia/images.h>

namespace sosia {

/// An image seen coarsely: the means of squares of `side` pixels, channel by channel, row by row. What is left over at
/// the edges is a square of its own; a side as long as the image leaves one square a channel.
class Squares {
 public:
  Squares(const ImageShape& shape, std::size_t side) : square_of_(shape.values()) {
    const std::size_t across = (shape.width + side - 1) / side, down = (shape.height + side - 1) / side;
    share_.resize(shape.channels * across * down);
    for (std::size_t i = 0; i < square_of_.size(); ++i) {
      const std::size_t x = i % shape.width, y = i / shape.width % shape.height, channel = i / shape.pixels();
      square_of_[i] = (channel * down + y / side) * across + x / side;
      share_[square_of_[i]] += 1.0;
    }
    for (double& share : share_) share = 1.0 / share;
  }

  std::size_t pixels() const { return square_of_.size(); }
  std::size_t size() const { return share_.size(); }

  /// Writes the means of a row of pixels.
  void means(std::span<const float> row, std::span<double> squares) const {
    for (double& square : squares) square = 0.0;
    for (std::size_t i = 0; i < pixels(); ++i) squares[square_of_[i]] += static_cast<double>(row[i]);
    for (std::size_t s = 0; s < size(); ++s) squares[s] *= share_[s];
  }
  /// From the gradient by the means to that by the pixels.
  void spread(std::span<const double> d_squares, std::span<float> d_row) const {
    for (std::size_t i = 0; i < pixels(); ++i) {
      const std::size_t s = square_of_[i];
      d_row[i] = static_cast<float>(d_squares[s] * share_[s]);
    }
  }

 private:
  std::vector<std::size_t> square_of_;  ///< of each pixel
  std::vector<double> share_;           ///< of a pixel in its square
};

}  // namespace sosia
