// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sosia/plan.h>

namespace sosia {

/// The noisy count above which a key is shown, with noise of this sigma, so that the keys that only one unit holds are
/// shown with probability `delta` at most: see door_keys.cc.
double key_threshold(double sigma, int columns, std::int64_t max_rows, Neighbors relation, double delta);

}  // namespace sosia
