// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts and files, in hexadecimal digits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sosia {

std::string sha256_of(std::string_view bytes);

/// Of a file of any size, a block at a time. Of a folder: of the hashes and names of all files in it, in order.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace sosia
