// SPDX-License-Identifier: Apache-2.0
// Noisy histograms made plausible. All of it is post-processing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sosia {

/// The nearest numbers that are not negative and add up to `total` (Euclidean projection).
std::vector<double> on_simplex(std::span<const double> counts, double total);

/// Counts of values in order, smoothed where differences are within the noise: Haar wavelets at every shift, those
/// below two standard deviations set to 0.
std::vector<double> smooth(std::span<const double> counts, double sigma);

/// The mean of |X - m| for a Poisson number X of mean m: what a count of independent rows is off by anyway.
double poisson_deviation(double mean);

/// Groups of states that are told apart: those with counts above `least` sigmas of their noise by themselves. Of the
/// first `ordered` states neighbours are brought together until they are, the others in one group for the rest, or,
/// where that is no more than noise, in the group of the commonest state.
std::vector<std::uint32_t> group_states(std::span<const double> counts, std::uint32_t ordered, double sigma,
                                        double least);

/// At most `most` groups of groups: of the first `ordered` neighbours of about the same share (by its square root), of
/// the others the commonest by themselves and one for the rest.
std::vector<std::uint32_t> coarsen(std::span<const double> shares, std::uint32_t ordered, std::uint32_t most);

}  // namespace sosia
