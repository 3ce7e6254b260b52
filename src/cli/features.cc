// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/features.h>
#include <sosia/schema.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/spelling.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kTrainExamples[] = R"(Examples:
  sosia features train usps-images-idx3-ubyte.gz --schema usps.json --shape 28x28x1 -o digits.features
  sosia features train usps-images-idx3-ubyte.gz letters/ --schema usps.json --schema letters.json -o marks.features

Only for PUBLIC images: nothing is noised, and who holds the net can learn about the images that it was trained on.)";
constexpr char kComputeExamples[] = R"(Examples:
  sosia features compute digits.features train-images-idx3-ubyte.gz --schema mnist.json -o mnist-features.npy
  sosia fit train-images-idx3-ubyte.gz --schema mnist.json --method dp-mepf --features digits.features \
    --computed mnist-features.npy --epsilon 1 -o mnist.sosia

Nothing is released and nothing is noised: the file is AS PRIVATE AS THE IMAGES.)";
constexpr char kShowExamples[] = R"(Examples:
  sosia features show digits.features)";

struct Options {
  std::vector<std::string> sets, schemas;
  Argument output, name, shape, net, planes, epochs, rate, seed, threads, file;
  bool quiet = false;
};

struct ComputeArguments {
  Argument net, images, schema, output, moments, threads;
  ImageArguments where;
  bool quiet = false;
};

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& example) {
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no value for {}", text, option), "sosia features train",
              fmt::format("pass for example {} {}", option, example));
}

/// Whole numbers with `separator` between them.
std::vector<std::size_t> wholes(const std::string& option, const std::string& text, char separator,
                                const std::string& example) {
  std::vector<std::size_t> list;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (part.empty() || part.size() > 4 || part.find_first_not_of("0123456789") != std::string::npos) {
      refuse(option, text, example);
    }
    list.push_back(std::stoul(part));
    if (list.back() == 0) refuse(option, text, example);
    begin = end + 1;
  }
  return list;
}

std::string shown(const FeatureSummary& features) {
  std::string text = fmt::format("{}: takes images of {} x {} pixels in {}, reads {} numbers of each\n\n",
                                 features.name, features.shape.width, features.shape.height,
                                 features.shape.channels == 1 ? "grey" : "colour", features.features);
  for (const std::string& layer : features.layers) text += fmt::format("  {}\n", layer);
  text += fmt::format("\n{} numbers in its filters, sha256 {}\n", features.parameters, features.sha256);
  text += features.sources.empty() ? "It does not say what it was trained on.\n" : "Trained on, as public data:\n";
  for (const std::string& source : features.sources) text += fmt::format("  {}\n", source);
  for (const auto& [key, value] : features.training) text += fmt::format("  {}: {}\n", key, value);
  return text;
}

std::vector<PublicImages> public_sets(const Options& options) {
  if (options.sets.empty() || (options.schemas.size() != 1 && options.schemas.size() != options.sets.size())) {
    throw Error(ErrorKind::usage, "there must be public images, and a schema for all of them or for each",
                "sosia features train", "name each set, and --schema once or as often");
  }
  std::vector<PublicImages> sets;
  for (std::size_t i = 0; i < options.sets.size(); ++i) {
    const std::string& file = options.schemas[options.schemas.size() == 1 ? 0 : i];
    const Schema schema = read_schema(file);
    if (!schema.images) {
      throw Error(ErrorKind::schema, "the schema is one of a table", file, "pass a schema of images");
    }
    sets.push_back({options.sets[i], *schema.images});
  }
  return sets;
}

Outcome run_train(const Options& options) {
  FeatureOptions how;
  if (options.name) how.name = *options.name;
  if (options.shape) {
    const std::vector<std::size_t> sizes = wholes("--shape", *options.shape, 'x', "28x28x1");
    if (sizes.size() != 3 || (sizes[2] != 1 && sizes[2] != 3)) refuse("--shape", *options.shape, "28x28x1");
    how.shape = ImageShape{sizes[0], sizes[1], sizes[2]};
  }
  if (options.net && *options.net != "plain" && *options.net != "residual") refuse("--net", *options.net, "residual");
  how.residual = options.net == "residual";
  if (options.planes) how.planes = wholes("--planes", *options.planes, ',', "16,32,64");
  if (options.epochs) how.epochs = small_count("--epochs", *options.epochs);
  if (options.rate) how.rate = positive("--rate", *options.rate);
  if (options.seed) how.seed = static_cast<std::uint64_t>(count_value("--seed", *options.seed));
  if (options.threads) how.threads = small_count("--threads", *options.threads);
  const std::string& output = required("--output", options.output, "digits.features");
  const std::vector<PublicImages> sets = public_sets(options);
  Progress progress(options.quiet);
  if (!options.quiet) notify("Training on PUBLIC images: who holds the net can learn about them.\n");
  const FeatureSummary features =
      train_features(sets, how, output, [&](const TrainingStep& step) { return progress(step); });
  progress.end_line();
  return {shown(features)};
}

Declared add_train(const Declared& parent, Options& options) {
  const Declared command =
      parent.command("train", "Learn a feature net from PUBLIC images, for the method dp-mepf", kTrainExamples);
  command.all("PUBLIC_IMAGES", options.sets, "Sets of labelled images that are public: IDX, NPY, CIFAR, a folder");
  command.each("--schema", options.schemas, "What their images are: for all sets, or one for each", "FILE");
  command.option("-o,--output", options.output, "The file of features", "FILE");
  command.option("--name", options.name, "What the net goes by (default: the names of the sets)", "NAME");
  command.option("--shape", options.shape, "Of the images that the net takes (default: as the first set's)", "WxHxC");
  command.option("--net", options.net,
                 "plain: convolutions one after the other; residual: blocks with a bypass (default plain)", "KIND");
  command.option("--planes", options.planes, "Planes of its stages, between which images are halved (default 16,32,64)",
                 "N,N");
  command.option("--epochs", options.epochs, "Passes over the images (default 8)", "N");
  command.option("--rate", options.rate, "Of Adam, at the start (default 0.002)", "R");
  command.option("--seed", options.seed, "Another seed, another net (default 1)", "N");
  command.option("--threads", options.threads, "Threads (default: one a core); the net does not depend on it", "N");
  command.flag("--quiet", options.quiet, "No progress");
  return command;
}

Outcome run_compute(const ComputeArguments& arguments) {
  const std::string command = "sosia features compute";
  if (!arguments.net || !arguments.images) {
    throw Error(ErrorKind::usage, "a feature net and a set of images must be there", command,
                "name both after the command, for example " + command + " digits.features images.npy");
  }
  ComputeOptions how{.images = image_options_of(arguments.where)};
  if (arguments.moments) how.moments = small_count("--moments", *arguments.moments);
  if (arguments.threads) how.threads = small_count("--threads", *arguments.threads);
  const Schema schema = read_schema(required("--schema", arguments.schema, "digits.json"));
  const std::string& output = required("--output", arguments.output, "digits-features.npy");
  Progress progress(arguments.quiet);
  const ComputedFeatures computed = compute_features(*arguments.net, *arguments.images, schema, how, output,
                                                     [&](const TrainingStep& step) { return progress(step); });
  progress.end_line();
  return {"", fmt::format("{} features of each of {} images written to {}, which is as private as the images\n",
                          computed.features, computed.images, output)};
}

Declared add_compute(const Declared& parent, ComputeArguments& arguments) {
  const Declared command =
      parent.command("compute", "Write what a feature net makes of images, for a fit by dp-mepf", kComputeExamples);
  command.option("NET", arguments.net, "The feature net", "");
  command.option("IMAGES", arguments.images, "The images: IDX, NPY, CIFAR, a folder", "");
  command.option("--schema", arguments.schema, "What the images are", "FILE");
  command.option("-o,--output", arguments.output, "The features: .npy, also .npy.gz or .npy.zst", "FILE");
  command.option("--moments", arguments.moments, "1 or 2, as the fit has it (default 2)", "N");
  add_image_options(command, arguments.where);
  command.option("--threads", arguments.threads, "Threads (default: one a core); the file does not depend on it", "N");
  command.flag("--quiet", arguments.quiet, "No progress");
  return command;
}

}  // namespace

std::vector<Command> add_features(const Declared& program) {
  const Declared parent =
      program.group("features", "Feature nets of public images: train, use or show one", kTrainExamples);
  const auto options = std::make_shared<Options>();
  const Declared train = add_train(parent, *options);
  const auto compute_arguments = std::make_shared<ComputeArguments>();
  const Declared compute = add_compute(parent, *compute_arguments);
  const Declared show =
      parent.command("show", "Say what a feature net is, and what public data it comes from", kShowExamples);
  show.option("FILE", options->file, "The file of features", "");
  return {{train, [options] { return run_train(*options); }},
          {compute, [compute_arguments] { return run_compute(*compute_arguments); }},
          {show, [options] {
             return Outcome{shown(describe_features(required("FILE", options->file, "digits.features")))};
           }}};
}

}  // namespace sosia::cli
