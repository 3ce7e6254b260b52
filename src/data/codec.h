// SPDX-License-Identifier: Apache-2.0
// Table rows to numbers and back. Both directions in one class, so that they cannot drift apart.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

#include "base/matrix.h"
#include "data/array_reader.h"
#include "data/unit_hash.h"

namespace sosia {

/// How numbers and dates are coded.
enum class NumberCoding {
  bins,   ///< a code: which bin, which atom, or missing
  scaled  ///< a number between the bounds, and a code for atoms and missing where there are any
};

/// What the bounds of a scaled column become.
enum class ScalarRange {
  zero_to_one,      ///< min is 0, max is 1
  minus_one_to_one  ///< min is -1, max is 1
};

/// One number of an encoded row.
struct Field {
  enum class Kind { code, scalar };
  std::string column;
  Kind kind = Kind::code;
  int width = 1;          ///< code: number of states, the encoded number is 0 .. width-1; scalar: 1
  std::string part = {};  ///< of a column with several fields: "position", "low", "state", "month", "weekday", "hour"
  int ordered = 0;        ///< code: the first so many states stand in an order
  int spare = 0;          ///< code: the last so many states, `other` and missing, stand for no declared value
};

struct CodecOptions {
  NumberCoding numbers = NumberCoding::bins;
  int bins = 32;          ///< per numeric column without edges of its own, fewer for columns of few values
  int few = 0;            ///< a column of at most so many values has a bin for each, whatever `bins` says
  bool log_bins = false;  ///< edges even in log(1 + |x|) instead of x
  int levels =
      1;  ///< 2: a second code for the position inside a bin, again of up to `bins` states, where values are many
  ScalarRange range = ScalarRange::zero_to_one;  ///< scaled
  /// Scaled: further scalars ("low") where 24 bits cannot hold the column's precision. Off: one scalar a column, with
  /// equal parts of the range between the column's edges, if it has some.
  bool exact = true;
  /// What decode gives: for CSV files text, spelled as the schema says; for typed files the type that the schema names,
  /// never what some private file had.
  bool typed = false;
  bool calendar = false;  ///< dates: also month, day of the week (and hour) as codes of their own; not read by decode
  /// Text that stands for a missing value, unless it is a declared value of the column.
  std::vector<std::string> missing_words = TableSpelling{}.missing_words;
};

/// What encoding met with, in counts only.
struct Trouble {
  std::vector<CellCounts> columns;  ///< of the schema; as check_table counts them
  std::int64_t rows_without_unit = 0;
  void add(const Trouble& other);
};

/// Built from a schema without open facts: from public and released knowledge alone. Holds no data. docs/codec.md says
/// what becomes of each type of column.
class Codec {
 public:
  /// A schema error names every fact that is open and how to close it.
  explicit Codec(Schema schema, CodecOptions options = {});

  const Schema& schema() const;
  const CodecOptions& options() const;
  std::span<const Field> fields() const;    ///< an encoded row has one number for each
  int width() const;                        ///< the number of fields
  std::optional<int> target_field() const;  ///< the first field of the schema's target
  int draws() const;  ///< uniforms that decode takes a row: one per field, and one per made-up character

  /// One encoded row per row of the batch, which holds the schema's columns by name, in any order and stored type; free
  /// text and identifiers need not be there. What a row becomes depends on that row alone. Values outside follow
  /// Column::outside; all trouble is added to `trouble`, and who calls asks `refuses`. Thread-safe.
  void encode(const arrow::RecordBatch& batch, MatrixView<float> rows, Trouble& trouble) const;

  /// The id of each row's privacy unit, the hash of the unit column's value, or kNoUnit. Rows without an id are added
  /// to `trouble`.
  void encode_units(const arrow::RecordBatch& batch, const UnitHash& hash, std::span<std::uint64_t> units,
                    Trouble& trouble) const;

  /// Whether a row has no unit, where such rows are not left out, or a column that refuses values outside has met some,
  /// unreadable ones, or missing ones that may not be missing. Such rows must not be used.
  bool refuses(const Trouble& trouble) const;
  /// Throws a data error with counts by column if it does.
  void check(const Trouble& trouble, const std::string& where) const;

  /// Rows as a table with the schema's columns, in order; identifiers without a pattern and free text are left out. The
  /// uniforms in [0, 1), draws() a row, place a value inside its bin. Codes out of range are brought into it.
  std::shared_ptr<arrow::RecordBatch> decode(MatrixView<const float> rows, MatrixView<const float> uniforms) const;
  std::shared_ptr<arrow::Schema> table_schema() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace sosia
