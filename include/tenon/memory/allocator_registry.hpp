// SPDX-License-Identifier: Apache-2.0
#pragma once
// AllocatorRegistry: named sources of processor memory, of which the one with the highest priority is the process's
// choice, DefaultAllocator(); TensorFlow's AllocatorFactoryRegistry.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe.
class AllocatorFactory {
 public:
  virtual ~AllocatorFactory() = default;
  // Do its sub-allocators differ from one NUMA node to another?
  virtual bool NumaEnabled() const { return false; }
  // Called once; must not ask for the default allocator, nor make a tensor in it. The allocator lives as long as the
  // factory at least.
  virtual Allocator* CreateAllocator() = 0;
  // Called once for each node; -1: whichever.
  virtual Owned<SubAllocator> CreateSubAllocator(int numa_node) = 0;
};

// thread-safe. Global() is the process's and is never destroyed; others are for tests. What is registered with it must
// be so before the first tensor in ordinary memory, and the first session, are made; all of them use the one choice.
//
//   const AllocatorRegistration registration("MyAllocator", 200, MakeOwned<MyFactory>());   // at namespace scope
//   Allocator* best = AllocatorRegistry::Global().GetAllocator();                           // DefaultAllocator()
class AllocatorRegistry {
 public:
  static constexpr std::string_view kDefaultName = "DefaultCPUAllocator";
  static constexpr int kDefaultPriority = 100;

  // Has CpuAllocator() from the beginning, as "DefaultCPUAllocator".
  inline AllocatorRegistry();
  AllocatorRegistry(const AllocatorRegistry&) = delete;
  AllocatorRegistry& operator=(const AllocatorRegistry&) = delete;

  static AllocatorRegistry& Global() {
    static AllocatorRegistry* const registry = MakeGlobal();
    return *registry;
  }

  // Before anybody has asked for an allocator, DefaultAllocator() included. FailedPrecondition after that,
  // AlreadyExists for a name and priority that there are, InvalidArgument for a priority below 0 or no factory.
  Status Register(std::string_view name, int priority, Owned<AllocatorFactory> factory) {
    MutexLock lock(mutex_);
    if (asked_) {
      return errors::FailedPrecondition("AllocatorRegistry: '", name,
                                        "' must be registered before the first call of GetAllocator() or "
                                        "GetSubAllocator(), and before the first tensor in ordinary memory");
    }
    if (priority < 0 || factory == nullptr) {
      return errors::InvalidArgument("AllocatorRegistry: '", name,
                                     "' wants a factory and a priority of at least 0, got ", priority);
    }
    for (const Entry& entry : entries_) {
      if (entry.name != name || entry.priority != priority) continue;
      return errors::AlreadyExists("AllocatorRegistry: there is an allocator '", name, "' of priority ", priority,
                                   " already");
    }
    Entry entry;
    entry.name = name;
    entry.priority = priority;
    entry.factory = static_cast<Owned<AllocatorFactory>&&>(factory);
    entries_.push_back(static_cast<Entry&&>(entry));
    return OkStatus();
  }

  // That of the highest priority; of equal ones the first that was registered.
  Allocator* GetAllocator() {
    MutexLock lock(mutex_);
    return Made(Best([](const Entry&) { return true; }));
  }
  // That of the name; of several the one of the highest priority. NotFound lists the names there are.
  Result<Allocator*> GetAllocator(std::string_view name) {
    MutexLock lock(mutex_);
    Entry* const entry = Best([name](const Entry& e) { return e.name == name; });
    if (entry == nullptr) {
      return errors::NotFound("AllocatorRegistry: there is no allocator '", name,
                              "'; there are: ", StrJoin(Names(), ", "));
    }
    return Made(entry);
  }
  // Memory near a NUMA node (-1: anywhere) from the best factory that knows of nodes, or from the best one. Stays the
  // registry's. externally synchronised, as all sub-allocators: one allocator above it.
  SubAllocator* GetSubAllocator(int numa_node) {
    MutexLock lock(mutex_);
    Entry* entry = Best([](const Entry& e) { return e.factory->NumaEnabled(); });
    if (entry == nullptr) entry = Best([](const Entry&) { return true; });
    asked_ = true;
    const std::size_t index = numa_node < 0 ? 0 : static_cast<std::size_t>(numa_node) + 1;
    TENON_CHECK(index < kMaxNodes, "AllocatorRegistry::GetSubAllocator: there is no NUMA node ", numa_node, ".");
    while (entry->sub_allocators.size() <= index) entry->sub_allocators.emplace_back();
    Owned<SubAllocator>& made = entry->sub_allocators[index];
    if (made == nullptr) made = entry->factory->CreateSubAllocator(numa_node < 0 ? -1 : numa_node);
    return made.get();
  }

 private:
  static constexpr std::size_t kMaxNodes = 1024;
  struct Entry {
    std::string name;
    int priority = 0;
    Owned<AllocatorFactory> factory;
    Allocator* allocator = nullptr;  // once asked for
    SlimVector<Owned<SubAllocator>> sub_allocators;  // [node + 1]
  };

  static AllocatorRegistry* MakeGlobal() {
    auto* const registry = new AllocatorRegistry;
    registry->asked_ = !detail::BecomeChooser([] { return Global().GetAllocator(); });
    return registry;
  }

  // All that follow: under the lock.
  template <class Predicate>
  Entry* Best(Predicate is_candidate) {
    Entry* best = nullptr;
    for (Entry& entry : entries_) {
      if (is_candidate(entry) && (best == nullptr || entry.priority > best->priority)) best = &entry;
    }
    return best;
  }
  Allocator* Made(Entry* entry) {
    asked_ = true;
    if (entry->allocator == nullptr) entry->allocator = entry->factory->CreateAllocator();
    return entry->allocator;
  }
  SlimVector<std::string> Names() const {
    SlimVector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  Mutex mutex_;
  bool asked_ = false;
  SlimVector<Entry> entries_;
};

namespace detail {
class CpuAllocatorFactory final : public AllocatorFactory {
 public:
  Allocator* CreateAllocator() override { return CpuAllocator(); }
  Owned<SubAllocator> CreateSubAllocator(int) override { return MakeOwned<BaseSubAllocator>(CpuAllocator()); }
};
}  // namespace detail

inline AllocatorRegistry::AllocatorRegistry() {
  static_cast<void>(Register(kDefaultName, kDefaultPriority, MakeOwned<detail::CpuAllocatorFactory>()));
}

// A static object of this type registers a factory before main. A registration that Register refuses ends the program.
class AllocatorRegistration {
 public:
  AllocatorRegistration(std::string_view name, int priority, Owned<AllocatorFactory> factory) {
    const Status status =
        AllocatorRegistry::Global().Register(name, priority, static_cast<Owned<AllocatorFactory>&&>(factory));
    TENON_CHECK(status.ok(), status.message());
  }
};

TENON_DETAIL_NAMESPACE_END
