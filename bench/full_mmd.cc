// SPDX-License-Identifier: Apache-2.0
// What DP-MERF would give without noise and without random features: a net trained by the whole, quadratic maximum mean
// discrepancy between its rows and all real rows of a class, under the same kernel: Gaussian on numbers plus the share
// of equal categories. NOT PRIVATE: a reference for tables of results, reads rows as they are.
//   full_mmd TABLE SCHEMA OUTPUT [STEPS [BATCH [LENGTH_SCALE [SEED]]]]
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include <sosia/schema.h>

#include "data/open_table.h"
#include "generate/embedding.h"
#include "model/contents.h"
#include "model/sampling.h"
#include "simd/parallel.h"

namespace {

using namespace sosia;

/// The open rows of each part.
using RowsByPart = std::vector<std::vector<float>>;

class KernelLoss : public RowLoss {
 public:
  KernelLoss(const OpenRows& layout, RowsByPart real, double length_scale)
      : inputs_(static_cast<std::size_t>(layout.inputs())),
        scalars_(static_cast<std::size_t>(layout.scalars())),
        category_weight_(layout.blocks().empty() ? 0.0F : 1.0F / static_cast<float>(layout.blocks().size())),
        inverse_(static_cast<float>(6.0 / (length_scale * length_scale * std::max(1, layout.scalars())))),
        real_(std::move(real)) {}

  double floor() const override { return 1.0; }

  /// E k(g, g') - 2 E k(g, x) for each part, rows of a part standing together.
  double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) override {
    std::vector<double> losses(rows.rows);
    simd::for_pieces(threads, rows.rows, [&](std::size_t r) {
      const std::uint32_t part = parts[r];
      std::size_t first = r, last = r + 1;
      while (first > 0 && parts[first - 1] == part) --first;
      while (last < rows.rows && parts[last] == part) ++last;
      const auto count = static_cast<float>(last - first);
      const std::vector<float>& real = real_[part];
      const std::size_t real_rows = real.size() / inputs_;
      const float* const row = rows.row(r).data();
      float* const d_row = d_rows.row(r).data();
      double loss = 0.0;
      for (std::size_t i = first; i < last; ++i) {
        loss += add_kernel(row, rows.row(i).data(), 2.0F / (count * count), d_row) / 2.0;
      }
      const float share = -2.0F / (count * static_cast<float>(std::max<std::size_t>(real_rows, 1)));
      for (std::size_t i = 0; i < real_rows; ++i) loss += add_kernel(row, real.data() + i * inputs_, share, d_row);
      losses[r] = loss;
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

 private:
  /// weight * k(x, y), and adds its gradient by x.
  double add_kernel(const float* x, const float* y, float weight, float* d_x) const {
    float value = 0.0F;
    if (scalars_ > 0) {
      float distance = 0.0F;
      for (std::size_t j = 0; j < scalars_; ++j) distance += (x[j] - y[j]) * (x[j] - y[j]);
      const float kernel = std::exp(-0.5F * inverse_ * distance);
      value += kernel;
      for (std::size_t j = 0; j < scalars_; ++j) d_x[j] -= weight * kernel * inverse_ * (x[j] - y[j]);
    }
    float equal = 0.0F;
    for (std::size_t j = scalars_; j < inputs_; ++j) {
      equal += x[j] * y[j];
      d_x[j] += weight * category_weight_ * y[j];
    }
    return static_cast<double>(weight * (value + category_weight_ * equal));
  }

  std::size_t inputs_, scalars_;
  float category_weight_, inverse_;
  RowsByPart real_;
};

RowsByPart read_rows(const TableFile& table, const Codec& codec, const OpenRows& layout) {
  RowsByPart real(static_cast<std::size_t>(layout.parts()));
  const auto scan = table.scan();
  Trouble trouble;
  for (TableBlock block; scan->next(block);) {
    const auto count = static_cast<std::size_t>(block.batch->num_rows());
    const auto width = static_cast<std::size_t>(codec.width()), inputs = static_cast<std::size_t>(layout.inputs());
    std::vector<float> encoded(count * width), opened(count * inputs);
    std::vector<std::uint32_t> parts(count);
    codec.encode(*block.batch, {encoded.data(), count, width}, trouble);
    layout.open({encoded.data(), count, width}, {opened.data(), count, inputs});
    layout.assign({encoded.data(), count, width}, parts);
    for (std::size_t r = 0; r < count; ++r) {
      if (parts[r] >= real.size()) continue;
      real[parts[r]].insert(real[parts[r]].end(), opened.begin() + static_cast<std::ptrdiff_t>(r * inputs),
                            opened.begin() + static_cast<std::ptrdiff_t>((r + 1) * inputs));
    }
  }
  codec.check(trouble, table.name());
  return real;
}

void run(int count, char** words) {
  const auto number = [&](int place, double standard) { return place < count ? std::atof(words[place]) : standard; };
  ModelContents model;
  model.schema = read_schema(words[2]);
  model.codec = {.numbers = NumberCoding::scaled, .exact = false};
  const auto table = open_table(words[1], model.schema, {});
  const Codec codec(model.schema, model.codec);
  const OpenRows layout = open_rows_of(codec);
  RowsByPart real = read_rows(*table, codec, layout);
  Embeddings sizes;
  for (const std::vector<float>& rows : real) {
    sizes.counts.push_back(static_cast<double>(rows.size() / static_cast<std::size_t>(layout.inputs())));
  }
  sizes.rows = std::accumulate(sizes.counts.begin(), sizes.counts.end(), 0.0);
  const NetFitOptions options{.shape = {10, 10, {128, 64}},
                              .steps = static_cast<int>(number(4, 1000)),
                              .batch = static_cast<int>(number(5, 200)),
                              .seed = static_cast<std::uint64_t>(number(7, 1))};
  ThreadPool threads;
  std::vector<std::unique_ptr<RowLoss>> losses;
  losses.push_back(std::make_unique<KernelLoss>(layout, std::move(real), number(6, 1.0)));
  model.generator = std::make_shared<const NetGenerator>(
      fit_net(layout, losses, sizes.counts, options, threads, [](int, double) { return true; }));
  model.released = std::move(sizes);
  const std::int64_t rows = write_samples(model, words[3], {.seed = options.seed});
  fmt::print("NOT PRIVATE: {} rows by the whole MMD\n", rows);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 4) throw std::runtime_error("full_mmd TABLE SCHEMA OUTPUT [STEPS [BATCH [LENGTH_SCALE [SEED]]]]");
    run(count, words);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
