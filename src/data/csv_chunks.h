// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"
#include "data/csv_dialect.h"

namespace sosia {

/// Some rows of a CSV file, each with its line end: one is put after the last row of a file that lacks it.
struct CsvChunk {
  std::shared_ptr<arrow::Buffer> text;
  std::int64_t first_line = 1;
};

/// Cuts a CSV file into chunks of about kCsvChunk bytes, in order. The text of a row may be up to kCsvMaxRow bytes.
/// Where the chunks are cut changes nothing of what the rows hold. Not thread-safe.
class CsvChunks {
 public:
  CsvChunks(const ByteSource& source, const CsvDialect& dialect);

  /// False at the end.
  bool next(CsvChunk& chunk);

 private:
  std::shared_ptr<arrow::Buffer> read();

  std::string name_;
  bool packed_;
  CsvDialect dialect_;
  ByteStream input_;
  std::shared_ptr<arrow::Buffer> carry_;  ///< the start of a row
  std::int64_t line_ = 1;
  bool ended_ = false;
};

inline constexpr std::int64_t kCsvChunk = std::int64_t{4} << 20;
inline constexpr std::int64_t kCsvMaxRow = std::int64_t{64} << 20;
/// So many bytes behind a chunk may be read, whatever they are: short texts are copied by as many.
inline constexpr std::size_t kCsvSlack = 16;

/// Behind the first row of the text, or behind the last one that ends in it; 0: none does.
std::size_t first_row_end(std::string_view text, const CsvDialect& dialect);
std::size_t last_row_end(std::string_view text, const CsvDialect& dialect);

/// "FILE, line 12".
std::string at_line(const std::string& file, std::int64_t line);
std::int64_t count_lines(std::string_view text);
[[noreturn]] void raise_long_row(const std::string& where);

}  // namespace sosia
