// SPDX-License-Identifier: Apache-2.0
#pragma once
// MutexV2, MutexLock, ConsumeMutexLock: a lock between runs. Ops wait for it without a thread, and are served in the
// order in which they came.

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// thread-safe.
class GraphMutex final : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::Mutex";

  explicit GraphMutex(std::string name) : name_(std::move(name)) {}
  std::string DebugString() const override { return StrCat("Mutex ", name_); }

  // The lock of one run; let go with the last reference, if not before. thread-safe.
  class Held final : public RefCounted {
   public:
    explicit Held(Ref<GraphMutex> m) : mutex_(std::move(m)) {}
    ~Held() override { Release(); }
    void Release() {
      if (!released_.exchange(true, std::memory_order_acq_rel)) mutex_->Unlock();
    }

   private:
    Ref<GraphMutex> mutex_;
    std::atomic<bool> released_{false};
  };

  // Output 0 becomes the lock.
  struct Acquire final : Attempt {
    Acquire(OpKernelContext* c, Done d, Ref<GraphMutex> m);
    bool Try(Status* status) override;
    Status Deliver() override;
    Status Cancelled() const override { return errors::Cancelled("Lock acquisition cancelled."); }
    Ref<GraphMutex> graph_mutex;
    Ref<Held> held;
  };

 private:
  void Unlock() {
    Change([this] { locked_ = false; });
  }

  const std::string name_;
  bool locked_ = false;
};

// The value inside the lock's variant.
struct MutexLockValue {
  Ref<GraphMutex::Held> held;

  std::string_view TypeName() const { return "tensorflow::Mutex::SharedLockReleaser"; }
  std::string DebugString() const { return "SharedLockReleaser"; }
};

inline GraphMutex::Acquire::Acquire(OpKernelContext* c, Done d, Ref<GraphMutex> m)
    : Attempt(c, std::move(d)), graph_mutex(std::move(m)) {
  line = 1;
}
inline bool GraphMutex::Acquire::Try(Status*) {
  if (graph_mutex->locked_) return false;
  held = Ref<Held>::Adopt(new Held(graph_mutex));  // may have no memory
  graph_mutex->locked_ = true;
  return true;
}
inline Status GraphMutex::Acquire::Deliver() {
  TENON_ASSIGN_OR_RETURN(Tensor lock, Tensor::Make(DataType::kVariant, TensorShape()));
  lock.data<Variant>()[0] = Variant(MutexLockValue{std::move(held)});
  context->set_output(0, std::move(lock));
  return OkStatus();
}

inline void LockMutex(OpKernelContext& context, const Tensor& handle, Done done) {
  Ref<GraphMutex> found;
  const Status status = LookupOrCreateResource<GraphMutex>(context, handle, &found, [&](Ref<GraphMutex>* made) {
    *made = Ref<GraphMutex>::Adopt(new GraphMutex(handle.data<ResourceHandle>()->name));
    return OkStatus();
  });
  if (!status.ok()) return done(status);
  found->Start(Owned<WaitedResource::Attempt>(new GraphMutex::Acquire(&context, std::move(done), found)));
}

inline Status ConsumeLock(const Tensor& input) {
  if (input.NumElements() < 1) return errors::InvalidArgument("mutex_lock must be a scalar, got ", input.shape());
  const Variant& variant = input.data<Variant>()[0];
  const MutexLockValue* const lock = variant.get<MutexLockValue>();
  if (lock == nullptr || !lock->held)
    return errors::InvalidArgument("Expected input to contain a SharedLockReleaser object, but saw variant: '",
                                   variant.DebugString(), "'");
  if (!lock->held->RefCountIsOne())
    return errors::InvalidArgument("Expected use count of lock to be 1, but it has been copied");
  lock->held->Release();
  return OkStatus();
}

}  // namespace detail

// The handle of a mutex, which the first MutexLock makes.
struct MutexV2 {
  static constexpr auto signature = Op("MutexV2")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Output("resource: resource")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {
      const Result<ContainerInfo> info = ContainerInfo::From(*c, true);
      c->SetStatus(info.status());
      if (!info.ok()) return;
      c->SetStatus(tenon::detail::MakeHandleTensor(
          MakeResourceHandle<detail::GraphMutex>(c->device_name(), info->container, info->name), &handle_));
    }
    void Compute(OpKernelContext* context) override { context->set_output(0, handle_); }
    bool IsExpensive() const override { return false; }

   private:
    Tensor handle_;
  };
};

// Waits for the mutex. It stays locked until the output is consumed or has no holder any more.
struct MutexLock {
  static constexpr auto signature = Op("MutexLock")
                                        .Input("mutex: resource")
                                        .Output("mutex_lock: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor& mutex, Tensor&, Done done) const {
      detail::LockMutex(context.op(), mutex, std::move(done));
    }
  };
};

struct ConsumeMutexLock {
  static constexpr auto signature =
      Op("ConsumeMutexLock").Input("mutex_lock: variant").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& mutex_lock) const { return detail::ConsumeLock(mutex_lock); }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
