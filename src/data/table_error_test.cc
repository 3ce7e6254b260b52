// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file is said with its place and without a cell.
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "data/table_file.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Stands in cells only.
const std::string kSecret = "Secret4711";

/// The error of the code, with nothing of the cells in it.
Error error_of(const std::function<void()>& code) {
  try {
    code();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr(kSecret)));
    EXPECT_THAT(error.what(), Not(HasSubstr("4711")));
    EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::internal, "", "", ""};
}

Error read_error(const std::filesystem::path& path, const TableOptions& options = {}) {
  return error_of([&] { read_table(path, options); });
}

struct Case {
  std::string text, problem, where;
};

TEST(csv_errors, say_what_and_on_which_line) {
  const TestFolder folder;
  const std::string good = "a,b,c\n1,2," + kSecret + "\n";
  const std::vector<Case> cases{
      {good + "1," + kSecret + "\n", "2 values where the first line has 3", "t.csv, line 3"},
      {good + "1,2,3," + kSecret + "\n", "4 values where the first line has 3", "t.csv, line 3"},
      {good + "\n" + kSecret + "\n1,2,3\n", "1 values where the first line has 3", "t.csv, line 4"},
      {"a,b,c\r\n1,2,3\r\n" + kSecret + ",2\r\n", "2 values", "t.csv, line 3"},
      {good + kSecret + ",2", "2 values where the first line has 3", "t.csv, line 3"},
      {good + "1,2,\"" + kSecret + "\n4,5,6\n", "not closed in its line", "t.csv, line 3"},
      {good + "1,2,\"" + kSecret + "\n4\",5,6\n", "not closed in its line", "t.csv, line 3"},
      {good + "1,\"" + kSecret, "not closed in its line", "t.csv, line 3"},
      {"a,\"b\n" + kSecret + ",2\n", "not closed in its line", "t.csv, line 1"},
      {good + "1,\"" + kSecret + "\" ,2\n", "text follows a closing quote", "t.csv, line 3"},
      {good + "1,\"" + kSecret + "\\\"\",2\n\"\",2,3\n", "not closed in its line", "t.csv, line 3"},
      {good + "1,\"\\\"" + kSecret + "\",2\n", "text follows a closing quote", "t.csv, line 3"},
      {good + "1, \"" + kSecret + "\",2\n", "a quote stands in a cell that is not in quotes", "t.csv, line 3"},
      {good + kSecret + "\r\n", "a line end is not that of the first line", "t.csv, line 3"},
      {good + kSecret + "\r1,2,3\n", "a line end is not that of the first line", "t.csv, line 3"},
      {good + "1,\"\r" + kSecret + "\",3\n", "not closed in its line", "t.csv, line 3"},
      {"a,b\r\n1,2\r\n" + kSecret + ",2\n", "a line end is not that of the first line", "t.csv, line 3"},
      {"a\rb\r" + kSecret, "a line end is not that of the first line", "t.csv, line 1"},
      {good + "1,2," + kSecret + "\xFF\n", "not UTF-8", "t.csv, line 3"},
      {good + "\n\n1,\xE9," + kSecret + "\n", "not UTF-8", "t.csv, line 5"},
      {"a,\xE9\n1," + kSecret + "\n", "name of column 2 is not UTF-8", "t.csv"},
      {std::string("\xFF\xFE") + "a,b\n" + kSecret, "UTF-16", "t.csv"},
      {"", "empty", "t.csv"},
      {"\n\n\n", "empty", "t.csv"},
      {"\xEF\xBB\xBF", "empty", "t.csv"},
      {"a,b,a\n1,2," + kSecret + "\n", "columns 1 and 3 have the same name", "t.csv"},
  };
  for (const Case& c : cases) {
    const Error error = read_error(folder.file("t.csv", c.text));
    EXPECT_EQ(error.kind(), ErrorKind::data) << c.text;
    EXPECT_THAT(error.problem(), HasSubstr(c.problem)) << c.text;
    EXPECT_TRUE(error.where().ends_with(c.where)) << error.where() << " for " << c.text;
  }
}

TEST(csv_errors, count_the_lines_inside_quotes) {
  const TestFolder folder;
  const std::string good = "a,b\n1,\"" + kSecret + "\n\n\"\n";
  const std::vector<Case> cases{
      {good + kSecret + "\n1,2\n", "1 values where the first line has 2", "t.csv, line 5"},
      {good + "1,\"" + kSecret + "\n\n", "never closed", "t.csv, line 5"},
      {good + "1,\"" + kSecret + "\n\n\"x\n", "text follows a closing quote", "t.csv, line 7"},
      {good + "1,\xE9," + kSecret + "\n", "not UTF-8", "t.csv, line 5"},
  };
  for (const Case& c : cases) {
    const Error error = read_error(folder.file("t.csv", c.text), {.multiline = true});
    EXPECT_THAT(error.problem(), HasSubstr(c.problem)) << c.text;
    EXPECT_TRUE(error.where().ends_with(c.where)) << error.where() << " for " << c.text;
  }
}

TEST(csv_errors, never_show_the_first_line_of_a_file_without_names) {
  const TestFolder folder;
  const std::string row = kSecret + ",1," + kSecret + "x\n";
  const std::vector<std::pair<std::string, TableOptions>> cases{
      {row, {.columns = {"age"}}},
      {row, {.header = false, .columns = {"age"}}},
      {row, {.header = false, .names = {"age"}}},
      {row + "1,2\n", {}},
      {row + "1,2\n", {.header = false}},
      {kSecret + "," + kSecret + "\n", {}},
      {kSecret + "\xFF," + kSecret + "\n", {}},
      {"\"" + kSecret, {}},
      {"\"" + kSecret, {.header = false}},
  };
  for (const auto& [text, options] : cases) read_error(folder.file("t.csv", text), options);
  EXPECT_THAT(read_error(folder.file("t.csv", row), {.header = false, .names = {"age", "sex"}}).problem(),
              HasSubstr("3 columns without names, and there are 2 names"));
  EXPECT_THAT(read_error(folder.file("t.csv", row + "1\n"), {.header = false}).where(), HasSubstr("t.csv, line 2"));
}

TEST(csv_errors, count_lines_across_chunks) {
  const TestFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 1'000'000; ++i) text += "12345,\"x\"\n";
  const auto path = folder.file("t.csv", text + kSecret + "\n" + text);
  EXPECT_THAT(read_error(path).where(), HasSubstr("t.csv, line 1000002"));
}

TEST(csv_errors, refuse_endless_rows) {
  const TestFolder folder;
  std::string text = "a,b\n1,\"" + kSecret;
  text.resize(std::size_t{70} << 20, 'x');
  EXPECT_THAT(read_error(folder.file("t.csv", text)).problem(), HasSubstr("longer than 64 MiB"));
  EXPECT_THAT(read_error(folder / "t.csv", {.multiline = true}).problem(), HasSubstr("longer than 64 MiB"));
  text.resize(std::size_t{65} << 20);
  EXPECT_THAT(read_error(folder.file("t.csv", text + "\"\n2,3\n")).problem(), HasSubstr("longer than 64 MiB"))
      << "wherever the chunks are cut";
}

TEST(file_errors, name_the_file_and_the_remedy) {
  const TestFolder folder;
  Error error = read_error(folder / "none.csv");
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.problem(), HasSubstr("no such file"));
  EXPECT_THAT(read_error(folder / "none.parquet").where(), HasSubstr("none.parquet"));
  error = read_error(folder.path());
  EXPECT_THAT(error.problem(), HasSubstr("no Parquet file"));
  error = read_error(folder.file("t.xlsx", kSecret));
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.fix(), HasSubstr(".csv, .tsv and .txt (also with .gz or .zst), .parquet, .feather"));
  EXPECT_EQ(read_error(folder.file("t.parquet.gz", kSecret)).kind(), ErrorKind::usage);
  error = read_error(folder.file("t.csv", "a,b\n1," + kSecret + "\n"), {.columns = {"a", "age"}});
  EXPECT_THAT(error.problem(), HasSubstr("no column \"age\""));
  EXPECT_THAT(error.problem(), HasSubstr("among the 2"));
  EXPECT_EQ(read_error(folder / "t.csv", {.columns = {"a", "a"}}).kind(), ErrorKind::usage);
  EXPECT_EQ(read_error(folder / "t.csv", {.delimiter = '"'}).kind(), ErrorKind::usage);
  EXPECT_EQ(read_error(folder / "t.csv", {.delimiter = '\\', .quotes = Quotes::escaped}).kind(), ErrorKind::usage);
}

std::shared_ptr<arrow::RecordBatch> secret_table() {
  const std::vector<std::string> words(1000, kSecret);
  const auto schema = arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::utf8())});
  return arrow::RecordBatch::Make(schema, 1000, {array_of(arrow::utf8(), words), array_of(arrow::utf8(), words)});
}

TEST(file_errors, damaged_files_are_refused_wherever_they_are_cut) {
  const TestFolder folder;
  for (const char* name : {"t.parquet", "t.feather", "t.csv.gz", "t.csv.zst"}) {
    write_table(folder / name, *secret_table());
    const std::string bytes = bytes_of(folder / name);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50) {
      folder.file(name, bytes.substr(0, size));
      // Nothing at all is an empty file to gzip and zstd.
      const Error error = read_error(folder / name);
      EXPECT_THAT(error.problem(), ::testing::AnyOf(HasSubstr("cut short"), HasSubstr("empty"))) << name << size;
      EXPECT_THAT(error.where(), HasSubstr(name));
    }
  }
}

TEST(file_errors, changed_bytes_never_show_a_cell) {
  const TestFolder folder;
  for (const char* name : {"t.parquet", "t.feather", "t.csv.gz", "t.csv.zst"}) {
    write_table(folder / name, *secret_table());
    const std::string bytes = bytes_of(folder / name);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 200) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      folder.file(name, changed);
      try {
        read_table(folder / name);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), Not(HasSubstr("4711"))) << name;
      }
    }
  }
}

TEST(file_errors, missing_and_repeated_columns_of_typed_files) {
  const TestFolder folder;
  const auto table = secret_table();
  for (const char* name : {"t.parquet", "t.feather"}) {
    write_table(folder / name, *table);
    EXPECT_THAT(read_error(folder / name, {.columns = {"c"}}).problem(), HasSubstr("no column \"c\" among the 2"));
    const auto schema = arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("a", arrow::utf8())});
    write_table(folder / name, *arrow::RecordBatch::Make(schema, 1000, table->columns()));
    EXPECT_THAT(read_error(folder / name).problem(), HasSubstr("columns 1 and 2 have the same name"));
  }
}

TEST(file_errors, text_that_is_not_utf8_is_refused_in_typed_files_too) {
  const TestFolder folder;
  const auto schema = arrow::schema({arrow::field("a", arrow::utf8())});
  const auto bad = array_of(arrow::utf8(), {kSecret, kSecret + "\xFF"});
  for (const char* name : {"t.parquet", "t.feather"}) {
    write_table(folder / name, *arrow::RecordBatch::Make(schema, 2, {bad}));
    EXPECT_THAT(read_error(folder / name).problem(), HasSubstr("column \"a\" is damaged, or holds text that is not"));
  }
}

TEST(file_errors, folders_of_different_tables_are_refused) {
  const TestFolder folder;
  write_table(folder / "a.parquet", *secret_table());
  write_table(folder / "b.parquet", *numbered_rows(0, 3));
  const Error error = read_error(folder.path());
  EXPECT_THAT(error.problem(), HasSubstr("different columns or types"));
  EXPECT_THAT(error.where(), HasSubstr("b.parquet against "));
}

TEST(writer_errors, name_the_file_and_the_column) {
  const TestFolder folder;
  const auto create = [&](const std::string& name, const std::shared_ptr<arrow::DataType>& type) {
    return error_of([&] { TableWriter::create(folder / name, arrow::schema({arrow::field("x", type)})); });
  };
  EXPECT_EQ(create("none/t.csv", arrow::utf8()).kind(), ErrorKind::io);
  EXPECT_THAT(create("none/t.parquet", arrow::utf8()).where(), HasSubstr("none/t.parquet"));
  EXPECT_EQ(create("t.xlsx", arrow::utf8()).kind(), ErrorKind::usage);
  EXPECT_THAT(create("t.csv", arrow::list(arrow::utf8())).problem(), HasSubstr("\"x\" of type list<"));
  std::filesystem::create_directory(folder / "t.csv");
  EXPECT_THAT(create("t.csv", arrow::utf8()).problem(), HasSubstr("a folder of this name"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "t.csv"));
}

}  // namespace
}  // namespace sosia
