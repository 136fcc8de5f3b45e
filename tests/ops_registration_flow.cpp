// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: calls of functions, conditionals, loops.

#include "registration.hpp"
#include <tenon/ops/flow/functional.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Case, ops::For, ops::If, ops::PartitionedCall, ops::StatefulPartitionedCall,
                    ops::StatelessCase, ops::StatelessIf, ops::StatelessWhile, ops::While);
