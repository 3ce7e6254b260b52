// SPDX-License-Identifier: Apache-2.0
#include "features/hermite_basis.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sosia {
namespace {

constexpr std::size_t kLanes = HermiteBasis::kLanes;

/// phi_k and its derivative at x for length scale l, stretch 1 and middle 0, from the definition (not the recursion) in
/// 60 digits, by mpmath 1.3.
struct Golden {
  double l;
  std::size_t k;
  double x, value, slope;
};
const Golden kGolden[] = {
    {0.0625, 0, 0.3125, 0.28288441737663698, -0.088228722142682908},
    {0.0625, 1, 0.3125, 0.12477449343190029, 0.36036250580112737},
    {0.0625, 5, 0.3125, 0.14788248220275139, 0.29134855426471919},
    {0.0625, 25, 0.3125, 0.088841981112251589, -0.49206471524118428},
    {0.0625, 100, 0.3125, -0.01920221188130883, 0.93846623180134912},
    {0.0625, 150, 0.3125, -0.036798884390410636, -0.74419488514439901},
    {0.0625, 0, -1.0, 0.18032264377547347, 0.17997045245534764},
    {0.0625, 1, -1.0, -0.25451714013845346, 0.00049710189304691851},
    {0.0625, 5, -1.0, 0.023053320846211665, -0.5533247261545984},
    {0.0625, 25, -1.0, -0.083879966203494874, 0.53749339211831658},
    {0.0625, 100, -1.0, -0.0019756327084886013, 0.97653364077587598},
    {0.0625, 150, -1.0, -0.0034528258177440606, 0.97874114745508905},
    {0.0625, 0, 5.5, 8.2584549740605294e-8, -4.5332788823955228e-7},
    {0.0625, 1, 5.5, 6.4110367055037599e-7, -3.4026190547257153e-6},
    {0.0625, 5, 5.5, 0.00017828650168321064, -0.00080444023112258561},
    {0.0625, 25, 5.5, -0.056233751532731732, -0.6173931918992712},
    {0.0625, 100, 5.5, 0.062024560200761962, -0.52443959218101099},
    {0.0625, 150, 5.5, -0.053833410383076368, -0.42828408643509768},
    {0.0625, 0, 16.0, 9.8096365209231527e-57, -1.5664763436288247e-55},
    {0.0625, 1, 16.0, 2.2153363156869863e-55, -3.5237693535482779e-54},
    {0.0625, 5, 16.0, 5.1576889813309066e-51, -8.0737301873910584e-50},
    {0.0625, 25, 16.0, 9.4162794974264519e-36, -1.3489213088865319e-34},
    {0.0625, 100, 16.0, 8.2742849763336997e-6, -6.2259955247361833e-5},
    {0.0625, 150, 16.0, 0.063307693846366117, -0.64480594103397508},
    {0.5, 0, 0.3125, 0.75731914797537823, -0.20752778139738614},
    {0.5, 2, 0.3125, -0.33644794200208835, 0.61483423843849019},
    {0.5, 10, 0.3125, -0.015882187252109918, 0.51843884837821287},
    {0.5, 50, 0.3125, 0.00054814843712224779, 2.9841293952197967e-5},
    {0.5, 100, 0.3125, -2.6434929710625106e-7, 1.2909487128232527e-5},
    {0.5, 150, 0.3125, -1.1487884225320647e-9, -2.3275786418877087e-8},
    {0.5, 0, -3.0, 0.015280495079965746, 0.040198140520196937},
    {0.5, 2, -3.0, 0.14341614026253, 0.2760474972372668},
    {0.5, 10, -3.0, -0.22503879857808418, -2.9929593967312127e-5},
    {0.5, 50, -3.0, 0.00014367177925303427, 0.0091490550335025291},
    {0.5, 100, -3.0, -3.2734041541938266e-7, -2.2431528301315647e-5},
    {0.5, 150, -3.0, -1.4946628724162529e-10, -5.2427674741775249e-8},
    {0.5, 0, 12.0, 3.006673258404545e-28, -3.1638418390809163e-27},
    {0.5, 2, 12.0, 4.7640884408091885e-26, -4.9334446891649232e-25},
    {0.5, 10, 12.0, 7.7239504307011761e-20, -7.4626515533232779e-19},
    {0.5, 50, 12.0, 0.00054682373616974644, -0.0028510471148077023},
    {0.5, 100, 12.0, -0.0055093529633827798, -0.063770732044187983},
    {0.5, 150, 12.0, 9.6575460712260362e-7, 0.00018387251319686174},
    {2.0, 0, 1.0, 0.89276709125034311, -0.19571560998777764},
    {2.0, 1, 1.0, 0.44298816204340962, 0.3458747052399501},
    {2.0, 3, 1.0, -0.02226354896575648, 0.071671342107733842},
    {2.0, 10, 1.0, 3.4054874000951994e-6, -8.9527752215512562e-5},
    {2.0, 40, 1.0, -3.0186096155303203e-19, -1.5185470263663098e-18},
    {2.0, 100, 1.0, -3.8825049453004905e-48, -1.9221035176895461e-45},
    {2.0, 0, -7.0, 0.0046318644892291919, 0.0071078978486362113},
    {2.0, 1, -7.0, -0.016088213935292624, -0.022390096237535532},
    {2.0, 3, -7.0, -0.076812820508420557, -0.084261449599998383},
    {2.0, 10, -7.0, 0.37479752009804172, -0.020255296026777048},
    {2.0, 40, -7.0, 4.5917724647488956e-11, -4.5388069053685179e-10},
    {2.0, 100, -7.0, 1.3907463817556354e-38, 1.0055731324843313e-37},
    {2.0, 0, 20.0, 9.0536264428793543e-20, -3.9695370477600483e-19},
    {2.0, 1, 20.0, 8.9847606997738253e-19, -3.8944192529027303e-18},
    {2.0, 3, 20.0, 3.5988778822725642e-17, -1.5237992503750541e-16},
    {2.0, 10, 20.0, 4.1599430246826287e-13, -1.6135271776650606e-12},
    {2.0, 40, 20.0, 0.0002646940263877057, -0.00060252248492176108},
    {2.0, 100, 20.0, 0.033856716301045409, 0.049393320615774803},
    {16384.0, 0, 1000.0, 0.99813908850115128, -3.7183578559829755e-6},
    {16384.0, 1, 1000.0, 0.060921575225900346, 6.0694624673167011e-5},
    {16384.0, 2, 1000.0, 0.0026292747451032122, 5.2487573078008046e-6},
    {16384.0, 5, 1000.0, 7.7178897877925881e-8, 3.8560774738233437e-10},
    {16384.0, 0, -30000.0, 0.18704975440400183, 2.0904439023389799e-5},
    {16384.0, 1, -30000.0, -0.34249832959717133, -2.6860560076763437e-5},
    {16384.0, 2, -30000.0, 0.44345011828981752, 1.9996071377448516e-5},
    {16384.0, 5, -30000.0, -0.35145772539647576, 1.9297826127241179e-5},
};

struct Features {
  std::vector<double> values, slopes;
};

Features at(const HermiteBasis& basis, double x) {
  std::array<double, kLanes> same = {};
  same.fill(x);
  std::vector<double> values(basis.size() * kLanes), slopes(basis.size() * kLanes);
  basis.values(same, values);
  basis.slopes(same, values, slopes);
  Features features;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    features.values.push_back(values[k * kLanes + 3]);
    features.slopes.push_back(slopes[k * kLanes + 3]);
  }
  return features;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Relative to the number itself where it is away from the zeros of its polynomial, even where it is 1e-57.
TEST(HermiteBasis, RecursionAgreesWithTheDefinition) {
  for (const Golden& golden : kGolden) {
    const HermiteBasis basis({.low = -1.0, .high = 1.0, .length_scale = golden.l, .order = 150, .stretch = 1.0});
    const Features features = at(basis, golden.x);
    const double size = std::abs(golden.value) + std::abs(golden.slope) * std::min(1.0, golden.l);
    EXPECT_NEAR(features.values[golden.k], golden.value, 3e-13 * size)
        << golden.l << ' ' << golden.k << ' ' << golden.x;
    EXPECT_NEAR(features.slopes[golden.k], golden.slope,
                3e-13 * (size / std::min(1.0, golden.l) + std::abs(golden.slope)))
        << golden.l << ' ' << golden.k << ' ' << golden.x;
  }
}

TEST(HermiteBasis, ApproximatesTheKernelWithinItsLoss) {
  for (const double l : {0.05, 0.2, 1.0, 30.0}) {
    for (const int order : {5, 20, 60}) {
      const HermiteBasis basis({.low = -1.0, .high = 2.0, .length_scale = l, .order = order});
      const double loss = basis.loss();
      for (double x = -1.0; x <= 2.0; x += 0.125) {
        for (double y = -1.0; y <= 2.0; y += 0.25) {
          const double kernel = std::exp(-std::pow((x - y) / l, 2) / 2.0);
          EXPECT_NEAR(product(at(basis, x).values, at(basis, y).values), kernel, 1.1 * loss + 1e-12);
        }
      }
    }
  }
}

// The papers' choice of the scale loses half the kernel where this one loses nothing that could be measured.
TEST(HermiteBasis, ChoosesTheStretch) {
  const HermiteOptions unit = {.low = 0.0, .high = 1.0, .length_scale = 0.1, .order = 20};
  EXPECT_LT(HermiteBasis(unit).loss(), 5e-5);
  HermiteOptions other = unit;
  for (const double factor : {0.8, 1.25}) {
    other.stretch = factor * HermiteBasis(unit).options().stretch;
    EXPECT_GT(HermiteBasis(other).loss(), 3.0 * HermiteBasis(unit).loss());
  }
  other.stretch = 1.0;
  EXPECT_GT(HermiteBasis(other).loss(), 0.5);
}

TEST(HermiteBasis, RadiusHoldsTheCurve) {
  for (const double l : {0.03, 0.1, 0.5, 3.0}) {
    for (const int order : {1, 6, 25}) {
      const HermiteBasis basis({.low = 0.0, .high = 1.0, .length_scale = l, .order = order});
      const Ball ball = basis.smallest_ball();
      const double bound = basis.radius_about({});
      EXPECT_LE(ball.radius, bound * (1.0 + 1e-3));
      EXPECT_LE(bound, 1.0 + 2e-3);
      double farthest = 0.0, longest = 0.0;
      for (int i = 0; i <= 1999; ++i) {
        const std::vector<double> phi = at(basis, i / 1999.0).values;
        double squares = 0.0;
        for (std::size_t k = 0; k < phi.size(); ++k) squares += std::pow(phi[k] - ball.centre[k], 2);
        farthest = std::max(farthest, std::sqrt(squares));
        longest = std::max(longest, std::sqrt(product(phi, phi)));
      }
      EXPECT_LE(farthest, ball.radius);
      EXPECT_GE(farthest, 0.997 * ball.radius);
      EXPECT_LE(longest, bound);
      EXPECT_GE(longest, 0.997 * bound);
    }
  }
}

// By duality the squared radius of the smallest ball is the largest variance of a distribution on the curve; any
// distribution bounds it from below. Here: the ends with probability p each, the middle with the rest.
TEST(HermiteBasis, BallIsAboutTheSmallest) {
  const HermiteBasis basis({.low = 0.0, .high = 1.0, .length_scale = 0.5, .order = 12});
  const std::vector<double> low = at(basis, 0.0).values, mid = at(basis, 0.5).values, high = at(basis, 1.0).values;
  double most = 0.0;
  for (double p = 0.0; p <= 0.5; p += 0.001) {
    double variance = 0.0;
    for (std::size_t k = 0; k < low.size(); ++k) {
      const double mean = p * (low[k] + high[k]) + (1.0 - 2.0 * p) * mid[k];
      variance += p * (low[k] * low[k] + high[k] * high[k]) + (1.0 - 2.0 * p) * mid[k] * mid[k] - mean * mean;
    }
    most = std::max(most, variance);
  }
  EXPECT_NEAR(basis.smallest_ball().radius, std::sqrt(most), 1e-3 * std::sqrt(most));
}

}  // namespace
}  // namespace sosia
