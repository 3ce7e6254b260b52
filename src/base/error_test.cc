// SPDX-License-Identifier: Apache-2.0
#include <sosia/error.h>

#include <gtest/gtest.h>

#include <string>

#include <sosia/version.h>

#include "base/check.h"

namespace sosia {
namespace {

TEST(Error, MessageHasThreeParts) {
  const Error error(ErrorKind::data, "what happened", "people.csv", "mend it");
  EXPECT_STREQ(error.what(), "error: what happened\nwhere: people.csv\nfix:   mend it");
  EXPECT_EQ(error.problem(), "what happened");
  EXPECT_EQ(error.where(), "people.csv");
  EXPECT_EQ(error.fix(), "mend it");
}

TEST(Error, KindsHaveNamesAndExitCodes) {
  const struct {
    ErrorKind kind;
    const char* name;
    int code;
  } kKinds[] = {{ErrorKind::usage, "usage", 2},   {ErrorKind::data, "data", 3}, {ErrorKind::schema, "schema", 4},
                {ErrorKind::budget, "budget", 5}, {ErrorKind::io, "io", 6},     {ErrorKind::internal, "internal", 70}};
  for (const auto& expected : kKinds) {
    EXPECT_STREQ(name_of(expected.kind), expected.name);
    EXPECT_EQ(Error(expected.kind, "", "", "").exit_code(), expected.code);
  }
}

TEST(Check, ThrowsAnInternalErrorInEveryBuild) {
  EXPECT_NO_THROW(SOSIA_CHECK(1 + 1 == 2, "arithmetic"));
  try {
    SOSIA_CHECK(1 + 1 == 3, "arithmetic has failed");
    FAIL() << "the check passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_EQ(error.problem(), "arithmetic has failed");
    EXPECT_NE(error.where().find("1 + 1 == 3"), std::string::npos);
  }
}

TEST(Version, IsThreeNumbers) {
  int dots = 0;
  for (const char* c = version(); *c != 0; ++c) dots += *c == '.';
  EXPECT_EQ(dots, 2);
}

}  // namespace
}  // namespace sosia
