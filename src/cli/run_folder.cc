// SPDX-License-Identifier: Apache-2.0
#include "cli/run_folder.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include <sosia/error.h>

namespace sosia::cli {

namespace fs = std::filesystem;

namespace {

/// The format of the private table, by a name out of a few: nothing of its own name is published. Images are stored in
/// one file, or in a folder where the private ones are.
std::string synthetic_name(const fs::path& data, const Schema& schema) {
  if (schema.images) return fs::is_directory(data) ? "synthetic" : "synthetic.npz";
  if (data == "-") return "synthetic.csv";
  if (fs::is_directory(data)) return "synthetic.parquet";
  std::string name = data.filename().string();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* ending : {".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc"}) {
    for (const char* packing : {"", ".gz", ".zst"}) {
      if (name.ends_with(std::string(ending) + packing)) return std::string("synthetic") + ending + packing;
    }
  }
  return "synthetic.csv";
}

}  // namespace

fs::path beside(const fs::path& output, const char* suffix) {
  fs::path path = output.has_filename() ? output : output.parent_path();  // "out/"
  path += suffix;
  return path;
}

RunFolder::RunFolder(const fs::path& folder, const fs::path& data, const Schema& declared)
    : root(folder),
      model(folder / "model.sosia"),
      schema(folder / "schema.json"),
      certificate(folder / "certificate.json"),
      synthetic(folder / synthetic_name(data, declared)),
      grid(folder / "grid.png"),
      page(folder / "report.html"),
      internal(beside(folder, ".internal")),
      scores(internal / "scores.json"),
      internal_page(internal / "report.html") {}

std::vector<std::string> RunFolder::released() const {
  std::vector<std::string> names;
  for (const fs::path& result : {model, schema, synthetic, grid, page}) {
    if (fs::exists(result)) names.push_back(result.filename().string());
  }
  return names;
}

void RunFolder::make() const {
  std::error_code failed;
  fs::create_directories(root, failed);
  if (failed) throw Error(ErrorKind::io, "the folder cannot be made", root.string(), "check the path");
}

void RunFolder::clear() const {
  fs::remove_all(internal);
  if (!fs::exists(root)) return;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    for (const fs::path& result : {model, schema, certificate, synthetic, grid, page}) {
      const std::string own = result.filename().string();
      // A draft of a file has its name and a suffix.
      const bool is_draft = name.starts_with(own + ".new") || name.starts_with(own + ".part");
      if (is_draft || (name == own && result != model)) left.push_back(entry.path());
    }
  }
  for (const fs::path& path : left) fs::remove_all(path);
}

void RunFolder::make_internal() const {
  fs::create_directory(internal);
  fs::permissions(internal, fs::perms::owner_all);
}

}  // namespace sosia::cli
