// SPDX-License-Identifier: Apache-2.0
// Files that are part of the program: the page's own, and the chart library. embedded.s lists them.
#pragma once

#include <string_view>

namespace sosia::report {

std::string_view page_template();
std::string_view page_style();
std::string_view page_scripts();    ///< ours, in the order in which they are to run
std::string_view chart_library();   ///< d3 and Observable Plot
std::string_view chart_licences();  ///< which have to be wherever the library is

}  // namespace sosia::report
