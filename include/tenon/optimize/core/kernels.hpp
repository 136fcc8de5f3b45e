// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptimizerKernels: says whether a node has a kernel, and computes nodes on the host, for the optimizer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/output_check.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// `device` runs a graph: nodes that it has no kernel for would move to `host`, so no pass makes them. All outlive this.
// one thread.
class OptimizerKernels final : public NodeSupport, public NodeEvaluator {
 public:
  OptimizerKernels(const Registry* registry, Device* device, Device* host, int graph_def_version)
      : registry_(registry), device_(device), host_(host), graph_def_version_(graph_def_version) {}

  bool CanRun(const NodeDef& node) override {
    if (node.op == "NoOp") return true;
    if (node.op == "Const") return registry_->FindForNode(node, host_->type()).ok();  // copied once, before all runs
    if (!registry_->FindForNode(node, device_->type()).ok()) return false;
    return device_ == host_ || node.op != "_FusedProducer" || ProducerReadsDevice(node);
  }
  bool Evaluate(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) override {
    const Result<KernelDef> def = registry_->FindForNode(node.def, host_->type());
    if (!def.ok()) return false;
    OpKernelConstruction construction(
        &node.def, node.op, host_->type(), std::span(node.input_types.data(), node.input_types.size()),
        std::span(node.output_types.data(), node.output_types.size()), host_->allocator(), nullptr, host_->name());
    construction.set_graph_def_version(graph_def_version_);
    const Result<Owned<OpKernel>> kernel = CreateKernel(*def->row, &construction);
    if (!kernel.ok() || (*kernel)->AsAsync() != nullptr) return false;
    SlimVector<Tensor> values(inputs.begin(), inputs.end());
    SlimVector<Tensor*> pointers;
    for (Tensor& value : values) pointers.push_back(&value);
    const std::size_t count = values.size() > node.output_types.size() ? values.size() : node.output_types.size();
    const SlimVector<std::uint8_t> flags(count, 0);
    outputs->clear();
    for (std::size_t i = 0; i < node.output_types.size(); ++i) outputs->emplace_back(DataType::kInvalid);
    ShapeMemo memo;
    StepConstants constants;
    constants.device_name = host_->name();
    StepEnvironment env;
    env.device = host_->kernel_device();
    env.constants = &constants;
    env.step_allocator = env.result_allocator = env.host_allocator = host_->allocator();
    env.graph_def_version = graph_def_version_;
    const OpKernelContext::NodeFrame frame{kernel->get(), pointers.data(), flags.data(), outputs->data(),
                                           flags.data(),  &memo,           &env};
    OpKernelContext context;
    context.Enter(&frame);
    RunKernel(kernel->get(), &context);
    if (!context.status().ok()) return false;
    for (std::size_t i = 0; i < outputs->size(); ++i)
      if ((*outputs)[i].dtype() != node.output_types[i]) return false;
    return !detail::MayBreakPromise(**kernel) || detail::CheckOutputShapes(frame).ok();
  }

 private:
  // The inputs of a _FusedProducer lie in the device's memory, also those of its producer.
  bool ProducerReadsDevice(const NodeDef& node) const {
    std::string bytes;
    if (!TryGetNodeAttr(node, "producer", &bytes)) return false;
    const Result<NodeDef> def = ParseNodeDef({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
    if (!def.ok()) return false;
    const Result<KernelDef> found = registry_->FindForNode(*def, device_->type());
    const OpView* const op = registry_->FindOp(def->op);
    if (!found.ok() || op == nullptr || found->row->params == nullptr || found->row->outputs_on_host) return false;
    for (std::size_t a = 0; a < op->inputs.size(); ++a) {
      const detail::ParamKind kind = found->row->params[a].kind;
      if (kind == detail::ParamKind::kHostIn || kind == detail::ParamKind::kHostIndices) return false;
    }
    return true;
  }

  const Registry* registry_;
  Device* device_;
  Device* host_;
  int graph_def_version_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
