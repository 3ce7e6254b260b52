// SPDX-License-Identifier: Apache-2.0
#include <sosia/error.h>

#include "data/array_builder.h"
#include "data/column_code.h"
#include "data/number_fields.h"

namespace sosia {

namespace {

/// Cells to the column's grid, and from there to bins or scalars; the calendar's fields come after these.
class NumberCode : public ColumnCode {
 public:
  explicit NumberCode(const CodeRecipe& recipe)
      : column_(recipe.column),
        missing_(recipe.missing),
        type_(output_type(column_, recipe.options.typed)),
        grid_(column_),
        number_(recipe.options.numbers == NumberCoding::bins ? bin_fields(column_, grid_, recipe.options)
                                                             : scaled_fields(column_, grid_, recipe.options)),
        fields_(number_->fields()),
        number_width_(fields_.size()) {
    const bool dates = column_.type == ColumnType::date || column_.type == ColumnType::datetime;
    if (!recipe.options.calendar || !dates) return;
    calendar_ = calendar_fields(column_, grid_);
    for (const Field& field : calendar_->fields()) fields_.push_back(field);
  }

  std::vector<Field> fields() const override { return fields_; }
  int draws() const override { return static_cast<int>(fields_.size()); }
  std::shared_ptr<arrow::DataType> type() const override { return type_; }

  void encode(const arrow::Array& cells, MatrixView<float> rows, CellCounts& counts) const override {
    const std::vector<GridCell> placed = read_cells(cells, column_, grid_, missing_, counts);
    number_->write(placed, rows);
    if (calendar_) {
      const auto rest = fields_.size() - number_width_;
      calendar_->write(placed, {rows.data + number_width_, rows.rows, rest, rows.stride});
    }
  }

  std::shared_ptr<arrow::Array> decode(MatrixView<const float> rows, MatrixView<const float> uniforms) const override {
    std::vector<GridCell> placed(rows.rows);
    number_->read(rows, uniforms, placed);
    std::vector<double> values(rows.rows);
    std::vector<unsigned char> present(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      values[i] = grid_.value(placed[i].number);
      present[i] = placed[i].state == GridCell::kMissing ? 0 : 1;
    }
    return build_numbers(values, present, column_, type_);
  }

 private:
  const Column& column_;
  const MissingWords& missing_;
  std::shared_ptr<arrow::DataType> type_;
  NumberGrid grid_;
  std::unique_ptr<NumberFields> number_;
  std::unique_ptr<NumberFields> calendar_;
  std::vector<Field> fields_;
  std::size_t number_width_;
};

}  // namespace

std::unique_ptr<ColumnCode> number_code(const CodeRecipe& recipe) {
  if (!recipe.column.min || !recipe.column.max) {
    throw Error(ErrorKind::schema, "column \"" + recipe.column.name + "\" has no bounds", "schema",
                "declare \"min\" and \"max\", or let them be discovered privately");
  }
  return std::make_unique<NumberCode>(recipe);
}

}  // namespace sosia
