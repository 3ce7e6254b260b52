// SPDX-License-Identifier: Apache-2.0
// Tables in files: comparing one with its schema, and a made-up one to try things on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

class Draft;  // sosia/draft.h

/// What a quote means in a CSV file.
enum class Quotes {
  doubled,  ///< a cell may stand in quotes; inside, a quote is written twice
  escaped,  ///< a cell may stand in quotes; inside, a quote is written \" and a backslash may be written \\.
  none,     ///< a quote is a character like any other
};

/// How a file spells its table. CSV files only; the other formats say it themselves.
struct TableSpelling {
  char delimiter = 0;  ///< 0: by the file's ending
  Quotes quotes = Quotes::doubled;
  /// Cells in quotes may hold line ends. Without, a row is a line; with, quotes decide where a row ends.
  bool multiline = false;
  std::vector<std::string> missing_words = {"", "NA", "NaN", "null", "NULL", "?"};  ///< what a missing cell holds
  /// The first line holds names. Where it does not, a draft names columns by their place (column_1), and a check takes
  /// the schema's columns in their order.
  bool header = true;
};

struct CheckOptions {
  TableSpelling spelling = {};
  std::optional<Outside> outside = {};  ///< for all columns, in the place of what the schema says
  /// Told now and then how many rows have been read.
  std::function<void(std::int64_t rows)> watch = [](std::int64_t /*rows*/) {};
};

/// What a column of the file holds, in counts. Private, like all counts: for the eyes of the file's owner.
struct ColumnCheck {
  std::string name;
  ColumnType type = ColumnType::categorical;
  std::int64_t missing = 0, outside = 0, unreadable = 0;
  bool missing_fits = true, outside_fits = true;  ///< whether the schema allows them
  bool fits() const { return missing_fits && outside_fits && unreadable == 0; }
};

/// The privacy units of the file, in counts.
struct UnitCheck {
  std::int64_t rows_without = 0;  ///< rows without an id
  bool leaves_out = false;        ///< such rows: the schema says that ids may be missing; else they are refused
  std::int64_t units_above = 0;   ///< units with more rows than max_rows: no more than these are used
};

struct CheckReport {
  std::int64_t rows = 0;
  bool rows_fit = true;              ///< the schema's number of rows, where it says one
  std::vector<ColumnCheck> columns;  ///< in the schema's order, those that the file has
  std::vector<std::string> absent;   ///< columns that the schema has and the file lacks
  /// The other way round, by number from 1: they are never read. Not by name, which may be somebody's value where the
  /// header is missing.
  std::vector<std::int64_t> extra;
  std::vector<std::string> unreviewed;
  std::optional<UnitCheck> unit;  ///< where the schema names a unit column and the file has it
  bool fits() const;
};

/// Does the file agree with the schema? What that leaves open is no misfit. Counts cells as the codec does. One pass;
/// memory does not grow with the rows, but by about 50 bytes for every privacy unit, where the schema names a unit
/// column.
CheckReport check_table(const std::filesystem::path& file, const Schema& schema, const CheckOptions& options = {});
/// The same of all that a draft says, reviewed or not.
CheckReport check_table(const std::filesystem::path& file, const Draft& draft, const CheckOptions& options = {});

/// Throws unless the file is there and has every column of the schema that would be read. Reads the header only: to be
/// called before anything is spent.
void check_header(const std::filesystem::path& file, const Schema& schema, const TableSpelling& spelling = {});

/// Whether the name is that of a set of images: by its ending, and of a folder, by a picture in it.
bool holds_images(const std::filesystem::path& path);

/// What a set of images holds, in counts: for the eyes of its owner.
struct ImageCheck {
  std::int64_t rows = 0;
  bool rows_fit = true;               ///< the schema's number of rows, where it says one
  std::vector<std::int64_t> classes;  ///< images of each class, in the schema's order
  std::vector<std::string> unreviewed;
};

/// Reads all images. Those that do not fit their schema are a data error with counts.
ImageCheck check_images(const std::filesystem::path& path, const Schema& schema, const ImageOptions& options = {});
ImageCheck check_images(const std::filesystem::path& path, const Draft& draft, const ImageOptions& options = {});

struct ExampleOptions {
  std::int64_t rows = 20000;
  std::uint64_t seed = 1;
};

/// Names of the made-up tables and sets of images: "clinic", "shapes". An unknown one is a usage error.
std::vector<std::string> example_names();
/// Writes one; the format is that of the path's ending, "-" is CSV on standard output. The same options give the same
/// file on every machine. No real person is in it.
void write_example(const std::string& name, const std::filesystem::path& file, const ExampleOptions& options = {});
/// Its schema, reviewed: the bounds and values are those that the table was made with.
Schema example_schema(const std::string& name);

}  // namespace sosia
