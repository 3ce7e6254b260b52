// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sosia::vectors {

namespace {

/// The fields of one CSV line; quotes inside quoted fields are doubled.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

nlohmann::json without_orders(nlohmann::json params) {
  params.erase("orders");
  return params;
}

std::string describe(double result, const std::string& wanted) {
  std::ostringstream text;
  text.precision(17);
  text << result << " is not " << wanted;
  return text.str();
}

}  // namespace

std::vector<Row> read_rows(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("the reference values cannot be read: " + path +
                             " (set SOSIA_PRIVACY_VECTORS to the file)");
  }
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // the header
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const auto fields = split(line);
    if (fields.size() < 5) throw std::runtime_error(path + ":" + std::to_string(number) + ": too few fields");
    rows.push_back({number, fields[0], nlohmann::json::parse(fields[1]), fields[2], std::stod(fields[3]), fields[4]});
  }
  return rows;
}

std::string vectors_path() {
  const char* chosen = std::getenv("SOSIA_PRIVACY_VECTORS");
  return chosen != nullptr ? chosen : SOSIA_DEFAULT_VECTORS;
}

double number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  const auto slash = text.find('/');
  return slash == std::string::npos ? std::stod(text)
                                    : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

const Row* sibling(const std::vector<Row>& rows, const Row& row, const std::string& quantity) {
  for (const Row& other : rows) {
    if (other.kind == row.kind && other.quantity == quantity &&
        without_orders(other.params) == without_orders(row.params)) {
      return &other;
    }
  }
  return nullptr;
}

std::string disagreement(const std::vector<Row>& rows, const Row& row, double result) {
  const auto colon = row.tolerance.find(':');
  const std::string rule = row.tolerance.substr(0, colon), bound = row.tolerance.substr(colon + 1);
  if (rule == "range") {
    const auto comma = bound.find(',');
    const double low = std::stod(bound.substr(1)), high = std::stod(bound.substr(comma + 1));
    return result >= low && result <= high ? "" : describe(result, "in " + bound);
  }
  const double allowed = std::stod(bound);
  const std::string wanted = "within " + row.tolerance + " of " + std::to_string(row.value);
  if (rule == "rel")
    return std::abs(result - row.value) <= allowed * std::abs(row.value) ? "" : describe(result, wanted);
  if (rule == "abs") return std::abs(result - row.value) <= allowed ? "" : describe(result, wanted);
  if (rule == "ge_exact_and_rel") {
    const Row* exact = sibling(rows, row, "eps_exact");
    const double least = exact != nullptr ? exact->value - 1e-9 : row.value * (1.0 - allowed);
    const bool holds = result >= least && result <= row.value * (1.0 + allowed);
    return holds ? "" : describe(result, wanted + " and at least " + std::to_string(least));
  }
  return "unknown tolerance " + row.tolerance;
}

}  // namespace sosia::vectors
