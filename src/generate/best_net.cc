// SPDX-License-Identifier: Apache-2.0
#include "generate/best_net.h"

#include <algorithm>

#include "base/check.h"
#include "simd/normals.h"

namespace sosia {

namespace {

constexpr std::uint64_t kStream = std::uint64_t{1} << 61;  // of codes, beside those of steps
constexpr std::size_t kRowsOfPart = 100;

class EmbeddingJudge : public NetJudge {
 public:
  EmbeddingJudge(const OpenRows& rows, const NetShape& shape, const EmbeddingTarget& target,
                 const std::vector<double>& counts, std::uint64_t seed)
      : rows_(rows), shape_(shape), map_(target.map), dim_(static_cast<std::size_t>(map_->dim())), seed_(seed) {
    const std::vector<double>& sums = target.embedding->sums;
    SOSIA_CHECK(sums.size() == counts.size() * dim_, "a released embedding has another size than its map");
    means_.resize(sums.size());
    for (std::uint32_t p = 0; p < counts.size(); ++p) {
      if (!(counts[p] > 0.0)) continue;
      parts_.insert(parts_.end(), kRowsOfPart, p);
      for (std::size_t j = p * dim_; j < (p + 1) * dim_; ++j) means_[j] = static_cast<float>(sums[j] / counts[p]);
    }
    for (std::size_t r = 0; r < parts_.size(); ++r) halves_.push_back(2 * parts_[r] + r % 2);
    sums_.resize(2 * sums.size());
  }

  /// The product of the gaps of two halves: the square of one gap would count what chance adds to it, which is less for
  /// rows that are all alike.
  double distance(const nn::Net& net, ThreadPool& threads) override {
    std::vector<float> normals(parts_.size() * shape_.drawn()), inputs(parts_.size() * net.inputs());
    simd::fill_normals(seed_, kStream, normals, threads);
    const MatrixView<float> batch(inputs.data(), parts_.size(), net.inputs());
    NetGenerator::write_inputs(rows_, shape_, parts_, normals, batch);
    nn::Workspace workspace(net, parts_.size());
    map_->sum(net.evaluate(batch, workspace, threads), halves_, {sums_.data(), sums_.size() / dim_, dim_}, threads);
    constexpr float kShare = 2.0F / static_cast<float>(kRowsOfPart);  // of a row in its half
    double total = 0.0;
    for (std::size_t i = 0; i < parts_.size(); i += kRowsOfPart) {
      const std::size_t p = parts_[i];
      const float *one = sums_.data() + 2 * p * dim_, *other = one + dim_, *mean = means_.data() + p * dim_;
      for (std::size_t j = 0; j < dim_; ++j) {
        total += static_cast<double>(one[j] * kShare - mean[j]) * static_cast<double>(other[j] * kShare - mean[j]);
      }
    }
    return total;
  }

 private:
  OpenRows rows_;
  NetShape shape_;
  std::shared_ptr<const FeatureMap> map_;
  std::size_t dim_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> parts_, halves_;  ///< of each row its part, and which half of it
  std::vector<float> means_, sums_;
};

}  // namespace

std::unique_ptr<NetJudge> embedding_judge(const OpenRows& rows, const NetShape& shape, const EmbeddingTarget& target,
                                          const std::vector<double>& counts, std::uint64_t seed) {
  return std::make_unique<EmbeddingJudge>(rows, shape, target, counts, seed);
}

bool BestNet::look(const nn::Net& net, int steps, ThreadPool& threads) {
  if (checkpoints_.judge == nullptr || steps % checkpoints_.every != 0) return true;
  judge(net, steps, threads);
  return checkpoints_.patience == 0 || worse_ < checkpoints_.patience;
}

void BestNet::judge(const nn::Net& net, int steps, ThreadPool& threads) {
  const double distance = checkpoints_.judge->distance(net, threads);
  judged_at_ = steps;
  ++worse_;
  if (!parameters_.empty() && !(distance < distance_)) return;
  worse_ = 0;
  distance_ = distance;
  parameters_.assign(net.parameters().begin(), net.parameters().end());
  state_.assign(net.state().begin(), net.state().end());
}

void BestNet::restore(nn::Net& net, int steps, ThreadPool& threads) {
  if (checkpoints_.judge == nullptr) return;
  if (steps != judged_at_ || parameters_.empty()) judge(net, steps, threads);
  std::ranges::copy(parameters_, net.parameters().begin());
  std::ranges::copy(state_, net.state().begin());
}

}  // namespace sosia
