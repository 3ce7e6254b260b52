// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sosia/error.h>

#include "data/array_builder.h"
#include "data/cell.h"
#include "data/column_code.h"

namespace sosia {

namespace {

constexpr std::string_view kOther = "other";
constexpr int kUnknown = -1;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

std::vector<std::string> declared_values(const Column& column) {
  if (!column.values && column.type == ColumnType::boolean) return {"false", "true"};
  if (!column.values || column.values->empty()) {
    throw Error(ErrorKind::schema, "column \"" + column.name + "\" has no values", "schema",
                "declare \"values\", or let them be discovered privately");
  }
  if (column.type == ColumnType::boolean && column.values->size() != 2) {
    throw Error(ErrorKind::schema, "boolean column \"" + column.name + "\" does not have two values", "schema",
                "declare both, the one that means false first");
  }
  return *column.values;
}

/// States: the declared values, `other` where values outside become that, missing where the column may be missing.
class CategoryCode : public ColumnCode {
 public:
  explicit CategoryCode(const CodeRecipe& recipe)
      : column_(recipe.column),
        missing_words_(recipe.missing),
        type_(recipe.stored),
        labels_(declared_values(column_)) {
    for (const std::string& label : labels_) {
      const int code = static_cast<int>(by_text_.size());
      if (!by_text_.emplace(label, code).second) {
        throw Error(ErrorKind::schema, "column \"" + column_.name + "\" has the same value twice", "schema",
                    "declare each of its values once");
      }
      double number = 0;
      if (parse_number(label, number)) by_number_.emplace(number, code);
      if (!column_.missing && missing_ == kUnknown && missing_words_.holds(label)) missing_ = code;
    }
    boolean_ = column_.type == ColumnType::boolean;
    for (const bool truth : {false, true}) find_truth(truth);
    if (column_.outside != Outside::refuse) add_other();  // values have no nearest one: clamp means other
    if (column_.missing) missing_ = static_cast<int>(labels_.size());
    width_ = static_cast<int>(labels_.size()) + (column_.missing ? 1 : 0);
  }

  std::vector<Field> fields() const override { return {{column_.name, Field::Kind::code, width_}}; }
  int draws() const override { return 1; }
  std::shared_ptr<arrow::DataType> type() const override { return type_; }

  void encode(const arrow::Array& cells, MatrixView<float> rows, Trouble::Counts& counts) const override {
    const std::vector<Place> places = places_of(cells);
    for (std::size_t i = 0; i < rows.rows; ++i) put(rows.row(i)[0], places[i], counts);
  }

  std::shared_ptr<arrow::Array> decode(MatrixView<const float> rows,
                                       MatrixView<const float> /*uniforms*/) const override {
    std::vector<int> codes(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const int code = code_of(rows.row(i)[0], width_);
      codes[i] = code < static_cast<int>(labels_.size()) ? code : -1;
    }
    return build_labels(codes, labels_, column_, type_);
  }

 private:
  struct Place {
    CellState state = CellState::missing;
    int code = kUnknown;  ///< of a present cell
  };

  std::vector<Place> places_of(const arrow::Array& cells) const {
    std::vector<Place> places(static_cast<std::size_t>(cells.length()));
    if (cells.type_id() == arrow::Type::DICTIONARY) {
      const auto& array = static_cast<const arrow::DictionaryArray&>(cells);
      const std::vector<Place> entries = places_of(*array.dictionary());
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (!array.IsNull(at)) places[i] = entries[static_cast<std::size_t>(array.GetValueIndex(at))];
      }
    } else if (holds_booleans(cells) || holds_numbers(cells)) {
      const NumberCells numbers = read_numbers(cells, ColumnType::real, {}, missing_words_);
      const bool truth = holds_booleans(cells);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double value = numbers.values[i];
        places[i] = {numbers.states[i], truth ? truth_[value != 0 ? 1 : 0] : number_code_of(value)};
      }
    } else {
      const TextCells texts = read_texts(cells);
      Place last = place_of({});
      std::string_view last_text;
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (texts.states[i] == CellState::present && texts.texts[i] != last_text) {
          last_text = texts.texts[i];
          last = place_of(last_text);
        }
        places[i] = texts.states[i] == CellState::present ? last : Place{texts.states[i], kUnknown};
      }
    }
    return places;
  }

  Place place_of(std::string_view text) const {
    const int code = text_code_of(text);
    const bool missing = code == kUnknown && missing_words_.holds(text);
    return {missing ? CellState::missing : CellState::present, code};
  }

  int text_code_of(std::string_view text) const {
    const auto found = by_text_.find(text);
    if (found != by_text_.end()) return found->second;
    bool truth = false;
    return boolean_ && parse_boolean(text, truth) ? truth_[truth ? 1 : 0] : kUnknown;
  }

  int number_code_of(double number) const {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? kUnknown : found->second;
  }

  /// The state that a stored true or false, or 1 or 0, means.
  void find_truth(bool truth) {
    const auto at = static_cast<std::size_t>(truth);
    if (boolean_) {
      truth_[at] = static_cast<int>(at);
      if (by_number_.size() < 2) by_number_.emplace(truth ? 1.0 : 0.0, static_cast<int>(at));
      return;
    }
    for (std::size_t i = labels_.size(); i-- > 0;) {
      bool said = false;
      if (parse_boolean(labels_[i], said) && said == truth) truth_[at] = static_cast<int>(i);
    }
  }

  void add_other() {
    const auto declared = by_text_.find(kOther);
    other_ = declared != by_text_.end() ? declared->second : static_cast<int>(labels_.size());
    if (declared == by_text_.end()) labels_.emplace_back(kOther);
    by_text_.emplace(kOther, other_);
  }

  /// Where the column refuses values outside, these count and get the state 0, and the caller refuses.
  void put(float& out, Place place, Trouble::Counts& counts) const {
    auto [state, code] = place;
    if (state == CellState::missing && missing_ != kUnknown) {
      if (column_.missing) ++counts.missing;
      code = missing_;
    } else if (state == CellState::unreadable) {
      ++counts.unreadable;
      code = column_.missing ? missing_ : other_;
    } else if (state == CellState::missing || code == kUnknown) {
      ++counts.outside;
      code = other_;
    }
    out = static_cast<float>(code);
  }

  const Column& column_;
  const MissingWords& missing_words_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<std::string> labels_;  ///< of every state but missing
  std::unordered_map<std::string, int, TextHash, std::equal_to<>> by_text_;
  std::unordered_map<double, int> by_number_;
  std::array<int, 2> truth_ = {kUnknown, kUnknown};
  bool boolean_ = false;
  int missing_ = kUnknown, other_ = 0, width_ = 0;
};

}  // namespace

std::unique_ptr<ColumnCode> category_code(const CodeRecipe& recipe) { return std::make_unique<CategoryCode>(recipe); }

}  // namespace sosia
