// SPDX-License-Identifier: Apache-2.0
// Membership inference: who was among the real rows? Members are real rows, the others rows of the holdout.
#pragma once

#include <span>

#include "eval/gower.h"
#include "eval/metric.h"

namespace sosia::eval {

/// What an attacker is given, as many members as others.
struct Suspects {
  PlacedRows members, others;
  PlacedRows made;       ///< the table that is attacked
  PlacedRows reference;  ///< rows of the holdout that are no suspects; empty unless asked for
};

/// Up to 5,000 suspects of each kind against up to 50,000 made rows. With a reference, half of the holdout becomes
/// that, up to 20,000 rows, and no more made rows are used.
Suspects draw_suspects(const Comparison& comparison, bool with_reference);

/// How well the attacker's scores tell members, which should have larger ones: the area under the ROC curve; its parts
/// are the largest difference between true and false positive rate, and the true positive rate at 1 % false ones.
Finding success(std::span<const double> members, std::span<const double> others);

}  // namespace sosia::eval
