// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sosia/schema.h>

#include "data/codec.h"
#include "data/table_file.h"
#include "generate/measurement.h"
#include "generate/product_mixture.h"

namespace sosia {

/// All of a model. Public facts, releases and what was made from them.
struct ModelContents {
  std::string method;
  std::vector<std::pair<std::string, double>> settings;  ///< every option of the method, with its value
  std::uint64_t seed = 1;
  Schema schema;
  CodecOptions codec;
  std::vector<StoredColumn> stored;  ///< how the table was stored, so that synthetic rows look the same
  std::string statement, certificate;
  Measurements measured;
  std::shared_ptr<const ProductMixture> generator;  ///< null: not trained yet
};

}  // namespace sosia
