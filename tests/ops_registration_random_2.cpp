// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: random choices, and numbers that take a number of tries.

#include "registration.hpp"
#include <tenon/ops/random/bounded_normal.hpp>
#include <tenon/ops/random/multinomial.hpp>
#include <tenon/ops/random/samples.hpp>
#include <tenon/ops/random/shuffle.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Multinomial, ops::RandomShuffle, ops::StatelessMultinomial, ops::StatelessShuffle);
TENON_TEST_REGISTER(ops::ParameterizedTruncatedNormal, ops::RandomGamma, ops::RandomPoisson, ops::RandomPoissonV2,
                    ops::StatelessRandomGammaV2, ops::StatelessRandomGammaV3, ops::StatelessRandomPoisson);
