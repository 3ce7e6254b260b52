// SPDX-License-Identifier: Apache-2.0
#include "data/array_types.h"

#include <arrow/array/array_run_end.h>
#include <arrow/memory_pool.h>
#include <arrow/util/checked_cast.h>

#include "base/check.h"

namespace sosia {

namespace {

using arrow::internal::checked_cast;

SharedCells dictionary_cells(const arrow::DictionaryArray& array) {
  SharedCells shared{array.dictionary(), {}};
  shared.entries.assign(static_cast<std::size_t>(array.length()), SharedCells::kNoEntry);
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (!array.IsNull(i)) shared.entries[static_cast<std::size_t>(i)] = array.GetValueIndex(i);
  }
  return shared;
}

template <class Ends>
void fill_runs(const arrow::Array& ends, std::vector<std::int64_t>& entries) {
  std::size_t row = 0;
  for (std::int64_t run = 0; run < ends.length(); ++run) {
    const auto end = static_cast<std::size_t>(checked_cast<const Ends&>(ends).Value(run));
    while (row < end && row < entries.size()) entries[row++] = run;
  }
}

SharedCells run_cells(const arrow::RunEndEncodedArray& array) {
  SharedCells shared{array.LogicalValues(), {}};
  shared.entries.assign(static_cast<std::size_t>(array.length()), SharedCells::kNoEntry);
  const auto ends = array.LogicalRunEnds(arrow::default_memory_pool());
  SOSIA_CHECK(ends.ok(), "the ends of runs could not be read");
  switch ((*ends)->type_id()) {
    case arrow::Type::INT16:
      fill_runs<arrow::Int16Array>(**ends, shared.entries);
      break;
    case arrow::Type::INT32:
      fill_runs<arrow::Int32Array>(**ends, shared.entries);
      break;
    default:
      fill_runs<arrow::Int64Array>(**ends, shared.entries);
  }
  return shared;
}

}  // namespace

std::optional<SharedCells> shared_cells(const arrow::Array& cells) {
  if (cells.type_id() == arrow::Type::DICTIONARY) {
    return dictionary_cells(checked_cast<const arrow::DictionaryArray&>(cells));
  }
  if (cells.type_id() == arrow::Type::RUN_END_ENCODED) {
    return run_cells(checked_cast<const arrow::RunEndEncodedArray&>(cells));
  }
  return std::nullopt;
}

std::int64_t ticks_per_second(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DATE64) return 1'000;
  switch (checked_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

}  // namespace sosia
