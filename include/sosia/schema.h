// SPDX-License-Identifier: Apache-2.0
// What is public about a table, or a set of images, before anybody looks at it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/images.h>
#include <sosia/ledger.h>

namespace sosia {

enum class ColumnType {
  boolean,      ///< two values
  categorical,  ///< one of some values without order
  ordinal,      ///< one of some values, in the order given
  integer,      ///< a whole number
  real,         ///< a number
  date,         ///< a day
  datetime,     ///< a second
  identifier,   ///< tells units apart; never encoded, never copied
  text          ///< free text; never encoded, never copied
};

/// What to do with a value outside the declared bounds or values. Never: widen them.
enum class Outside {
  clamp,  ///< numbers: the nearest bound (default for numbers and dates)
  other,  ///< categories: the value `other` (default for categories)
  refuse  ///< an error with counts over the whole table, which is not used
};

/// How values, true and false, and identifiers stand in a typed file (Parquet, Arrow); text in a CSV file. Numbers and
/// dates stand there as what they are.
enum class Stored { text, integer, boolean };

/// A fact of a schema that somebody must vouch for.
enum class Fact {
  type,       ///< any column: its type and, for dates, its format
  values,     ///< boolean, categorical, ordinal
  bounds,     ///< numbers and dates
  missing,    ///< any column: whether values may be missing
  precision,  ///< real: the decimals
  atoms,      ///< numbers
  edges,      ///< numbers and dates: where bins end
  pattern,    ///< identifier
  size,       ///< images: width, height and channels
  classes     ///< images
};

/// Facts bought from private rows through a ledger: what was promised for them, and by whom.
struct Purchase {
  Promise promise;
  bool has_guarantee = true;     ///< false: under no noise, or under noise that can be reproduced
  std::string ledger_head = {};  ///< of the ledger file after its reservation; empty: it had none
  bool operator==(const Purchase&) const = default;
};

/// A fact that was bought, and under which of Schema::purchases.
struct BoughtFact {
  Fact fact = Fact::values;
  std::size_t purchase = 0;
  bool operator==(const BoughtFact&) const = default;
};

/// What is public about a column. A fact that nobody knows is absent; one without a source was declared by the owner.
struct Column {
  std::string name;
  ColumnType type = ColumnType::categorical;
  /// boolean (false first; "false" and "true" unless said), categorical, ordinal: the values as they are spelled in
  /// the file. Absent: not declared, to be discovered.
  std::optional<std::vector<std::string>> values = {};
  /// integer, real: the bounds; date: days since 1970-01-01; datetime: whole seconds since then, UTC. Absent: to be
  /// discovered.
  std::optional<double> min = {}, max = {};
  /// Values that a number takes with positive probability (a spike at 0), in rising order: kept exact.
  std::vector<double> atoms = {};
  /// Numbers and dates: where one bin ends and the next begins, in rising order, declared or released. Empty: even
  /// bins.
  std::vector<double> edges = {};
  int decimals = 6;              ///< real: digits after the point that mean something, 0 to 15
  std::string unit = {};         ///< for people: "years", "mmHg"
  std::string pattern = {};      ///< identifier: how to make up new ones, '#' a digit, '@' a letter; empty: left out
  std::string format = {};       ///< date, datetime: how the file spells it (strptime); empty: ISO 8601
  bool missing = false;          ///< may be missing
  bool missing_is_open = false;  ///< nobody knows whether cells are missing: to be discovered
  Stored stored = Stored::text;  ///< boolean, categorical, ordinal, identifier
  Outside outside = Outside::clamp;     ///< for categories, `clamp` and `other` are the same
  std::vector<Fact> confirmed = {};     ///< facts that were read off the data, and then confirmed by the owner
  std::vector<BoughtFact> bought = {};  ///< facts that were discovered privately
};

/// Public facts alone. What was read off private rows is a Draft (sosia/draft.h), which becomes a schema by what its
/// owner confirms; all that learns from rows, and all that is published, takes schemas.
struct Schema {
  std::vector<Column> columns;
  std::optional<ImageSchema> images = {};  ///< in the place of columns: every row is an image
  std::string target = {};                 ///< the label or regression target; may be empty
  PrivacyUnit unit = {};
  Neighbors relation = Neighbors::add_remove;
  std::optional<std::int64_t> rows = {};  ///< the number of rows, where it is public: never under add_remove
  std::vector<Purchase> purchases = {};   ///< under which facts of the columns were bought

  const Column* find(std::string_view name) const;
  /// "column \"age\": bounds" for every fact that nobody knows and that a fit needs: it has to be discovered.
  std::vector<std::string> open() const;
};

/// Boolean, categorical or ordinal: one of some values.
bool has_values(ColumnType type) noexcept;
/// Integer, real, date or datetime: between two bounds.
bool has_bounds(ColumnType type) noexcept;
/// Whether columns of this type have such a fact.
bool applies(Fact fact, ColumnType type) noexcept;
/// Whether the fact was discovered privately.
bool is_bought(const Column& column, Fact fact) noexcept;
/// All kinds of facts.
std::span<const Fact> all_facts() noexcept;

/// Reads and checks a schema, of a table or of images as its first key says; errors name the column and the key. The
/// grammar is in src/data/schema_file.cc, docs/schema.md and docs/images.md. Without the key "outside" a column gets
/// `clamp` if it has bounds and `other` if it has values.
/// A draft with facts that wait for review is a schema error.
Schema parse_schema(std::string_view json, const std::string& where);
Schema read_schema(const std::filesystem::path& path);
/// Writes the file for its owner's eyes only. An existing file is never overwritten.
void write_schema(const Schema& schema, const std::filesystem::path& path);
/// As JSON, one line a column; parse_schema gives the same schema back.
std::string to_json(const Schema& schema);
/// Throws a schema error unless the schema makes sense: names unique, bounds in order, target and unit columns known,
/// and so on. `where` is put in front of the place in errors.
void validate(const Schema& schema, const std::string& where = {});

const char* name_of(ColumnType type) noexcept;
const char* name_of(Outside outside) noexcept;
const char* name_of(Fact fact) noexcept;
const char* name_of(Stored stored) noexcept;
/// Back from the name. An unknown name is a usage error that lists the valid ones.
ColumnType column_type_from(std::string_view name);
Outside outside_from(std::string_view name);
Fact fact_from(std::string_view name);
Stored stored_from(std::string_view name);

}  // namespace sosia
