// SPDX-License-Identifier: Apache-2.0
#include "generate/embedding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "generate/best_net.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "simd/normals.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

/// Parts of the rows of a batch, in order, as many of each as `shares` say, but at least kLeastRows where there are
/// any.
std::vector<std::uint32_t> batch_parts(const std::vector<double>& counts, std::size_t batch) {
  constexpr std::size_t kLeastRows = 16;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<std::uint32_t> parts;
  for (std::uint32_t p = 0; p < counts.size(); ++p) {
    if (!(counts[p] > 0.0)) continue;
    const auto rows = static_cast<std::size_t>(std::llround(counts[p] / total * static_cast<double>(batch)));
    parts.insert(parts.end(), std::max(rows, kLeastRows), p);
  }
  return parts;
}

/// Calls work(r) for every row, many of them on one thread.
template <class Work>
void for_rows(MatrixView<float> rows, ThreadPool& threads, const Work& work) {
  simd::for_ranges(threads, rows.rows, simd::rows_per_piece(rows.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) work(r);
  });
}

/// One target's share in the loss.
class TargetLoss : public RowLoss {
 public:
  TargetLoss(const EmbeddingTarget& target, const std::vector<double>& counts)
      : map_(*target.map), from_(target.from), to_(target.to), dim_(static_cast<std::size_t>(map_.dim())) {
    const std::vector<double>& sums = target.embedding->sums;
    SOSIA_CHECK(sums.size() == counts.size() * dim_, "a released embedding has another size than its map");
    means_.resize(sums.size());
    weights_.resize(counts.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      if (!(counts[p] > 0.0)) continue;
      weights_[p] = target.weight;
      const double sigma = std::max(target.embedding->sigma, kLeastSigma) / counts[p];
      floor_ += weights_[p] * sigma * sigma * static_cast<double>(dim_);
      for (std::size_t j = 0; j < dim_; ++j) means_[p * dim_ + j] = static_cast<float>(sums[p * dim_ + j] / counts[p]);
    }
    sums_.resize(means_.size());
  }

  double floor() const override { return floor_; }
  bool is_active(double share) const override { return share >= from_ && share < to_; }

  double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) override {
    rows_.assign(weights_.size(), 0.0);
    for (std::size_t r = 0; r < rows.rows; ++r) ++rows_[parts.empty() ? 0 : parts[r]];
    double loss = 0.0;
    own_.resize(d_rows.rows * d_rows.cols);
    const MatrixView<float> own(own_.data(), d_rows.rows, d_rows.cols);
    map_.sum_and_backward(rows, parts, view(), [&] { loss = sums_to_gradient(); }, view(), own, threads);
    for_rows(d_rows, threads, [&](std::size_t r) {
      for (std::size_t j = 0; j < d_rows.cols; ++j) d_rows.row(r)[j] += own.row(r)[j];
    });
    return loss;
  }

 private:
  /// From sums to the loss; the gradient by the sums takes their place.
  double sums_to_gradient() {
    double loss = 0.0;
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      if (rows_[p] == 0.0) continue;
      double squares = 0.0;
      const auto factor = static_cast<float>(2.0 * weights_[p] / rows_[p]);
      const auto share = static_cast<float>(1.0 / rows_[p]);
      for (std::size_t j = p * dim_; j < (p + 1) * dim_; ++j) {
        const float gap = sums_[j] * share - means_[j];
        squares += static_cast<double>(gap) * static_cast<double>(gap);
        sums_[j] = factor * gap;
      }
      loss += weights_[p] * squares;
    }
    return loss;
  }
  MatrixView<float> view() { return {sums_.data(), weights_.size(), dim_}; }

  const FeatureMap& map_;
  double from_, to_;
  std::size_t dim_;
  std::vector<double> rows_, weights_;
  std::vector<float> means_, sums_, own_;
  double floor_ = 0.0;
};

using Losses = std::vector<std::unique_ptr<RowLoss>>;

Losses losses_of(const std::vector<EmbeddingTarget>& targets, const std::vector<double>& counts) {
  Losses losses;
  for (const EmbeddingTarget& target : targets) losses.push_back(embedding_loss(target, counts));
  return losses;
}

void train(nn::Net& net, std::size_t trained, const WriteInputs& write_inputs, const Losses& losses,
           const std::vector<double>& counts, const NetFitOptions& options, const Checkpoints& checkpoints,
           ThreadPool& threads, const FitProgress& progress) {
  const std::vector<std::uint32_t> parts = batch_parts(counts, static_cast<std::size_t>(options.batch));
  nn::Workspace workspace(net, parts.size());
  nn::Optimizer optimizer(nn::Adam{.decay1 = options.momentum}, trained);
  const nn::Schedule schedule{nn::ScheduleKind::cosine, options.rate, options.steps};
  std::vector<float> gradient(net.parameters().size()), inputs(parts.size() * net.inputs());
  const MatrixView<float> batch(inputs.data(), parts.size(), net.inputs());
  BestNet best(checkpoints);
  int steps = 0;
  for (int step = 0; step < options.steps; ++step) {
    write_inputs(step, parts, batch);
    const MatrixView<const float> made = net.forward(batch, workspace, threads);
    const MatrixView<float> d_rows = workspace.output_gradient();
    for_rows(d_rows, threads, [&](std::size_t r) { std::ranges::fill(d_rows.row(r), 0.0F); });
    double loss = 0.0;
    double floor = 0.0;
    for (const auto& part : losses) {
      if (!part->is_active(static_cast<double>(step) / options.steps)) continue;
      loss += part->evaluate(made, parts, d_rows, threads);
      floor += part->floor();
    }
    if (!progress(step + 1, loss / floor)) break;
    net.backward(workspace, gradient, threads);
    optimizer.step(nn::rate_at(schedule, step), std::span(gradient).first(trained), net.parameters().first(trained),
                   threads);
    steps = step + 1;
    if (!best.look(net, steps, threads)) break;
  }
  best.restore(net, steps, threads);
}

}  // namespace

std::unique_ptr<RowLoss> embedding_loss(const EmbeddingTarget& target, const std::vector<double>& counts) {
  return std::make_unique<TargetLoss>(target, counts);
}

NetGenerator fit_net(const OpenRows& rows, const std::vector<EmbeddingTarget>& targets,
                     const std::vector<double>& counts, const NetFitOptions& options, ThreadPool& threads,
                     const FitProgress& progress) {
  return fit_net(rows, losses_of(targets, counts), counts, options, threads, progress);
}

NetGenerator fit_net(const OpenRows& rows, const std::vector<std::unique_ptr<RowLoss>>& losses,
                     const std::vector<double>& counts, const NetFitOptions& options, ThreadPool& threads,
                     const FitProgress& progress) {
  return fit_net(rows, losses, counts, options, Checkpoints{}, threads, progress);
}

NetGenerator fit_net(const OpenRows& rows, const std::vector<std::unique_ptr<RowLoss>>& losses,
                     const std::vector<double>& counts, const NetFitOptions& options, const Checkpoints& checkpoints,
                     ThreadPool& threads, const FitProgress& progress) {
  nn::Net net = NetGenerator::make_net(rows, options.shape, options.seed, threads);
  std::vector<float> normals;
  const auto write_inputs = [&](int step, Parts parts, MatrixView<float> inputs) {
    normals.resize(parts.size() * options.shape.drawn());
    simd::fill_normals(options.seed, static_cast<std::uint64_t>(step) + 1, normals, threads);
    NetGenerator::write_inputs(rows, options.shape, parts, normals, inputs);
  };
  train(net, net.parameters().size(), write_inputs, losses, counts, options, checkpoints, threads, progress);
  return {rows, options.shape, counts, std::move(net)};
}

void fit_net(nn::Net& net, std::size_t trained, const WriteInputs& write_inputs,
             const std::vector<EmbeddingTarget>& targets, const std::vector<double>& counts,
             const NetFitOptions& options, ThreadPool& threads, const FitProgress& progress) {
  train(net, trained, write_inputs, losses_of(targets, counts), counts, options, Checkpoints{}, threads, progress);
}

}  // namespace sosia
