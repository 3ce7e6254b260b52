// SPDX-License-Identifier: Apache-2.0
// The grammar of a run file, one JSON object in UTF-8:
//
//   run    = {"PRIVATE": text, "format": "sosia-run", "version": 1, "key": hash | null, "folder": path,
//             "command": [text, ...], "inputs": {name: hash, ...}}         hash = 64 hexadecimal digits
//
// With the key K and the inputs I, written out as below, the id of the run is BLAKE2b_K("id" I), the key of its noise
// BLAKE2b_K("noise" I), and that of its units' ids the first half of BLAKE2b_K("units" I). K is drawn by the operating
// system and used for nothing else, so to whoever does not know it all three are as good as independent random numbers,
// whatever the inputs are.
#include <sosia/run_file.h>

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/check.h"
#include "base/durable_file.h"
#include "base/json_reader.h"
#include "data/unit_hash.h"
#include "random/secure_rng.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kRunFormat[] = "sosia-run";
constexpr char kRunNote[] =
    "This file holds the key of noise: keep it as private as the data. It goes when its run is done.";

using RunKey = std::array<std::uint8_t, SecureRng::kKeyBytes>;
static_assert(SecureRng::kKeyBytes == crypto_generichash_KEYBYTES && SecureRng::kKeyBytes == crypto_generichash_BYTES);

std::string hex_of(const RunKey& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

RunKey bytes_of_hex(const ObjectReader& reader, const std::string& key) {
  RunKey bytes{};
  const std::string text = reader.text(key);
  std::size_t length = 0;
  const bool is_read =
      sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &length, nullptr) == 0;
  if (!is_read || length != bytes.size()) reader.refuse(key, "must be 64 hexadecimal digits", "restore the file");
  return bytes;
}

/// In one order, whatever that of the list. Names and hashes have no control characters: the text says where each
/// begins.
std::string written_out(const std::string& purpose, RunInputs inputs) {
  std::sort(inputs.begin(), inputs.end());
  std::string text = "sosia run: " + purpose + "\n";
  for (const auto& [name, hash] : inputs) text += name + "\n" + hash + "\n";
  return text;
}

/// The bytes of a file as they lie on the disk. Once another file has its name, they can be overwritten: before, a kill
/// would leave a run file with a key that everybody knows.
class OldBytes {
 public:
  explicit OldBytes(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~OldBytes() {
    if (file_ >= 0) ::close(file_);
  }
  OldBytes(const OldBytes&) = delete;
  OldBytes& operator=(const OldBytes&) = delete;

  /// As far as the disk lets us: some keep what was overwritten.
  void overwrite() const {
    const off_t size = file_ < 0 ? 0 : ::lseek(file_, 0, SEEK_END);
    const std::string zeros(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    if (size > 0 && ::pwrite(file_, zeros.data(), zeros.size(), 0) == size) ::fsync(file_);
  }

 private:
  int file_;
};

}  // namespace

struct RunFile::State {
  std::filesystem::path path, folder;
  RunKey key = {};
  bool has_key = false, is_taken = false;
  std::vector<std::string> command;
  RunInputs inputs;
  std::unique_ptr<FileLock> lock = {};

  ~State() { sodium_memzero(key.data(), key.size()); }

  RunKey derived(const std::string& purpose) const {
    if (!has_key) {
      throw Error(ErrorKind::io, "the run has made its releases and has no key any more, but they are gone",
                  path.string(), "restore the model that it had written; there is nothing else to go on with");
    }
    const std::string text = written_out(purpose, inputs);
    RunKey out;
    crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                       key.data(), key.size());
    return out;
  }

  std::string text() const {
    ordered_json hashes = ordered_json::object();
    for (const auto& [name, hash] : inputs) hashes[name] = hash;
    const ordered_json out = {{"PRIVATE", kRunNote},
                              {"format", kRunFormat},
                              {"version", 1},
                              {"key", has_key ? ordered_json(hex_of(key)) : ordered_json(nullptr)},
                              {"folder", folder.string()},
                              {"command", command},
                              {"inputs", hashes}};
    return out.dump(1) + "\n";
  }
};

RunFile::RunFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunFile::RunFile(RunFile&&) noexcept = default;
RunFile::~RunFile() = default;

RunFile RunFile::begin(const std::filesystem::path& path, const RunInputs& inputs,
                       const std::vector<std::string>& command) {
  if (std::filesystem::exists(path)) {
    RunFile run = open(path);
    run.check(inputs);
    return run;
  }
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  auto state = std::make_unique<State>();
  state->path = std::filesystem::absolute(path);
  state->folder = std::filesystem::current_path();
  randombytes_buf(state->key.data(), state->key.size());
  state->has_key = true;
  state->command = command;
  state->inputs = inputs;
  create_durable_file(state->path, state->text());
  state->lock = std::make_unique<FileLock>(state->path, 0.0);
  return RunFile(std::move(state));
}

RunFile RunFile::open(const std::filesystem::path& path) {
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  auto state = std::make_unique<State>();
  state->path = std::filesystem::absolute(path);
  state->lock = std::make_unique<FileLock>(state->path, 0.0);
  const std::string where = path.string();
  const json document = parse_json(read_secret_file(path), where);
  const ObjectReader run(document, where, "a run file",
                         {"PRIVATE", "format", "version", "key", "folder", "command", "inputs"});
  if (run.text("format") != kRunFormat) run.refuse("format", "must be sosia-run", "pass the file of a run");
  if (run.whole("version") != 1) run.refuse("version", "is not known", "use a newer version of sosia");
  state->has_key = !run.at("key").is_null();
  if (state->has_key) state->key = bytes_of_hex(run, "key");
  state->folder = run.text("folder");
  for (const json& word : run.array("command")) {
    if (!word.is_string()) run.refuse("command", "must be texts", "restore the file");
    state->command.push_back(word.get<std::string>());
  }
  const json& hashes = run.at("inputs");
  if (!hashes.is_object()) run.refuse("inputs", "must be an object", "restore the file");
  for (const auto& [name, hash] : hashes.items()) {
    if (!hash.is_string()) run.refuse("inputs", "must be texts", "restore the file");
    state->inputs.emplace_back(name, hash.get<std::string>());
  }
  return RunFile(std::move(state));
}

const std::vector<std::string>& RunFile::command() const { return state_->command; }
const std::filesystem::path& RunFile::folder() const { return state_->folder; }

void RunFile::check(const RunInputs& inputs) const {
  std::vector<std::string> changed;
  const auto differs = [](const RunInputs& in, const std::pair<std::string, std::string>& input) {
    return std::find(in.begin(), in.end(), input) == in.end();
  };
  for (const auto& input : inputs) {
    if (differs(state_->inputs, input)) changed.push_back(input.first);
  }
  if (changed.empty() && inputs.size() == state_->inputs.size()) return;
  throw Error(ErrorKind::data, fmt::format("not as it was when the run began: {}", fmt::join(changed, ", ")),
              state_->path.string(),
              "go on with what the run began with: its releases would not fit together with others");
}

bool RunFile::has_key() const { return state_->has_key; }

std::string RunFile::id() const { return hex_of(state_->derived("id")); }

SecureRng RunFile::noise() const {
  SOSIA_CHECK(!state_->is_taken, "two ledgers would add the same noise to what they release");
  state_->is_taken = true;
  RunKey key = state_->derived("noise");
  SecureRng rng = SecureRng::keyed(key);
  sodium_memzero(key.data(), key.size());
  return rng;
}

UnitHash RunFile::unit_hash() const {
  RunKey key = state_->derived("units");
  const auto half = std::span(key).first<UnitHash::kKeyBytes>();
  UnitHash hash(half);
  sodium_memzero(key.data(), key.size());
  return hash;
}

void RunFile::forget_key() {
  if (!state_->has_key) return;
  sodium_memzero(state_->key.data(), state_->key.size());
  state_->has_key = false;
  const OldBytes old(state_->path);
  state_->lock->replace(state_->text());
  old.overwrite();
}

void RunFile::remove() {
  forget_key();
  std::filesystem::remove(state_->path);
}

}  // namespace sosia
