// SPDX-License-Identifier: Apache-2.0
// How a file spells its table, and where a set of images has its labels: the options that the commands which read one
// have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sosia/table.h>

#include "cli/declared.h"

namespace sosia::cli {

struct SpellingOptions {
  Argument delimiter, quote, escape;
  std::vector<std::string> missing_words;
  bool no_header = false, multiline = false;
};

/// Declares the options. They are filled in when the command line is parsed, and must still be there then.
void add_spelling(const Declared& command, SpellingOptions& options);
TableSpelling spelling_of(const SpellingOptions& options);

struct ImageArguments {
  Argument labels, arrays;
};
void add_image_options(const Declared& command, ImageArguments& arguments);
ImageOptions image_options_of(const ImageArguments& arguments);

/// "columns 1, 2, 7", at most 20 of them and then how many more.
std::string column_numbers(const std::vector<std::int64_t>& numbers);

}  // namespace sosia::cli
