// SPDX-License-Identifier: Apache-2.0
// What can fail is checked before a budget is charged: where results go, and the whole table.
#pragma once

#include <cstdint>
#include <string>

#include <sosia/draft.h>
#include <sosia/error.h>
#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia::cli {

/// The error for a table that does not fit its schema, which is in the file `schema`.
Error misfit(const CheckReport& report, const std::string& file, const std::string& schema);
/// The same for images, of which only the number can differ.
Error misfit(const Schema& schema, const std::string& file);

/// A private table or set of images, and how it is read.
struct DataFile {
  std::string path;
  std::string schema_file;  ///< for errors
  TableSpelling spelling = {};
  ImageOptions images = {};
};

/// Reads all rows, and throws what `sosia check` says if they do not fit the public schema. What that leaves open is no
/// misfit. The error is a fact about the data: for their owner's eyes, like every refusal by the data.
void check_rows(const DataFile& data, const Schema& schema, bool is_quiet);

/// Throws an io error unless nothing has this name yet and its folder can be written to.
void check_new_file(const std::string& file);
/// The same for a folder, which may be there if it is empty.
void check_new_folder(const std::string& folder);
/// Throws an io error unless about so many bytes are free where `path` will be, beside what a model takes.
void check_room(const std::string& path, std::uintmax_t bytes);
/// Of a file or of all files in a folder; 0 for standard input.
std::uintmax_t bytes_of(const std::string& data);

}  // namespace sosia::cli
