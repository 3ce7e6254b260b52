// SPDX-License-Identifier: Apache-2.0
#include "data/unit_guess.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace sosia {

namespace {

constexpr double kLeastIds = 10.0;
constexpr double kRepeats = 0.93;  // of the rows, an allowance for the estimate

constexpr auto kIds = std::to_array<std::string_view>({"id", "ids", "uuid", "guid", "identifier", "pid", "uid"});
constexpr auto kNumbers =
    std::to_array<std::string_view>({"no", "nr", "num", "number", "nummer", "code", "key", "hash"});
constexpr auto kSomebody = std::to_array<std::string_view>(
    {"account",  "applicant", "borrower", "buyer",  "citizen", "client",      "contact",    "customer",   "driver",
     "employee", "family",    "guest",    "holder", "host",    "household",   "individual", "member",     "mrn",
     "owner",    "passenger", "patient",  "person", "player",  "participant", "pupil",      "respondent", "seller",
     "ssn",      "student",   "subject",  "tenant", "user",    "visitor",     "voter",      "worker"});

/// "patientID", "Patient_Id" and "PATIENT ID" are patient and id.
std::vector<std::string> words_of(std::string_view name) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool begins = is_capital(c) && i > 0 && is_small(name[i - 1]);
    if (begins && !words.back().empty()) words.emplace_back();
    if (is_capital(c) || is_small(c)) {
      words.back() += is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty() && words.size() > 1) words.pop_back();
  return words;
}

template <class List>
bool is_among(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// Nothing but somebody, an id and a number: "id", "subject", "patient_no", "user_account_id", not "user_type".
bool says_somebody(const std::vector<std::string>& words) {
  const bool all = std::ranges::all_of(words, [](const std::string& word) {
    return is_among(kIds, word) || is_among(kSomebody, word) || is_among(kNumbers, word);
  });
  return all && !is_among(kNumbers, words.front());
}

}  // namespace

bool is_likely_unit(const Column& column, const ColumnProfile& profile) {
  const ColumnType type = column.type;
  if (type == ColumnType::real || type == ColumnType::date || type == ColumnType::datetime) return false;
  const double different =
      profile.values_complete ? static_cast<double>(profile.values.size()) : profile.distinct.estimate();
  if (different < kLeastIds || different >= kRepeats * static_cast<double>(profile.present)) return false;
  const std::vector<std::string> words = words_of(column.name);
  if (says_somebody(words)) return true;
  return !profile.values_complete && (type == ColumnType::identifier || is_among(kIds, words.back()));
}

}  // namespace sosia
