// SPDX-License-Identifier: Apache-2.0
#pragma once
// SimulatedDevice: a device of type "SIM" for tests without a GPU. It runs the CPU's kernels, but has an address
// space that the host cannot touch, an in-order queue on its own thread, and an allocator with a limit.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/memory/sub_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/copy_tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/protected_memory.hpp>
#include <tenon/device/work_queue.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// One piece: the whole protected memory.
class ProtectedSubAllocator final : public SubAllocator {
 public:
  explicit ProtectedSubAllocator(ProtectedMemory* memory) : memory_(memory) {}
  void* Alloc(std::size_t, std::size_t bytes, std::size_t* bytes_received) override {
    *bytes_received = taken_ || bytes > memory_->size() ? 0 : bytes;
    if (*bytes_received == 0) return nullptr;
    taken_ = true;
    return memory_->data();
  }
  void Free(void* ptr, std::size_t) override { taken_ = taken_ && ptr == nullptr; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kDevice; }
  bool HostAccessible() const override { return false; }

 private:
  ProtectedMemory* memory_;
  bool taken_ = false;
};

}  // namespace detail

struct SimulatedDeviceOptions {
  std::size_t memory_limit_bytes = std::size_t{64} << 20;
  ProtectedMemory::Protection protection = ProtectedMemory::Protection::kThread;  // the best that is tried
  Device::KernelWrapper kernel_wrapper = nullptr;  // kernel/simulated_kernels.hpp has the one that sessions need
};

// Kernels run on memory that other threads may not touch: the queue's thread calls them, not the executor. It alone
// holds an Access to the memory meanwhile (its Cpu has no thread pool). Addresses are the same for all threads, so
// tensors, views and resources need no translation; only the right to follow them differs.
//
// Copies to the device are queued and ordered before later kernels; errors in them appear at Synchronize. thread-safe.
class SimulatedDevice final : public Device {
 public:
  static constexpr std::string_view kType = "SIM";

  // ResourceExhausted: no addresses for the memory.
  static Result<Owned<Device>> Create(const std::string& name, const SimulatedDeviceOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(Owned<ProtectedMemory> memory,
                           ProtectedMemory::Create(options.memory_limit_bytes, options.protection));
    return Owned<Device>(new SimulatedDevice(name, std::move(memory), options));
  }
  ~SimulatedDevice() override { queue_.Synchronize(); }

  std::string_view type() const override { return kType; }
  Allocator* allocator() const override { return const_cast<BFCAllocator*>(&allocator_); }
  void* kernel_device() override { return &cpu_; }
  bool uses_host_memory() const override { return false; }

  // Queued, but for a kernel of the device: it runs now, so the copy is made now.
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    TENON_RETURN_IF_ERROR(AllocateLike(host, allocator(), to));
    if (to->TotalBytes() == 0) return OkStatus();
    if (queue_.IsThisThread()) return Copy(nullptr, host, this, *to);
    EnqueueCopy(nullptr, host, this, *to, nullptr);
    return OkStatus();
  }
  // Waits until the copy is there.
  Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) override {
    TENON_RETURN_IF_ERROR(AllocateLike(from, host_allocator, to));
    Status status;
    Run([&] { status = Copy(this, from, nullptr, *to); });
    return status;
  }
  // Asynchronous forms of these two: `done` gets the copy's own status when it has ended.
  void CopyToDeviceAsync(const Tensor& host, CopyDone done) {
    Tensor to;
    if (const Status status = AllocateLike(host, allocator(), &to); !status.ok()) return done(status, Tensor());
    EnqueueCopy(nullptr, host, this, to, std::move(done));
  }
  void CopyToHostAsync(const Tensor& from, Allocator* host_allocator, CopyDone done) {
    Tensor to;
    if (const Status status = AllocateLike(from, host_allocator, &to); !status.ok()) return done(status, Tensor());
    EnqueueCopy(this, from, nullptr, to, std::move(done));
  }
  // Copies to another simulated device: after all work that is queued here now, in the order of the peer's queue.
  void CopyToPeer(const Tensor& from, SimulatedDevice* peer, CopyDone done) {
    Tensor to;
    if (const Status status = AllocateLike(from, peer->allocator(), &to); !status.ok()) return done(status, Tensor());
    if (peer != this) peer->WaitFor(Record());
    peer->EnqueueCopy(this, from, peer, to, std::move(done));
  }
  // Waits for all queued work. Returns the first error of a copy since the last time.
  Status Synchronize() override {
    if (!queue_.IsThisThread()) queue_.Synchronize();
    const MutexLock lock(mutex_);
    return std::exchange(status_, Status());
  }

  // -- the queue
  // Runs `work` on the device's thread; without the right to touch its memory unless it takes an Access.
  void Enqueue(Function<void()> work) {
    num_enqueued_.fetch_add(1, std::memory_order_relaxed);
    queue_.Add(std::move(work));
  }
  // Runs `work` on the device's thread with an Access, and waits for its end. On that thread itself runs it at once.
  template <class Work>
  void Run(const Work& work) {
    if (queue_.IsThisThread()) {
      const ProtectedMemory::Access access(*memory_);
      return work();
    }
    Enqueue([this, &work] {
      const ProtectedMemory::Access access(*memory_);
      work();
    });
    queue_.Synchronize();
  }
  WorkQueue::Event Record() const { return queue_.Record(); }
  // Makes work that is queued from now on wait for the event, which may be another device's.
  void WaitFor(WorkQueue::Event event) { queue_.AddWait(event); }
  bool IsThisThread() const { return queue_.IsThisThread(); }
  std::int64_t num_enqueued() const { return num_enqueued_.load(std::memory_order_relaxed); }

  ProtectedMemory& memory() { return *memory_; }

  // -- for tests: the `nth` kernel or copy from now on (1: the next) fails with `status` instead of running.
  void InjectFailure(std::int64_t nth, const Status& status) {
    const MutexLock lock(mutex_);
    injected_ = status;
    until_failure_ = nth;
  }
  // Kernels and copies on the queue call this before they run.
  Status TakeInjectedFailure() {
    const MutexLock lock(mutex_);
    if (until_failure_ == 0 || --until_failure_ != 0) return OkStatus();
    return std::exchange(injected_, Status());
  }

 private:
  SimulatedDevice(const std::string& name, Owned<ProtectedMemory> memory, const SimulatedDeviceOptions& options)
      : Device(name),
        memory_(std::move(memory)),
        allocator_(MakeOwned<detail::ProtectedSubAllocator>(memory_.get()), memory_->size(),
                   StrCat(short_name(), "_bfc"), {.allow_growth = false, .allow_retry_on_failure = false}),
        cpu_{nullptr, &allocator_},
        queue_(short_name()) {
    set_kernel_wrapper(options.kernel_wrapper);
  }

  Status AllocateLike(const Tensor& like, Allocator* allocator, Tensor* to) const {
    if (SizeOf(like.dtype()) == 0)
      return errors::InvalidArgument(short_name(), ": a tensor of type ", like.dtype(),
                                     " cannot be copied between host and device; it lives in host memory only");
    *to = Tensor(allocator, like.dtype(), like.shape());
    if (to->IsInitialized()) return OkStatus();
    return errors::ResourceExhausted("OOM when allocating tensor with shape", like.shape(), " and type ", like.dtype(),
                                     " on ", name(), " by ",
                                     detail::NoMemoryFrom(*allocator, detail::BytesWanted(like.dtype(), like.shape())));
  }
  // Queues a copy on this device: `src` and `dst` are the devices of the two tensors, null for host memory. Without
  // `done` an error waits for Synchronize.
  void EnqueueCopy(SimulatedDevice* src, const Tensor& from, SimulatedDevice* dst, const Tensor& to, CopyDone done) {
    struct Work {
      SimulatedDevice *queue, *src, *dst;
      Tensor from, to;
      CopyDone done;
      void operator()() {
        const Status status = queue->Copy(src, from, dst, to);
        if (done != nullptr) return done(status, status.ok() ? to : Tensor());
        queue->KeepError(status);
      }
    };
    Enqueue(Work{this, src, dst, from, to, std::move(done)});
  }
  Status Copy(SimulatedDevice* src, const Tensor& from, SimulatedDevice* dst, const Tensor& to) {
    TENON_RETURN_IF_ERROR(TakeInjectedFailure());
    if (from.TotalBytes() == 0) return OkStatus();
    const auto copy = [&] { std::memcpy(const_cast<void*>(to.raw_data()), from.raw_data(), from.TotalBytes()); };
    const auto with = [](SimulatedDevice* device, const auto& work) {
      if (device == nullptr) return work();
      const ProtectedMemory::Access access(*device->memory_);
      work();
    };
    with(src, [&] { with(dst == src ? nullptr : dst, copy); });
    return OkStatus();
  }
  void KeepError(const Status& status) {
    const MutexLock lock(mutex_);
    status_.Update(status);
  }

  Owned<ProtectedMemory> memory_;
  BFCAllocator allocator_;
  Cpu cpu_;
  std::atomic<std::int64_t> num_enqueued_{0};
  Mutex mutex_;
  Status status_;  // first error of copies since the last Synchronize
  Status injected_;
  std::int64_t until_failure_ = 0;
  WorkQueue queue_;  // the last member: its thread uses the others
};

namespace detail {

inline SimulatedDevice* AsSimulated(Device* device) { return static_cast<SimulatedDevice*>(device); }
inline void CopyHostToSimulated(Device*, Device* dst, Allocator*, const Tensor& from, CopyDone done) {
  AsSimulated(dst)->CopyToDeviceAsync(from, std::move(done));
}
inline void CopySimulatedToHost(Device* src, Device*, Allocator* host, const Tensor& from, CopyDone done) {
  AsSimulated(src)->CopyToHostAsync(from, host, std::move(done));
}
inline void CopySimulatedToPeer(Device* src, Device* dst, Allocator*, const Tensor& from, CopyDone done) {
  AsSimulated(src)->CopyToPeer(from, AsSimulated(dst), std::move(done));
}
inline constinit DeviceCopy host_to_simulated{Cpu::type, SimulatedDevice::kType, &CopyHostToSimulated};
inline constinit DeviceCopy simulated_to_host{SimulatedDevice::kType, Cpu::type, &CopySimulatedToHost};
inline constinit DeviceCopy simulated_to_peer{SimulatedDevice::kType, SimulatedDevice::kType, &CopySimulatedToPeer};
inline const bool simulated_copies_are_registered =
    LinkDeviceCopy(&host_to_simulated) && LinkDeviceCopy(&simulated_to_host) && LinkDeviceCopy(&simulated_to_peer);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
