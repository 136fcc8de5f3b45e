// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/resource_handle.hpp>

#include <doctest/doctest.h>

#include <tenon/base/refcount.hpp>
#include <tenon/tensor/tensor.hpp>

namespace resource_handle_test {
using namespace tenon;

TEST_SUITE("ResourceHandle") {
  TEST_CASE("compares all it says") {
    ResourceHandle a{"/device:CPU:0", "localhost", "v", 7, "Var"}, b = a;
    CHECK(a == b);
    b.hash_code = 8;
    CHECK(a != b);
    b = a;
    b.dtypes_and_shapes.push_back({DataType::kFloat, {2}});
    CHECK(a != b);
    CHECK(ResourceHandle{} == ResourceHandle{});
  }
  TEST_CASE("keeps an object of its own as long as there is a copy") {
    struct Object : RefCounted {
      explicit Object(bool* gone) : gone_(gone) {}
      ~Object() override { *gone_ = true; }
      bool* gone_;
    };
    bool gone = false;
    ResourceHandle handle{"/device:CPU:0", "Anonymous", "v", 7, "Object"};
    CHECK(!handle.IsRefCounting());
    handle.object = Ref<Object>::Adopt(new Object(&gone));
    CHECK(handle.IsRefCounting());
    {
      const Tensor tensor = Tensor::Scalar(handle), copy = tensor;
      REQUIRE(copy.IsInitialized());
      CHECK(*copy.data<ResourceHandle>() == handle);
      handle = ResourceHandle{"/device:CPU:0", "Anonymous", "v", 7, "Object"};
      CHECK(*copy.data<ResourceHandle>() != handle);
      CHECK(!gone);
    }
    CHECK(gone);
  }
  TEST_CASE("prints as TensorFlow prints it") {
    const ResourceHandle handle{"/device:CPU:0", "localhost", "v", 7, "Var"};
    CHECK(handle.SummarizeValue() ==
          "ResourceHandle(name=\"v\", device=\"/device:CPU:0\", container=\"localhost\", type=\"Var\", "
          "dtype and shapes : \"[  ]\")");
  }
  TEST_CASE("prints what it holds, and everything in its debug text") {
    ResourceHandle handle{"/cpu:0", "box", "v", 255, "tensorflow::Var"};
    handle.dtypes_and_shapes = {
        {DataType::kFloat, {2}}, {DataType::kInt32, PartialTensorShape()}, {DataType::kInt64, {-1}}};
    // As TensorFlow 2.21 prints it.
    CHECK(handle.SummarizeValue() ==
          "ResourceHandle(name=\"v\", device=\"/cpu:0\", container=\"box\", type=\"tensorflow::Var\", dtype and "
          "shapes : \"[ DType enum: 1, Shape: [2],DType enum: 3, Shape: <unknown>,DType enum: 9, Shape: [?] ]\")");
    CHECK(handle.DebugString() ==
          "device: /cpu:0 container: box name: v hash_code: 0xFF maybe_type_name tensorflow::Var, dtype and shapes : [ "
          "DType enum: 1, Shape: [2],DType enum: 3, Shape: <unknown>,DType enum: 9, Shape: [?] ]");
    CHECK(ResourceHandle{}.DebugString() ==
          "device:  container:  name:  hash_code: 0x0 maybe_type_name , dtype and shapes : [  ]");
  }
}
}  // namespace resource_handle_test
