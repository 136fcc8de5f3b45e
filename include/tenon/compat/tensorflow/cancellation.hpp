// SPDX-License-Identifier: Apache-2.0
#pragma once
// CancellationManager: Tenon's, with TensorFlow's members.

#include <cstdint>
#include <functional>
#include <utility>

#include <tenon/kernel/cancellation.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>

namespace tensorflow {

typedef int64_t CancellationToken;
typedef std::function<void()> CancelCallback;

class CancellationManager : public tenon::CancellationManager {
 public:
  using Base = tenon::CancellationManager;
  static constexpr CancellationToken kInvalidToken = -1;
  using Base::Base;
  CancellationToken get_cancellation_token() { return NewToken(); }
  bool RegisterCallback(CancellationToken token, CancelCallback call) {
    return Base::Register(token, [held = std::move(call)]() mutable { held(); });
  }
  bool RegisterCallbackWithErrorLogging(CancellationToken token, CancelCallback call, StringPiece) {
    return RegisterCallback(token, std::move(call));
  }
  bool DeregisterCallback(CancellationToken token) { return Deregister(token); }
  bool TryDeregisterCallback(CancellationToken token) { return TryDeregister(token); }
  void StartCancelWithStatus(const Status&) { StartCancel(); }
};
static_assert(sizeof(CancellationManager) == sizeof(tenon::CancellationManager));

inline Status RegisterCancellationCallback(CancellationManager* manager, CancelCallback call,
                                           std::function<void()>* deregister) {
  *deregister = [] {};
  if (manager == nullptr) return Status();
  const CancellationToken token = manager->get_cancellation_token();
  if (!manager->RegisterCallback(token, std::move(call))) return errors::Cancelled("Operation was cancelled");
  *deregister = [manager, token] { manager->DeregisterCallback(token); };
  return Status();
}

}  // namespace tensorflow
