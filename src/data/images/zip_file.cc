// SPDX-License-Identifier: Apache-2.0
// All numbers are little-endian:
//
//   archive   = (member header, bytes, note)*, entry*, end
//   member    = "PK\3\4" version:16 flags:16 method:16 time:32 crc:32 packed:32 size:32 name:16 extra:16, name, extra
//   note      = "PK\7\10" crc:32 packed:32 size:32                      only with flag 8
//   entry     = "PK\1\2" made:16 version:16 flags:16 method:16 time:32 crc:32 packed:32 size:32 name:16 extra:16
//               comment:16 disk:16 attributes:48 header_at:32, name, extra, comment
//   end       = "PK\5\6" disks:32 entries:16 entries:16 directory_size:32 directory_at:32 comment:16, comment
#include "data/images/zip_file.h"

#include <arrow/io/compressed.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <string_view>

#include "data/arrow_guard.h"
#include "data/images/image_records.h"

namespace sosia {

namespace {

constexpr std::string_view kMember = "PK\x03\x04", kNote = "PK\x07\x08", kEntry = "PK\x01\x02", kEnd = "PK\x05\x06";
constexpr std::size_t kMemberSize = 30, kEntrySize = 46, kEndSize = 22, kLongestComment = 0xFFFF;
constexpr std::uint32_t kEncrypted = 1, kWithNote = 8, kStored = 0, kDeflated = 8, kTooLarge = 0xFFFFFFFF;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

void put(std::string& bytes, std::uint32_t number, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i);
}

Fault damaged(const std::string& name) {
  return {ErrorKind::io, "this is no zip archive that can be read, or it is damaged", name,
          "write it again with numpy.savez, or save the arrays as .npy files"};
}

std::string bytes_at(arrow::io::RandomAccessFile& file, std::int64_t at, std::int64_t count, const Fault& fault) {
  const std::int64_t size = require(file.GetSize(), fault);
  if (at < 0 || count < 0 || at > size || count > size - at) raise(fault);
  std::string bytes(static_cast<std::size_t>(count), '\0');
  if (require(file.ReadAt(at, count, bytes.data()), fault) != count) raise(fault);
  return bytes;
}

/// Checksum and sizes, as they stand in members and entries.
void put_sizes(std::string& bytes, const ZipMember& member) {
  put(bytes, member.checksum, 4);
  put(bytes, member.packed_size, 4);
  put(bytes, member.size, 4);
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const ByteSource& source) {
  const Fault fault = damaged(source.name());
  return guarded(fault, [&] {
    const auto file = source.file();
    const std::int64_t size = require(file->GetSize(), fault);
    const auto tail_size = std::min<std::int64_t>(size, kEndSize + kLongestComment);
    const std::string tail = bytes_at(*file, size - tail_size, tail_size, fault);
    const std::size_t end = tail.rfind(kEnd);
    if (end == std::string::npos || tail.size() - end < kEndSize) raise(fault);
    const std::uint32_t entries = number_at(tail, end + 10, 2), directory_size = number_at(tail, end + 12, 4);
    const std::string directory = bytes_at(*file, number_at(tail, end + 16, 4), directory_size, fault);
    std::vector<ZipMember> members;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < entries; ++i) {
      if (directory.size() - at < kEntrySize || !std::string_view(directory).substr(at).starts_with(kEntry))
        raise(fault);
      const std::uint32_t flags = number_at(directory, at + 8, 2), method = number_at(directory, at + 10, 2);
      const std::size_t name = number_at(directory, at + 28, 2);
      const std::size_t rest = name + number_at(directory, at + 30, 2) + number_at(directory, at + 32, 2);
      if ((flags & kEncrypted) != 0 || (method != kStored && method != kDeflated)) raise(fault);
      if (directory.size() - at - kEntrySize < rest) raise(fault);
      members.push_back({.name = directory.substr(at + kEntrySize, name),
                         .is_deflated = method == kDeflated,
                         .checksum = number_at(directory, at + 16, 4),
                         .packed_size = number_at(directory, at + 20, 4),
                         .size = number_at(directory, at + 24, 4),
                         .header_at = number_at(directory, at + 42, 4)});
      if (members.back().size == kTooLarge || members.back().packed_size == kTooLarge) raise(fault);
      at += kEntrySize + rest;
    }
    return members;
  });
}

ByteStream open_zip_member(const ByteSource& source, const ZipMember& member) {
  const Fault fault = damaged(source.name());
  return guarded(fault, [&]() -> ByteStream {
    const std::shared_ptr<arrow::io::RandomAccessFile> file = source.file();
    const std::string header = bytes_at(*file, member.header_at, kMemberSize, fault);
    if (!header.starts_with(kMember)) raise(fault);
    const std::int64_t start =
        std::int64_t{member.header_at} + kMemberSize + number_at(header, 26, 2) + number_at(header, 28, 2);
    if (start + member.packed_size > require(file->GetSize(), fault)) raise(fault);
    auto packed = require(arrow::io::RandomAccessFile::GetStream(file, start, member.packed_size), fault);
    if (!member.is_deflated) return {nullptr, std::move(packed)};
    arrow::util::GZipCodecOptions options;
    options.gzip_format = arrow::util::GZipFormat::DEFLATE;
    std::shared_ptr<arrow::util::Codec> codec =
        require(arrow::util::Codec::Create(arrow::Compression::GZIP, options), fault);
    auto stream = require(arrow::io::CompressedInputStream::Make(codec.get(), packed), fault);
    return {std::move(codec), std::move(stream)};
  });
}

std::string zip_member_start(const std::string& name) {
  std::string bytes(kMember);
  put(bytes, 20, 2);
  put(bytes, kWithNote, 2);
  put(bytes, kStored, 2);
  put(bytes, 0x00210000, 4);  // the first of January 1980
  put_sizes(bytes, {});
  put(bytes, static_cast<std::uint32_t>(name.size()), 2);
  put(bytes, 0, 2);
  return bytes + name;
}

std::string zip_member_end(std::uint32_t sum, std::uint32_t size) {
  std::string bytes(kNote);
  put_sizes(bytes, {.name = {}, .checksum = sum, .packed_size = size, .size = size});
  return bytes;
}

std::string zip_directory(const std::vector<ZipMember>& members, std::uint32_t directory_at) {
  std::string bytes;
  for (const ZipMember& member : members) {
    bytes += kEntry;
    put(bytes, 20, 2);
    put(bytes, 20, 2);
    put(bytes, kWithNote, 2);
    put(bytes, kStored, 2);
    put(bytes, 0x00210000, 4);
    put_sizes(bytes, member);
    put(bytes, static_cast<std::uint32_t>(member.name.size()), 2);
    for (int i = 0; i < 6; ++i) put(bytes, 0, 2);  // extra, comment, disk, attributes
    put(bytes, member.header_at, 4);
    bytes += member.name;
  }
  const auto directory_size = static_cast<std::uint32_t>(bytes.size());
  bytes += kEnd;
  put(bytes, 0, 4);
  put(bytes, static_cast<std::uint32_t>(members.size()), 2);
  put(bytes, static_cast<std::uint32_t>(members.size()), 2);
  put(bytes, directory_size, 4);
  put(bytes, directory_at, 4);
  put(bytes, 0, 2);
  return bytes;
}

}  // namespace sosia
