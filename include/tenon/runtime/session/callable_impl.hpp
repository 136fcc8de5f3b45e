// SPDX-License-Identifier: Apache-2.0
#pragma once
// CallableImpl, the state behind Callable, and how Session::Run's named feeds become a callable's.

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/session/prepared_signature.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

class CallableImpl : public RefCounted {
 public:
  CallableImpl(Ref<SessionImpl> session, Ref<PreparedSignature> prepared)
      : session_(std::move(session)),
        prepared_(std::move(prepared)),
        settings_(session_->SettingsFor(*prepared_)),
        plain_(session_->is_plain()),
        handle_(session_->NewNumber()) {
    session_->callables()->Add(prepared_.get());
  }
  ~CallableImpl() override {
    (void)session_->IsClosed();  // repairs the list's lock in the child of a fork()
    session_->callables()->Remove(prepared_.get());
  }
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace) const {
    if (released_.load(std::memory_order_relaxed)) [[unlikely]]
      return Released();
    if (trace != nullptr || !plain_ || session_->IsClosed()) [[unlikely]]
      return session_->Run(prepared_.get(), feeds, fetches, trace);
    return prepared_->Run(feeds, fetches, settings_);
  }
  void Release() { released_.store(true, std::memory_order_relaxed); }
  TENON_DETAIL_COLD Status CheckNotReleased() const {
    return released_.load(std::memory_order_relaxed) ? Released() : OkStatus();
  }
  bool GetPlanReport(PlanReport* report) const { return prepared_->GetPlanReport(report); }
  const Program& program() const { return prepared_->program(); }
  SessionImpl* session() const { return session_.get(); }
  PreparedSignature* prepared() const { return prepared_.get(); }

 private:
  TENON_DETAIL_COLD Status Released() const {
    return errors::InvalidArgument("Attempted to run callable after handle was released: ", handle_);
  }
  Ref<SessionImpl> session_;
  Ref<PreparedSignature> prepared_;
  RunArgs settings_;
  bool plain_;
  std::int64_t handle_;
  std::atomic<bool> released_{false};
};

// The feeds of a run by names. A fed session handle stands for the tensor that it names.
struct NamedFeeds {
  explicit NamedFeeds(Span<const NamedTensor> feeds) {
    for (const NamedTensor& feed : feeds) {
      names.push_back(feed.name);
      values.push_back(feed.tensor);
    }
  }
  Status ReadHandles(ResourceMgr* resources) {
    for (Tensor& value : values)
      if (value.dtype() == DataType::kResource) [[unlikely]]
        TENON_RETURN_IF_ERROR(ReadFedHandle(resources, &value));
    return OkStatus();
  }
  SlimVector<std::string> names;
  SlimVector<Tensor> values;

 private:
  TENON_DETAIL_COLD static Status ReadFedHandle(ResourceMgr* resources, Tensor* value) {
    const auto read = extensions.read_fed_handle.load(std::memory_order_acquire);
    return read == nullptr ? OkStatus() : read(resources, value);
  }
};

inline Status NoSession() { return SessionImpl::NoGraph("Run"); }
inline Status NoCallable() {
  return errors::InvalidArgument("No such callable handle: this Callable was not made by Session::MakeCallable");
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
