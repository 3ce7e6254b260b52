// SPDX-License-Identifier: Apache-2.0
#include <sosia/ledger_file.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/plan_file.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "privacy/accounting/filter.h"
#include "privacy/ledger_text.h"

namespace sosia {

namespace {

constexpr double kPriceTolerance = 1e-9;  // relative: room for another compiler's rounding, not for another price

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

void charge_all(accounting::Filter& filter, const Plan& plan) {
  if (plan.relation != filter.promise().relation) {
    throw Error(ErrorKind::budget,
                fmt::format("the plan is stated under {}, the ledger promises {}", name_of(plan.relation),
                            name_of(filter.promise().relation)),
                "relation", "state the plan under the ledger's relation");
  }
  for (const Event& event : plan.events) filter.charge(event);
}

/// The filter after all reservations. Every entry's running price must come out as the file says.
accounting::Filter replay(const LedgerContents& contents, const std::string& where) {
  std::string place = where + ", header";
  try {
    accounting::Filter filter(contents.promise, contents.spending);
    for (std::size_t i = 0; i < contents.entries.size(); ++i) {
      place = fmt::format("{}, entry {}", where, i + 1);
      charge_all(filter, contents.entries[i].plan);
      const double stated = contents.entries[i].spent_epsilon, priced = filter.spent_epsilon();
      // Written so that NaN fails.
      if (!(std::abs(stated - priced) <= kPriceTolerance * std::abs(priced))) {
        throw Error(ErrorKind::io, fmt::format("the stated price {} is not that of the plans, {}", stated, priced),
                    place, "restore an unchanged copy");
      }
    }
    return filter;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    throw Error(ErrorKind::io, "the ledger file does not add up: " + error.problem(), place,
                "restore the newest unchanged copy; if there is none, treat the budget of this data set as spent");
  }
}

LedgerContents read_ledger(const std::filesystem::path& path) {
  LedgerContents contents = parse_ledger(read_text_file(path), path.string());
  replay(contents, path.string());
  return contents;
}

/// The entry of a run that reserved before, null if it did not. Its id stands for one plan.
const LedgerEntry* entry_of(const LedgerContents& contents, const std::string& run, const Plan& plan,
                            const std::string& where) {
  if (run.empty()) return nullptr;
  const auto found = std::find_if(contents.entries.begin(), contents.entries.end(),
                                  [&](const LedgerEntry& entry) { return entry.run == run; });
  if (found == contents.entries.end()) return nullptr;
  if (to_json(found->plan) == to_json(plan)) return &*found;
  throw Error(ErrorKind::budget, "the run has reserved other events than it asks for now", where,
              "go on with the command that the run began with");
}

/// A ledger only ever grows. One that lost what we saw in it has been put back to an older copy.
void check_grown(const LedgerContents& before, const LedgerContents& after, const std::string& where) {
  const std::size_t seen = before.entries.size();
  const bool grown = after.entries.size() >= seen && first_head(before) == first_head(after) &&
                     (seen == 0 || after.entries[seen - 1].head == before.head);
  if (grown) return;
  throw Error(ErrorKind::io, "the ledger file was replaced by another or an older one while in use", where,
              fmt::format("bring back the file whose head is {}", before.head));
}

}  // namespace

LedgerFile LedgerFile::create(const std::filesystem::path& path, const std::string& dataset, const Promise& promise,
                              Spending spending) {
  if (spending == Spending::planned) {
    throw Error(ErrorKind::usage, "a ledger file cannot be planned: its reservations are not known beforehand",
                path.string(), "choose one of: gaussian, renyi");
  }
  if (dataset.empty()) {
    throw Error(ErrorKind::usage, "the data set has no name", path.string(), "name the data set of this ledger");
  }
  check_text(dataset, "the name of the data set", false);
  check_text(promise.unit.column, "the column of the privacy unit", false);
  const accounting::Filter checks_the_promise(promise, spending);
  LedgerFile file;
  file.contents_ = {dataset, now(), promise, spending, {}, {}};
  file.contents_.head = first_head(file.contents_);
  create_durable_file(path, to_text(file.contents_));
  file.path_ = std::filesystem::canonical(path);
  return file;
}

LedgerFile LedgerFile::open(const std::filesystem::path& path) {
  LedgerFile file;
  std::error_code ignored;
  // Through symbolic links to the file itself, which is what gets locked and replaced.
  file.path_ = std::filesystem::canonical(path, ignored);
  if (file.path_.empty()) file.path_ = path;
  if (std::filesystem::exists(file.path_, ignored) && !std::filesystem::is_regular_file(file.path_, ignored)) {
    throw Error(ErrorKind::io, "this is not a regular file", path.string(), "pass the path of a ledger file");
  }
  file.contents_ = read_ledger(file.path_);
  return file;
}

LedgerEntry LedgerFile::reserve(const Plan& plan, const std::string& purpose, const std::string& run,
                                double wait_seconds) {
  const std::string where = path_.string();
  if (plan.events.empty() || purpose.empty()) {
    throw Error(ErrorKind::usage, plan.events.empty() ? "the plan has no events" : "the purpose is empty", where,
                "reserve for at least one event, and say what it is for");
  }
  check_text(purpose, "the purpose of the reservation", false);
  validate(plan);
  FileLock lock(path_, wait_seconds);
  LedgerContents contents = parse_ledger(read_text_file(path_), where);
  check_grown(contents_, contents, where);
  accounting::Filter filter = replay(contents, where);
  if (const LedgerEntry* entry = entry_of(contents, run, plan, where)) return *entry;
  try {
    charge_all(filter, plan);
  } catch (const Error& error) {
    throw Error(error.kind(), error.problem(), fmt::format("{}, {}", where, error.where()), error.fix());
  }
  LedgerEntry entry{now(), purpose, plan, filter.spent_epsilon(), {}, run};
  entry.head = next_head(contents.head, entry, contents.entries.size() + 1);
  contents.entries.push_back(entry);
  contents.head = entry.head;
  lock.replace(to_text(contents));
  contents_ = std::move(contents);
  return entry;
}

double LedgerFile::spent_epsilon() const {
  return contents_.entries.empty() ? 0.0 : contents_.entries.back().spent_epsilon;
}

double LedgerFile::least_noise() const {
  const accounting::Filter filter = replay(contents_, path_.string());
  const auto fits = [&](double noise) {
    accounting::Filter trial = filter;
    try {
      trial.charge(Event{Gaussian{noise}, 1, ""});
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  double low = 1e-3, high = 1e9;
  if (!fits(high)) return std::numeric_limits<double>::infinity();
  // Bisection of the exponent down to neighbouring doubles, near enough.
  while (high / low > 1.0 + 1e-12) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sosia
