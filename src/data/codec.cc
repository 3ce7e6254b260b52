// SPDX-License-Identifier: Apache-2.0
#include "data/codec.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "data/array_builder.h"
#include "data/column_code.h"

namespace sosia {

namespace {

constexpr int kMostStates = 1 << 24;  // a float holds every whole number up to it
constexpr int kMostBins = 1 << 20;
constexpr std::size_t kMostNamed = 20;  // columns in one error

void check_options(const CodecOptions& options) {
  if (options.bins < 1 || options.bins > kMostBins || options.levels < 1 || options.levels > 2) {
    throw Error(ErrorKind::usage, "the number of bins or of their levels is out of range", "CodecOptions",
                "pass 1 to 1048576 bins in 1 or 2 levels");
  }
}

void check_complete(const Schema& schema) {
  const std::vector<std::string> open = schema.open();
  if (open.empty()) return;
  throw Error(ErrorKind::schema, "the schema leaves facts open", listed(open),
              "declare them, or let them be discovered privately");
}

std::unique_ptr<ColumnCode> make_code(const CodeRecipe& recipe) {
  switch (recipe.column.type) {
    case ColumnType::boolean:
    case ColumnType::categorical:
    case ColumnType::ordinal:
      return category_code(recipe);
    case ColumnType::integer:
    case ColumnType::real:
    case ColumnType::date:
    case ColumnType::datetime:
      return number_code(recipe);
    default:
      return identifier_code(recipe);
  }
}

const arrow::Array& column_of(const arrow::RecordBatch& batch, const std::string& name) {
  const std::vector<int> found = batch.schema()->GetAllFieldIndices(name);
  if (found.size() != 1) {
    throw Error(ErrorKind::data,
                "the table has " + std::string(found.empty() ? "no" : "more than one") + " column \"" + name + "\"",
                "encoding", "use the schema that belongs to the table, or name its columns apart");
  }
  return *batch.column(found[0]);
}

bool is_refused(const Column& column, const CellCounts& counts) {
  const std::int64_t missing = column.missing ? 0 : counts.missing;
  return column.outside == Outside::refuse && counts.outside + counts.unreadable + missing > 0;
}

template <class T>
MatrixView<T> part_of(MatrixView<T> rows, std::size_t first, std::size_t count) {
  return {rows.data + first, rows.rows, count, rows.stride};
}

}  // namespace

/// Codes point into schema, options and missing words, so a state stays where it is made.
struct Codec::State {
  State(Schema schema_, CodecOptions options_)
      : schema(std::move(schema_)), options(std::move(options_)), missing(options.missing_words) {
    for (const Column& column : schema.columns) {
      codes.push_back(make_code({column, options, missing}));
      const ColumnCode& code = *codes.back();
      first_field.push_back(fields.size());
      first_draw.push_back(draws);
      draws += static_cast<std::size_t>(code.draws());
      for (const Field& field : code.fields()) {
        fields.push_back(field);
        if (field.width <= kMostStates) continue;
        throw Error(ErrorKind::schema, "column \"" + column.name + "\" has too many states", "schema",
                    "declare fewer values or use fewer bins");
      }
      if (code.type()) table_fields.push_back(arrow::field(column.name, code.type()));
    }
  }

  std::size_t width_of(std::size_t column) const {
    return (column + 1 < first_field.size() ? first_field[column + 1] : fields.size()) - first_field[column];
  }

  Schema schema;
  CodecOptions options;
  MissingWords missing;
  std::vector<std::unique_ptr<ColumnCode>> codes;
  std::vector<Field> fields;
  std::vector<std::size_t> first_field, first_draw;  ///< by column
  std::size_t draws = 0;
  arrow::FieldVector table_fields;
};

void Trouble::add(const Trouble& other) {
  columns.resize(std::max(columns.size(), other.columns.size()));
  for (std::size_t i = 0; i < other.columns.size(); ++i) {
    columns[i].missing += other.columns[i].missing;
    columns[i].outside += other.columns[i].outside;
    columns[i].unreadable += other.columns[i].unreadable;
  }
  rows_without_unit += other.rows_without_unit;
}

Codec::Codec(Schema schema, CodecOptions options) {
  validate(schema);
  check_options(options);
  check_complete(schema);
  state_ = std::make_shared<const State>(std::move(schema), std::move(options));
}

const Schema& Codec::schema() const { return state_->schema; }
const CodecOptions& Codec::options() const { return state_->options; }
std::span<const Field> Codec::fields() const { return state_->fields; }
std::optional<int> Codec::target_field() const {
  const std::span<const Field> list = fields();
  for (std::size_t f = 0; f < list.size(); ++f) {
    if (list[f].column == schema().target) return static_cast<int>(f);
  }
  return std::nullopt;
}

int Codec::width() const { return static_cast<int>(state_->fields.size()); }
int Codec::draws() const { return static_cast<int>(state_->draws); }

void Codec::encode(const arrow::RecordBatch& batch, MatrixView<float> rows, Trouble& trouble) const {
  SOSIA_CHECK(rows.rows == static_cast<std::size_t>(batch.num_rows()) && rows.cols == state_->fields.size(),
              "the encoded rows have the wrong shape");
  trouble.columns.resize(std::max(trouble.columns.size(), state_->codes.size()));
  for (std::size_t c = 0; c < state_->codes.size(); ++c) {
    const std::size_t width = state_->width_of(c);
    if (width == 0) continue;
    const arrow::Array& cells = column_of(batch, state_->schema.columns[c].name);
    state_->codes[c]->encode(cells, part_of(rows, state_->first_field[c], width), trouble.columns[c]);
  }
}

void Codec::encode_units(const arrow::RecordBatch& batch, const UnitHash& hash, std::span<std::uint64_t> units,
                         Trouble& trouble) const {
  const std::string& name = state_->schema.unit.column;
  SOSIA_CHECK(!name.empty() && units.size() == static_cast<std::size_t>(batch.num_rows()),
              "there is no unit column, or the ids have the wrong shape");
  trouble.rows_without_unit += hash.hash(column_of(batch, name), state_->missing, units);
}

bool Codec::refuses(const Trouble& trouble) const {
  if (trouble.rows_without_unit > 0 && !leaves_out_rows(state_->schema)) return true;
  for (std::size_t c = 0; c < trouble.columns.size(); ++c) {
    if (is_refused(state_->schema.columns[c], trouble.columns[c])) return true;
  }
  return false;
}

void Codec::check(const Trouble& trouble, const std::string& where) const {
  if (trouble.rows_without_unit > 0 && !leaves_out_rows(state_->schema)) {
    throw Error(
        ErrorKind::data,
        "column " + shown(state_->schema.unit.column) + " tells whose rows they are, and is missing in some",
        where + ", " + std::to_string(trouble.rows_without_unit) + " rows",
        "remove these rows, or give them the id that they belong to; \"missing\": true of the column leaves them out");
  }
  std::string counts;
  std::size_t refused = 0;
  for (std::size_t c = 0; c < trouble.columns.size(); ++c) {
    const Column& column = state_->schema.columns[c];
    if (!is_refused(column, trouble.columns[c]) || ++refused > kMostNamed) continue;
    const auto& [missing, outside, unreadable] = trouble.columns[c];
    counts += ", column " + shown(column.name) + ": " + std::to_string(outside) + " outside, " +
              std::to_string(unreadable) + " unreadable, " + std::to_string(missing) + " missing";
  }
  if (refused == 0) return;
  if (refused > kMostNamed) counts += " and " + std::to_string(refused - kMostNamed) + " more columns";
  throw Error(ErrorKind::data, "columns hold values outside what the schema declares, and are to refuse them",
              where + counts + " (values withheld: private)",
              "correct the table or the schema, or choose \"clamp\" or \"other\" for values outside");
}

std::shared_ptr<arrow::RecordBatch> Codec::decode(MatrixView<const float> rows,
                                                  MatrixView<const float> uniforms) const {
  SOSIA_CHECK(rows.cols == state_->fields.size() && uniforms.cols == state_->draws && uniforms.rows == rows.rows,
              "the rows or the uniforms have the wrong shape");
  arrow::ArrayVector arrays;
  for (std::size_t c = 0; c < state_->codes.size(); ++c) {
    const ColumnCode& code = *state_->codes[c];
    if (!code.type()) continue;
    const auto draws = static_cast<std::size_t>(code.draws());
    arrays.push_back(code.decode(part_of(rows, state_->first_field[c], state_->width_of(c)),
                                 part_of(uniforms, state_->first_draw[c], draws)));
  }
  return arrow::RecordBatch::Make(table_schema(), static_cast<std::int64_t>(rows.rows), std::move(arrays));
}

std::shared_ptr<arrow::Schema> Codec::table_schema() const { return arrow::schema(state_->table_fields); }

}  // namespace sosia
