// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: rows by number, sequences, which elements there are.

#include "registration.hpp"
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/unique.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::CheckNumerics, ops::DynamicPartition, ops::DynamicStitch, ops::LinSpace, ops::Range);
TENON_TEST_REGISTER(ops::ListDiff, ops::Unique, ops::UniqueWithCounts, ops::Where);
