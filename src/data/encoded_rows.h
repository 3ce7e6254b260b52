// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "data/codec.h"
#include "data/private_table.h"
#include "data/table_file.h"
#include "data/unit_hash.h"

namespace sosia {

/// The file's rows, encoded block by block by whoever asks for the next one: memory does not grow with the table. With
/// a hash for units, the file must have the schema's unit column; rows without an id are left out where leaves_out_rows
/// says so, and else refused. Rows that the codec refuses make `next` throw a data error with counts by column over the
/// whole file, for which the file is read once more; then no further block is given.
std::unique_ptr<RowSource> encoded_rows(std::shared_ptr<const TableFile> file, Codec codec,
                                        const std::optional<UnitHash>& units);

}  // namespace sosia
