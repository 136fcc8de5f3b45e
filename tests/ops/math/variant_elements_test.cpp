// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/variant_elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/support.hpp"

namespace math_variant_elements_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::AddElements;
using ops::detail::IsSet;
using ops::detail::ZerosLikeElement;

namespace {

// A kernel's context, of which memory and the device are all that is there.
struct Machine {
  explicit Machine(Allocator* allocator = CpuAllocator()) {
    env.device = &cpu;
    env.step_allocator = env.result_allocator = env.host_allocator = allocator;
    context.Enter(&frame);
  }
  Cpu cpu;
  StepEnvironment env;
  const OpKernelContext::NodeFrame frame{nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &env};
  OpKernelContext context;
};
std::string Added(const Tensor& a, const Tensor& b, Tensor* out) {
  Machine m;
  return AddElements(&m.context, a, b, out).ToString();
}
std::string Zeroed(const Tensor& x, Tensor* out) {
  Machine m;
  return ZerosLikeElement(&m.context, x, out).ToString();
}
const Tensor kNotSet(DataType::kInvalid);

}  // namespace

TEST_SUITE("elements of variants") {
  TEST_CASE("zeros have the shape and type, whatever the type; what is not set stays so") {
    for (const DataType dtype : {DataType::kFloat, DataType::kBool, DataType::kComplex128, DataType::kInt8}) {
      Tensor out(DataType::kInvalid);
      REQUIRE(Zeroed(AnyBits(dtype, {2, 3}), &out) == "OK");
      CHECK(out.dtype() == dtype);
      REQUIRE(out.shape() == TensorShape({2, 3}));
      const auto* const bytes = static_cast<const char*>(out.raw_data());
      CHECK(std::count(bytes, bytes + out.TotalBytes(), 0) == static_cast<std::ptrdiff_t>(out.TotalBytes()));
    }
    Tensor out = Make<float>({1}, {1});
    CHECK(Zeroed(kNotSet, &out) == "OK");
    CHECK_FALSE(IsSet(out));
    CHECK(Zeroed(Tensor(DataType::kFloat, {0, 2}), &out) == "OK");
    CHECK(out.shape() == TensorShape({0, 2}));
    CHECK(Zeroed(Tensor(DataType::kString, {1}), &out) ==
          "INVALID_ARGUMENT: Trying to compute zeros_like for unsupported dtype string");
  }
  TEST_CASE("sums are made in memory of their own, and what is not set counts as zero") {
    const Tensor a = Make<float>({2}, {1, 2}), b = Make<float>({2}, {10, 20});
    Tensor out(DataType::kInvalid);
    REQUIRE(Added(a, b, &out) == "OK");
    CHECK(Numbered<float>(out) == std::vector<double>{11, 22});
    CHECK(Numbered<float>(a) == std::vector<double>{1, 2});
    REQUIRE(Added(a, a, &out) == "OK");
    CHECK(Numbered<float>(out) == std::vector<double>{2, 4});
    REQUIRE(Added(kNotSet, b, &out) == "OK");
    CHECK(out.raw_data() == b.raw_data());
    REQUIRE(Added(a, kNotSet, &out) == "OK");
    CHECK(out.raw_data() == a.raw_data());
    REQUIRE(Added(kNotSet, kNotSet, &out) == "OK");
    CHECK_FALSE(IsSet(out));
    REQUIRE(Added(MakeTensor<std::int8_t>({1}, {127}), MakeTensor<std::int8_t>({1}, {1}), &out) == "OK");
    CHECK(out.data<std::int8_t>()[0] == -128);
  }
  TEST_CASE("says which types or shapes do not go together") {
    Tensor out(DataType::kInvalid);
    CHECK(Added(Make<float>({2}, {1}), Make<double>({2}, {1}), &out) ==
          "INVALID_ARGUMENT: Trying to add two tensors with incompatible element types. One is float and the other is "
          "double");
    CHECK(Added(Make<float>({2}, {1}), Make<float>({1, 2}, {1}), &out) ==
          "INVALID_ARGUMENT: Trying to add two tensors with incompatible element shapes. One is [2] and the other is "
          "[1,2]");
    const Tensor texts(DataType::kString, {1}), bools = MakeTensor<bool>({1}, {true});
    CHECK(Added(texts, texts, &out) == "INVALID_ARGUMENT: Trying to add unsupported dtype string");
    CHECK(Added(bools, bools, &out) == "INVALID_ARGUMENT: Trying to add unsupported dtype bool");
    CHECK_FALSE(IsSet(out));
  }
  TEST_CASE("variants within are asked for, one by one; empty ones cannot be added") {
    const Tensor none(DataType::kVariant, {0}), empty(DataType::kVariant, {1});
    Tensor out(DataType::kInvalid);
    CHECK(Zeroed(none, &out) == "OK");
    CHECK(out.dtype() == DataType::kVariant);
    CHECK(Added(none, none, &out) == "OK");
    CHECK(
        Zeroed(empty, &out) ==
        "INTERNAL: No unary variant unary_op function found for unary variant op enum: ZEROS_LIKE Variant type_name: '' "
        "for device type: CPU; VariantRegistry::AddUnary registers one");
    CHECK(Added(empty, empty, &out).find("INTERNAL: BinaryOpVariants: ") == 0);
  }
  TEST_CASE("without memory nothing is made") {
    TrackingAllocator memory(CpuAllocator());
    Machine m(&memory);
    Tensor out(DataType::kInvalid);
    const Tensor x = Make<float>({2}, {1, 2});
    for (int i = 1; i <= 2; ++i) {
      memory.FailAllocations(1, TrackingAllocator::kAll);
      const Status status = i == 1 ? ZerosLikeElement(&m.context, x, &out) : AddElements(&m.context, x, x, &out);
      CHECK(status.code() == Code::kResourceExhausted);
      CHECK_FALSE(IsSet(out));
    }
  }
}
}  // namespace math_variant_elements_test
