// SPDX-License-Identifier: Apache-2.0
// Small tables for the codec's tests.
#pragma once

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "data/array_reader.h"
#include "data/codec.h"

namespace sosia::testing {

using Texts = std::vector<std::optional<std::string>>;

inline std::shared_ptr<arrow::Array> text_array(const Texts& cells) {
  arrow::StringBuilder builder;
  for (const auto& cell : cells) {
    if (!(cell ? builder.Append(*cell) : builder.AppendNull()).ok()) return nullptr;
  }
  std::shared_ptr<arrow::Array> array;
  return builder.Finish(&array).ok() ? array : nullptr;
}

inline std::shared_ptr<arrow::RecordBatch> batch_of(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays.front()->length(), arrays);
}

/// Encoded rows that own their numbers.
struct Rows {
  std::size_t count = 0, width = 0;
  std::vector<float> values = {};
  Trouble trouble = {};

  MatrixView<float> view() { return {values.data(), count, width}; }
  std::vector<float> row(std::size_t i) const {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
  }
};

inline Rows encoded(const Codec& codec, const arrow::RecordBatch& batch) {
  Rows rows{static_cast<std::size_t>(batch.num_rows()), static_cast<std::size_t>(codec.width())};
  rows.values.resize(rows.count * rows.width);
  codec.encode(batch, rows.view(), rows.trouble);
  return rows;
}

inline std::shared_ptr<arrow::RecordBatch> decoded(const Codec& codec, Rows rows, std::mt19937& random) {
  const auto draws = static_cast<std::size_t>(codec.draws());
  std::vector<float> uniforms(rows.count * draws);
  for (float& u : uniforms) {
    // The ends of the range come often; 1 is outside of it and must do no harm.
    const auto bits = random() >> 8;
    u = bits % 8 == 0   ? 0.0F
        : bits % 8 == 1 ? 0x1.fffffep-1F
        : bits % 8 == 2 ? 1.0F
                        : static_cast<float>(bits) * 0x1p-24F;
  }
  return codec.decode(rows.view(), MatrixView<const float>(uniforms.data(), rows.count, draws));
}

inline Texts texts_of(const arrow::Array& array) {
  const TextCells cells = read_texts(array);
  Texts texts;
  for (std::size_t i = 0; i < cells.texts.size(); ++i) {
    texts.push_back(cells.states[i] == CellState::present ? std::optional(std::string(cells.texts[i])) : std::nullopt);
  }
  return texts;
}

}  // namespace sosia::testing
