// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <algorithm>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia::cli {

void add_spelling(const Declared& command, SpellingOptions& options) {
  command.option("--delimiter", options.delimiter, "CSV: between the cells of a row, or tab", "C");
  command.flag("--no-header", options.no_header, "CSV: the first line holds values, not names");
  command.each("--missing-word", options.missing_words,
               "What a missing cell holds; may be repeated, and replaces the usual words", "WORD");
}

TableSpelling spelling_of(const SpellingOptions& options) {
  TableSpelling spelling;
  if (options.delimiter) spelling.delimiter = delimiter_value("--delimiter", *options.delimiter);
  if (!options.missing_words.empty()) spelling.missing_words = options.missing_words;
  spelling.header = !options.no_header;
  return spelling;
}

void add_image_options(const Declared& command, ImageArguments& arguments) {
  command.option("--labels", arguments.labels, "Images: the labels, if not beside them", "FILE");
  command.option("--arrays", arguments.arrays, "Images in .npz: its arrays of images and labels", "NAME,NAME");
}

ImageOptions image_options_of(const ImageArguments& arguments) {
  ImageOptions options;
  if (arguments.labels) options.labels = *arguments.labels;
  if (!arguments.arrays) return options;
  const std::size_t comma = arguments.arrays->find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == arguments.arrays->size()) {
    throw Error(ErrorKind::usage, "two names of arrays are wanted", "option --arrays",
                "pass both, for example --arrays x_train,y_train");
  }
  options.image_array = arguments.arrays->substr(0, comma);
  options.label_array = arguments.arrays->substr(comma + 1);
  return options;
}

std::string column_numbers(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t kMost = 20;
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(numbers.size(), kMost));
  const std::string rest = numbers.size() > kMost ? fmt::format(" and {} more", numbers.size() - kMost) : "";
  return fmt::format("{} {}{}", numbers.size() == 1 ? "column" : "columns", fmt::join(numbers.begin(), end, ", "),
                     rest);
}

}  // namespace sosia::cli
