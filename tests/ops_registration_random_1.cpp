// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: random numbers of one distribution.

#include "registration.hpp"
#include <tenon/ops/random/seeded.hpp>
#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/random/stateless_v2.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::RandomStandardNormal, ops::RandomUniform, ops::RandomUniformInt, ops::TruncatedNormal);
TENON_TEST_REGISTER(ops::StatelessRandomNormal, ops::StatelessRandomUniform, ops::StatelessRandomUniformFullInt,
                    ops::StatelessRandomUniformInt, ops::StatelessTruncatedNormal);
TENON_TEST_REGISTER(ops::StatelessRandomGetAlg, ops::StatelessRandomGetKeyCounter, ops::StatelessRandomGetKeyCounterAlg,
                    ops::StatelessRandomNormalV2, ops::StatelessRandomUniformFullIntV2,
                    ops::StatelessRandomUniformIntV2, ops::StatelessRandomUniformV2, ops::StatelessTruncatedNormalV2);
