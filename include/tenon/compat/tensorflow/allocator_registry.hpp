// SPDX-License-Identifier: Apache-2.0
#pragma once
// AllocatorFactoryRegistry and REGISTER_MEM_ALLOCATOR: a program's own processor memory, over Tenon's registry.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/allocator_registry.hpp>
#include <tenon/memory/sub_allocator.hpp>
#include <tenon/compat/tensorflow/allocator.hpp>
#include <tenon/compat/tensorflow/base/logging.hpp>
#include <tenon/compat/tensorflow/base/pointer_table.hpp>

namespace tensorflow {

// Sources derive from it: they define Alloc, Free and SupportsCoalescing. externally synchronised.
class SubAllocator : public tenon::SubAllocator {
 public:
  typedef std::function<void(void*, int index, std::size_t)> Visitor;
  SubAllocator(const std::vector<Visitor>& alloc_visitors, const std::vector<Visitor>& free_visitors)
      : alloc_visitors_(alloc_visitors), free_visitors_(free_visitors) {}

 protected:
  void VisitAlloc(void* ptr, int index, std::size_t bytes) {
    for (const Visitor& visit : alloc_visitors_) visit(ptr, index, bytes);
  }
  void VisitFree(void* ptr, int index, std::size_t bytes) {
    for (std::size_t i = free_visitors_.size(); i-- > 0;) free_visitors_[i](ptr, index, bytes);
  }
  const std::vector<Visitor> alloc_visitors_, free_visitors_;
};

// Sources derive from it. thread-safe.
class AllocatorFactory {
 public:
  virtual ~AllocatorFactory() = default;
  virtual bool NumaEnabled() { return false; }
  virtual Allocator* CreateAllocator() = 0;
  virtual SubAllocator* CreateSubAllocator(int numa_node) = 0;
};

// The process's allocators of processor memory. The one with the highest priority is Tenon's DefaultAllocator().
// thread-safe.
class AllocatorFactoryRegistry {
 public:
  static AllocatorFactoryRegistry* singleton() {
    static AllocatorFactoryRegistry* const all = new AllocatorFactoryRegistry();  // never destroyed
    return all;
  }
  // Takes over the factory. Logged and dropped: a name and priority that there are; any factory once an allocator was
  // asked for.
  void Register(const char* file, int line, const std::string& name, int priority, AllocatorFactory* factory) {
    const Status status =
        tenon::AllocatorRegistry::Global().Register(name, priority, tenon::MakeOwned<Adapter>(this, factory));
    if (!status.ok()) LOG(ERROR) << file << ":" << line << ": " << status.message();
  }
  // Borrowed. The object that the factory made where it is one of TensorFlow's form.
  Allocator* GetAllocator() {
    tenon::Allocator* const best = tenon::AllocatorRegistry::Global().GetAllocator();
    const tenon::MutexLock lock(mutex_);
    for (Allocator* const own : made_)
      if (own == best) return own;
    return AllocatorView::Of(best);
  }
  // Borrowed; -1: any node.
  tenon::SubAllocator* GetSubAllocator(int numa_node) {
    return tenon::AllocatorRegistry::Global().GetSubAllocator(numa_node);
  }

 private:
  class Adapter final : public tenon::AllocatorFactory {
   public:
    Adapter(AllocatorFactoryRegistry* registry, tensorflow::AllocatorFactory* factory)
        : registry_(registry), factory_(factory) {}
    bool NumaEnabled() const override { return factory_->NumaEnabled(); }
    tenon::Allocator* CreateAllocator() override {
      Allocator* const made = factory_->CreateAllocator();
      const tenon::MutexLock lock(registry_->mutex_);
      registry_->made_.push_back(made);
      return made;
    }
    tenon::Owned<tenon::SubAllocator> CreateSubAllocator(int numa_node) override {
      return tenon::Owned<tenon::SubAllocator>(factory_->CreateSubAllocator(numa_node));
    }

   private:
    AllocatorFactoryRegistry* const registry_;
    const std::unique_ptr<tensorflow::AllocatorFactory> factory_;
  };
  AllocatorFactoryRegistry() = default;

  tenon::Mutex mutex_;
  tenon::SlimVector<Allocator*> made_;
};

// Registers a factory while the program starts.
class AllocatorFactoryRegistration {
 public:
  AllocatorFactoryRegistration(const char* file, int line, const std::string& name, int priority,
                               AllocatorFactory* factory) {
    AllocatorFactoryRegistry::singleton()->Register(file, line, name, priority, factory);
  }
};

}  // namespace tensorflow

#define REGISTER_MEM_ALLOCATOR(name, priority, factory)                                         \
  [[maybe_unused]] static const ::tensorflow::AllocatorFactoryRegistration TENON_DETAIL_CONCAT( \
      tenon_mem_allocator_, __COUNTER__)(__FILE__, __LINE__, name, priority, new factory)
