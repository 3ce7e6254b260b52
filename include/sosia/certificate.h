// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sosia/ledger.h>
#include <sosia/schema.h>

namespace sosia {

/// Facts of a schema that were discovered privately, and what was promised for them.
struct DiscoveredFacts {
  Purchase purchase;
  bool is_own = false;  ///< paid for by the certificate's own ledger
  std::vector<std::string> facts = {};
};

/// What holds of everything that a certificate covers together.
struct Guarantee {
  double epsilon = 0.0, delta = 0.0;
  std::string none = {};  ///< why there is none; empty: it holds
};

/// What a reader of the synthetic data has to know of its guarantee. Holds public facts only.
class Certificate {
 public:
  Promise promise;
  Spending spending = Spending::gaussian;
  double spent_epsilon = 0.0;  ///< at promise.delta, rounded up
  std::vector<Event> events;
  std::vector<std::pair<double, double>> curve;  ///< (delta, epsilon) at five deltas
  std::vector<std::string> declared;             ///< facts that the owner declared to be public
  std::vector<std::string> confirmed = {};       ///< facts that were read off the rows, and then declared to be public
  std::vector<DiscoveredFacts> discovered = {};  ///< facts that were bought
  std::vector<std::string> left_out = {};        ///< columns that could not be discovered and that no model has
  std::string ledger_head;                       ///< fingerprint of the ledger file, if one was used
  std::string version;
  bool is_private = true;   ///< false: no noise was added at all
  bool test_noise = false;  ///< the noise was reproducible: no guarantee

  /// Takes in where the facts of a schema come from. Its purchases from `first_own` on were made by this ledger.
  void cover(const Schema& schema, std::size_t first_own);

  /// The promise, and those of all facts that were discovered before: by basic composition, epsilons and deltas add up.
  /// That takes the same neighbouring relation of the same units, and noise that nobody can reproduce.
  Guarantee guarantee() const;

  /// A few lines for people.
  std::string statement() const;
  /// The same for programs; stable names, see docs/certificate.md.
  std::string json() const;
};

/// Writes it as JSON; an existing file is never overwritten.
void write_certificate(const Certificate& certificate, const std::filesystem::path& path);

}  // namespace sosia
