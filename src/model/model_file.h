// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/contents.h"

namespace sosia {

/// Of the hash at the end of a file.
inline constexpr std::size_t kModelHashBytes = 32;

/// The grammar is in model_file.cc.
std::string model_bytes(const ModelContents& contents);
/// Refuses, with an error that names `where`, what is damaged, cut short, too large or inconsistent.
ModelContents parse_model(std::string_view bytes, const std::string& where);

}  // namespace sosia
