// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

#include "data/table_file.h"

namespace sosia {

/// How the file is to be opened, by what its owner says of it.
TableOptions table_options(const TableSpelling& spelling);

/// The file as the schema knows it: without a line of names, its columns are the schema's, in their order. Of its
/// columns it has those that the schema names. The others are not read, and nothing in them can refuse the file (save,
/// in CSV, what makes its lines unreadable); but a file in which the schema finds none of its columns has them all.
std::shared_ptr<const TableFile> open_table(const std::filesystem::path& file, const Schema& schema,
                                            const TableSpelling& spelling);

/// All columns that the file has, by its header or metadata.
std::vector<StoredColumn> columns_in(const std::filesystem::path& file, const Schema& schema,
                                     const TableSpelling& spelling);

}  // namespace sosia
