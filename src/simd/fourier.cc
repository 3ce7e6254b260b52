// SPDX-License-Identifier: Apache-2.0
// A few rows by one panel of angles are made in registers, as in gemm, and turned into cosines and sines at once. What
// becomes of them differs: vectors are written, sums are added to the sums of their part, and gradients are one more
// product, with the same frequencies.
#include "simd/fourier.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/fourier.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "base/check.h"
#include "simd/gemm_kernel.h"
#include "simd/loops_inl.h"
#include "simd/parallel.h"
#include "simd/product_inl.h"
#include "simd/sincos_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

constexpr std::size_t kWidth = FourierPanels::kWidth;
// Rows whose sums are added up by themselves, then to the total, which keeps rounding errors small.
constexpr std::size_t kGroup = 40 * kRows;
// Frequencies of a row that a gradient takes at once.
constexpr std::size_t kStrip = 4 * kWidth;

std::size_t part_of(std::span<const std::uint32_t> parts, std::size_t row) { return parts.empty() ? 0 : parts[row]; }

/// Rows, side by side in blocks of kRows: block i begins at i * kRows * cols.
void pack_target(MatrixView<const float> rows, float* packed) {
  for (std::size_t r = 0; r < rows.rows; r += kRows) {
    copy_lines<kRows>(rows.data + r * rows.stride, rows.stride, 1, std::min(kRows, rows.rows - r), rows.cols,
                      packed + r * rows.cols);
  }
}

/// Brings numbers to the nearest cache while a product is at work.
HWY_ATTR void fetch(const float* from, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 16) hwy::Prefetch(from + i);
}

/// Calls use(r, j, angles) for all vectors of angles of `rows` <= kRows packed rows; j is the place in the panel.
template <class Use>
HWY_ATTR void for_angles(const FourierPanels& w, std::size_t panel, const float* packed, std::size_t rows,
                         const Use& use) {
  const Floats d;
  HWY_ALIGN float angles[kRows * kPanel];
  for (std::size_t first = 0; first < kWidth; first += kPanel) {
    multiply_some(SideBySide(), rows, kPanel, packed, w.panel(panel) + first, kWidth, w.inputs(), {angles});
    for (std::size_t r = 0; r < rows; ++r) {
      use(r, first, hn::Load(d, angles + r * kPanel));
      use(r, first + kLanes, hn::Load(d, angles + r * kPanel + kLanes));
    }
  }
}

/// Stores what belongs to frequencies that there are.
HWY_INLINE HWY_ATTR void store_below(FloatVector v, float* to, std::size_t first, std::size_t end) {
  const Floats d;
  if (first + kLanes <= end) {
    hn::StoreU(v, d, to + first);
  } else if (first < end) {
    store_some(d, v, to + first, end - first);
  }
}

HWY_INLINE HWY_ATTR FloatVector load_below(const float* from, std::size_t first, std::size_t end) {
  const Floats d;
  if (first + kLanes <= end) return hn::LoadU(d, from + first);
  return first < end ? load_some(d, from + first, end - first) : hn::Zero(d);
}

void vectors_target(const FourierPanels& w, float scale, const float* packed, MatrixView<float> vectors) {
  const Floats d;
  const std::size_t count = w.frequencies();
  for (std::size_t panel = 0; panel < w.panels(); ++panel) {
    for (std::size_t row = 0; row < vectors.rows; row += kRows) {
      float* const out = vectors.data + row * vectors.stride;
      const auto write = [&](std::size_t r, std::size_t j, FloatVector angle) HWY_ATTR {
        FloatVector sine, cosine;
        sincos_of(d, angle, sine, cosine);
        const FloatVector by = hn::Set(d, scale);
        float* const to = out + r * vectors.stride;
        store_below(hn::Mul(by, cosine), to, panel * kWidth + j, count);
        store_below(hn::Mul(by, sine), to + count, panel * kWidth + j, count);
      };
      for_angles(w, panel, packed + row * w.inputs(), std::min(kRows, vectors.rows - row), write);
    }
  }
}

/// One panel of all sums. partial: room for 2 * kWidth numbers of each part; kept: for kWidth angles of each row, or
/// null.
void sums_target(const FourierPanels& w, float scale, std::size_t panel, const float* packed, std::size_t rows,
                 std::span<const std::uint32_t> parts, float* partial, float* kept, MatrixView<float> sums) {
  const Floats d;
  const std::size_t count = w.frequencies(), first = panel * kWidth, width = std::min(kWidth, count - first);
  const auto add = [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  const auto multiply = [scale](auto tag, auto a) HWY_ATTR { return hn::Mul(hn::Set(tag, scale), a); };
  for (std::size_t p = 0; p < sums.rows; ++p) {
    std::fill_n(sums.row(p).data() + first, width, 0.0F);
    std::fill_n(sums.row(p).data() + count + first, width, 0.0F);
  }
  for (std::size_t begin = 0; begin < rows; begin += kGroup) {
    const std::size_t end = std::min(rows, begin + kGroup);
    std::fill_n(partial, sums.rows * 2 * kWidth, 0.0F);
    for (std::size_t row = begin; row < end; row += kRows) {
      if (kept != nullptr) fetch(kept + row * kWidth, std::min(kRows, end - row) * kWidth);
      const auto add_up = [&](std::size_t r, std::size_t j, FloatVector angle) HWY_ATTR {
        FloatVector sine, cosine;
        sincos_of(d, angle, sine, cosine);
        float* const cosines = partial + part_of(parts, row + r) * 2 * kWidth + j;
        float* const sines = cosines + kWidth;
        hn::StoreU(hn::Add(hn::LoadU(d, cosines), cosine), d, cosines);
        hn::StoreU(hn::Add(hn::LoadU(d, sines), sine), d, sines);
        if (kept != nullptr) hn::StoreU(angle, d, kept + (row + r) * kWidth + j);
      };
      for_angles(w, panel, packed + row * w.inputs(), std::min(kRows, end - row), add_up);
    }
    for (std::size_t p = 0; p < sums.rows; ++p) {
      float* const cosines = sums.row(p).data() + first;
      transform(cosines, width, add, cosines, partial + p * 2 * kWidth);
      transform(cosines + count, width, add, cosines + count, partial + p * 2 * kWidth + kWidth);
    }
  }
  for (std::size_t p = 0; p < sums.rows; ++p) {
    float* const cosines = sums.row(p).data() + first;
    transform(cosines, width, multiply, cosines);
    transform(cosines + count, width, multiply, cosines + count);
  }
}

/// The angles of a panel, of rows row .. row+rows-1: from packed rows, or kept.
struct Angles {
  const float* packed;
  const float* kept;  ///< or null
  std::size_t all_rows;

  HWY_ATTR void fetch_next(const FourierPanels& w, std::size_t first, std::size_t row, std::size_t rows) const {
    if (kept == nullptr) return;
    for (std::size_t k = first; k < std::min(first + kStrip, w.frequencies()); k += kWidth) {
      fetch(kept + (k / kWidth * all_rows + row) * kWidth, rows * kWidth);
    }
  }

  template <class Use>
  HWY_ATTR void visit(const FourierPanels& w, std::size_t panel, std::size_t row, std::size_t rows,
                      const Use& use) const {
    if (kept == nullptr) return for_angles(w, panel, packed, rows, use);
    const float* const from = kept + (panel * all_rows + row) * kWidth;
    for (std::size_t i = 0; i < rows * kWidth; i += kLanes) use(i / kWidth, i % kWidth, hn::LoadU(Floats(), from + i));
  }
};

/// slopes[r * kStrip + k] = the derivative by angle `first` + k of row r, for up to kRows rows that begin with `row`
/// and the frequencies of a strip.
HWY_NOINLINE HWY_ATTR void slopes_of(const FourierPanels& w, std::size_t first, const Angles& angles, std::size_t row,
                                     std::size_t rows, std::span<const std::uint32_t> parts,
                                     MatrixView<const float> d_sums, float* slopes) {
  const Floats d;
  const std::size_t count = w.frequencies();
  const float* by[kRows];
  for (std::size_t r = 0; r < rows; ++r) by[r] = d_sums.row(part_of(parts, row + r)).data();
  for (std::size_t k = 0; k < std::min(kStrip, count - first); k += kWidth) {
    const auto turn = [&](std::size_t r, std::size_t j, FloatVector angle) HWY_ATTR {
      FloatVector sine, cosine;
      sincos_of(d, angle, sine, cosine);
      const FloatVector by_cosine = load_below(by[r], first + k + j, count);
      const FloatVector by_sine = load_below(by[r] + count, first + k + j, count);
      hn::Store(hn::NegMulAdd(by_cosine, sine, hn::Mul(by_sine, cosine)), d, slopes + r * kStrip + k + j);
    };
    angles.visit(w, (first + k) / kWidth, row, rows, turn);
  }
}

/// Rows begin .. end-1. packed: those rows, unless their angles are kept; total: room for padded_inputs() numbers of
/// each.
void gradients_target(const FourierPanels& w, float scale, const float* packed, const float* kept, std::size_t begin,
                      std::size_t end, std::span<const std::uint32_t> parts, MatrixView<const float> d_sums,
                      float* total, MatrixView<float> d_rows) {
  HWY_ALIGN float slopes[kRows * kStrip];
  const std::size_t padded = w.padded_inputs();
  const auto multiply = [scale](auto d, auto a) HWY_ATTR { return hn::Mul(hn::Set(d, scale), a); };
  for (std::size_t first = 0; first < w.frequencies(); first += kStrip) {
    const std::size_t inner = std::min(kStrip, w.frequencies() - first);
    for (std::size_t row = begin; row < end; row += kRows) {
      const std::size_t rows = std::min(kRows, end - row);
      const Angles angles{packed + (row - begin) * w.inputs(), kept, d_rows.rows};
      slopes_of(w, first, angles, row, rows, parts, d_sums, slopes);
      if (row + rows < end) angles.fetch_next(w, first, row + rows, std::min(kRows, end - row - rows));
      for (std::size_t col = 0; col < w.inputs(); col += kPanel) {
        const std::size_t cols = std::min(kPanel, w.inputs() - col);
        multiply_some(Steps<kStrip, 1>(), rows, cols, slopes, w.frequency(first) + col, padded, inner,
                      {total + (row - begin) * padded + col, padded, first > 0});
      }
    }
  }
  for (std::size_t r = begin; r < end; ++r) {
    transform(d_rows.row(r).data(), w.inputs(), multiply, total + (r - begin) * padded);
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(pack_target);
HWY_EXPORT(vectors_target);
HWY_EXPORT(sums_target);
HWY_EXPORT(gradients_target);

namespace {

// A multiple of every target's kRows. Enough rows that a panel is read from the nearest cache nearly always, few enough
// to occupy many cores.
constexpr std::size_t kRowsAtATime = 48;

std::size_t rounded_up(std::size_t rows) { return (rows + kRowsAtATime - 1) / kRowsAtATime * kRowsAtATime; }

/// Rows of a piece of gradients, which reads all frequencies: as many as leave room for a strip of them in a cache, in
/// pieces of about equal size, two or more for each of several threads.
std::size_t gradients_at_a_time(std::size_t rows, std::size_t threads) {
  constexpr std::size_t kMost = 4 * kRowsAtATime;
  const std::size_t wanted = threads == 1 ? 1 : std::min(2 * threads, rows / kRowsAtATime);
  const std::size_t pieces = std::max(wanted, (rows + kMost - 1) / kMost);
  const std::size_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  return pieces == 0 ? kRowBlock : (blocks + pieces - 1) / pieces * kRowBlock;
}

MatrixView<const float> some_rows(MatrixView<const float> rows, std::size_t begin, std::size_t end) {
  return {rows.data + begin * rows.stride, end - begin, rows.cols, rows.stride};
}

void check_parts(std::span<const std::uint32_t> parts, std::size_t rows, std::size_t count) {
  SOSIA_CHECK(parts.empty() || parts.size() == rows, "not one part for each row");
  SOSIA_CHECK(count > 0 && std::ranges::all_of(parts, [&](std::uint32_t p) { return p < count; }),
              "a part that does not exist");
}

void check_angles(std::size_t count, std::size_t rows, const FourierPanels& w) {
  SOSIA_CHECK(count == 0 || count == w.angles(rows), "not the angles of these rows");
}

}  // namespace

FourierPanels::FourierPanels(MatrixView<const float> frequencies)
    : inputs_(frequencies.cols),
      frequencies_(frequencies.rows),
      by_panel_(panels() * kWidth * inputs_ / kLine),
      by_frequency_(panels() * kWidth * padded_inputs() / kLine) {
  SOSIA_CHECK(inputs_ > 0 && frequencies_ > 0, "no frequencies");
  for (std::size_t f = 0; f < frequencies_; ++f) {
    const std::span<const float> from = frequencies.row(f);
    float* const in_panel = by_panel_.front().numbers + f / kWidth * kWidth * inputs_ + f % kWidth;
    for (std::size_t i = 0; i < inputs_; ++i) in_panel[i * kWidth] = from[i];
    std::ranges::copy(from, by_frequency_.front().numbers + f * padded_inputs());
  }
}

void fourier_vectors(const FourierPanels& w, float scale, MatrixView<const float> rows, MatrixView<float> vectors) {
  SOSIA_CHECK(rows.cols == w.inputs() && vectors.rows == rows.rows && vectors.cols == 2 * w.frequencies(),
              "the shapes do not fit");
  constexpr std::size_t kMost = 4 * kRowsAtATime;
  std::vector<float> packed(rounded_up(std::min(rows.rows, kMost)) * w.inputs());
  for (std::size_t begin = 0; begin < rows.rows; begin += kMost) {
    const std::size_t end = std::min(rows.rows, begin + kMost);
    HWY_DYNAMIC_DISPATCH(pack_target)(some_rows(rows, begin, end), packed.data());
    HWY_DYNAMIC_DISPATCH(vectors_target)
    (w, scale, packed.data(), {vectors.data + begin * vectors.stride, end - begin, vectors.cols, vectors.stride});
  }
}

void fourier_sums(const FourierPanels& w, float scale, MatrixView<const float> rows,
                  std::span<const std::uint32_t> parts, MatrixView<float> sums, std::span<float> angles,
                  ThreadPool& pool) {
  SOSIA_CHECK(rows.cols == w.inputs() && sums.cols == 2 * w.frequencies(), "the shapes do not fit");
  check_parts(parts, rows.rows, sums.rows);
  check_angles(angles.size(), rows.rows, w);
  std::vector<float> packed(rounded_up(rows.rows) * w.inputs());
  const std::size_t rows_at_a_time = rounded_up(rows_per_piece(w.inputs()));
  for_ranges(pool, rows.rows, rows_at_a_time, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(pack_target)(some_rows(rows, begin, end), packed.data() + begin * w.inputs());
  });
  for_pieces(pool, w.panels(), [&](std::size_t panel) {
    std::vector<float> partial(sums.rows * 2 * FourierPanels::kWidth);
    float* const kept = angles.empty() ? nullptr : angles.data() + panel * rows.rows * FourierPanels::kWidth;
    HWY_DYNAMIC_DISPATCH(sums_target)
    (w, scale, panel, packed.data(), rows.rows, parts, partial.data(), kept, sums);
  });
}

void fourier_gradients(const FourierPanels& w, float scale, MatrixView<const float> rows,
                       std::span<const std::uint32_t> parts, MatrixView<const float> d_sums,
                       std::span<const float> angles, MatrixView<float> d_rows, ThreadPool& pool) {
  SOSIA_CHECK(rows.cols == w.inputs() && d_sums.cols == 2 * w.frequencies(), "the shapes do not fit");
  SOSIA_CHECK(d_rows.rows == rows.rows && d_rows.cols == rows.cols, "the shapes do not fit");
  check_parts(parts, rows.rows, d_sums.rows);
  check_angles(angles.size(), rows.rows, w);
  const float* const kept = angles.empty() ? nullptr : angles.data();
  const std::size_t at_a_time = gradients_at_a_time(rows.rows, static_cast<std::size_t>(pool.size()));
  for_ranges(pool, rows.rows, at_a_time, [&](std::size_t begin, std::size_t end) {
    std::vector<float> packed(at_a_time * w.inputs()), total(at_a_time * w.padded_inputs());
    if (kept == nullptr) HWY_DYNAMIC_DISPATCH(pack_target)(some_rows(rows, begin, end), packed.data());
    HWY_DYNAMIC_DISPATCH(gradients_target)
    (w, scale, packed.data(), kept, begin, end, parts, d_sums, total.data(), d_rows);
  });
}

}  // namespace sosia::simd
#endif
