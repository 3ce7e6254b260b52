// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/atomic_loss.h"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/golden_section.h"

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
    double largest = -1e300;
    for (const Atom& atom : atoms_) largest = std::max(largest, s.real() * atom.loss);
    std::complex<double> sum = 0.0;
    for (const Atom& atom : atoms_) sum += atom.mass * std::exp(s * atom.loss - largest);
    return largest + std::log(sum);
  }

  double renyi(double order) const override {
    const double conditional = log_moment(order - 1.0, Direction::remove).real() - std::log1p(-infinity_);
    return std::max(0.0, conditional / (order - 1.0));
  }

  Range range(double, Direction) const override { return {-epsilon_, epsilon_}; }
  std::optional<double> rho() const override { return 0.5 * epsilon_ * epsilon_; }
  double pure_epsilon() const override { return epsilon_; }
  double infinity_mass() const override { return infinity_; }
  double atom() const override { return spacing_; }
  bool tight() const override { return tight_; }

 private:
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
  // The maximum is flat: what the search leaves is below 1e-14; the proved upper bounds cap it.
  return std::min({divergence(best) * (1.0 + 1e-13), order * epsilon * epsilon / 8.0, epsilon});
}

double geometric_pmf(double a, std::int64_t x) {
  return std::tanh(0.5 * a) * std::exp(-a * std::abs(static_cast<double>(x)));
}

}  // namespace sosia::accounting
