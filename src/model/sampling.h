// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include <sosia/model.h>

#include "model/contents.h"

namespace sosia {

/// See Model::sample. The model has a generator.
std::int64_t write_samples(const ModelContents& model, const std::filesystem::path& file, const SampleOptions& options);

}  // namespace sosia
