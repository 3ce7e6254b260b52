// SPDX-License-Identifier: Apache-2.0
// Nets that turn codes into images, as in the papers. A condition, such as a one-hot class, is part of the code.
#pragma once

#include <vector>

#include "nn/layers.h"

namespace sosia::nn {

struct ConvolutionalOptions {
  std::size_t hidden = 200;                   ///< width of the dense layer
  std::vector<std::size_t> planes = {16, 8};  ///< of the image before each of the convolutions, the smallest first
  std::size_t side = 5;                       ///< of the filters
};

/// A dense layer and one more to a small image of planes[0] planes; then, for each number of planes, twice the size by
/// linear interpolation, and a convolution (Harder, Adamczewski and Park 2021). Pixels in [0, 1].
std::vector<LayerPtr> convolutional_generator(std::size_t codes, const ImageShape& shape,
                                              const ConvolutionalOptions& options = {});

struct ResidualOptions {
  std::vector<std::size_t> planes = {512, 256, 128, 64};  ///< of the first small image, and after each block
};

/// A dense layer to a small image; blocks that double its size, of two 3 x 3 convolutions each with a bypass; one last
/// convolution (Harder, Jalali, Sutherland and Park 2023). Pixels in [0, 1]. Between the convolutions of a block the
/// image already has its new size: batch norm, relu and a 1 x 1 convolution are the same before and after doubling.
std::vector<LayerPtr> residual_generator(std::size_t codes, const ImageShape& shape,
                                         const ResidualOptions& options = {});

}  // namespace sosia::nn
