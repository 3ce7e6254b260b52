// SPDX-License-Identifier: Apache-2.0
// Cells of an Arrow array of any type, as numbers or as text.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

enum class CellState : std::uint8_t { present, missing, unreadable };

/// What is amiss in the cells of one column. Private, like all counts.
struct CellCounts {
  std::int64_t missing = 0;     ///< whether they may be or not
  std::int64_t outside = 0;     ///< of the declared bounds or values
  std::int64_t unreadable = 0;  ///< not of the column's type
};

/// The words that stand for a missing value.
class MissingWords {
 public:
  explicit MissingWords(std::vector<std::string> words);
  bool holds(std::string_view text) const {
    return text.size() < 64 && ((lengths_ >> text.size()) & 1U) != 0 && search(text);
  }

 private:
  bool search(std::string_view text) const;
  std::vector<std::string> words_;
  std::uint64_t lengths_ = 0;
};

struct NumberCells {
  std::vector<double> values;
  std::vector<CellState> states;
};

/// Numbers, days since 1970 (column type date, rounded down) or seconds since 1970 UTC (datetime, rounded down). A
/// number that is not a number is missing; a number in a date column, or a date in a numeric column, is unreadable.
NumberCells read_numbers(const arrow::Array& cells, ColumnType type, std::string_view format,
                         const MissingWords& missing);

/// Views point into the array's buffers or into `made`, which holds the text of what is not stored as text.
struct TextCells {
  std::vector<std::string_view> texts;
  std::vector<CellState> states;
  std::deque<std::string> made;
};

/// Numbers come as short as possible ("7", "0.5"), and the same from every type that can say them; dates in ISO 8601.
/// What is not a number is missing. Does not look for missing words. To be shown and to be listed, never to tell units
/// apart: a timestamp's text has no fractions (data/unit_id.h has).
TextCells read_texts(const arrow::Array& cells);

/// Whether the cells are numbers (integers, floating point, decimals) or true and false, one by one.
bool holds_numbers(const arrow::Array& cells);
bool holds_booleans(const arrow::Array& cells);

/// Refuses a column whose stored type no reader knows (bytes, times of the day, nested values). A writer may store a
/// column so because of one of its cells, and then all other cells would be unreadable because of it.
void require_readable(const arrow::Array& cells, const std::string& column, const std::string& where);

}  // namespace sosia
