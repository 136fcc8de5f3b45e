// SPDX-License-Identifier: Apache-2.0
#pragma once
// OneNode: the context of one node outside of any session, for what kernels call while they run.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_mgr.hpp>

namespace kernel_test {

using namespace tenon;

struct IdleKernel : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};

// Node "here" of device "CPU:0" with one output. `declared`: the input types that the kernel takes.
class OneNode {
 public:
  OneNode(std::vector<Tensor> in, std::vector<DataType> declared, DataType out, Allocator* allocator = CpuAllocator())
      : inputs(std::move(in)),
        types_(std::move(declared)),
        out_(out),
        construction_(&def_, &kOp, "CPU", types_, {&out_, 1}, allocator) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      pointers_.push_back(&inputs[i]);
      last_use_.push_back(1);
    }
    services_.resources = &resources;
    constants.device_name = "CPU:0";
    env_.constants = &constants;
    env_.step_allocator = env_.result_allocator = allocator;
    env_.services = &services_;
    frame = {&kernel_, pointers_.data(), last_use_.data(), &output, &escapes_, nullptr, &env_};
    context.Enter(&frame);
  }

  StepEnvironment& environment() { return env_; }

  StepConstants constants;
  ResourceMgr resources;
  std::vector<Tensor> inputs;
  Tensor output{DataType::kInvalid};
  OpKernelContext::NodeFrame frame{};
  OpKernelContext context;

 private:
  static NodeDef Node() {
    NodeDef def;
    def.name = "here";
    def.op = "KtOneNode";
    def.input = {"first", "second", "third"};
    return def;
  }
  static constexpr auto kSignature = Op("KtOneNode").Output("y: float");
  static constexpr OpView kOp = kSignature.view();

  NodeDef def_ = Node();
  std::vector<DataType> types_;
  DataType out_;
  OpKernelConstruction construction_;
  IdleKernel kernel_{&construction_};
  std::vector<Tensor*> pointers_;
  std::vector<std::uint8_t> last_use_;
  std::uint8_t escapes_ = 0;
  RunServices services_;
  StepEnvironment env_;
};

}  // namespace kernel_test
