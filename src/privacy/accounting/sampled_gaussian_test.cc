// SPDX-License-Identifier: Apache-2.0
// Rates near 1 and high orders, where peaks lie far from 0 and densities all but cancel. The reference numbers were
// computed with mpmath (30 and 60 digits): the moments by Gauss-Legendre quadrature over 30 standard deviations beyond
// the outermost means, the profiles by the closed form of section 2.1 of docs/methods/accounting.md, for the rate and
// epsilon that the doubles are.
#include "privacy/accounting/sampled_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sosia/accounting.h>

namespace sosia::accounting {
namespace {

struct Divergences {
  double rate, noise, order, replace, remove, add;
};

constexpr Divergences kDivergences[] = {
    {0.9, 0.3, 9.0, 52.184054512878995, 49.881469419884949, 2.2361361612129218},
    {0.9, 1.0, 2.5, 3.0092021633992339, 1.116510250730583, 0.77734653315375531},
    {0.9, 1.0, 30.0, 17.193591456105826, 14.891006363112623, 1.9158273812590794},
    {0.9, 5.0, 20.0, 1.2309845398692487, 0.34345044669268244, 0.29854408899236518},
    {0.9, 5.0, 150.0, 5.1760026299969793, 2.8942211580020293, 1.2305250651439717},
    {0.9, 20.0, 500.0, 1.8175419768308579, 0.55152827492584692, 0.44197883564999758},
    {0.9, 20.0, 600.0, 2.1045302874536335, 0.66951311971850708, 0.51418380025345706},
    {1.0 - 1e-6, 0.3, 9.0, 63.81550943293496, 49.999998874999441, 12.95884132688862},
    {1.0 - 1e-6, 1.0, 2.5, 4.9998510612573808, 1.2499987052165375, 1.2499888178872883},
    {1.0 - 1e-6, 1.0, 30.0, 28.815509429876337, 14.999998965516724, 10.032277395131586},
    {1.0 - 1e-6, 5.0, 20.0, 1.5999952245774082, 0.39999943964881063, 0.39999877446184381},
    {1.0 - 1e-6, 5.0, 150.0, 11.8854034394098, 2.9999989958853167, 2.9995981486706663},
    {1.0 - 1e-6, 20.0, 500.0, 2.4999878983200374, 0.62499928579333908, 0.62499750966776688},
    {1.0 - 1e-6, 20.0, 600.0, 2.9999799633998993, 0.74999922239240692, 0.74999651833207342},
    {1.0 - 1e-12, 0.3, 9.0, 77.631043237892237, 49.999999999998879, 24.146341292916104},
    {1.0 - 1e-12, 1.0, 2.5, 4.9999999998510064, 1.2499999999987052, 1.2499999999888178},
    {1.0 - 1e-12, 1.0, 30.0, 42.585189682573031, 14.999999999998966, 14.590910590924274},
    {1.0 - 1e-12, 5.0, 20.0, 1.5999999999952247, 0.39999999999943966, 0.39999999999877449},
    {1.0 - 1e-12, 5.0, 150.0, 11.999999837248897, 2.9999999999989959, 2.9999999995975801},
    {1.0 - 1e-12, 20.0, 500.0, 2.4999999999878984, 0.62499999999928581, 0.62499999999750971},
    {1.0 - 1e-12, 20.0, 600.0, 2.9999999999799634, 0.74999999999922241, 0.74999999999651839},
    {0.3, 0.3, 9.0, 49.002205539072058, 48.645530595133326, 0.33726751355178912},
    {0.3, 1.0, 2.5, 0.43800626506691279, 0.21147809724425429, 0.088160357961411906},
    {0.3, 1.0, 30.0, 14.111185836015924, 13.754510892077232, 0.24615358007318394},
    {0.3, 5.0, 20.0, 0.14582655573111063, 0.043599827940342379, 0.031214478155009131},
    {0.3, 5.0, 150.0, 2.1496785257088541, 1.794102660674151, 0.12920426420484412},
    {0.3, 20.0, 500.0, 0.23758674921642099, 0.077995924093445669, 0.044967056827281564},
    {0.3, 20.0, 600.0, 0.29253722330608208, 0.10219611288812921, 0.051959505643740619},
    {0.3, 0.1, 1.05, 30.821416854496456, 30.464741989118623, 0.3566744198715366},
    {0.3, 0.15, 1.3, 24.030075973332671, 23.673401344235522, 0.35606698746041733},
    {0.9, 0.1, 1.05, 52.733725639374239, 50.43114056407171, 2.3025826220471926},
    {0.9, 0.15, 1.3, 30.734944824436853, 28.432359759481467, 2.2997514383425651},
    {0.01, 0.3, 9.0, 44.829233876616902, 44.819183540763401, 0.0076543663460997864},
    {0.01, 1.0, 2.5, 0.00057275675556067941, 0.00021757533228188046, 0.00019817328906376081},
    {0.01, 1.0, 30.0, 10.246081177960836, 10.236030842107335, 0.0016186987403631258},
    {0.01, 5.0, 20.0, 0.0001599901043236753, 4.1114408787066297e-5, 4.0463867853921025e-5},
    {0.01, 5.0, 150.0, 0.0012057799804116176, 0.00032629641121476237, 0.00028859352451066233},
    {0.01, 20.0, 500.0, 0.00025004469192587087, 6.3364033353530169e-5, 6.1813242919372342e-5},
    {0.01, 20.0, 600.0, 0.00030008041300339891, 7.623003899838442e-5, 7.3996214896824316e-5},
};

class SampledDivergence : public testing::TestWithParam<Divergences> {};

TEST_P(SampledDivergence, IsThatOfTheQuadratureRoundedUp) {
  const auto& [rate, noise, order, replace, remove, add] = GetParam();
  const auto expect_just_above = [](double value, double exact) {
    EXPECT_GE(value, exact * (1.0 - 2e-16));
    EXPECT_LE(value, exact * (1.0 + 1e-10));
  };
  expect_just_above(sampled_gaussian_replace(rate, noise)->renyi(order), replace);
  const auto add_remove = sampled_gaussian_add_remove(rate, noise);
  expect_just_above(add_remove->renyi(order), remove);
  EXPECT_NEAR(add_remove->log_moment(order - 1.0, Direction::add).real() / (order - 1.0), add, 1e-11 * add);
}

INSTANTIATE_TEST_SUITE_P(Points, SampledDivergence, testing::ValuesIn(kDivergences));

TEST(SampledGaussian, SamplingNeverHarmsAtAnyOrder) {
  for (const double rate : {1e-9, 0.3, 0.9, 1.0 - 1e-6, 1.0 - 1e-12}) {
    for (const double noise : {0.1, 0.3, 1.0, 5.0, 20.0}) {
      double last = 0.0;
      for (double order = 1.5; order <= 30.0 * noise + 2.0; order *= 1.7) {
        const double replace = sampled_gaussian_replace(rate, noise)->renyi(order);
        const double add_remove = sampled_gaussian_add_remove(rate, noise)->renyi(order);
        EXPECT_LE(add_remove, replace) << rate << ' ' << noise << ' ' << order;
        EXPECT_LE(add_remove, 0.5 * order / (noise * noise));
        EXPECT_LE(replace, 2.0 * order / (noise * noise));
        EXPECT_GE(replace, last * (1.0 - 1e-10)) << "it rises with the order";
        last = replace;
      }
    }
  }
}

struct Profile {
  double rate, noise, epsilon, add, remove;
};

constexpr Profile kProfiles[] = {
    {0.9, 1.0, 0.5, 0.18309901281521201, 0.20462062948737884},
    {0.9, 2.0, 1.0, 0.0016468367805822482, 0.004384459190574666},
    {0.9, 1.0, -0.5, 0.5175780256811608, 0.50452450532290904},
    {1.0 - 1e-6, 1.0, 0.5, 0.23842114535261707, 0.23842136679016143},
    {1.0 - 1e-6, 1.0, 5.0, 5.7887090172961736e-7, 5.7936879051627158e-7},
    {1.0 - 1e-6, 2.0, 1.0, 0.0068295193208530206, 0.0068295671484648402},
    {1.0 - 1e-6, 0.5, 10.0, 9.2587306773389076e-6, 9.9401711458963609e-6},
    {1.0 - 1e-6, 1.0, -0.5, 0.53807920917619094, 0.53807907486753107},
    {1.0 - 1e-6, 1.0, -5.0, 0.99326205690467074, 0.99326205690131599},
    {1.0 - 1e-9, 1.0, 0.5, 0.2384217075720943, 0.23842170779353189},
    {1.0 - 1e-9, 1.0, 5.0, 5.7937166775103618e-7, 5.7937216581326595e-7},
    {1.0 - 1e-9, 2.0, 1.0, 0.0068295949074520615, 0.006829594955279892},
    {1.0 - 1e-9, 0.5, 10.0, 9.9395052485748525e-6, 9.9402027844478985e-6},
    {1.0 - 1e-9, 1.0, -0.5, 0.53807941600519019, 0.5380794158708815},
    {1.0 - 1e-9, 1.0, -5.0, 0.99326205690469348, 0.99326205690469012},
    {1.0 - 1e-12, 1.0, 0.5, 0.23842170813431386, 0.23842170813453529},
    {1.0 - 1e-12, 1.0, 5.0, 5.793721686905194e-7, 5.793721691885708e-7},
    {1.0 - 1e-12, 2.0, 1.0, 0.0068295949830389145, 0.0068295949830867413},
    {1.0 - 1e-12, 0.5, 10.0, 9.9402021185498069e-6, 9.9402028160864832e-6},
    {1.0 - 1e-12, 1.0, -0.5, 0.53807941621201921, 0.5380794162118849},
    {1.0 - 1e-12, 1.0, -5.0, 0.9932620569046935, 0.9932620569046935},
    {1.0 - 1e-15, 1.0, 0.5, 0.23842170813487607, 0.23842170813487629},
    {1.0 - 1e-15, 1.0, 5.0, 5.7937216919144837e-7, 5.7937216919194603e-7},
    {1.0 - 1e-15, 2.0, 1.0, 0.0068295949831144998, 0.0068295949831145476},
    {1.0 - 1e-15, 0.5, 10.0, 9.9402028154211265e-6, 9.9402028161181211e-6},
    {1.0 - 1e-15, 1.0, -0.5, 0.53807941621222603, 0.5380794162122259},
    {1.0 - 1e-15, 1.0, -5.0, 0.9932620569046935, 0.9932620569046935},
};

TEST(SampledGaussian, ProfileKeepsItsDigitsAtRatesNextToOne) {
  for (const auto& [rate, noise, epsilon, add, remove] : kProfiles) {
    const auto model = sampled_gaussian_add_remove(rate, noise);
    SCOPED_TRACE(testing::Message() << 1.0 - rate << ' ' << noise << ' ' << epsilon);
    EXPECT_NEAR(model->delta(epsilon, Direction::add), add, 1e-12 * add);
    EXPECT_NEAR(model->delta(epsilon, Direction::remove), remove, 1e-12 * remove);
  }
}

TEST(SampledGaussian, NearlyAlwaysIsAlmostAlways) {
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    const auto epsilon = [&](double rate) {
      return account({relation, {{SampledGaussian{rate, 2.0}, 4}}}, 1e-6).epsilon;
    };
    const double always = epsilon(1.0);
    for (const double off : {1e-15, 1e-12, 1e-9}) EXPECT_NEAR(epsilon(1.0 - off), always, 1e-5 * always) << off;
  }
}

// What adding a row shows is never more than what no row shows: the row was not sampled.
TEST(SampledGaussian, AddingShowsAtMostThatNobodyWasSampled) {
  for (const double rate : {1e-9, 0.01, 0.5, 1.0 - 1e-12}) {
    const auto model = sampled_gaussian_add_remove(rate, 0.7);
    const double largest = model->largest_loss(Direction::add);
    EXPECT_EQ(largest, -std::log1p(-rate));
    EXPECT_EQ(model->delta(largest * (1.0 + 1e-12), Direction::add), 0.0);
    EXPECT_TRUE(std::isinf(model->largest_loss(Direction::remove)));
  }
}

}  // namespace
}  // namespace sosia::accounting
