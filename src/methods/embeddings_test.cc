// SPDX-License-Identifier: Apache-2.0
#include "methods/embeddings.h"

#include <gtest/gtest.h>

#include "methods/method.h"

namespace sosia {
namespace {

NetFitOptions options_of(std::vector<std::uint32_t> widths, std::optional<int> label,
                         const std::vector<std::pair<std::string, std::string>>& given = {}) {
  const MethodInfo method{.name = "net", .summary = "", .claim = "", .options = net_options()};
  return net_fit_options(OpenRows(std::move(widths), label), {}, Settings(method, given), 1);
}

TEST(NetFitOptions, CodesAndStepsGoByTheColumnsButTheLabel) {
  const NetFitOptions two = options_of({0, 0, 5}, 2);
  EXPECT_EQ(two.shape.codes, 2);
  EXPECT_EQ(two.steps, 6000);
  const NetFitOptions four = options_of({0, 7, 7, 0}, {});
  EXPECT_EQ(four.shape.codes, 4);
  EXPECT_EQ(four.steps, 3000);
  EXPECT_EQ(options_of(std::vector<std::uint32_t>(20, 3), {}).shape.codes, 10);
  EXPECT_EQ(options_of({2}, 0).shape.codes, 1);  // a label alone
}

TEST(NetFitOptions, WhatIsSaidIsDone) {
  const NetFitOptions options = options_of({0, 0, 5}, 2, {{"codes", "7"}, {"steps", "15"}});
  EXPECT_EQ(options.shape.codes, 7);
  EXPECT_EQ(options.steps, 15);
}

}  // namespace
}  // namespace sosia
