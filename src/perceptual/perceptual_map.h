// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "features/feature_map.h"
#include "perceptual/feature_net.h"

namespace sosia {

struct PerceptualOptions {
  /// 1: the results themselves; 2: their squares as well, scaled apart.
  int moments = 2;
};

/// Perceptual features (Harder, Jalali, Sutherland and Park 2023) of images of the given shape, which are brought to
/// the net's own size and colours first: what each layer of the net that is read makes of an image, scaled to norm 1
/// layer by layer, and side by side. With two moments the squares of the same numbers, scaled to norm 1, follow.
///
/// Norm: each of the `moments` times `layers` pieces has norm 1, or 0 where nothing was seen, times
/// 1 / sqrt(moments * layers); so the norm is at most 1. All entries are made smaller by 2^-20 of themselves, which is
/// more than every rounding. No entry is negative, since relu comes last in every layer and pools keep the sign: the
/// vectors of two images are at most sqrt(2) apart. There is no batch norm: a row's vector depends on that row alone.
std::unique_ptr<FeatureMap> perceptual(const FeatureNet& net, const ImageShape& shape,
                                       const PerceptualOptions& options = {});

}  // namespace sosia
