// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts and files, in hexadecimal digits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sosia {

std::string sha256_of(std::string_view bytes);

/// Of a file of any size, a block at a time. Of a folder: "folder:" and that of the names of all that is in it and of
/// the hashes of files, in order.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace sosia
