// SPDX-License-Identifier: Apache-2.0
#include "data/csv_text.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "data/csv_dialect.h"

namespace sosia {

namespace {

bool has_text(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return has_text(*arrow::internal::checked_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return type.id() == arrow::Type::STRING || arrow::compute::CanCast(type, *arrow::utf8());
}

bool is_number(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) || arrow::is_temporal(type.id());
}

}  // namespace

CsvText::CsvText(const arrow::Schema& schema, char delimiter, std::string missing_word, Fault fault)
    : delimiter_(delimiter),
      missing_word_(std::move(missing_word)),
      one_column_(schema.num_fields() == 1),
      plain_numbers_(std::string_view(",;|\t").find(delimiter) != std::string_view::npos),
      fault_(std::move(fault)) {
  for (const char c : {delimiter, '"', '\r', '\n'}) needs_quotes_[static_cast<unsigned char>(c)] = true;
  for (const auto& field : schema.fields()) {
    if (!has_text(*field->type())) {
      raise({ErrorKind::usage,
             "CSV cannot hold column " + shown(field->name()) + " of type " + field->type()->ToString(), fault_.where,
             "write Parquet"});
    }
  }
}

// Writes the text at `out`, where twice its length and two more are free. What is plain needs no quotes.
char* CsvText::put(std::string_view text, bool plain, char* out) const {
  const auto special = [&](char c) { return needs_quotes_[static_cast<unsigned char>(c)]; };
  const bool marked = text.starts_with(kByteOrderMark);  // unquoted, it may be taken for that of the file
  const bool quoted = text.empty() ? one_column_ : !plain && (marked || std::any_of(text.begin(), text.end(), special));
  if (!quoted) return std::copy(text.begin(), text.end(), out);
  *out++ = '"';
  for (const char c : text) {
    if (c == '"') *out++ = '"';
    *out++ = c;
  }
  *out++ = '"';
  return out;
}

void CsvText::append_header(const arrow::Schema& schema, std::string& out) const {
  for (int i = 0; i < schema.num_fields(); ++i) {
    const std::string& name = schema.field(i)->name();
    std::string text(2 * name.size() + 2, ' ');
    text.resize(static_cast<std::size_t>(put(name, false, text.data()) - text.data()));
    if (i > 0) out += delimiter_;
    out += text;
  }
  out += '\n';
}

void CsvText::append_rows(const arrow::RecordBatch& batch, std::string& out) const {
  struct TextColumn {
    std::shared_ptr<arrow::Array> array;
    const arrow::StringArray* texts;
    bool plain;
  };
  std::vector<TextColumn> columns;
  std::int64_t room = batch.num_rows() * (3 * batch.num_columns() + 1);
  for (int i = 0; i < batch.num_columns(); ++i) {
    Fault fault = fault_;
    fault.problem = "column " + shown(batch.schema()->field(i)->name()) + " cannot be written as text";
    auto array = require(arrow::compute::Cast(*batch.column(i), arrow::utf8()), fault);
    const auto* texts = arrow::internal::checked_cast<const arrow::StringArray*>(array.get());
    columns.push_back({std::move(array), texts, plain_numbers_ && is_number(*batch.column(i)->type())});
    const auto word = static_cast<std::int64_t>(missing_word_.size());
    room += 2 * (texts->total_values_length() + texts->null_count() * word);
  }
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(room));
  char* end = out.data() + before;
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    for (const TextColumn& column : columns) {
      const bool missing = column.texts->IsNull(row);
      end = put(missing ? std::string_view(missing_word_) : column.texts->GetView(row), !missing && column.plain, end);
      *end++ = delimiter_;
    }
    if (!columns.empty()) --end;
    *end++ = '\n';
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

}  // namespace sosia
