// SPDX-License-Identifier: Apache-2.0
// Renyi differential privacy (Mironov 2017).
#pragma once

#include <vector>

#include "privacy/accounting/composition.h"

namespace sosia::accounting {

/// How one order's Renyi divergence becomes an epsilon.
enum class Conversion {
  mironov,  ///< Mironov 2017, proposition 3
  tight,    ///< Balle et al. 2020, theorem 21; Canonne, Kamath, Steinke 2020, proposition 12
};

/// (order, divergence) and delta to epsilon, never negative. NaN or a negative divergence gives infinity: a numerical
/// failure must not look like privacy.
double rdp_to_epsilon(double order, double divergence, double delta, Conversion conversion);

/// The optimal conversion of a single order (Asoodeh et al. 2021, theorem 3): the largest epsilon that some pair with
/// this Renyi divergence and this delta attains, rounded up. Never above the tight conversion.
double rdp_to_epsilon_optimal(double order, double divergence, double delta);

/// An epsilon and the order that gave it.
struct RdpResult {
  double epsilon;
  double order;
};

/// The smallest epsilon over these orders. Infinity masses are taken from delta first.
RdpResult rdp_epsilon(const Composition& composition, double delta, const std::vector<double>& orders,
                      Conversion conversion);

/// The smallest epsilon that Renyi divergences prove: a wide grid of orders, extended where the optimum lies at its
/// edge, a golden section search inside the cell of the best order, and the optimal conversion there.
RdpResult rdp_epsilon(const Composition& composition, double delta);

/// 2, 3, ..., 512.
std::vector<double> integer_orders();
/// 1.1, 1.2, ..., 10.9, 11, ..., 63, 128, 256, 512, 1024: the default of other accountants, for comparison.
std::vector<double> common_orders();

}  // namespace sosia::accounting
