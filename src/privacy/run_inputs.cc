// SPDX-License-Identifier: Apache-2.0
// Fingerprints of what a run depends on: BLAKE2b-256 of bytes.
#include <link.h>
#include <sodium.h>

#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
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

/// The place in the list says what a file is for, and the ending of its name how it is read.
std::string of_data(const std::vector<fs::path>& data) {
  Fingerprint all;
  for (const fs::path& path : data) {
    all.add(path.filename().string());
    if (path == "-") {
      all.add(standard_input());
      continue;
    }
    const std::vector<fs::path> files = fs::exists(path) ? files_below(path) : std::vector<fs::path>();
    all.add(fmt::format("{} files", files.size()));
    for (const fs::path& file : files) {
      all.add(file.lexically_relative(path).string());
      all.add_file(file);
    }
  }
  return all.hex();
}

std::string of_texts(const std::vector<std::string>& texts) {
  Fingerprint all;
  for (const std::string& text : texts) all.add(text);
  return all.hex();
}

/// Every field: what is left out here could be changed between two releases with the same noise.
std::string of_spelling(const TableSpelling& spelling) {
  const auto& [delimiter, quotes, multiline, missing_words, header] = spelling;
  std::vector<std::string> texts = {std::string(1, delimiter), fmt::format("{}", static_cast<int>(quotes)),
                                    fmt::format("{} {}", multiline, header)};
  texts.insert(texts.end(), missing_words.begin(), missing_words.end());
  return of_texts(texts);
}

/// What is loaded now: the program, by an empty name, and its libraries.
std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  const auto note = [](dl_phdr_info* object, std::size_t /*size*/, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(object->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(note, &files);
  std::sort(files.begin(), files.end());
  return files;
}

/// The mathematical library picks its functions by the processor and the environment: what they give here.
std::string roundings() {
  constexpr int kPoints = 2000;
  std::string text;
  for (int i = 1; i <= kPoints; ++i) {
    const double x = 0.0137 * i;
    const auto y = static_cast<float>(x);
    text += fmt::format("{} {} {} {} {} {} ", std::exp(-x), std::log(x), std::sin(x), std::cos(x), std::tanh(0.1 * x),
                        std::pow(x, 0.3));
    text += fmt::format("{} {} {} {}\n", std::exp(-y), std::log(y), std::sin(y), std::cos(y));
  }
  return text;
}

/// Another program, another library, or another kind of processor, may read a file in another way, or round a row's
/// vector in another way.
std::string of_program() {
  Fingerprint all;
  all.add(version());
  all.add(fmt::format("{:x}", hwy::SupportedTargets()));
  all.add(roundings());
  for (const std::string& file : loaded_files()) {
    all.add(fs::path(file).filename().string());
    if (file.empty()) all.add_file("/proc/self/exe");
    if (fs::exists(file)) all.add_file(file);  // the kernel's own has no file
  }
  return all.hex();
}

}  // namespace

RunInputs inputs_of_run(const std::vector<fs::path>& data, const TableSpelling& spelling, const Schema& schema,
                        const std::vector<std::string>& options) {
  return {{"data", of_data(data)},
          {"spelling", of_spelling(spelling)},
          {"schema", of_texts({to_json(schema)})},
          {"options", of_texts(options)},
          {"program", of_program()}};
}

}  // namespace sosia
