// SPDX-License-Identifier: Apache-2.0
#include "report/embedded.h"

#include <cstddef>

// The names are those of embedded.s.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
extern const char sosia_page_template[], sosia_page_template_end[];
extern const char sosia_page_style[], sosia_page_style_end[];
extern const char sosia_page_scripts[], sosia_page_scripts_end[];
extern const char sosia_chart_library[], sosia_chart_library_end[];
extern const char sosia_chart_licences[], sosia_chart_licences_end[];
}
// NOLINTEND(readability-identifier-naming)

namespace sosia::report {

namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

std::string_view page_template() { return between(sosia_page_template, sosia_page_template_end); }
std::string_view page_style() { return between(sosia_page_style, sosia_page_style_end); }
std::string_view page_scripts() { return between(sosia_page_scripts, sosia_page_scripts_end); }
std::string_view chart_library() { return between(sosia_chart_library, sosia_chart_library_end); }
std::string_view chart_licences() { return between(sosia_chart_licences, sosia_chart_licences_end); }

}  // namespace sosia::report
