// SPDX-License-Identifier: Apache-2.0
// The budget of a data set across runs, in a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/ledger.h>

namespace sosia {

/// One reservation: a plan that some run was allowed to execute. It stays spent whatever became of the run.
struct LedgerEntry {
  std::string time;  ///< UTC, ISO 8601
  std::string purpose;
  Plan plan;
  double spent_epsilon = 0.0;  ///< of the whole file after this entry, at the promise's delta
  std::string head;            ///< hash over this entry and all before it
  std::string run = {};        ///< RunFile::id of the run that it is for; empty: of one that cannot go on
};

/// All that a ledger file says.
struct LedgerContents {
  std::string dataset;
  std::string created;  ///< UTC, ISO 8601
  Promise promise;
  Spending spending = Spending::gaussian;
  std::vector<LedgerEntry> entries;
  std::string head;  ///< hash over the whole file
};

/// A file of JSON lines in a hash chain, its grammar in src/privacy/ledger_text.cc. It is replaced as a whole and
/// under a lock, so that a killed run or two runs at once can waste budget but never spend it twice.
class LedgerFile {
 public:
  /// Makes a new file; an existing one is never overwritten. `spending` is gaussian or renyi.
  static LedgerFile create(const std::filesystem::path& path, const std::string& dataset, const Promise& promise,
                           Spending spending);
  /// Reads and verifies. A file that was cut short or edited is an error that says at which entry.
  static LedgerFile open(const std::filesystem::path& path);

  /// Checks the price of `plan`, then writes the reservation through to the disk. On return the budget is spent.
  /// Waits up to `wait_seconds` for another process. What would overspend is refused and leaves the file as it is.
  /// An error after the file has been replaced (only the folder could not be written through) may waste the budget.
  LedgerEntry reserve(const Plan& plan, const std::string& purpose, double wait_seconds = 10.0) {
    return reserve(plan, purpose, {}, wait_seconds);
  }
  /// The same for a run. One that has an entry already gets that one, and nothing is charged.
  LedgerEntry reserve(const Plan& plan, const std::string& purpose, const std::string& run, double wait_seconds = 10.0);

  const std::string& dataset() const { return contents_.dataset; }
  const std::string& created() const { return contents_.created; }
  const Promise& promise() const { return contents_.promise; }
  Spending spending() const { return contents_.spending; }
  const std::vector<LedgerEntry>& entries() const { return contents_.entries; }
  double spent_epsilon() const;
  /// The least multiplier of one more Gaussian release that would still fit in; infinite if none does.
  double least_noise() const;
  /// Fingerprint of the whole file, carried by certificates: an older copy of the file cannot show it.
  const std::string& head() const { return contents_.head; }

 private:
  LedgerFile() = default;

  std::filesystem::path path_;
  LedgerContents contents_;
};

}  // namespace sosia
