// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <sosia/schema.h>

#include "data/codec.h"

namespace sosia {

/// Whether every cell of the column came back: missing cells missing, values as they were, numbers and dates to the
/// schema's precision, and where they are binned to the width of a bin.
bool same_cells(const Column& column, const arrow::Array& before, const arrow::Array& after,
                const CodecOptions& options);

}  // namespace sosia
