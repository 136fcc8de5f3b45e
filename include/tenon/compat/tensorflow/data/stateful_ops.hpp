// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stateful ops that functions of datasets may have. Tenon's datasets run any op; the list is for its readers.

#include <set>
#include <string>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/compat/register.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>

namespace tensorflow {
namespace data {

// thread-safe.
class AllowlistedStatefulOpRegistry {
 public:
  static AllowlistedStatefulOpRegistry* Global() {
    static auto* const all = new AllowlistedStatefulOpRegistry();  // never destroyed
    return all;
  }
  Status Add(std::string op) {
    const tenon::MutexLock lock(mutex_);
    ops_.insert(std::move(op));
    return Status();
  }
  Status Remove(const std::string& op) {
    const tenon::MutexLock lock(mutex_);
    ops_.erase(op);
    return Status();
  }
  bool Contains(const std::string& op) {
    const tenon::MutexLock lock(mutex_);
    return ops_.count(op) != 0;
  }

 private:
  tenon::Mutex mutex_;
  std::set<std::string> ops_;
};
using WhitelistedStatefulOpRegistry = AllowlistedStatefulOpRegistry;

}  // namespace data
}  // namespace tensorflow

#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(NAME)                            \
  [[maybe_unused]] static const ::tensorflow::Status TENON_DETAIL_REGISTER_NAME( \
      tenon_tensorflow_stateful_op_,                                             \
      __COUNTER__)(::tensorflow::data::AllowlistedStatefulOpRegistry::Global() -> Add(NAME))
#define WHITELIST_STATEFUL_OP_FOR_DATASET_FUNCTIONS(NAME) ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(NAME)
