// SPDX-License-Identifier: Apache-2.0
#include "data/table_file.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <sosia/error.h>

#include "data/csv_file.h"
#include "data/ipc_file.h"
#include "data/parquet_file.h"
#include "data/table_format.h"

namespace sosia {

namespace {

constexpr std::string_view kArrowStream = "\xFF\xFF\xFF\xFF";  // how a stream starts; never in UTF-8

std::string lower_ending(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

char checked_delimiter(char delimiter, Quotes quotes, const std::filesystem::path& path) {
  const auto code = static_cast<unsigned char>(delimiter);
  const bool escapes = delimiter == '\\' && quotes == Quotes::escaped;
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' || code > 126 || escapes) {
    throw Error(ErrorKind::usage, "this delimiter cannot be used", path.string(),
                "take an ASCII character other than a quote, an escape or a line end, such as , ; | or a tab");
  }
  return delimiter;
}

/// The Parquet files of a folder by name; hidden ones and those that start with "_" belong to other programs.
std::vector<ByteSource> files_of_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && !name.starts_with('_') && lower_ending(name) == ".parquet") {
      paths.push_back(entry->path());
    }
  }
  if (error) throw Error(ErrorKind::io, "the folder cannot be read", folder.string(), "check that you may read it");
  if (paths.empty()) {
    throw Error(ErrorKind::io, "the folder holds no Parquet file", folder.string(),
                "give a file, or a folder with files that end in .parquet");
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ByteSource> sources;
  for (const std::filesystem::path& path : paths) sources.emplace_back(path);
  return sources;
}

}  // namespace

FileEnding ending_of(const std::filesystem::path& path, const TableOptions& options) {
  FileEnding ending;
  std::filesystem::path stem = path.filename();
  if (const std::string last = lower_ending(stem); last == ".gz" || last == ".zst") {
    ending.packing = last == ".gz" ? Packing::gzip : Packing::zstd;
    stem = stem.stem();
  }
  const std::string text = lower_ending(stem);
  if (text == ".tsv") ending.delimiter = '\t';
  if (options.delimiter != 0) ending.delimiter = checked_delimiter(options.delimiter, options.quotes, path);
  if (path == "-" || text == ".csv" || text == ".tsv" || text == ".txt") return ending;
  if (ending.packing == Packing::none) {
    ending.format = text == ".parquet" ? TableFormat::parquet : TableFormat::ipc;
    if (text == ".parquet" || text == ".feather" || text == ".arrow" || text == ".ipc") return ending;
  }
  throw Error(ErrorKind::usage, "the ending of the file's name says no known format", path.string(),
              "known are .csv, .tsv and .txt (also with .gz or .zst), .parquet, .feather, .arrow and .ipc");
}

std::shared_ptr<const TableFile> TableFile::open(const std::filesystem::path& path, const TableOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return open_parquet(files_of_folder(path), path.string(), options);
  const FileEnding ending = ending_of(path, options);
  const char delimiter = ending.delimiter;
  if (path == "-") {
    const ByteSource source(standard_input(), "standard input");
    // Where there is no header, the first bytes are somebody's, and decide nothing.
    const bool is_arrow = options.header && standard_input().starts_with(kArrowStream);
    return is_arrow ? open_ipc(source, options) : open_csv(source, options, delimiter);
  }
  const ByteSource source(path, ending.packing);
  if (ending.format == TableFormat::parquet) return open_parquet({source}, source.name(), options);
  if (ending.format == TableFormat::ipc) return open_ipc(source, options);
  return open_csv(source, options, delimiter);
}

}  // namespace sosia
