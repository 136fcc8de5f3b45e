// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors that stay in a session between its runs, under handles: GetSessionHandle, GetSessionTensor and their sisters.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The container of a handle of type resource that names a session's tensor.
inline constexpr std::string_view kTensorHandleType = "TensorHandle";

namespace detail {

// The tensors that a session keeps, by handle. thread-safe.
class SessionTensors final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tenon::SessionTensors";
  static constexpr std::string_view kContainer = "__session_tensors";

  static Status Of(ResourceMgr* resources, Ref<SessionTensors>* tensors) {
    return resources->LookupOrCreate<SessionTensors>(kContainer, "", tensors, [](Ref<SessionTensors>* made) {
      *made = Ref<SessionTensors>::Adopt(new SessionTensors);
      return OkStatus();
    });
  }

  std::int64_t NewId() {
    const MutexLock lock(mutex_);
    return next_id_++;
  }
  Status Add(std::string handle, Tensor tensor) {
    const MutexLock lock(mutex_);
    if (tensors_.contains(handle))
      return errors::InvalidArgument("Failed to add a tensor with handle '", handle, "' to the session store.");
    tensors_.try_emplace(std::move(handle), std::move(tensor));
    return OkStatus();
  }
  // InvalidArgument: the handle has no tensor, as with Delete.
  Status Get(std::string_view handle, Tensor* tensor) const {
    const MutexLock lock(mutex_);
    const Tensor* found = tensors_.FindValue(handle);
    if (found == nullptr) return NotThere(handle);
    *tensor = *found;
    return OkStatus();
  }
  Status Delete(std::string_view handle) {
    Tensor dropped;  // goes after the lock
    const MutexLock lock(mutex_);
    const auto it = tensors_.find(handle);
    if (it == tensors_.end()) return NotThere(handle);
    dropped = std::move(it->second);
    tensors_.erase(it);
    return OkStatus();
  }

  std::string DebugString() const override {
    const MutexLock lock(mutex_);
    return StrCat(tensors_.size(), " session tensors");
  }
  std::int64_t MemoryUsed() const override {
    const MutexLock lock(mutex_);
    std::int64_t bytes = 0;
    for (const auto& item : tensors_) bytes += static_cast<std::int64_t>(item.second.TotalBytes());
    return bytes;
  }

 private:
  TENON_DETAIL_COLD static Status NotThere(std::string_view handle) {
    return errors::InvalidArgument("The tensor with handle '", handle, "' is not in the session store.");
  }
  mutable Mutex mutex_;
  std::int64_t next_id_ = 0;
  FlatMap<std::string, Tensor> tensors_;
};

// Tensors with handles from the kernels of one run; only fetched ones stay when the run has succeeded. thread-safe.
class StepTensors final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tenon::StepTensors";

  // Finds or makes the StepTensors of a run; fetched tensors are kept when it succeeds.
  static Status Of(StepContainer* container, Ref<StepTensors>* tensors) {
    TENON_RETURN_IF_ERROR(container->LookupOrCreate<StepTensors>("", tensors, [](Ref<StepTensors>* made) {
      *made = Ref<StepTensors>::Adopt(new StepTensors);
      return OkStatus();
    }));
    container->OnSuccess(&StepTensors::Keep);
    return OkStatus();
  }
  void Add(std::string_view node, std::string handle, const Tensor& tensor) {
    const MutexLock lock(mutex_);
    items_.push_back({std::string(node), std::move(handle), tensor});
  }
  std::string DebugString() const override { return "handles of one run"; }

 private:
  struct Item {
    std::string node, handle;
    Tensor tensor;
  };
  // Whether the endpoint "node:0" is fetched.
  static bool IsFetched(const std::string& node, Span<const std::string_view> fetched) {
    for (const std::string_view name : fetched)
      if (name.size() == node.size() + 2 && name.substr(0, node.size()) == node && name.substr(node.size()) == ":0")
        return true;
    return false;
  }
  static Status Keep(StepContainer* container, Span<const std::string_view> fetched) {
    Ref<StepTensors> mine;
    Ref<SessionTensors> session;
    TENON_RETURN_IF_ERROR(container->Lookup<StepTensors>("", &mine));
    TENON_RETURN_IF_ERROR(SessionTensors::Of(container->resources(), &session));
    const MutexLock lock(mine->mutex_);
    for (Item& item : mine->items_)
      if (IsFetched(item.node, fetched))
        TENON_RETURN_IF_ERROR(session->Add(std::move(item.handle), std::move(item.tensor)));
    return OkStatus();
  }
  Mutex mutex_;
  SlimVector<Item> items_;
};

// A fed handle of type resource gives way to its tensor; handles of other resources stay as they are.
inline Status ReadSessionHandle(ResourceMgr* resources, Tensor* value) {
  if (value->NumElements() != 1) return OkStatus();
  const ResourceHandle handle = *value->data<ResourceHandle>();
  if (handle.container != kTensorHandleType) return OkStatus();
  Ref<SessionTensors> session;
  TENON_RETURN_IF_ERROR(SessionTensors::Of(resources, &session));
  return session->Get(handle.name, value);
}
inline const bool session_handles_are_read = [] {
  read_fed_handle.store(&ReadSessionHandle, std::memory_order_release);
  return true;
}();

}  // namespace detail

// TensorFlow's session_state and tensor_store: the tensors that the session keeps, and the tensors of this run that
// it will keep if they are fetched and the run succeeds.
using SessionState = detail::SessionTensors;
using TensorStore = detail::StepTensors;

// State or store of a kernel's run. FailedPrecondition where there is no session: constants are being folded.
inline Status SessionStateOf(const OpKernelContext& context, Ref<SessionState>* state) {
  if (ResourceMgr* const resources = context.resource_manager()) return SessionState::Of(resources, state);
  return errors::FailedPrecondition(context.op_kernel().type_string(), ": node '", context.op_kernel().name(),
                                    "' runs without a session, which has no session state");
}
inline Status TensorStoreOf(const OpKernelContext& context, Ref<TensorStore>* store) {
  if (StepContainer* const container = context.step_container()) return TensorStore::Of(container, store);
  return errors::FailedPrecondition(context.op_kernel().type_string(), ": node '", context.op_kernel().name(),
                                    "' runs without a session, which has no tensor store");
}

TENON_DETAIL_NAMESPACE_END
