// SPDX-License-Identifier: Apache-2.0
// Maps that a generator can learn through: what the door asks of a map, and sums and gradients that never hold all
// vectors at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "privacy/bounded_map.h"

namespace sosia {

/// The part of each row, for instance the class of its label; empty: all rows are in part 0.
using Parts = std::span<const std::uint32_t>;

/// A bounded map of open rows (numbers, and one-hot codes) with a derivative. The door uses `forward` on private rows,
/// a generator `sum` and `backward` on rows of its own, which may lie between codes (probabilities in the place of
/// one-hot codes). All numbers are the same from any number of threads.
class FeatureMap : public BoundedMap {
 public:
  virtual int inputs() const = 0;  ///< numbers in a row

  /// Writes to row p of `sums` the sum of the vectors of all rows of part p. The default maps a few rows at a time.
  virtual void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const;
  /// Writes to row r of `d_rows` the gradient by row r of d_sums.row(part of r) * vector of r.
  virtual void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums,
                        MatrixView<float> d_rows, ThreadPool& threads) const = 0;
  /// Both for the same rows: `sum`, then between(), which writes d_sums, then `backward`. To the bit what these give,
  /// for maps that are faster when they keep something from one to the other.
  virtual void sum_and_backward(MatrixView<const float> rows, Parts parts, MatrixView<float> sums,
                                const std::function<void()>& between, MatrixView<const float> d_sums,
                                MatrixView<float> d_rows, ThreadPool& threads) const;
  /// Both for the same rows where d_sums is known beforehand: `backward`, and `sum`, to the bit what these give.
  virtual void backward_and_sum(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums,
                                MatrixView<float> d_rows, MatrixView<float> sums, ThreadPool& threads) const;
};

/// A map of some columns of a row, with a weight.
struct MapPart {
  std::unique_ptr<FeatureMap> map;
  double weight = 1.0;
  int first = 0;                  ///< the first of the columns that it reads
  std::vector<int> columns = {};  ///< all of them, in its order, where they do not stand side by side
};

/// Maps side by side, each times its weight: the norm bound is the root of the sum of squares. Rows have `inputs`
/// numbers, of which the maps may read the same.
std::unique_ptr<FeatureMap> concat(std::vector<MapPart> parts, int inputs);

/// The products of one-hot blocks: rows are blocks of the given widths, a vector holds for each set of blocks the
/// tensor product of their numbers, flattened, the last block running fastest. On one-hot codes the mean of these
/// vectors is the table of joint shares, and the norm is the root of the number of sets, exactly.
std::unique_ptr<FeatureMap> block_products(std::vector<int> widths, std::vector<std::vector<int>> sets);

/// The tensor product of maps of the same rows, flattened, the last factor running fastest: its kernel is the product
/// of theirs, its norm bound the product of their bounds. Sums and gradients are products of matrices.
std::unique_ptr<FeatureMap> tensor_product(std::vector<std::unique_ptr<FeatureMap>> factors);

/// A map less a public centre. Where the vectors of all rows lie within `radius` of it, less is needed to hide a row
/// than for the map itself, and means can be compared as well: the centre is the same in both.
std::unique_ptr<FeatureMap> centred(std::unique_ptr<FeatureMap> map, std::vector<float> centre, double radius);

}  // namespace sosia
