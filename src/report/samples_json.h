// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <sosia/image_samples.h>

namespace sosia::report {

/// The shape, and the bytes of each line in base 64: what images.js draws.
nlohmann::ordered_json samples_json(const ImageSamples& samples);

}  // namespace sosia::report
