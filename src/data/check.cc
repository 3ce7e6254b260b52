// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include <sosia/table.h>

#include "data/array_reader.h"
#include "data/cell.h"
#include "data/table_file.h"

namespace sosia {

namespace {

/// Counts what one column of the file holds.
class Counter {
 public:
  Counter(const Column& column, const MissingWords& missing) : column_(column), missing_(missing) {
    if (column.values) values_.insert(column.values->begin(), column.values->end());
  }

  void count(const arrow::Array& cells, ColumnCheck& check) const {
    has_bounds(column_.type) ? count_numbers(cells, check) : count_texts(cells, check);
  }

 private:
  void count_numbers(const arrow::Array& cells, ColumnCheck& check) const {
    const NumberCells read = read_numbers(cells, column_.type, column_.format, missing_);
    for (std::size_t i = 0; i < read.values.size(); ++i) {
      const double value = read.values[i];
      if (read.states[i] == CellState::missing) {
        ++check.missing;
      } else if (read.states[i] == CellState::unreadable || is_broken(value)) {
        ++check.unreadable;
      } else if ((column_.min && value < *column_.min) || (column_.max && value > *column_.max)) {
        ++check.outside;
      }
    }
  }

  /// A fraction where whole numbers were declared.
  bool is_broken(double value) const { return column_.type == ColumnType::integer && value != std::floor(value); }

  void count_texts(const arrow::Array& cells, ColumnCheck& check) const {
    const TextCells read = read_texts(cells);
    for (std::size_t i = 0; i < read.texts.size(); ++i) {
      if (read.states[i] == CellState::missing || missing_.holds(read.texts[i])) {
        ++check.missing;
      } else if (read.states[i] == CellState::unreadable) {
        ++check.unreadable;
      } else if (is_outside(read.texts[i])) {
        ++check.outside;
      }
    }
  }

  bool is_outside(std::string_view text) const {
    if (!column_.values || values_.contains(text)) return false;
    bool value = false;  // booleans may be spelled in other ways than the declared ones, or be stored as such
    return column_.type != ColumnType::boolean || !parse_boolean(text, value);
  }

  const Column& column_;
  const MissingWords& missing_;
  std::unordered_set<std::string_view> values_;
};

/// A column of the schema and its place in the file.
struct Pair {
  const Column* column;
  int stored;
};

std::vector<Pair> pair_columns(const Schema& schema, const std::vector<StoredColumn>& stored, CheckReport& report) {
  std::map<std::string_view, int> places;
  for (std::size_t i = 0; i < stored.size(); ++i) places.emplace(stored[i].name, static_cast<int>(i));
  std::vector<Pair> pairs;
  for (const Column& column : schema.columns) {
    const auto found = places.find(column.name);
    if (found == places.end()) {
      report.absent.push_back(column.name);
      continue;
    }
    pairs.push_back({&column, found->second});
    places.erase(found);
  }
  for (const StoredColumn& column : stored) {
    if (places.contains(column.name)) report.extra.push_back(column.name);
  }
  return pairs;
}

}  // namespace

bool CheckReport::fits() const {
  return rows_fit && absent.empty() &&
         std::all_of(columns.begin(), columns.end(), [](const ColumnCheck& column) { return column.fits(); });
}

CheckReport check_table(const std::filesystem::path& file, const Schema& schema, const CheckOptions& options) {
  validate(schema);
  TableOptions how;
  how.delimiter = options.spelling.delimiter;
  how.missing_words = options.spelling.missing_words;
  const auto table = TableFile::open(file, how);
  CheckReport report;
  report.unreviewed = schema.unreviewed();
  const std::vector<Pair> pairs = pair_columns(schema, table->columns(), report);
  const MissingWords missing(options.spelling.missing_words);
  std::vector<Counter> counters;
  for (const Pair& pair : pairs) {
    counters.emplace_back(*pair.column, missing);
    report.columns.push_back({pair.column->name, pair.column->type});
  }
  const auto scan = table->scan();
  for (TableBlock block; scan->next(block);) {
    report.rows += block.batch->num_rows();
    for (std::size_t c = 0; c < pairs.size(); ++c) {
      counters[c].count(*block.batch->column(pairs[c].stored), report.columns[c]);
    }
  }
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    ColumnCheck& check = report.columns[c];
    const Outside outside = options.outside.value_or(pairs[c].column->outside);
    check.missing_fits = check.missing == 0 || pairs[c].column->missing;
    check.outside_fits = check.outside == 0 || outside != Outside::refuse;
  }
  report.rows_fit = !schema.rows || *schema.rows == report.rows;
  return report;
}

}  // namespace sosia
