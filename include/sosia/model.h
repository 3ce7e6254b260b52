// SPDX-License-Identifier: Apache-2.0
// What a fit leaves behind: a file that makes synthetic rows, and says under which guarantee.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

struct ModelContents;  // src/model/contents.h

struct SampleOptions {
  std::int64_t rows = 0;  ///< 0: about as many as the table had, as far as that is public or was released
  std::uint64_t seed = 1;
  int threads = 0;     ///< 0: one per core; the rows do not depend on it
  char delimiter = 0;  ///< CSV only; 0: by the file's ending
  /// (column, value): only rows with these values. Of numbers and dates, the bin that holds the value. Of images, the
  /// column is "class".
  std::vector<std::pair<std::string, std::string>> where = {};
};

/// Everything in it came out of releases or was declared public, so it can be published with its certificate.
class Model {
 public:
  explicit Model(std::shared_ptr<const ModelContents> contents);

  /// A file that is damaged, cut short or made by somebody with bad intentions is an error, never a crash.
  static Model load(const std::filesystem::path& path);
  /// The file is complete and on the disk, or not there; an existing one is touched only if `replace` says so.
  void save(const std::filesystem::path& path, bool replace = false) const;

  const Schema& schema() const;
  const std::string& method() const;
  /// False: the releases are there, but nothing has been trained on them yet.
  bool is_trained() const;
  /// The certificate, for people and as JSON.
  const std::string& statement() const;
  const std::string& certificate() const;

  /// Writes synthetic rows, a block at a time: memory does not grow with them. The format is that of the file's ending,
  /// "-" is CSV on standard output; a name without an ending is a folder of images. The same options give the same
  /// file. Returns the number of rows.
  std::int64_t sample(const std::filesystem::path& file, const SampleOptions& options) const;

  /// Of images: one PNG file with a line of samples for each class, in the order of the schema.
  void sample_grid(const std::filesystem::path& file, std::int64_t columns, const SampleOptions& options) const;

  const ModelContents& contents() const { return *contents_; }

 private:
  std::shared_ptr<const ModelContents> contents_;
};

}  // namespace sosia
