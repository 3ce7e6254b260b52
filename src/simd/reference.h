// SPDX-License-Identifier: Apache-2.0
// The plain form of every kernel: read these first. They are the tests' oracle and stay for ever. One thread, no
// vectors; sums and functions in double, rounded at the end, except where a kernel promises its bits.
#pragma once

#include <cstdint>
#include <span>

#include "simd/activation.h"
#include "simd/convolution.h"
#include "simd/gemm.h"
#include "simd/optimizer_steps.h"

namespace sosia::simd::reference {

void gemm(float alpha, Factor a, Factor b, float beta, MatrixView<float> c);
void gram(float alpha, MatrixView<const float> a, float beta, MatrixView<float> c);

float exp(float x);
float log(float x);
float tanh(float x);
float sigmoid(float x);

double sum(std::span<const float> x);
double dot(std::span<const float> x, std::span<const float> y);

void softmax(std::span<const float> logits, std::span<const std::uint32_t> widths, std::span<float> out);
void log_softmax(std::span<const float> logits, std::span<const std::uint32_t> widths, std::span<float> out);
void softmax_backward(std::span<const float> p, std::span<const float> grad, std::span<const std::uint32_t> widths,
                      std::span<float> out);

float activate(float x, Activation f);
float activate_backward(float y, float grad, Activation f);

void column_sums(MatrixView<const float> x, std::span<float> sums);
void column_moments(MatrixView<const float> x, std::span<float> means, std::span<float> variances);
void column_products(MatrixView<const float> g, MatrixView<const float> x, std::span<const float> center,
                     std::span<float> sums);

/// Of one image as it is, without a frame; weights are outputs x taps.
void convolve(const ConvolutionShape& shape, std::span<const float> from, std::span<const float> weights,
              std::span<const float> start, std::span<float> image);
void add_filter_gradient(const ConvolutionShape& shape, std::span<const float> from, std::span<const float> gradients,
                         std::span<float> gradient);

/// The vector of one row; one frequency a row of w.
void fourier_vector(MatrixView<const float> w, double scale, std::span<const float> row, std::span<double> vector);
/// The gradient by that row of d_vector * vector.
void fourier_gradient(MatrixView<const float> w, double scale, std::span<const float> row,
                      std::span<const float> d_vector, std::span<double> d_row);

// To the bit what the kernels give.
double sum_of_squares(std::span<const float> x);
void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum);
void add_outer_rounded(MatrixView<const double> left, MatrixView<const double> right, std::size_t terms,
                       std::span<std::int64_t> sum);
void add_scaled(float a, std::span<const float> x, std::span<float> y);
void sgd_step(SgdStep step, std::span<const float> grad, std::span<float> velocity, std::span<float> weights);
void rmsprop_step(RmsPropStep step, std::span<const float> grad, std::span<float> square, std::span<float> weights);
void adam_step(AdamStep step, std::span<const float> grad, std::span<float> mean, std::span<float> square,
               std::span<float> weights);
void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<float> out);

}  // namespace sosia::simd::reference
