// SPDX-License-Identifier: Apache-2.0
// Convolutions that keep the size of images. An image lies in planes with a border of zeros (a frame), so that a tap of
// the filter is the same planes read a little further on: nothing is gathered, and no edge is a special case. What
// becomes of an image depends on that image alone, to the bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/matrix.h"

namespace sosia::simd {

struct ConvolutionShape {
  /// Outputs whose weights lie together in an arranged filter: for each such group all taps, for each tap the group's
  /// weights.
  static constexpr std::size_t kFilterGroup = 12;
  static constexpr std::size_t kLongestVector = 16;

  std::size_t inputs = 1, outputs = 1;  ///< planes
  std::size_t height = 1, width = 1;    ///< of every plane
  std::size_t side = 3;                 ///< of the square filter, odd

  std::size_t pixels() const { return height * width; }
  std::size_t taps() const { return inputs * side * side; }
  std::size_t filter_size() const { return outputs * taps(); }
  std::size_t border() const { return side / 2; }
  /// The convolution that takes gradients back from outputs to inputs.
  ConvolutionShape reversed() const { return {outputs, inputs, height, width, side}; }

  /// From a row of a frame to the next: a border, the pixels, a border.
  std::size_t frame_step() const { return width + 2 * border(); }
  /// From the first pixel of a plane to the last, borders between rows included.
  std::size_t run() const { return (height - 1) * frame_step() + width; }
  /// Between planes: after the last pixel, zeros for the longest vector to end in.
  std::size_t plane_size() const {
    const std::size_t zeros = border() * (frame_step() + 1);
    return (height + 2 * border()) * frame_step() + (zeros < kLongestVector ? kLongestVector - zeros : 0);
  }
  /// Floats in the frame of an image with so many planes: a vector may be read past the last row.
  std::size_t frame_size(std::size_t planes) const { return planes * plane_size() + kLongestVector; }
};

/// Puts planes, one after the other in `image`, into their frame.
void fill_frame(const ConvolutionShape& shape, std::span<const float> image, std::span<float> frame);

/// Brings weights, outputs x taps, into the order in which convolve reads them.
void arrange_filter(const ConvolutionShape& shape, std::span<const float> weights, std::span<float> filter);
/// The weights of the reversed convolution: inputs and outputs exchanged, upside down and from right to left.
void reverse_weights(const ConvolutionShape& shape, std::span<const float> weights, std::span<float> reversed);

/// images[o, y, x] = start[o] + the sum over i, dy, dx of weights[o, (i, dy, dx)] * frame[i, y + dy, x + dx], added up
/// in this order with fused multiply-adds, on every CPU that has them; for some images, a row each, whose frames follow
/// each other. With several images the filter stays in the cache.
void convolve(const ConvolutionShape& shape, std::span<const float> frames, std::span<const float> filter,
              std::span<const float> start, MatrixView<float> images);

/// gradient[o, (i, dy, dx)] += the sum over y, x of gradient_frame[o, y, x] * frame[i, y + dy, x + dx], over some
/// images whose frames follow each other: frames of inputs, and frames of gradients by outputs. Error at most 1e-6 of
/// the sum of magnitudes for every thousand pixels; other CPU targets may give other bits within it.
void add_filter_gradient(const ConvolutionShape& shape, std::size_t images, std::span<const float> frames,
                         std::span<const float> gradient_frames, std::span<float> gradient);

}  // namespace sosia::simd
