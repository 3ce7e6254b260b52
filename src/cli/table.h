// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sosia::cli {

/// Rows of text in aligned columns, two spaces apart; the first row is the head. Columns whose head starts with '>'
/// are aligned to the right (the '>' is not shown). No trailing spaces. UTF-8 counts by characters.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// A score in a few digits; a dash where there is no value.
std::string score_text(double value);

}  // namespace sosia::cli
