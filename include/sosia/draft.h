// SPDX-License-Identifier: Apache-2.0
// What was read off private rows, until its owner has reviewed it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia {

/// A value that fewer rows hold may point to one person.
inline constexpr std::int64_t kFewRows = 5;

/// A schema of which some facts were read off private rows: as private as these. It becomes a Schema by what its owner
/// confirms; what is left is absent there. Nothing that learns from rows or publishes takes a draft.
class Draft {
 public:
  /// What the owner of the rows sees of them, beside the facts themselves.
  struct Notes {
    /// By column, "" for images: facts that were read off the rows and that nobody has confirmed.
    std::map<std::string, std::vector<Fact>> unreviewed = {};
    std::map<std::string, std::vector<std::string>> rare = {};  ///< by column: values that very few rows hold
    /// Columns that look like the id of somebody with several rows, while nobody has said whose privacy is protected.
    std::vector<std::string> likely_units = {};
  };

  /// All facts declared.
  explicit Draft(Schema declared);
  /// Throws a schema error unless facts and notes make sense.
  Draft(Schema facts, Notes notes, const std::string& where = {});

  /// "column \"age\": bounds", "images: size" for every fact that waits for review. Values, bounds and patterns that
  /// are not there claim nothing.
  std::vector<std::string> unreviewed() const;
  std::vector<Fact> unreviewed_of(const std::string& column) const;

  /// All facts, or those of these kinds, become public by the word of the owner. Returns what was confirmed, each fact
  /// with what it says ("column \"age\": bounds 0 to 110"): for the owner's eyes.
  std::vector<std::string> confirm();
  std::vector<std::string> confirm(std::span<const Fact> facts);
  /// Values among those that `confirm` would make public which very few rows hold: each may point to one person.
  std::vector<std::string> risks(std::span<const Fact> facts) const;

  void set_target(const std::string& column);
  /// Whose privacy is protected; a unit without a column is the single row.
  void set_unit(const PrivacyUnit& unit);

  /// The public facts. What waits for review is absent, and has to be discovered. Throws a schema error if a fact waits
  /// that cannot be discovered (type, precision, pattern, those of images), or if it was not said whose privacy is
  /// protected though a column looks like an id.
  Schema schema() const;
  /// The same, where nothing may wait for review.
  Schema reviewed() const;

  /// Every fact, reviewed or not. Only drafting, checking and what the owner is shown may ask (tools/check_layers.py).
  const Schema& private_facts() const { return facts_; }
  const Notes& notes() const { return notes_; }

 private:
  void check_unit() const;

  Schema facts_;
  Notes notes_;
};

/// Reads and checks a schema file, reviewed or not; the grammar is that of parse_schema.
Draft parse_draft(std::string_view json, const std::string& where);
Draft read_draft(const std::filesystem::path& path);
/// Writes the file for its owner's eyes only. An existing file is touched only if `replace` says so, and then replaced
/// as a whole.
void write_draft(const Draft& draft, const std::filesystem::path& path, bool replace = false);
std::string to_json(const Draft& draft);

struct DraftOptions {
  TableSpelling spelling = {};
  int max_categories = 100;  ///< more values than this are not listed: they are to be discovered privately
};

/// A draft that fits the file. One pass; memory does not grow with the rows. Everything in it was read off the data and
/// is marked so; bounds are rounded outwards, but values and the rest stand as they are.
Draft draft_schema(const std::filesystem::path& file, const DraftOptions& options = {});

/// The numbers, from 1, of columns whose name would do as one of their cells, as where a first row of values was taken
/// for the header.
std::vector<std::int64_t> names_like_values(const Draft& draft);

/// A draft that fits a set of images: the size that its files have, the classes that its labels name.
Draft draft_image_schema(const std::filesystem::path& path, const ImageOptions& options = {});

}  // namespace sosia
