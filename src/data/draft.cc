// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "base/json_reader.h"
#include "data/array_reader.h"
#include "data/cell.h"
#include "data/column_guess.h"
#include "data/open_table.h"
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

/// In which of the schema's ways a typed file stores the column, by Arrow's name of its type.
Stored stored_as(std::string_view type, ColumnType column, const ColumnProfile& profile) {
  const auto names = [&](std::string_view part) { return type.find(part) != std::string_view::npos; };
  if (column == ColumnType::boolean && names("bool")) return Stored::boolean;
  const bool is_number = names("values=") ? names("values=int") || names("values=uint") || names("values=double")
                                          : names("int") || names("double") || names("float") || names("decimal");
  const bool is_coded = has_values(column) || column == ColumnType::identifier;
  return is_coded && is_number && profile.numbers.possible && profile.whole ? Stored::integer : Stored::text;
}

}  // namespace

std::vector<std::int64_t> names_like_values(const Draft& draft) {
  std::vector<std::int64_t> numbers;
  const std::vector<Column>& columns = draft.private_facts().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (would_do(columns[c].name, columns[c])) numbers.push_back(static_cast<std::int64_t>(c) + 1);
  }
  return numbers;
}

Draft draft_schema(const std::filesystem::path& file, const DraftOptions& options) {
  const auto table = TableFile::open(file, table_options(options.spelling));
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
  Draft::Notes notes;
  for (std::size_t c = 0; c < profiles.size(); ++c) {
    const auto& [name, type] = table->columns()[c];
    ColumnGuess guess = guess_column(name, profiles[c]);
    guess.column.stored = stored_as(type, guess.column.type, profiles[c]);
    schema.columns.push_back(std::move(guess.column));
    notes.unreviewed[name] = std::move(guess.unreviewed);
    if (!guess.rare.empty()) notes.rare[name] = std::move(guess.rare);
    if (guess.is_likely_unit) notes.likely_units.push_back(name);
  }
  return Draft(std::move(schema), std::move(notes), table->name());
}

}  // namespace sosia
