// SPDX-License-Identifier: Apache-2.0
// Noisy mean embeddings, and the fit of a net to them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "features/feature_map.h"
#include "generate/fit_mixture.h"
#include "generate/net_generator.h"

namespace sosia {

/// Noisy sums of a map's vectors over the rows of each part.
struct Embedding {
  std::vector<double> sums;  ///< dim numbers of part 0, of part 1 ...
  double sigma = 0.0;        ///< standard deviation of each; 0 without noise
  bool by_part = true;       ///< false: dim numbers of all rows together
};

/// What is known of a private table after its releases, when these are embeddings.
struct Embeddings {
  double rows = 0.0;           ///< about; above 0
  std::vector<double> counts;  ///< rows of each part, about
  double count_sigma = 0.0;    ///< standard deviation of each count
  std::vector<Embedding> list;
  std::vector<int> picked = {};  ///< fields that were chosen to be learned by part; empty: there was no choice
};

/// A map, and what was released with it.
struct EmbeddingTarget {
  std::shared_ptr<const FeatureMap> map;
  const Embedding* embedding = nullptr;
  double weight = 1.0;          ///< of its part in the loss
  double from = 0.0, to = 1.0;  ///< the part of training in which it is used
};

/// What a net is trained by: a function of the rows that it makes.
class RowLoss {
 public:
  virtual ~RowLoss() = default;
  /// Returns the loss of open rows, and adds its gradient by them.
  virtual double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) = 0;
  /// What the noise in it alone would give; above 0.
  virtual double floor() const = 0;
  /// Whether it is used when this share of the training is done.
  virtual bool is_active(double /*share*/) const { return true; }
};

struct NetFitOptions {
  NetShape shape = {};
  int steps = 2000;
  int batch = 1000;       ///< rows a step
  double rate = 0.01;     ///< of Adam, at the start; it falls to 0 along half a cosine
  double momentum = 0.9;  ///< of Adam; less where gradients come late, as those of running means do
  std::uint64_t seed = 1;
};

struct Checkpoints;  // generate/best_net.h

/// Trains a net by the sum of losses; progress shows it in units of what noise alone would give. A batch has rows of
/// each part by its count. The last net is kept, or the best at the checkpoints. The same result for any number of
/// threads.
NetGenerator fit_net(const OpenRows& rows, const std::vector<std::unique_ptr<RowLoss>>& losses,
                     const std::vector<double>& counts, const NetFitOptions& options, const Checkpoints& checkpoints,
                     ThreadPool& threads, const FitProgress& progress);
NetGenerator fit_net(const OpenRows& rows, const std::vector<std::unique_ptr<RowLoss>>& losses,
                     const std::vector<double>& counts, const NetFitOptions& options, ThreadPool& threads,
                     const FitProgress& progress);

/// The sum over parts of weight * |difference of means|^2, of the rows' mean embedding and the released one.
std::unique_ptr<RowLoss> embedding_loss(const EmbeddingTarget& target, const std::vector<double>& counts);

/// Trains a net so that the mean embedding of its rows, part by part, comes close to the released one: post-processing,
/// no private data. The loss is the sum over targets and parts of weight * |difference of means|^2.
NetGenerator fit_net(const OpenRows& rows, const std::vector<EmbeddingTarget>& targets,
                     const std::vector<double>& counts, const NetFitOptions& options, ThreadPool& threads,
                     const FitProgress& progress);

/// The same for a net that is there already: of its parameters the first `trained` learn, the others stay.
/// `write_inputs` makes the inputs of a step, for rows of these parts.
using WriteInputs = std::function<void(int step, Parts parts, MatrixView<float> inputs)>;
void fit_net(nn::Net& net, std::size_t trained, const WriteInputs& write_inputs,
             const std::vector<EmbeddingTarget>& targets, const std::vector<double>& counts,
             const NetFitOptions& options, ThreadPool& threads, const FitProgress& progress);

}  // namespace sosia
