// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/step.hpp>

#include <doctest/doctest.h>

#include <memory>

#include <tenon/device/cpu_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>

#include "runtime/graphs.hpp"

namespace step_test {
using namespace tenon;

TEST_SUITE("Step") {
  TEST_CASE("values start empty but for the constants, and are empty again after Clear") {
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    Program program;
    program.device = program.host = &device;
    program.num_values = 3;
    program.constants.emplace_back(1, Tensor::Scalar(5.0f));
    Step step(program);
    CHECK(step.value(0).dtype() == DataType::kInvalid);
    CHECK(step.value(1).scalar<float>()[0] == 5);
    step.value(0) = Tensor::Scalar(1.0f);
    step.value(1) = EmptySlot();
    step.Clear();
    CHECK(step.value(0).dtype() == DataType::kInvalid);
    CHECK(step.value(1).scalar<float>()[0] == 5);
  }
  TEST_CASE("a pool gives back what it was given") {
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    Program program;
    program.device = program.host = &device;
    ProgramPool<Step> pool(program);
    const auto count_idle = [&] {
      int idle = 0;
      pool.ForIdle([&](Step& step) { idle += &step.program() == &program ? 1 : 100; });
      return idle;
    };
    CHECK(count_idle() == 0);
    auto a = pool.Take();
    auto b = pool.Take();
    Step* const first = a.get();
    Step* const second = b.get();
    CHECK(first != second);
    pool.Give(std::move(a));
    pool.Give(std::move(b));
    CHECK(count_idle() == 2);
    CHECK(pool.Take().get() == second);
    CHECK(pool.Take().get() == first);
  }
}
}  // namespace step_test
