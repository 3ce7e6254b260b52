// SPDX-License-Identifier: Apache-2.0
// Tables larger than the memory they may take. Not under sanitizers, which need memory of their own.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "data/table_file.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

// In bytes.
std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

// 2 million rows of ten columns.
void write_large(const std::filesystem::path& path) {
  const auto rows = numbered_rows(1'000'000, 50'000);
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (int i = 0; i < 10; ++i) {
    fields.push_back(arrow::field(std::to_string(i), rows->column(i % 2)->type()));
    arrays.push_back(rows->column(i % 2));
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), rows->num_rows(), arrays);
  const auto writer = TableWriter::create(path, batch->schema());
  for (int i = 0; i < 40; ++i) writer->write(*batch);
  writer->close();
}

// The values take 240 MiB, 8 bytes a number and 16 a text with its offset. Reading them may add 160 MiB to the most
// that the program took before, twice what it was seen to add. Another process writes, so that its peak does not count.
TEST(stream, memory_does_not_grow_with_the_table) {
  constexpr std::int64_t kBound = std::int64_t{160} << 20;
  const TestFolder folder;
  for (const std::string name : {"t.csv", "t.parquet", "t.feather"}) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      write_large(folder / name);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_EQ(status, 0);
    const std::int64_t before = peak_memory();
    std::int64_t rows = 0;
    const auto scan = TableFile::open(folder / name)->scan();
    for (TableBlock block; scan->next(block);) rows += block.batch->num_rows();
    EXPECT_EQ(rows, 2'000'000);
    EXPECT_LT(peak_memory() - before, kBound) << name;
    RecordProperty(name, std::to_string((peak_memory() - before) >> 20));
    std::filesystem::remove(folder / name);
  }
}

}  // namespace
}  // namespace sosia
