// SPDX-License-Identifier: Apache-2.0
#include "perceptual/perceptual_map.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "nn/net.h"
#include "perceptual/preparation.h"
#include "simd/elementwise.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia {

namespace {

// Images that go through the net together: enough to use a filter while it is in the cache, few enough for what they
// leave behind to stay there, too.
constexpr std::size_t kImages = 8;
// Such groups whose vectors are made side by side before they are added up, in the order of rows.
constexpr std::size_t kGroups = 8;

/// What a group of images needs on its way through all stages and back.
struct Room {
  std::vector<nn::Workspace> stages;
};

class Perceptual : public FeatureMap {
 public:
  Perceptual(const FeatureNet& net, const ImageShape& shape, const PerceptualOptions& options)
      : shape_(shape), moments_(static_cast<std::size_t>(options.moments)) {
    SOSIA_CHECK(options.moments == 1 || options.moments == 2, "one moment or two");
    SOSIA_CHECK(net.parameters.size() == parameter_count(net, "feature net"), "a net with all of its numbers");
    const std::vector<ImageShape> shapes = shapes_of(net, "feature net");
    std::vector<nn::LayerPtr> layers = preparing_layers(net, shape);
    std::vector<float> parameters = preparing_parameters(net, shape);
    parameters.insert(parameters.end(), net.parameters.begin(), net.parameters.end());
    std::size_t used = 0;
    ThreadPool alone(1);
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
      layers.push_back(layer_of(net.layers[i], shapes[i]));
      if (!net.layers[i].is_read) continue;
      nn::Net& stage = stages_.emplace_back(std::move(layers), 0, alone);
      layers.clear();
      std::copy_n(parameters.begin() + static_cast<std::ptrdiff_t>(used), stage.parameters().size(),
                  stage.parameters().begin());
      used += stage.parameters().size();
      read_ += stage.outputs();
    }
    scale_ = static_cast<float>((1.0 - 0x1p-20) / std::sqrt(static_cast<double>(moments_ * stages_.size())));
  }

  int inputs() const override { return static_cast<int>(shape_.values()); }
  int dim() const override { return static_cast<int>(moments_ * read_); }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return true; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    const Lent room(*this);
    for (std::size_t first = 0; first < rows.rows; first += kImages) {
      const std::size_t count = std::min(kImages, rows.rows - first);
      look(part(rows, first, count), *room);
      write_vectors(*room, part(vectors, first, count));
    }
  }

  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    pass(rows, parts, sums, {}, {}, threads);
  }
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    pass(rows, parts, {}, d_sums, d_rows, threads);
  }
  void backward_and_sum(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums,
                        MatrixView<float> d_rows, MatrixView<float> sums, ThreadPool& threads) const override {
    pass(rows, parts, sums, d_sums, d_rows, threads);
  }

 private:
  /// Room from those that nobody uses: there are as many as threads were ever here at once.
  class Lent {
   public:
    explicit Lent(const Perceptual& owner) : owner_(owner) {
      const std::lock_guard lock(owner.mutex_);
      if (owner.free_.empty()) {
        room_ = owner.make_room();
      } else {
        room_ = std::move(owner.free_.back());
        owner.free_.pop_back();
      }
    }
    ~Lent() {
      const std::lock_guard lock(owner_.mutex_);
      owner_.free_.push_back(std::move(room_));
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Room& operator*() const { return *room_; }

   private:
    const Perceptual& owner_;
    std::unique_ptr<Room> room_;
  };

  std::unique_ptr<Room> make_room() const {
    auto room = std::make_unique<Room>();
    for (const nn::Net& stage : stages_) room->stages.emplace_back(stage, kImages, true);
    return room;
  }

  template <class T>
  static MatrixView<T> part(MatrixView<T> all, std::size_t first, std::size_t count) {
    return {all.data + first * all.stride, count, all.cols, all.stride};
  }

  void look(MatrixView<const float> images, Room& room) const {
    ThreadPool alone(1);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      images = stages_[s].evaluate(images, room.stages[s], alone);
    }
  }

  void write_vectors(const Room& room, MatrixView<float> vectors) const {
    for (std::size_t r = 0; r < vectors.rows; ++r) {
      float* out = vectors.row(r).data();
      for (std::size_t moment = 0; moment < moments_; ++moment) {
        for (const nn::Workspace& stage : room.stages) {
          const std::span<const float> seen = stage.output().row(r);
          const std::span<float> piece(out, seen.size());
          for (std::size_t j = 0; j < seen.size(); ++j) piece[j] = moment == 0 ? seen[j] : seen[j] * seen[j];
          simd::scale(scale_over_norm(piece), piece);
          out += seen.size();
        }
      }
    }
  }

  /// 0 where nothing was seen, or so little that its square is no number worth dividing by.
  float scale_over_norm(std::span<const float> piece) const {
    const double norm = std::sqrt(simd::squared_norm(piece));
    return norm > 1e-12 ? static_cast<float>(static_cast<double>(scale_) / norm) : 0.0F;
  }

  /// The gradient by the images of weights[r] * vector r, after `look`: with p = x / |x|, that of g p by x is
  /// (g - (g p) p) / |x|.
  void look_back(Room& room, const auto& weights_of, MatrixView<float> d_rows) const {
    ThreadPool alone(1);
    for (std::size_t s = stages_.size(); s-- > 0;) {
      const MatrixView<float> d_seen = room.stages[s].output_gradient();
      for (std::size_t r = 0; r < d_rows.rows; ++r) {
        if (s + 1 == stages_.size()) {
          std::ranges::fill(d_seen.row(r), 0.0F);
        } else {
          std::ranges::copy(room.stages[s + 1].input_gradient().row(r), d_seen.row(r).begin());
        }
        add_piece_gradients(room, s, r, weights_of(r), d_seen.row(r));
      }
      stages_[s].backward(room.stages[s], {}, alone);
    }
    for (std::size_t r = 0; r < d_rows.rows; ++r) {
      std::ranges::copy(room.stages[0].input_gradient().row(r), d_rows.row(r).begin());
    }
  }

  void add_piece_gradients(const Room& room, std::size_t s, std::size_t r, std::span<const float> weights,
                           std::span<float> d_seen) const {
    const std::span<const float> seen = room.stages[s].output().row(r);
    std::size_t first = 0;
    for (std::size_t before = 0; before < s; ++before) first += stages_[before].outputs();
    std::vector<float> squares;
    for (std::size_t moment = 0; moment < moments_; ++moment, first += read_) {
      const std::span<const float> g = weights.subspan(first, seen.size());
      std::span<const float> piece = seen;
      if (moment == 1) {
        squares.resize(seen.size());
        for (std::size_t j = 0; j < seen.size(); ++j) squares[j] = seen[j] * seen[j];
        piece = squares;
      }
      const double norm2 = simd::squared_norm(piece);
      const float scale = scale_over_norm(piece);
      if (scale == 0.0F) continue;
      const auto along = static_cast<float>(simd::dot(g, piece) / norm2);
      for (std::size_t j = 0; j < seen.size(); ++j) {
        const float by_piece = scale * (g[j] - along * piece[j]);
        d_seen[j] += moment == 0 ? by_piece : 2.0F * seen[j] * by_piece;
      }
    }
  }

  /// Sums, gradients, or both, as far as there is a place for them. Groups of images are looked at side by side; their
  /// vectors are added up in the order of rows, each number by one thread.
  void pass(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, MatrixView<const float> d_sums,
            MatrixView<float> d_rows, ThreadPool& threads) const {
    const auto size = static_cast<std::size_t>(dim());
    for (std::size_t p = 0; p < sums.rows; ++p) std::ranges::fill(sums.row(p), 0.0F);
    std::vector<float> vectors(sums.rows == 0 ? 0 : kGroups * kImages * size);
    for (std::size_t first = 0; first < rows.rows; first += kGroups * kImages) {
      const std::size_t many = std::min(kGroups * kImages, rows.rows - first);
      simd::for_ranges(threads, many, kImages, [&](std::size_t begin, std::size_t end) {
        const Lent room(*this);
        look(part(rows, first + begin, end - begin), *room);
        if (sums.rows > 0) write_vectors(*room, {vectors.data() + begin * size, end - begin, size});
        if (d_rows.rows == 0) return;
        const auto weights_of = [&](std::size_t r) { return d_sums.row(parts.empty() ? 0 : parts[first + begin + r]); };
        look_back(*room, weights_of, part(d_rows, first + begin, end - begin));
      });
      if (sums.rows == 0) continue;
      simd::for_ranges(threads, size, simd::kPieceSize / 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = 0; r < many; ++r) {
          const std::span<float> sum = sums.row(parts.empty() ? 0 : parts[first + r]);
          simd::add_scaled(1.0F, {vectors.data() + r * size + begin, end - begin}, sum.subspan(begin, end - begin));
        }
      });
    }
  }

  ImageShape shape_;
  std::size_t moments_, read_ = 0;
  std::vector<nn::Net> stages_;  ///< each up to a layer that is read
  float scale_ = 1.0F;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Room>> free_;
};

}  // namespace

std::unique_ptr<FeatureMap> perceptual(const FeatureNet& net, const ImageShape& shape,
                                       const PerceptualOptions& options) {
  return std::make_unique<Perceptual>(net, shape, options);
}

}  // namespace sosia
