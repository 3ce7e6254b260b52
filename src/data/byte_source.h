// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

#include <filesystem>
#include <memory>
#include <string>

namespace sosia {

enum class Packing { none, gzip, zstd };

/// A stream and what unpacks it, which must live as long.
struct ByteStream {
  std::shared_ptr<arrow::util::Codec> codec;
  std::shared_ptr<arrow::io::InputStream> stream;
};

/// Bytes that can be read any number of times: a file, or a buffer in memory. Thread-safe.
class ByteSource {
 public:
  /// The file is opened afresh for every reading; one that is not there is an io error right away.
  explicit ByteSource(const std::filesystem::path& path, Packing packing = Packing::none);
  ByteSource(std::string bytes, std::string name, Packing packing = Packing::none);

  const std::string& name() const { return name_; }
  Packing packing() const { return packing_; }
  /// From the start, unpacked.
  ByteStream stream() const;
  /// As it is stored.
  std::shared_ptr<arrow::io::RandomAccessFile> file() const;

 private:
  std::string name_;
  std::filesystem::path path_;
  std::shared_ptr<arrow::Buffer> memory_;  ///< nothing if the bytes are in the file
  Packing packing_;
};

/// All of standard input. It can be read but once, so it is kept: a table that is piped in can be opened again.
const std::string& standard_input();

}  // namespace sosia
