// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/csv_chunks.h"
#include "data/csv_dialect.h"

namespace sosia {

/// Where the text of a cell lies in its chunk, without the quotes around it.
struct CsvCell {
  std::uint32_t begin = 0;
  std::uint32_t size : 31 = 0;
  std::uint32_t coded : 1 = 0;  ///< quotes inside are doubled or escaped
};

/// Reads the rows of a chunk one after the other. What a row holds is a function of its own bytes and of the dialect:
/// whatever would make it depend on others (a quote that is not closed, text behind a closing quote, a quote in a cell
/// without quotes, a line end other than the first line's) is refused. The proof is in docs/methods/records.md.
class CsvRows {
 public:
  CsvRows(const CsvChunk& chunk, const CsvDialect& dialect, const std::string& file);

  bool more() const { return at_ != end_; }
  /// Reads the next row: how many cells it has. As many as there is room for are put into `cells`. 0: an empty line.
  std::size_t next(std::span<CsvCell> cells);
  /// The text of a cell as it was meant.
  std::string text_of(const CsvCell& cell) const;
  /// Writes it at `out`, where `cell.size` and kCsvSlack bytes are free; where it ends.
  char* write(const CsvCell& cell, char* out) const;
  /// In which line of the file the last row that was read starts.
  std::int64_t line() const { return line_of(row_); }
  /// Bytes read so far.
  std::size_t used() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  CsvCell plain_cell();
  CsvCell quoted_cell();
  void end_row();
  std::int64_t line_of(const char* place) const;
  [[noreturn]] void refuse(const char* problem, const char* fix, const char* place) const;

  const std::string& file_;
  CsvDialect dialect_;
  std::int64_t first_line_;
  const char *begin_, *end_;
  const char *at_, *row_;  ///< the next byte, the start of the last row
  std::array<bool, 256> ends_plain_{}, ends_quoted_{};
};

}  // namespace sosia
