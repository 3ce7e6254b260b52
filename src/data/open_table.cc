// SPDX-License-Identifier: Apache-2.0
#include "data/open_table.h"

#include <algorithm>

#include <sosia/error.h>

#include "base/json_reader.h"

namespace sosia {

std::shared_ptr<const TableFile> open_table(const std::filesystem::path& file, const Schema& schema,
                                            const TableSpelling& spelling) {
  if (schema.images) {
    throw Error(ErrorKind::schema, "the schema is one of images, and a table is asked for", file.string(),
                "pass the schema that belongs to the table");
  }
  TableOptions options{.delimiter = spelling.delimiter, .header = spelling.header};
  for (const Column& column : schema.columns) options.names.push_back(column.name);
  return TableFile::open(file, options);
}

void check_header(const std::filesystem::path& file, const Schema& schema, const TableSpelling& spelling) {
  const auto table = open_table(file, schema, spelling);
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
