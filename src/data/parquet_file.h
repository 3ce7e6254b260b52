// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/table_file.h"

namespace sosia {

/// One table in one or more Parquet files, which must have the same columns; rows are counted in the order of the
/// files. Every thread that reads takes a row group of its own and streams it: memory grows with threads, not with
/// rows.
std::shared_ptr<const TableFile> open_parquet(const std::vector<ByteSource>& sources, const std::string& name,
                                              const TableOptions& options);

}  // namespace sosia
