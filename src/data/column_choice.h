// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sosia {

/// Where the wanted columns are among the names: all if none is wanted by name. Refuses names that occur twice, that
/// are not UTF-8, and wanted ones that are not there or wanted twice. Errors show no name but wanted ones.
std::vector<int> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted,
                                const std::string& file);

}  // namespace sosia
