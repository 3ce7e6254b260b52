// SPDX-License-Identifier: Apache-2.0
#include "data/open_table.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <sosia/error.h>

#include "base/json_reader.h"

namespace sosia {

TableOptions table_options(const TableSpelling& spelling) {
  return {.delimiter = spelling.delimiter,
          .header = spelling.header,
          .quotes = spelling.quotes,
          .multiline = spelling.multiline};
}

namespace {

std::shared_ptr<const TableFile> open_columns(const std::filesystem::path& file, const Schema& schema,
                                              const TableSpelling& spelling, std::vector<std::string> wanted) {
  if (schema.images) {
    throw Error(ErrorKind::schema, "the schema is one of images, and a table is asked for", file.string(),
                "pass the schema that belongs to the table");
  }
  TableOptions options = table_options(spelling);
  options.columns = std::move(wanted);
  for (const Column& column : schema.columns) options.names.push_back(column.name);
  return TableFile::open(file, options);
}

}  // namespace

std::vector<StoredColumn> columns_in(const std::filesystem::path& file, const Schema& schema,
                                     const TableSpelling& spelling) {
  return open_columns(file, schema, spelling, {})->columns();
}

std::shared_ptr<const TableFile> open_table(const std::filesystem::path& file, const Schema& schema,
                                            const TableSpelling& spelling) {
  std::unordered_set<std::string_view> named;
  for (const Column& column : schema.columns) named.insert(column.name);
  std::vector<std::string> wanted;
  for (const StoredColumn& stored : columns_in(file, schema, spelling)) {
    if (named.contains(stored.name)) wanted.push_back(stored.name);
  }
  return open_columns(file, schema, spelling, std::move(wanted));
}

void check_header(const std::filesystem::path& file, const Schema& schema, const TableSpelling& spelling) {
  const std::vector<StoredColumn> stored = columns_in(file, schema, spelling);
  for (const Column& column : schema.columns) {
    const bool is_unit = column.name == schema.unit.column;
    if (!is_unit && !has_values(column.type) && !has_bounds(column.type)) continue;  // never read
    if (std::any_of(stored.begin(), stored.end(), [&](const StoredColumn& s) { return s.name == column.name; }))
      continue;
    throw Error(ErrorKind::data, "the table has no column " + shown(column.name),
                file == "-" ? "standard input" : file.string(),
                "use the schema that belongs to the table, or take the column out of it");
  }
}

}  // namespace sosia
