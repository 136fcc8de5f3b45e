// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceKernels: answers the questions of placement and partitioning about a registry and its devices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/runtime/multi_device/registry_kernels.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Tells placement and partitioning about a registry's kernels and the devices that run them. If a device does not use
// host memory, makes a kernel of each node to see which of its tensors stay in host memory. one thread.
class DeviceKernels final : public KernelCatalog, public PartitionEnvironment {
 public:
  // All arguments outlive this.
  DeviceKernels(const Graph& graph, const Registry& registry, const DeviceMgr& devices)
      : graph_(graph), registry_(registry), devices_(devices), kernels_(registry), ops_(registry.ops()) {}

  bool Supports(const NodeDef& node, std::string_view type, int* priority) const override {
    if (!kernels_.Supports(node, type, priority)) return false;
    const Device* device = AnyDevice(type);
    return device == nullptr || device->uses_host_memory() ||
           (!KeepsSessionTensors(node.op) && MemoryOf(node, *device).fits_device);
  }
  std::string ListKernels(std::string_view op) const override { return kernels_.ListKernels(op); }

  bool InputOnHost(const NodeDef& node, std::string_view device, int input) const override {
    return !UsesHostMemory(device) && OnHost(node, device).inputs[ToSize(input)] != 0;
  }
  bool OutputOnHost(const NodeDef& node, std::string_view device, int output) const override {
    return !UsesHostMemory(device) && OnHost(node, device).outputs[ToSize(output)] != 0;
  }
  bool UsesHostMemory(std::string_view device) const override { return Find(device)->uses_host_memory(); }
  std::uint64_t Incarnation(std::string_view device) const override { return devices_.IncarnationOf(Find(device)); }

 private:
  // Memory of the tensors of one node, on devices of one type.
  struct Memory {
    SlimVector<char> inputs, outputs;  // in host memory
    bool fits_device = true;  // all tensors outside host memory are plain data
  };
  struct MemoryOfType {
    std::string_view type;
    SlimVector<Owned<Memory>> nodes;  // by id; null: not asked for yet
    Memory added;  // for the last node that is not in the graph
  };

  // A session keeps tensors in host memory, where feeds find them.
  static bool KeepsSessionTensors(std::string_view op) {
    return op == "GetSessionHandle" || op == "GetSessionHandleV2" || op == "GetSessionTensor" ||
           op == "DeleteSessionTensor";
  }
  // Nodes are on devices of the manager only.
  const Device* Find(std::string_view name) const { return *devices_.LookupDevice(name); }
  const Device* AnyDevice(std::string_view type) const {
    for (const Device* device : devices_.ListDevices())
      if (device->type() == type) return device;
    return nullptr;
  }
  const Memory& OnHost(const NodeDef& node, std::string_view device) const { return MemoryOf(node, *Find(device)); }

  const Memory& MemoryOf(const NodeDef& def, const Device& device) const {
    MemoryOfType& of_type = MemoryOfDevice(device.type());
    const Node* node = graph_.Find(def.name);
    if (node != nullptr) {
      Owned<Memory>& known = of_type.nodes[ToSize(node->id)];
      if (known == nullptr) known = MakeOwned<Memory>(Ask(def, node->input_types, node->output_types, device));
      return *known;
    }
    OpInfo::Types inputs, outputs;  // types of a node that partitioning made for a loop
    if (const OpInfo* info = ops_.Find(def.op); info != nullptr)
      static_cast<void>(info->Resolve(def, &inputs, &outputs));
    return of_type.added = Ask(def, inputs, outputs, device);
  }
  MemoryOfType& MemoryOfDevice(std::string_view type) const {
    for (MemoryOfType& of_type : memory_)
      if (of_type.type == type) return of_type;
    memory_.push_back({type, SlimVector<Owned<Memory>>(ToSize(graph_.num_nodes())), {}});
    return memory_.back();
  }
  // A node without a kernel there is a call, which runs on the host. Errors of a node are reported when its program
  // is built.
  template <class Types>
  Memory Ask(const NodeDef& def, const Types& inputs, const Types& outputs, const Device& device) const {
    Memory memory{SlimVector<char>(inputs.size(), 1), SlimVector<char>(outputs.size(), 1)};
    const Result<KernelDef> row = registry_.FindForNode(def, device.type());
    if (!row.ok()) return memory;
    OpKernelConstruction construction(
        &def, registry_.FindOp(def.op), device.type(), std::span(inputs.data(), inputs.size()),
        std::span(outputs.data(), outputs.size()), devices_.HostCPU()->allocator(), nullptr, device.name());
    const Result<Owned<OpKernel>> kernel = CreateKernel(*row->row, &construction);
    const auto note = [&memory](bool on_host, DataType type, char* to) {
      *to = on_host ? 1 : 0;
      // A variable of strings has its value in the memory that its device allocates.
      if (type == MakeRefType(DataType::kString) || (!on_host && type == DataType::kVariant))
        memory.fits_device = false;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
      note(kernel.ok() && (*kernel)->input_memory_type(static_cast<int>(i)) == MemoryType::kHost, inputs[i],
           &memory.inputs[i]);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      note(kernel.ok() && (*kernel)->output_memory_type(static_cast<int>(i)) == MemoryType::kHost, outputs[i],
           &memory.outputs[i]);
    return memory;
  }

  const Graph& graph_;
  const Registry& registry_;
  const DeviceMgr& devices_;
  RegistryKernels kernels_;
  mutable OpInfoCache ops_;
  mutable SlimVector<MemoryOfType> memory_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
