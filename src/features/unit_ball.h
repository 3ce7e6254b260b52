// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "features/feature_map.h"

namespace sosia {

/// Rows that are vectors already, whoever made them: the row itself, with 0 for what is negative, and scaled down to
/// norm 1 where it is longer. A row that holds something infinite or undefined is the zero vector. Rows of norm 1 at
/// most and without negative numbers stay as they are, to the bit.
///
/// Norm: at most 1 for any numbers, as what is scaled down is made smaller by 2^-20 more than rounding could make it
/// longer. No entry is negative: the vectors of two rows are at most sqrt(2) apart. What is asked of the rows is that
/// each belongs to one record alone.
std::unique_ptr<FeatureMap> unit_ball(int dim);

}  // namespace sosia
