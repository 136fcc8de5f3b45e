// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/step_environment.hpp>

#include <doctest/doctest.h>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/forwarding_allocator.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/step_services.hpp>

#include "any_node.hpp"

namespace step_environment_test {
using namespace tenon;
using kernel_test::AnyNode;

namespace {

constexpr auto kNothing = Op("SeNothing");
constexpr OpView kNothingOp = kNothing.view();

}  // namespace

TEST_SUITE("StepEnvironment") {
  TEST_CASE("is what the context of every node hands out") {
    AnyNode<> node(kNothingOp, {}, {}, {});
    int device = 7;
    const StepServices more;
    node.services.more = &more;
    node.env.device = &device;
    node.env.step_id = 3;
    node.env.graph_def_version = 27;
    node.env.frame_id = 5;
    node.env.iteration = 2;
    node.constants.host_memory = false;
    const OpKernelContext& context = node.context;
    CHECK(&context.environment() == &node.env);
    CHECK(context.device<int>() == 7);
    CHECK(context.device_name() == "/device:CPU:0");
    CHECK(context.step_id() == 3);
    CHECK(context.graph_def_version() == 27);
    CHECK(context.frame_iter() == FrameAndIter{5, 2});
    CHECK_FALSE(context.frame_iter() == FrameAndIter{5, 1});
    CHECK_FALSE(context.host_memory());
    CHECK(context.resource_manager() == &node.resources);
    CHECK(context.step_container() == &node.container);
    CHECK(context.step_services() == &more);
    CHECK(context.cancellation_manager() == nullptr);
  }
  TEST_CASE("has no services while constants are folded") {
    AnyNode<> node(kNothingOp, {}, {}, {});
    node.env.services = nullptr;
    CHECK(node.context.resource_manager() == nullptr);
    CHECK(node.context.step_container() == nullptr);
    CHECK(node.context.cancellation_manager() == nullptr);
    CHECK(node.context.step_services() == nullptr);
    CHECK(node.context.function_library() == nullptr);
  }
  TEST_CASE("memory for the host is another one only where the device has it") {
    AnyNode<> node(kNothingOp, {}, {}, {});
    AllocatorAttributes on_host;
    on_host.set_on_host(true);
    CHECK(node.context.get_allocator(on_host) == CpuAllocator());
    ForwardingAllocator host(CpuAllocator());
    node.env.host_allocator = &host;
    CHECK(node.context.get_allocator(on_host) == &host);
    CHECK(node.context.get_allocator({}) == CpuAllocator());
  }
}
}  // namespace step_environment_test
