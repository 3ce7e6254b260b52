// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace sosia {

/// A view of rows x cols numbers, each row contiguous, rows `stride` numbers apart. Owns nothing.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0, stride = 0;

  MatrixView() = default;
  MatrixView(T* data_, std::size_t rows_, std::size_t cols_) : MatrixView(data_, rows_, cols_, cols_) {}
  MatrixView(T* data_, std::size_t rows_, std::size_t cols_, std::size_t stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}

  std::span<T> row(std::size_t i) const { return {data + i * stride, cols}; }
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }
};

}  // namespace sosia
