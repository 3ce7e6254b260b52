// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "generate/decoded_generator.h"
#include "generate/embedding.h"
#include "generate/measurement.h"

namespace sosia {

/// All that is known of a private table after its releases: counts, embeddings, or a net that was trained by them.
using Released = std::variant<Measurements, Embeddings, DecodedNet>;

/// The number of rows, about; above 0.
inline double rows_of(const Released& released) {
  return std::visit([](const auto& known) { return known.rows; }, released);
}

}  // namespace sosia
