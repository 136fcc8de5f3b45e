// SPDX-License-Identifier: Apache-2.0
// The list of stateful ops.
#include <doctest/doctest.h>

#include <tenon/compat/tensorflow/data/stateful_ops.hpp>

namespace compat_stateful_ops_test {
using namespace tensorflow;
namespace {
ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS("CompatPlaces");
}  // namespace

TEST_SUITE("TensorFlow's stateful ops of datasets") {
  TEST_CASE("stateful ops in functions of datasets") {
    auto* const all = data::AllowlistedStatefulOpRegistry::Global();
    CHECK(all->Contains("CompatPlaces"));
    CHECK_FALSE(all->Contains("CompatNoSuchOp"));
    CHECK(all->Remove("CompatPlaces").ok());
    CHECK_FALSE(all->Contains("CompatPlaces"));
  }
}
}  // namespace compat_stateful_ops_test
