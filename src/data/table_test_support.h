// SPDX-License-Identifier: Apache-2.0
// Tables for tests, and whole files in and out.
#pragma once

#include <arrow/type_fwd.h>

#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/table_file.h"

namespace sosia {

/// A folder that goes away with the test.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file and returns its path.
  std::filesystem::path file(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::filesystem::path& path);

/// Texts as an array of the type; the text "-" is a missing value.
std::shared_ptr<arrow::Array> array_of(const std::shared_ptr<arrow::DataType>& type,
                                       const std::vector<std::string>& texts);
/// Four rows, a column for every type that a table may have, the last row missing throughout.
std::shared_ptr<arrow::RecordBatch> table_of_every_type();
/// Columns "row" (int64, its number) and "text", numbers from `first`.
std::shared_ptr<arrow::RecordBatch> numbered_rows(std::int64_t first, std::int64_t count);

void write_table(const std::filesystem::path& path, const arrow::RecordBatch& batch, const TableOptions& options = {});
/// As an Arrow stream, in record batches of `step` rows; sosia itself writes the form of files.
void write_stream(const std::filesystem::path& path, const arrow::RecordBatch& batch, std::int64_t step);
/// All blocks in the order of their rows, which must be complete, as one batch.
std::shared_ptr<arrow::RecordBatch> read_table(const TableFile& table);
std::shared_ptr<arrow::RecordBatch> read_table(const std::filesystem::path& path, const TableOptions& options = {});
/// Row by row, missing values as "-".
std::vector<std::vector<std::string>> texts_of(const arrow::RecordBatch& batch);

/// For tests that run over names of files: a name of letters, digits and _, where gtest would print a pointer.
inline constexpr auto name_of_ending = [](const auto& test) {
  std::string name = test.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
};

}  // namespace sosia
