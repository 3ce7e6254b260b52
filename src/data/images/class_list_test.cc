// SPDX-License-Identifier: Apache-2.0
#include "data/images/class_list.h"

#include <gtest/gtest.h>

namespace sosia {
namespace {

TEST(ClassList, NumbersMeanTheirSpellingOrTheirPlace) {
  const ClassList numbers({"7", "3"}), names({"cat", "3", "07"});
  EXPECT_EQ(numbers.of_number(3), 1U);
  EXPECT_EQ(numbers.of_number(0), kNoClass);
  EXPECT_EQ(numbers.number_of(0), 7);
  EXPECT_EQ(names.of_number(0), 0U);
  EXPECT_EQ(names.of_number(3), kNoClass);
  EXPECT_EQ(names.of_number(-1), kNoClass);
  EXPECT_EQ(names.of_text("3"), 1U);
  EXPECT_EQ(names.of_text("7"), kNoClass);
  EXPECT_TRUE(ClassList({}).empty());
}

}  // namespace
}  // namespace sosia
