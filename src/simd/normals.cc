// SPDX-License-Identifier: Apache-2.0
#include "simd/normals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/normals.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "simd/normals_constants.h"
#include "simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using F = hn::Vec<Floats>;
using U = hn::Vec<Words>;

struct Four {
  U word0, word1, word2, word3;
};

/// The upper halves of the 64-bit products.
HWY_INLINE HWY_ATTR U multiply_high(U a, U b) {
  const Words d;
#if HWY_TARGET == HWY_SCALAR  // one lane: no even and odd ones
  return hn::Set(d, static_cast<std::uint32_t>((std::uint64_t{hn::GetLane(a)} * hn::GetLane(b)) >> 32));
#else
  const hn::Repartition<std::uint64_t, Words> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
#endif
}

/// PublicRng::philox, one block a lane.
HWY_INLINE HWY_ATTR Four philox(Four counter, std::uint32_t key0, std::uint32_t key1) {
  const Words d;
  const U multiplier0 = hn::Set(d, 0xD2511F53U), multiplier1 = hn::Set(d, 0xCD9E8D57U);
  for (int round = 0; round < 10; ++round) {
    const U high0 = multiply_high(counter.word0, multiplier0), high1 = multiply_high(counter.word2, multiplier1);
    counter = {hn::Xor(hn::Xor(high1, counter.word1), hn::Set(d, key0)), hn::Mul(counter.word2, multiplier1),
               hn::Xor(hn::Xor(high0, counter.word3), hn::Set(d, key1)), hn::Mul(counter.word0, multiplier0)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

HWY_INLINE HWY_ATTR F horner_step(F sum, F x, float coefficient) {
  return hn::Add(hn::Mul(sum, x), hn::Set(Floats(), coefficient));
}

/// sqrt(-2 ln u), u = (bits + 1) / 2^32 rounded to a float
HWY_INLINE HWY_ATTR F radius_of(U bits) {
  using namespace normal_constants;
  const Floats d;
  const Integers integers;
  const Words words;
  const F high = hn::ConvertTo(d, hn::BitCast(integers, hn::ShiftRight<16>(bits)));
  const U low_plus_one = hn::Add(hn::And(bits, hn::Set(words, 0xFFFFU)), hn::Set(words, 1U));
  const F low = hn::ConvertTo(d, hn::BitCast(integers, low_plus_one));
  const F u = hn::Mul(hn::Add(hn::Mul(high, hn::Set(d, 0x1p16F)), low), hn::Set(d, 0x1p-32F));

  // u = m * 2^e with m in [1/2, 1), then moved to [sqrt(1/2), sqrt(2)).
  const U u_bits = hn::BitCast(words, u);
  F e = hn::ConvertTo(d, hn::Sub(hn::BitCast(integers, hn::ShiftRight<23>(u_bits)), hn::Set(integers, 126)));
  F m = hn::BitCast(d, hn::Or(hn::And(u_bits, hn::Set(words, 0x007FFFFFU)), hn::Set(words, 0x3F000000U)));
  const auto is_low = hn::Lt(m, hn::Set(d, kRootHalf));
  e = hn::Sub(e, hn::IfThenElseZero(is_low, hn::Set(d, 1.0F)));
  m = hn::Add(m, hn::IfThenElseZero(is_low, m));
  const F x = hn::Sub(m, hn::Set(d, 1.0F));

  F y = hn::Set(d, kLog[0]);
  for (int i = 1; i < 9; ++i) y = horner_step(y, x, kLog[i]);
  const F x2 = hn::Mul(x, x);
  y = hn::Mul(hn::Mul(y, x), x2);
  y = hn::Add(y, hn::Mul(e, hn::Set(d, kLn2Low)));
  y = hn::Sub(y, hn::Mul(hn::Set(d, 0.5F), x2));
  const F log_u = hn::Add(hn::Add(x, y), hn::Mul(e, hn::Set(d, kLn2High)));
  return hn::Sqrt(hn::Mul(hn::Set(d, -2.0F), log_u));
}

/// Cosine and sine of bits / 2^32 turns.
HWY_INLINE HWY_ATTR void direction_of(U bits, F& cosine, F& sine) {
  using namespace normal_constants;
  const Floats d;
  const Integers integers;
  const Words words;
  const U quarter = hn::ShiftRight<30>(hn::Add(bits, hn::Set(words, 1U << 29)));
  const U rest = hn::Sub(bits, hn::ShiftLeft<30>(quarter));
  const F x = hn::Mul(hn::ConvertTo(d, hn::BitCast(integers, rest)), hn::Set(d, kRadiansPerStep));
  const F x2 = hn::Mul(x, x);
  F s = horner_step(hn::Set(d, kSin[0]), x2, kSin[1]);
  s = hn::Add(hn::Mul(hn::Mul(horner_step(s, x2, kSin[2]), x2), x), x);
  F c = horner_step(hn::Set(d, kCos[0]), x2, kCos[1]);
  c = hn::Mul(hn::Mul(horner_step(c, x2, kCos[2]), x2), x2);
  c = hn::Add(hn::Sub(c, hn::Mul(hn::Set(d, 0.5F), x2)), hn::Set(d, 1.0F));

  const auto is_odd = hn::RebindMask(d, hn::TestBit(quarter, hn::Set(words, 1U)));
  const U sine_sign = hn::ShiftLeft<31>(hn::ShiftRight<1>(quarter));
  const U cosine_sign = hn::ShiftLeft<31>(hn::ShiftRight<1>(hn::Add(quarter, hn::Set(words, 1U))));
  cosine = hn::Xor(hn::IfThenElse(is_odd, s, c), hn::BitCast(d, cosine_sign));
  sine = hn::Xor(hn::IfThenElse(is_odd, c, s), hn::BitCast(d, sine_sign));
}

void normals_target(std::uint64_t seed, std::uint64_t stream, std::uint64_t block, float* out, std::size_t n) {
  const Floats d;
  const Words words;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::uint32_t low[hn::MaxLanes(Words())], high[hn::MaxLanes(Words())];
  HWY_ALIGN float numbers[4 * hn::MaxLanes(Floats())];
  for (std::size_t i = 0; i < n; i += 4 * lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane, ++block) {
      low[lane] = static_cast<std::uint32_t>(block);
      high[lane] = static_cast<std::uint32_t>(block >> 32);
    }
    const Four bits =
        philox({hn::Load(words, low), hn::Load(words, high), hn::Set(words, static_cast<std::uint32_t>(stream)),
                hn::Set(words, static_cast<std::uint32_t>(stream >> 32))},
               static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    F cosine0, sine0, cosine1, sine1;
    direction_of(bits.word1, cosine0, sine0);
    direction_of(bits.word3, cosine1, sine1);
    const F radius0 = radius_of(bits.word0), radius1 = radius_of(bits.word2);
    hn::StoreInterleaved4(hn::Mul(radius0, cosine0), hn::Mul(radius0, sine0), hn::Mul(radius1, cosine1),
                          hn::Mul(radius1, sine1), d, numbers);
    std::memcpy(out + i, numbers, std::min(4 * lanes, n - i) * sizeof(float));
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(normals_target);

void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<float> out, ThreadPool& pool) {
  static_assert(kPieceSize % 4 == 0, "a piece starts with a block");
  for_ranges(pool, out.size(), kPieceSize, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(normals_target)(seed, stream, begin / 4, out.data() + begin, end - begin);
  });
}

}  // namespace sosia::simd
#endif
