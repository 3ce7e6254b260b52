// SPDX-License-Identifier: Apache-2.0
// How results look, for people and for programs. Shared by the commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <sosia/accounting.h>
#include <sosia/ledger_file.h>
#include <sosia/plan.h>

namespace sosia::cli {

/// What `sosia account` found out about a plan.
struct Priced {
  Plan plan;
  Account account;
  std::vector<std::pair<double, double>> curve;  ///< (delta, epsilon); empty unless asked for
};

/// Tables and one sentence. Epsilons and noise are rounded up.
std::string account_text(const Priced& priced);
/// A plan that `--events` reads back, with the account in it. Numbers are exact; null stands for infinity.
std::string account_json(const Priced& priced);

std::string ledger_text(const LedgerFile& file);
std::string ledger_json(const LedgerFile& file);

/// The mechanism's numbers in words, as in "rate 0.01, noise 1.1".
std::string parameters(const Mechanism& mechanism);
/// When two data sets count as neighbours, in plain words.
std::string meaning_of(Neighbors relation);
/// The number, or null if it is infinite: JSON has no infinity.
nlohmann::ordered_json finite(double value);

}  // namespace sosia::cli
