// SPDX-License-Identifier: Apache-2.0
#pragma once
// ProtectedMemory: addresses that a thread may touch only while it holds an Access. The processor stops an access
// without one, as through a pointer into a GPU's memory.

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#else
#include <new>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. On Linux two ways, tried in this order:
//   kThread   a protection key of the processor (at most 15 in a process): rights belong to the thread;
//   kProcess  the pages' protection: while one thread holds an Access, no thread is stopped.
// Elsewhere kNone: the memory is ordinary. Pages that were never written take no memory.
class ProtectedMemory {
 public:
  enum class Protection : std::uint8_t { kNone, kProcess, kThread };

  // ResourceExhausted when the system has no such range of addresses.
  static Result<Owned<ProtectedMemory>> Create(std::size_t bytes, Protection best = Protection::kThread) {
    auto memory = Owned<ProtectedMemory>(new ProtectedMemory(bytes));
    memory->Reserve(best);
    if (memory->data_ == nullptr)
      return errors::ResourceExhausted("ProtectedMemory: the system gives no range of ", bytes, " bytes");
    return memory;
  }
  ProtectedMemory(const ProtectedMemory&) = delete;
  ProtectedMemory& operator=(const ProtectedMemory&) = delete;
  ~ProtectedMemory() { Release(); }

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }  // bytes
  Protection protection() const { return protection_; }
  bool Contains(const void* ptr) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(ptr) - reinterpret_cast<std::uintptr_t>(data_);
    return offset < bytes_;
  }

  // Lets this thread touch the memory while it lives; may nest. one thread.
  class Access {
   public:
    explicit Access(ProtectedMemory& memory) : memory_(memory), before_(memory.Open()) {}
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;
    ~Access() { memory_.Close(before_); }

   private:
    ProtectedMemory& memory_;
    int before_;  // rights of the thread
  };

 private:
  explicit ProtectedMemory(std::size_t bytes) : bytes_(bytes) {}

#if defined(__linux__)
  void Reserve(Protection best) {
    void* const at = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return;
    data_ = at;
    protection_ = Protection::kProcess;
    if (best == Protection::kThread) TakeKey();
    if (best != Protection::kNone || mprotect(data_, bytes_, PROT_READ | PROT_WRITE) != 0) return;
    protection_ = Protection::kNone;
  }
  void TakeKey() {
#if defined(PKEY_DISABLE_ACCESS)
    const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
    if (key < 0) return;
    if (pkey_mprotect(data_, bytes_, PROT_READ | PROT_WRITE, key) == 0) {
      key_ = key;
      protection_ = Protection::kThread;
    } else {
      pkey_free(key);
    }
#endif
  }
  void Release() {
    if (data_ != nullptr) munmap(data_, bytes_);
#if defined(PKEY_DISABLE_ACCESS)
    if (protection_ == Protection::kThread) pkey_free(key_);
#endif
  }
  int Open() {
#if defined(PKEY_DISABLE_ACCESS)
    if (protection_ == Protection::kThread) {
      const int before = pkey_get(key_);
      pkey_set(key_, 0);
      return before;
    }
#endif
    if (protection_ == Protection::kProcess) {
      const MutexLock lock(mutex_);
      if (holders_++ == 0) mprotect(data_, bytes_, PROT_READ | PROT_WRITE);
    }
    return 0;
  }
  void Close(int before) {
#if defined(PKEY_DISABLE_ACCESS)
    if (protection_ == Protection::kThread) pkey_set(key_, static_cast<unsigned>(before));
#endif
    if (protection_ == Protection::kProcess) {
      const MutexLock lock(mutex_);
      if (--holders_ == 0) mprotect(data_, bytes_, PROT_NONE);
    }
  }
#else
  void Reserve(Protection) { data_ = ::operator new(bytes_, std::align_val_t{4096}, std::nothrow); }
  void Release() { ::operator delete(data_, std::align_val_t{4096}); }
  int Open() { return 0; }
  void Close(int) {}
#endif

  const std::size_t bytes_;
  void* data_ = nullptr;
  Protection protection_ = Protection::kNone;
  [[maybe_unused]] int key_ = -1;
  Mutex mutex_;
  int holders_ = 0;  // number of Accesses, for kProcess; under mutex_
};

TENON_DETAIL_NAMESPACE_END
