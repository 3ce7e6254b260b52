// SPDX-License-Identifier: Apache-2.0
// Two CSV files that differ by one line, whatever bytes they hold: their other rows are the same, or one of the files
// is refused. The first byte chooses the dialect, the second what becomes of which line; behind the byte 0x1E stands
// the other line.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/error.h>

#include "data/byte_source.h"
#include "data/csv_file.h"
#include "data/neighbour_test_support.h"

namespace {

using Row = std::vector<std::string>;

struct Dialect {
  sosia::TableOptions options;
  std::string header;
  bool last_line_end = true;
};

Dialect dialect_of(std::uint8_t byte) {
  Dialect dialect;
  const unsigned way = byte % 5;
  dialect.options.quotes = way == 4 ? sosia::Quotes::none : static_cast<sosia::Quotes>(way % 2);
  dialect.options.multiline = way == 2 || way == 3;
  const bool one_column = byte / 5 % 2 == 1;
  dialect.options.header = byte / 10 % 2 == 0;
  if (!dialect.options.header) dialect.options.names = one_column ? Row{"a"} : Row{"a", "b"};
  if (dialect.options.header) dialect.header = one_column ? "a" : "a,b";
  if (dialect.options.header && byte / 20 % 2 == 1) dialect.header += "\r";
  if (dialect.options.header) dialect.header += "\n";
  dialect.last_line_end = byte / 40 % 2 == 0;
  return dialect;
}

// Nothing if the file is refused.
std::optional<std::vector<Row>> rows_of(const std::vector<std::string>& lines, const Dialect& dialect) {
  std::string text = dialect.header + sosia::text_of_lines(lines);
  // An empty line without its end is no line.
  if (!dialect.last_line_end && !lines.empty() && !lines.back().empty()) text.pop_back();
  try {
    const auto scan = sosia::open_csv(sosia::ByteSource(text, "fuzz"), dialect.options, ',')->scan();
    std::vector<Row> rows;
    for (sosia::TableBlock block; scan->next(block);) {
      for (std::int64_t i = 0; i < block.batch->num_rows(); ++i) {
        Row& row = rows.emplace_back();
        for (const auto& column : block.batch->columns()) {
          row.push_back(static_cast<const arrow::StringArray&>(*column).GetString(i));
        }
      }
    }
    return rows;
  } catch (const sosia::Error&) {
    return std::nullopt;
  }
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = std::min(text.find('\x1E'), text.size());
  const Dialect dialect = dialect_of(data[0]);
  const std::vector<std::string> lines = sosia::lines_of(text.substr(0, cut));
  const std::string_view rest = text.substr(std::min(cut + 1, text.size()));
  const std::string other(rest.substr(0, rest.find('\n')));
  const auto first = rows_of(lines, dialect);
  if (!first) return 0;
  std::vector<std::string> changed = lines;
  const auto place = static_cast<std::ptrdiff_t>(data[1] / 3 % (lines.size() + 1));
  const bool at_end = static_cast<std::size_t>(place) == lines.size();
  const bool added = at_end || data[1] % 3 == 0;
  if (!added) changed.erase(changed.begin() + place);
  if (added || data[1] % 3 == 1) changed.insert(changed.begin() + place, other);
  const auto second = rows_of(changed, dialect);
  if (!second) return 0;
  const sosia::Difference rest_of = sosia::difference_of(*first, *second);
  if (rest_of.first > 1 || rest_of.second > 1) std::abort();
  if (added && !dialect.options.multiline && rest_of.first > 0) std::abort();
  return 0;
}
