// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <sosia/images.h>

#include "features/feature_map.h"

namespace sosia {

/// An image in coarse squares, as a direction: the means a of squares of `side` pixels (what is left over at the edges
/// is a square of its own), divided by sqrt(|a|^2 + 0.03 squares). So nearly all of the norm bound is used by images of
/// any brightness, and yet a brighter image has a longer vector; of black ones nothing is blown up.
///
/// Pixels are from 0 to 1: no entry is negative, and the norm is below 1, as |a|^2 is divided by more than itself. The
/// tensor product with itself, all pairs of squares, is not negative either, and its norm is below 1 as well.
std::unique_ptr<FeatureMap> unit_image(const ImageShape& shape, std::size_t side);

}  // namespace sosia
