// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <algorithm>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia::cli {

void add_spelling(const Declared& command, SpellingOptions& options) {
  command.option("--delimiter", options.delimiter, "CSV: between the cells of a row, or tab", "C");
  command.option("--quote", options.quote, "CSV: a quote is a character like any other", "none");
  command.option("--escape", options.escape, "CSV: cells in quotes write a quote as \\\", not twice", "backslash");
  command.flag("--multiline", options.multiline, "CSV: cells in quotes may hold line ends; else a row is a line");
  command.flag("--no-header", options.no_header, "CSV: the first line holds values, not names");
  command.each("--missing-word", options.missing_words,
               "What a missing cell holds; may be repeated, and replaces the usual words", "WORD");
}

namespace {

Quotes quotes_of(const SpellingOptions& options) {
  const auto only = [](const Argument& argument, const char* option, const char* word) {
    if (!argument || *argument == word) return;
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not known here", *argument), fmt::format("option {}", option),
                fmt::format("pass {} {}, or leave the option out", option, word));
  };
  only(options.quote, "--quote", "none");
  only(options.escape, "--escape", "backslash");
  if (options.quote && (options.escape || options.multiline)) {
    throw Error(ErrorKind::usage, "without quotes there is nothing to escape, and no cell with a line end",
                "option --quote", "leave out --escape and --multiline, or --quote");
  }
  if (options.quote) return Quotes::none;
  return options.escape ? Quotes::escaped : Quotes::doubled;
}

}  // namespace

TableSpelling spelling_of(const SpellingOptions& options) {
  TableSpelling spelling;
  if (options.delimiter) spelling.delimiter = delimiter_value("--delimiter", *options.delimiter);
  spelling.quotes = quotes_of(options);
  spelling.multiline = options.multiline;
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
