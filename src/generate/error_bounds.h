// SPDX-License-Identifier: Apache-2.0
// How far noise and random features can move a fit to mean embeddings, before any row is read: functions of public
// numbers. Each is a bound of the papers on DP-MERF (proposition B.1) and DP-MEPF (propositions A.1 to A.5), corrected
// where its formula slipped and sharpened where its own proof gives more; docs/methods/dp_hp.md compares them.
//
// a is the difference of the mean embeddings of the private and the synthetic rows, n ~ N(0, Sigma) the noise on the
// former. The true loss is |a|^2, what a generator sees |a + n|^2.
#pragma once

#include <cstddef>
#include <span>

namespace sosia {

/// Entries of a mean embedding that have noise of the same standard deviation, after the division by the rows.
struct NoiseBlock {
  std::size_t entries = 0;
  double sigma = 0.0;
};

/// What the bounds need to know of the covariance of the noise.
struct NoiseCovariance {
  double trace = 0.0, frobenius = 0.0, largest = 0.0;  ///< Tr, |.|_F, largest eigenvalue

  static NoiseCovariance of(std::span<const NoiseBlock> blocks);
};

/// E|n| of noise with one sigma: sigma sqrt(2) Gamma((D + 1) / 2) / Gamma(D / 2), a little below sigma sqrt(D).
double expected_noise_norm(const NoiseBlock& block);
/// |n| is at most this with probability 1 - failure or more: the smaller of sqrt(Tr) + sqrt(2 largest l) (Gaussian
/// concentration) and sqrt(Tr + 2 |Sigma|_F sqrt(l) + 2 largest l) (Laurent, Massart 2000), l = log(1 / failure).
double noise_norm(const NoiseCovariance& noise, double failure);

/// A.1: E| |a + n|^2 - |a|^2 | <= Tr + 2 sqrt(2 / pi) along, where along = |Sigma^(1/2) a| is the standard deviation of
/// the noise in the direction of a, times |a|.
double expected_loss_error(const NoiseCovariance& noise, double along);
/// A.2: | |a + n|^2 - |a|^2 | with probability 1 - failure or more. The paper has sqrt(2 / pi) along besides, which
/// half of its proof would make 2 sqrt(2 / pi); neither is needed, as a Gaussian exceeds t sigma with probability at
/// most exp(-t^2 / 2).
double loss_error(const NoiseCovariance& noise, double along, double failure);
/// A.3: the same at once for all pairs of data sets whose vectors have norms up to `bound`: q^2 + 4 bound q with
/// q = noise_norm. (The paper bounds q and q^2 one by one, and lost a sqrt(2) on the way.)
double uniform_loss_error(const NoiseCovariance& noise, double bound, double failure);
/// A.4: by how much |a|^2 at the minimiser of the noisy loss exceeds the least |a|^2, for norms up to `bound`: 4 bound
/// q. The paper has twice A.3; but |n|^2 is the same at both minimisers, and what is left is 2 n (a' - a).
double excess_loss(const NoiseCovariance& noise, double bound, double failure);
/// A.5: the same where the least |a| is known to be `least`: 4 q least + 4 q^2, by the triangle inequality twice.
/// The paper has 9 for the second 4.
double optimistic_excess_loss(const NoiseCovariance& noise, double least, double failure);

/// Lemma B.2: E| MMD_rf^2 - MMD^2 | over random Fourier features (pairs of sine and cosine), for samples whose squared
/// MMD is squared_mmd: the mean of features / 2 independent numbers in [0, 4] with that expectation has a variance of
/// at most 2 squared_mmd (4 - squared_mmd) / features. At its most, squared_mmd = 2, the root is sqrt(8 / features);
/// the paper's bound is 8 sqrt(2 pi / features), seven times as much.
double expected_feature_error(std::size_t features, double squared_mmd = 2.0);
/// B.1: E over noise and features of the error of the noisy squared MMD of unit vectors, sensitivity included in sigma
/// (2 noise multiplier / rows under replacement): A.1 with |a| <= 2, plus lemma B.2. The paper's lemma B.3 drops the
/// factor 4 of the sensitivity squared, its proposition keeps it; and it has E|n| where E|n a| / |a| does, a factor of
/// sqrt(features).
double expected_random_feature_loss_error(std::size_t features, double sigma);

}  // namespace sosia
