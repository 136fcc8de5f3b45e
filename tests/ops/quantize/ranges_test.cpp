// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/ranges.hpp>

#include <tenon/ops/quantize/activation.hpp>

#include "ops/support.hpp"

namespace quantize_ranges_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ranges of quantized numbers") {
  TEST_CASE("a range must be one") {
    InferenceContext c(ops::QuantizedRelu::signature.view(), {{2, 3}, {}, {}}, {});
    CHECK(ops::detail::ScalarRanges(&c, 1, 2).ok());
    CHECK(!ops::detail::ScalarRanges(&c, 0, 2).ok());
    CHECK(c.Rank(c.output(1)) == 0);
  }
}
}  // namespace quantize_ranges_test
