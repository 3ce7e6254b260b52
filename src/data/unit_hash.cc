// SPDX-License-Identifier: Apache-2.0
#include "data/unit_hash.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/util/checked_cast.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "data/array_types.h"
#include "data/unit_id.h"

namespace sosia {

UnitHash::UnitHash() {
  static_assert(kKeyBytes == crypto_shorthash_KEYBYTES && crypto_shorthash_BYTES == sizeof(std::uint64_t));
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  randombytes_buf(key_.data(), key_.size());
}

UnitHash::UnitHash(std::span<const unsigned char, kKeyBytes> key) { std::ranges::copy(key, key_.begin()); }

UnitHash::~UnitHash() { sodium_memzero(key_.data(), key_.size()); }

std::int64_t UnitHash::hash(const arrow::Array& cells, const MissingWords& missing,
                            std::span<std::uint64_t> units) const {
  SOSIA_CHECK(units.size() == static_cast<std::size_t>(cells.length()), "there must be one unit id per row");
  fill(cells, missing, units);
  return std::ranges::count(units, kNoUnit);
}

void UnitHash::fill(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units) const {
  std::ranges::fill(units, kNoUnit);
  if (cells.type_id() == arrow::Type::EXTENSION) {
    return fill(*arrow::internal::checked_cast<const arrow::ExtensionArray&>(cells).storage(), missing, units);
  }
  if (const auto shared = shared_cells(cells)) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(shared->values->length()));
    fill(*shared->values, missing, ids);
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (shared->entries[i] != SharedCells::kNoEntry) units[i] = ids[static_cast<std::size_t>(shared->entries[i])];
    }
    return;
  }
  for_each_id(cells, missing, [&](std::size_t row, std::string_view form) { units[row] = hash_of(form); });
}

std::uint64_t UnitHash::hash_of(std::string_view form) const {
  std::uint64_t id = 0;
  std::array<unsigned char, crypto_shorthash_BYTES> bytes;
  crypto_shorthash(bytes.data(), reinterpret_cast<const unsigned char*>(form.data()), form.size(), key_.data());
  std::memcpy(&id, bytes.data(), bytes.size());
  return id == kNoUnit ? 1 : id;
}

bool leaves_out_rows(const Schema& schema) {
  const Column* column = schema.find(schema.unit.column);
  return column != nullptr && column->missing && !column->missing_is_open;
}

}  // namespace sosia
