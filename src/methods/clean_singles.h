// SPDX-License-Identifier: Apache-2.0
// What can be told of each field by itself, once its noisy counts are there. All of it is post-processing.
#pragma once

#include <cstdint>
#include <vector>

#include "methods/method.h"

namespace sosia {

/// Smooths the singles, tells apart what noise lets tell apart (counts of `least` sigmas), and says how many groups of
/// each field stand in order.
std::vector<std::uint32_t> clean_singles(Measurements& measured, const Outline& outline, double least);

/// Shares of the groups of each field, none of them 0.
std::vector<std::vector<double>> positive_shares(const Measurements& measured);

}  // namespace sosia
