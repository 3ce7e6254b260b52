// SPDX-License-Identifier: Apache-2.0
// One column to its fields and back. One file for each kind of column.
#pragma once

#include <arrow/type_fwd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "data/array_reader.h"
#include "data/codec.h"

namespace sosia {

/// Immutable, thread-safe. `rows` and `uniforms` hold the column's own fields and draws only.
class ColumnCode {
 public:
  virtual ~ColumnCode() = default;
  virtual std::vector<Field> fields() const = 0;  ///< none: the column is not encoded
  virtual int draws() const = 0;
  virtual std::shared_ptr<arrow::DataType> type() const = 0;  ///< of decode; null: the column is left out
  virtual void encode(const arrow::Array& cells, MatrixView<float> rows, CellCounts& counts) const = 0;
  virtual std::shared_ptr<arrow::Array> decode(MatrixView<const float> rows,
                                               MatrixView<const float> uniforms) const = 0;
};

/// What all codes are made from. `column` and `missing` outlive the code: the codec keeps them.
struct CodeRecipe {
  const Column& column;
  const CodecOptions& options;
  const MissingWords& missing;
};

std::unique_ptr<ColumnCode> category_code(const CodeRecipe& recipe);    ///< boolean, categorical, ordinal
std::unique_ptr<ColumnCode> number_code(const CodeRecipe& recipe);      ///< integer, real, date, datetime
std::unique_ptr<ColumnCode> identifier_code(const CodeRecipe& recipe);  ///< identifier, text

/// The state that a generator's number means: the nearest one.
inline int code_of(float number, int width) {
  if (!(number > 0.0F)) return 0;
  return static_cast<int>(std::min(std::round(number), static_cast<float>(width - 1)));
}

}  // namespace sosia
