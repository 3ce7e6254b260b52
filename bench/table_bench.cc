// SPDX-License-Identifier: Apache-2.0
// Reading and writing tables of 30 mixed columns, in MB/s of the file. bench/table_read.py puts pyarrow beside it.
//   table_bench [--benchmark_...] [FOLDER ROWS]    the tables stay in FOLDER and are made if they are not there
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <benchmark/benchmark.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "base/thread_pool.h"
#include "data/table_file.h"

namespace {

using namespace sosia;
namespace fs = std::filesystem;

constexpr int kColumns = 30;
constexpr std::int64_t kBlock = 50'000;

// Numbers that look drawn, the same everywhere.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 32);
}

template <class Builder, class F>
std::shared_ptr<arrow::Array> column_of(std::int64_t rows, F value, const std::shared_ptr<arrow::DataType>& type) {
  Builder builder(type, arrow::default_memory_pool());
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t draw = mixed(static_cast<std::uint64_t>(i) * kColumns + 1);
    const arrow::Status status = draw % 50 == 0 ? builder.AppendNull() : builder.Append(value(mixed(draw)));
    if (!status.ok()) std::abort();
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> make_block(std::int64_t rows) {
  static const std::vector<std::string> kWords{"never married", "divorced", "married", "widowed", "separated", "other"};
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (unsigned c = 0; c < kColumns; ++c) {
    std::shared_ptr<arrow::Array> array;
    if (c % 3 == 0) {
      array = column_of<arrow::Int64Builder>(
          rows, [&](std::uint64_t x) { return static_cast<std::int64_t>((x + c) % 100'000); }, arrow::int64());
    } else if (c % 3 == 1) {
      array = column_of<arrow::DoubleBuilder>(
          rows, [&](std::uint64_t x) { return std::round(static_cast<double>((x + c) % 1'000'000)) / 100.0; },
          arrow::float64());
    } else {
      array = column_of<arrow::StringBuilder>(
          rows, [&](std::uint64_t x) { return kWords[(x + c) % kWords.size()]; }, arrow::utf8());
    }
    fields.push_back(arrow::field("column_" + std::to_string(c), array->type()));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, arrays);
}

void write_rows(const fs::path& path, std::int64_t rows) {
  static const std::shared_ptr<arrow::RecordBatch> block = make_block(kBlock);
  const auto writer = TableWriter::create(path, block->schema());
  for (std::int64_t row = 0; row < rows; row += kBlock) writer->write(*block->Slice(0, std::min(kBlock, rows - row)));
  writer->close();
}

void count_bytes(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  const auto bytes = static_cast<double>(fs::file_size(path)) * static_cast<double>(state.iterations());
  state.counters["MB/s"] = benchmark::Counter(bytes / 1e6, benchmark::Counter::kIsRate);
  state.SetItemsProcessed(state.iterations() * rows);
}

void read(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    std::atomic<std::int64_t> seen = 0;
    const auto scan = TableFile::open(path)->scan();
    pool.run([&](int) {
      for (TableBlock block; scan->next(block);) seen += block.batch->num_rows();
    });
    if (seen != rows) state.SkipWithError("rows are lost");
  }
  count_bytes(state, path, rows);
}

void write(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  for (auto _ : state) write_rows(path, rows);
  count_bytes(state, path, rows);
}

void run(const fs::path& folder, std::int64_t rows) {
  for (const std::string name : {"t.csv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.feather"}) {
    const fs::path path = folder / name, copy = folder / ("copy_" + name);
    if (!fs::exists(path)) write_rows(path, rows);
    benchmark::RegisterBenchmark(("read/" + name).c_str(), [=](benchmark::State& state) { read(state, path, rows); })
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("write/" + name).c_str(), [=](benchmark::State& state) { write(state, copy, rows); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace

int main(int argc, char** argv) try {
  benchmark::Initialize(&argc, argv);
  if (argc == 3) {
    run(argv[1], std::atoll(argv[2]));
    return 0;
  }
  std::string folder = (fs::temp_directory_path() / "sosia_bench_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  run(folder, 100'000);
  fs::remove_all(folder);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
