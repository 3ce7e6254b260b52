// SPDX-License-Identifier: Apache-2.0
// A model of public rows that a private fit starts from: how it codes numbers, and its decoder.
//
// Claim. Whatever a fit takes from the file is declared public by its owner, and so is a constant to the accountant:
// using it costs nothing. That holds for a model of rows that are public, and for one that was fitted under a promise
// of its own to OTHER rows. A model of the private rows themselves is no constant: if it was made without noise,
// nothing is left of the guarantee, and if it was made under noise, both fits add up, in one ledger file. No check can
// tell: the certificate names the file by its hash, for readers to judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sosia/fit.h>
#include <sosia/schema.h>

#include "generate/decoded_generator.h"

namespace sosia {

struct PublicModel {
  Schema schema;       ///< with the edges that its numbers are spread by
  DecodedNet net;      ///< whose last layers are the decoder
  std::string origin;  ///< in one line for a certificate
};

/// A usage error unless the model is one of this method, with a decoder.
PublicModel read_public_model(const std::filesystem::path& path, const std::string& method);

/// The schema with the edges of the public model, so that codes mean the same in both. A schema error names the first
/// column that the two declare otherwise, and what about it.
Schema coded_alike(const Schema& schema, const PublicModel& model);

/// A usage error for a setting that has no effect beside a public model: it was made with its own.
void check_settings_beside(const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace sosia
