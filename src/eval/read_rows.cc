// SPDX-License-Identifier: Apache-2.0
#include "eval/read_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/json_reader.h"
#include "data/number_grid.h"
#include "eval/quantile_edges.h"

namespace sosia::eval {

namespace {

constexpr int kFewValues = 128;  // a column of at most so many values has a bin for each

bool is_read(const Column& column) { return has_values(column.type) || has_bounds(column.type); }

void check_columns(const Schema& schema, const TableFile& file) {
  std::vector<std::string> absent;
  for (const Column& column : schema.columns) {
    const auto has_name = [&](const StoredColumn& stored) { return stored.name == column.name; };
    if (is_read(column) && std::none_of(file.columns().begin(), file.columns().end(), has_name)) {
      absent.push_back(shown(column.name));
    }
  }
  if (absent.empty()) return;
  throw Error(ErrorKind::data, fmt::format("the table lacks columns of the schema: {}", listed(absent)), file.name(),
              "give the schema that all tables have in common; a CSV file without a line of names needs --no-header");
}

/// Every thread takes the next block until there is none.
template <class Work>
void for_blocks(const TableFile& file, ThreadPool& pool, const Work& work) {
  const auto scan = file.scan();
  pool.run([&](int) {
    for (TableBlock block; scan->next(block);) work(block);
  });
}

}  // namespace

struct RowReader::Piece {
  std::int64_t first_row = 0;
  Rows rows;
};

RowReader::RowReader(const Schema& declared, const TableFile& real, const TableSpelling& spelling, int bins,
                     ThreadPool& pool)
    : missing_(spelling.missing_words) {
  Schema schema = declared;
  // Real cells may be missing where a private discovery has found none.
  for (Column& column : schema.columns) column.missing = column.missing || is_bought(column, Fact::missing);
  check_columns(schema, real);
  const CodecOptions options{.bins = bins, .few = kFewValues, .missing_words = spelling.missing_words};
  const Codec complete(schema, options);  // throws, before a row is read, with every fact that is open
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const Column& column = schema.columns[c];
    numbers_.emplace_back();
    if (is_read(column)) places_.push_back(c);
    if (!has_bounds(column.type)) continue;
    numbers_.back() = std::make_unique<NumberReader>(NumberReader{column, NumberGrid(column)});
  }
  if (places_.empty()) {
    throw Error(ErrorKind::schema, "the schema has no column that can be compared", "schema",
                "declare at least one column that is neither an identifier nor free text");
  }
  find_edges(schema, real, bins, pool);
  codec_ = std::make_unique<Codec>(schema, options);
  describe();
}

void RowReader::describe() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Column& column = codec_->schema().columns[places_[i]];
    const Field& field = codec_->fields()[i];  // bins of one level: one field a column
    ColumnOutline outline{.name = column.name,
                          .type = column.type,
                          .states = static_cast<std::uint32_t>(field.width),
                          .may_be_missing = column.missing};
    if (has_bounds(column.type)) {
      outline.range = *column.max - *column.min;
    } else {
      outline.labels = column.values.value_or(std::vector<std::string>{"false", "true"});
      outline.values = static_cast<std::uint32_t>(outline.labels.size());
      const std::uint32_t spoken = outline.states - (column.missing ? 1 : 0);
      if (outline.labels.size() < spoken) outline.labels.emplace_back("(other)");
      if (column.missing) outline.labels.emplace_back("(missing)");
    }
    outline_.push_back(std::move(outline));
  }
}

std::vector<double> RowReader::read_numbers(const arrow::RecordBatch& batch, std::size_t column) const {
  const NumberReader& reader = *numbers_[column];
  CellCounts counts;  // the codec counts them for us
  const auto cells = batch.GetColumnByName(reader.column.name);
  std::vector<double> values;
  for (const GridCell& cell : read_cells(*cells, reader.column, reader.grid, missing_, counts)) {
    const bool is_missing = cell.state == GridCell::kMissing;
    values.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : reader.grid.value(cell.number));
  }
  return values;
}

void RowReader::find_edges(Schema& schema, const TableFile& real, int bins, ThreadPool& pool) const {
  std::vector<std::size_t> wide;
  for (const std::size_t c : places_) {
    const bool is_wide = numbers_[c] && numbers_[c]->grid.size() > kFewValues && schema.columns[c].edges.empty();
    if (is_wide) wide.push_back(c);
  }
  if (wide.empty()) return;
  std::vector<std::vector<double>> values(schema.columns.size());
  std::mutex mutex;
  for_blocks(real, pool, [&](const TableBlock& block) {
    for (const std::size_t c : wide) {
      const std::vector<double> read = read_numbers(*block.batch, c);
      const std::lock_guard lock(mutex);
      values[c].insert(values[c].end(), read.begin(), read.end());
    }
  });
  for (const std::size_t c : wide)
    schema.columns[c].edges = quantile_edges(std::move(values[c]), schema.columns[c], bins);
}

RowReader::Piece RowReader::read_block(const TableBlock& block, Trouble& trouble) const {
  const auto count = static_cast<std::size_t>(block.batch->num_rows());
  const std::size_t width = outline_.size();
  std::vector<float> encoded(count * width);
  codec_->encode(*block.batch, MatrixView<float>(encoded.data(), count, width), trouble);
  Piece piece{.first_row = block.first_row, .rows = {.count = count, .codes = {}, .numbers = {}}};
  for (std::size_t c = 0; c < width; ++c) {
    auto& codes = piece.rows.codes.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<std::uint32_t>(encoded[i * width + c]);
    auto& numbers = piece.rows.numbers.emplace_back();
    if (outline_[c].is_number()) numbers = read_numbers(*block.batch, places_[c]);
  }
  return piece;
}

Rows RowReader::read(const TableFile& file, ThreadPool& pool) const {
  check_columns(codec_->schema(), file);
  std::vector<Piece> pieces;
  Trouble trouble;
  std::mutex mutex;
  for_blocks(file, pool, [&](const TableBlock& block) {
    Trouble met;
    Piece piece = read_block(block, met);
    const std::lock_guard lock(mutex);
    trouble.add(met);
    pieces.push_back(std::move(piece));
  });
  check(trouble, file);
  // Threads finish in any order; rows keep that of the file.
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.first_row < b.first_row; });
  Rows rows;
  rows.codes.resize(outline_.size());
  rows.numbers.resize(outline_.size());
  for (const Piece& piece : pieces) rows.count += piece.rows.count;
  for (std::size_t c = 0; c < outline_.size(); ++c) {
    rows.codes[c].reserve(rows.count);
    if (outline_[c].is_number()) rows.numbers[c].reserve(rows.count);
    for (Piece& piece : pieces) {
      const auto codes = std::move(piece.rows.codes[c]);  // freed column by column
      rows.codes[c].insert(rows.codes[c].end(), codes.begin(), codes.end());
      const auto numbers = std::move(piece.rows.numbers[c]);
      rows.numbers[c].insert(rows.numbers[c].end(), numbers.begin(), numbers.end());
    }
  }
  if (rows.count > 0) return rows;
  throw Error(ErrorKind::data, "the table has no rows", file.name(), "give a table with at least one row");
}

void RowReader::check(const Trouble& trouble, const TableFile& file) const {
  codec_->check(trouble, file.name());
  std::vector<std::string> wrong;
  for (std::size_t c = 0; c < trouble.columns.size(); ++c) {
    const Column& column = codec_->schema().columns[c];
    const CellCounts& counts = trouble.columns[c];
    if (counts.unreadable > 0) {
      wrong.push_back(fmt::format("{}: {} no {}", shown(column.name), counts.unreadable, name_of(column.type)));
    } else if (has_bounds(column.type) && !column.missing && counts.missing > 0) {
      wrong.push_back(fmt::format("{}: {} missing", shown(column.name), counts.missing));
    }
  }
  if (wrong.empty()) return;
  throw Error(ErrorKind::data, "the table has cells that do not fit the schema",
              fmt::format("{}, column {} (values withheld: private)", file.name(), listed(wrong)),
              "compare the table with the schema by `sosia check`, and correct one of them");
}

}  // namespace sosia::eval
