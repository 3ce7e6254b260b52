// SPDX-License-Identifier: Apache-2.0
// The texts of columns whose values nobody has declared, sealed like a PrivateTable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>

#include "data/private_table.h"
#include "data/table_file.h"
#include "data/unit_hash.h"

namespace sosia {

/// Some consecutive rows.
struct KeyBlock {
  /// A fingerprint of each row's own texts in the place of its contents, which is what the rows of a unit are bounded
  /// by; and the units.
  RowBlock rows;
  std::vector<std::vector<std::string_view>> texts;  ///< by column, one a row; without data() where there is no key
  std::vector<std::shared_ptr<const void>> owners;   ///< of what the texts point into
};

/// One pass over all rows, as RowScan.
class KeyScan {
 public:
  virtual ~KeyScan() = default;
  virtual bool next(KeyBlock& block) = 0;
};

class KeySource {
 public:
  virtual ~KeySource() = default;
  virtual int columns() const = 0;
  virtual bool has_units() const = 0;
  virtual std::unique_ptr<KeyScan> scan() const = 0;
};

class PrivateKeys {
 public:
  /// `row_limit` is public, as that of a PrivateTable.
  explicit PrivateKeys(std::unique_ptr<KeySource> source, std::int64_t row_limit = std::int64_t{1} << 31);

  int columns() const { return source_->columns(); }
  bool has_units() const { return source_->has_units(); }
  std::int64_t row_limit() const { return row_limit_; }

  std::unique_ptr<KeyScan> scan(const TableKey&) const { return source_->scan(); }

 private:
  std::unique_ptr<KeySource> source_;
  std::int64_t row_limit_;
};

/// The texts of these columns, as a schema would list them. Missing cells are no key, nor is what has more than
/// kMostKeyBytes. Where the schema names a unit, the file must have its column; rows without an id are left out or
/// refused, as encoded_rows does it, by the same hash.
std::unique_ptr<KeySource> keys_of(std::shared_ptr<const TableFile> file, std::vector<std::string> columns,
                                   const Schema& schema, const std::vector<std::string>& missing_words,
                                   const UnitHash& hash);
inline constexpr std::size_t kMostKeyBytes = 1000;

}  // namespace sosia
