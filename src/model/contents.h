// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sosia/schema.h>

#include "data/codec.h"
#include "generate/generator.h"
#include "generate/released.h"

namespace sosia {

/// All of a model. Public facts, releases and what was made from them.
struct ModelContents {
  std::string method;
  std::vector<std::pair<std::string, double>> settings;  ///< every option of the method, with its value
  std::uint64_t seed = 1;
  Schema schema;
  CodecOptions codec;  ///< tables only
  std::string statement, certificate;
  std::string features = {};  ///< the file of a public feature net, where the method has one
  Released released;
  std::shared_ptr<const Generator> generator;  ///< null: not trained yet
};

inline const Measurements& counts_of(const ModelContents& model) { return std::get<Measurements>(model.released); }
inline Measurements& counts_of(ModelContents& model) { return std::get<Measurements>(model.released); }

/// States of each number of a row: 0 for a pixel, a scalar, and the number of classes for the class at the end.
std::vector<std::uint32_t> row_widths(const ImageSchema& images);
/// How rows are opened up for a net: those of images, or of the model's codec.
OpenRows open_rows_of(const ModelContents& model);
OpenRows open_rows_of(const Codec& codec);
/// The same with the label as one block among others.
OpenRows unlabelled_rows_of(const Codec& codec);

}  // namespace sosia
