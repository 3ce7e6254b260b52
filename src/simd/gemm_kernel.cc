// SPDX-License-Identifier: Apache-2.0
// A number of c is, in every place of every matrix, the same chain of operations on its row of a and its column of b:
//   for each block of kInnerBlock: sum = 0; sum = fma(a, b, sum) one by one; c = alpha * sum + (beta * c, later c)
// so that its bits depend on nothing else. Speed comes from registers: a few rows by two vectors of c are kept in them
// over a whole block, and each number of a and b that is loaded is used that many times.
#include "simd/gemm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gemm_kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "simd/loops_inl.h"
#include "simd/product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

constexpr std::size_t kInnerBlock = 256;
static_assert(kTileRows % kRows == 0 && kRowBlock % kRows == 0 && kColBlock % kPanel == 0);

/// c = alpha * sums + old for some rows. is_first: old is beta * c, else c itself.
HWY_NOINLINE HWY_ATTR void add_sums(const GemmTile& t, bool is_first, const float* sums, float* c, std::size_t rows,
                                    std::size_t cols) {
  const float alpha = t.alpha, beta = t.beta;
  for (std::size_t r = 0; r < rows; ++r, sums += kPanel, c += t.c_step) {
    if (!is_first) {
      const auto op = [alpha](auto d, auto sum, auto old)
                          HWY_ATTR { return hn::Add(hn::Mul(hn::Set(d, alpha), sum), old); };
      transform(c, cols, op, sums, c);
    } else if (beta == 0.0F) {
      transform(c, cols, [alpha](auto d, auto sum) HWY_ATTR { return hn::Mul(hn::Set(d, alpha), sum); }, sums);
    } else {
      const auto op = [alpha, beta](auto d, auto sum, auto old)
                          HWY_ATTR { return hn::Add(hn::Mul(hn::Set(d, alpha), sum), hn::Mul(hn::Set(d, beta), old)); };
      transform(c, cols, op, sums, c);
    }
  }
}

void multiply_target(const GemmTile& t) {
  HWY_ALIGN float rows_copy[kTileRows * kInnerBlock];
  HWY_ALIGN float panel[kPanel * kInnerBlock];
  HWY_ALIGN float sums[kRows * kPanel];
  const bool is_plain = t.alpha == 1.0F && t.beta == 0.0F;  // the first sums are c
  for (std::size_t k = 0; k < t.inner; k += kInnerBlock) {
    const std::size_t inner = std::min(kInnerBlock, t.inner - k);
    for (std::size_t row = 0; row < t.rows; row += kRows) {
      const float* const a = t.a.data + row * t.a.row_step + k * t.a.col_step;
      copy_lines<kRows>(a, t.a.row_step, t.a.col_step, std::min(kRows, t.rows - row), inner, rows_copy + row * inner);
    }
    for (std::size_t col = 0; col < t.cols; col += kPanel) {
      const std::size_t width = std::min(kPanel, t.cols - col);
      const float* b = t.b.data + k * t.b.row_step + col * t.b.col_step;
      std::size_t b_step = t.b.row_step;
      if (t.b.col_step != 1 || width < kPanel) {  // not in the order in which it is read, or not whole vectors
        copy_lines<kPanel>(b, t.b.col_step, t.b.row_step, width, inner, panel);
        b = panel;
        b_step = kPanel;
      }
      for (std::size_t row = 0; row < t.rows; row += kRows) {
        const std::size_t rows = std::min(kRows, t.rows - row);
        const float* const a = rows_copy + row * inner;
        float* const c = t.c + row * t.c_step + col;
        if (is_plain && k == 0 && width == kPanel) {
          multiply_some<SideBySide>(rows, width, a, b, b_step, inner, c, t.c_step);
        } else {
          multiply_some<SideBySide>(rows, width, a, b, b_step, inner, sums);
          add_sums(t, k == 0, sums, c, rows, width);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(multiply_target);

void multiply(const GemmTile& tile) { HWY_DYNAMIC_DISPATCH(multiply_target)(tile); }

}  // namespace sosia::simd
#endif
