// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpSegment: kernels of sessions by their nodes' names.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <tenon/compat/tensorflow/kernel_params.hpp>

namespace tensorflow {

// thread-safe. A session's kernels live as long as it has holds.
class OpSegment {
 public:
  typedef std::function<Status(OpKernel**)> CreateKernelFn;

  void AddHold(const std::string& session) {
    mutex_lock lock(mutex_);
    ++sessions_[session].holds;
  }
  void RemoveHold(const std::string& session) {
    Session removed;  // goes after the lock
    mutex_lock lock(mutex_);
    const auto found = sessions_.find(session);
    if (found == sessions_.end() || --found->second.holds > 0) return;
    removed = std::move(found->second);
    sessions_.erase(found);
  }
  // Errors: NotFound: no such session; those of `create`, which makes a kernel that is new.
  Status FindOrCreate(const std::string& session, const std::string& node, OpKernel** kernel, CreateKernelFn create) {
    {
      mutex_lock lock(mutex_);
      const auto found = sessions_.find(session);
      if (found == sessions_.end()) return errors::NotFound("Session ", session, " is not found.");
      const auto known = found->second.kernels.find(node);
      if (known != found->second.kernels.end()) return *kernel = known->second.get(), Status();
    }
    if (const Status made = create(kernel); !made.ok()) return made;
    std::unique_ptr<OpKernel> added(*kernel);
    mutex_lock lock(mutex_);
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) return errors::NotFound("Session ", session, " is not found.");
    *kernel = found->second.kernels.emplace(node, std::move(added)).first->second.get();
    return Status();
  }
  // Functions' kernels belong to the runtime of functions.
  static bool ShouldOwnKernel(const void*, const std::string& op) { return op != "SymbolicGradient"; }

 private:
  struct Session {
    int holds = 0;
    std::map<std::string, std::unique_ptr<OpKernel>> kernels;
  };
  mutex mutex_;
  std::map<std::string, Session> sessions_;
};

}  // namespace tensorflow
