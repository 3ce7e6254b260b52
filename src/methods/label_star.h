// SPDX-License-Identifier: Apache-2.0
// Every column beside the label, counted without asking first which of them matter.
#pragma once

#include "methods/label_round.h"

namespace sosia {

/// Counts every field with the label, in views of at most `most_values` groups.
void measure_star(const RoundSource& source, int label, const ViewLadder& ladder, double most_values,
                  const NoisySum& of_counts, Measurements& measured);

}  // namespace sosia
