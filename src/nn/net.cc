// SPDX-License-Identifier: Apache-2.0
#include "nn/net.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace sosia::nn {

Net::Net(std::vector<LayerPtr> layers, std::uint64_t seed, ThreadPool& pool)
    : layers_(std::move(layers)), parameters_(layers_.parameter_count()), state_(layers_.state_count()) {
  PublicRng rng(seed);
  layers_.initialize(parameters_, state_, rng, pool);
}

std::span<float> Net::parameters_of(std::size_t layer) {
  return parameters().subspan(layers_.parameter_offset(layer), layers_.layer(layer).parameter_count());
}

Pass Net::pass_of(Workspace& workspace, std::span<float> next_state, ThreadPool& pool) const {
  return {.parameters = parameters_,
          .state = state_,
          .next_state = next_state,
          .scratch = workspace.scratch_,
          .is_training = workspace.is_training_,
          .pool = pool};
}

MatrixView<const float> Net::run_forward(MatrixView<const float> batch, Workspace& workspace,
                                         std::span<float> next_state, bool is_training, ThreadPool& pool) const {
  SOSIA_CHECK(batch.cols == inputs() && workspace.inputs_ == inputs() && workspace.outputs_ == outputs(),
              "a batch or a workspace of another net");
  SOSIA_CHECK(batch.rows <= workspace.max_rows_, "a batch with more rows than its workspace");
  workspace.batch_ = batch;
  workspace.is_training_ = is_training;
  layers_.forward(pass_of(workspace, next_state, pool), batch, {workspace.output_.data(), batch.rows, outputs()});
  workspace.stage_ = Workspace::Stage::forward;
  return workspace.output();
}

MatrixView<const float> Net::forward(MatrixView<const float> batch, Workspace& workspace, ThreadPool& pool) {
  return run_forward(batch, workspace, state_, true, pool);
}

MatrixView<const float> Net::evaluate(MatrixView<const float> batch, Workspace& workspace, ThreadPool& pool) const {
  return run_forward(batch, workspace, {}, false, pool);
}

void Net::backward(Workspace& workspace, std::span<float> gradient, ThreadPool& pool) const {
  SOSIA_CHECK(workspace.stage_ == Workspace::Stage::forward, "backward without a batch that went forward");
  SOSIA_CHECK(gradient.empty() || gradient.size() == parameters_.size(), "a gradient of another net");
  const Pass pass = pass_of(workspace, {}, pool);
  const bool wants_input = !workspace.input_gradient_.empty();
  layers_.backward(pass, workspace.batch_, workspace.output(), workspace.output_gradient(),
                   {wants_input ? workspace.input_gradient_.data() : nullptr, workspace.batch_.rows, inputs()});
  workspace.stage_ = Workspace::Stage::backward;
  if (!gradient.empty()) layers_.write_gradient(pass, {workspace.batch_, workspace.output_gradient()}, {}, gradient);
}

void Net::check_examples(const Workspace& workspace, std::size_t rows_per_example) const {
  if (layers_.mixes_examples()) {
    throw Error(ErrorKind::usage, "a net with batch norm has no gradients of single examples", "Net",
                "leave batch norm out of nets that private rows pass through");
  }
  SOSIA_CHECK(workspace.stage_ == Workspace::Stage::backward, "no batch that went backward");
  SOSIA_CHECK(rows_per_example > 0 && workspace.batch_.rows % rows_per_example == 0,
              "the rows are not a whole number of examples");
}

void Net::squared_norms(Workspace& workspace, std::size_t rows_per_example, std::span<double> norms,
                        ThreadPool& pool) const {
  check_examples(workspace, rows_per_example);
  SOSIA_CHECK(norms.size() == workspace.batch_.rows / rows_per_example, "not one norm for each example");
  std::ranges::fill(norms, 0.0);
  layers_.add_squared_norms(pass_of(workspace, {}, pool), {workspace.batch_, workspace.output_gradient()},
                            rows_per_example, norms);
}

void Net::clipped_gradient_sum(Workspace& workspace, double bound, std::size_t rows_per_example, std::span<float> sum,
                               ThreadPool& pool) const {
  SOSIA_CHECK(bound > 0.0 && std::isfinite(bound), "a bound that is not positive");
  SOSIA_CHECK(sum.size() == parameters_.size(), "a gradient of another net");
  check_examples(workspace, rows_per_example);
  const std::size_t rows = workspace.batch_.rows;
  const std::span<double> norms = std::span(workspace.norms_).first(rows / rows_per_example);
  squared_norms(workspace, rows_per_example, norms, pool);
  const std::span<float> weights = std::span(workspace.row_weights_).first(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double norm = std::sqrt(std::max(0.0, norms[r / rows_per_example]));
    weights[r] = norm > bound ? static_cast<float>(bound / norm) : 1.0F;
  }
  layers_.write_gradient(pass_of(workspace, {}, pool), {workspace.batch_, workspace.output_gradient()}, weights, sum);
  workspace.stage_ = Workspace::Stage::spent;
}

void Net::example_gradients(Workspace& workspace, std::size_t rows_per_example, MatrixView<float> gradients,
                            ThreadPool& pool) const {
  check_examples(workspace, rows_per_example);
  SOSIA_CHECK(gradients.rows == workspace.batch_.rows / rows_per_example && gradients.cols == parameters_.size(),
              "not one row of all parameters for each example");
  layers_.write_example_gradients(pass_of(workspace, {}, pool), {workspace.batch_, workspace.output_gradient()},
                                  rows_per_example, gradients);
}

std::vector<FactorShape> Net::factor_shapes() const {
  std::vector<FactorShape> shapes;
  layers_.add_factor_shapes(shapes);
  return shapes;
}

std::vector<FactorPair<const float>> Net::factors(Workspace& workspace, ThreadPool& pool) const {
  check_examples(workspace, 1);
  std::vector<FactorPair<const float>> list;
  layers_.add_factors(pass_of(workspace, {}, pool), {workspace.batch_, workspace.output_gradient()}, list);
  return list;
}

}  // namespace sosia::nn
