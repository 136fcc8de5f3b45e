// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: dense lookup tables.

#include "registration.hpp"
#include <tenon/ops/table/dense_table.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AnonymousMutableDenseHashTable, ops::MutableDenseHashTableV2);
