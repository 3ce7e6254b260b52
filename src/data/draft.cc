// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/table.h>

#include "data/array_reader.h"
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

}  // namespace

Schema draft_schema(const std::filesystem::path& file, const DraftOptions& options) {
  TableOptions how;
  how.delimiter = options.spelling.delimiter;
  how.missing_words = options.spelling.missing_words;
  const auto table = TableFile::open(file, how);
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
