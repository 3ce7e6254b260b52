// SPDX-License-Identifier: Apache-2.0
// Where the facts of a schema come from: the part of a schema file that says so, and the same for people.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <sosia/schema.h>

namespace sosia {

class ObjectReader;

/// The key "purchases": [{("epsilon": number; without: no noise), "delta": number, "selection_delta": number,
/// "relation": as in a schema,
/// ("unit": {"column": NAME, "max_rows": whole}), "guarantee": true | false, ("ledger_head": text)}, ...]
std::vector<Purchase> read_purchases(const ObjectReader& schema);
nlohmann::ordered_json purchases_json(const std::vector<Purchase>& purchases);

/// Every fact of a schema, "column \"age\": bounds", by where it comes from.
struct FactSources {
  std::vector<std::string> declared, confirmed;
  std::vector<std::vector<std::string>> bought;  ///< by purchase
};
FactSources sources_of(const Schema& schema);

/// What the fact says, for its owner: "bounds 0 to 110", "2 decimals".
std::string said(const Column& column, Fact fact);

}  // namespace sosia
