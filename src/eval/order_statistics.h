// SPDX-License-Identifier: Apache-2.0
// Numbers about samples: distances between two of them, quantiles, moments.
#pragma once

#include <span>
#include <vector>

namespace sosia::eval {

/// The numbers without NaN, rising.
std::vector<double> sorted_numbers(std::span<const double> numbers);

/// Of sorted samples. The largest difference between the two empirical distribution functions: Kolmogorov-Smirnov. 0
/// if both are empty, 1 if one is.
double largest_gap(std::span<const double> first, std::span<const double> second);
/// The area between them: the Wasserstein-1 distance. Both have at least one number.
double area_between(std::span<const double> first, std::span<const double> second);

/// Of a sorted sample that is not empty: the smallest number with at least this share of the sample at or below it.
double quantile(std::span<const double> sorted, double share);

/// The chance that a number of `high` is above one of `low`, ties counting half: the area under the ROC curve. Neither
/// is empty.
double chance_above(std::span<const double> high, std::span<const double> low);

/// Pearson's, of the pairs without NaN; 0 where one of them does not vary.
double correlation(std::span<const double> x, std::span<const double> y);

double mean(std::span<const double> numbers);
/// The population's, around the mean.
double standard_deviation(std::span<const double> numbers);

}  // namespace sosia::eval
