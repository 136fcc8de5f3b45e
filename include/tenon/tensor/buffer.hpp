// SPDX-License-Identifier: Apache-2.0
#pragma once
// Buffer: ref-counted bytes that tensors share. In host memory the header and the data are one block of the allocator.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// Starts with one reference, which belongs to its maker. Counts are thread-safe; the bytes are externally
// synchronised. A slice of a buffer keeps the root buffer (the one that is not a slice) alive.
class alignas(64) Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // `bytes` uninitialised bytes, aligned to 64, from the allocator (which outlives the buffer): one call of it where
  // its blocks may hold headers; otherwise the header is on the host's heap. Null when there is no memory.
  static Buffer* Allocate(Allocator* allocator, std::size_t bytes, const AllocationAttributes& attributes = {}) {
    if (!allocator->HoldsHeaders()) [[unlikely]]
      return AllocateApart(allocator, bytes, attributes);
    if (bytes > kMaxBytes) [[unlikely]]
      return nullptr;
    void* block = allocator->AllocateRaw(Allocator::kAlignment, sizeof(Buffer) + bytes, attributes);
    if (block == nullptr) [[unlikely]]
      return nullptr;
    return ::new (block) Buffer(static_cast<char*>(block) + sizeof(Buffer), bytes, allocator, &FreeJoint, true);
  }

  // n value-initialised objects, destroyed with the buffer. Null too where the allocator's blocks hold no
  // headers.
  template <class T>
  static Buffer* AllocateObjects(Allocator* allocator, std::size_t n) {
    static_assert(alignof(T) <= Allocator::kAlignment);
    if (n > kMaxBytes / sizeof(T) || !allocator->HoldsHeaders()) return nullptr;
    Buffer* buffer = Allocate(allocator, n * sizeof(T));
    if (buffer == nullptr) return nullptr;
    T* objects = static_cast<T*>(buffer->data_);
    for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(objects + i)) T();
    if constexpr (!TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(T)) buffer->free_ = &FreeObjects<T>;
    return buffer;
  }

  // For a buffer of AllocateObjects: its objects refer to bytes of `other`, whose root gets a reference until they are
  // destroyed. From then on, no kernel writes to it in place or moves objects out of it. Once for a buffer.
  void KeepAlive(Buffer* other) {
    Buffer* const kept = other->root_;
    kept->Ref();
    arg_ = kept;
    owns_memory_ = false;
  }

  // Memory that another object owns. `deleter(data, arg)` runs when the last reference goes, on that thread; it may
  // be null. No kernel writes to such a buffer in place (OwnsMemory() is false). `allocator` only says the kind of
  // the memory; null: memory that the host may read.
  static Buffer* Wrap(void* data, std::size_t bytes, void (*deleter)(void* data, void* arg), void* arg,
                      Allocator* allocator = nullptr) {
    Buffer* buffer = new Buffer(data, bytes, allocator, &FreeWrapped, false);
    buffer->deleter_ = deleter;
    buffer->arg_ = arg;
    return buffer;
  }
  // Wraps memory with any callable as the deleter: deleter(), or deleter(data) as std::free is called.
  template <class Deleter>
    requires(std::is_invocable_v<Deleter&> || std::is_invocable_v<Deleter&, void*>)
  static Buffer* Wrap(void* data, std::size_t bytes, Deleter deleter) {
    const auto run = [](void* freed, void* arg) {
      Deleter* owned = static_cast<Deleter*>(arg);
      if constexpr (std::is_invocable_v<Deleter&>) {
        (*owned)();
      } else {
        (*owned)(freed);
      }
      delete owned;
    };
    return Wrap(data, bytes, run, new Deleter(std::move(deleter)));
  }

  // Wraps a file that is mapped privately: pages without changes may be given back, since the file has them.
  static Buffer* WrapFile(void* data, std::size_t bytes, void (*deleter)(void* data, void* arg), void* arg) {
    Buffer* buffer = Wrap(data, bytes, deleter, arg);
    buffer->is_mapped_file_ = true;
    return buffer;
  }

  // Bytes inside `parent`, whose root gets one more reference.
  static Buffer* Slice(Buffer* parent, void* data, std::size_t bytes) {
    Buffer* root = parent->root_;
    Buffer* buffer = new Buffer(data, bytes, root->allocator_, &FreeSlice, root->owns_memory_);
    root->Ref();  // not before `new`, which may throw
    buffer->root_ = root;
    return buffer;
  }

  void Ref() { refs_.Add(); }
  // Frees the buffer with the last reference.
  void Unref() {
    if (refs_.Drop()) free_(this);
  }
  // True if nobody else can see the bytes and they may be overwritten: a kernel may compute in place.
  bool RefCountIsOne() const { return refs_.IsOne() && owns_memory_ && (root_ == this || root_->refs_.IsOne()); }

  void* data() const { return data_; }
  std::size_t size() const { return size_; }  // bytes
  Buffer* root() { return root_; }
  const Buffer* root() const { return root_; }
  bool OwnsMemory() const { return owns_memory_; }
  bool is_mapped_file() const { return is_mapped_file_; }
  // The `arg` that Wrap got with this deleter; null for other buffers.
  void* arg_of(void (*deleter)(void* data, void* arg)) const { return deleter_ == deleter ? arg_ : nullptr; }
  Allocator* allocator() const { return allocator_; }  // may be null for wrapped memory
  // May the host read the bytes?
  bool HostAccessible() const { return allocator_ == nullptr || allocator_->HostAccessible(); }

 private:
  static constexpr std::size_t kMaxBytes = std::numeric_limits<std::size_t>::max() / 2 - 64;

  Buffer(void* data, std::size_t bytes, Allocator* allocator, void (*free)(Buffer*), bool owns_memory)
      : data_(data), size_(bytes), root_(this), allocator_(allocator), free_(free), owns_memory_(owns_memory) {}
  ~Buffer() = default;

  // Device memory: bytes from the allocator, header on the heap.
  TENON_DETAIL_COLD static Buffer* AllocateApart(Allocator* allocator, std::size_t bytes,
                                                 const AllocationAttributes& attributes) {
    void* block = allocator->AllocateRaw(Allocator::kAlignment, bytes, attributes);
    if (block == nullptr) return nullptr;
    Buffer* const buffer = new (std::nothrow) Buffer(block, bytes, allocator, &FreeApart, true);
    if (buffer == nullptr) allocator->DeallocateRaw(block, Allocator::kAlignment, bytes);
    return buffer;
  }
  static void FreeJoint(Buffer* buffer) {
    Allocator* allocator = buffer->allocator_;
    const std::size_t bytes = sizeof(Buffer) + buffer->size_;
    buffer->~Buffer();
    allocator->DeallocateRaw(buffer, Allocator::kAlignment, bytes);
  }
  // Objects may hold the last reference to other buffers of objects, as lists in lists do. kDeepestFree buffers are
  // freed within each other. Deeper ones wait until the one above the deepest has been freed, so that the depth of
  // values is not limited by the stack.
  template <class T>
  static void FreeObjects(Buffer* buffer) {
    if (freeing_.depth == kDeepestFree) [[unlikely]] {
      buffer->root_ = std::exchange(freeing_.waiting, buffer);
      return;
    }
    ++freeing_.depth;
    T* objects = static_cast<T*>(buffer->data_);
    for (std::size_t i = buffer->size_ / sizeof(T); i > 0; --i) objects[i - 1].~T();
    Buffer* const kept = static_cast<Buffer*>(buffer->arg_);
    FreeJoint(buffer);
    if (kept != nullptr) kept->Unref();
    if (freeing_.depth == kDeepestFree - 1) [[unlikely]]
      FreeWaiting();
    --freeing_.depth;
  }
  TENON_DETAIL_COLD static void FreeWaiting() {
    while (freeing_.waiting != nullptr) {
      Buffer* const buffer = freeing_.waiting;
      freeing_.waiting = std::exchange(buffer->root_, buffer);
      buffer->free_(buffer);
    }
  }
  TENON_DETAIL_COLD static void FreeApart(Buffer* buffer) {
    buffer->allocator_->DeallocateRaw(buffer->data_, Allocator::kAlignment, buffer->size_);
    delete buffer;
  }
  TENON_DETAIL_COLD static void FreeWrapped(Buffer* buffer) {
    if (buffer->deleter_ != nullptr)
      detail::CallAndLog("the deleter of a buffer", [buffer] { buffer->deleter_(buffer->data_, buffer->arg_); });
    delete buffer;
  }
  TENON_DETAIL_COLD static void FreeSlice(Buffer* buffer) {
    Buffer* root = buffer->root_;
    delete buffer;
    root->Unref();
  }

  // Buffers of objects that this thread is freeing.
  struct Freeing {
    int depth;  // how many, within each other
    Buffer* waiting;  // a list linked by root_
  };
  static constexpr int kDeepestFree = 16;
  inline static thread_local Freeing freeing_{};

  void* data_;
  std::size_t size_;
  Buffer* root_;
  Allocator* allocator_;
  void (*free_)(Buffer*);
  void (*deleter_)(void* data, void* arg) = nullptr;  // wrapped memory only
  void* arg_ = nullptr;  // argument of deleter_; for objects: the Buffer that KeepAlive holds
  RefCount refs_;
  bool owns_memory_;
  bool is_mapped_file_ = false;
};
static_assert(sizeof(Buffer) == 64, "the data of a tensor follows the header and stays 64-byte aligned");

TENON_DETAIL_STEP_NAMESPACE_END
