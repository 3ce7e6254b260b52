// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <sosia/table.h>

namespace sosia {

/// Some programs put it at the start of UTF-8 files, and so into the middle of files that were joined. At the start of
/// a row it is skipped, wherever the row stands.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// All that decides how the bytes of a CSV file become rows. It is declared or read off the first line, so that no row
/// has a say in how another one is read.
struct CsvDialect {
  char delimiter = ',';
  Quotes quotes = Quotes::doubled;
  bool multiline = false;  ///< cells in quotes may hold line ends
  bool crlf = false;       ///< rows end with \r\n; else with \n
};

}  // namespace sosia
