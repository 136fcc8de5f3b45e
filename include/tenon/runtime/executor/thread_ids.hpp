// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads that traced runs have used: a number each, which is its row in every timeline of the process.

#include <cstddef>
#include <string>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

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
  // The system's name of a thread when it was traced first; empty if no thread has the number, or no name was kept.
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
    if (names_.size() < kMostNames) names_.push_back(std::string(name));
    return ++last_;
  }

  static constexpr std::size_t kMostNames = 1 << 14;  // later threads have numbers only

  Mutex mutex_;
  SlimVector<std::string> names_;
  int last_ = 0;  // number
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
