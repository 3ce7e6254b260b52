// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/atomic_loss.h"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/golden_section.h"
#include "privacy/accounting/stable.h"

namespace sosia::accounting {

namespace {

struct Atom {
  double loss, mass;  ///< mass under P
};

class AtomicLoss : public LossModel {
 public:
  /// The atoms are those of one direction; the other has the same, as all pairs here are mirror images.
  AtomicLoss(std::vector<Atom> atoms, double infinity_mass, double epsilon, double spacing, bool tight)
      : atoms_(std::move(atoms)), infinity_(infinity_mass), epsilon_(epsilon), spacing_(spacing), tight_(tight) {}

  double delta(double epsilon, Direction) const override {
    double sum = infinity_;
    for (const Atom& atom : atoms_) {
      if (atom.loss > epsilon) sum -= atom.mass * std::expm1(epsilon - atom.loss);
    }
    return sum;
  }

  std::complex<double> log_moment(std::complex<double> s, Direction) const override {
    const double log_finite = std::log1p(-infinity_);
    if (s.real() * epsilon_ > 300.0) return log_finite + log_large_moment(s);
    // Under P a loss l is e^l times as likely as -l. So both together contribute their mass times cosh((s + 1/2) l) /
    // cosh(l / 2), which is 1 + 2 sinh((s + 1) l / 2) sinh(s l / 2) / cosh(l / 2): nothing cancels, however small the
    // losses are.
    std::complex<double> sum = 0.0;
    for (const Atom& atom : atoms_) {
      if (atom.loss <= 0.0) continue;
      const double both = atom.mass * (1.0 + std::exp(-atom.loss)) / (1.0 - infinity_);
      sum += both * 2.0 * std::sinh(0.5 * (s + 1.0) * atom.loss) * std::sinh(0.5 * s * atom.loss) /
             std::cosh(0.5 * atom.loss);
    }
    return log_finite + complex_log1p(sum);
  }

  double renyi(double order) const override {
    const double conditional = log_moment(order - 1.0, Direction::remove).real() - std::log1p(-infinity_);
    // Rounded up by more than the error of the sum; no rounding error may look like privacy.
    return std::min(conditional / (order - 1.0) * (1.0 + 1e-12), epsilon_);
  }

  Range range(double, Direction) const override { return {-epsilon_, epsilon_}; }
  std::optional<double> rho() const override { return 0.5 * epsilon_ * epsilon_; }
  double pure_epsilon() const override { return epsilon_; }
  double infinity_mass() const override { return infinity_; }
  double atom() const override { return spacing_; }
  bool tight() const override { return tight_; }

 private:
  /// For large exponents, where the sum is far from 1: relative to its largest term.
  std::complex<double> log_large_moment(std::complex<double> s) const {
    std::complex<double> sum = 0.0;
    for (const Atom& atom : atoms_) sum += atom.mass / (1.0 - infinity_) * std::exp(s * (atom.loss - epsilon_));
    return s * epsilon_ + std::log(sum);
  }

  std::vector<Atom> atoms_;
  double infinity_, epsilon_, spacing_;
  bool tight_;
};

std::vector<Atom> randomised_response(double epsilon, double delta) {
  const double low = 1.0 / (1.0 + std::exp(epsilon));
  if (epsilon == 0.0) return {{0.0, 1.0 - delta}};
  return {{epsilon, (1.0 - delta) * (1.0 - low)}, {-epsilon, (1.0 - delta) * low}};
}

class BoundedRange final : public AtomicLoss {
 public:
  explicit BoundedRange(double epsilon)
      : AtomicLoss(randomised_response(epsilon, 0.0), 0.0, epsilon, epsilon, false), range_(epsilon) {}
  double renyi(double order) const override { return bounded_range_renyi(range_, order); }
  std::optional<double> rho() const override { return range_ * range_ / 8.0; }

 private:
  double range_;
};

}  // namespace

std::unique_ptr<LossModel> pure_loss(double epsilon, double delta) {
  return std::make_unique<AtomicLoss>(randomised_response(epsilon, delta), delta, epsilon, epsilon, true);
}

std::unique_ptr<LossModel> bounded_range_loss(double epsilon) { return std::make_unique<BoundedRange>(epsilon); }

std::unique_ptr<LossModel> geometric_loss(double epsilon, std::int64_t sensitivity) {
  // With very many atoms the exact pair costs more than it gains over pure DP, which is always valid.
  constexpr std::int64_t kMostAtoms = 10'000;
  if (sensitivity > kMostAtoms) {
    return std::make_unique<AtomicLoss>(randomised_response(epsilon, 0.0), 0.0, epsilon, epsilon, false);
  }
  // P centred at 0, Q at the sensitivity D: the loss at x is a D for x <= 0, a (D - 2x) between, -a D for x >= D.
  const double a = epsilon / static_cast<double>(sensitivity);
  std::vector<Atom> atoms{{epsilon, 1.0 / (1.0 + std::exp(-a))}};
  for (std::int64_t x = 1; x < sensitivity; ++x) {
    atoms.push_back({epsilon - 2.0 * a * static_cast<double>(x), geometric_pmf(a, x)});
  }
  atoms.push_back({-epsilon, std::exp(-epsilon) / (1.0 + std::exp(-a))});
  return std::make_unique<AtomicLoss>(std::move(atoms), 0.0, epsilon, a, true);
}

double bounded_range_renyi(double epsilon, double order) {
  const double s = order - 1.0;
  const auto divergence = [&](double t) {
    const double high = std::expm1(t - epsilon) / std::expm1(-epsilon);  // P(loss = t)
    // log(p e^(s t) + (1-p) e^(s (t-epsilon))), relative to its larger term.
    return t + std::log1p((1.0 - high) * std::expm1(-s * epsilon)) / s;
  };
  const double best = minimise(0.0, epsilon, 60, [&](double t) { return -divergence(t); });
  // The maximum is flat: what the search leaves is below 1e-14. Where rounding could matter, at tiny epsilons, the
  // closed bound is as good as the supremum.
  const double closed = std::min(order * epsilon * epsilon / 8.0, epsilon);
  return epsilon < 1e-3 ? closed : std::min(divergence(best) * (1.0 + 1e-10), closed);
}

double geometric_pmf(double a, std::int64_t x) {
  return std::tanh(0.5 * a) * std::exp(-a * std::abs(static_cast<double>(x)));
}

}  // namespace sosia::accounting
