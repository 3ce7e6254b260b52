// SPDX-License-Identifier: Apache-2.0
// What is known of classes and categories made plausible, where columns were picked. All of it is post-processing.
#pragma once

#include <vector>

#include "generate/embedding.h"
#include "methods/method.h"

namespace sosia {

/// One-hot sums count the rows of each part, once more or for the first time: the better counts are known, the rarer a
/// class may be that is told from noise. `states`: of each block; without any, nothing is counted.
void count_by_states(const std::vector<int>& states, const Embedding& known, Embeddings& out);

/// Counts of parts that are no more than noise become 0. With picks, all was bought for classes that may well be small:
/// a declared one is kept sooner, and the two commonest in any case, since a label of one class says nothing.
void clean_parts(const Outline& outline, Embeddings& out);

/// States whose one-hot sums are no more than noise become 0, and what each block has left adds up to its rows. A rare
/// state that noise makes common is worse than one that is not made: classifiers find a use for it.
void clean_states(const std::vector<int>& states, double rows, const std::vector<double>& counts, Embedding& known);

}  // namespace sosia
