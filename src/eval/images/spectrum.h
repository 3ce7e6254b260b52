// SPDX-License-Identifier: Apache-2.0
// Symmetric matrices in double, row by row.
#pragma once

#include <cstddef>
#include <vector>

#include "base/thread_pool.h"

namespace sosia::eval {

/// The eigenvalues, rising: Householder's reduction to three diagonals, then bisection by Sturm's sign counts (Golub
/// and Van Loan 2013, 8.3 and 8.4). Each is right to about 1e-15 of the largest.
std::vector<double> eigenvalues(std::vector<double> matrix, std::size_t size, ThreadPool& pool);

/// The sum of the square roots of the eigenvalues of a * b, both without negative eigenvalues of their own: the trace
/// of (a^(1/2) b a^(1/2))^(1/2).
double trace_of_root(const std::vector<double>& a, const std::vector<double>& b, std::size_t size, ThreadPool& pool);

}  // namespace sosia::eval
