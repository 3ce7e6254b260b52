// SPDX-License-Identifier: Apache-2.0
// What can be told of each field by itself, once its noisy counts are there. All of it is post-processing.
#pragma once

#include <cstdint>
#include <vector>

#include "methods/method.h"

namespace sosia {

/// Smooths the singles, lets fall off what noise leaves at ends that are magnitudes away, tells apart what noise lets
/// tell apart (counts of `least` sigmas), and says how many groups of each field stand in order. Fields of at most
/// `few` declared values keep them apart, seen or not. A class of the label that is not seen has no
/// rows, where two are.
std::vector<std::uint32_t> clean_singles(Measurements& measured, const Outline& outline, double least,
                                         std::uint32_t few = 0);

/// Shares of the groups of each field, none of them 0.
std::vector<std::vector<double>> positive_shares(const Measurements& measured);

}  // namespace sosia
