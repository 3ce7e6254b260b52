// SPDX-License-Identifier: Apache-2.0
// Maps of images that are seen coarsely (features/squares.h).
#pragma once

#include <memory>

#include <sosia/images.h>

#include "features/feature_map.h"

namespace sosia {

/// An image in squares of `side` pixels, as a direction: their means a, divided by sqrt(|a|^2 + 0.03 squares). So
/// nearly all of the norm bound is used by images of any brightness, and yet a brighter image has a longer vector; of
/// black ones nothing is blown up.
///
/// Pixels are from 0 to 1: no entry is negative, and the norm is below 1, as |a|^2 is divided by more than itself. The
/// tensor product with itself, all pairs of squares, is not negative either, and its norm is below 1 as well.
std::unique_ptr<FeatureMap> unit_image(const ImageShape& shape, std::size_t side);

/// A map of the squares in the place of the pixels: means of numbers from 0 to 1 are such numbers too, so that the
/// bound is the map's.
std::unique_ptr<FeatureMap> of_squares(const ImageShape& shape, std::size_t side, std::unique_ptr<FeatureMap> map);

}  // namespace sosia
