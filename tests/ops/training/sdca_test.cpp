// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/sdca.hpp>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace training_sdca_test {
using namespace tenon;
using state_test::Floats;
using state_test::Machine;

TEST_SUITE("SdcaShrinkL1") {
  TEST_CASE("each weight comes nearer to 0 by l1 / l2 and stops there") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({3}, {2, -2, 0.5f}));
    const Output w = m.Reference("w", MakeTensor<float>({1}, {-0.25f}));
    SlimVector<GraphBuilder::Input> in;
    in.push_back(SlimVector<Output>{v, w});
    const GraphBuilder::Attr attrs[] = {{"num_features", 2}, {"l1", 0.5f}, {"l2", 0.5f}};
    m.b.AddNode("SdcaShrinkL1", "shrink", in, attrs);
    m.Start();
    CHECK(m.Do("shrink").code() == Code::kFailedPrecondition);
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("w/init").ok());
    REQUIRE(m.Do("shrink").ok());
    CHECK(m.Floats("v") == Floats{1, -1, 0});
    CHECK(m.Floats("w") == Floats{0});
  }
}
}  // namespace training_sdca_test
