// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/served_types.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace served_types_test {
using namespace tenon;

namespace {

std::string Serve(DataType type, DataTypeSet served) {
  NodeDef node;
  node.op = "ServedTypesTest";
  OpView op{};
  op.name = "ServedTypesTest";
  const OpKernelConstruction construction(&node, &op, "CPU", {}, {}, nullptr);
  return ServeOnly(construction, type, served).ToString();
}

struct Host {
  static constexpr std::string_view type = "CPU";
};
struct Other {
  static constexpr std::string_view type = "GPU";
};

}  // namespace

TEST_SUITE("served types") {
  TEST_CASE("what TensorFlow calls POD types: numbers and bool, neither quantised nor small") {
    int count = 0;
    for (int i = 1; i < kDataTypeCount; ++i) count += kPodTypes.contains(static_cast<DataType>(i));
    CHECK(count == 15);  // bfloat16, half, float, double, 8 integers, complex64, complex128, bool
    for (const DataType type : {DataType::kBool, DataType::kHalf, DataType::kUint64, DataType::kComplex128})
      CHECK(kPodTypes.contains(type));
    for (const DataType type :
         {DataType::kString, DataType::kQint8, DataType::kInt4, DataType::kFloat8E5M2, DataType::kVariant})
      CHECK_FALSE(kPodTypes.contains(type));
    CHECK(kPodAndStringTypes.contains(DataType::kString));
    CHECK_FALSE(kPodAndStringTypes.contains(DataType::kResource));
    CHECK(kPodAndObjectTypes.contains(DataType::kResource));
    CHECK(kPodAndObjectTypes.contains(DataType::kVariant));
  }
  TEST_CASE("a device without objects serves plain types, but not where all tensors are int32") {
    NodeDef node;
    OpView op{};
    const DataType all[] = {DataType::kInt32, DataType::kInt32}, some[] = {DataType::kInt32, DataType::kInt64};
    const OpKernelConstruction small(&node, &op, "GPU", {all, 2}, {all, 1}, nullptr);
    const OpKernelConstruction mixed(&node, &op, "GPU", {some, 2}, {some, 1}, nullptr);
    CHECK(ServeOnDevice<Other>(mixed, DataType::kInt32, kPodAndObjectTypes).ok());
    CHECK_FALSE(ServeOnDevice<Other>(small, DataType::kInt32, kPodAndObjectTypes).ok());
    CHECK(ServeOnDevice<Host>(small, DataType::kInt32, kPodAndObjectTypes).ok());
    for (const DataType type : {DataType::kString, DataType::kResource, DataType::kVariant}) {
      CHECK_FALSE(ServeOnDevice<Other>(mixed, type, kPodAndObjectTypes).ok());
      CHECK(ServeOnDevice<Host>(mixed, type, kPodAndObjectTypes).ok());
    }
  }
  TEST_CASE("another type is refused with the op, the device and the types that there are") {
    CHECK(Serve(DataType::kBool, kPodTypes) == "OK");
    CHECK(Serve(DataType::kQint8, ToSet(DataType::kFloat) | ToSet(DataType::kDouble)) ==
          "INVALID_ARGUMENT: no kernel for op 'ServedTypesTest' on CPU with types {qint8}; registered: float, double");
    CHECK(Serve(DataType::kString, kPodTypes).find("with types {string}; registered: ") != std::string::npos);
  }
}
}  // namespace served_types_test
