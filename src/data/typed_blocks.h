// SPDX-License-Identifier: Apache-2.0
// What files with types of their own (Parquet, Arrow IPC) have in common.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/table_file.h"

namespace sosia {

/// Rows of a block: 64k, fewer for wide tables, so that a block has at most 8 million values or 256 rows.
std::int64_t rows_per_block(int columns);

std::vector<StoredColumn> stored_columns(const arrow::Schema& schema, const std::vector<int>& chosen);

/// The batch's columns in this order, checked to the last value: offsets, dictionary codes, UTF-8. A file may
/// be hostile, and what follows trusts its blocks.
std::shared_ptr<arrow::RecordBatch> checked_columns(const arrow::RecordBatch& batch,
                                                    const std::vector<StoredColumn>& columns, const std::string& where);

}  // namespace sosia
