// SPDX-License-Identifier: Apache-2.0
// Where the results of `sosia run` go: every name in one place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sosia/schema.h>

namespace sosia::cli {

/// OUTPUT.SUFFIX, also where the output ends in a slash.
std::filesystem::path beside(const std::filesystem::path& output, const char* suffix);

/// All that lies in the folder is for release. What is not lies beside it, in a folder that only its owner may open.
struct RunFolder {
  RunFolder(const std::filesystem::path& folder, const std::filesystem::path& data, const Schema& schema);

  std::filesystem::path root;
  std::filesystem::path model, schema, certificate, synthetic, grid, page;
  std::filesystem::path internal, scores, internal_page;

  /// The names of what is for release and on the disk, without the certificate.
  std::vector<std::string> released() const;
  /// Throws an io error if it cannot.
  void make() const;
  /// Removes what an interrupted run has left, but for the model: all of it is made from that one.
  void clear() const;
  void make_internal() const;
};

}  // namespace sosia::cli
