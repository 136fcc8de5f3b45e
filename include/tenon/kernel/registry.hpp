// SPDX-License-Identifier: Apache-2.0
#pragma once
// Registry: which ops there are and which kernel runs a node. Plain rows; the index is built at the first look-up.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/op/op_registry.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// Asks for the kernel of an op on a device; `types` are those of the attrs that its kernels are templates over, in
// order.
struct KernelKey {
  std::string_view op;
  std::string_view device;
  SlimVector<DataType> types;
};
struct KernelDef {
  const KernelRow* row = nullptr;
};

// thread-safe. Rows are never removed: a shared library that registered ops must stay loaded.
class Registry {
 public:
  // Everything that TENON_REGISTER put into this process.
  static Registry& Global() {
    static Registry* registry = new Registry(true);
    return *registry;
  }
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Adds the ops and kernels of a batch. A second registration of the same op struct does nothing; AlreadyExists when
  // another struct or signature has the op's name.
  Status Add(const RegistrationBatch& batch) {
    MutexLock lock(mutex_);
    return AddLocked(batch);
  }

  // NotFound names the types there are kernels for.
  Result<KernelDef> Find(const KernelKey& key) const {
    Refresh();
    MutexLock lock(mutex_);
    const auto it = kernels_.find(key.op);
    if (it != kernels_.end())
      for (const KernelRow* row : it->second)
        if (row->device == key.device && Matches(*row, key.types)) return KernelDef{row};
    return NoKernel(key, it == kernels_.end() ? SlimVector<const KernelRow*>() : it->second);
  }
  // The kernel for a node: reads the node's type attrs.
  Result<KernelDef> FindForNode(const NodeDef& node, std::string_view device) const {
    Refresh();
    KernelKey key{node.op, device, {}};
    {
      MutexLock lock(mutex_);
      const auto it = kernels_.find(std::string_view(node.op));
      if (it != kernels_.end()) {
        const OpRow& op = *it->second.front()->op;
        for (int k = 0; k < op.typed_count; ++k) {
          DataType type = DataType::kInvalid;
          TENON_RETURN_IF_ERROR(
              GetNodeAttr(node, op.view->attrs[static_cast<std::size_t>(op.typed_attr[k])].name(), &type));
          key.types.push_back(type);
        }
      }
    }
    return Find(key);
  }

  // The op's description, or null.
  const OpView* FindOp(std::string_view name) const { return ops().Find(name); }
  const OpRegistry& ops() const {
    Refresh();
    return ops_;
  }
  // What went wrong while batches were added; sessions refuse to start on it.
  Status status() const {
    Refresh();
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  explicit Registry(bool global) : global_(global) {}

  static bool Matches(const KernelRow& row, const SlimVector<DataType>& types) {
    if (types.size() != static_cast<std::size_t>(row.op->typed_count)) return false;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (static_cast<DataType>(row.types[i]) != types[i]) return false;
    return true;
  }
  static std::string TypesToString(const SlimVector<DataType>& types) { return StrCat("{", StrJoin(types, ","), "}"); }
  static Status NoKernel(const KernelKey& key, const SlimVector<const KernelRow*>& rows) {
    std::string have;
    for (const KernelRow* row : rows) {
      SlimVector<DataType> types;
      for (int k = 0; k < row->op->typed_count; ++k) types.push_back(static_cast<DataType>(row->types[k]));
      StrAppend(&have, have.empty() ? "" : ", ", row->device, TypesToString(types));
    }
    return errors::NotFound(
        "no kernel for op '", key.op, "' on ", key.device, " with types ", TypesToString(key.types), "; ",
        have.empty() ? std::string("the op has none: add it to the TENON_REGISTER list") : "registered: " + have);
  }

  // Takes in batches that were linked since the last time.
  void Refresh() const {
    if (!global_) return;
    RegistrationBatch* head = detail::registration_batches.load(std::memory_order_acquire);
    if (head == seen_.load(std::memory_order_acquire)) return;
    MutexLock lock(mutex_);
    SlimVector<const RegistrationBatch*> fresh;
    for (const RegistrationBatch* b = head; b != nullptr && b != seen_.load(std::memory_order_relaxed); b = b->next)
      fresh.push_back(b);
    for (std::size_t i = fresh.size(); i-- > 0;) status_.Update(AddLocked(*fresh[i]));
    seen_.store(head, std::memory_order_release);
  }
  Status AddLocked(const RegistrationBatch& batch) const {
    Status status;
    for (std::size_t i = 0; i < batch.op_count; ++i) status.Update(ops_.Register(*batch.ops[i]->view));
    for (std::size_t t = 0; t < batch.table_count; ++t)
      for (std::size_t i = 0; i < batch.table_sizes[t]; ++i)
        if (const KernelRow* row = &batch.tables[t][i]; row->op != nullptr) status.Update(AddRow(row));
    return status;
  }
  Status AddRow(const KernelRow* row) const {
    SlimVector<const KernelRow*>& rows = kernels_[row->op->view->name];
    SlimVector<DataType> types;
    for (int k = 0; k < row->op->typed_count; ++k) types.push_back(static_cast<DataType>(row->types[k]));
    for (const KernelRow* other : rows) {
      if (other->op->struct_name != row->op->struct_name)
        return errors::AlreadyExists("two structs define kernels for op '", row->op->view->name,
                                     "': ", other->op->struct_name, " and ", row->op->struct_name);
      if (other->device == row->device && Matches(*other, types)) return OkStatus();
    }
    rows.push_back(row);
    return OkStatus();
  }

  bool global_ = false;
  mutable Mutex mutex_;
  mutable std::atomic<const RegistrationBatch*> seen_{nullptr};
  mutable OpRegistry ops_;
  mutable FlatMap<std::string_view, SlimVector<const KernelRow*>> kernels_;
  mutable Status status_;
};

// Builds the kernel that a row describes for one node. The construction's node, op and type lists must outlive the
// kernel.
inline Result<Owned<OpKernel>> CreateKernel(const KernelRow& row, OpKernelConstruction* construction) {
  Owned<OpKernel> kernel;
  if (row.create != nullptr) {
    kernel.reset(row.create(construction));
  } else if (row.is_async) {
    auto adapted = MakeOwned<AdaptedAsyncKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  } else {
    auto adapted = MakeOwned<AdaptedKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  }
  TENON_RETURN_IF_ERROR(construction->status());
  return kernel;
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
