// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step: the values, frames, counts and memory of one run of a program. Steps are pooled: the second run of a program
// allocates only the tensors that it returns.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A value slot that nothing was put into.
inline Tensor EmptySlot() { return Tensor(DataType::kInvalid); }

// One run at a time. Between runs every value but the constants is empty.
class Step {
 public:
  // `lender`: another step, never run at the same time, whose caches this one uses; it outlives this. Null: it has its
  // own.
  explicit Step(const Program& program, Step* lender = nullptr) : program_(program) {
    if (lender == nullptr) {
      own_cache_.reset(CachingAllocator::Create(program.device->allocator()));
      if (program.device != program.host) own_host_cache_.reset(CachingAllocator::Create(program.host->allocator()));
    }
    cache_ = lender != nullptr ? lender->cache_ : own_cache_.get();
    host_cache_ = lender != nullptr ? lender->host_cache_ : own_host_cache_.get();
    const auto count = static_cast<std::size_t>(program.num_values);
    values_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values_.push_back(EmptySlot());
    for (const auto& [value, tensor] : program.constants) values_[static_cast<std::size_t>(value)] = tensor;
    input_pointers_.reserve(program.inputs.size());
    for (const int value : program.inputs) input_pointers_.push_back(&values_[static_cast<std::size_t>(value)]);
    if (!MakesMemosLate()) memos_ = SlimVector<ShapeMemo>(program.nodes.size());
    MakeEnvironments();
    if (lender != nullptr) {
      device_.result_allocator = lender->device_.result_allocator;
      host_->result_allocator = lender->host_->result_allocator;
    }
    frames_.reserve(program.nodes.size());
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const ProgramNode& node = program.nodes[n];
      frames_.push_back({node.kernel, input_pointers_.data() + node.first_input,
                         program.last_use.data() + node.first_input, values_.data() + node.first_output,
                         program.escapes.data() + node.first_output, memos_.empty() ? nullptr : &memos_[n],
                         node.on_host ? host_ : &device_});
    }
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const Program& program() const { return program_; }
  Tensor& value(int v) { return values_[static_cast<std::size_t>(v)]; }
  Tensor* values() { return values_.data(); }  // null for a program without values
  const OpKernelContext::NodeFrame& frame(int node) const { return frames_[static_cast<std::size_t>(node)]; }
  OpKernelContext::NodeFrame& mutable_frame(int node) { return frames_[static_cast<std::size_t>(node)]; }
  // Called before the node runs: thousands of runs may wait, and each has run few of its nodes.
  void NeedMemo(int node) {
    OpKernelContext::NodeFrame& frame = mutable_frame(node);
    if (frame.memo == nullptr) [[unlikely]]
      MakeMemo(&frame);
  }
  CachingAllocator* cache() { return cache_; }
  Allocator* host_allocator() const { return host_->host_allocator; }
  void set_step_id(std::int64_t id) { device_.step_id = host_->step_id = id; }
  void set_services(const RunServices* services) { device_.services = host_->services = services; }
  const RunServices* services() const { return host_->services; }
  const StepEnvironment& environment(bool on_host) const { return on_host ? *host_ : device_; }
  void set_call_depth(int depth) { device_.call_depth = host_->call_depth = depth; }
  // Runs for `other`: takes its step id, services and call depth.
  void StandInFor(const Step& other) {
    set_step_id(other.host_->step_id);
    set_services(other.host_->services);
    set_call_depth(other.host_->call_depth);
  }

  // Takes the memory of the program's results from the cache, too, and returns it there: for a program that runs
  // often and whose results are soon gone.
  void CacheResults() {
    device_.result_allocator = device_.step_allocator;
    host_->result_allocator = host_->step_allocator;
  }

  // Blocks stay in the caches: something outside of the step's runs uses their addresses.
  void KeepMemory() { keeps_memory_ = true; }
  // Kernels of the device get this object; null: the step's own.
  void set_kernel_device(void* device) { device_.device = device != nullptr ? device : own_device_; }

  // Empties the values of a run that ended early.
  void Clear() {
    for (Tensor& t : values_) t = EmptySlot();
    for (const auto& [value, tensor] : program_.constants) values_[static_cast<std::size_t>(value)] = tensor;
  }
  // After a run. Runs with other shapes leave blocks behind that the next ones may not need: beyond twice what one run
  // held, all go back.
  void TrimCaches() {
    if (keeps_memory_) return;
    TrimCache(cache_, &cache_limit_);
    if (host_cache_ != nullptr) TrimCache(host_cache_, &host_cache_limit_);
  }

 private:
  // Loops have frames of their own, with these memos.
  bool MakesMemosLate() const { return program_.has_async && !program_.has_control_flow(); }
  TENON_DETAIL_COLD void MakeMemo(OpKernelContext::NodeFrame* frame) {
    Owned<ShapeMemo> made = MakeOwned<ShapeMemo>();
    ShapeMemo* const memo = made.get();
    const SpinLockHolder lock(late_memos_lock_);
    late_memos_.push_back(std::move(made));
    frame->memo = memo;
  }
  static void TrimCache(CachingAllocator* cache, std::int64_t* limit) {
    constexpr std::int64_t kSlack = 1 << 20;
    const std::int64_t held = cache->held_bytes();
    if (held <= *limit) [[likely]]
      return;
    if (*limit == 0) {
      *limit = 2 * held + kSlack;
    } else {
      cache->Trim();
      *limit = 0;  // the next run says how much it needs
    }
  }
  void MakeEnvironments() {
    const auto fill = [&](StepEnvironment* env, Device* device, CachingAllocator* cache) {
      env->device = device->kernel_device();
      env->device_name = device->name();
      if (program_.device != program_.host)
        env->other_device_name = (device == program_.host ? program_.device : program_.host)->name();
      if (!program_.device->uses_host_memory()) env->memory_device = program_.device;
      env->step_allocator = cache;
      env->host_memory = device->uses_host_memory();
      env->result_allocator = device->allocator();
      env->graph_def_version = program_.graph_def_version;
      env->functions = program_.functions;
    };
    fill(&device_, program_.device, cache_);
    if (program_.device != program_.host) {
      own_host_ = MakeOwned<StepEnvironment>();
      host_ = own_host_.get();
    }
    CachingAllocator* const host_cache = host_cache_ != nullptr ? host_cache_ : cache_;
    fill(host_, program_.host, host_cache);
    // Kernels take their scratch memory from the step, too.
    cpu_ = *static_cast<Cpu*>(program_.host->kernel_device());
    cpu_.allocator = host_cache;
    host_->device = &cpu_;
    if (program_.device == program_.host)
      device_.device = &cpu_;
    else if ((kernel_device_ = program_.device->MakeKernelDevice(cache_)) != nullptr)
      device_.device = kernel_device_->get();
    own_device_ = device_.device;
    device_.host_allocator = host_->host_allocator = host_cache;
    // Results are fetched from host memory; on another device they are copied there first.
    if (program_.device != program_.host) device_.result_allocator = cache_;
  }

  const Program& program_;
  Owned<CachingAllocator, CachingAllocator::Releaser> own_cache_, own_host_cache_;
  CachingAllocator *cache_ = nullptr, *host_cache_ = nullptr;  // host_cache_: null where there is one memory
  std::int64_t cache_limit_ = 0, host_cache_limit_ = 0;  // bytes; 0: not known yet
  bool keeps_memory_ = false;
  Cpu cpu_;
  Owned<KernelDevice> kernel_device_;  // null: the device's own serves
  void* own_device_ = nullptr;
  StepEnvironment device_;
  Owned<StepEnvironment> own_host_;  // null where there is one device
  StepEnvironment* host_ = &device_;
  SlimVector<Tensor> values_;
  SlimVector<Tensor*> input_pointers_;
  SlimVector<ShapeMemo> memos_;  // per node; empty where they are made late
  SpinLock late_memos_lock_;
  SlimVector<Owned<ShapeMemo>> late_memos_;
  SlimVector<OpKernelContext::NodeFrame> frames_;
};

namespace detail {

// While it lives, this thread owns the step's cache.
class OwnsCache {
 public:
  explicit OwnsCache(Step* step) : cache_(step->cache()) { cache_->SetOwnerThread(); }
  ~OwnsCache() { cache_->ClearOwnerThread(); }
  OwnsCache(const OwnsCache&) = delete;
  OwnsCache& operator=(const OwnsCache&) = delete;

 private:
  CachingAllocator* const cache_;
};

}  // namespace detail

// Objects made from a program, between their uses. T(const Program&). thread-safe.
template <class T>
class ProgramPool {
 public:
  explicit ProgramPool(const Program& program) : program_(program) {}
  ~ProgramPool() { delete last_.load(std::memory_order_acquire); }
  ProgramPool(const ProgramPool&) = delete;
  ProgramPool& operator=(const ProgramPool&) = delete;

  // One that was given back, or a new one.
  Owned<T> Take() {
    if (T* object = last_.exchange(nullptr, std::memory_order_acquire)) [[likely]]
      return Owned<T>(object);
    {
      SpinLockHolder lock(lock_);
      if (!more_.empty()) {
        Owned<T> object = std::move(more_.back());
        more_.pop_back();
        return object;
      }
    }
    Owned<T> made = MakeOwned<T>(program_);
    made_.fetch_add(1, std::memory_order_relaxed);
    return made;
  }
  // In the child of a fork(), before other threads use this: whether the parent had taken an object.
  TENON_DETAIL_COLD bool IsInUse() {
    if (!lock_.try_lock()) return true;
    const std::size_t idle = more_.size() + (last_.load() != nullptr ? 1 : 0);
    lock_.unlock();
    return idle != made_.load();
  }
  // Calls visit(object) for the objects that are not taken. Callers that want one wait.
  template <class Visit>
  void ForIdle(const Visit& visit) {
    SpinLockHolder lock(lock_);
    if (Owned<T> last(last_.exchange(nullptr, std::memory_order_acquire)); last != nullptr)
      more_.push_back(std::move(last));
    for (const Owned<T>& object : more_) visit(*object);
  }
  // Gives an object back; frees one if the list cannot grow.
  void Give(Owned<T> object) noexcept {
    if (Owned<T> old(last_.exchange(object.release(), std::memory_order_acq_rel)); old != nullptr) {
      (void)detail::Succeeds([&] {
        SpinLockHolder lock(lock_);
        more_.push_back(std::move(old));
      });
    }
  }

 private:
  const Program& program_;
  std::atomic<T*> last_{nullptr};
  SpinLock lock_;
  SlimVector<Owned<T>> more_;
  std::atomic<std::size_t> made_{0};
};

TENON_DETAIL_NAMESPACE_END
