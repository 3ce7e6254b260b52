// SPDX-License-Identifier: Apache-2.0
#include "discovery/survey.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "data/codec.h"
#include "data/encoded_rows.h"
#include "data/private_table.h"
#include "data/unit_hash.h"

namespace sosia {

namespace {

constexpr std::size_t kNoField = std::numeric_limits<std::size_t>::max();

/// Bins are those that a column brings along. Stored types play no part: a column is counted in the schema's own
/// precision.
Codec codec_of(Schema schema, const std::vector<std::string>& missing_words) {
  return Codec(std::move(schema), {.bins = 1, .missing_words = missing_words});
}

}  // namespace

class Survey::Map : public CountMap {
 public:
  Map(std::span<const Slot> slots, std::span<const CountSlot> widths) : slots_(slots), widths_(widths) {}
  std::span<const CountSlot> slots() const override { return widths_; }

  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < slots_.size(); ++j) {
        const Slot& slot = slots_[j];
        const std::uint32_t code = slot.field == kNoField ? 0 : static_cast<std::uint32_t>(rows.row(i)[slot.field]);
        cells.row(i)[j] = code < slot.limit ? code / slot.span : kNoCell;
      }
    }
  }

 private:
  std::span<const Slot> slots_;
  std::span<const CountSlot> widths_;
};

void Survey::add_slot(const Slot& slot) {
  slots_.push_back(slot);
  widths_.push_back({(slot.limit + slot.span - 1) / slot.span, 1.0});
}

void Survey::ask_rows() {
  SOSIA_CHECK(slots_.empty(), "the number of rows is asked for first");
  add_slot({kNoField, 1, 1});
}

std::size_t Survey::ask(const Column& column) {
  const auto states = static_cast<std::uint32_t>(codec_of({.columns = {column}}, {}).fields().front().width);
  answers_.emplace_back(cells(), states);
  add_slot({columns_.size(), 1, states});
  columns_.push_back(column);
  return answers_.size() - 1;
}

std::size_t Survey::ask_tree(const Column& column, const TreeShape& shape) {
  const std::size_t first = cells();
  for (std::size_t level = 0; level < shape.levels(); ++level) {
    add_slot(
        {columns_.size(), static_cast<std::uint32_t>(shape.span(level)), static_cast<std::uint32_t>(shape.leaves())});
  }
  answers_.emplace_back(first, cells() - first);
  columns_.push_back(column);
  return answers_.size() - 1;
}

std::size_t Survey::cells() const {
  std::size_t cells = 0;
  for (const CountSlot& slot : widths_) cells += slot.width;
  return cells;
}

void Survey::hold(const Source& source, const Search& search, const NoisySum& how) {
  const Schema& schema = search.schema;
  Schema asked{.columns = columns_, .unit = schema.unit, .relation = schema.relation};
  const bool has_unit = !schema.unit.column.empty();
  if (has_unit) {
    asked.columns.push_back(
        {.name = schema.unit.column, .type = ColumnType::identifier, .missing = leaves_out_rows(schema)});
  }
  const Codec codec = codec_of(std::move(asked), search.options.spelling.missing_words);
  const PrivateTable table(
      encoded_rows(source.file, codec, has_unit ? std::optional(source.ledger.unit_hash()) : std::nullopt));
  release_ = source.ledger.noisy_counts(table, Map(slots_, widths_), how, source.threads);
}

double Survey::rows() const { return release_->values()[0]; }

std::span<const double> Survey::answer(std::size_t question) const {
  const auto [first, count] = answers_[question];
  return release_->values().subspan(first, count);
}

}  // namespace sosia
