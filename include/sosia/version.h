// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sosia {

/// The version of the library, "major.minor.patch".
const char* version();

}  // namespace sosia
