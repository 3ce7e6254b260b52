// SPDX-License-Identifier: Apache-2.0
// Every metric that has a file to itself; the file has its definition, docs/evaluation.md the same in words.
#pragma once

#include "eval/metric.h"

namespace sosia::eval {

// Distributions.
Metric ks_metric();
Metric wasserstein_metric();
Metric jsd_metric();
Metric smoothed_kl_metric();
Metric probability_metric();
Metric correlation_metric();
Metric mutual_information_metric();
Metric k_marginal_metric();
Metric range_queries_metric();
Metric mmd_metric();
Metric pca_metric();

// Use.
Metric transfer_metric();
Metric regression_metric();
Metric prediction_metric();
Metric importance_metric();
Metric propensity_metric();

// Coverage.
Metric minorities_metric();
Metric group_error_metric();

// Privacy.
Metric exact_matches_metric();
Metric closest_record_metric();
Metric closest_share_metric();
Metric distance_attack_metric();
Metric likelihood_attack_metric();

}  // namespace sosia::eval
