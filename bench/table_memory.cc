// SPDX-License-Identifier: Apache-2.0
// A table larger than the memory it may take: a made-up clinic in a Parquet file is encoded and embedded through the
// door, each row a unit of its own and then with all rows of a patient as one. Exits with 1 if the process ever held
// 1 GiB.
//   table_memory FILE [ROWS [THREADS]]    FILE is made if it is not there, with 20 million rows if not said
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sosia/ledger.h>
#include <sosia/table.h>

#include "base/thread_pool.h"
#include "data/encoded_rows.h"
#include "privacy/bounded_map.h"
#include "privacy/door_test_support.h"
#include "random/public_rng.h"

namespace {

using namespace sosia;

constexpr double kMebibyte = 1048576.0;
constexpr double kMemoryLimit = 1024.0;  // MiB

/// cos(frequency * row + phase) for each feature.
class CosineFeatures : public BoundedMap {
 public:
  CosineFeatures(int columns, int features) : columns_(static_cast<std::size_t>(columns)), features_(features) {
    PublicRng rng(1);
    for (int i = 0; i < (columns + 1) * features; ++i) weights_.push_back(static_cast<float>(rng.normal()));
  }
  int dim() const override { return features_; }
  double norm_bound() const override { return 1.0; }
  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    const float scale = 1.0F / std::sqrt(static_cast<float>(features_));
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const float* weight = weights_.data();
      for (float& out : vectors.row(r)) {
        float angle = *weight++;
        for (std::size_t c = 0; c < columns_; ++c) angle += *weight++ * rows.row(r)[c];
        out = scale * std::cos(angle);
      }
    }
  }

 private:
  std::size_t columns_;
  int features_;
  std::vector<float> weights_;
};

/// The most that this process has held, in MiB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// In another process, whose memory does not count.
void make_file(const std::filesystem::path& file, std::int64_t rows) {
  const pid_t child = ::fork();
  if (child == 0) {
    write_example("clinic", file, {.rows = rows});
    ::_exit(0);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("no table was made");
}

void report(const char* what, std::int64_t rows, std::chrono::steady_clock::time_point start) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:<32}{:>8.1f} s {:>10.0f} rows/s   peak {:>5.0f} MiB\n", what, seconds,
             static_cast<double>(rows) / seconds, peak_memory());
  std::fflush(stdout);
}

void embed(const std::filesystem::path& file, std::int64_t rows, bool with_units, ThreadPool& threads) {
  const Schema schema = example_schema("clinic");
  Promise promise{.epsilon = 1e6, .delta = 0.01};
  if (with_units) promise.unit = schema.unit;
  const std::string suffix = with_units ? ", by patient" : ", by row";

  const Codec bins(schema);
  std::vector<CountSlot> slots;
  for (const Field& field : bins.fields()) slots.push_back({static_cast<std::uint32_t>(field.width), 1.0});
  const auto units = with_units ? std::optional<UnitHash>(std::in_place) : std::nullopt;
  auto start = std::chrono::steady_clock::now();
  const PrivateTable counted(encoded_rows(TableFile::open(file), bins, units));
  Ledger::for_tests(promise, 1).noisy_counts(counted, ColumnCounts(slots), {.noise = 3.0}, threads);
  report(("counts of every column" + suffix).c_str(), rows, start);

  const Codec scaled(schema, {.numbers = NumberCoding::scaled});
  start = std::chrono::steady_clock::now();
  const PrivateTable embedded(encoded_rows(TableFile::open(file), scaled, units));
  Ledger::for_tests(promise, 1).noisy_sum(embedded, CosineFeatures(scaled.width(), 100), {.noise = 3.0}, threads);
  report(("100 cosine features" + suffix).c_str(), rows, start);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "table_memory FILE [ROWS [THREADS]]\n");
    return 2;
  }
  const std::filesystem::path file = argv[1];
  const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 20'000'000;
  ThreadPool threads(argc > 3 ? std::atoi(argv[3]) : 2);
  if (!std::filesystem::exists(file)) make_file(file, rows);
  fmt::print("{} rows, {:.0f} MiB, {} threads\n", rows,
             static_cast<double>(std::filesystem::file_size(file)) / kMebibyte, threads.size());
  for (const bool with_units : {false, true}) embed(file, rows, with_units, threads);
  const bool good = peak_memory() < kMemoryLimit;
  fmt::print("{}: at most {:.0f} of {:.0f} MiB\n", good ? "good" : "TOO MUCH", peak_memory(), kMemoryLimit);
  return good ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
