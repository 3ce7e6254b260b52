// SPDX-License-Identifier: Apache-2.0
// Tables in files, by Apache Arrow: CSV and TSV (plain, .gz, .zst), Parquet (a file or a folder), Feather / Arrow
// IPC, as files or streams.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sosia/table.h>

namespace sosia {

/// A column as its file knows it. CSV columns are text; the other formats have types of their own.
struct StoredColumn {
  std::string name;
  std::string type;  ///< Arrow's name of the type: "string", "int32", "timestamp[us]", "dictionary<...>"
};

struct TableOptions {
  char delimiter = 0;               ///< CSV: 0 means by the file's ending, ',' or tab
  bool header = true;               ///< CSV: the first line holds names
  Quotes quotes = Quotes::doubled;  ///< CSV
  bool multiline = false;           ///< CSV: cells in quotes may hold line ends
  /// CSV without a header: the names of its columns, all of them; empty: column_1, column_2 and so on.
  std::vector<std::string> names = {};
  std::vector<std::string> columns = {};  ///< read these only, in this order; empty: all
  std::string missing_word = {};          ///< CSV that is written: what a missing cell holds
};

/// Some consecutive rows. Row numbers are the same in every pass.
struct TableBlock {
  std::int64_t first_row = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
};

/// One pass over a table, in row blocks: memory does not grow with the table. `next` may be called from several
/// threads, each with a block of its own: every row comes once, in any order, and after an error every call throws it.
/// Blocks have at least one row and at most about 64k (CSV: about 4 MiB of text), and hold the columns of
/// TableFile::columns in that order, checked to the last value; text may come as a dictionary, in one block and not in
/// the next. Errors name file, line or row group and column, never a cell. A scan may outlive its TableFile.
class TableScan {
 public:
  virtual ~TableScan() = default;
  virtual bool next(TableBlock& block) = 0;
};

/// A table that can be read any number of times. Standard input ("-") is CSV or an Arrow stream, read into memory once.
/// CSV texts come as they stand, empty where nothing stands, never null. Its names may be somebody's values, where the
/// header is missing: errors tell a column that nobody named by its number.
class TableFile {
 public:
  /// By the name's ending: .csv .tsv .txt (also with .gz or .zst), .parquet, .feather .arrow .ipc; a folder is one
  /// table in its .parquet files, in the order of their names. Reads header or metadata only.
  static std::shared_ptr<const TableFile> open(const std::filesystem::path& path, const TableOptions& options = {});
  virtual ~TableFile() = default;
  virtual const std::vector<StoredColumn>& columns() const = 0;
  virtual std::unique_ptr<TableScan> scan() const = 0;
  virtual const std::string& name() const = 0;  ///< for errors
};

/// Writes a table block by block; the format is that of the path's ending, "-" is CSV on standard output. The file
/// appears under its name only when `close` has succeeded, so that an interrupted run leaves nothing half written.
class TableWriter {
 public:
  static std::unique_ptr<TableWriter> create(const std::filesystem::path& path, std::shared_ptr<arrow::Schema> schema,
                                             const TableOptions& options = {});
  virtual ~TableWriter() = default;
  virtual void write(const arrow::RecordBatch& batch) = 0;
  virtual void close() = 0;
};

}  // namespace sosia
