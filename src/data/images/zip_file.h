// SPDX-License-Identifier: Apache-2.0
// Zip archives as NumPy writes them: stored or deflated members, no encryption, below 4 GiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/byte_source.h"

namespace sosia {

struct ZipMember {
  std::string name;
  bool is_deflated = false;
  std::uint32_t checksum = 0, packed_size = 0, size = 0;
  std::uint32_t header_at = 0;  ///< of the member's own header in the file
};

/// The directory of the archive.
std::vector<ZipMember> read_zip_directory(const ByteSource& file);
/// The member's bytes, unpacked. Who reads them checks size and checksum.
ByteStream open_zip_member(const ByteSource& file, const ZipMember& member);

/// A member's header, to be followed by its bytes as they are; then a note of their size.
std::string zip_member_start(const std::string& name);
std::string zip_member_end(std::uint32_t checksum, std::uint32_t size);
/// What ends an archive of stored members; `directory_at` is the number of bytes before it.
std::string zip_directory(const std::vector<ZipMember>& members, std::uint32_t directory_at);

}  // namespace sosia
