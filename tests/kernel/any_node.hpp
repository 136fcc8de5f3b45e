// SPDX-License-Identifier: Apache-2.0
#pragma once
// AnyNode: one node of any op outside of a session, with the context that its kernel would get.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>

#include "one_node.hpp"

namespace kernel_test {

using namespace tenon;

// Node "here" with the inputs' types (references as such) and `outputs`; Kernel is made for it.
template <class Kernel = IdleKernel>
class AnyNode {
 public:
  AnyNode(const OpView& op, std::vector<std::pair<std::string, AttrValue>> attrs, std::vector<Tensor> in,
          std::vector<DataType> out)
      : inputs(std::move(in)), def_(Node(op, attrs)), output_types_(std::move(out)) {
    for (Tensor& input : inputs) {
      input_types_.push_back(input.dtype());
      pointers_.push_back(&input);
      last_use.push_back(1);
    }
    for (std::size_t i = 0; i < output_types_.size(); ++i) outputs.emplace_back(DataType::kInvalid);
    escapes_.assign(output_types_.size() + 1, 0);
    construction.emplace(&def_, &op, "CPU", input_types_, output_types_, CpuAllocator());
    kernel.emplace(&*construction);
    services.resources = &resources;
    services.step_container = &container;
    constants.device_name = "/device:CPU:0";
    env.constants = &constants;
    env.step_allocator = env.result_allocator = CpuAllocator();
    env.services = &services;
    frame = {&*kernel, pointers_.data(), last_use.data(), outputs.data(), escapes_.data(), nullptr, &env};
    context.Enter(&frame);
  }

  ResourceMgr resources;
  StepContainer container{&resources, 7};
  RunServices services;
  StepConstants constants;
  StepEnvironment env;
  std::vector<Tensor> inputs, outputs;
  std::vector<std::uint8_t> last_use;
  std::optional<OpKernelConstruction> construction;
  std::optional<Kernel> kernel;
  OpKernelContext::NodeFrame frame{};
  OpKernelContext context;

 private:
  static NodeDef Node(const OpView& op, const std::vector<std::pair<std::string, AttrValue>>& attrs) {
    NodeDef def;
    def.name = "here";
    def.op = op.name;
    for (const auto& [name, value] : attrs) def.attr.Set(name, value);
    return def;
  }
  NodeDef def_;
  std::vector<DataType> input_types_, output_types_;
  std::vector<Tensor*> pointers_;
  std::vector<std::uint8_t> escapes_;
};

}  // namespace kernel_test
