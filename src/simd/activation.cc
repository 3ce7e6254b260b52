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

/// Rows: out = f(scale * x + shift), where null stands for ones and zeros.
template <ActivationKind kind>
HWY_ATTR void rows_forward(MatrixView<const float> x, const float* scale, const float* shift, float leak,
                           MatrixView<float> out) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* const from = x.data + r * x.stride;
    float* const to = out.data + r * out.stride;
    if (scale != nullptr) {
      const auto op = [leak](auto d, auto v, auto a, auto b)
                          HWY_ATTR { return value_of<kind>(d, hn::Add(hn::Mul(a, v), b), leak); };
      transform(to, x.cols, op, from, scale, shift);
    } else if (shift != nullptr) {
      const auto op = [leak](auto d, auto v, auto b) HWY_ATTR { return value_of<kind>(d, hn::Add(v, b), leak); };
      transform(to, x.cols, op, from, shift);
    } else {
      transform(to, x.cols, [leak](auto d, auto v) HWY_ATTR { return value_of<kind>(d, v, leak); }, from);
    }
  }
}

template <ActivationKind kind>
HWY_ATTR void rows_backward(MatrixView<const float> y, MatrixView<const float> grad, float leak,
                            MatrixView<float> out) {
  const auto op = [leak](auto d, auto v, auto g) HWY_ATTR { return gradient_of<kind>(d, v, g, leak); };
  for (std::size_t r = 0; r < y.rows; ++r) {
    transform(out.data + r * out.stride, y.cols, op, y.data + r * y.stride, grad.data + r * grad.stride);
  }
}

void forward_target(MatrixView<const float> x, const float* scale, const float* shift, Activation f,
                    MatrixView<float> out) {
  switch (f.kind) {
    case ActivationKind::identity:
      return rows_forward<ActivationKind::identity>(x, scale, shift, f.leak, out);
    case ActivationKind::relu:
      return rows_forward<ActivationKind::relu>(x, scale, shift, f.leak, out);
    case ActivationKind::leaky_relu:
      return rows_forward<ActivationKind::leaky_relu>(x, scale, shift, f.leak, out);
    case ActivationKind::tanh:
      return rows_forward<ActivationKind::tanh>(x, scale, shift, f.leak, out);
    case ActivationKind::sigmoid:
      return rows_forward<ActivationKind::sigmoid>(x, scale, shift, f.leak, out);
  }
}

void backward_target(MatrixView<const float> y, MatrixView<const float> grad, Activation f, MatrixView<float> out) {
  switch (f.kind) {
    case ActivationKind::identity:
      return rows_backward<ActivationKind::identity>(y, grad, f.leak, out);
    case ActivationKind::relu:
      return rows_backward<ActivationKind::relu>(y, grad, f.leak, out);
    case ActivationKind::leaky_relu:
      return rows_backward<ActivationKind::leaky_relu>(y, grad, f.leak, out);
    case ActivationKind::tanh:
      return rows_backward<ActivationKind::tanh>(y, grad, f.leak, out);
    case ActivationKind::sigmoid:
      return rows_backward<ActivationKind::sigmoid>(y, grad, f.leak, out);
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

template <class T>
MatrixView<T> some_rows(MatrixView<T> matrix, std::size_t begin, std::size_t end) {
  return {matrix.data + begin * matrix.stride, end - begin, matrix.cols, matrix.stride};
}

void forward(MatrixView<const float> x, const float* scale, const float* shift, Activation f, MatrixView<float> out,
             ThreadPool& pool) {
  SOSIA_CHECK(x.rows == out.rows && x.cols == out.cols, "shapes differ");
  for_ranges(pool, x.rows, rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(forward_target)(some_rows(x, begin, end), scale, shift, f, some_rows(out, begin, end));
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
    HWY_DYNAMIC_DISPATCH(backward_target)
    (some_rows(y, begin, end), some_rows(grad, begin, end), f, some_rows(out, begin, end));
  });
}

}  // namespace sosia::simd
#endif
