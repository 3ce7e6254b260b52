// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "nn/layers.h"
#include "nn/parameter_free.h"
#include "simd/gemm.h"
#include "simd/parallel.h"

namespace sosia::nn {

namespace {

/// One row or column of a result: two of the image, and their shares.
struct Between {
  std::size_t low = 0, high = 0;
  float low_share = 1.0F, high_share = 0.0F;
};

std::vector<Between> places(std::size_t from, std::size_t to, Resize how) {
  std::vector<Between> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    if (how == Resize::nearest) {
      all[i].low = all[i].high = i * from / to;
      continue;
    }
    const double place = to == 1 ? 0.0 : static_cast<double>(i * (from - 1)) / static_cast<double>(to - 1);
    const double low = std::floor(place);
    all[i].low = static_cast<std::size_t>(low);
    all[i].high = std::min(all[i].low + 1, from - 1);
    all[i].high_share = static_cast<float>(place - low);
    all[i].low_share = 1.0F - all[i].high_share;
  }
  return all;
}

/// Rows are mixed first, into scratch; then columns, which is a product with one matrix for all images.
class ResizeLayer final : public ParameterFree {
 public:
  ResizeLayer(const ImageShape& shape, std::size_t width, std::size_t height, Resize how)
      : ParameterFree(shape.values(), shape.channels * width * height),
        shape_(shape),
        width_(width),
        rows_(places(shape.height, height, how)),
        columns_(shape.width * width) {
    const std::vector<Between> columns = places(shape.width, width, how);
    for (std::size_t i = 0; i < width; ++i) {
      columns_[columns[i].low * width + i] += columns[i].low_share;
      columns_[columns[i].high * width + i] += columns[i].high_share;
    }
  }

  std::size_t scratch_count(std::size_t rows) const override { return rows * mixed_size(); }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    for_images(pass, x.rows, [&](std::size_t r, float* mixed) {
      for (std::size_t c = 0; c < shape_.channels; ++c) {
        const float* const plane = x.row(r).data() + c * shape_.pixels();
        for (const Between& row : rows_) {
          const float *low = plane + row.low * shape_.width, *high = plane + row.high * shape_.width;
          for (std::size_t i = 0; i < shape_.width; ++i) mixed[i] = row.low_share * low[i] + row.high_share * high[i];
          mixed += shape_.width;
        }
      }
    });
    for_blocks(pass, y, [&](MatrixView<float> mixed, MatrixView<float> lines) {
      simd::gemm(1.0F, mixed, columns(), 0.0F, lines, pass.pool);
    });
  }

  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float>, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    if (grad_x.data == nullptr) return;
    for_blocks(pass, grad_y, [&](MatrixView<float> mixed, MatrixView<float> lines) {
      simd::gemm(1.0F, lines, simd::transposed(columns()), 0.0F, mixed, pass.pool);
    });
    for_images(pass, x.rows, [&](std::size_t r, const float* mixed) {
      std::ranges::fill(grad_x.row(r), 0.0F);
      for (std::size_t c = 0; c < shape_.channels; ++c) {
        float* const plane = grad_x.row(r).data() + c * shape_.pixels();
        for (const Between& row : rows_) {
          float *low = plane + row.low * shape_.width, *high = plane + row.high * shape_.width;
          for (std::size_t i = 0; i < shape_.width; ++i) low[i] += row.low_share * mixed[i];
          for (std::size_t i = 0; i < shape_.width; ++i) high[i] += row.high_share * mixed[i];
          mixed += shape_.width;
        }
      }
    });
  }

 private:
  /// Of an image with its new height and its old width.
  std::size_t mixed_size() const { return shape_.channels * rows_.size() * shape_.width; }
  MatrixView<const float> columns() const { return {columns_.data(), shape_.width, width_}; }

  template <class Work>
  void for_images(const Pass& pass, std::size_t rows, const Work& work) const {
    simd::for_ranges(pass.pool, rows, simd::rows_per_piece(mixed_size()), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) work(r, pass.scratch.data() + r * mixed_size());
    });
  }

  /// Calls work(lines of mixed images, lines of images): all at once where images follow each other without a gap.
  template <class Work>
  void for_blocks(const Pass& pass, MatrixView<float> images, const Work& work) const {
    const std::size_t lines = shape_.channels * rows_.size();
    const bool is_whole = images.stride == images.cols;
    const std::size_t blocks = is_whole ? 1 : images.rows, block_lines = is_whole ? images.rows * lines : lines;
    for (std::size_t b = 0; b < blocks; ++b) {
      work({pass.scratch.data() + b * mixed_size(), block_lines, shape_.width},
           {images.data + b * images.stride, block_lines, width_});
    }
  }

  ImageShape shape_;
  std::size_t width_;
  std::vector<Between> rows_;
  std::vector<float> columns_;  ///< old width x new width
};

}  // namespace

LayerPtr resize(const ImageShape& shape, std::size_t width, std::size_t height, Resize how) {
  SOSIA_CHECK(shape.values() > 0 && width > 0 && height > 0, "images without pixels");
  return std::make_unique<ResizeLayer>(shape, width, height, how);
}

}  // namespace sosia::nn
