// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <sosia/error.h>
#include <sosia/table.h>

#include "base/json_reader.h"
#include "data/table_file.h"

namespace sosia {

void check_header(const std::filesystem::path& file, const Schema& schema, const TableSpelling& spelling) {
  const auto table = TableFile::open(file, {.delimiter = spelling.delimiter, .missing_words = spelling.missing_words});
  for (const Column& column : schema.columns) {
    const bool is_unit = column.name == schema.unit.column;
    if (!is_unit && !has_values(column.type) && !has_bounds(column.type)) continue;  // never read
    const auto& stored = table->columns();
    if (std::any_of(stored.begin(), stored.end(), [&](const StoredColumn& s) { return s.name == column.name; }))
      continue;
    throw Error(ErrorKind::data, "the table has no column " + shown(column.name), table->name(),
                "use the schema that belongs to the table, or take the column out of it");
  }
}

}  // namespace sosia
