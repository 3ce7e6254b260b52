// SPDX-License-Identifier: Apache-2.0
// Cells that a record may hold to do harm, of every type that files store, and tables in memory made of them.
#pragma once

#include <arrow/array.h>
#include <arrow/array/array_run_end.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "data/table_file.h"

namespace sosia::testing {

using Cells = std::vector<std::shared_ptr<arrow::Scalar>>;
using ArrowType = std::shared_ptr<arrow::DataType>;

template <class Value>
std::shared_ptr<arrow::Scalar> cell(const ArrowType& type, Value value) {
  return arrow::MakeScalar(type, value).ValueOrDie();
}
inline std::shared_ptr<arrow::Scalar> text_cell(const ArrowType& type, const std::string& text) {
  return arrow::MakeScalar(type, arrow::Buffer::FromString(text)).ValueOrDie();
}
inline std::shared_ptr<arrow::Scalar> decimal_cell(const ArrowType& type, const std::string& integer) {
  if (type->id() == arrow::Type::DECIMAL128) {
    return std::make_shared<arrow::Decimal128Scalar>(arrow::Decimal128(integer), type);
  }
  return std::make_shared<arrow::Decimal256Scalar>(arrow::Decimal256(integer), type);
}
inline std::shared_ptr<arrow::Scalar> null_cell(const ArrowType& type) { return arrow::MakeNullScalar(type); }

/// How an array holds its cells.
enum class Form { plain, dictionary, runs };
inline constexpr Form kForms[] = {Form::plain, Form::dictionary, Form::runs};

/// A dictionary here lists every cell anew, so that equal ones have several codes.
inline std::shared_ptr<arrow::Array> array_of_cells(const ArrowType& type, const Cells& cells, Form form) {
  if (type->id() == arrow::Type::NA) return std::make_shared<arrow::NullArray>(static_cast<std::int64_t>(cells.size()));
  const auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (const auto& one : cells) SOSIA_CHECK(builder->AppendScalar(*one).ok(), "a cell for a test could not be built");
  const std::shared_ptr<arrow::Array> plain = builder->Finish().ValueOrDie();
  if (form == Form::plain) return plain;
  arrow::Int32Builder places;
  const int first = form == Form::dictionary ? 0 : 1;
  for (int i = 0; i < static_cast<int>(cells.size()); ++i) SOSIA_CHECK(places.Append(first + i).ok(), "no place");
  const std::shared_ptr<arrow::Array> list = places.Finish().ValueOrDie();
  if (form == Form::dictionary) return arrow::DictionaryArray::FromArrays(list, plain).ValueOrDie();
  return arrow::RunEndEncodedArray::Make(static_cast<std::int64_t>(cells.size()), list, plain).ValueOrDie();
}

/// A table in memory, given out in blocks of so many rows at most.
class BatchFile : public TableFile {
 public:
  BatchFile(std::vector<std::shared_ptr<arrow::RecordBatch>> batches, std::int64_t block_rows) {
    std::int64_t row = 0;
    for (const auto& batch : batches) {
      for (std::int64_t at = 0; at < batch->num_rows(); at += block_rows) {
        blocks_.push_back({row + at, batch->Slice(at, block_rows)});
      }
      row += batch->num_rows();
    }
    for (const auto& field : batches.front()->schema()->fields()) {
      columns_.push_back({field->name(), field->type()->ToString()});
    }
  }
  const std::vector<StoredColumn>& columns() const override { return columns_; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<TableScan> scan() const override { return std::make_unique<Scan>(blocks_); }

 private:
  class Scan : public TableScan {
   public:
    explicit Scan(const std::vector<TableBlock>& blocks) : blocks_(blocks) {}
    bool next(TableBlock& block) override {
      const std::size_t at = next_.fetch_add(1);
      if (at < blocks_.size()) block = blocks_[at];
      return at < blocks_.size();
    }

   private:
    const std::vector<TableBlock>& blocks_;
    std::atomic<std::size_t> next_ = 0;
  };

  std::vector<TableBlock> blocks_;
  std::vector<StoredColumn> columns_;
  std::string name_ = "memory";
};

/// Some ordinary cells of a type, and odd ones.
struct TypedCells {
  ArrowType type;
  Cells usual, odd;
};

std::vector<TypedCells> cells_of_every_type();

}  // namespace sosia::testing
