// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a Parquet or Arrow file, or are refused by a sosia::Error without a cell in it: the cells of the
// corpus hold a text that no error may show. Arrow itself is not instrumented.
#include <arrow/record_batch.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sosia/error.h>

#include "data/byte_source.h"
#include "data/ipc_file.h"
#include "data/parquet_file.h"

namespace {

bool has_secret(std::string_view text) { return text.find("4711") != std::string_view::npos; }

void check(const std::function<std::shared_ptr<const sosia::TableFile>()>& open) {
  bool named = false;  // names may be shown
  try {
    const auto table = open();
    for (const sosia::StoredColumn& column : table->columns()) named = named || has_secret(column.name);
    const auto scan = table->scan();
    for (sosia::TableBlock block; scan->next(block);) {
      if (block.first_row < 0 || !block.batch->ValidateFull().ok()) std::abort();
    }
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::data && error.kind() != sosia::ErrorKind::io) std::abort();
    if (!named && has_secret(error.what())) std::abort();
  }
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sosia::ByteSource source(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  check([&] { return sosia::open_parquet({source}, "fuzz", {}); });
  check([&] { return sosia::open_ipc(source, {}); });
  return 0;
}
