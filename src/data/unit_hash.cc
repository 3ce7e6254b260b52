// SPDX-License-Identifier: Apache-2.0
#include "data/unit_hash.h"

#include <sodium.h>

#include <array>
#include <cstring>

#include "base/check.h"
#include "data/array_reader.h"

namespace sosia {

UnitHash::UnitHash() {
  static_assert(kKeyBytes == crypto_shorthash_KEYBYTES && crypto_shorthash_BYTES == sizeof(std::uint64_t));
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  randombytes_buf(key_.data(), key_.size());
}

UnitHash::~UnitHash() { sodium_memzero(key_.data(), key_.size()); }

std::int64_t UnitHash::hash(const arrow::Array& cells, const MissingWords& missing,
                            std::span<std::uint64_t> units) const {
  const TextCells texts = read_texts(cells);
  std::int64_t without = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i] = 0;
    const std::string_view text = texts.texts[i];
    if (texts.states[i] != CellState::present || missing.holds(text)) {
      ++without;
      continue;
    }
    std::array<unsigned char, crypto_shorthash_BYTES> id;
    crypto_shorthash(id.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(), key_.data());
    std::memcpy(&units[i], id.data(), id.size());
  }
  return without;
}

}  // namespace sosia
