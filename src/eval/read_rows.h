// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

#include "base/thread_pool.h"
#include "data/codec.h"
#include "data/number_grid.h"
#include "data/table_file.h"
#include "eval/rows.h"

namespace sosia::eval {

/// Reads several tables in one and the same way, that of the codec: the real one decides about bins and precision.
class RowReader {
 public:
  /// Numbers with at most 128 values get a bin for each; others the schema's edges or, where it has none, `bins` bins
  /// of about the same number of real rows, for which the file is read once. Facts of the schema need no review here:
  /// scores are internal anyway.
  RowReader(const Schema& schema, const TableFile& real, const TableSpelling& spelling, int bins, ThreadPool& pool);

  const Outline& outline() const { return outline_; }
  /// A data error, with counts by column, if the table lacks a column or has cells that are not of its type.
  Rows read(const TableFile& file, ThreadPool& pool) const;

 private:
  struct Piece;
  struct NumberReader {
    Column column;
    NumberGrid grid;
  };

  std::vector<double> read_numbers(const arrow::RecordBatch& batch, std::size_t column) const;
  Piece read_block(const TableBlock& block, Trouble& trouble) const;
  void check(const Trouble& trouble, const TableFile& file) const;
  void find_edges(Schema& schema, const TableFile& real, int bins, ThreadPool& pool) const;
  void describe();

  MissingWords missing_;
  std::vector<std::unique_ptr<NumberReader>> numbers_;  ///< by column of the schema; null for others
  std::unique_ptr<Codec> codec_;
  std::vector<std::size_t> places_;  ///< of the outline's columns in the schema
  Outline outline_;
};

}  // namespace sosia::eval
