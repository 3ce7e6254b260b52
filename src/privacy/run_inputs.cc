// SPDX-License-Identifier: Apache-2.0
// Fingerprints of what a run depends on: BLAKE2b-256 of bytes.
#include <sodium.h>

#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/run_file.h>
#include <sosia/version.h>

#include "data/byte_source.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

class Fingerprint {
 public:
  Fingerprint() { crypto_generichash_init(&state_, nullptr, 0, crypto_generichash_BYTES); }

  /// With its length, so that no two lists of texts look alike.
  void add(const std::string& text) {
    const std::uint64_t size = text.size();
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(&size), sizeof size);
    add_bytes(text.data(), text.size());
  }

  void add_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> block(std::size_t{1} << 20);
    std::uint64_t size = 0;
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
      add_bytes(block.data(), static_cast<std::size_t>(in.gcount()));
      size += static_cast<std::uint64_t>(in.gcount());
    }
    if (in.bad() || !in.eof()) {
      throw Error(ErrorKind::io, "the file cannot be read", path.string(), "check the file and its rights");
    }
    add_bytes(reinterpret_cast<const char*>(&size), sizeof size);
  }

  std::string hex() {
    std::array<unsigned char, crypto_generichash_BYTES> hash;
    crypto_generichash_final(&state_, hash.data(), hash.size());
    std::string text;
    for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  void add_bytes(const char* bytes, std::size_t size) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes), size);
  }

  crypto_generichash_state state_;
};

std::vector<fs::path> files_below(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string of_data(const std::vector<fs::path>& data) {
  Fingerprint all;
  for (const fs::path& path : data) {
    if (path == "-") {
      all.add(standard_input());
      continue;
    }
    for (const fs::path& file : files_below(path)) {
      all.add(file.lexically_relative(path).string());
      all.add_file(file);
    }
  }
  return all.hex();
}

std::string of_text(const std::string& text) {
  Fingerprint all;
  all.add(text);
  return all.hex();
}

/// Another program, or another kind of processor, may round a row's vector in another way.
std::string of_program() {
  Fingerprint all;
  all.add(version());
  all.add(fmt::format("{:x}", hwy::SupportedTargets()));
  all.add_file("/proc/self/exe");
  return all.hex();
}

}  // namespace

RunInputs inputs_of_run(const std::vector<fs::path>& data, const Schema& schema, const std::string& options) {
  return {{"data", of_data(data)},
          {"schema", of_text(to_json(schema))},
          {"options", of_text(options)},
          {"program", of_program()}};
}

}  // namespace sosia
