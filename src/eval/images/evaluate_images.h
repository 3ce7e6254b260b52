// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <sosia/evaluate.h>
#include <sosia/images.h>

namespace sosia::eval {

/// What `evaluate` does for sets of images. Holds them in memory, 4 bytes a pixel, three sets at a time and the
/// holdout.
Scores evaluate_images(const std::filesystem::path& synthetic, const std::filesystem::path& real,
                       const ImageSchema& schema, const EvaluateOptions& options, const EvaluateWatch& watch);

}  // namespace sosia::eval
