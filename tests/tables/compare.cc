// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <arrow/array.h>

#include <algorithm>
#include <cmath>

#include "data/array_reader.h"

namespace sosia {

namespace {

/// What decoding may change a number by.
double largest_change(const Column& column, const CodecOptions& options) {
  const double step = column.type == ColumnType::real ? std::pow(10.0, -column.decimals) : 1.0;
  const double range = *column.max - *column.min;
  // A cell may say more than the schema's precision, and a double a little less than either.
  const double rounding = column.type == ColumnType::real ? step / 2 + 1e-15 * std::max(range, 1.0) : 0.0;
  const double values = range / step + 1;
  if (options.numbers == NumberCoding::scaled || values <= options.bins) return rounding;
  return (std::ceil(values / options.bins) + 1) * step;  // runs of values differ by one in length
}

bool same_numbers(const Column& column, const arrow::Array& before, const arrow::Array& after,
                  const CodecOptions& options) {
  const MissingWords missing(options.missing_words);
  const NumberCells in = read_numbers(before, column.type, column.format, missing);
  const NumberCells out = read_numbers(after, column.type, column.format, missing);
  const double change = largest_change(column, options);
  for (std::size_t i = 0; i < in.values.size(); ++i) {
    if (in.states[i] == CellState::unreadable || out.states[i] != in.states[i]) return false;
    if (in.states[i] == CellState::missing) continue;
    const bool atom = std::binary_search(column.atoms.begin(), column.atoms.end(), in.values[i]);
    if (std::abs(out.values[i] - in.values[i]) > change || (atom && out.values[i] != in.values[i])) return false;
  }
  return true;
}

bool same_texts(const Column& column, const arrow::Array& before, const arrow::Array& after,
                const CodecOptions& options) {
  const MissingWords words(options.missing_words);
  const TextCells in = read_texts(before), out = read_texts(after);
  const auto is_missing = [&](const TextCells& cells, std::size_t i) {
    return cells.states[i] == CellState::missing || (column.missing && words.holds(cells.texts[i]));
  };
  for (std::size_t i = 0; i < in.texts.size(); ++i) {
    if (is_missing(in, i) != is_missing(out, i)) return false;
    if (!is_missing(in, i) && in.texts[i] != out.texts[i]) return false;
  }
  return true;
}

}  // namespace

bool same_cells(const Column& column, const arrow::Array& before, const arrow::Array& after,
                const CodecOptions& options) {
  if (before.length() != after.length()) return false;
  return has_bounds(column.type) ? same_numbers(column, before, after, options)
                                 : same_texts(column, before, after, options);
}

}  // namespace sosia
