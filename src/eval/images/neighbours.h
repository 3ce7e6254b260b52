// SPDX-License-Identifier: Apache-2.0
// Euclidean distances between vectors, all with all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::eval {

/// Calls work(query, the squared distances of a query to all references), from any thread, once for each query. By a
/// product of matrices: each is within about 1e-6 of the largest squared norm.
void for_squared_distances(MatrixView<const float> queries, MatrixView<const float> references, ThreadPool& pool,
                           const std::function<void(std::size_t query, std::span<float> squares)>& work);

/// From each query to the closest reference, of which the distance is computed once more, exactly: 0 for a copy.
std::vector<double> closest_distances(MatrixView<const float> queries, MatrixView<const float> references,
                                      ThreadPool& pool);

/// From each row to its k-th nearest other row, squared; infinite if there are fewer.
std::vector<float> squared_radii(MatrixView<const float> rows, std::size_t k, ThreadPool& pool);

}  // namespace sosia::eval
