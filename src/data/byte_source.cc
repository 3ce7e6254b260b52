// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.h"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/util/compression.h>

#include <system_error>
#include <utility>

#include "data/arrow_guard.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

Fault cannot_read(const std::string& name) {
  return {ErrorKind::io, "the file cannot be read", name, "check that you may read it"};
}

}  // namespace

ByteSource::ByteSource(const fs::path& path, Packing packing) : name_(path.string()), path_(path), packing_(packing) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    raise({ErrorKind::io, "there is no such file", name_, "check the path"});
  }
  if (status.type() != fs::file_type::regular) {
    raise({ErrorKind::io, "this is not a regular file", name_,
           "a table is read more than once: give a file, or pipe a CSV table into \"-\""});
  }
  guarded(cannot_read(name_), [&] { file(); });
}

ByteSource::ByteSource(std::string bytes, std::string name, Packing packing)
    : name_(std::move(name)), memory_(arrow::Buffer::FromString(std::move(bytes))), packing_(packing) {}

std::shared_ptr<arrow::io::RandomAccessFile> ByteSource::file() const {
  if (memory_) return std::make_shared<arrow::io::BufferReader>(memory_);
  return require(arrow::io::ReadableFile::Open(path_.string()), cannot_read(name_));
}

ByteStream ByteSource::stream() const {
  if (packing_ == Packing::none) return {nullptr, file()};
  const auto type = packing_ == Packing::gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD;
  const Fault fault{ErrorKind::internal, "the file cannot be unpacked", name_,
                    "unpack it first: this build of Arrow lacks the format"};
  std::shared_ptr<arrow::util::Codec> codec = require(arrow::util::Codec::Create(type), fault);
  std::shared_ptr<arrow::io::InputStream> unpacked =
      require(arrow::io::CompressedInputStream::Make(codec.get(), file()), fault);
  return {std::move(codec), std::move(unpacked)};
}

}  // namespace sosia
