// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/fake_param.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace flow_fake_param_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("FakeParam") {
  TEST_CASE("zeros, and nothing where a size is not known") {
    const auto made = [](DataType type, const PartialTensorShape& shape) {
      return Run<ops::FakeParam>({{"dtype", type}, {"shape", shape}}, {});
    };
    CHECK(made(DataType::kFloat, PartialTensorShape({2, 2})).SummarizeValue(9) == "[0 0][0 0]");
    CHECK(made(DataType::kInt8, PartialTensorShape({-1, 3})).shape() == TensorShape({0, 3}));
    CHECK(made(DataType::kString, PartialTensorShape()).shape() == TensorShape());
    CHECK(ErrorOf<ops::FakeParam>({{"dtype", DataType::kDouble}, {"shape", PartialTensorShape({Index{1} << 62})}},
                                  {}) != "");
  }
  TEST_CASE("SyncDevice does nothing") { CHECK(OutputsOf<ops::SyncDevice>({}, {}) == ""); }
}
}  // namespace flow_fake_param_test
