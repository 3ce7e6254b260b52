// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gtest/gtest.h>

namespace sosia::cli {
namespace {

TEST(Table, AlignsColumns) {
  EXPECT_EQ(table({{">#", "name", ">epsilon"}, {"1", "età", "1.25"}, {"10", "x", "10.5"}}),
            " #  name  epsilon\n"
            " 1  età      1.25\n"
            "10  x        10.5\n");
}

TEST(Table, LeavesNoTrailingSpaces) { EXPECT_EQ(table({{"a", "b"}, {"1", ""}, {"", ""}}), "a  b\n1\n\n"); }

}  // namespace
}  // namespace sosia::cli
