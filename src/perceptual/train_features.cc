// SPDX-License-Identifier: Apache-2.0
#include "perceptual/train_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "perceptual/trainable_net.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

/// A whole number below `count`, evenly up to one part in 2^32 / count.
std::size_t below(PublicRng& rng, std::size_t count) { return rng.next_u64() % count; }

void shuffle(std::vector<std::size_t>& list, PublicRng& rng) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(rng, i)]);
}

/// The image, smaller or larger and moved a little, between pixels linearly; black where nothing is.
void place(std::span<const float> image, const ImageShape& shape, PublicRng& rng, std::span<float> out) {
  constexpr double kLeastZoom = 0.7, kMostZoom = 1.15, kMove = 0.08;
  const double zoom = kLeastZoom + (kMostZoom - kLeastZoom) * rng.uniform();
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  const double right = kMove * width * (2.0 * rng.uniform() - 1.0), down = kMove * height * (2.0 * rng.uniform() - 1.0);
  const auto pixel = [&](const float* plane, std::ptrdiff_t x, std::ptrdiff_t y) {
    const bool is_inside = x >= 0 && y >= 0 && x < static_cast<std::ptrdiff_t>(shape.width) &&
                           y < static_cast<std::ptrdiff_t>(shape.height);
    return is_inside ? plane[y * static_cast<std::ptrdiff_t>(shape.width) + x] : 0.0F;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = i % shape.pixels();
    const float* const plane = image.data() + (i - at);
    const std::size_t column = at % shape.width, line = at / shape.width;
    const double x = (static_cast<double>(column) + 0.5 - width / 2 - right) / zoom + width / 2 - 0.5;
    const double y = (static_cast<double>(line) + 0.5 - height / 2 - down) / zoom + height / 2 - 0.5;
    const auto x0 = static_cast<std::ptrdiff_t>(std::floor(x)), y0 = static_cast<std::ptrdiff_t>(std::floor(y));
    const auto u = static_cast<float>(x - static_cast<double>(x0)), v = static_cast<float>(y - static_cast<double>(y0));
    const float above = (1.0F - u) * pixel(plane, x0, y0) + u * pixel(plane, x0 + 1, y0);
    const float below_it = (1.0F - u) * pixel(plane, x0, y0 + 1) + u * pixel(plane, x0 + 1, y0 + 1);
    out[i] = (1.0F - v) * above + v * below_it;
  }
}

/// Batches of images in a random order, each placed at random, and their loss.
class Trainer {
 public:
  Trainer(const ImageShape& shape, const LabelledImages& data, const FeatureTrainingOptions& options, nn::Net& net,
          ThreadPool& threads)
      : shape_(shape),
        data_(data),
        options_(options),
        net_(net),
        threads_(threads),
        workspace_(net, static_cast<std::size_t>(options.batch)),
        optimizer_(nn::Adam{}, net.parameters().size()),
        gradient_(net.parameters().size()),
        pixels_(static_cast<std::size_t>(options.batch) * shape.values()),
        targets_(static_cast<std::size_t>(options.batch) * data.class_count),
        losses_(static_cast<std::size_t>(options.batch)) {}

  double step(std::span<const std::size_t> chosen, int number, double rate) {
    const MatrixView<float> batch(pixels_.data(), chosen.size(), shape_.values());
    simd::for_pieces(threads_, chosen.size(), [&](std::size_t r) {
      PublicRng rng(options_.seed, (static_cast<std::uint64_t>(number) << 24) + r + 1);
      place(data_.images.row(chosen[r]), shape_, rng, batch.row(r));
    });
    const MatrixView<float> targets(targets_.data(), chosen.size(), data_.class_count);
    std::ranges::fill(targets_, 0.0F);
    for (std::size_t r = 0; r < chosen.size(); ++r) targets.row(r)[data_.classes[chosen[r]]] = 1.0F;
    const MatrixView<const float> logits = net_.forward(batch, workspace_, threads_);
    const std::uint32_t widths[] = {static_cast<std::uint32_t>(data_.class_count)};
    const double loss =
        nn::cross_entropy(logits, widths, targets, 1.0 / static_cast<double>(chosen.size()),
                          {workspace_.output_gradient(), std::span(losses_).first(chosen.size())}, threads_);
    net_.backward(workspace_, gradient_, threads_);
    optimizer_.step(rate, gradient_, net_.parameters(), threads_);
    return loss;
  }

  /// The share of images whose class has the largest logit.
  double accuracy(std::span<const std::size_t> chosen) {
    std::size_t right = 0;
    const auto most = static_cast<std::size_t>(options_.batch);
    for (std::size_t first = 0; first < chosen.size(); first += most) {
      const std::size_t count = std::min(most, chosen.size() - first);
      const MatrixView<float> batch(pixels_.data(), count, shape_.values());
      for (std::size_t r = 0; r < count; ++r) {
        std::ranges::copy(data_.images.row(chosen[first + r]), batch.row(r).begin());
      }
      const MatrixView<const float> logits = net_.evaluate(batch, workspace_, threads_);
      for (std::size_t r = 0; r < count; ++r) {
        const auto best = std::ranges::max_element(logits.row(r)) - logits.row(r).begin();
        right += static_cast<std::uint32_t>(best) == data_.classes[chosen[first + r]] ? 1 : 0;
      }
    }
    return chosen.empty() ? 0.0 : static_cast<double>(right) / static_cast<double>(chosen.size());
  }

 private:
  const ImageShape& shape_;
  const LabelledImages& data_;
  const FeatureTrainingOptions& options_;
  nn::Net& net_;
  ThreadPool& threads_;
  nn::Workspace workspace_;
  nn::Optimizer optimizer_;
  std::vector<float> gradient_, pixels_, targets_;
  std::vector<double> losses_;
};

}  // namespace

TrainedFeatures train_feature_net(const ImageShape& shape, const LabelledImages& data,
                                  const FeatureTrainingOptions& options, ThreadPool& threads,
                                  const FeatureTrainingWatch& watch) {
  SOSIA_CHECK(data.images.rows == data.classes.size() && data.images.cols == shape.values(), "a class for each image");
  TrainedFeatures out{.net = untrained_net(shape, options.planes, options.residual)};
  nn::Net net(training_layers(out.net, data.class_count), options.seed, threads);
  std::vector<std::size_t> order(data.images.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  PublicRng rng(options.seed);
  shuffle(order, rng);
  const auto held = static_cast<std::size_t>(options.held_out * static_cast<double>(order.size()));
  const std::vector<std::size_t> test(order.end() - static_cast<std::ptrdiff_t>(held), order.end());
  order.resize(order.size() - held);

  const std::size_t batch = std::min(static_cast<std::size_t>(options.batch), order.size()),
                    a_pass = order.size() / batch;
  const int most = options.epochs * static_cast<int>(a_pass);
  const nn::Schedule schedule{nn::ScheduleKind::cosine, options.rate, most};
  Trainer trainer(shape, data, options, net, threads);
  for (int step = 0; step < most; ++step) {
    const std::size_t place_in_pass = static_cast<std::size_t>(step) % a_pass;
    if (place_in_pass == 0) shuffle(order, rng);
    const double loss =
        trainer.step(std::span(order).subspan(place_in_pass * batch, batch), step, nn::rate_at(schedule, step));
    out.steps = step + 1;
    if (!watch(out.steps, most, loss)) break;
  }
  out.accuracy = trainer.accuracy(test);
  out.trained = static_cast<std::int64_t>(order.size());
  out.held_out = static_cast<std::int64_t>(test.size());
  out.planned_steps = most;
  fold_norms(net, out.net);
  return out;
}

}  // namespace sosia
