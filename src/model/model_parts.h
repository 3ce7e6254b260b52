// SPDX-License-Identifier: Apache-2.0
// What a model file says of releases and generators: a piece of its header, and arrays.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "data/codec.h"
#include "generate/decoded_generator.h"
#include "generate/embedding.h"
#include "generate/measurement.h"
#include "generate/net_generator.h"
#include "generate/product_mixture.h"
#include "model/model_arrays.h"

namespace sosia {

// Counts, and mixtures of products (counts_part.cc).
nlohmann::ordered_json describe(const Measurements& measured);
nlohmann::ordered_json describe(const ProductMixture& mixture);
void put_arrays(const Measurements& measured, std::string& bytes);
void put_arrays(const ProductMixture& mixture, std::string& bytes);
Measurements read_counts(const nlohmann::json& value, const Codec& codec, ModelArrays& arrays);
std::shared_ptr<const ProductMixture> read_mixture(const nlohmann::json& value, const Measurements& measured,
                                                   ModelArrays& arrays);

// Embeddings, and nets (net_part.cc).
nlohmann::ordered_json describe(const Embeddings& embeddings);
nlohmann::ordered_json describe(const NetGenerator& generator);
void put_arrays(const Embeddings& embeddings, std::string& bytes);
void put_arrays(const NetGenerator& generator, std::string& bytes);
Embeddings read_embeddings(const nlohmann::json& value, const OpenRows& rows, ModelArrays& arrays);
/// Of images, `image` is their shape.
std::shared_ptr<const NetGenerator> read_net(const nlohmann::json& value, const OpenRows& rows, const ImageShape* image,
                                             ModelArrays& arrays);

// Nets that were trained under noise (decoded_part.cc). All numbers are the release's; the generator has none of its
// own.
nlohmann::ordered_json describe(const DecodedNet& net);
nlohmann::ordered_json describe(const DecodedGenerator& generator);
void put_arrays(const DecodedNet& net, std::string& bytes);
void put_arrays(const DecodedGenerator& generator, std::string& bytes);
DecodedNet read_decoded(const nlohmann::json& value, const Codec& codec, ModelArrays& arrays);
std::shared_ptr<const DecodedGenerator> read_decoded_generator(const nlohmann::json& value, const DecodedNet& net,
                                                               const Codec& codec, const std::string& where);

}  // namespace sosia
