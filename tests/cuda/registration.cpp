// SPDX-License-Identifier: Apache-2.0
// What a .cu file and a .cpp file with the same TENON_REGISTER make together.
#include <doctest/doctest.h>

#include <string_view>

#include <tenon/kernel/registry/registry.hpp>

using tenon::DataType;
using tenon::KernelKey;
using tenon::Registry;

TEST_CASE("the .cu file registers the kernels for GPU, the .cpp file those for CPU") {
  CHECK(Registry::Global().status().ok());
  for (const std::string_view device : {"CPU", "GPU"}) {
    CAPTURE(device);
    CHECK(Registry::Global().Find(KernelKey{"ZeroOut", device, {DataType::kFloat}}).ok());
    CHECK(Registry::Global().Find(KernelKey{"ZeroOut", device, {DataType::kInt32}}).ok());
    CHECK(Registry::Global().Find(KernelKey{"Add", device, {DataType::kDouble}}).ok());
    CHECK(Registry::Global().Find(KernelKey{"MatMul", device, {DataType::kInt32}}).ok());
    CHECK(Registry::Global().Find(KernelKey{"LeakyRelu", device, {DataType::kFloat}}).ok());
    CHECK(Registry::Global().Find(KernelKey{"Identity", device, {}}).ok());
  }
}

TEST_CASE("the row of a device is that device's") {
  const auto gpu = Registry::Global().Find(KernelKey{"MatMul", "GPU", {DataType::kFloat}});
  const auto cpu = Registry::Global().Find(KernelKey{"MatMul", "CPU", {DataType::kFloat}});
  REQUIRE(gpu.ok());
  REQUIRE(cpu.ok());
  CHECK(gpu->row->device == "GPU");
  CHECK(cpu->row->device == "CPU");
  CHECK((gpu->row->call != cpu->row->call));
  CHECK(gpu->row->op->struct_name == cpu->row->op->struct_name);
}

TEST_CASE("a kernel that is not for GPUs leaves no row there, and the error names those there are") {
  CHECK(Registry::Global().Find(KernelKey{"ReverseOnHost", "CPU", {DataType::kFloat}}).ok());
  const tenon::Status status = Registry::Global().Find(KernelKey{"ReverseOnHost", "GPU", {DataType::kFloat}}).status();
  CHECK(status.code() == tenon::Code::kNotFound);
  CHECK(status.message() ==
        "no kernel for op 'ReverseOnHost' on GPU with types {float}; registered: CPU{float}, CPU{int32}");
}
