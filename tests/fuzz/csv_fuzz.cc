// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a CSV table, the same in two passes, or are refused by a sosia::Error without a cell in it.
// The first byte chooses delimiter, packing, header, columns and quotes; every '#' becomes a text that no error may
// show, in the header too: where a file has none, its "names" are somebody's values.
#include <arrow/record_batch.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sosia/error.h>

#include "data/byte_source.h"
#include "data/csv_file.h"

namespace {

std::string with_secrets(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '#') {
      out += "Secret4711";
    } else {
      out += c;
    }
  }
  return out;
}

std::int64_t rows_of(const sosia::TableFile& table) {
  const auto scan = table.scan();
  std::int64_t rows = 0;
  for (sosia::TableBlock block; scan->next(block); rows += block.batch->num_rows()) {
    if (block.first_row != rows || !block.batch->ValidateFull().ok()) std::abort();
  }
  return rows;
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char delimiter = ",\t;|"[data[0] % 4];
  const auto packing = static_cast<sosia::Packing>(data[0] / 4 % 3);
  const bool plain = packing == sosia::Packing::none;
  sosia::TableOptions options{.header = data[0] / 12 % 2 == 0};
  options.quotes = static_cast<sosia::Quotes>(data[0] / 72 % 3);
  options.multiline = options.quotes != sosia::Quotes::none && text.size() % 2 == 1;
  if (data[0] / 24 % 3 == 1) options.columns = {"a"};
  if (data[0] / 24 % 3 == 2) options.names = {"a", "b"};
  try {
    const auto table = sosia::open_csv(
        sosia::ByteSource(plain ? with_secrets(text) : std::string(text), "fuzz", packing), options, delimiter);
    if (rows_of(*table) != rows_of(*table)) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::data && error.kind() != sosia::ErrorKind::io) std::abort();
    if (std::string_view(error.what()).find("4711") != std::string_view::npos) std::abort();
  }
  return 0;
}
