// SPDX-License-Identifier: Apache-2.0
#include "simd/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/parallel.h"
#include "simd/reduce_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

constexpr std::size_t kPiece = 1024;

double sum_target(const float* x, std::size_t n) {
  double total = 0.0;
  for (std::size_t i = 0; i < n; i += kPiece) total += short_sum(x + i, std::min(kPiece, n - i));
  return total;
}

double dot_target(const float* x, const float* y, std::size_t n) {
  double total = 0.0;
  for (std::size_t i = 0; i < n; i += kPiece) total += short_dot(x + i, y + i, std::min(kPiece, n - i));
  return total;
}

float max_target(const float* x, std::size_t n) { return short_max(x, n); }

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(sum_target);
HWY_EXPORT(dot_target);
HWY_EXPORT(max_target);

double sum(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(sum_target)(x.data(), x.size()); }

double dot(std::span<const float> x, std::span<const float> y) {
  SOSIA_CHECK(x.size() == y.size(), "lengths differ");
  return HWY_DYNAMIC_DISPATCH(dot_target)(x.data(), y.data(), x.size());
}

double squared_norm(std::span<const float> x) { return dot(x, x); }

float max(std::span<const float> x) {
  SOSIA_CHECK(!x.empty(), "no numbers");
  return HWY_DYNAMIC_DISPATCH(max_target)(x.data(), x.size());
}

void row_dots(MatrixView<const float> x, MatrixView<const float> y, std::span<double> out, ThreadPool& pool) {
  SOSIA_CHECK(x.rows == y.rows && x.cols == y.cols && x.rows == out.size(), "shapes differ");
  for_ranges(pool, x.rows, rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) out[r] = dot(x.row(r), y.row(r));
  });
}

}  // namespace sosia::simd
#endif
