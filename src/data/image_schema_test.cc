// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/draft.h>
#include <sosia/error.h>
#include <sosia/schema.h>

namespace sosia {
namespace {

TEST(ImageSchema, ComesBackFromItsJson) {
  for (const ImageSchema& images :
       {ImageSchema{{28, 20, 1}, {"0", "1"}, {Fact::classes}}, {{1, 4096, 3}, {"a \"b\"", "\xC3\xA9"}}, {}}) {
    const Schema schema{.columns = {}, .images = images, .relation = Neighbors::replace, .rows = 70};
    const Schema back = parse_schema(to_json(schema), "test");
    ASSERT_TRUE(back.images.has_value());
    EXPECT_EQ(back.images->shape, images.shape);
    EXPECT_EQ(back.images->classes, images.classes);
    EXPECT_EQ(back.images->confirmed, images.confirmed);
    EXPECT_EQ(back.relation, Neighbors::replace);
    EXPECT_EQ(back.rows, 70);
  }
  const Schema least = parse_schema(R"({"sosia-images": 1, "width": 2, "height": 3})", "test");
  EXPECT_EQ(least.images->shape, (ImageShape{2, 3, 1}));
  EXPECT_EQ(least.relation, Neighbors::add_remove);
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
      R"({"sosia-images": 1, "width": 2, "height": 3, "rows": 8})",  // private under add-remove
      R"({"sosia-images": 1, "width": 2, "height": 3, "unreviewed": ["bounds"]})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "unreviewed": ["size", "size"]})",
      R"({"sosia-images": 1, "width": 2, "height": 3, "columns": []})",
      R"({"sosia-schema": 1, "columns": [{"name": "a", "type": "text", "unreviewed": ["size"]}]})",
  };
  for (const char* text : wrong) {
    try {
      parse_schema(text, "test");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::schema) << text;
    }
  }
}

TEST(ImageSchema, FactsAreConfirmed) {
  const Schema facts{.columns = {}, .images = ImageSchema{{2, 2, 1}, {"a"}}};
  Draft draft(facts, {.unreviewed = {{"", {Fact::size, Fact::classes}}}});
  EXPECT_THAT(draft.unreviewed(), testing::ElementsAre("images: size", "images: classes"));
  EXPECT_EQ(to_json(parse_draft(to_json(draft), "test")), to_json(draft));
  const Fact size[] = {Fact::size};
  EXPECT_THAT(draft.confirm(size), testing::ElementsAre("images: size 2 x 2, grey"));
  EXPECT_THAT(draft.unreviewed(), testing::ElementsAre("images: classes"));
  EXPECT_THROW(draft.schema(), Error);  // classes are not discovered
  EXPECT_THAT(draft.confirm(), testing::ElementsAre("images: classes a"));
  EXPECT_THAT(draft.reviewed().images->confirmed, testing::ElementsAre(Fact::size, Fact::classes));
  const Schema unnamed{.columns = {}, .images = ImageSchema{{2, 2, 1}, {}}};
  EXPECT_THAT(Draft(unnamed, {.unreviewed = {{"", {Fact::classes}}}}).unreviewed(), testing::IsEmpty());
}

}  // namespace
}  // namespace sosia
