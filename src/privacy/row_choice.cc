// SPDX-License-Identifier: Apache-2.0
#include "privacy/row_choice.h"

#include <sodium.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <tuple>

#include "base/check.h"

namespace sosia {

namespace {

using Digest = std::array<std::uint8_t, crypto_generichash_BYTES>;

struct Candidate {
  std::uint64_t unit;
  Digest digest;
  std::int64_t row;  // rows with the same digest have the same contents: which of them is kept makes no difference

  bool operator<(const Candidate& other) const {
    return std::tie(unit, digest, row) < std::tie(other.unit, other.digest, other.row);
  }
};

Digest digest_of(std::span<const float> row) {
  Digest digest;
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(row.data()), row.size_bytes(),
                     nullptr, 0);
  return digest;
}

/// Which units may have more than `max_rows` rows, in 64 MiB whatever the table. Units share a count, by a hash of
/// their ids, so a count is never below that of any of its units: no unit with too many rows is missed, and one that is
/// taken for such is found out when its own rows are counted.
class SharedCounts {
 public:
  explicit SharedCounts(std::int64_t max_rows) : max_rows_(max_rows) {
    if (!counts_) throw std::bad_alloc();
  }

  /// Thread-safe. A count stays at the largest number it can say, which is too many for any bound.
  void add(std::uint64_t unit) {
    const std::atomic_ref<Count> count(counts_.get()[slot_of(unit)]);
    Count seen = count.load(std::memory_order_relaxed);
    while (seen < kFull && !count.compare_exchange_weak(seen, next(seen), std::memory_order_relaxed)) {
    }
    if (seen < kFull && is_crowded(next(seen))) any_crowded_.store(true, std::memory_order_relaxed);
  }
  bool may_be_crowded(std::uint64_t unit) const { return is_crowded(counts_.get()[slot_of(unit)]); }
  bool any_crowded() const { return any_crowded_.load(std::memory_order_relaxed); }

 private:
  using Count = std::uint16_t;
  static constexpr Count kFull = std::numeric_limits<Count>::max();
  static constexpr int kBits = 25;
  static Count next(Count count) { return static_cast<Count>(count + 1); }
  bool is_crowded(Count count) const { return count == kFull || count > max_rows_; }
  static std::size_t slot_of(std::uint64_t unit) {
    return static_cast<std::size_t>((unit * 0x9E3779B97F4A7C15U) >> (64 - kBits));
  }
  struct Free {
    void operator()(Count* counts) const { std::free(counts); }
  };

  std::int64_t max_rows_;
  std::atomic<bool> any_crowded_ = false;
  /// By calloc, which takes pages only when they are touched: small tables cost little.
  std::unique_ptr<Count, Free> counts_{static_cast<Count*>(std::calloc(std::size_t{1} << kBits, sizeof(Count)))};
};

constexpr std::size_t kChaChaBlock = 64;
constexpr int kRestBits = 56;  // of a row's number of 64 digits, behind the first 8

enum class Stream : std::uint8_t { first, rest };

/// From the given block of the key stream on.
void key_stream(Stream stream, std::uint64_t block, const std::uint8_t* key, std::span<std::uint8_t> bytes) {
  const std::uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {static_cast<std::uint8_t>(stream)};
  std::ranges::fill(bytes, std::uint8_t{0});
  crypto_stream_chacha20_xor_ic(bytes.data(), bytes.data(), bytes.size(), nonce, block, key);
}

void for_each_block(const RowChoice::OpenScan& open, ThreadPool& threads,
                    const std::function<void(int worker, const RowBlock& block)>& visit) {
  const std::unique_ptr<RowScan> scan = open();
  threads.run([&](int worker) {
    RowBlock block;
    while (scan->next(block)) {
      SOSIA_CHECK(block.units.size() == block.rows.rows, "a block of rows lacks its unit ids");
      visit(worker, block);
    }
  });
}

}  // namespace

RowChoice::RowChoice(double rate, std::int64_t max_rows, SecureRng* rng) : sampling_(rate < 1.0), max_rows_(max_rows) {
  SOSIA_CHECK(rate > 0.0 && rate <= 1.0 && max_rows >= 1, "the choice of rows was not validated");
  static_assert(kKeyBytes == crypto_stream_chacha20_KEYBYTES && kKeyBytes >= crypto_shorthash_KEYBYTES &&
                crypto_shorthash_BYTES == sizeof(std::uint64_t));
  if (!sampling_) return;
  SOSIA_CHECK(rng != nullptr, "sampling needs a random key");
  threshold_ = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  rng->fill(key_);
}

RowChoice::~RowChoice() { sodium_memzero(key_.data(), key_.size()); }

bool RowChoice::sampled_unit(std::uint64_t unit) const {
  if (!sampling_) return true;
  std::uint8_t bytes[sizeof unit], hash[sizeof unit];
  std::memcpy(bytes, &unit, sizeof unit);
  crypto_shorthash(hash, bytes, sizeof bytes, key_.data());
  std::uint64_t value = 0;
  std::memcpy(&value, hash, sizeof value);
  return value < threshold_;
}

bool RowChoice::sampled_by_rest(std::uint64_t row) const {
  constexpr std::uint64_t kRowsInBlock = kChaChaBlock / sizeof(std::uint64_t);
  std::array<std::uint8_t, kChaChaBlock> bytes;
  key_stream(Stream::rest, row / kRowsInBlock, key_.data(), bytes);
  std::uint64_t digits = 0;
  std::memcpy(&digits, bytes.data() + row % kRowsInBlock * sizeof digits, sizeof digits);
  sodium_memzero(bytes.data(), bytes.size());
  constexpr std::uint64_t kRest = (std::uint64_t{1} << kRestBits) - 1;
  return (digits & kRest) < (threshold_ & kRest);
}

// The first 8 digits of a row's number decide unless they are those of the threshold: one row in 256 needs the rest.
template <class Visit>
void RowChoice::for_each_sampled_row(std::uint64_t first, std::size_t count, const Visit& visit) const {
  const auto lead = static_cast<std::uint8_t>(threshold_ >> kRestBits);
  std::array<std::uint8_t, 64 * kChaChaBlock> bytes;
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t row = first + done;
    const std::size_t skipped = row % kChaChaBlock;
    const std::size_t end = std::min(bytes.size(), skipped + count - done);
    const std::size_t blocks = (end - 1) / kChaChaBlock + 1;
    key_stream(Stream::first, row / kChaChaBlock, key_.data(), {bytes.data(), blocks * kChaChaBlock});
    for (std::size_t block = 0; block < end; block += kChaChaBlock) {
      bool may_have_one = false;
      for (std::size_t i = block; i < block + kChaChaBlock; ++i) may_have_one |= bytes[i] <= lead;
      if (!may_have_one) continue;
      for (std::size_t i = std::max(block, skipped); i < std::min(block + kChaChaBlock, end); ++i) {
        const std::size_t place = done + i - skipped;
        if (bytes[i] < lead || (bytes[i] == lead && sampled_by_rest(first + place))) visit(place);
      }
    }
    done += end - skipped;
  }
  sodium_memzero(bytes.data(), bytes.size());
}

bool RowChoice::drops(std::int64_t row) const {
  const auto i = static_cast<std::size_t>(row);
  return i < dropped_.size() && dropped_[i];
}

void RowChoice::bound_units(const OpenScan& open, ThreadPool& threads) {
  SharedCounts counts(max_rows_);
  for_each_block(open, threads, [&](int /*worker*/, const RowBlock& block) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      if (sampled_unit(block.units[r])) counts.add(block.units[r]);
    }
  });
  if (!counts.any_crowded()) return;

  std::vector<std::vector<Candidate>> found(static_cast<std::size_t>(threads.size()));
  for_each_block(open, threads, [&](int worker, const RowBlock& block) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      const std::uint64_t unit = block.units[r];
      if (!counts.may_be_crowded(unit) || !sampled_unit(unit)) continue;
      found[worker].push_back({unit, digest_of(block.rows.row(r)), block.first_row + static_cast<std::int64_t>(r)});
    }
  });
  std::vector<Candidate> candidates;
  for (std::vector<Candidate>& part : found) {
    candidates.insert(candidates.end(), part.begin(), part.end());
    part = {};
  }
  std::sort(candidates.begin(), candidates.end());
  std::int64_t last_row = 0;
  for (const Candidate& candidate : candidates) last_row = std::max(last_row, candidate.row);
  dropped_.assign(static_cast<std::size_t>(last_row) + 1, false);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    place = i > 0 && candidates[i].unit == candidates[i - 1].unit ? place + 1 : 0;
    if (place >= max_rows_) dropped_[static_cast<std::size_t>(candidates[i].row)] = true;
  }
}

void RowChoice::gather(const RowBlock& block, std::vector<float>& rows) const {
  const auto append = [&](std::size_t r) {
    if (drops(block.first_row + static_cast<std::int64_t>(r))) return;
    const std::span<const float> row = block.rows.row(r);
    rows.insert(rows.end(), row.begin(), row.end());
  };
  if (sampling_ && block.units.empty()) {
    for_each_sampled_row(static_cast<std::uint64_t>(block.first_row), block.rows.rows, append);
    return;
  }
  for (std::size_t r = 0; r < block.rows.rows; ++r) {
    if (!sampling_ || sampled_unit(block.units[r])) append(r);
  }
}

}  // namespace sosia
