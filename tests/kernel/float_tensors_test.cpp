// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/float_tensors.hpp>

#include <doctest/doctest.h>

#include <tenon/memory/tracking_allocator.hpp>

#include "engine/support.hpp"
#include "kernel/one_node.hpp"

namespace float_tensors_test {
using namespace tenon;
using namespace tenon::testing;
using kernel_test::OneNode;

namespace {

// Reads {1.5, -2}, writes both plus 2^-12: half and bfloat16 must round once, float and double not at all.
template <class T, class C>
void CheckType() {
  constexpr DataType kType = dtype_of_v<T>;
  Cpu device;
  OneNode node({MakeTensor<T>({2}, {FromDouble<T>(1.5), FromDouble<T>(-2)})}, {kType}, kType);
  FloatInput x;
  REQUIRE(x.Read(node.context, device, node.inputs[0]).ok());
  const C* in = x.As<C>();
  CHECK((static_cast<const void*>(in) == node.inputs[0].raw_data()) == std::is_same_v<T, C>);  // only others are copied
  FloatOutput y;
  REQUIRE(y.Make(node.context, 0, {2}).ok());
  REQUIRE(y.size() == 2);
  for (Index i = 0; i < y.size(); ++i) y.As<C>()[i] = in[i] + C(0x1p-12);
  y.Finish(device);
  const double exact[2] = {1.5 + 0x1p-12, -2 + 0x1p-12};
  REQUIRE(node.output.dtype() == kType);
  for (int i = 0; i < 2; ++i)
    CHECK(ToDouble(node.output.data<T>()[i]) ==
          ToDouble(FromDouble<T>(std::is_same_v<T, C> ? exact[i] : 1.5 - 3.5 * i)));
}

}  // namespace

TEST_SUITE("float tensors") {
  TEST_CASE("every float is read and written as float or double") {
    CheckType<half, float>();
    CheckType<bfloat16, float>();
    CheckType<float, float>();
    CheckType<double, double>();
  }
  TEST_CASE("of no elements") {
    Cpu device;
    OneNode node({Tensor(DataType::kHalf, {0, 3})}, {DataType::kHalf}, DataType::kHalf);
    FloatInput x;
    FloatOutput y;
    CHECK(x.Read(node.context, device, node.inputs[0]).ok());
    REQUIRE(y.Make(node.context, 0, {0, 3}).ok());
    CHECK(y.size() == 0);
    y.Finish(device);
    CHECK(node.output.shape() == TensorShape({0, 3}));
  }
  TEST_CASE("which types they are") {
    for (const DataType type : {DataType::kHalf, DataType::kBfloat16, DataType::kFloat, DataType::kDouble})
      CHECK(kFourFloats.contains(type));
    for (const DataType type : {DataType::kInt32, DataType::kComplex64, DataType::kString, DataType::kResource})
      CHECK_FALSE(kFourFloats.contains(type));
  }
  TEST_CASE("no memory for a copy or an output") {
    Cpu device;
    const auto fails = [&](int allocation, bool reads) {
      TrackingAllocator memory(CpuAllocator());
      OneNode node({Tensor(DataType::kHalf, {2})}, {DataType::kHalf}, DataType::kHalf, &memory);
      memory.FailAllocations(allocation, TrackingAllocator::kAll);
      FloatInput x;
      FloatOutput y;
      return (reads ? x.Read(node.context, device, node.inputs[0]) : y.Make(node.context, 0, {2})).code() ==
             Code::kResourceExhausted;
    };
    CHECK(fails(1, true));
    CHECK(fails(1, false));
    CHECK(fails(2, false));
    CHECK_FALSE(fails(2, true));
    CHECK_FALSE(fails(3, false));
  }
}
}  // namespace float_tensors_test
