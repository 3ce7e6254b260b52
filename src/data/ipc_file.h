// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/byte_source.h"
#include "data/table_file.h"

namespace sosia {

/// Feather (version 2) and Arrow IPC, as a file or as a stream. Memory grows with the record batches that were written.
std::shared_ptr<const TableFile> open_ipc(const ByteSource& source, const TableOptions& options);

}  // namespace sosia
