// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the kernel of a node alone, as no engine with frames does.

#include <vector>

#include <tenon/base/owned.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/import.hpp>

namespace flow_test {

using namespace tenon;

// The outputs of node `name` of the graph; one that the kernel does not set has the dtype kInvalid.
inline Result<std::vector<Tensor>> Compute(const GraphDef& def, const std::string& name, std::vector<Tensor> inputs) {
  TENON_ASSIGN_OR_RETURN(const Graph graph, ImportGraphDef(GraphDef(def), Registry::Global().ops()));
  const Node& node = *graph.Find(name);
  TENON_ASSIGN_OR_RETURN(const KernelDef found, Registry::Global().FindForNode(node.def, "CPU"));
  OpKernelConstruction construction(&node.def, node.op, "CPU", {node.input_types.data(), node.input_types.size()},
                                    {node.output_types.data(), node.output_types.size()}, CpuAllocator());
  TENON_ASSIGN_OR_RETURN(Owned<OpKernel> kernel, CreateKernel(*found.row, &construction));
  std::vector<Tensor*> pointers;
  for (Tensor& t : inputs) pointers.push_back(&t);
  pointers.push_back(nullptr);
  std::vector<Tensor> outputs(static_cast<std::size_t>(node.num_outputs()), Tensor(DataType::kInvalid));
  const std::vector<std::uint8_t> flags(pointers.size() + outputs.size(), 0);
  ShapeMemo memo;
  StepEnvironment env;
  env.step_allocator = env.result_allocator = env.host_allocator = CpuAllocator();
  const OpKernelContext::NodeFrame frame{kernel.get(), pointers.data(), flags.data(), outputs.data(),
                                         flags.data(), &memo,           &env};
  OpKernelContext context;
  context.Enter(&frame);
  kernel->Compute(&context);
  TENON_RETURN_IF_ERROR(context.TakeStatus());
  return outputs;
}

}  // namespace flow_test
