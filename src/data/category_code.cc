// SPDX-License-Identifier: Apache-2.0
#include <sosia/error.h>

#include "data/array_builder.h"
#include "data/column_code.h"
#include "data/value_reader.h"

namespace sosia {

namespace {

class CategoryCode : public ColumnCode {
 public:
  explicit CategoryCode(const CodeRecipe& recipe)
      : column_(recipe.column), type_(output_type(column_, recipe.options.typed)), reader_(column_, recipe.missing) {}

  std::vector<Field> fields() const override {
    const bool is_ordinal = column_.type == ColumnType::ordinal;
    const int values = column_.values ? static_cast<int>(column_.values->size()) : 2;
    return {
        {column_.name, Field::Kind::code, reader_.states(), {}, is_ordinal ? values : 0, reader_.states() - values}};
  }
  int draws() const override { return 1; }
  std::shared_ptr<arrow::DataType> type() const override { return type_; }

  void encode(const arrow::Array& cells, MatrixView<float> rows, CellCounts& counts) const override {
    const std::vector<int> states = reader_.read(cells, counts);
    for (std::size_t i = 0; i < rows.rows; ++i) rows.row(i)[0] = static_cast<float>(states[i]);
  }

  std::shared_ptr<arrow::Array> decode(MatrixView<const float> rows,
                                       MatrixView<const float> /*uniforms*/) const override {
    std::vector<int> codes(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const int code = code_of(rows.row(i)[0], reader_.states());
      codes[i] = code < static_cast<int>(reader_.labels().size()) ? code : -1;
    }
    return build_labels(codes, reader_.labels(), column_, type_);
  }

 private:
  const Column& column_;
  std::shared_ptr<arrow::DataType> type_;
  ValueReader reader_;
};

}  // namespace

std::unique_ptr<ColumnCode> category_code(const CodeRecipe& recipe) {
  if (!recipe.column.values && recipe.column.type != ColumnType::boolean) {
    throw Error(ErrorKind::schema, "column \"" + recipe.column.name + "\" has no values", "schema",
                "declare \"values\", or let them be discovered privately");
  }
  return std::make_unique<CategoryCode>(recipe);
}

}  // namespace sosia
