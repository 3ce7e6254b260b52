// SPDX-License-Identifier: Apache-2.0
#include "privacy/row_choice.h"

#include <sodium.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

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
  static_assert(kKeyBytes == crypto_shorthash_KEYBYTES && crypto_shorthash_BYTES == sizeof(std::uint64_t));
  if (!sampling_) return;
  SOSIA_CHECK(rng != nullptr, "sampling needs a random key");
  threshold_ = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  rng->fill(key_);
}

RowChoice::~RowChoice() { sodium_memzero(key_.data(), key_.size()); }

bool RowChoice::sampled(const RowBlock& block, std::size_t row) const {
  if (!sampling_) return true;
  const std::uint64_t unit = block.units.empty() ? static_cast<std::uint64_t>(block.first_row) + row : block.units[row];
  std::uint8_t bytes[sizeof unit], hash[sizeof unit];
  std::memcpy(bytes, &unit, sizeof unit);
  crypto_shorthash(hash, bytes, sizeof bytes, key_.data());
  std::uint64_t value = 0;
  std::memcpy(&value, hash, sizeof value);
  return value < threshold_;
}

bool RowChoice::dropped(std::int64_t row) const {
  const auto i = static_cast<std::size_t>(row);
  return i < dropped_.size() && dropped_[i];
}

void RowChoice::bound_units(const OpenScan& open, ThreadPool& threads) {
  const auto workers = static_cast<std::size_t>(threads.size());
  std::vector<std::unordered_map<std::uint64_t, std::int64_t>> rows_of(workers);
  for_each_block(open, threads, [&](int worker, const RowBlock& block) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      if (sampled(block, r)) ++rows_of[worker][block.units[r]];
    }
  });
  std::unordered_map<std::uint64_t, std::int64_t>& total = rows_of[0];
  for (std::size_t worker = 1; worker < workers; ++worker) {
    for (const auto& [unit, rows] : rows_of[worker]) total[unit] += rows;
  }
  std::unordered_set<std::uint64_t> crowded;
  for (const auto& [unit, rows] : total) {
    if (rows > max_rows_) crowded.insert(unit);
  }
  if (crowded.empty()) return;

  std::vector<std::vector<Candidate>> found(workers);
  for_each_block(open, threads, [&](int worker, const RowBlock& block) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      const std::uint64_t unit = block.units[r];
      if (!crowded.contains(unit)) continue;
      found[worker].push_back({unit, digest_of(block.rows.row(r)), block.first_row + static_cast<std::int64_t>(r)});
    }
  });
  std::vector<Candidate> candidates;
  for (const auto& part : found) candidates.insert(candidates.end(), part.begin(), part.end());
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

MatrixView<const float> RowChoice::chosen(const RowBlock& block, std::vector<float>& buffer) const {
  if (!sampling_ && dropped_.empty()) return block.rows;
  buffer.clear();
  for (std::size_t r = 0; r < block.rows.rows; ++r) {
    if (!takes(block, r)) continue;
    const std::span<const float> row = block.rows.row(r);
    buffer.insert(buffer.end(), row.begin(), row.end());
  }
  return {buffer.data(), buffer.size() / block.rows.cols, block.rows.cols};
}

}  // namespace sosia
