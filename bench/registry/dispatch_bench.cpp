// SPDX-License-Identifier: Apache-2.0
// What lies between a node of a program without a plan and the user's operator(): the context enters the node, views
// are made, the output's shape is looked up and its buffer taken from the step's cache. (With a plan: chain_axpy in
// executor/.)
#include "harness.hpp"

#include "axpy_op.hpp"

#include <string>

#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/tenon.hpp>

using namespace tenon;
using tenon::bench::BenchAxpy;

namespace {

// A node as a program has it.
struct PlannedNode {
  PlannedNode() {
    def.name = "axpy";
    def.op = "BenchAxpy";
    def.attr.Set("a", AttrValue(2.0f));
    def.attr.Set("first", AttrValue(std::int64_t{3}));
    def.attr.Set("T", AttrValue(DataType::kFloat));
    (void)Register(registry, Ops<BenchAxpy>{}, Devices<Cpu>{});
    env.device = &cpu;
    env.step_allocator = cache.get();
    env.result_allocator = env.host_allocator = CpuAllocator();
  }
  Status Build() {
    TENON_ASSIGN_OR_RETURN(const KernelDef found, registry.FindForNode(def, "CPU"));
    TENON_ASSIGN_OR_RETURN(kernel, CreateKernel(*found.row, &construction));
    frame = {kernel.get(), inputs, last_use, &output, &escapes, &memo, &env};
    return OkStatus();
  }

  Registry registry;
  NodeDef def;
  static constexpr OpView kOp = BenchAxpy::signature.view();
  const DataType types[2] = {DataType::kFloat, DataType::kFloat};
  OpKernelConstruction construction{&def, &kOp, "CPU", types, {types, 1}, CpuAllocator()};
  Owned<OpKernel> kernel;
  Owned<CachingAllocator, CachingAllocator::Releaser> cache{CachingAllocator::Create(CpuAllocator())};
  Cpu cpu;
  Tensor x = Tensor::Zeros<float>({8}), y = Tensor::Zeros<float>({8}), output{DataType::kInvalid};
  Tensor* inputs[2] = {&x, &y};
  const std::uint8_t last_use[2] = {0, 0};
  const std::uint8_t escapes = 0;
  ShapeMemo memo;
  StepEnvironment env;
  OpKernelContext::NodeFrame frame{};
};

}  // namespace

// Enter, Compute, and the output's buffer back to the cache.
TENON_BENCH(kernel_dispatch) {
  PlannedNode node;
  state.Check(node.Build());
  node.cache->SetOwnerThread();
  const Tensor empty(DataType::kInvalid);
  OpKernelContext context;
  for (auto _ : state) {
    (void)_;
    context.Enter(&node.frame);
    RunKernel(node.kernel.get(), &context);
    node.output = empty;
  }
  state.Check(context.status());
  node.cache->ClearOwnerThread();
}

// Of that, taking the buffer and giving it back.
TENON_BENCH(kernel_dispatch_buffer) {
  PlannedNode node;
  node.cache->SetOwnerThread();
  const Tensor empty(DataType::kInvalid);
  for (auto _ : state) {
    (void)_;
    node.output = Tensor(node.cache.get(), DataType::kFloat, node.x.shape());
    bench::Keep(node.output);
    node.output = empty;
  }
  node.cache->ClearOwnerThread();
}
