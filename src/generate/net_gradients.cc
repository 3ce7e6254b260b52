// SPDX-License-Identifier: Apache-2.0
#include "generate/net_gradients.h"

#include <algorithm>

namespace sosia {

NetGradients::NetGradients(const nn::Net& net, const ExampleLoss& loss, double norm_bound, double sign_weight)
    : net_(net), loss_(loss), norm_bound_(norm_bound), sign_weight_(sign_weight), shapes_(net.factor_shapes()) {}

void NetGradients::forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const {
  if (rows.rows == 0) return;
  ThreadPool alone(1);  // the door's threads have a stretch of rows each
  const std::size_t count = rows.rows * loss_.rows_per_example();
  std::vector<float> numbers(count * net_.inputs());
  const MatrixView<float> batch(numbers.data(), count, net_.inputs());
  loss_.write_examples(rows, batch);
  nn::Workspace workspace(net_, count);
  const MatrixView<const float> output = net_.evaluate(batch, workspace, alone);
  loss_.write_slopes(batch, output, workspace.output_gradient());
  net_.backward(workspace, {}, alone);
  const std::vector<FactorPair<const float>> made = net_.factors(workspace, alone);
  for (std::size_t b = 0; b < made.size(); ++b) {
    for (std::size_t r = 0; r < count; ++r) {
      std::ranges::copy(made[b].left.row(r), factors[b].left.row(r).begin());
      std::ranges::copy(made[b].right.row(r), factors[b].right.row(r).begin());
    }
  }
}

}  // namespace sosia
