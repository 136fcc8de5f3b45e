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
  TEST_CASE("lean steps share a cache, and make frames and memos when nodes run") {
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    Program program;
    program.device = program.host = &device;
    program.num_values = 2;
    program.nodes.resize(2);
    program.nodes[1].uses_memo = true;
    program.nodes[1].num_inputs = program.nodes[1].num_outputs = program.nodes[1].first_output = 1;
    program.inputs = {0};
    program.last_use = {0};
    program.only_use = {1};
    program.escapes = {0, 1};
    CHECK_FALSE(Step(program).IsLean());
    tenon::detail::MakeStepsLean(&program, {});
    Step step(program), other(program);
    CHECK(step.IsLean());
    CHECK(step.cache() == other.cache());
    const tenon::detail::OwnsCache owner(&step), of_other(&other);  // neither owns it
    CHECK_FALSE(step.cache()->IsOwnerThread());
    OpKernelContext::NodeFrame room, again;
    const OpKernelContext::NodeFrame& frame = step.FrameFor(1, &room);
    CHECK(&frame == &room);
    CHECK(frame.inputs[0] == &step.value(0));
    CHECK(frame.outputs == &step.value(1));
    CHECK(frame.last_use[0] == 1);
    CHECK(frame.output_escapes[0] == 1);
    CHECK(frame.env == &step.environment(true));
    REQUIRE(frame.memo != nullptr);
    CHECK(step.FrameFor(1, &again).memo == frame.memo);
    CHECK(step.FrameFor(0, &again).memo == nullptr);
    CHECK(other.FrameFor(1, &again).memo != frame.memo);
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
