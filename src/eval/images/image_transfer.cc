// SPDX-License-Identifier: Apache-2.0
// Train on made images, test on the holdout: classifiers are fitted to up to 5,000 made images, of which boosted trees
// take some 30 CPU seconds where images have 784 pixels and 10 classes, and guess the class of up to 10,000 of the
// holdout. The twelve of learners/learner.h see pixels, less one half; the score is the mean of their accuracies. A
// small convolutional net is a metric of its own. Parts: accuracy and macro-F1 by classifier.
#include "eval/images/image_metric.h"
#include "eval/learners/learner.h"
#include "eval/learners/success.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostTraining = 5000, kMostTest = 10000;
constexpr float kMiddle = 0.5F;

struct LabelledImages {
  std::vector<float> pixels;
  std::vector<std::uint32_t> labels;

  LabelledImages(const ImageSet& set, std::size_t most, PublicRng& rng) {
    for (const std::size_t i : draw_rows(set.count, most, rng)) {
      for (const float pixel : set.images().row(i)) pixels.push_back(pixel - kMiddle);
      labels.push_back(set.classes[i]);
    }
  }
  MatrixView<const float> x() const { return {pixels.data(), labels.size(), pixels.size() / labels.size()}; }
};

Finding measure(const ImageComparison& comparison, const std::vector<NamedLearner>& learners) {
  const std::size_t classes = comparison.schema.classes.size();
  PublicRng rng = rng_of(comparison.seed, Stream::training_rows);
  const LabelledImages test(*comparison.holdout, kMostTest, rng), train(comparison.made, kMostTraining, rng);
  Finding found;
  for (const auto& [name, learner] : learners) {
    learner->fit({train.x(), train.labels, classes}, comparison.pool);
    const std::vector<std::uint32_t> guesses = guesses_of(learner->scores(test.x(), comparison.pool), classes);
    const double right = accuracy(guesses, test.labels);
    found.value += right / static_cast<double>(learners.size());
    found.parts.push_back({{name, "accuracy"}, right});
    found.parts.push_back({{name, "macro f1"}, macro_f1(guesses, test.labels, classes)});
  }
  found.counted = {{"training images", static_cast<double>(train.labels.size())},
                   {"test images", static_cast<double>(test.labels.size())}};
  return found;
}

MetricInfo info(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .group = MetricGroup::use,
          .better = Better::larger,
          .needs_holdout = true,
          .target = TargetNeed::classes};
}

}  // namespace

ImageMetric image_transfer_metric() {
  const auto twelve = [](const ImageComparison& comparison) {
    return measure(comparison, all_learners(comparison.seed));
  };
  return {.info = info("transfer", "train on synthetic, test on the holdout: mean accuracy over classifiers"),
          .measure = twelve,
          .describes = true};
}

ImageMetric convolution_metric() {
  const auto one = [](const ImageComparison& comparison) {
    std::vector<NamedLearner> learners;
    learners.push_back({"convolutional net", convolutional_net(comparison.schema.shape, comparison.seed)});
    return measure(comparison, learners);
  };
  return {.info = info("convolution", "train on synthetic, test on the holdout: accuracy of a convolutional net"),
          .measure = one,
          .describes = true};
}

}  // namespace sosia::eval
