// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <sosia/accounting.h>

#include "../audit/audit_bounds.h"
#include "privacy/accounting/atomic_loss.h"
#include "privacy/accounting/composition.h"
#include "privacy/accounting/contour.h"
#include "privacy/accounting/discrete_gaussian.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/loss_grid.h"
#include "privacy/accounting/partition_selection.h"
#include "privacy/accounting/pld.h"
#include "privacy/accounting/rdp.h"
#include "privacy/accounting/zcdp.h"

namespace sosia::vectors {

namespace {

using namespace accounting;
using Json = nlohmann::json;

double at(const Row& row, const char* name) { return number(row.params.at(name)); }
std::int64_t whole(const Row& row, const char* name) { return row.params.at(name).get<std::int64_t>(); }

Plan one(const Mechanism& mechanism, std::int64_t count = 1, Neighbors relation = Neighbors::add_remove) {
  return {relation, {{mechanism, count, ""}}};
}

/// The Gaussian releases with these multipliers and counts.
double gaussian_total_mu(const std::vector<std::pair<double, std::int64_t>>& releases) {
  Plan plan;
  for (const auto& [noise, count] : releases) plan.events.push_back({Gaussian{noise}, count, ""});
  return compose_models(plan).total_mu();
}

double hetero_mu(const Row& row) {
  std::vector<std::pair<double, std::int64_t>> releases;
  const Json& sigmas = row.params.at("sigmas");
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    releases.emplace_back(number(sigmas[i]) / number(row.params.at("l2_sensitivities")[i]), 1);
  }
  return gaussian_total_mu(releases);
}

double kfold_mu(const Row& row) {
  return gaussian_total_mu({{at(row, "sigma") / at(row, "l2_sensitivity"), whole(row, "k")}});
}

Plan dpsgd_plan(const Row& row) {
  Plan plan;
  for (const Json& phase : row.params.at("phases")) {
    const SampledGaussian step{number(phase.at("q")), number(phase.at("sigma"))};
    plan.events.push_back({step, phase.at("T").get<std::int64_t>(), ""});
  }
  return plan;
}

Plan mixed_plan(const Row& row) {
  Plan plan;
  for (const Json& part : row.params.at("parts")) {
    const std::string name = part[0];
    const auto count = part.back().get<std::int64_t>();
    if (name == "gauss") plan.events.push_back({Gaussian{number(part[1])}, count, ""});
    if (name == "lap") plan.events.push_back({Laplace{number(part[1])}, count, ""});
    if (name == "sgm") plan.events.push_back({SampledGaussian{number(part[1]), number(part[2])}, count, ""});
  }
  return plan;
}

double exact_epsilon(const Plan& plan, double delta) {
  const auto exact = account(plan, delta).exact;
  if (!exact) throw std::runtime_error("there is no exact value for this plan");
  return *exact;
}

double pld(const Plan& plan, double delta) { return bound_by(plan, delta, "pld").epsilon; }

double rdp(const Plan& plan, double delta, const std::vector<double>& orders, Conversion conversion) {
  return rdp_epsilon(compose_models(plan), delta, orders, conversion).epsilon;
}

double loss_delta(const Mechanism& mechanism, double epsilon, Direction direction = Direction::remove) {
  return make_loss_model(mechanism, Neighbors::add_remove)->delta(epsilon, direction);
}

double loss_renyi(const Mechanism& mechanism, double order) {
  return make_loss_model(mechanism, Neighbors::add_remove)->renyi(order);
}

double loss_rho(const Mechanism& mechanism) { return make_loss_model(mechanism, Neighbors::add_remove)->rho().value(); }

Direction direction_of(const Row& row) {
  return row.params.at("direction") == "add" ? Direction::add : Direction::remove;
}

SampledGaussian sampled(const Row& row, const char* noise = "sigma") { return {at(row, "q"), at(row, noise)}; }

double second_moment(double reach, const std::function<double(std::int64_t)>& pmf) {
  double sum = 0.0;
  for (auto x = static_cast<std::int64_t>(reach); x >= 1; --x) sum += 2.0 * static_cast<double>(x * x) * pmf(x);
  return sum;
}

/// The grid of the unit rows: half steps from -4 to 4.
LossGrid coarse_gaussian_grid(const Row& row) {
  const auto model = make_loss_model(Gaussian{at(row, "sigma")}, Neighbors::add_remove);
  return connect_the_dots(*model, Direction::remove, 0.5, -8, 8);
}

double grid_mass(const Row& row) {
  const LossGrid grid = coarse_gaussian_grid(row);
  if (row.params.at("loss") == "inf") return grid.infinity;
  return grid.mass.at(static_cast<std::size_t>(std::lround(at(row, "loss") / 0.5) - grid.first));
}

double calibrated_sigma(const Row& row) {
  const OpenPlan open{one(SampledGaussian{at(row, "q"), 1.0}, whole(row, "T")), {1.0}};
  const Plan plan = calibrate(open, at(row, "target_eps"), at(row, "delta"));
  const double sigma = std::get<SampledGaussian>(plan.events[0].mechanism).noise;
  if (sigma < row.value * (1.0 - 1e-10)) throw std::runtime_error("calibrated below the smallest sufficient sigma");
  return sigma;
}

using Table = std::map<std::string, Check>;

void add_gaussian(Table& t) {
  t["analytic_gaussian/sigma"] = [](const Row& r, auto&) {
    return gaussian_noise(at(r, "eps"), at(r, "delta")) * at(r, "l2_sensitivity");
  };
  t["gaussian_delta/delta"] = [](const Row& r, auto&) {
    return gaussian_delta(at(r, "l2_sensitivity") / at(r, "sigma"), at(r, "eps"));
  };
  t["gaussian_kfold/mu_gdp"] = [](const Row& r, auto&) { return kfold_mu(r); };
  t["gaussian_kfold/eps"] = [](const Row& r, auto&) { return gaussian_epsilon(kfold_mu(r), at(r, "delta")); };
  t["gaussian_hetero/mu_gdp"] = [](const Row& r, auto&) { return hetero_mu(r); };
  t["gaussian_hetero/eps"] = [](const Row& r, auto&) { return gaussian_epsilon(hetero_mu(r), at(r, "delta")); };
  t["gdp_to_dp/delta"] = [](const Row& r, auto&) { return gaussian_delta(at(r, "mu"), at(r, "eps")); };
  t["gaussian_vs_zcdp/eps_exact_gaussian_same_rho"] = [](const Row& r, auto&) {
    return gaussian_epsilon(std::sqrt(2.0 * at(r, "rho")), at(r, "delta"));
  };
  t["seed_autodp_calibration/exact_sigma_needed"] = [](const Row& r, auto&) {
    return std::sqrt(at(r, "k")) * gaussian_noise(at(r, "eps"), at(r, "delta"));
  };
  t["seed_autodp_calibration/exact_eps_at_autodp_sigma"] = [](const Row& r, const std::vector<Row>& rows) {
    const double sigma = sibling(rows, r, "autodp_sigma")->value;
    return gaussian_epsilon(gaussian_total_mu({{sigma, whole(r, "k")}}), at(r, "delta"));
  };
  // Sums and products of kernels, each released several times; the published code lets a record into every class column
  // of the products, whose sensitivity is then larger by the root of the number of classes.
  const auto sum_and_product = [](const Row& r, auto&) {
    const double factor = r.params.contains("classes") ? std::sqrt(at(r, "classes")) : 1.0;
    return gaussian_epsilon(gaussian_total_mu({{at(r, "sigma_sum"), whole(r, "k_sum")},
                                               {at(r, "sigma_prod") / factor, whole(r, "k_prod")}}),
                            at(r, "delta"));
  };
  t["seed_dphp_budget_split/eps_exact_if_sensitivities_right"] = sum_and_product;
  t["seed_dphp_code_bug_all_classes/eps_true"] = sum_and_product;
  // Two moments, the second with noise for a sensitivity too small by sqrt(2), both again for validation.
  t["seed_dpmepf_code_second_moment/eps_true"] = [](const Row& r, auto&) {
    const double sigma = at(r, "sigma"), again = sigma * at(r, "val_noise_scaling"), root = std::sqrt(2.0);
    return gaussian_epsilon(gaussian_total_mu({{sigma, 1}, {sigma / root, 1}, {again, 1}, {again / root, 1}}),
                            at(r, "delta"));
  };
}

void add_renyi(Table& t) {
  t["rdp_to_dp/eps_mironov2017"] = [](const Row& r, auto&) {
    return rdp_to_epsilon(at(r, "alpha"), at(r, "rdp_eps"), at(r, "delta"), Conversion::mironov);
  };
  t["rdp_to_dp/eps_balle2020_cks2020"] = [](const Row& r, auto&) {
    return rdp_to_epsilon(at(r, "alpha"), at(r, "rdp_eps"), at(r, "delta"), Conversion::tight);
  };
  t["rdp_to_dp/eps_asoodeh2021_optimal"] = [](const Row& r, auto&) {
    return rdp_to_epsilon_optimal(at(r, "alpha"), at(r, "rdp_eps"), at(r, "delta"));
  };
  t["rdp_subsampled_gaussian/rdp"] = [](const Row& r, auto&) { return loss_renyi(sampled(r), at(r, "alpha")); };
  t["rdp_subsampled_gaussian_add_direction/rdp"] = [](const Row& r, auto&) {
    const double s = at(r, "alpha") - 1.0;
    return make_loss_model(sampled(r), Neighbors::add_remove)->log_moment(s, Direction::add).real() / s;
  };
  t["rdp_laplace/rdp"] = [](const Row& r, auto&) { return loss_renyi(Laplace{at(r, "eps0")}, at(r, "alpha")); };
  t["rdp_bounded_range/rdp_exact_sup"] = [](const Row& r, auto&) {
    return loss_renyi(Exponential{at(r, "eps")}, at(r, "alpha"));
  };
  t["rdp_bounded_range/rdp_zcdp_bound"] = [](const Row& r, auto&) {
    return at(r, "alpha") * loss_rho(Exponential{at(r, "eps")});
  };
  t["zcdp_to_dp/eps_cks2020"] = [](const Row& r, auto&) { return zcdp_epsilon(at(r, "rho"), at(r, "delta")); };
  t["zcdp_to_dp/eps_bun_steinke2016"] = [](const Row& r, auto&) {
    return zcdp_epsilon_simple(at(r, "rho"), at(r, "delta"));
  };
  t["dp_to_zcdp_budget/rho"] = [](const Row& r, auto&) { return zcdp_rho(at(r, "eps"), at(r, "delta")); };
  // rho grows with the square of epsilon, and falls with that of the noise.
  t["zcdp_exponential_mechanism/eps_pure"] = [](const Row& r, auto&) {
    return std::sqrt(at(r, "rho") / loss_rho(Exponential{1.0}));
  };
  t["zcdp_gaussian/sigma"] = [](const Row& r, auto&) {
    return at(r, "l2_sensitivity") * std::sqrt(loss_rho(Gaussian{1.0}) / at(r, "rho"));
  };
  t["pure_dp_to_zcdp/rho_generic"] = [](const Row& r, auto&) { return loss_rho(NoisyMax{at(r, "eps")}); };
}

void add_composition(Table& t) {
  t["dpsgd_eps/eps_exact"] = [](const Row& r, auto&) { return exact_epsilon(dpsgd_plan(r), at(r, "delta")); };
  t["dpsgd_eps/eps_pld_pessimistic_1e-4"] = [](const Row& r, auto&) { return pld(dpsgd_plan(r), at(r, "delta")); };
  t["dpsgd_eps/eps_rdp_cks"] = [](const Row& r, auto&) {
    return rdp(dpsgd_plan(r), at(r, "delta"), common_orders(), Conversion::tight);
  };
  t["dpsgd_eps/eps_rdp_cks_int"] = [](const Row& r, auto&) {
    return rdp(dpsgd_plan(r), at(r, "delta"), integer_orders(), Conversion::tight);
  };
  t["dpsgd_eps/eps_rdp_mironov"] = [](const Row& r, auto&) {
    return bound_by(dpsgd_plan(r), at(r, "delta"), "rdp-mironov").epsilon;
  };
  t["dpsgd_eps_poisson_replace_one/eps_exact"] = [](const Row& r, auto&) {
    const Plan plan = one(sampled(r, "sigma_over_clip"), whole(r, "T"), Neighbors::replace);
    return exact_epsilon(plan, at(r, "delta"));
  };
  t["dpsgd_delta/delta_exact"] = [](const Row& r, auto&) {
    return contour_delta(compose_models(one(sampled(r), whole(r, "T"))), at(r, "eps"), direction_of(r)).value();
  };
  t["dpsgd_calibrate_sigma/sigma_min"] = [](const Row& r, auto&) { return calibrated_sigma(r); };
  t["mixed_composition/eps_exact"] = [](const Row& r, auto&) { return exact_epsilon(mixed_plan(r), at(r, "delta")); };
  t["mixed_composition/eps_rdp_cks"] = [](const Row& r, auto&) {
    return rdp(mixed_plan(r), at(r, "delta"), common_orders(), Conversion::tight);
  };
  const auto laplace_pld = [](const Row& r, auto&) {
    return pld(one(Laplace{at(r, "eps0")}, whole(r, "k")), at(r, "delta"));
  };
  t["laplace_kfold/eps_exact"] = laplace_pld;
  t["laplace_kfold/eps_pld"] = laplace_pld;
  t["laplace_kfold/eps_rdp_cks"] = [](const Row& r, auto&) {
    return rdp(one(Laplace{at(r, "eps0")}, whole(r, "k")), at(r, "delta"), common_orders(), Conversion::tight);
  };
  t["discrete_laplace_kfold/eps_exact"] = [](const Row& r, auto&) {
    const auto sensitivity = whole(r, "sensitivity");
    const Geometric noise{at(r, "a") * static_cast<double>(sensitivity), sensitivity};
    return pld(one(noise, whole(r, "k")), at(r, "delta"));
  };
  t["pure_dp_kfold_optimal/eps_exact"] = [](const Row& r, auto&) {
    return pld(one(NoisyMax{at(r, "eps0")}, whole(r, "k")), at(r, "delta"));
  };
  t["pld_connect_dots_mass/mass"] = [](const Row& r, auto&) { return grid_mass(r); };
  t["pld_connect_dots_delta/delta_pessimistic"] = [](const Row& r, auto&) {
    return coarse_gaussian_grid(r).delta(at(r, "eps"));
  };
}

void add_single(Table& t) {
  t["sgm_single_step_delta/delta"] = [](const Row& r, auto&) {
    return loss_delta(sampled(r), at(r, "eps"), direction_of(r));
  };
  t["laplace_delta/delta"] = [](const Row& r, auto&) { return loss_delta(Laplace{at(r, "eps0")}, at(r, "eps")); };
  t["discrete_gaussian_delta/delta_exact"] = [](const Row& r, auto&) {
    return loss_delta(DiscreteGaussian{std::sqrt(at(r, "sigma2")), whole(r, "sensitivity")}, at(r, "eps"));
  };
  t["discrete_gaussian_delta/delta_continuous_same_sigma"] = [](const Row& r, auto&) {
    return gaussian_delta(at(r, "sensitivity") / std::sqrt(at(r, "sigma2")), at(r, "eps"));
  };
  t["discrete_laplace/pmf[0]"] = [](const Row& r, auto&) { return geometric_pmf(at(r, "a"), 0); };
  t["discrete_laplace/variance"] = [](const Row& r, auto&) {
    const double a = at(r, "a");
    return second_moment(60.0 / a, [a](std::int64_t x) { return geometric_pmf(a, x); });
  };
  const auto sigma = [](const Row& r) { return std::sqrt(at(r, "sigma2")); };
  t["discrete_gaussian/normaliser"] = [=](const Row& r, auto&) { return discrete_gaussian_normaliser(sigma(r)); };
  t["discrete_gaussian/pmf[0]"] = [=](const Row& r, auto&) { return discrete_gaussian_pmf(sigma(r), 0); };
  t["discrete_gaussian/pmf[3]"] = [=](const Row& r, auto&) { return discrete_gaussian_pmf(sigma(r), 3); };
  t["discrete_gaussian/variance"] = [=](const Row& r, auto&) {
    return second_moment(12.0 * sigma(r) + 10.0,
                         [s = sigma(r)](std::int64_t x) { return discrete_gaussian_pmf(s, x); });
  };
  t["discrete_gaussian/P(|X|>=t)"] = [=](const Row& r, auto&) {
    return 2.0 * discrete_gaussian_tail(sigma(r), whole(r, "t"));
  };
  t["partition_selection_optimal/keep_probability"] = [](const Row& r, auto&) {
    return keep_probability(at(r, "eps"), at(r, "delta"), whole(r, "users"));
  };
  t["gaussian_threshold/tau"] = [](const Row& r, auto&) {
    return gaussian_threshold(at(r, "sigma"), whole(r, "l0"), at(r, "linf"), at(r, "delta2"));
  };
}

void add_audit(Table& t) {
  t["clopper_pearson/lower"] = [](const Row& r, auto&) {
    return clopper_pearson_lower(whole(r, "k"), whole(r, "n"), at(r, "one_sided_alpha"));
  };
  t["clopper_pearson/upper"] = [](const Row& r, auto&) {
    return clopper_pearson_upper(whole(r, "k"), whole(r, "n"), at(r, "one_sided_alpha"));
  };
  t["audit_eps_lower_bound/eps_lower"] = [](const Row& r, auto&) {
    const auto runs = whole(r, "n_each");
    return audit_epsilon({whole(r, "true_pos"), runs, whole(r, "false_pos"), runs}, at(r, "delta"),
                         at(r, "alpha_total"));
  };
  t["audit_gaussian_mean_optimal/tpr_max"] = [](const Row& r, auto&) {
    return best_attack_rate(at(r, "mu"), at(r, "fpr"));
  };
  t["audit_gaussian_mean_optimal/auc_max"] = [](const Row& r, auto&) { return best_attack_area(at(r, "mu")); };
}

}  // namespace

const Table& checks() {
  static const Table table = [] {
    Table t;
    add_gaussian(t);
    add_renyi(t);
    add_composition(t);
    add_single(t);
    add_audit(t);
    return t;
  }();
  return table;
}

const std::map<std::string, std::string>& not_offered() {
  static const std::map<std::string, std::string> table{
      {"gdp_clt_dpsgd", "a limit theorem, not a bound: nothing may be certified with it"},
      {"rdp_wor_gaussian_wang2019", "batches without replacement are not offered, only true Poisson samples"},
      {"dpsgd_eps_wor", "batches without replacement are not offered, only true Poisson samples"},
      {"exponential_mechanism", "private choices are made with Gaussian noise on the scores; no such sampler"},
      {"quantile_exponential_mechanism", "private choices are made with Gaussian noise on the scores; no such sampler"},
      {"permute_and_flip", "private choices are made with Gaussian noise on the scores; no such sampler"},
      {"repeat_and_select", "candidates are compared on released statistics, which costs nothing"},
      {"pure_dp_to_zcdp/rho_tanh", "holds at order 1 only, not the rho of zCDP"},
      {"seed_autodp_calibration/autodp_sigma", "another library's calibration; the exact values beside it are checked"},
      {"seed_dpautogan_with_replacement_sampler", "a sampler that draws with replacement; only true Poisson samples"},
      {"noise_scale_leak", "noise scales never depend on private counts"},
      {"approx_bounds_threshold", "bounds are public or found with Gaussian noise"},
      {"audit_one_run_pvalue", "audits run on worst-case neighbours, not on many canaries in one run"},
      {"audit_one_run_eps", "audits run on worst-case neighbours, not on many canaries in one run"},
      {"sensitivity", "derived by the feature maps themselves, and tested beside them"},
  };
  return table;
}

}  // namespace sosia::vectors
