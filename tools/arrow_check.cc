// SPDX-License-Identifier: Apache-2.0
// Shows that the Arrow C++ found by the set-up compiles, links and runs: builds a table, reads a CSV from memory,
// compares.
#include <arrow/api.h>
#include <arrow/csv/api.h>
#include <arrow/io/api.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

arrow::Result<std::shared_ptr<arrow::Table>> built_table() {
  arrow::Int64Builder ages;
  ARROW_RETURN_NOT_OK(ages.AppendValues({31, 47}));
  arrow::StringBuilder towns;
  ARROW_RETURN_NOT_OK(towns.AppendValues({"Pisa", "Bari"}));
  ARROW_ASSIGN_OR_RAISE(auto age, ages.Finish());
  ARROW_ASSIGN_OR_RAISE(auto town, towns.Finish());
  const auto schema = arrow::schema({arrow::field("age", arrow::int64()), arrow::field("town", arrow::utf8())});
  return arrow::Table::Make(schema, {age, town});
}

arrow::Result<std::shared_ptr<arrow::Table>> parsed_table() {
  const auto input =
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString("age,town\n31,Pisa\n47,Bari\n"));
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::csv::TableReader::Make(
                                         arrow::io::default_io_context(), input, arrow::csv::ReadOptions::Defaults(),
                                         arrow::csv::ParseOptions::Defaults(), arrow::csv::ConvertOptions::Defaults()));
  return reader->Read();
}

}  // namespace

int main() {
  const auto built = built_table();
  const auto parsed = parsed_table();
  const bool good = built.ok() && parsed.ok() && (*built)->Equals(**parsed);
  std::printf("Arrow %s: %s\n", arrow::GetBuildInfo().version_string.c_str(), good ? "works" : "does not work");
  return good ? 0 : 1;
}
