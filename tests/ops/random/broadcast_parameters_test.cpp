// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/broadcast_parameters.hpp>

#include <doctest/doctest.h>

namespace random_broadcast_parameters_test {
using namespace tenon;

TEST_SUITE("BroadcastSamples") {
  TEST_CASE("elements of parameters of other shapes than the batch") {
    ops::detail::BroadcastSamples work;
    const TensorShape column({2, 1}), row({3}), scalar;
    work.batch = TensorShape({2, 3});
    work.parameter[0] = &column;
    work.parameter[1] = &row;
    work.parameter[2] = &scalar;
    work.parameter[3] = &work.batch;
    for (Index b = 0; b < 6; ++b) {
      CHECK(work.At(0, b) == b / 3);
      CHECK(work.At(1, b) == b % 3);
      CHECK(work.At(2, b) == 0);
      CHECK(work.At(3, b) == b);
    }
  }
}
}  // namespace random_broadcast_parameters_test
