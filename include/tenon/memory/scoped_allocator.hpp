// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScopedAllocator: one block of memory cut into fields, each of which the device gives as an allocation of its own, so
// that what several kernels write lies side by side and another one can take it as a whole.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct ScopedAllocatorField {
  std::int32_t scope_id = 0;
  std::size_t offset = 0;           // in the backing memory; a multiple of 64
  std::size_t bytes_requested = 0;  // exactly what the allocation will ask for
};

// Memory that the fields are parts of. `release()` (may be empty) runs when nobody needs it any more.
struct ScopedAllocatorBacking {
  void* data = nullptr;  // aligned to 64
  std::size_t bytes = 0;
  Function<void()> release;
  Allocator* allocator = nullptr;  // whose memory it is: says of what kind; null: the host's
};

// Fields of the given sizes one behind the other: field i has the scope id scope_id + 1 + i. Returns the bytes that the
// backing memory needs.
inline std::size_t LayOutScopedFields(std::int32_t scope_id, const SlimVector<std::size_t>& bytes_requested,
                                      SlimVector<ScopedAllocatorField>* fields) {
  fields->clear();
  std::size_t offset = 0;
  for (const std::size_t bytes : bytes_requested) {
    const auto id = scope_id + 1 + static_cast<std::int32_t>(fields->size());
    fields->push_back({id, offset, bytes});
    offset += (bytes + Allocator::kAlignment - 1) / Allocator::kAlignment * Allocator::kAlignment;
  }
  return offset;
}

class ScopedAllocatorContainer;

namespace detail {

// The backing memory and its fields. Lives until the container has dropped it and no field's block is out. thread-safe.
class ScopedAllocator final : public RefCounted {
 public:
  ScopedAllocator(ScopedAllocatorBacking backing, std::string_view name, SlimVector<ScopedAllocatorField> fields,
                  int expected_calls, Ref<ScopedAllocatorContainer> container);

  Allocator* field(std::size_t i) { return fields_[i].get(); }
  std::size_t backing_bytes() const { return backing_.bytes; }

 private:
  class Field final : public Allocator {
   public:
    std::string_view Name() const override { return name; }
    AllocatorMemoryType GetMemoryType() const override {
      const Allocator* const from = owner->backing_.allocator;
      return from == nullptr ? AllocatorMemoryType::kUnknown : from->GetMemoryType();
    }
    bool HostAccessible() const override {
      const Allocator* const from = owner->backing_.allocator;
      return from == nullptr || from->HostAccessible();
    }
    bool HoldsHeaders() const override { return false; }  // nothing may stand between the fields
    void* AllocateRaw(std::size_t, std::size_t bytes, const AllocationAttributes&) override {
      return owner->Allocate(*this, bytes);
    }
    void DeallocateRaw(void* ptr, std::size_t, std::size_t) override {
      if (ptr != nullptr) owner->Deallocate(*this, ptr);
    }
    bool TracksAllocationSizes() const override { return true; }
    std::size_t RequestedSize(const void*) const override { return field.bytes_requested; }

    ScopedAllocator* owner = nullptr;
    ScopedAllocatorField field;
    std::string name;
    bool is_out = false;
  };

  ~ScopedAllocator() override {
    if (backing_.release) backing_.release();
  }
  void* Allocate(Field& field, std::size_t bytes);
  void Deallocate(Field& field, void* ptr);

  ScopedAllocatorBacking backing_;
  const std::string name_;
  Mutex mutex_;  // guards calls_left_ and is_out of the fields
  int calls_left_;
  Ref<ScopedAllocatorContainer> container_;
  SlimVector<Owned<Field>> fields_;
};

}  // namespace detail

// The scoped allocators of one step on one device. thread-safe.
//
//   ScopedAllocatorMgr mgr("/device:CPU:0");
//   SlimVector<ScopedAllocatorField> fields;
//   const std::size_t bytes = LayOutScopedFields(7, {400, 800}, &fields);
//   TENON_RETURN_IF_ERROR(mgr.GetContainer(step_id)->AddScopedAllocator(std::move(backing), 7, "sa", fields, 2));
//   Allocator* first = mgr.GetContainer(step_id)->GetInstance(8);   // gives 400 bytes, once
//   mgr.Cleanup(step_id);
class ScopedAllocatorContainer final : public RefCounted {
 public:
  // After `expected_calls` allocations from its fields the ids are free again. The backing memory is released when that
  // or DropAll() has happened and all blocks are back; at once on failure. Internal for ids that are used,
  // InvalidArgument for fields that are not in the backing memory.
  Status AddScopedAllocator(ScopedAllocatorBacking backing, std::int32_t scope_id, std::string_view name,
                            const SlimVector<ScopedAllocatorField>& fields, int expected_calls);

  // The allocator of a field: one allocation of exactly its bytes; anything else gives null and an error in the log.
  // Valid until the ids are dropped, and as long as the field's block is out. Null for an unknown id.
  Allocator* GetInstance(std::int32_t scope_id) {
    MutexLock lock(mutex_);
    const Entry* const entry = entries_.FindValue(scope_id);
    return entry == nullptr || entry->field < 0 ? nullptr
                                                : entry->allocator->field(static_cast<std::size_t>(entry->field));
  }
  // No id is known any more: the step has ended.
  void DropAll() {
    FlatMap<std::int32_t, Entry> dropped;
    MutexLock lock(mutex_);
    std::swap(dropped, entries_);
    lock.unlock();
  }
  std::size_t num_ids() const {
    MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  friend class detail::ScopedAllocator;
  struct Entry {
    Ref<detail::ScopedAllocator> allocator;
    int field = -1;  // -1: the whole
  };

  Status CheckIds(std::int32_t scope_id, std::string_view name, const SlimVector<ScopedAllocatorField>& fields) const;
  void Drop(const detail::ScopedAllocator* allocator);

  mutable Mutex mutex_;
  FlatMap<std::int32_t, Entry> entries_;
};

// One container a step. thread-safe.
class ScopedAllocatorMgr {
 public:
  explicit ScopedAllocatorMgr(std::string_view device_name) : device_name_(device_name) {}
  ScopedAllocatorMgr(const ScopedAllocatorMgr&) = delete;
  ScopedAllocatorMgr& operator=(const ScopedAllocatorMgr&) = delete;
  ~ScopedAllocatorMgr() {
    for (const auto& [step, container] : containers_) container->DropAll();
  }

  const std::string& device_name() const { return device_name_; }
  // Made when it is first asked for.
  Ref<ScopedAllocatorContainer> GetContainer(std::int64_t step_id) {
    MutexLock lock(mutex_);
    Ref<ScopedAllocatorContainer>& container = containers_[step_id];
    if (!container) container = Ref<ScopedAllocatorContainer>::Adopt(new ScopedAllocatorContainer);
    return container;
  }
  // The step has ended. Blocks that are out stay valid.
  void Cleanup(std::int64_t step_id) {
    Ref<ScopedAllocatorContainer> container;
    {
      MutexLock lock(mutex_);
      Ref<ScopedAllocatorContainer>* const found = containers_.FindValue(step_id);
      if (found == nullptr) return;
      container = *found;
      containers_.erase(step_id);
    }
    container->DropAll();
  }

 private:
  const std::string device_name_;
  Mutex mutex_;
  FlatMap<std::int64_t, Ref<ScopedAllocatorContainer>> containers_;
};

// --------------------------------------------------------------------------------------------------- definitions

namespace detail {

inline ScopedAllocator::ScopedAllocator(ScopedAllocatorBacking backing, std::string_view name,
                                        SlimVector<ScopedAllocatorField> fields, int expected_calls,
                                        Ref<ScopedAllocatorContainer> container)
    : backing_(std::move(backing)), name_(name), calls_left_(expected_calls), container_(std::move(container)) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields_.push_back(MakeOwned<Field>());
    fields_[i]->owner = this;
    fields_[i]->field = fields[i];
    fields_[i]->name = StrCat(name_, "_field_", i);
  }
}

inline void* ScopedAllocator::Allocate(Field& field, std::size_t bytes) {
  bool was_last = false;
  {
    MutexLock lock(mutex_);
    const char* const mistake = calls_left_ <= 0                       ? "all expected calls were made"
                                : field.is_out                         ? "the field's block is out"
                                : bytes != field.field.bytes_requested ? "the field has another size"
                                                                       : nullptr;
    if (mistake != nullptr) {
      lock.unlock();
      TENON_LOG(kError, "ScopedAllocator '", name_, "': ", mistake, ", in a request for ", bytes, " bytes of '",
                field.name, "', which has ", field.field.bytes_requested, ".");
      return nullptr;
    }
    field.is_out = true;
    was_last = --calls_left_ == 0;
  }
  AddRef();  // the block's
  void* const ptr = static_cast<char*>(backing_.data) + field.field.offset;
  if (was_last) container_->Drop(this);
  return ptr;
}

inline void ScopedAllocator::Deallocate(Field& field, void* ptr) {
  {
    MutexLock lock(mutex_);
    TENON_CHECK(field.is_out && ptr == static_cast<char*>(backing_.data) + field.field.offset,
                "ScopedAllocator::DeallocateRaw: '", field.name, "' has no block in use at ",
                reinterpret_cast<std::uintptr_t>(ptr), ".");
    field.is_out = false;
  }
  Unref();
}

}  // namespace detail

inline Status ScopedAllocatorContainer::CheckIds(std::int32_t scope_id, std::string_view name,
                                                 const SlimVector<ScopedAllocatorField>& fields) const {
  if (entries_.contains(scope_id)) {
    return errors::Internal("Cannot create ScopedAllocator because scope_id ", scope_id, " for name ", name,
                            " already exists");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    bool is_used = entries_.contains(fields[i].scope_id) || fields[i].scope_id == scope_id;
    for (std::size_t j = 0; j < i; ++j) is_used = is_used || fields[j].scope_id == fields[i].scope_id;
    if (is_used) {
      return errors::Internal("Cannot create ScopedAllocator because field scope_id ", fields[i].scope_id, " for name ",
                              name, " already exists");
    }
  }
  return OkStatus();
}

inline Status ScopedAllocatorContainer::AddScopedAllocator(ScopedAllocatorBacking backing, std::int32_t scope_id,
                                                           std::string_view name,
                                                           const SlimVector<ScopedAllocatorField>& fields,
                                                           int expected_calls) {
  // Owns the backing memory from here on: whatever goes wrong, it is released.
  const auto allocator = Ref<detail::ScopedAllocator>::Adopt(new detail::ScopedAllocator(
      std::move(backing), name, fields, expected_calls, Ref<ScopedAllocatorContainer>::Share(this)));
  const std::size_t bytes = allocator->backing_bytes();
  std::size_t end = 0;
  for (const ScopedAllocatorField& field : fields) {
    if (field.offset < end || field.offset % Allocator::kAlignment != 0 || field.offset > bytes ||
        field.bytes_requested > bytes - field.offset) {
      return errors::InvalidArgument("ScopedAllocator '", name, "': field ", field.scope_id, " of ",
                                     field.bytes_requested, " bytes at offset ", field.offset,
                                     " must lie behind the one before it, at a multiple of 64, in ", bytes, " bytes");
    }
    end = field.offset + field.bytes_requested;
  }
  if (expected_calls <= 0) {
    return errors::InvalidArgument("ScopedAllocator '", name, "': more than 0 calls must be expected, got ",
                                   expected_calls);
  }
  MutexLock lock(mutex_);
  TENON_RETURN_IF_ERROR(CheckIds(scope_id, name, fields));
  entries_.insert_or_assign(scope_id, Entry{allocator, -1});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    entries_.insert_or_assign(fields[i].scope_id, Entry{allocator, static_cast<int>(i)});
  }
  return OkStatus();
}

// The ids of that one are free again.
inline void ScopedAllocatorContainer::Drop(const detail::ScopedAllocator* allocator) {
  SlimVector<Ref<detail::ScopedAllocator>> dropped;  // let go after the lock
  MutexLock lock(mutex_);
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const auto entry = entries_.begin() + static_cast<std::ptrdiff_t>(i);
    if (entry->second.allocator.get() != allocator) continue;
    dropped.push_back(entry->second.allocator);
    entries_.erase(std::int32_t{entry->first});
  }
  lock.unlock();
}

TENON_DETAIL_NAMESPACE_END
