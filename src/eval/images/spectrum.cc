// SPDX-License-Identifier: Apache-2.0
#include "eval/images/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simd/parallel.h"

namespace sosia::eval {

namespace {

using Vector = std::vector<double>;

constexpr std::size_t kRows = 16;    // of a matrix in a piece of work
constexpr int kMostHalvings = 1100;  // of any interval of doubles

struct ThreeDiagonals {
  Vector middle, beside;
};

/// Rows and columns before `first` are done. Returns the entry that is left beside the diagonal.
double reflect(Vector& matrix, std::size_t size, std::size_t first) {
  Vector v(size, 0.0), p(size, 0.0);
  double squares = 0.0;
  for (std::size_t i = first; i < size; ++i) {
    v[i] = matrix[i * size + first - 1];
    squares += v[i] * v[i];
  }
  const double rest = squares - v[first] * v[first];
  if (rest == 0.0) return v[first];
  const double norm = std::sqrt(squares), left = v[first] > 0.0 ? -norm : norm;
  v[first] -= left;
  const double scale = 2.0 / (rest + v[first] * v[first]);
  // The matrix is symmetric: sums of rows in the place of dot products, which no compiler may reorder.
  for (std::size_t i = first; i < size; ++i) {
    const double* row = matrix.data() + i * size;
    const double weight = scale * v[i];
    for (std::size_t j = first; j < size; ++j) p[j] += weight * row[j];
  }
  double along = 0.0;
  for (std::size_t i = first; i < size; ++i) along += scale / 2.0 * p[i] * v[i];
  for (std::size_t i = first; i < size; ++i) p[i] -= along * v[i];
  for (std::size_t i = first; i < size; ++i) {
    double* row = matrix.data() + i * size;
    for (std::size_t j = first; j < size; ++j) row[j] -= v[i] * p[j] + p[i] * v[j];
  }
  return left;
}

ThreeDiagonals reduced(Vector matrix, std::size_t size) {
  ThreeDiagonals out;
  for (std::size_t first = 1; first < size; ++first) {
    out.beside.push_back(first + 1 < size ? reflect(matrix, size, first) : matrix[first * size + first - 1]);
  }
  for (std::size_t i = 0; i < size; ++i) out.middle.push_back(matrix[i * size + i]);
  return out;
}

/// How many eigenvalues are below x.
std::size_t count_below(const ThreeDiagonals& matrix, double x) {
  std::size_t count = 0;
  double pivot = 1.0;
  for (std::size_t i = 0; i < matrix.middle.size(); ++i) {
    const double beside = i == 0 ? 0.0 : matrix.beside[i - 1];
    pivot = matrix.middle[i] - x - beside * beside / pivot;
    if (pivot == 0.0) pivot = -std::numeric_limits<double>::min();
    if (pivot < 0.0) ++count;
  }
  return count;
}

/// A factor of a matrix without negative eigenvalues: columns, each of `size` numbers, whose outer products add up to
/// it. Cholesky's, the largest pivot first, until what is left is rounding.
std::vector<Vector> factor_of(Vector matrix, std::size_t size) {
  std::vector<Vector> columns;
  double largest_first = 0.0;
  for (std::size_t step = 0; step < size; ++step) {
    std::size_t pivot = 0;
    for (std::size_t i = 1; i < size; ++i) {
      if (matrix[i * size + i] > matrix[pivot * size + pivot]) pivot = i;
    }
    const double largest = matrix[pivot * size + pivot];
    if (step == 0) largest_first = largest;
    if (largest <= 1e-14 * largest_first) break;
    Vector column(matrix.begin() + static_cast<std::ptrdiff_t>(pivot * size),
                  matrix.begin() + static_cast<std::ptrdiff_t>((pivot + 1) * size));
    for (double& x : column) x /= std::sqrt(largest);
    for (std::size_t i = 0; i < size; ++i) {
      double* row = matrix.data() + i * size;
      for (std::size_t j = 0; j < size; ++j) row[j] -= column[i] * column[j];
    }
    matrix[pivot * size + pivot] = 0.0;
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

std::vector<double> eigenvalues(std::vector<double> matrix, std::size_t size, ThreadPool& pool) {
  const ThreeDiagonals small = reduced(std::move(matrix), size);
  double reach = 0.0;  // all lie within, by Gershgorin's circles
  for (std::size_t i = 0; i < size; ++i) {
    const double left = i > 0 ? std::abs(small.beside[i - 1]) : 0.0;
    const double right = i + 1 < size ? std::abs(small.beside[i]) : 0.0;
    reach = std::max(reach, std::abs(small.middle[i]) + left + right);
  }
  Vector values(size);
  simd::for_ranges(pool, size, kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      double low = -reach, high = reach;
      for (int step = 0; step < kMostHalvings && high - low > 1e-16 * reach; ++step) {
        const double middle = low + (high - low) / 2.0;
        if (middle <= low || middle >= high) break;
        (count_below(small, middle) > k ? high : low) = middle;
      }
      values[k] = low + (high - low) / 2.0;
    }
  });
  return values;
}

double trace_of_root(const std::vector<double>& a, const std::vector<double>& b, std::size_t size, ThreadPool& pool) {
  // With a = f f', the product a b has the eigenvalues of f' b f, which is symmetric.
  const std::vector<Vector> factor = factor_of(a, size);
  const std::size_t rank = factor.size();
  if (rank == 0) return 0.0;
  Vector product(rank * rank);
  simd::for_ranges(pool, rank, kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Vector times(size, 0.0);
      for (std::size_t i = 0; i < size; ++i) {
        const double weight = factor[k][i];
        if (weight == 0.0) continue;
        for (std::size_t j = 0; j < size; ++j) times[j] += weight * b[i * size + j];
      }
      for (std::size_t l = 0; l < rank; ++l) {
        double sum = 0.0;
        for (std::size_t j = 0; j < size; ++j) sum += times[j] * factor[l][j];
        product[k * rank + l] = sum;
      }
    }
  });
  double trace = 0.0;
  for (const double value : eigenvalues(std::move(product), rank, pool)) trace += std::sqrt(std::max(0.0, value));
  return trace;
}

}  // namespace sosia::eval
