// SPDX-License-Identifier: Apache-2.0
// What a certificate means for an attacker, in numbers.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sosia::report {

/// The best chance of being right for whoever has to tell from everything released whether a unit was in the data, and
/// would be right with chance 1/2 without. An upper bound; 1 if there is no guarantee. Under Gaussian spending
/// Phi(mu / 2) with the mu of the promise (docs/methods/accounting.md, 7.1), if that covers everything; else (e^epsilon
/// + delta) / (1 + e^epsilon) of the total.
double best_chance(const nlohmann::ordered_json& certificate);

/// The certificate with `best_chance`, and with the `share` of the budget that each event takes and what is `left` of
/// it, in mu^2, where that says everything: under Gaussian spending of Gaussian events.
nlohmann::ordered_json explained(const std::string& certificate);

}  // namespace sosia::report
