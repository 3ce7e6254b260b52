// SPDX-License-Identifier: Apache-2.0
// What `sosia report`, `compare` and `run` say about pages on a terminal.
#pragma once

#include <filesystem>
#include <string>

#include <sosia/report.h>

namespace sosia::cli {

/// The verdict on scores, one line an answer.
std::string verdict_text(const Scores& scores);

/// An io error if there is a file of this name.
void refuse_existing(const std::filesystem::path& path);

}  // namespace sosia::cli
