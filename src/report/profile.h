// SPDX-License-Identifier: Apache-2.0
// What rows of a model look like, column by column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sosia/model.h>

namespace sosia::report {

struct ColumnProfile {
  std::string name;
  ColumnType type = ColumnType::categorical;
  /// Categories: the share of rows in every state but missing, with its label.
  std::vector<std::string> labels = {};
  /// Numbers: the share in equal parts of what lies between these, with what lies outside in the outer ones.
  double low = 0.0, high = 0.0;
  std::vector<double> shares = {};
  double missing = 0.0;
};

/// Of as many rows that the model makes with seed 1. Nothing but the model is read. The model is trained.
std::vector<ColumnProfile> profiles_of(const Model& model, std::int64_t rows);

}  // namespace sosia::report
