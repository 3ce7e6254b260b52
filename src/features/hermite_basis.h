// SPDX-License-Identifier: Apache-2.0
// The Gaussian kernel of one number as an inner product of few features: Hermite functions (Mercer, Mehler).
#pragma once

#include <span>
#include <vector>

namespace sosia {

/// A kernel exp(-(x - y)^2 / (2 l^2)) on a public range, and how far its expansion goes.
struct HermiteOptions {
  double low = 0.0, high = 1.0;  ///< numbers outside are mapped as well, though less exactly
  double length_scale = 0.1;     ///< l, in the units of the numbers; above 0
  int order = 20;                ///< 1 to 400; one feature more than this
  /// The features are those of stretch * (x - middle of the range): the kernel is the same for every stretch, what is
  /// cut off is not. 0: the stretch for which the worst loss on the range is least; Vinaroz et al. 2022 have 1.
  double stretch = 0.0;

  bool operator==(const HermiteOptions&) const = default;
};

struct Ball {
  std::vector<double> centre;
  double radius = 0.0;
};

/// phi_k(x) = (1 - rho^2)^(1/4) (rho^k / (2^k k!))^(1/2) H_k(t) exp(-rho t^2 / (1 + rho)), k = 0 .. order, where
/// t = stretch (x - middle), s = (stretch l)^2 and rho = 1 / (s + sqrt(1 + s^2)), which loses no digits for large l as
/// sqrt(1 + s^2) - s does. For order = infinity phi(x) phi(y) is the kernel; so |phi(x)| <= 1 and
/// |phi(x) - phi(y)|^2 <= 2 - 2 kernel < 2 for every order (features that are cut off only shorten).
/// Computed in double, by phi_{k+1} = sqrt(2 rho / (k+1)) t phi_k - rho sqrt(k / (k+1)) phi_{k-1}. The same bits for a
/// number wherever it stands.
class HermiteBasis {
 public:
  /// Numbers that are mapped at once: their recursions run side by side.
  static constexpr std::size_t kLanes = 16;

  explicit HermiteBasis(const HermiteOptions& options);

  std::size_t size() const { return linear_.size(); }
  const HermiteOptions& options() const { return options_; }  ///< with the stretch that was chosen
  double rho() const { return rho_; }

  /// Writes phi_k(x[i]) to values[k * kLanes + i].
  void values(std::span<const double, kLanes> x, std::span<double> values) const;
  /// Writes the derivative of phi_k at x[i] to slopes[k * kLanes + i], given the values.
  void slopes(std::span<const double, kLanes> x, std::span<const double> values, std::span<double> slopes) const;

  /// The largest 1 - |phi(x)|^2 on the range: no more than this is lost of kernel(x, x), and by Cauchy and Schwarz of
  /// any kernel(x, y).
  double loss() const;
  /// A bound of |phi(x) - centre| on the range, up to rounding. An empty centre is 0.
  double radius_about(std::span<const double> centre) const;
  /// About the smallest ball that holds phi(x) for all x of the range: its radius is within 0.1 % of the least.
  Ball smallest_ball() const;

 private:
  void set_stretch(double stretch);
  double middle() const { return 0.5 * (options_.low + options_.high); }
  double half_width() const { return 0.5 * (options_.high - options_.low); }
  /// Calls visit(values, first, count) for the features at `points` places from the middle to the upper end, up to
  /// kLanes at a time. By symmetry the lower half is the same but for the signs of odd orders.
  template <class Visit>
  void for_each_place(std::size_t points, const Visit& visit) const;

  HermiteOptions options_;
  double rho_ = 0.0, start_ = 0.0, decay_ = 0.0;  ///< phi_0 = start exp(-decay t^2)
  std::vector<double> linear_, previous_;         ///< phi_{k+1} = linear[k+1] t phi_k - previous[k+1] phi_{k-1}
  std::vector<double> climb_;                     ///< phi_k' = climb[k] phi_{k-1} - 2 decay t phi_k, by t
};

}  // namespace sosia
