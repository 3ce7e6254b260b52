// SPDX-License-Identifier: Apache-2.0
#include "data/output_file.h"

#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace sosia {

OutputFile::OutputFile(const std::filesystem::path& path, Packing packing, bool is_private)
    : path_(path),
      fault_{ErrorKind::io, "the table cannot be written", path == "-" ? "standard output" : path.string(),
             "check that the folder is there, that you may write to it and that the disk is not full"} {
  if (path == "-") {
    const int copy = ::dup(STDOUT_FILENO);
    if (copy < 0) raise(fault_);
    file_ = require(arrow::io::FileOutputStream::Open(copy), fault_);
  } else {
    open_temporary(is_private);
  }
  stream_ = file_;
  if (packing == Packing::none) return;
  const auto type = packing == Packing::gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD;
  codec_ = require(arrow::util::Codec::Create(type, packing == Packing::gzip ? 6 : 3), fault_);  // as the programs do
  stream_ = require(arrow::io::CompressedOutputStream::Make(codec_.get(), file_), fault_);
}

void OutputFile::open_temporary(bool is_private) {
  if (std::error_code error; std::filesystem::is_directory(path_, error)) {
    raise({ErrorKind::io, "there is a folder of this name", path_.string(), "give the table another name"});
  }
  int file = -1;
  for (int i = 0; file < 0 && i < 100; ++i) {
    temporary_ = path_;
    temporary_ += ".part" + std::to_string(::getpid()) + "_" + std::to_string(i);
    file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_private ? 0600 : 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    temporary_.clear();
    raise(fault_);
  }
  auto opened = arrow::io::FileOutputStream::Open(file);
  if (!opened.ok()) {
    ::close(file);
    ::unlink(temporary_.c_str());
  }
  file_ = require(std::move(opened), fault_);
}

OutputFile::~OutputFile() {
  if (done_) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  // Nobody wants the rest; it must not come as an exception either.
  if (stream_) static_cast<void>(stream_->Abort());
  if (file_ && !file_->closed()) static_cast<void>(file_->Close());
}

void OutputFile::commit() {
  if (done_) return;
  // Closing the packing stream closes the file below it, so the disk is asked by another descriptor.
  const int disk = temporary_.empty() ? -1 : ::dup(file_->file_descriptor());
  const arrow::Status closed = stream_->Close();
  const bool synced = temporary_.empty() || (disk >= 0 && ::fsync(disk) == 0);
  if (disk >= 0) ::close(disk);
  require(closed, fault_);
  if (!synced) raise(fault_);
  if (!temporary_.empty()) {
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) raise(fault_);
  }
  done_ = true;
}

}  // namespace sosia
