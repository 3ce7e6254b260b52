// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "data/byte_source.h"
#include "data/table_file.h"

namespace sosia {

enum class TableFormat { csv, parquet, ipc };

/// What the ending of a file's name says.
struct FileEnding {
  TableFormat format = TableFormat::csv;
  Packing packing = Packing::none;
  char delimiter = ',';
};

/// "-" is CSV. An unknown ending is a usage error that lists the known ones; capitals do not matter.
/// The delimiter is that of the options where they have one.
FileEnding ending_of(const std::filesystem::path& path, const TableOptions& options);

}  // namespace sosia
