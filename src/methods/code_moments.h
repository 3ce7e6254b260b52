// SPDX-License-Identifier: Apache-2.0
// A mixture of normals over the codes of private rows, by noisy sums of moments: expectation maximisation whose every
// round is one release (after Park et al. 2017).
//
// Claim. In a round, given the mixture so far, a row with code z in [-1, 1]^d and responsibilities r_k, which add up to
// 1, adds (r_k, r_k z / sqrt(d), r_k z^2 / sqrt(d)) for each component k to the sums of its class. As sum r_k^2 <= 1
// and both |z|^2 and |z^2|^2 are at most d, its norm is at most sqrt(3). So a round is one Gaussian event. The code is
// that of an encoder trained before, and depends on the row alone.
#pragma once

#include "generate/code_mixture.h"
#include "methods/private_nets.h"

namespace sosia {

inline constexpr char kMomentsLabel[] = "rounds of the mixture";
inline constexpr double kMomentsNorm = 1.7320508075688774;  // sqrt(3), rounded up; the door has the last word

/// Numbers that a round releases.
std::int64_t moment_numbers(const OpenRows& rows, const DecodedShape& shape, int components);

/// A mixture before the first round: components at random places, a function of the seed.
CodeMixture first_mixture(const OpenRows& rows, const DecodedShape& shape, int components, std::uint64_t seed);

/// One round. `encoder`: opened rows to codes in [-1, 1].
void improve_mixture(const PrivateTable& table, const OpenRows& rows, const nn::Net& encoder, const NoisySum& how,
                     Ledger& ledger, ThreadPool& threads, CodeMixture& mixture);

}  // namespace sosia
