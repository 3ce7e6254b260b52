// SPDX-License-Identifier: Apache-2.0
// What lets a run that was killed go on at no further charge.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia {

class SecureRng;  // src/random/secure_rng.h
class UnitHash;   // src/data/unit_hash.h

/// Fingerprints, by name, of all that the releases of a run depend on beside its secret key.
using RunInputs = std::vector<std::pair<std::string, std::string>>;

/// The names and bytes of the data (files, folders or "-"; an empty path: none in this place), how tables are spelled,
/// the schema, the other options in a fixed order, and this program and its libraries on this kind of processor. As
/// private as the data.
RunInputs inputs_of_run(const std::vector<std::filesystem::path>& data, const TableSpelling& spelling,
                        const Schema& schema, const std::vector<std::string>& options);

/// A file of mode 0600, written before a budget is charged, that holds a secret key. All noise, all samples and the
/// hashes of units' ids come from that key and from the inputs, so that the same inputs give the very same releases
/// again: making one twice shows nothing new. The ledger file's entry commits to key and inputs, so that what one entry
/// reserves is made from one key and one set of inputs (docs/methods/door.md). A file that another user has made is
/// refused: who knows the key knows the noise. While a RunFile lives, no other process can open it.
class RunFile {
 public:
  /// Opens the file if it is there, and throws a data error that names what has changed unless it was made for these
  /// inputs; else makes it. `command` is what is to be given again to go on.
  static RunFile begin(const std::filesystem::path& path, const RunInputs& inputs,
                       const std::vector<std::string>& command);
  static RunFile open(const std::filesystem::path& path);
  RunFile(RunFile&&) noexcept;
  RunFile& operator=(RunFile&&) = delete;
  ~RunFile();

  const std::vector<std::string>& command() const;
  /// In which the command was given.
  const std::filesystem::path& folder() const;
  /// A hash of key and inputs, of which nothing can be told from it. The ledger file keeps it.
  std::string id() const;

  /// Throws a data error that names what has changed unless the inputs are those that the run began with. To be called
  /// once more before a release leaves: data that changed while they were read are other data.
  void check(const RunInputs& inputs) const;
  /// Whether the releases can still be made. If not, they are on the disk.
  bool has_key() const;

  /// The releases are on the disk: the key is overwritten, the command stays.
  void forget_key();
  /// Everything is on the disk.
  void remove();

 private:
  friend class Ledger;
  struct State;
  explicit RunFile(std::unique_ptr<State> state);
  /// For the one ledger of this run: two of them would add the same noise, and its difference would show the data.
  /// Always the same numbers, each time the file is opened. Throws once the key was forgotten.
  SecureRng noise() const;
  /// Always the same hash of ids, under a key that is independent of the noise.
  UnitHash unit_hash() const;

  std::unique_ptr<State> state_;
};

}  // namespace sosia
