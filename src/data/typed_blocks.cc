// SPDX-License-Identifier: Apache-2.0
#include "data/typed_blocks.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/checked_cast.h>

#include <algorithm>
#include <cstdint>

#include "base/json_reader.h"
#include "data/arrow_guard.h"

namespace sosia {

namespace {

/// Whether the file counts its missing cells as they are marked.
bool counts_nulls_truly(const arrow::Array& array) {
  const std::uint8_t* const marks = array.null_bitmap_data();
  if (marks == nullptr) return array.null_count() == 0;
  return array.length() - arrow::internal::CountSetBits(marks, array.offset(), array.length()) == array.null_count();
}

/// Whether this is text in ASCII with rising offsets, which is the rule and is found out much faster than by
/// ValidateFull. The array has passed Validate: its offsets are there, the first and the last lie in the data.
bool is_ascii_text(const arrow::Array& array) {
  if (array.type_id() != arrow::Type::STRING || array.length() == 0 || !counts_nulls_truly(array)) return false;
  const auto& texts = arrow::internal::checked_cast<const arrow::StringArray&>(array);
  const std::int32_t* const offsets = texts.raw_value_offsets();
  bool rising = offsets[0] >= 0;
  for (std::int64_t i = 0; i < array.length(); ++i) rising &= offsets[i] <= offsets[i + 1];
  if (!rising) return false;
  unsigned char bits = 0;
  for (std::int32_t i = offsets[0]; i < offsets[array.length()]; ++i) bits |= texts.raw_data()[i];
  return bits < 128;
}

arrow::Status fully_valid(const arrow::Array& array) {
  const arrow::Status status = array.Validate();
  return !status.ok() || is_ascii_text(array) ? status : array.ValidateFull();
}

}  // namespace

std::int64_t rows_per_block(int columns) {
  constexpr std::int64_t kValues = std::int64_t{1} << 23;
  return std::clamp<std::int64_t>(kValues / std::max(columns, 1), 256, 65536);
}

std::vector<StoredColumn> stored_columns(const arrow::Schema& schema, const std::vector<int>& chosen) {
  std::vector<StoredColumn> columns;
  for (const int i : chosen) columns.push_back({schema.field(i)->name(), schema.field(i)->type()->ToString()});
  return columns;
}

std::shared_ptr<arrow::RecordBatch> checked_columns(const arrow::RecordBatch& batch,
                                                    const std::vector<StoredColumn>& columns,
                                                    const std::string& where) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const StoredColumn& column : columns) {
    const int index = batch.schema()->GetFieldIndex(column.name);
    const Fault fault{ErrorKind::data, "column " + shown(column.name) + " is damaged, or holds text that is not UTF-8",
                      where, "write the file again from its source"};
    if (index < 0) raise(fault);
    fields.push_back(batch.schema()->field(index));
    arrays.push_back(batch.column(index));
    require(fully_valid(*arrays.back()), fault);
    if (arrays.back()->length() != batch.num_rows()) raise(fault);
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(), std::move(arrays));
}

}  // namespace sosia
