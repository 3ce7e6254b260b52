// SPDX-License-Identifier: Apache-2.0
// Passes by several threads.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "base/thread_pool.h"
#include "data/table_file.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

void write_numbered(const std::filesystem::path& path, std::int64_t rows, std::int64_t step) {
  if (path.extension() == ".arrow") return write_stream(path, *numbered_rows(0, rows), step);
  const auto writer = TableWriter::create(path, numbered_rows(0, 0)->schema());
  for (std::int64_t first = 0; first < rows; first += step) writer->write(*numbered_rows(first, step));
  writer->close();
}

/// How often each row came, given that it came under its number.
std::vector<int> visits(const TableFile& table, std::int64_t rows, ThreadPool& pool) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(rows));
  const auto scan = table.scan();
  pool.run([&](int) {
    TableBlock block;
    while (scan->next(block)) {
      const auto column = block.batch->GetColumnByName("row");
      for (std::int64_t i = 0; i < block.batch->num_rows(); ++i) {
        const std::int64_t number = column->type_id() == arrow::Type::INT64
                                        ? static_cast<const arrow::Int64Array&>(*column).Value(i)
                                        : std::stoll(static_cast<const arrow::StringArray&>(*column).GetString(i));
        if (number == block.first_row + i) ++seen.at(static_cast<std::size_t>(number));
      }
    }
  });
  return {seen.begin(), seen.end()};
}

class Stream : public ::testing::TestWithParam<const char*> {};

TEST_P(Stream, every_row_comes_once_under_its_number) {
  constexpr std::int64_t kRows = 1'000'000;
  const TestFolder folder;
  write_numbered(folder / GetParam(), kRows, 100'000);
  const auto table = TableFile::open(folder / GetParam());
  for (const int threads : {1, 4, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(visits(*table, kRows, pool), std::vector<int>(kRows, 1)) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, Stream, ::testing::Values("t.csv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"),
                         name_of_ending);

TEST(stream, a_scan_may_be_left_early) {
  const TestFolder folder;
  for (const char* name : {"t.csv", "t.parquet", "t.feather"}) {
    write_numbered(folder / name, 600'000, 100'000);
    const auto scan = TableFile::open(folder / name)->scan();
    TableBlock block;
    EXPECT_TRUE(scan->next(block));
  }
}

TEST(stream, the_first_error_of_the_file_is_the_one_that_is_reported) {
  const TestFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 2'000'000; ++i) text += i % 500'000 == 499'999 ? "broken\n" : "12345,x\n";
  const auto table = TableFile::open(folder.file("t.csv", text));
  for (const int threads : {1, 5}) {
    ThreadPool pool(threads);
    const auto scan = table->scan();
    std::atomic<int> errors = 0;
    pool.run([&](int) {
      try {
        for (TableBlock block; scan->next(block);) continue;
      } catch (const Error& error) {
        if (error.where().ends_with("line 500001")) ++errors;
      }
    });
    EXPECT_EQ(errors, threads) << "nobody may take the scan for complete";
  }
}

TEST(stream, after_an_error_nobody_takes_the_scan_for_complete) {
  const TestFolder folder;
  for (const std::string name : {"t.parquet", "t.feather"}) {
    write_numbered(folder / name, 600'000, 100'000);
    std::string bytes = bytes_of(folder / name);
    for (std::size_t i = 1000; i < 100'000; ++i) bytes[i] = 'x';
    const auto scan = TableFile::open(folder.file(name, bytes))->scan();
    TableBlock block;
    for (int call = 0; call < 20; ++call) EXPECT_THROW(while (scan->next(block)){}, Error) << name;
  }
}

}  // namespace
}  // namespace sosia
