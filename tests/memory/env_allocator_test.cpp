// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/env_allocator.hpp>

#include <doctest/doctest.h>

#include <string>

#include <base/self_process.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/tensor/tensor.hpp>

namespace env_allocator_test {
using namespace tenon;

TEST_SUITE("env_allocator") {
  TEST_CASE("a process with the variable set has its tensors there") {
    const SelfResult run = RunSelf("in a process with TF_CPU_ALLOCATOR_USE_BFC", {"TF_CPU_ALLOCATOR_USE_BFC=true"});
    CHECK_MESSAGE(run.exit_code == 0, run.output);
  }
  TEST_CASE("in a process with TF_CPU_ALLOCATOR_USE_BFC" * doctest::skip()) {
    CHECK(DefaultAllocator()->Name() == "bfc_cpu_allocator_for_gpu");
    const Tensor tensor(DataType::kFloat, TensorShape{1000});
    CHECK(tensor.buffer()->allocator() == DefaultAllocator());
    CHECK(DefaultAllocator()->GetStats()->bytes_in_use == 4096);  // header and data
  }
  TEST_CASE("a process with a senseless variable says so and goes on") {
    const SelfResult run = RunSelf("in a process with a senseless variable", {"TF_CPU_ALLOCATOR_USE_BFC=perhaps"});
    CHECK_MESSAGE(run.exit_code == 0, run.output);
    CHECK(run.output.find("env_allocator.hpp: Failed to parse the env-var ${TF_CPU_ALLOCATOR_USE_BFC} into bool") !=
          std::string::npos);
  }
  TEST_CASE("in a process with a senseless variable" * doctest::skip()) { CHECK(DefaultAllocator() == CpuAllocator()); }
}
}  // namespace env_allocator_test
