// SPDX-License-Identifier: Apache-2.0
// Reading, encoding and writing tables of 30 mixed columns, in MB/s of the file. bench/table_read.py puts pyarrow
// beside.
//   table_bench [--benchmark_...] [FOLDER ROWS]    the tables stay in FOLDER and are made if they are not there
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/thread_pool.h>
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "base/thread_pool.h"
#include "data/encoded_rows.h"
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

const std::vector<std::string> kWords{"never married", "divorced", "married", "widowed", "separated", "other"};

// One cell in 50 is missing.
template <class Builder, class F>
std::shared_ptr<arrow::Array> column_of(std::int64_t first, std::int64_t rows, unsigned column, F value) {
  Builder builder;
  for (std::int64_t i = first; i < first + rows; ++i) {
    const std::uint64_t draw = mixed(static_cast<std::uint64_t>(i) * kColumns + column + 1);
    const arrow::Status status = draw % 50 == 0 ? builder.AppendNull() : builder.Append(value(mixed(draw)));
    if (!status.ok()) std::abort();
  }
  return builder.Finish().ValueOrDie();
}

// Whole numbers, amounts and words in turns.
std::shared_ptr<arrow::RecordBatch> make_block(std::int64_t first, std::int64_t rows) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (unsigned c = 0; c < kColumns; ++c) {
    std::shared_ptr<arrow::Array> array;
    if (c % 3 == 0) {
      array = column_of<arrow::Int64Builder>(first, rows, c,
                                             [](std::uint64_t x) { return static_cast<std::int64_t>(x % 100'000); });
    } else if (c % 3 == 1) {
      array = column_of<arrow::DoubleBuilder>(
          first, rows, c, [](std::uint64_t x) { return static_cast<double>(x % 1'000'000) / 100.0; });
    } else {
      array =
          column_of<arrow::StringBuilder>(first, rows, c, [](std::uint64_t x) { return kWords[x % kWords.size()]; });
    }
    fields.push_back(arrow::field("column_" + std::to_string(c), array->type()));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, arrays);
}

Schema make_schema() {
  Schema schema;
  for (int c = 0; c < kColumns; ++c) {
    Column column{.name = "column_" + std::to_string(c), .missing = true};
    if (c % 3 == 2) {
      column.values = kWords, column.outside = Outside::other;
    } else {
      column.type = c % 3 == 0 ? ColumnType::integer : ColumnType::real;
      column.min = 0, column.max = c % 3 == 0 ? 100'000 : 10'000, column.decimals = 2;
    }
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

void write_rows(const fs::path& path, std::int64_t rows) {
  const auto writer = TableWriter::create(path, make_block(0, 0)->schema());
  for (std::int64_t row = 0; row < rows; row += kBlock) {
    writer->write(*make_block(row, std::min(kBlock, rows - row)));
  }
  writer->close();
}

void count_bytes(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  const auto bytes = static_cast<double>(fs::file_size(path)) * static_cast<double>(state.iterations());
  state.counters["MB/s"] = benchmark::Counter(bytes / 1e6, benchmark::Counter::kIsRate);
  state.SetItemsProcessed(state.iterations() * rows);
}

// Arrow has threads of its own, beside those that ask for blocks: as many.
ThreadPool pool_of(const benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  if (!arrow::SetCpuThreadPoolCapacity(threads).ok()) std::abort();
  return ThreadPool(threads);
}

void read(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  ThreadPool pool = pool_of(state);
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

void encode(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  ThreadPool pool = pool_of(state);
  const Codec codec(make_schema());
  for (auto _ : state) {
    std::atomic<std::int64_t> seen = 0;
    const auto source = encoded_rows(TableFile::open(path), codec, std::nullopt);
    const auto scan = source->scan();
    pool.run([&](int) {
      for (RowBlock block; scan->next(block);) seen += static_cast<std::int64_t>(block.rows.rows);
    });
    if (seen != rows) state.SkipWithError("rows are lost");
  }
  count_bytes(state, path, rows);
}

void write(benchmark::State& state, const fs::path& path, std::int64_t rows) {
  const auto block = make_block(0, kBlock);
  for (auto _ : state) {
    const auto writer = TableWriter::create(path, block->schema());
    for (std::int64_t row = 0; row < rows; row += kBlock) writer->write(*block->Slice(0, std::min(kBlock, rows - row)));
    writer->close();
  }
  count_bytes(state, path, rows);
}

using Work = void (*)(benchmark::State&, const fs::path&, std::int64_t);

void add(const std::string& name, Work work, const fs::path& path, std::int64_t rows, bool threaded) {
  auto* const one =
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { work(state, path, rows); });
  one->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
  if (threaded) one->ArgName("threads")->Arg(1)->Arg(2);
}

void run(const fs::path& folder, std::int64_t rows) {
  for (const std::string name : {"t.csv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.feather"}) {
    const fs::path path = folder / name;
    if (!fs::exists(path)) write_rows(path, rows);
    add("read/" + name, read, path, rows, true);
    add("encode/" + name, encode, path, rows, true);
    add("write/" + name, write, folder / ("copy_" + name), rows, false);
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
