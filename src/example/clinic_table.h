// SPDX-License-Identifier: Apache-2.0
// The clinic's visits as a table.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include <sosia/schema.h>

#include "example/clinic.h"

namespace sosia {

Schema clinic_schema();
std::shared_ptr<arrow::Schema> clinic_fields();
std::shared_ptr<arrow::RecordBatch> clinic_batch(const std::vector<Visit>& visits);

}  // namespace sosia
