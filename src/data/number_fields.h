// SPDX-License-Identifier: Apache-2.0
// The fields of a numeric column, from cells on its grid and back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "data/codec.h"
#include "data/number_grid.h"

namespace sosia {

/// Immutable, thread-safe. `rows` and `uniforms` hold these fields only.
class NumberFields {
 public:
  virtual ~NumberFields() = default;
  virtual std::vector<Field> fields() const = 0;
  virtual void write(std::span<const GridCell> cells, MatrixView<float> rows) const = 0;
  virtual void read(MatrixView<const float> rows, MatrixView<const float> uniforms,
                    std::span<GridCell> cells) const = 0;
};

/// The grid is kept by reference.
std::unique_ptr<NumberFields> bin_fields(const Column& column, const NumberGrid& grid, const CodecOptions& options);
std::unique_ptr<NumberFields> scaled_fields(const Column& column, const NumberGrid& grid, const CodecOptions& options);
/// Month, day of the week (Monday first), and hour for datetimes. `read` leaves the cells as they are.
std::unique_ptr<NumberFields> calendar_fields(const Column& column, const NumberGrid& grid);

}  // namespace sosia
