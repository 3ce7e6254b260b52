// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/check.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

class Sha256 {
 public:
  Sha256() {
    SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
    crypto_hash_sha256_init(&state_);
  }
  void add(std::string_view bytes) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }
  std::string hex() {
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
    crypto_hash_sha256_final(&state_, hash.data());
    std::string text;
    for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  crypto_hash_sha256_state state_;
};

/// Whatever lies in the folder has a line, also what is no file: adding something to it must show. Links to folders are
/// not followed, and count as what they are. Names may hold line ends, so their hashes stand for them.
std::string of_folder(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::string list;
  for (const fs::path& path : paths) {
    std::error_code nowhere;  // a link in a circle is no file
    const bool is_link = fs::is_symlink(path);
    const std::string what = fs::is_regular_file(path, nowhere)   ? sha256_of_file(path)
                             : !is_link && fs::is_directory(path) ? "a folder"
                                                                  : "no file";
    list += sha256_of(path.lexically_relative(folder).string()) + " " + what + "\n";
  }
  // So that no file is taken for a folder.
  return "folder:" + sha256_of(list);
}

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_of_file(const fs::path& path) {
  if (fs::is_directory(path)) return of_folder(path);
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::ifstream in(path, std::ios::binary);
  std::string block(kBlock, '\0');
  Sha256 hash;
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (!in.eof() || in.bad()) {
    throw Error(ErrorKind::io, "the file cannot be read", path.string(), "check the path and who may read it");
  }
  return hash.hex();
}

}  // namespace sosia
