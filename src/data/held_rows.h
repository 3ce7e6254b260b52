// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/private_table.h"

namespace sosia {

/// The same rows, read and encoded once, at the first scan, and held in memory from then on: for what goes over them
/// thousands of times. Units are numbered afresh. As sealed as the source it is made from.
std::unique_ptr<RowSource> held_rows(std::unique_ptr<RowSource> source);

}  // namespace sosia
