// SPDX-License-Identifier: Apache-2.0
// Made-up pictures of 8 x 8 pixels: a bar, a ring or a cross, somewhere, of some brightness.
#pragma once

#include <cstdint>
#include <span>

#include <sosia/schema.h>

namespace sosia {

Schema shapes_schema();
/// Writes one picture, pixels and class, which depends on seed and number alone.
void draw_shape(std::uint64_t seed, std::int64_t number, std::span<float> row);

}  // namespace sosia
