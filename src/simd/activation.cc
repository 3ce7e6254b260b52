// SPDX-License-Identifier: Apache-2.0
#include "simd/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/activation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/functions_inl.h"
#include "simd/loops_inl.h"
#include "simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

template <ActivationKind kind, class D, class V>
HWY_INLINE HWY_ATTR V value_of(D d, V x, float leak) {
  if constexpr (kind == ActivationKind::relu) return hn::Max(x, hn::Zero(d));
  if constexpr (kind == ActivationKind::leaky_relu) {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, hn::Set(d, leak)));
  }
  if constexpr (kind == ActivationKind::tanh) return tanh_of(d, x);
  if constexpr (kind == ActivationKind::sigmoid) return sigmoid_of(d, x);
  return x;
}

/// grad * f'(x), where y = f(x)
template <ActivationKind kind, class D, class V>
HWY_INLINE HWY_ATTR V gradient_of(D d, V y, V grad, float leak) {
  const V one = hn::Set(d, 1.0F);
  if constexpr (kind == ActivationKind::relu) return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), grad);
  if constexpr (kind == ActivationKind::leaky_relu) {
    return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), grad, hn::Mul(grad, hn::Set(d, leak)));
  }
  if constexpr (kind == ActivationKind::tanh) return hn::Mul(grad, hn::Sub(one, hn::Mul(y, y)));
  if constexpr (kind == ActivationKind::sigmoid) return hn::Mul(grad, hn::Mul(y, hn::Sub(one, y)));
  return grad;
}

/// One row: out = f(scale * x + shift), where null stands for ones and zeros.
template <ActivationKind kind>
HWY_ATTR void row_forward(const float* x, const float* scale, const float* shift, float leak, float* out,
                          std::size_t n) {
  if (scale != nullptr) {
    const auto op = [leak](auto d, auto v, auto a, auto b)
                        HWY_ATTR { return value_of<kind>(d, hn::Add(hn::Mul(a, v), b), leak); };
    transform(out, n, op, x, scale, shift);
  } else if (shift != nullptr) {
    const auto op = [leak](auto d, auto v, auto b) HWY_ATTR { return value_of<kind>(d, hn::Add(v, b), leak); };
    transform(out, n, op, x, shift);
  } else {
    transform(out, n, [leak](auto d, auto v) HWY_ATTR { return value_of<kind>(d, v, leak); }, x);
  }
}

template <ActivationKind kind>
HWY_ATTR void row_backward(const float* y, const float* grad, float leak, float* out, std::size_t n) {
  const auto op = [leak](auto d, auto v, auto g) HWY_ATTR { return gradient_of<kind>(d, v, g, leak); };
  transform(out, n, op, y, grad);
}

void forward_target(const float* x, const float* scale, const float* shift, Activation f, float* out, std::size_t n) {
  switch (f.kind) {
    case ActivationKind::identity:
      return row_forward<ActivationKind::identity>(x, scale, shift, f.leak, out, n);
    case ActivationKind::relu:
      return row_forward<ActivationKind::relu>(x, scale, shift, f.leak, out, n);
    case ActivationKind::leaky_relu:
      return row_forward<ActivationKind::leaky_relu>(x, scale, shift, f.leak, out, n);
    case ActivationKind::tanh:
      return row_forward<ActivationKind::tanh>(x, scale, shift, f.leak, out, n);
    case ActivationKind::sigmoid:
      return row_forward<ActivationKind::sigmoid>(x, scale, shift, f.leak, out, n);
  }
}

void backward_target(const float* y, const float* grad, Activation f, float* out, std::size_t n) {
  switch (f.kind) {
    case ActivationKind::identity:
      return row_backward<ActivationKind::identity>(y, grad, f.leak, out, n);
    case ActivationKind::relu:
      return row_backward<ActivationKind::relu>(y, grad, f.leak, out, n);
    case ActivationKind::leaky_relu:
      return row_backward<ActivationKind::leaky_relu>(y, grad, f.leak, out, n);
    case ActivationKind::tanh:
      return row_backward<ActivationKind::tanh>(y, grad, f.leak, out, n);
    case ActivationKind::sigmoid:
      return row_backward<ActivationKind::sigmoid>(y, grad, f.leak, out, n);
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(forward_target);
HWY_EXPORT(backward_target);

namespace {

void forward(MatrixView<const float> x, const float* scale, const float* shift, Activation f, MatrixView<float> out,
             ThreadPool& pool) {
  SOSIA_CHECK(x.rows == out.rows && x.cols == out.cols, "shapes differ");
  for_ranges(pool, x.rows, rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      HWY_DYNAMIC_DISPATCH(forward_target)(x.row(r).data(), scale, shift, f, out.row(r).data(), x.cols);
    }
  });
}

}  // namespace

void activate(MatrixView<const float> x, Activation f, MatrixView<float> out, ThreadPool& pool) {
  forward(x, nullptr, nullptr, f, out, pool);
}

void shift_activate(MatrixView<float> x, std::span<const float> shift, Activation f, ThreadPool& pool) {
  SOSIA_CHECK(shift.size() == x.cols, "not one shift for each column");
  forward(x, nullptr, shift.data(), f, x, pool);
}

void scale_shift_activate(MatrixView<const float> x, std::span<const float> scale, std::span<const float> shift,
                          Activation f, MatrixView<float> out, ThreadPool& pool) {
  SOSIA_CHECK(scale.size() == x.cols && shift.size() == x.cols, "not one scale and shift for each column");
  forward(x, scale.data(), shift.data(), f, out, pool);
}

void activate_backward(MatrixView<const float> y, MatrixView<const float> grad, Activation f, MatrixView<float> out,
                       ThreadPool& pool) {
  SOSIA_CHECK(y.rows == grad.rows && y.cols == grad.cols && y.rows == out.rows && y.cols == out.cols, "shapes differ");
  if (f.kind == ActivationKind::identity && grad.data == out.data) return;
  for_ranges(pool, y.rows, rows_per_piece(y.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      HWY_DYNAMIC_DISPATCH(backward_target)(y.row(r).data(), grad.row(r).data(), f, out.row(r).data(), y.cols);
    }
  });
}

}  // namespace sosia::simd
#endif
