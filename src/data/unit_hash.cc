// SPDX-License-Identifier: Apache-2.0
#include "data/unit_hash.h"

#include <sodium/crypto_shorthash.h>

#include <array>
#include <cstring>

#include "data/array_reader.h"

namespace sosia {

std::int64_t hash_units(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units) {
  constexpr std::array<unsigned char, crypto_shorthash_KEYBYTES> kKey = {'s', 'o', 's', 'i', 'a', ' ', 'u', 'n',
                                                                         'i', 't', ' ', 'i', 'd', 's', ' ', '1'};
  static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
  const TextCells texts = read_texts(cells);
  std::int64_t without = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i] = 0;
    const std::string_view text = texts.texts[i];
    if (texts.states[i] != CellState::present || missing.holds(text)) {
      ++without;
      continue;
    }
    std::array<unsigned char, crypto_shorthash_BYTES> hash;
    crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(), kKey.data());
    std::memcpy(&units[i], hash.data(), hash.size());
  }
  return without;
}

}  // namespace sosia
