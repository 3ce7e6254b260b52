// SPDX-License-Identifier: Apache-2.0
#include "data/value_reader.h"

#include <arrow/array.h>

#include "data/array_types.h"
#include "data/cell.h"

namespace sosia {

namespace {

constexpr std::string_view kOther = "other";

std::vector<std::string> declared_values(const Column& column) {
  if (!column.values && column.type == ColumnType::boolean) return {"false", "true"};
  return column.values.value_or(std::vector<std::string>());
}

/// A number without zeros after the point: programs that store whole numbers as floating point, as some do where one
/// cell is missing, write all of them as "1.0". Other texts as they are.
std::string_view plain_number(std::string_view text) {
  double number = 0.0;
  const std::string_view plain = without_zeros(text);
  return plain.size() < text.size() && parse_number(text, number) ? plain : text;
}

}  // namespace

ValueReader::ValueReader(const Column& column, const MissingWords& missing)
    : column_(column),
      missing_words_(missing),
      boolean_(column.type == ColumnType::boolean),
      undeclared_(column.values || boolean_ ? kUnknown : 0),
      labels_(declared_values(column)) {
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const int code = static_cast<int>(i);
    by_text_.emplace(labels_[i], code);
    double number = 0;
    if (parse_number(labels_[i], number)) by_number_.emplace(number, code);
    if (!column_.missing && missing_ == kUnknown && missing_words_.holds(labels_[i])) missing_ = code;
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    by_text_.emplace(plain_number(labels_[i]), static_cast<int>(i));  // unless another value is spelled so
  }
  for (const bool truth : {false, true}) find_truth(truth);
  if (column_.outside != Outside::refuse) add_other();  // values have no nearest one: clamp means other
  if (column_.missing) missing_ = static_cast<int>(labels_.size());
}

/// The state that a stored true or false, or 1 or 0, means.
void ValueReader::find_truth(bool truth) {
  const auto at = static_cast<std::size_t>(truth);
  if (boolean_) {
    truth_[at] = static_cast<int>(at);
    if (by_number_.size() < 2) by_number_.emplace(truth ? 1.0 : 0.0, static_cast<int>(at));
    return;
  }
  truth_[at] = undeclared_;
  for (std::size_t i = labels_.size(); i-- > 0;) {
    bool said = false;
    if (parse_boolean(labels_[i], said) && said == truth) truth_[at] = static_cast<int>(i);
  }
}

void ValueReader::add_other() {
  const auto declared = by_text_.find(kOther);
  other_ = declared != by_text_.end() ? declared->second : static_cast<int>(labels_.size());
  if (declared == by_text_.end()) labels_.emplace_back(kOther);
  by_text_.emplace(kOther, other_);
}

std::vector<int> ValueReader::read(const arrow::Array& cells, CellCounts& counts) const {
  const std::vector<Place> places = places_of(cells);
  std::vector<int> states(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) states[i] = state_of(places[i], counts);
  return states;
}

std::vector<ValueReader::Place> ValueReader::places_of(const arrow::Array& cells) const {
  std::vector<Place> places(static_cast<std::size_t>(cells.length()));
  if (const auto shared = shared_cells(cells)) {
    const std::vector<Place> values = places_of(*shared->values);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (shared->entries[i] != SharedCells::kNoEntry) places[i] = values[static_cast<std::size_t>(shared->entries[i])];
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

ValueReader::Place ValueReader::place_of(std::string_view text) const {
  const int code = text_code_of(text);
  if (code == kUnknown && missing_words_.holds(text)) return {CellState::missing, kUnknown};
  return {CellState::present, code == kUnknown ? undeclared_ : code};
}

int ValueReader::text_code_of(std::string_view text) const {
  auto found = by_text_.find(text);
  if (found == by_text_.end()) found = by_text_.find(plain_number(text));
  if (found != by_text_.end()) return found->second;
  bool truth = false;
  return boolean_ && parse_boolean(text, truth) ? truth_[truth ? 1 : 0] : kUnknown;
}

int ValueReader::number_code_of(double number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? undeclared_ : found->second;
}

int ValueReader::state_of(Place place, CellCounts& counts) const {
  if (place.state == CellState::unreadable) {
    ++counts.unreadable;
    return column_.missing ? missing_ : other_;
  }
  if (place.state == CellState::missing) {
    // A declared value that is a missing word is no missing value.
    if (column_.missing || missing_ == kUnknown) ++counts.missing;
    return missing_ == kUnknown ? other_ : missing_;
  }
  if (place.code == kUnknown) ++counts.outside;
  return place.code == kUnknown ? other_ : place.code;
}

}  // namespace sosia
