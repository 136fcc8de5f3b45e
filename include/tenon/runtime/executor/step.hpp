// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step: the values, frames, counts and memory of one run of a program. Steps are pooled: the second run of a program
// allocates only the tensors that it returns.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// A value slot that nothing was put into.
inline Tensor EmptySlot() { return Tensor(DataType::kInvalid); }

namespace detail {

// For kernels on `device`, one of the program's two.
inline StepConstants ConstantsOf(const Program& program, Device* device) {
  StepConstants constants;
  constants.device_name = device->name();
  constants.host_memory = device->uses_host_memory();
  if (program.device != program.host)
    constants.other_device_name = (device == program.host ? program.device : program.host)->name();
  if (!program.device->uses_host_memory()) constants.memory_device = program.device;
  constants.functions = program.functions;
  return constants;
}

// The next items of a block, whose alignment is not smaller than that of all later ones.
template <class T>
T* TakeItems(std::byte** free, std::size_t count) {
  T* const items = reinterpret_cast<T*>(*free);
  for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(items + i)) T();
  *free += count * sizeof(T);
  return items;
}

// The arrays of a step, in one block: values, pointers to the nodes' inputs, frames and memos. one thread.
struct StepArrays {
  using NodeFrame = OpKernelContext::NodeFrame;
  StepArrays(const Program& of, bool lean)
      : program(of), num_values(of.num_values), num_nodes(static_cast<int>(of.nodes.size())) {
    std::size_t num_memos = 0;
    for (const ProgramNode& node : program.nodes) num_memos += !lean && node.uses_memo ? 1 : 0;
    const std::size_t bytes = ToSize(num_values) * sizeof(Tensor) + program.inputs.size() * sizeof(Tensor*) +
                              (lean ? 0 : ToSize(num_nodes) * sizeof(NodeFrame)) + num_memos * sizeof(ShapeMemo);
    auto* free = static_cast<std::byte*>(AllocateItems(bytes, 1, alignof(Tensor)));
    values = TakeItems<Tensor>(&free, ToSize(num_values));
    for (Tensor& value : Values()) value = EmptySlot();
    Tensor** const in = TakeItems<Tensor*>(&free, program.inputs.size());
    for (std::size_t i = 0; i < program.inputs.size(); ++i) in[i] = values + program.inputs[i];
    if (lean) return;
    frames = TakeItems<NodeFrame>(&free, ToSize(num_nodes));
    for (int n = 0; n < num_nodes; ++n)
      if (program.nodes[ToSize(n)].uses_memo) frames[n].memo = TakeItems<ShapeMemo>(&free, 1);
  }
  StepArrays(const StepArrays&) = delete;
  StepArrays& operator=(const StepArrays&) = delete;
  ~StepArrays() {
    ShapeMemo** const late = late_memos.load(std::memory_order_acquire);
    for (Tensor& value : Values()) value.~Tensor();
    for (int n = 0; n < num_nodes && frames != nullptr; ++n)
      if (frames[n].memo != nullptr) frames[n].memo->~ShapeMemo();
    for (int n = 0; n < num_nodes && late != nullptr; ++n) delete late[n];
    delete[] late;
    FreeItems(values, alignof(Tensor));
  }
  Span<Tensor> Values() { return {values, ToSize(num_values)}; }
  Tensor** inputs() { return reinterpret_cast<Tensor**>(values + num_values); }
  // The node's memo in a lean step, where the threads that run its nodes share the list.
  ShapeMemo* LateMemo(int node) {
    ShapeMemo** list = late_memos.load(std::memory_order_acquire);
    if (list == nullptr) {
      auto** const made = new ShapeMemo* [ToSize(num_nodes)] {};
      if (late_memos.compare_exchange_strong(list, made, std::memory_order_acq_rel))
        list = made;
      else
        delete[] made;
    }
    if (list[node] == nullptr) list[node] = new ShapeMemo;
    return list[node];
  }

  const Program& program;
  const int num_values, num_nodes;  // the program may be gone before the arrays are
  Tensor* values;  // at the beginning of the block
  NodeFrame* frames = nullptr;  // per node, with its memo if it uses one; null in a lean step
  std::atomic<ShapeMemo**> late_memos{nullptr};  // per node, made when it first runs; null in other steps
};

}  // namespace detail

// One run at a time. Between runs every value but the constants is empty.
class Step {
 public:
  // `lender`: another step, never run at the same time, whose caches this one uses; it outlives this. Null: it has its
  // own, or the program's.
  explicit Step(const Program& program, Step* lender = nullptr) : arrays_(program, program.lean_steps != nullptr) {
    if (!IsLean()) own_ = MakeOwned<Own>();
    if (own_ != nullptr && lender == nullptr)
      own_->own_cache.reset(CachingAllocator::Create(program.device->allocator()));
    if (own_ != nullptr) own_->cache = lender == nullptr ? own_->own_cache.get() : lender->cache();
    for (const auto& [value, tensor] : program.constants) this->value(value) = tensor;
    MakeEnvironments(lender);
    if (IsLean()) return;
    for (int n = 0; n < arrays_.num_nodes; ++n)
      arrays_.frames[n] = MakeFrame(n, program.last_use, arrays_.frames[n].memo);
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const Program& program() const { return arrays_.program; }
  Tensor& value(int v) { return arrays_.values[v]; }
  Tensor* values() { return arrays_.values; }
  // True: thousands of runs of the program may wait, and each has run few of its nodes. The step makes frames and memos
  // when it needs them. Other steps use its cache, too, at the same time: no thread owns the cache.
  bool IsLean() const { return program().lean_steps != nullptr; }
  // The frame that the node runs with, in *room if the step is lean. For the thread that runs the node.
  const OpKernelContext::NodeFrame& FrameFor(int node, OpKernelContext::NodeFrame* room) {
    if (arrays_.frames != nullptr) [[likely]]
      return arrays_.frames[node];
    ShapeMemo* const memo = program().nodes[ToSize(node)].uses_memo ? arrays_.LateMemo(node) : nullptr;
    *room = MakeFrame(node, program().only_use, memo);
    return *room;
  }
  // Frames of a step that is not lean.
  const OpKernelContext::NodeFrame& frame(int node) const { return arrays_.frames[node]; }
  OpKernelContext::NodeFrame& mutable_frame(int node) { return arrays_.frames[node]; }
  CachingAllocator* cache() { return own_ == nullptr ? program().lean_steps->cache.get() : own_->cache; }
  Allocator* host_allocator() const { return device_.host_allocator; }
  void set_step_id(std::int64_t id) { device_.step_id = host()->step_id = id; }
  void set_services(const RunServices* services) { device_.services = host()->services = services; }
  const RunServices* services() const { return device_.services; }
  const StepEnvironment& environment(bool on_host) const { return on_host ? *host() : device_; }
  void set_call_depth(int depth) { device_.call_depth = host()->call_depth = depth; }
  // Runs for `other`: takes its step id, services and call depth.
  void StandInFor(const Step& other) {
    set_step_id(other.device_.step_id);
    set_services(other.device_.services);
    set_call_depth(other.device_.call_depth);
  }

  // Takes the memory of the program's results from the cache, too, and returns it there: for a program that runs
  // often and whose results are soon gone.
  void CacheResults() {
    device_.result_allocator = device_.step_allocator;
    host()->result_allocator = host()->step_allocator;
  }

  // Where kernels of the device allocate outputs and temporary tensors: the cache, as a rule.
  void set_step_allocator(Allocator* allocator) { device_.step_allocator = allocator; }

  // Blocks stay in the caches: something outside of the step's runs uses their addresses.
  void KeepMemory() {
    if (own_ != nullptr) own_->keeps_memory = true;
  }
  // Kernels of the device get this object; null: the step's own.
  void set_kernel_device(void* device) {
    device_.device = device != nullptr ? device : devices() != nullptr ? devices()->kernel_device : cpu();
  }

  // Empties the values of a run that ended early.
  void Clear() {
    for (Tensor& t : arrays_.Values()) t = EmptySlot();
    for (const auto& [value, tensor] : program().constants) this->value(value) = tensor;
  }
  // After a run. Runs with other shapes leave blocks behind that the next ones may not need: beyond twice what one run
  // held, all go back.
  void TrimCaches() {
    if (own_ == nullptr) return program().lean_steps->TrimCache();
    if (own_->keeps_memory) return;
    detail::TrimCache(own_->cache, &own_->cache_limit);
    if (devices() != nullptr) detail::TrimCache(devices()->host_cache, &devices()->host_cache_limit);
  }

 private:
  // Members of a step whose device is not the host.
  struct Devices {
    Owned<CachingAllocator, CachingAllocator::Releaser> own_host_cache;
    CachingAllocator* host_cache = nullptr;
    std::int64_t host_cache_limit = 0;  // as cache_limit_
    Owned<KernelDevice> own_kernel_device;  // null: the device's own serves
    void* kernel_device = nullptr;
    StepConstants host_constants;
    StepEnvironment host;
  };
  // Members of a step that is not lean.
  struct Own {
    Owned<CachingAllocator, CachingAllocator::Releaser> own_cache;  // null: another's serves
    CachingAllocator* cache = nullptr;
    std::int64_t cache_limit = 0;  // bytes; 0: not known yet
    bool keeps_memory = false;
    Cpu cpu;
    StepConstants constants;
    Owned<Devices> devices;  // null where there is one device
  };
  StepEnvironment* host() { return devices() == nullptr ? &device_ : &devices()->host; }
  const StepEnvironment* host() const { return devices() == nullptr ? &device_ : &devices()->host; }
  Devices* devices() const { return own_ == nullptr ? nullptr : own_->devices.get(); }
  OpKernelContext::NodeFrame MakeFrame(int number, const SlimVector<std::uint8_t>& last_use, ShapeMemo* memo) {
    const ProgramNode& node = program().nodes[ToSize(number)];
    return {node.kernel,
            arrays_.inputs() + node.first_input,
            last_use.data() + node.first_input,
            arrays_.values + node.first_output,
            program().escapes.data() + node.first_output,
            memo,
            node.on_host ? host() : &device_};
  }
  // The device of kernels in host memory.
  Cpu* cpu() const { return own_ == nullptr ? &program().lean_steps->cpu : &own_->cpu; }
  void MakeEnvironments(Step* lender) {
    const auto fill = [&](StepEnvironment* env, StepConstants* constants, Device* device, CachingAllocator* cache) {
      env->device = device->kernel_device();
      env->constants = constants;
      env->step_allocator = cache;
      if (own_ != nullptr) *constants = detail::ConstantsOf(program(), device);
      env->result_allocator = device->allocator();
      env->graph_def_version = program().graph_def_version;
    };
    fill(&device_, own_ == nullptr ? &program().lean_steps->constants : &own_->constants, program().device, cache());
    CachingAllocator* host_cache = cache();
    if (program().device != program().host) {
      own_->devices = MakeOwned<Devices>();
      if (lender == nullptr) devices()->own_host_cache.reset(CachingAllocator::Create(program().host->allocator()));
      host_cache = lender == nullptr ? devices()->own_host_cache.get() : lender->devices()->host_cache;
      devices()->host_cache = host_cache;
    }
    StepEnvironment* const host = this->host();
    if (devices() != nullptr) fill(host, &devices()->host_constants, program().host, host_cache);
    // Kernels take their scratch memory from the step, too.
    if (own_ != nullptr) own_->cpu = *static_cast<Cpu*>(program().host->kernel_device());
    if (own_ != nullptr) own_->cpu.allocator = host_cache;
    host->device = cpu();
    if (devices() != nullptr) {
      devices()->own_kernel_device = program().device->MakeKernelDevice(cache());
      if (devices()->own_kernel_device != nullptr) device_.device = devices()->own_kernel_device->get();
      devices()->kernel_device = device_.device;
    }
    device_.host_allocator = host->host_allocator = host_cache;
    // Results are fetched from host memory; on another device they are copied there first.
    if (devices() != nullptr) device_.result_allocator = cache();
    if (lender != nullptr) {
      device_.result_allocator = lender->device_.result_allocator;
      host->result_allocator = lender->host()->result_allocator;
    }
  }

  StepEnvironment device_;
  Owned<Own> own_;  // null in a lean step
  detail::StepArrays arrays_;
};

namespace detail {

// Makes the steps of a program lean, from the next one on. The program's device is its host. `faults`: see LeanSteps.
inline void MakeStepsLean(Program* program, Ref<RefCounted> faults) {
  auto lean = MakeOwned<LeanSteps>();
  lean->cache.reset(CachingAllocator::Create(program->device->allocator()));
  lean->cpu = *static_cast<Cpu*>(program->host->kernel_device());
  lean->cpu.allocator = lean->cache.get();
  lean->constants = ConstantsOf(*program, program->device);
  lean->faults = std::move(faults);
  program->lean_steps = std::move(lean);
}

// While it lives, this thread owns the step's cache, unless other steps use it.
class OwnsCache {
 public:
  explicit OwnsCache(Step* step) : cache_(step->IsLean() ? nullptr : step->cache()) {
    if (cache_ != nullptr) cache_->SetOwnerThread();
  }
  ~OwnsCache() {
    if (cache_ != nullptr) cache_->ClearOwnerThread();
  }
  OwnsCache(const OwnsCache&) = delete;
  OwnsCache& operator=(const OwnsCache&) = delete;

 private:
  CachingAllocator* const cache_;  // null: other steps use it
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

TENON_DETAIL_STEP_NAMESPACE_END
