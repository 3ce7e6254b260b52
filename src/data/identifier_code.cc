// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "data/array_builder.h"
#include "data/column_code.h"

namespace sosia {

namespace {

constexpr int kDigits = 10, kLetters = 26;

bool is_drawn(char c) { return c == '#' || c == '@'; }

/// Reads nothing, so that nothing can pass. Identifiers with a pattern are made up from the uniforms alone.
class IdentifierCode : public ColumnCode {
 public:
  explicit IdentifierCode(const CodeRecipe& recipe) {
    if (recipe.column.type != ColumnType::identifier || recipe.column.pattern.empty()) return;
    pattern_ = recipe.column.pattern;
    column_ = &recipe.column;
    type_ = output_type(recipe.column, recipe.options.typed);
  }

  std::vector<Field> fields() const override { return {}; }
  int draws() const override { return static_cast<int>(std::count_if(pattern_.begin(), pattern_.end(), is_drawn)); }
  std::shared_ptr<arrow::DataType> type() const override { return type_; }
  void encode(const arrow::Array& /*cells*/, MatrixView<float> /*rows*/, CellCounts& /*counts*/) const override {}

  std::shared_ptr<arrow::Array> decode(MatrixView<const float> rows, MatrixView<const float> uniforms) const override {
    std::vector<std::string> texts(rows.rows, pattern_);
    std::vector<int> codes(rows.rows);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      codes[i] = static_cast<int>(i);
      std::size_t draw = 0;
      for (char& c : texts[i]) {
        if (!is_drawn(c)) continue;
        const int choices = c == '#' ? kDigits : kLetters;
        const int choice = code_of(std::floor(uniforms.row(i)[draw++] * static_cast<float>(choices)), choices);
        c = static_cast<char>((c == '#' ? '0' : 'a') + choice);
      }
    }
    return build_labels(codes, texts, *column_, type_);
  }

 private:
  std::string pattern_;
  const Column* column_ = nullptr;
  std::shared_ptr<arrow::DataType> type_;
};

}  // namespace

std::unique_ptr<ColumnCode> identifier_code(const CodeRecipe& recipe) {
  return std::make_unique<IdentifierCode>(recipe);
}

}  // namespace sosia
