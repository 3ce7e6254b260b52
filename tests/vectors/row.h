// SPDX-License-Identifier: Apache-2.0
// The reference file: one value a row.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace sosia::vectors {

/// kind, params (JSON), quantity, value, tolerance, source.
struct Row {
  int line;
  std::string kind;
  nlohmann::json params;
  std::string quantity;
  double value;
  std::string tolerance;

  std::string key() const { return kind + "/" + quantity; }
};

/// How a failing test shows its row.
inline void PrintTo(const Row& row, std::ostream* out) { *out << row.key() << ' ' << row.params; }

/// Throws std::runtime_error, naming the file, if it cannot be read.
std::vector<Row> read_rows(const std::string& path);

/// The file named by SOSIA_PRIVACY_VECTORS, or the default one.
std::string vectors_path();

/// A number, or an exact fraction such as "64/32561".
double number(const nlohmann::json& value);

/// The row of the same kind and parameters (but for "orders") with another quantity, or null.
const Row* sibling(const std::vector<Row>& rows, const Row& row, const std::string& quantity);

/// Empty if the result meets the row's tolerance, else what is wrong:
///   rel:x, abs:x             within x of the value;
///   ge_exact_and_rel:x       not below the row's eps_exact sibling (less 1e-9), not above value (1 + x); without a
///   sibling
///                            within x of the value;
///   range:[a,b]              inside.
std::string disagreement(const std::vector<Row>& rows, const Row& row, double result);

}  // namespace sosia::vectors
