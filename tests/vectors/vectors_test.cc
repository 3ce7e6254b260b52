// SPDX-License-Identifier: Apache-2.0
// Every reference value that sosia has a function for, within its own tolerance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <exception>

#include "checks.h"

namespace sosia::vectors {
namespace {

/// Tests are made before any of them can fail: a file that cannot be read gives none, and `FileIsThere` says why.
const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    try {
      return read_rows(vectors_path());
    } catch (const std::exception&) {
      return std::vector<Row>();
    }
  }();
  return rows;
}

std::vector<Row> checked_rows() {
  std::vector<Row> rows;
  std::copy_if(all_rows().begin(), all_rows().end(), std::back_inserter(rows),
               [](const Row& row) { return checks().contains(row.key()); });
  return rows;
}

std::string name_of(const testing::TestParamInfo<Row>& info) {
  std::string name = info.param.kind + "_line_" + std::to_string(info.param.line);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class Vector : public testing::TestWithParam<Row> {};

TEST_P(Vector, IsReproduced) {
  const Row& row = GetParam();
  const double result = checks().at(row.key())(row, all_rows());
  EXPECT_EQ(disagreement(all_rows(), row, result), "") << row.key() << ' ' << row.params;
}

INSTANTIATE_TEST_SUITE_P(File, Vector, testing::ValuesIn(checked_rows()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Vector);

TEST(Vectors, FileIsThere) {
  EXPECT_NO_THROW({
    try {
      EXPECT_FALSE(read_rows(vectors_path()).empty()) << vectors_path() << " holds no rows";
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  });
}

TEST(Vectors, EveryKindIsCheckedOrListedWithAReason) {
  int checked = 0, listed = 0;
  for (const Row& row : all_rows()) {
    const bool check = checks().contains(row.key());
    const bool listing = not_offered().contains(row.kind) || not_offered().contains(row.key());
    EXPECT_NE(check, listing) << row.key() << " must be either checked or listed";
    checked += check ? 1 : 0;
    listed += listing ? 1 : 0;
  }
  RecordProperty("checked", checked);
  RecordProperty("listed", listed);
  std::printf("%d of %zu rows checked, %d listed as not offered\n", checked, all_rows().size(), listed);
  EXPECT_EQ(static_cast<std::size_t>(checked + listed), all_rows().size());
}

TEST(Vectors, NoCheckIsDead) {
  for (const auto& [key, check] : checks()) {
    EXPECT_TRUE(std::any_of(all_rows().begin(), all_rows().end(), [&](const Row& row) { return row.key() == key; }))
        << key << " has no row";
  }
}

}  // namespace
}  // namespace sosia::vectors
