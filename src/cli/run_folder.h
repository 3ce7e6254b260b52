// SPDX-License-Identifier: Apache-2.0
// Where the results of `sosia run` go: every name in one place.
#pragma once

#include <filesystem>

#include <sosia/schema.h>

namespace sosia::cli {

/// What is for release lies in the folder itself, what is not in a folder below that only its owner may open.
struct RunFolder {
  RunFolder(const std::filesystem::path& folder, const std::filesystem::path& data, const Schema& schema);

  std::filesystem::path root;
  std::filesystem::path model, schema, certificate, synthetic, grid, page;
  std::filesystem::path internal, scores, internal_page;

  /// Throws an io error if it cannot.
  void make() const;
  /// Removes what an interrupted run has left, but for the model: all of it is made from that one.
  void clear() const;
  void make_internal() const;
};

}  // namespace sosia::cli
