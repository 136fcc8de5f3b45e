// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpRegistry: op name -> description. Kernels are elsewhere (kernel/registry/registry.hpp); a binary that only edits
// graphs needs this.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/name_table.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Compares declarations: their strings in order and their flags. Shape functions are not compared (one function has
// several addresses in a binary of several shared libraries).
inline bool SameOp(const OpView& a, const OpView& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& s, const auto& t) { return s.text == t.text; });
  };
  return a.name == b.name && same(a.inputs, b.inputs) && same(a.outputs, b.outputs) && same(a.attrs, b.attrs) &&
         std::equal(a.control_outputs.begin(), a.control_outputs.end(), b.control_outputs.begin(),
                    b.control_outputs.end()) &&
         a.flags == b.flags && a.deprecated_since == b.deprecated_since;
}

// thread-safe: ops may be registered while other ops are looked up.
class OpRegistry {
 public:
  // Gets the status and the op of each registration. Register returns its answer (the op is there where `status` is OK,
  // for any answer). Called under the registry's lock: it may look ops up, not register any.
  using Watcher = Function<Status(const Status& status, const OpView& op)>;

  OpRegistry() = default;
  OpRegistry(OpRegistry&& other) noexcept : ops_(std::move(other.ops_)), watcher_(std::move(other.watcher_)) {}

  // Keeps a pointer: the view lies in static data, or outlives the registry. The same declaration again does nothing;
  // AlreadyExists when the name stands for another one.
  Status Register(const OpView& op) {
    const MutexLock lock(mutex_);
    Status status = CheckLocked(op);
    if (status.ok()) ops_.Insert(op.name, &op);
    return watcher_ ? watcher_(status, op) : status;
  }
  Status Register(OpView&&) = delete;
  // At most one: AlreadyExists when there is another. An empty one takes it away.
  Status SetWatcher(Watcher watcher) const {
    const MutexLock lock(mutex_);
    if (watcher_ && watcher) return errors::AlreadyExists("Cannot over-write a valid watcher with another.");
    watcher_ = std::move(watcher);
    return OkStatus();
  }
  // The status that Register would give, without a watcher.
  Status Check(const OpView& op) const {
    const MutexLock lock(mutex_);
    return CheckLocked(op);
  }

  // Null when there is no such op.
  const OpView* Find(std::string_view name) const {
    const OpView* const* op = ops_.Find(name);
    return op == nullptr ? nullptr : *op;
  }
  // NotFound with TensorFlow's message and the nearest names.
  Status LookUp(std::string_view name, const OpView** op) const {
    *op = Find(name);
    return *op != nullptr ? OkStatus() : NotRegistered(name);
  }

  // All ops, sorted by name.
  SlimVector<const OpView*> ops() const {
    SlimVector<const OpView*> unordered, all;
    for (const auto* entry = ops_.newest(); entry != nullptr; entry = entry->older()) unordered.push_back(entry->value);
    for (const std::size_t i : SortedOrder(unordered.size(), [&unordered](std::size_t a, std::size_t b) {
           return unordered[a]->name < unordered[b]->name;
         }))
      all.push_back(unordered[i]);
    return all;
  }
  std::size_t size() const { return ops().size(); }

 private:
  Status CheckLocked(const OpView& op) const {
    if (!detail::IsOpName(op.name))
      return errors::InvalidArgument("Invalid name: ", op.name, " (Did you use CamelCase?)");
    const OpView* const* there = ops_.Find(op.name);
    if (there == nullptr || *there == &op || SameOp(**there, op)) return OkStatus();
    return errors::AlreadyExists("Op with name ", op.name);
  }
  TENON_DETAIL_COLD Status NotRegistered(std::string_view name) const {
    SlimVector<std::string_view> names;
    for (const OpView* op : ops()) names.push_back(op->name);
    return errors::NotFound("Op type not registered '", name, "' in binary running on this machine. ",
                            "Make sure the Op and Kernel are registered in the binary running in this process",
                            DidYouMean(name, names), names.empty() ? "; no op is registered at all." : ".");
  }

  mutable Mutex mutex_;  // held while registering
  NameTable<const OpView*> ops_;
  mutable Watcher watcher_;  // observes, changes nothing: a const registry has one, too
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
