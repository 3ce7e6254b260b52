// SPDX-License-Identifier: Apache-2.0
#include "eval/images/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/gemm.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kQueries = 256, kQueriesPerPiece = 16;

std::vector<float> squared_norms(MatrixView<const float> rows) {
  std::vector<float> norms;
  for (std::size_t i = 0; i < rows.rows; ++i) norms.push_back(static_cast<float>(simd::squared_norm(rows.row(i))));
  return norms;
}

double exact_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double difference = static_cast<double>(a[c]) - b[c];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

}  // namespace

void for_squared_distances(MatrixView<const float> queries, MatrixView<const float> references, ThreadPool& pool,
                           const std::function<void(std::size_t, std::span<float>)>& work) {
  const std::vector<float> query_norms = squared_norms(queries), reference_norms = squared_norms(references);
  std::vector<float> products(std::min(kQueries, queries.rows) * references.rows);
  for (std::size_t first = 0; first < queries.rows; first += kQueries) {
    const std::size_t count = std::min(kQueries, queries.rows - first);
    const MatrixView<const float> block(queries.data + first * queries.stride, count, queries.cols, queries.stride);
    const MatrixView<float> out(products.data(), count, references.rows);
    simd::gemm(-2.0F, block, simd::transposed(references), 0.0F, out, pool);
    simd::for_ranges(pool, count, kQueriesPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::span<float> squares = out.row(i);
        const float norm = query_norms[first + i];
        for (std::size_t j = 0; j < squares.size(); ++j) {
          squares[j] = std::max(0.0F, norm + squares[j] + reference_norms[j]);
        }
        work(first + i, squares);
      }
    });
  }
}

std::vector<double> closest_distances(MatrixView<const float> queries, MatrixView<const float> references,
                                      ThreadPool& pool) {
  std::vector<double> closest(queries.rows);
  for_squared_distances(queries, references, pool, [&](std::size_t query, std::span<float> squares) {
    const auto nearest = std::min_element(squares.begin(), squares.end()) - squares.begin();
    closest[query] = exact_distance(queries.row(query), references.row(static_cast<std::size_t>(nearest)));
  });
  return closest;
}

std::vector<float> squared_radii(MatrixView<const float> rows, std::size_t k, ThreadPool& pool) {
  std::vector<float> radii(rows.rows, std::numeric_limits<float>::infinity());
  if (rows.rows <= k) return radii;
  for_squared_distances(rows, rows, pool, [&](std::size_t query, std::span<float> squares) {
    squares[query] = std::numeric_limits<float>::infinity();  // not its own neighbour
    std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(k - 1), squares.end());
    radii[query] = squares[k - 1];
  });
  return radii;
}

}  // namespace sosia::eval
