// SPDX-License-Identifier: Apache-2.0
// Cells of a boolean, categorical or ordinal column as one of its states.
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sosia/schema.h>

#include "data/array_reader.h"

namespace sosia {

/// States: the declared values, `other` where values outside become that, missing where the column may be missing.
/// Immutable, thread-safe.
class ValueReader {
 public:
  /// Both are kept by reference. Where no values are declared, no cell is outside, and all have the state 0.
  ValueReader(const Column& column, const MissingWords& missing);

  /// What each cell means, for all who ask. Where the column refuses values outside, these count and get the state 0,
  /// and the caller refuses.
  std::vector<int> read(const arrow::Array& cells, CellCounts& counts) const;

  const std::vector<std::string>& labels() const { return labels_; }  ///< of every state but missing
  int states() const { return static_cast<int>(labels_.size()) + (column_.missing ? 1 : 0); }

 private:
  static constexpr int kUnknown = -1;
  struct Place {
    CellState state = CellState::missing;
    int code = kUnknown;  ///< of a present cell
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void find_truth(bool truth);
  void add_other();
  std::vector<Place> places_of(const arrow::Array& cells) const;
  Place place_of(std::string_view text) const;
  int text_code_of(std::string_view text) const;
  int number_code_of(double number) const;
  int state_of(Place place, CellCounts& counts) const;

  const Column& column_;
  const MissingWords& missing_words_;
  bool boolean_;
  int undeclared_;  ///< of a present cell that is none of the declared values
  std::vector<std::string> labels_;
  std::unordered_map<std::string, int, TextHash, std::equal_to<>> by_text_;
  std::unordered_map<double, int> by_number_;
  std::array<int, 2> truth_ = {kUnknown, kUnknown};
  int missing_ = kUnknown, other_ = 0;
};

}  // namespace sosia
