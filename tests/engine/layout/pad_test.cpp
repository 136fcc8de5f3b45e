// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/pad.hpp>

#include <string>
#include <vector>

#include <tenon/types/dtype.hpp>

#include <doctest/doctest.h>

namespace pad_test {
using namespace tenon;

TEST_SUITE("Pad") {
  TEST_CASE("dimensions without a frame are joined with the one outside") {
    PadPlan plan;
    plan.Add(0, 2, 0);
    plan.Add(1, 3, 2);
    plan.Add(0, 4, 0);
    REQUIRE(plan.dims.size() == 2);
    CHECK(plan.dims[0].size == 2);
    CHECK(plan.dims[1].before == 4);
    CHECK(plan.dims[1].size == 12);
    CHECK(plan.dims[1].after == 8);
    CHECK(plan.elements() == 48);
    const NdCopy middle = plan.Middle();
    CHECK(middle.out_first == 4);
    CHECK(middle.elements == 24);
  }
  TEST_CASE("a tensor stands in its frame") {
    for (const Index wide : {1, 40}) {  // frames of short and of long runs
      PadPlan plan;
      plan.Add(1, 2, 0);
      plan.Add(0, 2, 1);
      plan.Add(0, wide, 0);
      const std::vector<float> in(static_cast<std::size_t>(4 * wide), 3);
      for (const float value : {0.0f, 7.0f}) {
        std::vector<float> out(static_cast<std::size_t>(plan.elements()), -1);
        Cpu device;
        Pad(device, MoverOf(DataType::kFloat), plan, value == 0 ? nullptr : &value, in.data(), out.data());
        for (Index r = 0; r < 3; ++r)
          for (Index c = 0; c < 3; ++c)
            for (Index i = 0; i < wide; ++i)
              CHECK(out[static_cast<std::size_t>((r * 3 + c) * wide + i)] == (r > 0 && c < 2 ? 3.0f : value));
      }
    }
  }
  TEST_CASE("strings are framed by a string or by nothing") {
    PadPlan plan;
    plan.Add(1, 1, 1);
    const tstring in = "in";
    const tstring value = "around";
    Cpu device;
    tstring out[3];
    Pad(device, MoverOf(DataType::kString), plan, &value, &in, out);
    CHECK(out[0] == "around");
    CHECK(out[1] == "in");
    CHECK(out[2] == "around");
    tstring empty[3];
    Pad(device, MoverOf(DataType::kString), plan, nullptr, &in, empty);
    CHECK(empty[0] == "");
    CHECK(empty[1] == "in");
  }
}

}  // namespace pad_test
