// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "nn/sequence.h"
#include "simd/elementwise.h"

namespace sosia::nn {

namespace {

/// The sum of two ways from x to y. Scratch: for each way its own, its result and the gradient by that; then a gradient
/// by x. Parameters and state: the first way's, then the second's.
class Bypass final : public Layer {
 public:
  Bypass(std::vector<LayerPtr> layers, std::vector<LayerPtr> bypass)
      : ways_{Sequence(std::move(layers)), Sequence(std::move(bypass))} {
    SOSIA_CHECK(ways_[0].inputs() == ways_[1].inputs() && ways_[0].outputs() == ways_[1].outputs(),
                "a bypass must be as wide as what it goes around");
  }

  std::size_t inputs() const override { return ways_[0].inputs(); }
  std::size_t outputs() const override { return ways_[0].outputs(); }
  std::size_t parameter_count() const override { return ways_[0].parameter_count() + ways_[1].parameter_count(); }
  std::size_t state_count() const override { return ways_[0].state_count() + ways_[1].state_count(); }
  std::size_t scratch_count(std::size_t rows) const override {
    return ways_[0].scratch_count(rows) + ways_[1].scratch_count(rows) + rows * (4 * outputs() + inputs());
  }
  bool mixes_examples() const override { return ways_[0].mixes_examples() || ways_[1].mixes_examples(); }

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng,
                  ThreadPool& pool) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      ways_[w].initialize(parameters_of(parameters, w), state_of(state, w), rng, pool);
    }
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, x.rows);
      ways_[w].forward(here.pass, x, here.y);
      add(w, here.y, y);
    }
  }

  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float>, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    const bool wants_x = grad_x.data != nullptr;
    const MatrixView<float> by_x(pass.scratch.data() + scratch_count(x.rows) - x.rows * inputs(), x.rows, inputs());
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, x.rows);
      add(0, grad_y, here.grad_y);
      ways_[w].backward(here.pass, x, here.y, here.grad_y, wants_x ? by_x : grad_x);
      if (wants_x) add(w, by_x, grad_x);
    }
  }

  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, batch.x.rows);
      ways_[w].write_gradient(here.pass, {batch.x, here.grad_y}, row_weights, parameters_of(gradient, w));
    }
  }

  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, batch.x.rows);
      ways_[w].add_squared_norms(here.pass, {batch.x, here.grad_y}, rows_per_example, norms);
    }
  }

  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, batch.x.rows);
      const MatrixView<float> own(gradients.data + w * ways_[0].parameter_count(), gradients.rows,
                                  ways_[w].parameter_count(), gradients.stride);
      ways_[w].write_example_gradients(here.pass, {batch.x, here.grad_y}, rows_per_example, own);
    }
  }

  void add_factor_shapes(std::vector<FactorShape>& shapes) const override {
    for (const Sequence& way : ways_) way.add_factor_shapes(shapes);
  }
  void add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const override {
    for (std::size_t w = 0; w < 2; ++w) {
      const Place here = place(pass, w, batch.x.rows);
      ways_[w].add_factors(here.pass, {batch.x, here.grad_y}, factors);
    }
  }

 private:
  /// One way's own pass, and the room for its result and the gradient by it.
  struct Place {
    Pass pass;
    MatrixView<float> y, grad_y;
  };

  template <class T>
  std::span<T> parameters_of(std::span<T> all, std::size_t w) const {
    return all.subspan(w * ways_[0].parameter_count(), ways_[w].parameter_count());
  }
  template <class T>
  std::span<T> state_of(std::span<T> all, std::size_t w) const {
    return all.empty() ? all : all.subspan(w * ways_[0].state_count(), ways_[w].state_count());
  }

  Place place(const Pass& pass, std::size_t w, std::size_t rows) const {
    const std::size_t size = rows * outputs(), own = ways_[w].scratch_count(rows);
    const std::size_t offset = w * (ways_[0].scratch_count(rows) + 2 * size);
    float* const results = pass.scratch.data() + offset + own;
    return {{.parameters = parameters_of(pass.parameters, w),
             .state = state_of(pass.state, w),
             .next_state = state_of(pass.next_state, w),
             .scratch = pass.scratch.subspan(offset, own),
             .is_training = pass.is_training,
             .pool = pass.pool},
            {results, rows, outputs()},
            {results + size, rows, outputs()}};
  }

  /// to = from for the first way, to += from for the second.
  static void add(std::size_t w, MatrixView<const float> from, MatrixView<float> to) {
    for (std::size_t r = 0; r < from.rows; ++r) {
      if (w == 0) {
        std::ranges::copy(from.row(r), to.row(r).begin());
      } else {
        simd::add_scaled(1.0F, from.row(r), to.row(r));
      }
    }
  }

  std::array<Sequence, 2> ways_;
};

}  // namespace

LayerPtr residual(std::vector<LayerPtr> layers, std::vector<LayerPtr> bypass) {
  return std::make_unique<Bypass>(std::move(layers), std::move(bypass));
}

}  // namespace sosia::nn
