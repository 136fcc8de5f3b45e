// SPDX-License-Identifier: Apache-2.0
#pragma once
// PointerTable: objects that a program makes once for each of a few others.

#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>

namespace tensorflow::internal {

// thread-safe. Keeps its objects for the life of the process. Few: searched one after the other.
class PointerTable {
 public:
  // The object of `key`; make(key) makes it at first.
  void* Get(void* key, void* (*make)(void* key)) {
    const tenon::MutexLock lock(mutex_);
    for (const std::pair<void*, void*>& row : rows_)
      if (row.first == key) return row.second;
    return rows_.emplace_back(key, make(key)).second;
  }

 private:
  tenon::Mutex mutex_;
  tenon::SlimVector<std::pair<void*, void*>> rows_;
};

}  // namespace tensorflow::internal
