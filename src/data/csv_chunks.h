// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/csv/options.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"

namespace arrow {
class Chunker;
}

namespace sosia {

/// Whole lines of a CSV file.
struct CsvChunk {
  std::shared_ptr<arrow::Buffer> text;
  std::int64_t first_line = 1;
  bool last = false;  ///< nothing follows; the text may lack its last line end
};

/// Cuts a CSV file into chunks of about kCsvChunk bytes, in order, each ending with a row. A line end inside quotes
/// does not end a row; the text of a row may be up to kCsvMaxRow bytes. Not thread-safe.
class CsvChunks {
 public:
  CsvChunks(const ByteSource& source, const arrow::csv::ParseOptions& options);
  ~CsvChunks();
  CsvChunks(const CsvChunks&) = delete;
  CsvChunks& operator=(const CsvChunks&) = delete;

  /// False at the end. Refuses quotes that are never closed.
  bool next(CsvChunk& chunk);

 private:
  std::shared_ptr<arrow::Buffer> read();
  std::shared_ptr<arrow::Buffer> whole_rows(const std::shared_ptr<arrow::Buffer>& text);
  void check_closed(const std::shared_ptr<arrow::Buffer>& rest, std::int64_t lines_before) const;

  std::string name_;
  bool packed_;
  char quote_;
  ByteStream input_;
  std::unique_ptr<arrow::Chunker> by_line_, by_row_;
  std::shared_ptr<arrow::Buffer> carry_;  ///< the start of a row
  std::int64_t line_ = 1;
  bool ended_ = false;
};

inline constexpr std::int64_t kCsvChunk = std::int64_t{4} << 20;
inline constexpr std::int64_t kCsvMaxRow = std::int64_t{64} << 20;

/// "FILE, line 12".
std::string at_line(const std::string& file, std::int64_t line);
std::int64_t count_lines(std::string_view text);

}  // namespace sosia
