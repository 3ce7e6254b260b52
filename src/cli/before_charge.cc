// SPDX-License-Identifier: Apache-2.0
#include "cli/before_charge.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/progress.h"

namespace sosia::cli {

namespace {

namespace fs = std::filesystem;

/// What is about to be made, as far as it is not made of the data: model, pages.
constexpr std::uintmax_t kRoomForModel = std::uintmax_t{32} << 20;

fs::path parent_of(const fs::path& path) {
  const fs::path folder = (path.has_filename() ? path : path.parent_path()).parent_path();
  return folder.empty() ? "." : folder;
}

/// The nearest folder above that is there.
fs::path existing_parent(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = parent_of(path);
  while (!fs::exists(folder, ignored) && folder != parent_of(folder)) folder = parent_of(folder);
  return folder;
}

void check_writable(const fs::path& folder, const std::string& what) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw Error(ErrorKind::io, "the result cannot be written: its folder is not there, or not open to you", what,
              "make the folder, or choose another place");
}

}  // namespace

Error misfit(const CheckReport& report, const std::string& file, const std::string& schema) {
  std::vector<std::string> problems, fixes = {"correct the table or the schema"};
  const auto count = [&](const auto& is) { return std::count_if(report.columns.begin(), report.columns.end(), is); };
  const auto add = [&](auto columns, const char* what, const char* fix) {
    if (columns == 0) return;
    problems.push_back(fmt::format("{} {} {}", columns, columns == 1 ? "column" : "columns", what));
    if (*fix != 0) fixes.emplace_back(fix);
  };
  add(report.absent.size(), "not in the file", "a CSV file without a line of names needs --no-header");
  add(count([](const ColumnCheck& c) { return c.unreadable > 0; }), "with unreadable cells", "");
  add(count([](const ColumnCheck& c) { return !c.missing_fits; }), "with missing cells that are not allowed",
      "\"missing\": true allows missing cells");
  add(count([](const ColumnCheck& c) { return !c.outside_fits; }), "with cells outside that are refused",
      "--outside clamp or other takes cells outside");
  if (report.unit && report.unit->rows_without > 0 && !report.unit->leaves_out) {
    problems.emplace_back("rows without a unit");
    fixes.emplace_back("\"missing\": true of the id column leaves them out");
  }
  if (!report.rows_fit) problems.emplace_back("another number of rows");
  return {ErrorKind::data, fmt::format("the table does not fit its schema: {}", fmt::join(problems, ", ")),
          fmt::format("{}, schema {} (values withheld: private)", file, schema),
          fmt::format("{}", fmt::join(fixes, "; "))};
}

Error misfit(const Schema& schema, const std::string& file) {
  return {ErrorKind::data, fmt::format("the schema says {} rows", schema.rows.value_or(0)), file, "correct the schema"};
}

void check_rows(const DataFile& data, const Schema& schema, bool is_quiet) {
  if (schema.images) {
    if (!check_images(data.path, schema, data.images).rows_fit) throw misfit(schema, data.path);
    return;
  }
  StatusLine line(is_quiet);
  const CheckOptions how{.spelling = data.spelling, .outside = {}, .watch = [&](std::int64_t rows) {
                           line(fmt::format("checking the table: {} rows so far", rows));
                         }};
  const CheckReport report = check_table(data.path, schema, how);
  if (!report.fits()) throw misfit(report, data.path, data.schema_file);
}

void check_new_file(const std::string& file) {
  if (!fs::path(file).has_filename()) {
    throw Error(ErrorKind::usage, "this is no name of a file", fmt::format("\"{}\"", file),
                "name a file, not a folder");
  }
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) {
    throw Error(ErrorKind::io, "there is a file of this name already", file, "choose another name, or remove it");
  }
  check_writable(parent_of(file), file);
}

void check_new_folder(const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return check_writable(existing_parent(folder), folder);
  if (!fs::is_directory(folder, ignored) || !fs::is_empty(folder, ignored)) {
    throw Error(ErrorKind::io, "the folder is there already and is not empty", folder, "choose another name");
  }
  check_writable(folder, folder);
}

void check_room(const std::string& path, std::uintmax_t bytes) {
  std::error_code failed;
  const fs::space_info space = fs::space(existing_parent(path), failed);
  if (failed || space.available >= bytes + kRoomForModel) return;
  throw Error(ErrorKind::io,
              fmt::format("the disk has {} MiB left, and about {} are needed", space.available >> 20,
                          (bytes + kRoomForModel) >> 20),
              path, "free some space, or choose another disk");
}

std::uintmax_t bytes_of(const std::string& data) {
  std::error_code failed;
  if (!fs::is_directory(data, failed)) {
    const std::uintmax_t size = fs::file_size(data, failed);
    return failed ? 0 : size;
  }
  std::uintmax_t all = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data, failed)) {
    const std::uintmax_t size = entry.is_regular_file(failed) ? entry.file_size(failed) : 0;
    if (!failed) all += size;
  }
  return all;
}

}  // namespace sosia::cli
