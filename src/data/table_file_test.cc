// SPDX-License-Identifier: Apache-2.0
#include "data/table_file.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sosia/draft.h>

#include "data/byte_source.h"
#include "data/csv_file.h"
#include "data/ipc_file.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

using ::testing::ElementsAre;
using Rows = std::vector<std::vector<std::string>>;

class TypedFormat : public ::testing::TestWithParam<const char*> {};

TEST_P(TypedFormat, gives_back_every_type) {
  const TestFolder folder;
  const auto table = table_of_every_type();
  write_table(folder / GetParam(), *table);
  const auto file = TableFile::open(folder / GetParam());
  const auto back = read_table(*file);
  ASSERT_TRUE(back);
  for (int i = 0; i < table->num_columns(); ++i) {
    const auto& field = table->schema()->field(i);
    const auto& column = file->columns()[static_cast<std::size_t>(i)];
    EXPECT_EQ(column.name, field->name());
    // Parquet has no seconds.
    if (field->name() == "timestamp[s]" && column.type == "timestamp[ms]") continue;
    EXPECT_EQ(column.type, field->type()->ToString());
    EXPECT_TRUE(back->column(i)->Equals(table->column(i))) << column.name;
  }
}

TEST_P(TypedFormat, gives_the_wanted_columns_in_the_wanted_order) {
  const TestFolder folder;
  write_table(folder / GetParam(), *table_of_every_type());
  const auto back = read_table(folder / GetParam(), {.columns = {"text", "date", "bool"}});
  EXPECT_THAT(back->schema()->field_names(), ElementsAre("text", "date", "bool"));
  EXPECT_THAT(texts_of(*back)[0], ElementsAre("plain", "1969-12-31", "true"));
}

TEST_P(TypedFormat, keeps_a_table_without_rows) {
  const TestFolder folder;
  write_table(folder / GetParam(), *table_of_every_type()->Slice(0, 0));
  const auto file = TableFile::open(folder / GetParam());
  EXPECT_EQ(file->columns().size(), 22u);
  EXPECT_EQ(read_table(*file), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Endings, TypedFormat,
                         ::testing::Values("t.parquet", "t.feather", "t.arrow", "t.ipc", "T.PARQUET"), name_of_ending);

TEST(arrow_stream, is_read_as_a_file_and_from_memory) {
  const TestFolder folder;
  const auto table = table_of_every_type();
  write_stream(folder / "t.arrow", *table, 3);
  const auto back = read_table(folder / "t.arrow");
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->Equals(*table));
  const ByteSource source(bytes_of(folder / "t.arrow"), "memory");
  EXPECT_TRUE(read_table(*open_ipc(source, {}))->Equals(*table));
  const auto two = read_table(*open_ipc(source, {.columns = {"date", "bool"}}));
  EXPECT_THAT(texts_of(*two)[0], ElementsAre("1969-12-31", "true"));
}

class TextFormat : public ::testing::TestWithParam<const char*> {};

TEST_P(TextFormat, gives_back_every_type_as_text) {
  const TestFolder folder;
  const auto table = table_of_every_type();
  write_table(folder / GetParam(), *table);
  const auto file = TableFile::open(folder / GetParam(), {.multiline = true});
  for (const StoredColumn& column : file->columns()) EXPECT_EQ(column.type, "string");
  Rows expected = texts_of(*table);
  for (auto& row : expected) {
    for (std::string& text : row) text = text == "-" ? "" : text;
  }
  EXPECT_EQ(texts_of(*read_table(*file)), expected);
  EXPECT_EQ(texts_of(*read_table(*file)), expected) << "the second pass";
}

TEST_P(TextFormat, keeps_missing_values_of_a_single_column) {
  const TestFolder folder;
  const auto column = array_of(arrow::utf8(), {"a", "-", "b", "-"});
  write_table(folder / GetParam(),
              *arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::utf8())}), 4, {column}));
  EXPECT_EQ(texts_of(*read_table(folder / GetParam())), (Rows{{"a"}, {""}, {"b"}, {""}}));
}

INSTANTIATE_TEST_SUITE_P(Endings, TextFormat,
                         ::testing::Values("t.csv", "t.tsv", "t.txt", "t.csv.gz", "t.csv.zst", "t.tsv.gz", "t.TSV.ZST"),
                         name_of_ending);

Rows csv_rows(const std::string& text, const TableOptions& options = {}, char delimiter = ',') {
  const auto batch = read_table(*open_csv(ByteSource(text, "test"), options, delimiter));
  return batch ? texts_of(*batch) : Rows{};
}

TEST(csv, reads_what_programs_write) {
  const Rows expected{{"1", "x"}, {"2", "y"}};
  EXPECT_EQ(csv_rows("a,b\n1,x\n2,y\n"), expected);
  EXPECT_EQ(csv_rows("a,b\n1,x\n2,y"), expected) << "no last line end";
  EXPECT_EQ(csv_rows("a,b\r\n1,x\r\n2,y\r\n"), expected);
  EXPECT_EQ(csv_rows("\xEF\xBB\xBF\"a\",b\n1,x\n2,y\n"), expected) << "byte order mark";
  EXPECT_EQ(csv_rows("a,b\n\n1,x\n\n2,y\n\n"), expected) << "empty lines";
  EXPECT_EQ(csv_rows("a;b\n1;x\n2;\"y\"\n", {}, ';'), expected);
  EXPECT_EQ(csv_rows("b,c,a\nx,,1\ny,,2\n", {.columns = {"a", "b"}}), expected);
}

TEST(csv, keeps_texts_as_they_are) {
  EXPECT_EQ(csv_rows("a,b\n\" 1 \",NA\n\"p\"\"q\",\"\"\"\"\n,\"\"\n5' pipe,\xC3\xA9\n"),
            (Rows{{" 1 ", "NA"}, {"p\"q", "\""}, {"", ""}, {"5' pipe", "\xC3\xA9"}}));
  EXPECT_EQ(csv_rows("a,b\n1,\"two\r\nlines\n\"\n\"\n\",2\n", {.multiline = true}),
            (Rows{{"1", "two\r\nlines\n"}, {"\n", "2"}}));
  EXPECT_EQ(csv_rows("a\nx\n\ny\n"), (Rows{{"x"}, {""}, {"y"}})) << "an empty line of a single column is a value";
}

TEST(csv, a_header_alone_is_a_table_without_rows) {
  EXPECT_EQ(csv_rows("a,b\n"), Rows{});
  EXPECT_EQ(csv_rows("a,b"), Rows{});
}

TEST(csv, without_a_header_the_first_line_is_a_row) {
  const TestFolder folder;
  const Rows expected{{"1", "x"}, {"2", "y"}};
  EXPECT_EQ(csv_rows("1,x\n2,y\n", {.header = false}), expected);
  EXPECT_EQ(csv_rows("\xEF\xBB\xBF\n1,x\n2,y", {.header = false}), expected);
  EXPECT_EQ(csv_rows("5,5\n5,6\n", {.header = false}), (Rows{{"5", "5"}, {"5", "6"}}))
      << "equal values are no equal names";
  EXPECT_EQ(csv_rows("3,x,1\n4,y,2\n", {.header = false, .names = {"c", "b", "a"}, .columns = {"a", "b"}}), expected);
  const auto names = [&](const TableOptions& options) {
    std::vector<std::string> list;
    const auto file = TableFile::open(folder.file("t.csv", "1,x\n"), options);
    for (const StoredColumn& column : file->columns()) list.push_back(column.name);
    return list;
  };
  EXPECT_EQ(names({.header = false}), (std::vector<std::string>{"column_1", "column_2"}));
  EXPECT_EQ(names({.header = false, .names = {"age", "sex"}}), (std::vector<std::string>{"age", "sex"}));
  EXPECT_EQ(names({.names = {"age", "sex"}}), (std::vector<std::string>{"1", "x"}));
}

TEST(csv, quotes_only_where_needed) {
  const TestFolder folder;
  const auto schema = arrow::schema({arrow::field("a,b", arrow::utf8()), arrow::field("n", arrow::int32())});
  const auto batch = arrow::RecordBatch::Make(
      schema, 3, {array_of(arrow::utf8(), {"x y;z", "p,\"q", "-"}), array_of(arrow::int32(), {"1", "-", "-3"})});
  write_table(folder / "t.csv", *batch);
  EXPECT_EQ(bytes_of(folder / "t.csv"), "\"a,b\",n\nx y;z,1\n\"p,\"\"q\",\n,-3\n");
  write_table(folder / "t.csv", *batch, {.delimiter = ';'});
  EXPECT_EQ(bytes_of(folder / "t.csv"), "a,b;n\n\"x y;z\";1\n\"p,\"\"q\";\n;-3\n");
}

TEST(csv, reads_ten_thousand_columns) {
  std::string header, row;
  for (int i = 0; i < 10'000; ++i) {
    header += (i > 0 ? ",c" : "c") + std::to_string(i);
    row += (i > 0 ? ",v" : "v") + std::to_string(i);
  }
  const Rows rows = csv_rows(header + "\n" + row + "\n" + row + "\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].size(), 10'000u);
  EXPECT_EQ(rows[1][9999], "v9999");
}

TEST(csv, rows_and_quotes_across_chunks_stay_whole) {
  // Values of growing length put the cuts everywhere, also into quotes and between \r and \n.
  std::string text = "n,t\r\n";
  Rows expected;
  for (int i = 0; i < 5000; ++i) {
    const std::string value = std::string(static_cast<std::size_t>(i % 7000), 'x') + "\r\n,";
    text += std::to_string(i) + ",\"" + value + "\"\r\n";
    expected.push_back({std::to_string(i), value});
  }
  EXPECT_GT(text.size(), std::size_t{11} << 20);
  EXPECT_EQ(csv_rows(text, {.multiline = true}), expected);
  for (const std::string line_end : {"\r\n", "\n"}) {
    text = "n,t" + line_end;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i][1] = std::string(i % 7000, 'x') + ",";
      text += expected[i][0] + ",\"" + expected[i][1] + "\"" + line_end;
    }
    EXPECT_EQ(csv_rows(text), expected);
  }
}

TEST(csv, reads_a_row_longer_than_a_chunk) {
  const std::string value(std::size_t{9} << 20, 'x');
  EXPECT_EQ(csv_rows("a,b\n1," + value + "\n2,y\n"), (Rows{{"1", value}, {"2", "y"}}));
}

TEST(parquet, gives_text_in_the_form_in_which_it_is_stored) {
  const TestFolder folder;
  constexpr std::int64_t kRows = 200'000;  // more different texts than a row group's dictionary may hold
  const auto many = numbered_rows(0, kRows);
  const auto few = arrow::ConcatenateRecordBatches({numbered_rows(0, 3), numbered_rows(0, 3)}).ValueOrDie();
  write_table(folder / "few.parquet", *few);
  write_table(folder / "many.parquet", *many);
  const auto type_in_first_block = [&](const std::filesystem::path& path) {
    TableBlock block;
    EXPECT_TRUE(TableFile::open(path)->scan()->next(block));
    return block.batch->column(1)->type_id();
  };
  EXPECT_EQ(type_in_first_block(folder / "few.parquet"), arrow::Type::DICTIONARY);
  EXPECT_EQ(type_in_first_block(folder / "many.parquet"), arrow::Type::STRING);
  const auto both = TableFile::open(folder.path());
  EXPECT_EQ(both->columns()[1].type, "string");
  EXPECT_TRUE(read_table(*both)->Equals(*arrow::ConcatenateRecordBatches({few, many}).ValueOrDie()));
}

TEST(parquet_folder, is_one_table_in_the_order_of_names) {
  const TestFolder folder;
  write_table(folder / "b.parquet", *numbered_rows(100, 50));
  write_table(folder / "a.parquet", *numbered_rows(0, 100));
  folder.file("_SUCCESS", "");
  folder.file(".hidden.parquet", "no table");
  const auto back = read_table(folder.path());
  EXPECT_TRUE(back->Equals(*numbered_rows(0, 150)));
}

TEST(table_writer, leaves_nothing_until_closed) {
  const TestFolder folder;
  const auto table = table_of_every_type();
  for (const char* name : {"t.csv", "t.csv.gz", "t.parquet", "t.feather"}) {
    folder.file(name, "before");
    TableWriter::create(folder / name, table->schema())->write(*table);
    EXPECT_EQ(bytes_of(folder / name), "before");
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
    EXPECT_EQ(files, 1u) << name;
    std::filesystem::remove(folder / name);
  }
}

// Puts a file in the place of a descriptor until the end of the scope.
class Redirect {
 public:
  Redirect(int descriptor, const std::filesystem::path& path, const char* mode)
      : descriptor_(descriptor), saved_(::dup(descriptor)) {
    std::fflush(stdout);
    std::FILE* file = std::fopen(path.c_str(), mode);
    ::dup2(::fileno(file), descriptor_);
    std::fclose(file);
  }
  ~Redirect() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }
  Redirect(const Redirect&) = delete;
  Redirect& operator=(const Redirect&) = delete;

 private:
  int descriptor_, saved_;
};

TEST(standard_streams, are_csv) {
  const TestFolder folder;
  {
    const Redirect output(STDOUT_FILENO, folder / "t", "w");
    write_table("-", *numbered_rows(0, 3));
  }
  EXPECT_EQ(bytes_of(folder / "t"), "row,text\n0,text 0\n1,text 1\n2,text 2\n");
  const Redirect input(STDIN_FILENO, folder / "t", "r");
  for (int opening = 0; opening < 2; ++opening) {
    const auto table = TableFile::open("-");
    for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(texts_of(*read_table(*table)), texts_of(*numbered_rows(0, 3)));
  }
}

bool reads_a_stream_from_standard_input() {
  const TestFolder folder;
  write_stream(folder / "t", *numbered_rows(0, 3), 2);
  const Redirect input(STDIN_FILENO, folder / "t", "r");
  return read_table("-")->Equals(*numbered_rows(0, 3));
}

// In a process of its own: standard input can be read but once.
TEST(standard_streams, may_hold_an_arrow_stream) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ASSERT_EXIT(std::exit(reads_a_stream_from_standard_input() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

/// A column of nested values is drafted as free text, which nobody learns from: the draft must fit its own table.
TEST(TableFile, WhatHasNoTextIsFreeText) {
  const TestFolder folder;
  const auto numbers = array_of(arrow::int64(), {"1", "2", "3"});
  const auto nested = arrow::StructArray::Make({numbers}, {arrow::field("inside", arrow::int64())}).ValueOrDie();
  const auto both = arrow::schema({arrow::field("nested", nested->type()), arrow::field("number", arrow::int64())});
  write_stream(folder / "t.arrow", *arrow::RecordBatch::Make(both, 3, {nested, numbers}), 3);
  Draft draft = draft_schema(folder / "t.arrow");
  draft.confirm();
  const Schema schema = draft.reviewed();
  EXPECT_EQ(schema.columns[0].type, ColumnType::text);
  EXPECT_TRUE(check_table(folder / "t.arrow", schema).fits());
}

}  // namespace
}  // namespace sosia
