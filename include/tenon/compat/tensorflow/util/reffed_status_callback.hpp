// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReffedStatusCallback: a callback that is called when the last reference goes, with the errors of all.

#include <utility>

#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

namespace tensorflow {

// thread-safe.
class ReffedStatusCallback : public core::RefCounted {
 public:
  explicit ReffedStatusCallback(StatusCallback done) : done_(std::move(done)) {}
  void UpdateStatus(const Status& status) {
    mutex_lock lock(mu_);
    status_.Update(status);
  }
  bool ok() {
    mutex_lock lock(mu_);
    return status_.ok();
  }
  Status status() {
    mutex_lock lock(mu_);
    return status_.as_summary_status();
  }

 protected:
  ~ReffedStatusCallback() override { done_(status_.as_summary_status()); }

 private:
  StatusCallback done_;
  mutex mu_;
  StatusGroup status_;
};

}  // namespace tensorflow
