// SPDX-License-Identifier: Apache-2.0
// Private randomness: DP noise and Poisson sampling. Never stored, logged or seeded by a user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sosia {

/// ChaCha20 (libsodium) keyed by the operating system, with fast key erasure: the first bytes of each refill become the
/// next key, so that a later look at memory cannot rebuild earlier noise. Not copyable, not thread-safe: fork one
/// per thread. After a fork of the process the child takes a new key from the operating system; to see that, every
/// call asks for the process id, so draw in bulk. A different type from PublicRng, so that one cannot stand in
/// for the other.
class SecureRng {
 public:
  static constexpr std::size_t kKeyBytes = 32;

  SecureRng();
  /// From a key that is kept elsewhere, and fresh and secret as long as it is of use: a run's (sosia/run_file.h).
  /// Whoever has the key has the noise.
  static SecureRng keyed(std::span<const std::uint8_t, kKeyBytes> key);
  /// Reproducible: for tests only. Whatever is made with it carries no guarantee.
  static SecureRng for_tests(std::uint64_t seed);
  SecureRng(SecureRng&&) noexcept;
  SecureRng& operator=(SecureRng&&) = delete;
  ~SecureRng();

  bool is_test() const { return is_test_; }
  std::uint64_t next_u64();
  std::uint32_t next_u32();
  void fill(std::span<std::uint8_t> bytes);
  /// An independent generator, keyed by this one.
  SecureRng fork();

 private:
  using Key = std::array<std::uint8_t, kKeyBytes>;
  SecureRng(const Key& key, bool is_test);
  void take_key_from_system();
  void refill();

  Key key_;
  std::vector<std::uint8_t> buffer_;
  std::size_t position_;
  std::uint64_t process_;  ///< that the key was made for; 0 once moved from
  bool is_test_;
};

}  // namespace sosia
