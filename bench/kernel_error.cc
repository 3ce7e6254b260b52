// SPDX-License-Identifier: Apache-2.0
// Figure 1 of the paper on DP-HP (Vinaroz et al. 2022): how well few features stand for the Gaussian kernel. A hundred
// numbers of N(0, 1) against a hundred of N(1, 1), the length scale their median distance; the mean of |kernel - inner
// product| over all pairs. Hermite features as in the paper (stretch 1, middle 0) and with the stretch that fits a
// public range of -4 to 5; random Fourier features averaged over a hundred draws. Then norms by order; and the product
// kernel of two numbers, evenly spread over [0, 1], by as many features of each kind. Prints tables; the same numbers
// at every run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "features/hermite_basis.h"
#include "random/public_rng.h"

namespace {

using sosia::HermiteBasis;
using sosia::PublicRng;

constexpr std::size_t kRows = 100, kDraws = 100;
using Numbers = std::vector<double>;

Numbers normals(double mean, std::uint64_t seed) {
  PublicRng rng(seed);
  Numbers numbers(kRows);
  for (double& number : numbers) number = mean + rng.normal();
  return numbers;
}

double median_distance(const Numbers& x, const Numbers& y) {
  Numbers all = x, distances;
  all.insert(all.end(), y.begin(), y.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) distances.push_back(std::abs(all[i] - all[j]));
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// Features of all numbers, one row each.
std::vector<Numbers> hermite(const HermiteBasis& basis, const Numbers& numbers) {
  std::vector<Numbers> rows;
  Numbers values(basis.size() * HermiteBasis::kLanes);
  for (const double number : numbers) {
    std::array<double, HermiteBasis::kLanes> same = {};
    same.fill(number);
    basis.values(same, values);
    Numbers row(basis.size());
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = values[k * HermiteBasis::kLanes];
    rows.push_back(row);
  }
  return rows;
}

std::vector<Numbers> fourier(const Numbers& frequencies, const Numbers& numbers) {
  std::vector<Numbers> rows;
  for (const double number : numbers) {
    Numbers row;
    for (const double frequency : frequencies) {
      row.push_back(std::cos(frequency * number) / std::sqrt(static_cast<double>(frequencies.size())));
      row.push_back(std::sin(frequency * number) / std::sqrt(static_cast<double>(frequencies.size())));
    }
    rows.push_back(row);
  }
  return rows;
}

struct Samples {
  Numbers x = normals(0.0, 1), y = normals(1.0, 2);
  double length_scale = median_distance(x, y);

  double error(const std::vector<Numbers>& of_x, const std::vector<Numbers>& of_y) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kRows; ++j) {
        double product = 0.0;
        for (std::size_t k = 0; k < of_x[i].size(); ++k) product += of_x[i][k] * of_y[j][k];
        sum += std::abs(std::exp(-0.5 * std::pow((x[i] - y[j]) / length_scale, 2)) - product);
      }
    }
    return sum / (kRows * kRows);
  }
  double hermite_error(const sosia::HermiteOptions& options) const {
    const HermiteBasis basis(options);
    return error(hermite(basis, x), hermite(basis, y));
  }
  double fourier_error(std::size_t features) const {
    double sum = 0.0;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      PublicRng rng(3, draw);
      Numbers frequencies(features / 2);
      for (double& frequency : frequencies) frequency = rng.normal() / length_scale;
      sum += error(fourier(frequencies, x), fourier(frequencies, y));
    }
    return sum / kDraws;
  }
};

/// The largest distance of two of the vectors.
double diameter(const HermiteBasis& basis) {
  Numbers places;
  for (int i = 0; i <= 200; ++i) places.push_back(i / 200.0);
  const std::vector<Numbers> rows = hermite(basis, places);
  double largest = 0.0;
  for (const Numbers& a : rows) {
    for (const Numbers& b : rows) {
      double squares = 0.0;
      for (std::size_t k = 0; k < a.size(); ++k) squares += std::pow(a[k] - b[k], 2);
      largest = std::max(largest, squares);
    }
  }
  return std::sqrt(largest);
}

void print_radii() {
  std::printf("\n%5s %5s %6s %14s %8s %8s %8s %8s\n", "l", "order", "rho", "loss at 1", "loss", "norm", "diameter",
              "radius");
  for (const double l : {0.05, 0.1, 0.2, 0.5, 1.0}) {
    for (const int order : {5, 10, 20, 40}) {
      const HermiteBasis basis({0.0, 1.0, l, order}), paper({-1.0, 1.0, l, order, 1.0});
      std::printf("%5.2f %5d %6.3f %14.1e %8.1e %8.3f %8.3f %8.3f\n", l, order, basis.rho(), paper.loss(), basis.loss(),
                  basis.radius_about({}), diameter(basis), basis.smallest_ball().radius);
    }
  }
}

double inner(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

struct Places {
  std::array<Numbers, 2> numbers;  ///< the first of each place, and the second

  explicit Places(std::uint64_t seed) : numbers{Numbers(kRows), Numbers(kRows)} {
    PublicRng rng(seed);
    for (Numbers& column : numbers) {
      for (double& number : column) number = rng.uniform();
    }
  }
};

/// The mean over pairs of places of |kernel - approximation|.
template <class Approximation>
double product_error(const Places& one, const Places& other, double l, const Approximation& approximation) {
  double sum = 0.0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kRows; ++j) {
      double squares = 0.0;
      for (std::size_t c = 0; c < 2; ++c) squares += std::pow((one.numbers[c][i] - other.numbers[c][j]) / l, 2);
      sum += std::abs(std::exp(-0.5 * squares) - approximation(i, j));
    }
  }
  return sum / (kRows * kRows);
}

double hermite_product_error(const Places& one, const Places& other, double l, int features_of_each) {
  const HermiteBasis basis({0.0, 1.0, l, features_of_each - 1});
  std::array<std::vector<Numbers>, 2> of_one, of_other;
  for (std::size_t c = 0; c < 2; ++c) {
    of_one[c] = hermite(basis, one.numbers[c]);
    of_other[c] = hermite(basis, other.numbers[c]);
  }
  return product_error(one, other, l, [&](std::size_t i, std::size_t j) {
    return inner(of_one[0][i], of_other[0][j]) * inner(of_one[1][i], of_other[1][j]);
  });
}

double fourier_product_error(const Places& one, const Places& other, double l, int features) {
  constexpr std::size_t kFewDraws = 10;
  double sum = 0.0;
  for (std::size_t draw = 0; draw < kFewDraws; ++draw) {
    PublicRng rng(4, draw);
    std::vector<std::array<double, 2>> frequencies(static_cast<std::size_t>(features / 2));
    for (auto& frequency : frequencies) frequency = {rng.normal() / l, rng.normal() / l};
    sum += product_error(one, other, l, [&](std::size_t i, std::size_t j) {
      double cosines = 0.0;
      for (const auto& [first, second] : frequencies) {
        cosines += std::cos(first * (one.numbers[0][i] - other.numbers[0][j]) +
                            second * (one.numbers[1][i] - other.numbers[1][j]));
      }
      return cosines / static_cast<double>(frequencies.size());
    });
  }
  return sum / kFewDraws;
}

void print_two_numbers() {
  const Places one(5), other(6);
  std::printf("\n%5s %9s %16s %16s\n", "l", "features", "hermite", "fourier, mean");
  for (const double l : {0.12, 0.05}) {
    for (const int of_each : {6, 10, 14, 18, 30, 42}) {
      const int features = of_each * of_each;
      std::printf("%5.2f %9d %16.1e %16.1e\n", l, features, hermite_product_error(one, other, l, of_each),
                  fourier_product_error(one, other, l, features));
    }
  }
}

}  // namespace

int main() {
  const Samples samples;
  const double l = samples.length_scale;
  std::printf("length scale %.3f\n%9s %16s %16s %16s\n", l, "features", "hermite, paper", "hermite, range",
              "fourier, mean");
  for (const int features : {2, 3, 4, 6, 8, 10, 16, 20, 30, 50, 100, 200, 500}) {
    const sosia::HermiteOptions paper = {-1.0, 1.0, l, features - 1, 1.0}, range = {-4.0, 5.0, l, features - 1};
    const bool is_small = features <= 50;
    std::printf("%9d", features);
    for (const auto& options : {paper, range}) {
      is_small ? std::printf(" %16.2e", samples.hermite_error(options)) : std::printf(" %16s", "");
    }
    if (features % 2 == 0) std::printf(" %16.2e", samples.fourier_error(static_cast<std::size_t>(features)));
    std::printf("\n");
  }
  print_radii();
  print_two_numbers();
}
