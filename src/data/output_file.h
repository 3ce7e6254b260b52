// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/type_fwd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "data/arrow_guard.h"
#include "data/byte_source.h"

namespace sosia {

/// A file that appears under its name when it is complete: until `commit` it has another name in the same folder, and
/// it is removed if that never comes. "-" is standard output, which has no such thing.
class OutputFile {
 public:
  /// With `is_private`, nobody but the owner may read it.
  OutputFile(const std::filesystem::path& path, Packing packing, bool is_private = false);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where to write: packs by itself.
  const std::shared_ptr<arrow::io::OutputStream>& stream() const { return stream_; }
  /// The words for whatever fails in writing.
  const Fault& fault() const { return fault_; }
  /// Everything to the disk, then the file to its name.
  void commit();

 private:
  void open_temporary(bool is_private);

  std::filesystem::path path_, temporary_;
  Fault fault_;
  std::shared_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::FileOutputStream> file_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  bool done_ = false;
};

}  // namespace sosia
