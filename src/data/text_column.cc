// SPDX-License-Identifier: Apache-2.0
#include "data/text_column.h"

#include <arrow/array.h>

#include <utility>

#include "data/arrow_guard.h"

namespace sosia {

namespace {

Fault no_room() { return {ErrorKind::io, "the texts of a column cannot be held", "a CSV table", "free some memory"}; }

}  // namespace

void TextColumn::append(const CsvRows& rows, std::span<const CsvCell> cells, std::size_t step) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < cells.size(); i += step) size += cells[i].size;
  require(text_.Reserve(size + static_cast<std::int64_t>(kCsvSlack)), no_room());
  require(ends_.Reserve(static_cast<std::int64_t>(cells.size() / step) + 2), no_room());
  if (ends_.length() == 0) ends_.UnsafeAppend(0);
  char* const start = reinterpret_cast<char*>(text_.mutable_data());
  char* out = start + text_.length();
  for (std::size_t i = 0; i < cells.size(); i += step) {
    out = rows.write(cells[i], out);
    ends_.UnsafeAppend(static_cast<std::int32_t>(out - start));
  }
  text_.UnsafeAdvance(out - start - text_.length());
}

std::shared_ptr<arrow::Array> TextColumn::finish() {
  if (ends_.length() == 0) require(ends_.Append(0), no_room());
  const std::int64_t count = ends_.length() - 1;
  std::shared_ptr<arrow::Buffer> ends = require(ends_.Finish(false), no_room());
  std::shared_ptr<arrow::Buffer> text = require(text_.Finish(false), no_room());
  return std::make_shared<arrow::StringArray>(count, std::move(ends), std::move(text));
}

}  // namespace sosia
