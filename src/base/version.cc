// SPDX-License-Identifier: Apache-2.0
#include <sosia/version.h>

namespace sosia {

const char* version() { return SOSIA_VERSION; }

}  // namespace sosia
