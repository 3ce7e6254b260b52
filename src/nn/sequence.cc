// SPDX-License-Identifier: Apache-2.0
#include "nn/sequence.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sosia::nn {

namespace {

/// Pieces of scratch begin on cache lines of their own.
std::size_t rounded_up(std::size_t floats) { return (floats + 15) / 16 * 16; }

}  // namespace

Sequence::Sequence(std::vector<LayerPtr> layers)
    : layers_(std::move(layers)), parameter_offsets_{0}, state_offsets_{0} {
  SOSIA_CHECK(!layers_.empty(), "no layers");
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    SOSIA_CHECK(i == 0 || layers_[i]->inputs() == layers_[i - 1]->outputs(),
                "layers of different widths follow each other");
    parameter_offsets_.push_back(parameter_offsets_.back() + layers_[i]->parameter_count());
    state_offsets_.push_back(state_offsets_.back() + layers_[i]->state_count());
  }
}

std::size_t Sequence::scratch_offset(std::size_t layer, std::size_t rows) const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < layer; ++i) {
    total += rounded_up(layers_[i]->scratch_count(rows));
    if (i + 1 < layers_.size()) total += 2 * rounded_up(rows * layers_[i]->outputs());
  }
  return total;
}

std::size_t Sequence::scratch_count(std::size_t rows) const { return scratch_offset(layers_.size(), rows); }

bool Sequence::mixes_examples() const {
  return std::ranges::any_of(layers_, [](const LayerPtr& layer) { return layer->mixes_examples(); });
}

Sequence::Place Sequence::place(const Pass& pass, std::size_t i, std::size_t rows) const {
  const Layer& layer = *layers_[i];
  const auto state = [&](auto all) { return all.empty() ? all : all.subspan(state_offsets_[i], layer.state_count()); };
  const std::size_t own = layer.scratch_count(rows), offset = scratch_offset(i, rows);
  Place place{{.parameters = pass.parameters.subspan(parameter_offsets_[i], layer.parameter_count()),
               .state = state(pass.state),
               .next_state = state(pass.next_state),
               .scratch = pass.scratch.subspan(offset, own),
               .is_training = pass.is_training,
               .pool = pass.pool},
              {},
              {}};
  if (i + 1 < layers_.size()) {
    float* results = pass.scratch.data() + offset + rounded_up(own);
    place.y = {results, rows, layer.outputs()};
    place.grad_y = {results + rounded_up(rows * layer.outputs()), rows, layer.outputs()};
  }
  return place;
}

LayerBatch Sequence::batch_of(const Pass& pass, LayerBatch whole, std::size_t layer) const {
  const std::size_t rows = whole.x.rows;
  return {layer == 0 ? whole.x : place(pass, layer - 1, rows).y,
          layer + 1 == layers_.size() ? whole.grad : place(pass, layer, rows).grad_y};
}

void Sequence::initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng, ThreadPool& pool) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->initialize(parameters.subspan(parameter_offsets_[i], layers_[i]->parameter_count()),
                           state.subspan(state_offsets_[i], layers_[i]->state_count()), rng, pool);
  }
}

void Sequence::forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Place here = place(pass, i, x.rows);
    const MatrixView<float> result = i + 1 < layers_.size() ? here.y : y;
    layers_[i]->forward(here.pass, x, result);
    x = result;
  }
}

void Sequence::backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y,
                        MatrixView<float> grad_y, MatrixView<float> grad_x) const {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Place here = place(pass, i, x.rows);
    if (i == 0) {
      layers_[i]->backward(here.pass, x, y, grad_y, grad_x);
    } else {
      const Place before = place(pass, i - 1, x.rows);
      layers_[i]->backward(here.pass, before.y, y, grad_y, before.grad_y);
      y = before.y;
      grad_y = before.grad_y;
    }
  }
}

void Sequence::write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                              std::span<float> gradient) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::span<float> own = gradient.subspan(parameter_offsets_[i], layers_[i]->parameter_count());
    layers_[i]->write_gradient(place(pass, i, batch.x.rows).pass, batch_of(pass, batch, i), row_weights, own);
  }
}

void Sequence::add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                                 std::span<double> norms) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->add_squared_norms(place(pass, i, batch.x.rows).pass, batch_of(pass, batch, i), rows_per_example, norms);
  }
}

void Sequence::write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                                       MatrixView<float> gradients) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const MatrixView<float> own(gradients.data + parameter_offsets_[i], gradients.rows, layers_[i]->parameter_count(),
                                gradients.stride);
    layers_[i]->write_example_gradients(place(pass, i, batch.x.rows).pass, batch_of(pass, batch, i), rows_per_example,
                                        own);
  }
}

void Sequence::add_factor_shapes(std::vector<FactorShape>& shapes) const {
  for (const LayerPtr& layer : layers_) layer->add_factor_shapes(shapes);
}

void Sequence::add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->add_factors(place(pass, i, batch.x.rows).pass, batch_of(pass, batch, i), factors);
  }
}

}  // namespace sosia::nn
