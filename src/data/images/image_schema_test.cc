// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sosia/error.h>
#include <sosia/images.h>

#include "data/images/class_list.h"

namespace sosia {
namespace {

TEST(ImageSchema, ComesBackFromItsJson) {
  for (const ImageSchema& schema :
       {ImageSchema{{28, 20, 1}, {"0", "1"}}, {{1, 4096, 3}, {"a \"b\"", "\xC3\xA9"}}, {}}) {
    const ImageSchema back = parse_image_schema(to_json(schema), "test");
    EXPECT_EQ(back.shape, schema.shape);
    EXPECT_EQ(back.classes, schema.classes);
  }
  EXPECT_EQ(parse_image_schema(R"({"sosia-images": 1, "width": 2, "height": 3})", "test").shape, (ImageShape{2, 3, 1}));
}

TEST(ImageSchema, RefusesWhatMakesNoSense) {
  const char* const wrong[] = {
      R"({"width": 2, "height": 3})",
      R"({"sosia-images": 2, "width": 2, "height": 3})",
      R"({"sosia-images": 1, "width": 0, "height": 3})",
      R"({"sosia-images": 1, "width": 2, "height": 5000})",
      R"({"sosia-images": 1, "width": 2})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "channels": 2})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "classes": []})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "classes": ["a", "a"]})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "classes": [""]})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "classes": [1]})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "depth": 8})",
  };
  for (const char* text : wrong) {
    try {
      parse_image_schema(text, "test");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::schema) << text;
    }
  }
}

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
