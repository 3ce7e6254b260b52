// SPDX-License-Identifier: Apache-2.0
// The layers there are. To add one: a class in a file of its own that implements Layer, a line here, golden tensors
// from tools/make_golden_tensors.py, and a case in gradient_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <sosia/images.h>

#include "nn/layer.h"
#include "simd/activation.h"

namespace sosia::nn {

using LayerPtr = std::unique_ptr<Layer>;

/// How weights start; biases start at 0. kaiming: normal of variance 2 / inputs (He et al. 2015), for what relu
/// follows, at once or after batch norm. xavier: uniform of variance 2 / (inputs + outputs) (Glorot and Bengio 2010).
enum class Init { kaiming, xavier };

struct DenseOptions {
  simd::Activation activation = {};
  Init init = Init::kaiming;
};

/// y = activation(x W + b). Parameters: W, inputs x outputs by rows, then b.
LayerPtr dense(std::size_t inputs, std::size_t outputs, const DenseOptions& options = {});

struct BatchNormOptions {
  simd::Activation activation = {};
  double momentum = 0.1;  ///< weight of the batch in the running statistics
  double epsilon = 1e-5;  ///< added to the variance
};

/// y = activation(gain * (x - mean) / sqrt(variance + epsilon) + shift), column by column (Ioffe and Szegedy 2015).
/// Training: the batch's own statistics, of at least two rows. Evaluation: the running ones. Parameters: gains, then
/// shifts; state: running means, then running variances.
/// Mixes the rows of a batch, so it has no gradient per example and no place in a net that private rows pass through.
LayerPtr batch_norm(std::size_t width, const BatchNormOptions& options = {});

LayerPtr activation(std::size_t width, simd::Activation activation);

enum class HeadKind { softmax, sigmoid, tanh, linear };
struct HeadBlock {
  HeadKind kind = HeadKind::softmax;
  std::uint32_t width = 1;  ///< a softmax over this many columns, or so many columns each for itself
};

/// The last layer of a generator of mixed columns: each block of columns has its own function.
LayerPtr head(const std::vector<HeadBlock>& blocks);

/// y = x + layers(x)
LayerPtr residual(std::vector<LayerPtr> layers);
/// y = bypass(x) + layers(x)
LayerPtr residual(std::vector<LayerPtr> layers, std::vector<LayerPtr> bypass);

/// The layers on the first columns; the last `passed` columns go by as they are: a class, or random numbers.
LayerPtr beside(std::vector<LayerPtr> layers, std::size_t passed);

/// From means m, logarithms s of spreads and normals n, `width` columns each, to codes m + exp(s) n, and m and s again,
/// for a loss of them (the reparametrisation of Kingma and Welling 2014).
LayerPtr drawn_codes(std::size_t width);

// Layers of images. A row is an image, plane by plane.

struct ConvolutionOptions {
  std::size_t side = 3;  ///< of the square filter, odd
  simd::Activation activation = {};
  Init init = Init::kaiming;
};

/// Images of `channels` planes and the same size, as if beyond their edges all were 0. Parameters: filters, channels x
/// shape.channels x side x side, then one bias a channel.
LayerPtr convolution(const ImageShape& shape, std::size_t channels, const ConvolutionOptions& options = {});

/// Batch norm with one mean, variance, gain and shift for all pixels of a channel.
LayerPtr channel_norm(const ImageShape& shape, const BatchNormOptions& options = {});

/// Images of another size. nearest: the pixel whose square it falls into; linear: between the four around it, with
/// corners on corners.
enum class Resize { nearest, linear };
LayerPtr resize(const ImageShape& shape, std::size_t width, std::size_t height, Resize how);

/// The mean or the largest of every square of `side` x `side` pixels. Width and height are multiples of the side.
enum class Pooling { mean, max };
LayerPtr pooling(const ImageShape& shape, std::size_t side, Pooling how);

}  // namespace sosia::nn
