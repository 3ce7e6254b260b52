// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics.h"
#include "eval/scoreboard.h"
#include "eval/tvd.h"

namespace sosia {

namespace eval {

const std::vector<Metric>& all_metrics() {
  static const std::vector<Metric> list = {tvd_metric(1),
                                           tvd_metric(2),
                                           tvd_metric(3),
                                           tvd_metric(4),
                                           k_marginal_metric(),
                                           range_queries_metric(),
                                           ks_metric(),
                                           wasserstein_metric(),
                                           jsd_metric(),
                                           smoothed_kl_metric(),
                                           probability_metric(),
                                           correlation_metric(),
                                           mutual_information_metric(),
                                           mmd_metric(),
                                           pca_metric(),
                                           transfer_metric(),
                                           regression_metric(),
                                           prediction_metric(),
                                           importance_metric(),
                                           propensity_metric(),
                                           minorities_metric(),
                                           group_error_metric(),
                                           exact_matches_metric(),
                                           closest_record_metric(),
                                           closest_share_metric(),
                                           distance_attack_metric(),
                                           likelihood_attack_metric()};
  return list;
}

std::vector<const Metric*> find_metrics(const std::vector<std::string>& names) {
  std::vector<const Metric*> found;
  for (const std::size_t place : places_of(metrics(), names)) found.push_back(&all_metrics()[place]);
  return found;
}

double mean_of(const std::vector<Part>& parts) {
  double sum = 0.0;
  for (const Part& part : parts) sum += part.value;
  return sum / static_cast<double>(parts.size());
}

}  // namespace eval

std::vector<MetricInfo> metrics() {
  std::vector<MetricInfo> list;
  for (const eval::Metric& metric : eval::all_metrics()) list.push_back(metric.info);
  return list;
}

}  // namespace sosia
