// SPDX-License-Identifier: Apache-2.0
#include "simd/elementwise.h"

#include <cmath>
#include <limits>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

using Kernel = void (*)(std::span<const float>, std::span<float>);
using Plain = float (*)(float);

struct Function {
  const char* name;
  Kernel kernel;
  Plain plain;
  float low, high;
  std::int64_t max_ulps;
};

const Function kFunctions[] = {
    {"exp", exp, reference::exp, -87.0F, 88.7F, 1},
    {"log", log, reference::log, 1e-6F, 100.0F, 4},
    {"tanh", tanh, reference::tanh, -12.0F, 12.0F, 4},
    {"sigmoid", sigmoid, reference::sigmoid, -87.0F, 87.0F, 4},
};

TEST(Elementwise, FunctionsKeepTheirErrorAtEveryLengthAndAlignment) {
  for_each_target([] {
    for (const Function& f : kFunctions) {
      SCOPED_TRACE(f.name);
      for (const std::size_t length : kLengths) {
        for (const std::size_t offset : {0, 1, 3}) {
          TestArray x(length, offset, f.low, f.high, length);
          std::vector<float> out(length + 1, 7.0F);
          f.kernel(x.span(), {out.data(), length});
          for (std::size_t i = 0; i < length; ++i) {
            ASSERT_LE(ulps_between(out[i], f.plain(x.span()[i])), f.max_ulps) << x.span()[i];
          }
          ASSERT_EQ(out[length], 7.0F) << "written beyond the end";
        }
      }
    }
  });
}

// Near zero, where tanh loses digits if it is done carelessly, over all magnitudes, and at the ends of the range.
TEST(Elementwise, FunctionsKeepTheirErrorOverAllMagnitudes) {
  std::vector<float> magnitudes;
  for (int exponent = -126; exponent < 128; ++exponent) {
    for (const float mantissa : {1.0F, 1.1F, 1.4142135F, 1.9999999F})
      magnitudes.push_back(std::ldexp(mantissa, exponent));
  }
  for_each_target([&] {
    for (const Function& f : kFunctions) {
      SCOPED_TRACE(f.name);
      std::vector<float> x = magnitudes;
      if (f.kernel != log) {
        for (const float m : magnitudes) x.push_back(-m);
        x.push_back(0.0F);
      }
      std::vector<float> out(x.size());
      f.kernel(x, out);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float expected = f.plain(x[i]);
        if (std::abs(expected) < std::numeric_limits<float>::min()) {
          EXPECT_NEAR(out[i], expected, 2e-38F) << x[i];
        } else if (std::isinf(expected)) {
          EXPECT_EQ(out[i], expected) << x[i];
        } else {
          EXPECT_LE(ulps_between(out[i], expected), f.max_ulps) << x[i] << ": " << out[i] << ", not " << expected;
        }
      }
    }
  });
}

TEST(Elementwise, ANumberDoesNotDependOnItsPlace) {
  for_each_target([] {
    for (const Function& f : kFunctions) {
      const std::vector<float> x = random_floats(67, f.low, f.high, 3);
      std::vector<float> out(x.size()), one(1);
      f.kernel(x, out);
      for (std::size_t i = 0; i < x.size(); ++i) {
        f.kernel({&x[i], 1}, one);
        ASSERT_EQ(one[0], out[i]) << f.name;
      }
    }
  });
}

/// Sines, then cosines.
std::vector<float> sincos_of(std::span<const float> x) {
  std::vector<float> out(2 * x.size() + 1, 7.0F);
  sincos(x, {out.data(), x.size()}, {out.data() + x.size(), x.size()});
  EXPECT_EQ(out.back(), 7.0F) << "written beyond the end";
  out.pop_back();
  return out;
}

void expect_sincos(std::span<const float> x) {
  constexpr double kError = 1.2e-7;
  const std::vector<float> out = sincos_of(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(out[i], std::sin(double{x[i]}), kError) << x[i];
    ASSERT_NEAR(out[x.size() + i], std::cos(double{x[i]}), kError) << x[i];
  }
}

TEST(Elementwise, SinesAndCosinesKeepTheirErrorAtEveryLengthAndAlignment) {
  for_each_target([] {
    for (const std::size_t length : kLengths) {
      for (const std::size_t offset : {0, 1, 3}) {
        for (const float range : {4.0F, 200.0F, 1e5F}) {
          expect_sincos(TestArray(length, offset, -range, range, length).span());
        }
      }
    }
  });
}

// Where the nearest quarter turn changes, near its multiples, where a sine or cosine vanishes, and at small numbers.
TEST(Elementwise, SinesAndCosinesKeepTheirErrorAtTheSeams) {
  std::vector<float> x = {0.0F, -0.0F, 1e-38F, 1e-20F, 1e-4F, 1e5F, -1e5F};
  for (int eighth = 1; eighth < 127'000; eighth += eighth < 1000 ? 1 : 97) {
    const auto seam = static_cast<float>(eighth * (M_PI / 4.0));
    for (const float near : {std::nextafter(seam, 0.0F), seam, std::nextafter(seam, 1e9F)}) {
      x.insert(x.end(), {near, -near});
    }
  }
  for_each_target([&] {
    expect_sincos(x);
    EXPECT_EQ(sincos_of({x.data(), 1})[0], 0.0F);
    EXPECT_TRUE(std::isnan(sincos_of(std::vector<float>{NAN})[0]));
  });
}

TEST(Elementwise, ASineDoesNotDependOnItsPlace) {
  for_each_target([] {
    const std::vector<float> x = random_floats(67, -300.0F, 300.0F, 3), out = sincos_of(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::vector<float> one = sincos_of({&x[i], 1});
      ASSERT_EQ(one[0], out[i]);
      ASSERT_EQ(one[1], out[x.size() + i]);
    }
  });
}

TEST(Elementwise, LinearStepsGiveTheSameBitsOnEveryTarget) {
  for_each_target([] {
    for (const std::size_t length : kLengths) {
      TestArray x(length, 1, -2.0F, 2.0F, 1), y(length, 3, -2.0F, 2.0F, 2);
      std::vector<float> expected(y.span().begin(), y.span().end());
      reference::add_scaled(0.3F, x.span(), expected);
      add_scaled(0.3F, x.span(), y.span());
      EXPECT_TRUE(std::ranges::equal(y.span(), expected));

      for (float& v : expected) v *= 1.7F;
      scale(1.7F, y.span());
      EXPECT_TRUE(std::ranges::equal(y.span(), expected));

      for (float& v : expected) v = std::clamp(v, -0.5F, 0.5F);
      clamp(0.5F, y.span());
      EXPECT_TRUE(std::ranges::equal(y.span(), expected));
    }
  });
}

}  // namespace
}  // namespace sosia::simd
