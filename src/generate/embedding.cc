// SPDX-License-Identifier: Apache-2.0
#include "generate/embedding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "simd/normals.h"

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

/// One target's share in the loss.
class TargetLoss {
 public:
  TargetLoss(const EmbeddingTarget& target, const std::vector<double>& counts, const std::vector<std::uint32_t>& parts)
      : map_(*target.map), dim_(static_cast<std::size_t>(map_.dim())), rows_(counts.size()) {
    const std::vector<double>& sums = target.embedding->sums;
    SOSIA_CHECK(sums.size() == counts.size() * dim_, "a released embedding has another size than its map");
    for (const std::uint32_t part : parts) ++rows_[part];
    means_.resize(sums.size());
    weights_.resize(counts.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      if (rows_[p] == 0.0) continue;
      weights_[p] = target.weight;
      const double sigma = std::max(target.embedding->sigma, kLeastSigma) / counts[p];
      floor_ += weights_[p] * sigma * sigma * static_cast<double>(dim_);
      for (std::size_t j = 0; j < dim_; ++j) means_[p * dim_ + j] = static_cast<float>(sums[p * dim_ + j] / counts[p]);
    }
    sums_.resize(means_.size());
  }

  double floor() const { return floor_; }

  /// Returns the loss, and adds its gradient by the rows.
  double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) {
    map_.sum(rows, parts, view(), threads);
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
    own_.resize(d_rows.rows * d_rows.cols);
    const MatrixView<float> own(own_.data(), d_rows.rows, d_rows.cols);
    map_.backward(rows, parts, view(), own, threads);
    for (std::size_t r = 0; r < d_rows.rows; ++r) {
      for (std::size_t j = 0; j < d_rows.cols; ++j) d_rows.row(r)[j] += own.row(r)[j];
    }
    return loss;
  }

 private:
  static constexpr double kLeastSigma = 0.25;  // rows: what sums without noise are taken to be off by
  MatrixView<float> view() { return {sums_.data(), rows_.size(), dim_}; }

  const FeatureMap& map_;
  std::size_t dim_;
  std::vector<double> rows_, weights_;
  std::vector<float> means_, sums_, own_;
  double floor_ = 0.0;
};

}  // namespace

NetGenerator fit_net(const OpenRows& rows, const std::vector<EmbeddingTarget>& targets,
                     const std::vector<double>& counts, const NetFitOptions& options, ThreadPool& threads,
                     const FitProgress& progress) {
  const std::vector<std::uint32_t> parts = batch_parts(counts, static_cast<std::size_t>(options.batch));
  std::vector<TargetLoss> losses;
  double floor = 0.0;
  for (const EmbeddingTarget& target : targets) {
    losses.emplace_back(target, counts, parts);
    floor += losses.back().floor();
  }
  nn::Net net = NetGenerator::make_net(rows, options.shape, options.seed, threads);
  nn::Workspace workspace(net, parts.size());
  nn::Optimizer optimizer(nn::Adam{}, net.parameters().size());
  const nn::Schedule schedule{nn::ScheduleKind::cosine, options.rate, options.steps};
  std::vector<float> gradient(net.parameters().size()), inputs(parts.size() * net.inputs());
  std::vector<float> normals(parts.size() * static_cast<std::size_t>(options.shape.codes));
  const MatrixView<float> batch(inputs.data(), parts.size(), net.inputs());
  for (int step = 0; step < options.steps; ++step) {
    simd::fill_normals(options.seed, static_cast<std::uint64_t>(step) + 1, normals, threads);
    NetGenerator::write_inputs(rows, options.shape, parts, normals, batch);
    const MatrixView<const float> made = net.forward(batch, workspace, threads);
    const MatrixView<float> d_rows = workspace.output_gradient();
    for (std::size_t r = 0; r < d_rows.rows; ++r) std::fill_n(d_rows.row(r).data(), d_rows.cols, 0.0F);
    double loss = 0.0;
    for (TargetLoss& target : losses) loss += target.evaluate(made, parts, d_rows, threads);
    if (!progress(step + 1, loss / floor)) break;
    net.backward(workspace, gradient, threads);
    optimizer.step(nn::rate_at(schedule, step), gradient, net.parameters(), threads);
  }
  return {rows, options.shape, counts, std::move(net)};
}

}  // namespace sosia
