// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/byte_source.h"
#include "data/table_file.h"

namespace sosia {

/// A CSV table. Every column is text, as it stands in the file; in a table of one column an empty line is an empty
/// text, in others empty lines are skipped. Reads the header right away. What a row holds, no other row can change:
/// docs/methods/records.md.
std::shared_ptr<const TableFile> open_csv(const ByteSource& source, const TableOptions& options, char delimiter);

}  // namespace sosia
