// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/resource_handle.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_SUITE("ResourceHandle") {
  TEST_CASE("compares all it says") {
    ResourceHandle a{"/device:CPU:0", "localhost", "v", 7, "Var"}, b = a;
    CHECK(a == b);
    b.hash_code = 8;
    CHECK(a != b);
    CHECK(ResourceHandle{} == ResourceHandle{});
  }
  TEST_CASE("prints as TensorFlow prints it") {
    const ResourceHandle handle{"/device:CPU:0", "localhost", "v", 7, "Var"};
    CHECK(handle.SummarizeValue() ==
          "ResourceHandle(name=\"v\", device=\"/device:CPU:0\", container=\"localhost\", type=\"Var\", "
          "dtype and shapes : \"[  ]\")");
  }
}
