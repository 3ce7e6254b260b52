// SPDX-License-Identifier: Apache-2.0
#include "data/private_keys.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "data/array_reader.h"

namespace sosia {

namespace {

constexpr std::size_t kLanes = 6;  // of 21 bits, which a float holds exactly

/// Of the texts of one row, and of nothing else.
void fingerprint(const std::vector<std::vector<std::string_view>>& texts, std::size_t row, std::span<float> lanes) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES_MIN);
  for (const auto& column : texts) {
    const std::uint64_t size = column[row].data() == nullptr ? ~std::uint64_t{0} : column[row].size();
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&size), sizeof size);
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(column[row].data()), column[row].size());
  }
  std::array<unsigned char, crypto_generichash_BYTES_MIN> digest;
  crypto_generichash_final(&state, digest.data(), digest.size());
  static_assert(std::tuple_size_v<decltype(digest)> == 2 * sizeof(std::uint64_t));
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), digest.data(), digest.size());
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes[i] = static_cast<float>(halves[i / 3] >> (21 * (i % 3)) & ((1U << 21) - 1));
  }
}

class FileKeys : public KeySource {
 public:
  FileKeys(std::shared_ptr<const TableFile> file, std::vector<std::string> columns, const Schema& schema,
           const std::vector<std::string>& missing_words, const UnitHash& hash)
      : file_(std::move(file)),
        names_(std::move(columns)),
        unit_(schema.unit.column),
        leaves_out_rows_(leaves_out_rows(schema)),
        missing_(missing_words),
        unit_hash_(hash) {}

  int columns() const override { return static_cast<int>(names_.size()); }
  bool has_units() const override { return !unit_.empty(); }
  std::unique_ptr<KeyScan> scan() const override;

 private:
  friend class FileKeyScan;
  std::shared_ptr<const TableFile> file_;
  std::vector<std::string> names_;
  std::string unit_;
  bool leaves_out_rows_;
  MissingWords missing_;
  UnitHash unit_hash_;
};

class FileKeyScan : public KeyScan {
 public:
  explicit FileKeyScan(const FileKeys& keys) : keys_(keys), scan_(keys.file_->scan()) {}

  bool next(KeyBlock& block) override {
    for (TableBlock table; scan_->next(table);) {
      block.owners = {table.batch};
      block.texts.clear();
      for (const std::string& name : keys_.names_) {
        const arrow::Array& cells = column_of(*table.batch, name);
        require_readable(cells, name, keys_.file_->name());
        read_column(cells, block);
      }
      block.rows.first_row = table.first_row;
      add_rows(*table.batch, block);
      if (block.rows.rows.rows > 0) return true;
    }
    return false;
  }

 private:
  const arrow::Array& column_of(const arrow::RecordBatch& batch, const std::string& name) const {
    const int index = batch.schema()->GetFieldIndex(name);
    if (index < 0) {
      throw Error(ErrorKind::data, "the table has no column " + shown(name), keys_.file_->name(),
                  "use the schema that belongs to the table");
    }
    return *batch.column(index);
  }

  void read_column(const arrow::Array& cells, KeyBlock& block) const {
    const auto read = std::make_shared<TextCells>(read_texts(cells));
    for (std::size_t i = 0; i < read->texts.size(); ++i) {
      std::string_view& text = read->texts[i];
      if (read->states[i] != CellState::present || keys_.missing_.holds(text) || text.empty() ||
          text.size() > kMostKeyBytes) {
        text = {};
      }
    }
    block.texts.push_back(std::move(read->texts));
    block.owners.push_back(read);
  }

  void add_rows(const arrow::RecordBatch& batch, KeyBlock& block) const {
    RowBlock& rows = block.rows;
    auto count = static_cast<std::size_t>(batch.num_rows());
    rows.unit_buffer.resize(keys_.has_units() ? count : 0);
    if (keys_.has_units()) count = add_units(batch, block);
    rows.row_buffer.assign(count * kLanes, 0.0F);
    const MatrixView<float> lanes(rows.row_buffer.data(), count, kLanes);
    if (keys_.has_units()) {
      for (std::size_t i = 0; i < count; ++i) fingerprint(block.texts, i, lanes.row(i));
    }
    rows.rows = lanes;
    rows.units = rows.unit_buffer;
  }

  /// Returns the number of rows that have an id; the others are left out, in order, or refused.
  std::size_t add_units(const arrow::RecordBatch& batch, KeyBlock& block) const {
    std::vector<std::uint64_t>& units = block.rows.unit_buffer;
    const std::int64_t without = keys_.unit_hash_.hash(column_of(batch, keys_.unit_), keys_.missing_, units);
    if (without == 0) return units.size();
    if (!keys_.leaves_out_rows_) {
      throw Error(ErrorKind::data, "some rows have no id of their privacy unit", keys_.file_->name(),
                  "give every row an id, or protect single rows; \"missing\": true of the column leaves them out");
    }
    for (auto& texts : block.texts) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i] != kNoUnit) texts[kept++] = texts[i];
      }
      texts.resize(kept);
    }
    std::erase(units, kNoUnit);
    return units.size();
  }

  const FileKeys& keys_;
  std::unique_ptr<TableScan> scan_;
};

std::unique_ptr<KeyScan> FileKeys::scan() const { return std::make_unique<FileKeyScan>(*this); }

}  // namespace

PrivateKeys::PrivateKeys(std::unique_ptr<KeySource> source, std::int64_t row_limit)
    : source_(std::move(source)), row_limit_(row_limit) {
  SOSIA_CHECK(source_ != nullptr && source_->columns() >= 1 && row_limit >= 1, "private keys need a source of columns");
}

std::unique_ptr<KeySource> keys_of(std::shared_ptr<const TableFile> file, std::vector<std::string> columns,
                                   const Schema& schema, const std::vector<std::string>& missing_words,
                                   const UnitHash& hash) {
  return std::make_unique<FileKeys>(std::move(file), std::move(columns), schema, missing_words, hash);
}

}  // namespace sosia
