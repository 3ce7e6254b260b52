// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "generate/measurement.h"

namespace sosia {

/// Shares of the groups of each field in each class of the label, out[class][field][group], as far as they are known:
/// from the first measurement of the field and the label alone; those of all rows, `shares`, where there is none.
///
/// Counts of a class are its size times its shares, and noise. Shares of classes are taken to vary around common ones,
/// those of a group with a variance proportional to its own share; how much, is estimated from the counts of the field
/// and of all fields together, as far as they vary beyond their noise. What comes out is the mean of shares given the
/// counts: where noise exceeds what classes differ by, they differ little, and a small class less than a large one.
/// Counts as they are would put a small class where none of its rows is: noise in hundreds of columns adds up to a
/// distance from everything.
std::vector<std::vector<std::vector<double>>> class_shares(const Measurements& measured,
                                                           const std::vector<std::vector<double>>& shares);

}  // namespace sosia
