// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/buffer_builder.h>
#include <arrow/type_fwd.h>

#include <cstddef>
#include <memory>
#include <span>

#include "data/csv_rows.h"

namespace sosia {

/// The cells of one column, put one behind the other into an Arrow array of texts.
class TextColumn {
 public:
  /// Every `step`th of the cells, from the first one on.
  void append(const CsvRows& rows, std::span<const CsvCell> cells, std::size_t step);
  std::shared_ptr<arrow::Array> finish();

 private:
  arrow::BufferBuilder text_;
  arrow::TypedBufferBuilder<std::int32_t> ends_;
};

}  // namespace sosia
