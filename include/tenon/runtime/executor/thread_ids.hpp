// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads that traced runs have used: a number each, which is its row in every timeline of the process.

#include <cstddef>
#include <string>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// thread-safe. Numbers start at 1 and are not used again.
class TracedThreads {
 public:
  static TracedThreads& Global() {
    static TracedThreads* const threads = new TracedThreads;
    return *threads;
  }
  static int NumberOfThis() {
    static thread_local const int number = Global().AddThis();
    return number;
  }
  // What the system called the thread when it was traced first; empty where the number is nobody's.
  std::string NameOf(int number) {
    const MutexLock lock(mutex_);
    const auto i = static_cast<std::size_t>(number - 1);
    return i < names_.size() ? names_[i] : std::string();
  }

 private:
  int AddThis() {
    char name[16];
    Thread::GetNameOfThis(name);
    const MutexLock lock(mutex_);
    names_.push_back(std::string(name));
    return static_cast<int>(names_.size());
  }

  Mutex mutex_;
  SlimVector<std::string> names_;
};

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
