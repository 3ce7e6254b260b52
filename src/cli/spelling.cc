// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sosia/error.h>

namespace sosia::cli {

void add_spelling(CLI::App& command, SpellingOptions& options) {
  command.add_option("--delimiter", options.delimiter, "CSV: between the cells of a row, or tab")->type_name("C");
  command.add_flag("--no-header", options.no_header, "CSV: the first line holds values, not names")
      ->disable_flag_override();
  // By hand: CLI11 would split words at commas and take an empty one for none.
  command
      .add_option_function<std::string>(
          "--missing-word", [&options](const std::string& word) { options.missing_words.push_back(word); },
          "What a missing cell holds; may be repeated, and replaces the usual words")
      ->type_name("WORD")
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

TableSpelling spelling_of(const SpellingOptions& options) {
  TableSpelling spelling;
  if (options.delimiter) spelling.delimiter = delimiter_value("--delimiter", *options.delimiter);
  if (!options.missing_words.empty()) spelling.missing_words = options.missing_words;
  spelling.header = !options.no_header;
  return spelling;
}

void add_image_options(CLI::App& command, ImageArguments& arguments) {
  command.add_option("--labels", arguments.labels, "Images: the labels, if not beside them")->type_name("FILE");
  command.add_option("--arrays", arguments.arrays, "Images in .npz: its arrays of images and labels")
      ->type_name("NAME,NAME");
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
