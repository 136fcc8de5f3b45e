// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lock that sleeps at once; base/spin_lock.hpp has the one that does so only after a while. Includes <mutex>, so no
// header that session.hpp reaches may include this one.

#include <mutex>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

using Mutex = std::mutex;
using MutexLock = std::unique_lock<std::mutex>;  // MutexLock lock(mutex_); works with std::condition_variable

TENON_NAMESPACE_END
