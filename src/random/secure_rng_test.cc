// SPDX-License-Identifier: Apache-2.0
#include "random/secure_rng.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <type_traits>
#include <vector>

#include <sosia/error.h>

namespace sosia {
namespace {

static_assert(!std::is_copy_constructible_v<SecureRng>);

using Bytes = std::vector<std::uint8_t>;

Bytes take(SecureRng& rng, std::size_t count) {
  Bytes bytes(count);
  rng.fill(bytes);
  return bytes;
}

Bytes chacha20(const Bytes& key, std::size_t count) {
  const std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> nonce{};
  Bytes bytes(count);
  crypto_stream_chacha20(bytes.data(), bytes.size(), nonce.data(), key.data());
  return bytes;
}

// RFC 7539, A.1, test vector 1: the key stream of the zero key. Its first half becomes the next key.
TEST(SecureRng, StartsWithThePublishedKeyStream) {
  SecureRng rng = SecureRng::for_tests(0);
  EXPECT_EQ(take(rng, 32),
            (Bytes{0xda, 0x41, 0x59, 0x7c, 0x51, 0x57, 0x48, 0x8d, 0x77, 0x24, 0xe0, 0x3f, 0xb8, 0xd8, 0x4a, 0x37,
                   0x6a, 0x43, 0xb8, 0xf4, 0x15, 0x18, 0xa1, 0x1c, 0xc3, 0x87, 0xb6, 0x69, 0xb2, 0xee, 0x65, 0x86}));
}

TEST(SecureRng, EachRefillIsKeyedByTheOneBefore) {
  constexpr std::size_t kRefill = 8192;
  SecureRng rng = SecureRng::for_tests(0x0123456789abcdef);
  Bytes key(32, 0);
  for (int i = 0; i < 8; ++i) key[i] = static_cast<std::uint8_t>(0x0123456789abcdefULL >> (8 * i));
  for (int refill = 0; refill < 3; ++refill) {
    const Bytes stream = chacha20(key, kRefill);
    EXPECT_EQ(take(rng, kRefill - 32), Bytes(stream.begin() + 32, stream.end()));
    key.assign(stream.begin(), stream.begin() + 32);
  }
}

TEST(SecureRng, HowBytesAreTakenDoesNotMatter) {
  SecureRng whole = SecureRng::for_tests(5), pieces = SecureRng::for_tests(5);
  const Bytes expected = take(whole, 20'000);
  Bytes got;
  for (std::size_t size = 1; got.size() < expected.size(); size = size * 3 + 1) {
    const Bytes piece = take(pieces, std::min(size, expected.size() - got.size()));
    got.insert(got.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(got, expected);
}

TEST(SecureRng, NumbersAreLittleEndianBytes) {
  SecureRng numbers = SecureRng::for_tests(9), bytes = SecureRng::for_tests(9);
  const std::uint64_t wide = numbers.next_u64();
  const std::uint32_t narrow = numbers.next_u32();
  const Bytes b = take(bytes, 12);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(static_cast<std::uint8_t>(wide >> (8 * i)), b[i]);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<std::uint8_t>(narrow >> (8 * i)), b[8 + i]);
}

TEST(SecureRng, TwoInstancesDiffer) {
  SecureRng a, b;
  EXPECT_FALSE(a.is_test());
  EXPECT_NE(take(a, 32), take(b, 32));
}

TEST(SecureRng, ForkedGeneratorsDifferAndKeepTheStamp) {
  SecureRng parent = SecureRng::for_tests(1);
  SecureRng first = parent.fork(), second = parent.fork();
  EXPECT_TRUE(first.is_test());
  const Bytes a = take(parent, 32), b = take(first, 32), c = take(second, 32);
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  SecureRng again = SecureRng::for_tests(1);
  SecureRng first_again = again.fork();
  EXPECT_EQ(take(first_again, 32), b);
  SecureRng real;
  EXPECT_FALSE(real.fork().is_test());
}

TEST(SecureRng, MovingKeepsTheStreamAndDisarmsTheOldOne) {
  SecureRng reference = SecureRng::for_tests(3), old = SecureRng::for_tests(3);
  EXPECT_EQ(old.next_u64(), reference.next_u64());
  SecureRng moved = std::move(old);
  EXPECT_EQ(moved.next_u64(), reference.next_u64());
  EXPECT_THROW(old.next_u64(), Error);  // NOLINT(bugprone-use-after-move): that is the point
}

// A child process must not repeat the noise of its parent, not even what was already in the buffer.
TEST(SecureRng, AChildProcessHasAStreamOfItsOwn) {
  SecureRng rng;
  take(rng, 100);
  std::vector<Bytes> streams;
  for (int child = 0; child < 2; ++child) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const Bytes bytes = take(rng, 32);
      const bool wrote = ::write(ends[1], bytes.data(), bytes.size()) == 32;
      ::_exit(wrote ? 0 : 1);
    }
    Bytes bytes(32);
    EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), 32);
    int status = 1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    streams.push_back(bytes);
  }
  streams.push_back(take(rng, 32));
  EXPECT_NE(streams[0], streams[1]);
  EXPECT_NE(streams[0], streams[2]);
  EXPECT_NE(streams[1], streams[2]);
}

}  // namespace
}  // namespace sosia
