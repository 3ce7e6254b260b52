// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sosia/ledger.h>

namespace sosia {

/// What a reader of the synthetic data has to know of its guarantee. Holds public facts only.
class Certificate {
 public:
  Promise promise;
  Spending spending = Spending::gaussian;
  double spent_epsilon = 0.0;  ///< at promise.delta, rounded up
  std::vector<Event> events;
  std::vector<std::pair<double, double>> curve;  ///< (delta, epsilon) at five deltas
  std::vector<std::string> declared_public;      ///< facts that the owner declared to be public
  std::string ledger_head;                       ///< fingerprint of the ledger file, if one was used
  std::string version;
  bool is_private = true;   ///< false: no noise was added at all
  bool test_noise = false;  ///< the noise was reproducible: no guarantee

  /// A few lines for people.
  std::string statement() const;
  /// The same for programs; stable names, see docs/certificate.md.
  std::string json() const;
};

/// Writes it as JSON; an existing file is never overwritten.
void write_certificate(const Certificate& certificate, const std::filesystem::path& path);

}  // namespace sosia
