// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/report.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/report_text.h"
#include "cli/spelling.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia report clinic.sosia -o report.html
  sosia report clinic.sosia --scores scores.json -o internal.html
  sosia report digits.sosia --scores scores.json --real train-images-idx3-ubyte.gz -o internal.html)";

constexpr std::size_t kRealColumns = 10;  // of the page, as of synthetic images

struct Options {
  Argument model, scores, real, output;
  ImageArguments images;
};

Outcome run_report(const Options& options) {
  if (!options.model) {
    throw Error(ErrorKind::usage, "the model file is missing", "sosia report",
                "name it after the command, for example sosia report clinic.sosia -o report.html");
  }
  const std::string& output = required("--output", options.output, "report.html");
  refuse_existing(output);
  const Model model = Model::load(*options.model);
  if (options.real && (!options.scores || !model.schema().images)) {
    throw Error(ErrorKind::usage, "real images are shown beside scores of images only", "--real",
                model.schema().images ? "add --scores" : "leave it out: the model makes rows of a table");
  }
  if (!options.scores) {
    write_page(publishable_page(model), output);
    const char* advice = has_guarantee(model) ? "may be published: it is made from the model alone"
                                              : "says that there is no guarantee: do not publish it";
    return {fmt::format("{} {}.\n", output, advice)};
  }
  const Scores scores = read_scores(*options.scores);
  std::optional<ImageSamples> real;
  if (options.real) {
    real = first_images(*options.real, *model.schema().images, kRealColumns, image_options_of(options.images));
  }
  const char* shown = real                      ? "real images, and their scores"
                      : scores.features.empty() ? "scores of real rows"
                                                : "scores of real images";
  write_page(internal_page(model, scores, real ? &*real : nullptr), output);
  return {verdict_text(scores) + fmt::format("\n{} is NOT for release: it shows {}.\n", output, shown)};
}

}  // namespace

std::vector<Command> add_report(const Declared& program) {
  const Declared command =
      program.command("report", "The guarantee and the synthetic data, as a page for a browser", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("MODEL", options->model, "The model file", "");
  command.option("--scores", options->scores, "Also what `sosia evaluate -o` found; then the page is not for release",
                 "FILE");
  command.option("--real", options->real, "Images: also real ones beside the synthetic ones, from this set", "IMAGES");
  add_image_options(command, options->images);
  command.option("-o,--output", options->output, "The page", "FILE");
  return {{command, [options] { return run_report(*options); }}};
}

}  // namespace sosia::cli
