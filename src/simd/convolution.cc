// SPDX-License-Identifier: Apache-2.0
// A convolution is a product of matrices, outputs x taps by taps x pixels, whose second factor is the frame itself: its
// row t is the frame read from tap t on. As in a product, a few outputs by a few vectors of pixels stay in registers
// over all taps. Vectors may run over borders; what they find there is not stored. The gradient by the filter is the
// product outputs x pixels by pixels x taps, with sums along vectors, where borders are zeros.
#include "simd/convolution.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/convolution.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <utility>

#include "base/check.h"
#include "simd/groups.h"
#include "simd/loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kRegisters = 32, kMostOutputs = 12, kMostGradients = 4;
#else
constexpr std::size_t kRegisters = 16, kMostOutputs = 6, kMostGradients = 3;
#endif
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
static_assert(kLanes <= ConvolutionShape::kLongestVector);
// Beyond this many sums, a multiply-add no longer waits for the one before it.
constexpr std::size_t kEnough = 8;

/// The sums, the vectors of pixels and one weight must fit into the registers.
constexpr std::size_t vectors_for(std::size_t outputs) { return std::min(kEnough, (kRegisters - 1) / (outputs + 1)); }
/// The sums, a vector for each output and one of the frame.
constexpr std::size_t taps_for(std::size_t outputs) { return std::min(kEnough, (kRegisters - 1 - outputs) / outputs); }

/// Vectors that cover a plane: row by row, or from end to end across borders, whichever takes fewer.
struct Cover {
  explicit Cover(const ConvolutionShape& shape)
      : in_row((shape.width + kLanes - 1) / kLanes), vectors(in_row * shape.height), step(shape.frame_step()) {
    const std::size_t of_run = (shape.run() + kLanes - 1) / kLanes;
    is_by_row = vectors <= of_run;
    vectors = std::min(vectors, of_run);
  }
  /// Where vector i begins, counted from the first pixel in its frame.
  std::size_t place(std::size_t i) const { return is_by_row ? i / in_row * step + i % in_row * kLanes : i * kLanes; }

  std::size_t in_row, vectors, step;
  bool is_by_row;
};

/// Some outputs of all images.
struct Job {
  const ConvolutionShape& shape;
  Cover cover;
  const float* frames;
  const float* weights;      ///< of the first output, for the first tap
  std::size_t weights_step;  ///< to the next tap
  const float* start;        ///< of the first output
  MatrixView<float> images;
  std::size_t first;  ///< the number of the first output
};

/// Stores what is neither border nor beyond the end.
HWY_ATTR void store_pixels(const ConvolutionShape& s, const Cover& cover, FloatVector v, std::size_t place,
                           float* plane) {
  const Floats d;
  std::size_t y = place / s.frame_step(), x = place % s.frame_step();
  if (x + kLanes <= s.width) return hn::StoreU(v, d, plane + y * s.width + x);
  if (cover.is_by_row) return store_some(d, v, plane + y * s.width + x, s.width - x);
  HWY_ALIGN float lanes[kLanes];
  hn::Store(v, d, lanes);
  for (std::size_t lane = 0; lane < kLanes && y < s.height; ++y, x = 0) {
    if (x < s.width) std::copy_n(lanes + lane, std::min(s.width - x, kLanes - lane), plane + y * s.width + x);
    lane += s.frame_step() - x;
  }
}

/// `outputs` planes of several vectors, which may belong to several images: the last vector comes more than once where
/// there are too few.
template <std::size_t outputs, std::size_t... sum, std::size_t... vector>
HWY_ATTR void convolve_vectors(std::index_sequence<sum...>, std::index_sequence<vector...>, const Job& job,
                               std::size_t number) {
  constexpr std::size_t kVectors = sizeof...(vector);
  const Floats d;
  const ConvolutionShape& s = job.shape;
  const std::size_t in_image = job.cover.vectors, last = job.images.rows * in_image - 1;
  const std::size_t at[] = {std::min(number + vector, last)...};
  const std::size_t frame_size = s.frame_size(s.inputs);
  const float* const from[] = {job.frames + at[vector] / in_image * frame_size +
                               job.cover.place(at[vector] % in_image)...};
  FloatVector sums[] = {hn::Set(d, job.start[sum / kVectors])...};
  const float* weights = job.weights;
  for (std::size_t plane = 0; plane < s.inputs; ++plane) {
    for (std::size_t dy = 0; dy < s.side; ++dy) {
      const std::size_t line = plane * s.plane_size() + dy * s.frame_step();
      for (std::size_t tap = line; tap < line + s.side; ++tap, weights += job.weights_step) {
        const FloatVector x[] = {hn::LoadU(d, from[vector] + tap)...};
        ((sums[sum] = hn::MulAdd(hn::Set(d, weights[sum / kVectors]), x[sum % kVectors], sums[sum])), ...);
      }
    }
  }
  const auto store = [&](std::size_t output, std::size_t i, FloatVector v) HWY_ATTR {
    float* const image = job.images.data + i / in_image * job.images.stride;
    store_pixels(s, job.cover, v, job.cover.place(i % in_image), image + (job.first + output) * s.pixels());
  };
  (store(sum / kVectors, at[sum % kVectors], sums[sum]), ...);
}

template <std::size_t outputs = kMostOutputs>
HWY_ATTR void convolve_outputs(std::size_t count, const Job& job) {
  if (count < outputs) {
    if constexpr (outputs > 1) convolve_outputs<outputs - 1>(count, job);
    return;
  }
  constexpr std::size_t kVectors = vectors_for(outputs);
  for (std::size_t number = 0; number < job.images.rows * job.cover.vectors; number += kVectors) {
    convolve_vectors<outputs>(std::make_index_sequence<outputs * kVectors>(), std::make_index_sequence<kVectors>(), job,
                              number);
  }
}

void convolve_target(const ConvolutionShape& s, const float* frames, const float* filter, const float* start,
                     MatrixView<float> images) {
  const Groups groups(s.outputs, ConvolutionShape::kFilterGroup);
  for (std::size_t g = 0; g < groups.groups; ++g) {
    const Groups parts(groups.size(g), kMostOutputs);
    for (std::size_t p = 0; p < parts.groups; ++p) {
      const std::size_t first = groups.begin(g) + parts.begin(p);
      convolve_outputs(parts.size(p), {.shape = s,
                                       .cover = Cover(s),
                                       .frames = frames,
                                       .weights = filter + groups.begin(g) * s.taps() + parts.begin(p),
                                       .weights_step = groups.size(g),
                                       .start = start + first,
                                       .images = images,
                                       .first = first});
    }
  }
}

/// For `outputs` planes from number `first` on, and some taps from number `tap` on: the last ones come twice where
/// there are too few, and are added once.
template <std::size_t outputs, std::size_t... sum, std::size_t... tap_number>
HWY_ATTR void add_taps(std::index_sequence<sum...>, std::index_sequence<tap_number...>, const ConvolutionShape& s,
                       std::size_t images, const float* frames, const float* gradients, std::size_t first,
                       std::size_t tap, float* gradient) {
  const Floats d;
  const std::size_t area = s.side * s.side, last = s.taps() - 1;
  const std::size_t taps[] = {std::min(tap + tap_number, last)...};
  const auto place_of = [&](std::size_t t) {
    return t / area * s.plane_size() + t % area / s.side * s.frame_step() + t % s.side;
  };
  const std::size_t from[] = {place_of(taps[tap_number])...};
  const std::size_t run = s.run(), plane_size = s.plane_size();
  FloatVector sums[] = {(static_cast<void>(sum), hn::Zero(d))...};
  for (std::size_t image = 0; image < images; ++image) {
    const float* const x = frames + image * s.frame_size(s.inputs);
    const float* const g =
        gradients + image * s.frame_size(s.outputs) + first * plane_size + s.border() * s.frame_step() + s.border();
    for (std::size_t place = 0; place < run; place += kLanes) {
      ((sums[sum] = hn::MulAdd(hn::LoadU(d, g + sum % outputs * plane_size + place),
                               hn::LoadU(d, x + from[sum / outputs] + place), sums[sum])),
       ...);
    }
  }
  const auto add = [&](std::size_t output, std::size_t number, FloatVector v) HWY_ATTR {
    if (tap + number > last) return;
    gradient[(first + output) * s.taps() + tap + number] += hn::GetLane(hn::SumOfLanes(d, v));
  };
  (add(sum % outputs, sum / outputs, sums[sum]), ...);
}

template <std::size_t outputs = kMostGradients>
HWY_ATTR void add_gradients(std::size_t count, const ConvolutionShape& s, std::size_t images, const float* frames,
                            const float* gradients, std::size_t first, float* gradient) {
  if (count < outputs) {
    if constexpr (outputs > 1) add_gradients<outputs - 1>(count, s, images, frames, gradients, first, gradient);
    return;
  }
  constexpr std::size_t kTaps = taps_for(outputs);
  for (std::size_t tap = 0; tap < s.taps(); tap += kTaps) {
    add_taps<outputs>(std::make_index_sequence<outputs * kTaps>(), std::make_index_sequence<kTaps>(), s, images, frames,
                      gradients, first, tap, gradient);
  }
}

void filter_gradient_target(const ConvolutionShape& s, std::size_t images, const float* frames, const float* gradients,
                            float* gradient) {
  const Groups groups(s.outputs, kMostGradients);
  for (std::size_t g = 0; g < groups.groups; ++g) {
    add_gradients(groups.size(g), s, images, frames, gradients, groups.begin(g), gradient);
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(convolve_target);
HWY_EXPORT(filter_gradient_target);

void fill_frame(const ConvolutionShape& s, std::span<const float> image, std::span<float> frame) {
  SOSIA_CHECK(image.size() % s.pixels() == 0 && frame.size() == s.frame_size(image.size() / s.pixels()),
              "shapes differ");
  std::ranges::fill(frame, 0.0F);
  for (std::size_t row = 0; row * s.width < image.size(); ++row) {
    const std::size_t plane = row / s.height, y = row % s.height + s.border();
    std::copy_n(image.data() + row * s.width, s.width,
                frame.data() + plane * s.plane_size() + y * s.frame_step() + s.border());
  }
}

void arrange_filter(const ConvolutionShape& s, std::span<const float> weights, std::span<float> filter) {
  SOSIA_CHECK(weights.size() == s.filter_size() && filter.size() == s.filter_size(), "shapes differ");
  const Groups groups(s.outputs, ConvolutionShape::kFilterGroup);
  for (std::size_t g = 0; g < groups.groups; ++g) {
    const std::size_t first = groups.begin(g) * s.taps();
    for (std::size_t i = 0; i < groups.size(g) * s.taps(); ++i) {
      filter[first + i] = weights[first + i % groups.size(g) * s.taps() + i / groups.size(g)];
    }
  }
}

void reverse_weights(const ConvolutionShape& s, std::span<const float> weights, std::span<float> reversed) {
  SOSIA_CHECK(weights.size() == s.filter_size() && reversed.size() == s.filter_size(), "shapes differ");
  const std::size_t area = s.side * s.side;
  for (std::size_t i = 0; i < s.inputs; ++i) {
    for (std::size_t o = 0; o < s.outputs; ++o) {
      std::reverse_copy(weights.data() + (o * s.inputs + i) * area, weights.data() + (o * s.inputs + i + 1) * area,
                        reversed.data() + (i * s.outputs + o) * area);
    }
  }
}

void convolve(const ConvolutionShape& s, std::span<const float> frames, std::span<const float> filter,
              std::span<const float> start, MatrixView<float> images) {
  SOSIA_CHECK(s.side % 2 == 1 && frames.size() == images.rows * s.frame_size(s.inputs) &&
                  filter.size() == s.filter_size() && start.size() == s.outputs &&
                  images.cols == s.outputs * s.pixels(),
              "shapes differ");
  HWY_DYNAMIC_DISPATCH(convolve_target)(s, frames.data(), filter.data(), start.data(), images);
}

void add_filter_gradient(const ConvolutionShape& s, std::size_t images, std::span<const float> frames,
                         std::span<const float> gradient_frames, std::span<float> gradient) {
  SOSIA_CHECK(s.side % 2 == 1 && frames.size() == images * s.frame_size(s.inputs) &&
                  gradient_frames.size() == images * s.frame_size(s.outputs) && gradient.size() == s.filter_size(),
              "shapes differ");
  HWY_DYNAMIC_DISPATCH(filter_gradient_target)
  (s, images, frames.data(), gradient_frames.data(), gradient.data());
}

}  // namespace sosia::simd
#endif
