// SPDX-License-Identifier: Apache-2.0
#include "simd/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <numeric>

#include "base/check.h"
#include "simd/functions_inl.h"
#include "simd/parallel.h"
#include "simd/reduce_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

void softmax_target(const float* x, std::span<const std::uint32_t> widths, float* out, std::size_t n) {
  // The exponential is nearly all of the cost. It runs over the whole row at once, since blocks are often narrower than
  // a vector; the maximum is taken off first so that it cannot overflow.
  float* block = out;
  for (const std::uint32_t width : widths) {
    const float top = short_max(x, width);
    for (std::uint32_t i = 0; i < width; ++i) block[i] = x[i] - top;
    x += width;
    block += width;
  }
  transform(out, n, [](auto d, auto v) HWY_ATTR { return hn::Exp(d, v); }, out);
  block = out;
  for (const std::uint32_t width : widths) {
    const float factor = 1.0F / short_sum(block, width);
    for (std::uint32_t i = 0; i < width; ++i) block[i] *= factor;
    block += width;
  }
}

void log_softmax_target(const float* x, std::span<const std::uint32_t> widths, float* out) {
  for (const std::uint32_t width : widths) {
    const float top = short_max(x, width);
    const auto term = [top](auto d, auto v) HWY_ATTR { return hn::Exp(d, hn::Sub(v, hn::Set(d, top))); };
    // Zeros in the last, partial vector would count: it is summed one by one.
    const std::size_t whole = width - width % hn::Lanes(Floats());
    float total = sum_of(whole, term, x);
    for (std::size_t i = whole; i < width; ++i) total += std::exp(x[i] - top);
    const float shift = std::log(total);
    for (std::uint32_t i = 0; i < width; ++i) out[i] = (x[i] - top) - shift;
    x += width;
    out += width;
  }
}

void backward_target(const float* p, const float* grad, std::span<const std::uint32_t> widths, float* out) {
  for (const std::uint32_t width : widths) {
    const float mean = short_dot(p, grad, width);
    for (std::uint32_t i = 0; i < width; ++i) out[i] = p[i] * (grad[i] - mean);
    p += width;
    grad += width;
    out += width;
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(softmax_target);
HWY_EXPORT(log_softmax_target);
HWY_EXPORT(backward_target);

namespace {

void check_shapes(MatrixView<const float> x, std::span<const std::uint32_t> widths, MatrixView<const float> out) {
  SOSIA_CHECK(x.rows == out.rows && x.cols == out.cols, "shapes differ");
  std::size_t total = 0;
  for (const std::uint32_t width : widths) {
    SOSIA_CHECK(width > 0, "an empty block");
    total += width;
  }
  SOSIA_CHECK(total == x.cols, "the blocks do not fill the row");
}

template <class RowWork>
void for_rows(MatrixView<const float> x, ThreadPool& pool, const RowWork& work) {
  for_ranges(pool, x.rows, rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) work(r);
  });
}

}  // namespace

void softmax(MatrixView<const float> logits, std::span<const std::uint32_t> widths, MatrixView<float> out,
             ThreadPool& pool) {
  check_shapes(logits, widths, out);
  for_rows(logits, pool, [&](std::size_t r) {
    HWY_DYNAMIC_DISPATCH(softmax_target)(logits.row(r).data(), widths, out.row(r).data(), logits.cols);
  });
}

void log_softmax(MatrixView<const float> logits, std::span<const std::uint32_t> widths, MatrixView<float> out,
                 ThreadPool& pool) {
  check_shapes(logits, widths, out);
  for_rows(logits, pool, [&](std::size_t r) {
    HWY_DYNAMIC_DISPATCH(log_softmax_target)(logits.row(r).data(), widths, out.row(r).data());
  });
}

void softmax_backward(MatrixView<const float> p, MatrixView<const float> grad, std::span<const std::uint32_t> widths,
                      MatrixView<float> out, ThreadPool& pool) {
  check_shapes(p, widths, out);
  SOSIA_CHECK(grad.rows == p.rows && grad.cols == p.cols, "shapes differ");
  for_rows(p, pool, [&](std::size_t r) {
    HWY_DYNAMIC_DISPATCH(backward_target)(p.row(r).data(), grad.row(r).data(), widths, out.row(r).data());
  });
}

}  // namespace sosia::simd
#endif
