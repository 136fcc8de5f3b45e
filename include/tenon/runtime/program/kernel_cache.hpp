// SPDX-License-Identifier: Apache-2.0
#pragma once
// KernelCache: the kernels of a graph's nodes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/device.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// The kernels of a session's nodes, built when first needed and shared by all of its programs, so that the state of a
// node is one for all signatures. thread-safe.
class KernelCache {
 public:
  // A node whose outputs are the same in every run has these, in a session on another device than the host.
  struct ConstantParts {
    Owned<OpKernel> host_kernel;   // computes them; null: not made yet
    SlimVector<Tensor> on_device;  // their copies; of kInvalid: no program has needed one yet
  };
  struct Entry {
    Owned<OpKernel> kernel;
    mutable Owned<ConstantParts> constant;
    bool on_host = true;  // runs on the CPU device
  };
  // `graph`, `registry` and the devices outlive this. So does `older`, the cache of the graph that `graph` extends:
  // nodes that were there keep their kernels.
  KernelCache(const Graph* graph, const Registry* registry, Device* device, Device* host,
              FunctionRuntime* functions = nullptr, KernelCache* older = nullptr,
              std::int64_t packed_weights_bytes = kUsualPackedWeightsBytes)
      : graph_(graph),
        registry_(registry),
        device_(device),
        host_(host),
        functions_(functions),
        older_(older),
        packing_(packed_weights_bytes),
        entries_(static_cast<std::size_t>(graph->num_nodes())) {}

  Result<const Entry*> Get(int id) {
    const Node& wanted = graph_->node(id);
    // A send or receive node has no state, and its name means another tensor when a graph is cut again.
    const bool keeps_state =
        wanted.op->flags.is_stateful && wanted.node_class != NodeClass::kSend && wanted.node_class != NodeClass::kRecv;
    KernelCache* owner = this;
    int number = id;
    MutexLock lock(mutex_);  // the owner's; the older one is locked before it is unlocked
    while (keeps_state && owner->older_ != nullptr) {
      KernelCache* const older = owner->older_;
      MutexLock next(older->mutex_);
      const Node* node = older->graph_->Find(wanted.name());
      if (node == nullptr || node->op != wanted.op) break;
      owner = older;
      number = node->id;
      lock = std::move(next);
    }
    owner->has_state_ = owner->has_state_ || keeps_state;
    return owner->GetLocked(number);
  }

  // Returns the kernel that computes a node's value on the host: its own if it runs there, otherwise one that is kept
  // beside it; null: there is none.
  OpKernel* HostKernel(int id, const Entry& entry) {
    if (entry.on_host) return entry.kernel.get();
    const MutexLock lock(mutex_);
    ConstantParts& parts = PartsOf(entry);
    if (parts.host_kernel == nullptr) {
      Entry made;
      if (!BuildOn(graph_->node(id), host_, registry_->FindForNode(graph_->node(id).def, host_->type()), &made).ok())
        return nullptr;
      parts.host_kernel = std::move(made.kernel);
    }
    return parts.host_kernel.get();
  }
  // Copies output `output` of a node, which is the same in every run, to the device; once for all programs. `*copy`
  // shares the memory of the first copy.
  Status CopyToDevice(const Entry& entry, int output, const Tensor& value, Tensor* copy) {
    const MutexLock lock(mutex_);
    SlimVector<Tensor>& copies = PartsOf(entry).on_device;
    while (copies.size() <= static_cast<std::size_t>(output)) copies.emplace_back(DataType::kInvalid);
    Tensor& known = copies[static_cast<std::size_t>(output)];
    if (known.dtype() == DataType::kInvalid) {
      Tensor made;
      TENON_RETURN_IF_ERROR(device_->CopyToDevice(value, &made));
      known = std::move(made);
    }
    *copy = known;
    return OkStatus();
  }

  // The graph gets more nodes, so many in all; nobody else uses it or this cache. Comes first: it needs memory.
  void Grow(std::size_t num_nodes) {
    const MutexLock lock(mutex_);
    entries_.resize(num_nodes);
  }
  // Whether nodes may move: no kernel knows any.
  bool empty() const {
    const MutexLock lock(mutex_);
    return num_kernels_ == 0;
  }
  // Forgets the older cache, but not those before it, unless that one has kernels with state. False: it has.
  bool ForgetOlder() {
    const MutexLock lock(mutex_);
    KernelCache* const older = older_;
    const MutexLock next(older->mutex_);
    if (older->has_state_) return false;
    older_ = older->older_;
    return true;
  }

 private:
  static ConstantParts& PartsOf(const Entry& entry) {
    if (entry.constant == nullptr) entry.constant = MakeOwned<ConstantParts>();
    return *entry.constant;
  }
  Result<const Entry*> GetLocked(int id) {
    Entry& entry = entries_[static_cast<std::size_t>(id)];
    if (entry.kernel == nullptr) TENON_RETURN_IF_ERROR(Build(graph_->node(id), &entry));
    return &entry;
  }
  // The session's device first, then the CPU: what the device has no kernel for runs there, and so does a node whose
  // types the device's kernel does not serve.
  Status Build(const Node& node, Entry* entry) {
    const Result<KernelDef> def = registry_->FindForNode(node.def, device_->type());
    Status status = OkStatus();
    if (def.ok() || device_ == host_) {
      status = BuildOn(node, device_, def, entry);
      if (status.ok() || device_ == host_) return status;
    }
    const Result<KernelDef> host_def = registry_->FindForNode(node.def, host_->type());
    return status.ok() || host_def.ok() ? BuildOn(node, host_, host_def, entry) : status;
  }
  Status BuildOn(const Node& node, Device* place, const Result<KernelDef>& def, Entry* entry) {
    if (!def.ok()) {
      const Code code = def.status().code() == Code::kNotFound ? Code::kInvalidArgument : def.status().code();
      return Status(code, def.status().message()).WithAppended(StrCat(" [node '", node.name(), "']"));
    }
    OpKernelConstruction construction(
        &node.def, node.op, place->type(), std::span(node.input_types.data(), node.input_types.size()),
        std::span(node.output_types.data(), node.output_types.size()), host_->allocator(), functions_, place->name());
    construction.set_graph_def_version(graph_->versions().producer);
    construction.set_packing_budget(&packing_);
    Result<Owned<OpKernel>> kernel = CreateKernel(*def->row, &construction);
    if (!kernel.ok()) return kernel.status().WithAppended(StrCat(" [node '", node.name(), "']"));
    entry->kernel = *std::move(kernel);
    ++num_kernels_;
    if (const auto wrap = place->kernel_wrapper(); wrap != nullptr)
      entry->kernel.reset(wrap(entry->kernel.release(), &construction, place));
    entry->on_host = place == host_;
    return OkStatus();
  }

  const Graph* graph_;
  const Registry* registry_;
  Device* device_;
  Device* host_;
  FunctionRuntime* functions_;
  KernelCache* older_;
  PackingBudget packing_;
  mutable Mutex mutex_;  // guards the members below and older_
  bool has_state_ = false;  // some node with state was asked for
  std::size_t num_kernels_ = 0;
  SlimVector<Entry> entries_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
