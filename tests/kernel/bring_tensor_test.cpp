// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/bring_tensor.hpp>

#include <doctest/doctest.h>

#include <string_view>

#include <tenon/device/simulated_device.hpp>

#include "one_node.hpp"

namespace bring_tensor_test {
using namespace kernel_test;

namespace {

Tensor Three() { return MakeTensor<float>({3}, {1, 2, 3}); }

Owned<Device> NewDevice() {
  Result<Owned<Device>> made = SimulatedDevice::Create("/job:localhost/replica:0/task:0/device:SIM:0");
  REQUIRE(made.ok());
  return *std::move(made);
}

}  // namespace

TEST_SUITE("BringToKernel") {
  TEST_CASE("a kernel on the host gets a copy of what a device holds, once") {
    const Owned<Device> device = NewDevice();
    OneNode node({Three()}, {DataType::kFloat}, DataType::kFloat);
    node.constants.memory_device = device.get();
    Tensor value;
    REQUIRE(device->CopyToDevice(Three(), &value).ok());
    REQUIRE_FALSE(value.HostAccessible());
    REQUIRE(BringToKernel(node.context, &value).ok());
    CHECK(value.SummarizeValue(3) == "1 2 3");
    const void* const there = value.raw_data();
    REQUIRE(BringToKernel(node.context, &value).ok());
    CHECK(value.raw_data() == there);
  }
  TEST_CASE("a kernel of the device gets numbers there; texts stay") {
    const Owned<Device> device = NewDevice();
    OneNode node({Three()}, {DataType::kFloat}, DataType::kFloat);
    node.constants.memory_device = device.get();
    node.constants.host_memory = false;
    Tensor value = Three(), text = Tensor::Scalar(std::string_view("text")), empty(DataType::kFloat, TensorShape({0}));
    REQUIRE(BringToKernel(node.context, &value).ok());
    CHECK_FALSE(value.HostAccessible());
    REQUIRE(BringToKernel(node.context, &text).ok());
    CHECK(text.SummarizeValue(1) == "text");
    REQUIRE(BringToKernel(node.context, &empty).ok());
    CHECK(empty.NumElements() == 0);
    Tensor back;
    REQUIRE(device->CopyToHost(value, CpuAllocator(), &back).ok());
    CHECK(back.SummarizeValue(3) == "1 2 3");
  }
  TEST_CASE("a program of one device moves nothing, and a failed copy leaves the value") {
    OneNode alone({Three()}, {DataType::kFloat}, DataType::kFloat);
    Tensor value = Three();
    const void* const there = value.raw_data();
    REQUIRE(BringToKernel(alone.context, &value).ok());
    CHECK(value.raw_data() == there);

    Result<Owned<Device>> small =
        SimulatedDevice::Create("/job:localhost/replica:0/task:0/device:SIM:1", {.memory_limit_bytes = 4096});
    REQUIRE(small.ok());
    OneNode node({Three()}, {DataType::kFloat}, DataType::kFloat);
    node.constants.memory_device = small->get();
    node.constants.host_memory = false;
    Tensor large(DataType::kFloat, TensorShape({4096}));
    const void* const before = large.raw_data();
    CHECK(BringToKernel(node.context, &large).code() == Code::kResourceExhausted);
    CHECK(large.raw_data() == before);
  }
}

}  // namespace bring_tensor_test
