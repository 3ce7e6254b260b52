// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include <sosia/schema.h>
#include <sosia/table.h>

#include "data/table_file.h"

namespace sosia {

/// The file as the schema knows it: without a line of names, its columns are the schema's, in their order.
std::shared_ptr<const TableFile> open_table(const std::filesystem::path& file, const Schema& schema,
                                            const TableSpelling& spelling);

}  // namespace sosia
