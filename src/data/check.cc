// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <sosia/draft.h>

#include "data/array_reader.h"
#include "data/number_grid.h"
#include "data/open_table.h"
#include "data/table_file.h"
#include "data/unit_hash.h"
#include "data/value_reader.h"

namespace sosia {

namespace {

/// Counts what one column of the file holds, by the readers that the codec has.
class Counter {
 public:
  Counter(const Column& column, const MissingWords& missing) : column_(column), missing_(missing) {
    if (has_bounds(column.type)) grid_.emplace(column);
    if (has_values(column.type)) values_.emplace(column, missing);
  }

  void add(const arrow::Array& cells) {
    if (grid_) {
      read_cells(cells, column_, *grid_, missing_, counts_);
    } else if (values_) {
      values_->read(cells, counts_);
    } else {
      add_texts(cells);
    }
  }

  ColumnCheck check() const {
    return {.name = column_.name,
            .type = column_.type,
            .missing = counts_.missing,
            .outside = counts_.outside,
            .unreadable = counts_.unreadable,
            .missing_fits =
                counts_.missing == 0 || column_.missing || column_.missing_is_open || is_bought(column_, Fact::missing),
            .outside_fits = counts_.outside == 0 || column_.outside != Outside::refuse};
  }

 private:
  /// Identifiers and free text, which the codec does not read.
  void add_texts(const arrow::Array& cells) {
    const TextCells read = read_texts(cells);
    for (std::size_t i = 0; i < read.texts.size(); ++i) {
      if (read.states[i] == CellState::unreadable) {
        // Free text is never learned from: what has no text, such as a nested value, does no harm there.
        if (column_.type != ColumnType::text) ++counts_.unreadable;
      } else if (read.states[i] == CellState::missing || missing_.holds(read.texts[i])) {
        ++counts_.missing;
      }
    }
  }

  const Column& column_;
  const MissingWords& missing_;
  std::optional<NumberGrid> grid_;
  std::optional<ValueReader> values_;
  CellCounts counts_;
};

/// Rows by privacy unit. Takes about 50 bytes a unit.
class UnitCounter {
 public:
  UnitCounter(std::int64_t max_rows, const MissingWords& missing) : max_rows_(max_rows), missing_(missing) {}

  void add(const arrow::Array& cells, UnitCheck& check) {
    ids_.resize(static_cast<std::size_t>(cells.length()));
    check.rows_without += hash_.hash(cells, missing_, ids_);
    for (const std::uint64_t id : ids_) {
      if (id != kNoUnit && rows_[id]++ == max_rows_) ++check.units_above;
    }
  }

 private:
  std::int64_t max_rows_;
  const MissingWords& missing_;
  UnitHash hash_;
  std::unordered_map<std::uint64_t, std::int64_t> rows_;
  std::vector<std::uint64_t> ids_;
};

/// A column of the schema and its place in the file.
struct Pair {
  const Column* column;
  std::size_t stored;
};

/// `stored` are the schema's columns that the file has, and `all` are the file's.
std::vector<Pair> pair_columns(const Schema& schema, const std::vector<StoredColumn>& stored,
                               const std::vector<StoredColumn>& all, CheckReport& report) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < stored.size(); ++i) places.emplace(stored[i].name, i);
  std::vector<Pair> pairs;
  std::set<std::string_view> named;
  for (const Column& column : schema.columns) {
    named.insert(column.name);
    const auto found = places.find(column.name);
    if (found == places.end()) {
      report.absent.push_back(column.name);
    } else {
      pairs.push_back({&column, found->second});
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!named.contains(all[i].name)) report.extra.push_back(static_cast<std::int64_t>(i) + 1);
  }
  return pairs;
}

}  // namespace

bool CheckReport::fits() const {
  return rows_fit && absent.empty() && (!unit || unit->rows_without == 0 || unit->leaves_out) &&
         std::all_of(columns.begin(), columns.end(), [](const ColumnCheck& column) { return column.fits(); });
}

CheckReport check_table(const std::filesystem::path& file, const Draft& draft, const CheckOptions& options) {
  CheckReport report = check_table(file, draft.private_facts(), options);
  report.unreviewed = draft.unreviewed();
  return report;
}

CheckReport check_table(const std::filesystem::path& file, const Schema& declared, const CheckOptions& options) {
  validate(declared);
  Schema schema = declared;
  for (Column& column : schema.columns) column.outside = options.outside.value_or(column.outside);
  const auto table = open_table(file, schema, options.spelling);
  CheckReport report;
  const std::vector<Pair> pairs =
      pair_columns(schema, table->columns(), columns_in(file, schema, options.spelling), report);
  const MissingWords missing(options.spelling.missing_words);
  std::vector<Counter> counters;
  counters.reserve(pairs.size());
  for (const Pair& pair : pairs) counters.emplace_back(*pair.column, missing);
  const auto unit = std::find_if(pairs.begin(), pairs.end(),
                                 [&](const Pair& pair) { return pair.column->name == schema.unit.column; });
  UnitCounter units(schema.unit.max_rows, missing);
  if (unit != pairs.end()) report.unit = UnitCheck{.leaves_out = leaves_out_rows(schema)};
  const auto scan = table->scan();
  for (TableBlock block; scan->next(block);) {
    const auto cells = [&](const Pair& pair) -> const arrow::Array& {
      return *block.batch->column(static_cast<int>(pair.stored));
    };
    report.rows += block.batch->num_rows();
    for (std::size_t c = 0; c < pairs.size(); ++c) counters[c].add(cells(pairs[c]));
    if (unit != pairs.end()) units.add(cells(*unit), *report.unit);
    options.watch(report.rows);
  }
  for (const Counter& counter : counters) report.columns.push_back(counter.check());
  report.rows_fit = !schema.rows || *schema.rows == report.rows;
  return report;
}

}  // namespace sosia
