// SPDX-License-Identifier: Apache-2.0
#include "random/secure_rng.h"

#include <pthread.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace sosia {

namespace {

// One refill: the next key, then what is handed out. Large enough to hide the cost of a call to libsodium.
constexpr std::size_t kRefillBytes = 8192;

void start_sodium() { SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised"); }

// Which process this is: its id, and how many forks lie behind it. The id alone is not enough, as parent and child can
// both be number 1 of a namespace. Never 0, which marks a generator that was moved from.
std::uint64_t this_process() {
  static std::atomic<std::uint32_t> forks = 0;
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
  SOSIA_CHECK(registered == 0, "forks cannot be watched");
  return std::uint64_t{forks} << 32 | static_cast<std::uint32_t>(::getpid());
}

}  // namespace

SecureRng::SecureRng()
    : key_{}, buffer_(kRefillBytes), position_(kRefillBytes), process_(this_process()), is_test_(false) {
  start_sodium();
  take_key_from_system();
}

SecureRng::SecureRng(const Key& key, bool is_test)
    : key_(key), buffer_(kRefillBytes), position_(kRefillBytes), process_(this_process()), is_test_(is_test) {
  start_sodium();
}

SecureRng SecureRng::keyed(std::span<const std::uint8_t, kKeyBytes> key) {
  Key copy;
  std::copy(key.begin(), key.end(), copy.begin());
  SecureRng rng(copy, false);
  sodium_memzero(copy.data(), copy.size());
  return rng;
}

SecureRng SecureRng::for_tests(std::uint64_t seed) {
  Key key{};
  for (int i = 0; i < 8; ++i) key[i] = static_cast<std::uint8_t>(seed >> (8 * i));
  return SecureRng(key, true);
}

SecureRng::SecureRng(SecureRng&& other) noexcept
    : key_(other.key_),
      buffer_(std::move(other.buffer_)),
      position_(other.position_),
      process_(std::exchange(other.process_, 0)),
      is_test_(other.is_test_) {
  sodium_memzero(other.key_.data(), other.key_.size());
}

SecureRng::~SecureRng() {
  sodium_memzero(key_.data(), key_.size());
  sodium_memzero(buffer_.data(), buffer_.size());
}

void SecureRng::take_key_from_system() {
  randombytes_buf(key_.data(), key_.size());
  position_ = buffer_.size();
}

void SecureRng::refill() {
  static constexpr std::uint8_t kNonce[crypto_stream_chacha20_NONCEBYTES] = {};  // each key is used once
  crypto_stream_chacha20(buffer_.data(), buffer_.size(), kNonce, key_.data());
  std::memcpy(key_.data(), buffer_.data(), kKeyBytes);
  sodium_memzero(buffer_.data(), kKeyBytes);
  position_ = kKeyBytes;
}

void SecureRng::fill(std::span<std::uint8_t> bytes) {
  SOSIA_CHECK(process_ != 0, "a random generator was used after it had been moved from");
  // Parent and child of a fork would otherwise add the same noise, and its difference would show the data.
  if (!is_test_ && process_ != this_process()) {
    take_key_from_system();
    process_ = this_process();
  }
  while (!bytes.empty()) {
    if (position_ == buffer_.size()) refill();
    const std::size_t count = std::min(bytes.size(), buffer_.size() - position_);
    std::memcpy(bytes.data(), buffer_.data() + position_, count);
    sodium_memzero(buffer_.data() + position_, count);
    position_ += count;
    bytes = bytes.subspan(count);
  }
}

std::uint64_t SecureRng::next_u64() {
  std::array<std::uint8_t, 8> bytes;
  fill(bytes);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

std::uint32_t SecureRng::next_u32() {
  std::array<std::uint8_t, 4> bytes;
  fill(bytes);
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{bytes[i]} << (8 * i);
  return value;
}

SecureRng SecureRng::fork() {
  Key key;
  fill(key);
  SecureRng child(key, is_test_);
  sodium_memzero(key.data(), key.size());
  return child;
}

}  // namespace sosia
