// SPDX-License-Identifier: Apache-2.0
// Every table of a folder: a schema is drafted, the reviewed one is checked against it, and its rows are encoded and
// decoded again, binned and scaled. Says what was seen in one line a table; exits with 1 if anything was lost.
//   round_trip TABLES SCHEMAS    SCHEMAS/NAME.json is the schema of TABLES/NAME.csv, .csv.gz or .parquet
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <sosia/draft.h>
#include <sosia/table.h>

#include "compare.h"
#include "data/codec.h"
#include "data/table_file.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::int64_t rows = 0;
  int fields = 0;
  double seconds = 0;     // of reading and encoding
  std::string lost = {};  // a column that did not come back
};

/// The rows of one block there and back; the numbers must be the same when the decoded table is encoded again.
void pass_block(const Codec& codec, const CodecOptions& options, const arrow::RecordBatch& before, std::mt19937& random,
                Outcome& outcome) {
  const auto count = static_cast<std::size_t>(before.num_rows()), width = static_cast<std::size_t>(codec.width()),
             draws = static_cast<std::size_t>(codec.draws());
  std::vector<float> rows(count * width), again(count * width), uniforms(count * draws);
  Trouble trouble;
  const auto start = std::chrono::steady_clock::now();
  codec.encode(before, {rows.data(), count, width}, trouble);
  outcome.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (float& uniform : uniforms) uniform = static_cast<float>(random() >> 8) * 0x1p-24F;
  const auto after = codec.decode({rows.data(), count, width}, MatrixView<const float>(uniforms.data(), count, draws));
  codec.encode(*after, {again.data(), count, width}, trouble);
  const auto differing =
      static_cast<std::size_t>(std::mismatch(rows.begin(), rows.end(), again.begin()).first - rows.begin());
  if (differing < rows.size()) outcome.lost = codec.fields()[differing % width].column;
  for (const Column& column : codec.schema().columns) {
    if (!has_values(column.type) && !has_bounds(column.type)) continue;
    const auto in = before.GetColumnByName(column.name), out = after->GetColumnByName(column.name);
    if (!in || !out || !same_cells(column, *in, *out, options)) outcome.lost = column.name;
  }
}

Outcome round_trip(const fs::path& table, const Schema& schema, const CodecOptions& options) {
  const auto file = TableFile::open(table);
  const Codec codec(schema, options);
  Outcome outcome{.fields = codec.width()};
  std::mt19937 random(1);
  const auto scan = file->scan();
  for (TableBlock block;;) {
    const auto start = std::chrono::steady_clock::now();
    const bool more = scan->next(block);
    outcome.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!more) return outcome;
    outcome.rows += block.batch->num_rows();
    pass_block(codec, options, *block.batch, random, outcome);
  }
}

/// Why the schema does not fit the table; empty if it does, with nothing outside, unreadable or not reviewed.
std::string misfit(const fs::path& table, const Schema& schema) {
  const CheckReport report = check_table(table, schema, {.outside = Outside::refuse});
  if (!report.absent.empty()) return fmt::format("column {} is not in the table", report.absent.front());
  if (!report.unreviewed.empty()) return fmt::format("{} is not reviewed", report.unreviewed.front());
  for (const ColumnCheck& column : report.columns) {
    if (!column.fits()) return fmt::format("column {} does not fit its schema", column.name);
  }
  return report.fits() ? "" : "the table does not fit its schema";
}

std::string problem_with(const fs::path& table, const Schema& schema, std::string& line) {
  const Draft draft = draft_schema(table);
  if (draft.unreviewed().empty()) return "the draft claims to be reviewed";
  for (const Column& column : schema.columns) {
    if (draft.private_facts().find(column.name) == nullptr)
      return fmt::format("the draft lacks column {}", column.name);
  }
  if (std::string why = misfit(table, schema); !why.empty()) return why;
  const Outcome bins = round_trip(table, schema, {.numbers = NumberCoding::bins});
  const Outcome scaled = round_trip(table, schema, {.numbers = NumberCoding::scaled});
  const double megabytes = static_cast<double>(fs::file_size(table)) / 1e6;
  line = fmt::format("{:>8} {:>8} {:>8} {:>8} {:>8.1f} {:>10.0f}", bins.rows, schema.columns.size(), bins.fields,
                     scaled.fields, megabytes / bins.seconds, static_cast<double>(bins.rows) / bins.seconds);
  if (!bins.lost.empty()) return fmt::format("binned, column {} did not come back", bins.lost);
  if (!scaled.lost.empty()) return fmt::format("scaled, column {} did not come back", scaled.lost);
  return "";
}

bool pass_table(const std::string& name, const fs::path& table, const Schema& schema) {
  std::string line, problem;
  try {
    problem = problem_with(table, schema, line);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  fmt::print("{:<20}{:>55} {}\n", name, line, problem.empty() ? "ok" : problem);
  std::fflush(stdout);
  return problem.empty();
}

fs::path table_named(const fs::path& folder, const std::string& name) {
  for (const char* ending : {".csv", ".csv.gz", ".parquet"}) {
    if (fs::exists(folder / (name + ending))) return folder / (name + ending);
  }
  return folder / (name + ".csv");  // opening it says that it is not there
}

int run(const fs::path& tables, const fs::path& schemas) {
  std::vector<fs::path> paths(fs::directory_iterator{schemas}, fs::directory_iterator{});
  std::sort(paths.begin(), paths.end());
  fmt::print("{:<20}{:>8} {:>8} {:>8} {:>8} {:>8} {:>10}  binned and scaled, there and back\n", "table", "rows",
             "columns", "binned", "scaled", "MB/s", "rows/s");
  bool good = true;
  for (const fs::path& path : paths) {
    const std::string name = path.stem().string();
    good &= pass_table(name, table_named(tables, name), read_schema(path));
  }
  // The sets have no dates and are text; this made-up table has dates, and types.
  const fs::path clinic = tables / "clinic.parquet";
  write_example("clinic", clinic);
  good &= pass_table("clinic (made up)", clinic, example_schema("clinic"));
  return good && !paths.empty() ? 0 : 1;
}

}  // namespace
}  // namespace sosia

int main(int argc, char** argv) try {
  if (argc != 3) {
    fmt::print(stderr, "round_trip TABLES SCHEMAS\n");
    return 2;
  }
  return sosia::run(argv[1], argv[2]);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
