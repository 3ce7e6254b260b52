// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/table.h>

#include "base/json_reader.h"
#include "data/array_reader.h"
#include "data/cell.h"
#include "data/column_guess.h"
#include "data/table_file.h"

namespace sosia {

namespace {

void profile_batch(const arrow::RecordBatch& batch, const MissingWords& missing, std::vector<ColumnProfile>& profiles) {
  for (int c = 0; c < batch.num_columns(); ++c) {
    ColumnProfile& profile = profiles[static_cast<std::size_t>(c)];
    const TextCells cells = read_texts(*batch.column(c));
    for (std::size_t i = 0; i < cells.texts.size(); ++i) {
      if (cells.states[i] == CellState::missing || missing.holds(cells.texts[i])) {
        profile.add_missing();
      } else {
        // What has no text, such as a nested value, is profiled as a text that cannot be listed.
        profile.add(cells.states[i] == CellState::present ? cells.texts[i] : std::string_view("\x7f"));
      }
    }
  }
}

/// A draft is for its owner's eyes, an error is not: it tells columns by their number.
void check_names(const std::vector<StoredColumn>& columns, const std::string& file) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].name.empty() && is_printable(columns[c].name)) continue;
    throw Error(ErrorKind::data, fmt::format("the name of column {} is empty or has control characters", c + 1), file,
                "name it in the first line, or pass --no-header if the file has no line of names");
  }
}

/// Digits for '#', letters for '@'.
bool follows(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char p) { return shape_of(c) == p; });
}

bool would_do(const std::string& name, const Column& column) {
  double number = 0.0;
  std::int64_t days = 0;
  const bool value =
      column.values && std::find(column.values->begin(), column.values->end(), name) != column.values->end();
  return value || parse_number(name, number) || parse_date(name, column.format, days) ||
         parse_datetime(name, column.format, number) || (!column.pattern.empty() && follows(name, column.pattern));
}

}  // namespace

std::vector<std::int64_t> names_like_values(const Schema& draft) {
  std::vector<std::int64_t> numbers;
  for (std::size_t c = 0; c < draft.columns.size(); ++c) {
    if (would_do(draft.columns[c].name, draft.columns[c])) numbers.push_back(static_cast<std::int64_t>(c) + 1);
  }
  return numbers;
}

Schema draft_schema(const std::filesystem::path& file, const DraftOptions& options) {
  const auto table =
      TableFile::open(file, {.delimiter = options.spelling.delimiter, .header = options.spelling.header});
  check_names(table->columns(), table->name());
  std::vector<ColumnProfile> profiles(table->columns().size(), ColumnProfile(options.max_categories));
  const MissingWords missing(options.spelling.missing_words);
  const auto scan = table->scan();
  std::int64_t rows = 0;
  for (TableBlock block; scan->next(block);) {
    profile_batch(*block.batch, missing, profiles);
    rows += block.batch->num_rows();
  }
  if (rows == 0) {
    throw Error(ErrorKind::data, "the table has no rows, so there is nothing to draft a schema from", table->name(),
                "check the file, or write the schema by hand");
  }
  Schema schema;
  for (std::size_t c = 0; c < profiles.size(); ++c) {
    schema.columns.push_back(guess_column(table->columns()[c].name, profiles[c]));
  }
  validate(schema, table->name());
  return schema;
}

}  // namespace sosia
