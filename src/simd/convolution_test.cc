// SPDX-License-Identifier: Apache-2.0
#include "simd/convolution.h"

#include <algorithm>
#include <optional>

#include <sosia/error.h>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

// Widths around those of vectors, numbers of planes around those that stay in registers, filters wider than the image.
const ConvolutionShape kShapes[] = {{1, 1, 1, 1, 1},  {1, 1, 1, 1, 5},    {2, 3, 4, 5, 3},    {3, 2, 5, 8, 1},
                                    {1, 8, 7, 7, 5},  {16, 8, 14, 14, 5}, {8, 1, 28, 28, 5},  {2, 13, 6, 16, 3},
                                    {5, 6, 3, 17, 7}, {1, 12, 2, 33, 3},  {4, 25, 15, 31, 3}, {3, 5, 16, 15, 9}};

struct Images {
  explicit Images(const ConvolutionShape& s, std::size_t count = 1)
      : shape(s),
        from(random_floats(count * s.inputs * s.pixels(), -1.0F, 1.0F, 1)),
        gradients(random_floats(count * s.outputs * s.pixels(), -1.0F, 1.0F, 2)),
        weights(random_floats(s.filter_size(), -1.0F, 1.0F, 3)),
        start(random_floats(s.outputs, -1.0F, 1.0F, 4)),
        frames(count * s.frame_size(s.inputs), 7.0F),
        gradient_frames(count * s.frame_size(s.outputs), 7.0F) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_frame(s, part(from, i, s.inputs * s.pixels()), part(frames, i, s.frame_size(s.inputs)));
      fill_frame(s, part(gradients, i, s.outputs * s.pixels()), part(gradient_frames, i, s.frame_size(s.outputs)));
    }
  }
  template <class T>
  static std::span<T> part(std::vector<T>& all, std::size_t i, std::size_t size) {
    return std::span(all).subspan(i * size, size);
  }
  /// With a gap after each image.
  std::vector<float> convolved() {
    const std::size_t width = shape.outputs * shape.pixels(), count = frames.size() / shape.frame_size(shape.inputs);
    std::vector<float> filter(weights.size()), images(count * (width + 1), 7.0F);
    arrange_filter(shape, weights, filter);
    convolve(shape, frames, filter, start, {images.data(), count, width, width + 1});
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(images[i * (width + 1) + width], 7.0F) << "beyond the image";
    return images;
  }

  ConvolutionShape shape;
  std::vector<float> from, gradients, weights, start, frames, gradient_frames;
};

// Sums of as many products of numbers below 1 as there are taps, each rounded that many times.
TEST(Convolution, IsThatOfTheReference) {
  constexpr std::size_t kImages = 3;
  for (const ConvolutionShape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.inputs << " " << shape.outputs << " " << shape.width << " " << shape.side);
    Images images(shape, kImages);
    const std::size_t width = shape.outputs * shape.pixels();
    std::vector<float> expected(kImages * width);
    for (std::size_t i = 0; i < kImages; ++i) {
      reference::convolve(shape, Images::part(images.from, i, shape.inputs * shape.pixels()), images.weights,
                          images.start, Images::part(expected, i, width));
    }
    for_each_target([&] {
      const std::vector<float> got = images.convolved();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(got[i / width * (width + 1) + i % width], expected[i],
                    1e-7F * static_cast<float>(shape.taps() + 10))
            << i;
      }
    });
  }
}

// What the door asks of a map: the bits of an image's result depend on that image alone.
TEST(Convolution, ImagesAreIndependentToTheBit) {
  for (const ConvolutionShape& shape : kShapes) {
    Images all(shape, 5), one(shape, 1);
    const std::size_t width = shape.outputs * shape.pixels() + 1;
    for_each_target([&] {
      const std::vector<float> together = all.convolved(), alone = one.convolved();
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin()));
      one.frames = {all.frames.end() - static_cast<std::ptrdiff_t>(one.frames.size()), all.frames.end()};
      const std::vector<float> last = one.convolved();
      EXPECT_TRUE(std::equal(last.begin(), last.end(), together.end() - static_cast<std::ptrdiff_t>(width)));
      one.frames = {all.frames.begin(), all.frames.begin() + static_cast<std::ptrdiff_t>(one.frames.size())};
    });
  }
}

// The way back is the transpose: for all x and g, g . (W x) is (W' g) . x. The sums have no more than 1e5 terms
// below 1.
TEST(Convolution, TheReversedOneIsTheTranspose) {
  for (const ConvolutionShape& shape : kShapes) {
    Images images(shape);
    std::vector<float> reversed(shape.filter_size()), there(shape.outputs * shape.pixels()),
        back(shape.inputs * shape.pixels());
    reverse_weights(shape, images.weights, reversed);
    reference::convolve(shape, images.from, images.weights, std::vector<float>(shape.outputs), there);
    reference::convolve(shape.reversed(), images.gradients, reversed, std::vector<float>(shape.inputs), back);
    const double left = reference::dot(images.gradients, there), right = reference::dot(back, images.from);
    EXPECT_NEAR(left, right, 1e-6 * static_cast<double>(shape.filter_size() + there.size()));
  }
}

TEST(Convolution, TargetsWithFusedMultiplyAddsAgreeToTheBit) {
  for (const ConvolutionShape& shape : kShapes) {
    Images images(shape);
    std::optional<std::vector<float>> first;
    for_each_target([&] {
      const std::int64_t target = hwy::SupportedTargets();
      if (target != HWY_AVX2 && target != HWY_AVX3 && target != HWY_AVX3_DL && target != HWY_NEON) return;
      const std::vector<float> got = images.convolved();
      if (!first) first = got;
      EXPECT_TRUE(got == *first);
    });
  }
}

TEST(Convolution, GradientByTheFilterIsThatOfTheReference) {
  constexpr std::size_t kImages = 3;
  for (const ConvolutionShape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.inputs << " " << shape.outputs << " " << shape.width << " " << shape.side);
    Images images(shape, kImages);
    const std::vector<float> before = random_floats(shape.outputs * shape.taps(), -1.0F, 1.0F, 5);
    std::vector<float> expected = before;
    for (std::size_t i = 0; i < kImages; ++i) {
      reference::add_filter_gradient(shape, Images::part(images.from, i, shape.inputs * shape.pixels()),
                                     Images::part(images.gradients, i, shape.outputs * shape.pixels()), expected);
    }
    for_each_target([&] {
      std::vector<float> gradient = before;
      add_filter_gradient(shape, kImages, images.frames, images.gradient_frames, gradient);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        ASSERT_NEAR(gradient[i], expected[i], 1e-7F * static_cast<float>(kImages * shape.pixels() + 10)) << i;
      }
    });
  }
}

TEST(Convolution, ShapesMustFit) {
  const ConvolutionShape even{1, 1, 3, 3, 2}, odd{1, 1, 3, 3, 3};
  std::vector<float> frame(odd.frame_size(1)), filter(9), start(1), image(9);
  EXPECT_NO_THROW(convolve(odd, frame, filter, start, {image.data(), 1, 9}));
  EXPECT_THROW(convolve(even, frame, filter, start, {image.data(), 1, 9}), Error);
  EXPECT_THROW(convolve(odd, frame, filter, start, {image.data(), 1, 8}), Error);
  EXPECT_THROW(convolve(odd, frame, filter, start, {image.data(), 2, 4}), Error);
  EXPECT_THROW(fill_frame(odd, std::span(image).first(8), frame), Error);
  EXPECT_THROW(arrange_filter(odd, std::span(filter).first(8), filter), Error);
  EXPECT_THROW(reverse_weights(odd, std::span(filter).first(8), filter), Error);
  EXPECT_THROW(add_filter_gradient(odd, 2, frame, frame, filter), Error);
}

}  // namespace
}  // namespace sosia::simd
