// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "random/secure_rng.h"

namespace sosia {

/// Random words, fetched in bulk: every call of the generator costs a system call (see SecureRng). The words are those
/// of the generator in their order, however many are fetched at once; what was fetched and not used is lost to it.
class SecureWords {
 public:
  static constexpr std::size_t kMost = 1024;

  SecureWords(SecureRng& rng, std::size_t bulk)
      : rng_(rng), bulk_(std::clamp<std::size_t>(bulk, 1, kMost)), position_(bulk_) {}
  SecureWords(const SecureWords&) = delete;
  SecureWords& operator=(const SecureWords&) = delete;
  ~SecureWords() { sodium_memzero(words_.data(), bulk_ * sizeof(std::uint64_t)); }

  std::uint64_t next() {
    if (position_ == bulk_) [[unlikely]] {
      rng_.fill({reinterpret_cast<std::uint8_t*>(words_.data()), bulk_ * sizeof(std::uint64_t)});
      position_ = 0;
    }
    return words_[position_++];
  }

  /// 1 to 64 binary digits, as an integer.
  std::uint64_t digits(int count) { return next() >> (64 - count); }

  /// Uniform in 0 .. count-1, without bias: the incomplete last stretch of 2^32 is drawn again. count > 0.
  std::uint32_t below(std::uint32_t count) {
    const std::uint32_t unfair = -count % count;  // 2^32 mod count
    while (true) {
      const std::uint64_t product = digits(32) * count;
      if (static_cast<std::uint32_t>(product) >= unfair) return static_cast<std::uint32_t>(product >> 32);
    }
  }

 private:
  SecureRng& rng_;
  std::size_t bulk_, position_;
  std::array<std::uint64_t, kMost> words_;
};

}  // namespace sosia
