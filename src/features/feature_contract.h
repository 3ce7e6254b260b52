// SPDX-License-Identifier: Apache-2.0
// The contract that every feature map keeps. To be run on each of them, in tests.
#pragma once

#include <cstdint>
#include <vector>

#include "features/feature_map.h"

namespace sosia {

std::vector<float> vectors_of(const FeatureMap& map, const std::vector<float>& rows);

/// Rows that the door could see: their vectors keep the bound, to rounding, and their sign where that is promised.
void expect_bound(const FeatureMap& map, const std::vector<float>& rows);

/// To the bit: alone and in another place.
void expect_rows_alone(const FeatureMap& map, const std::vector<float>& rows);

/// The sums by part are those of the vectors, to rounding, and the same bits from any number of threads.
void expect_sums(const FeatureMap& map, std::uint64_t seed);

/// Against central differences, at rows between codes, in several parts; the same bits from any number of threads.
void expect_gradient(const FeatureMap& map, std::uint64_t seed);

}  // namespace sosia
