// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's macros about code: branches, attributes of functions, locks that guard members.

#include <tenon/base/config.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

#define TF_PREDICT_FALSE(x) (static_cast<bool>(x))
#define TF_PREDICT_TRUE(x) (static_cast<bool>(x))
#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete
#define TF_ARRAYSIZE(array) (sizeof(array) / sizeof(*(array)))
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]
#define TF_ATTRIBUTE_NOINLINE TENON_DETAIL_NOINLINE
#define TF_ATTRIBUTE_ALWAYS_INLINE TENON_DETAIL_ALWAYS_INLINE
#define TF_ATTRIBUTE_COLD TENON_DETAIL_COLD
#define TF_ATTRIBUTE_UNUSED [[maybe_unused]]
#define TF_ATTRIBUTE_NORETURN [[noreturn]]
#define TF_ATTRIBUTE_WEAK
#define TF_PACKED
#define TF_MUST_USE_RESULT
#define TF_EXPORT
#define TF_PRINTF_ATTRIBUTE(format, first)
#define TF_SCANF_ATTRIBUTE(format, first)
#define TF_HAS_CPP_ATTRIBUTE(name) 0

namespace tensorflow {
// `TF_INIT_ON_STARTUP_IF(condition) << call` calls while the program starts.
struct InitOnStartupMarker {
  constexpr InitOnStartupMarker operator<<(InitOnStartupMarker) const { return *this; }
  template <class Call>
  constexpr InitOnStartupMarker operator<<(Call&& call) const {
    return call();
  }
};
}  // namespace tensorflow
#define TF_INIT_ON_STARTUP_IF(condition) \
  !(condition) ? ::tensorflow::InitOnStartupMarker{} : ::tensorflow::InitOnStartupMarker {}
// M(number, arguments): the numbers of a file's uses rise by one.
#define TF_NEW_ID_FOR_INIT(M, ...) TENON_COMPAT_NEW_ID(M, __COUNTER__, __VA_ARGS__)
#define TENON_COMPAT_NEW_ID(M, ID, ...) TENON_COMPAT_WITH_ID(M, ID, __VA_ARGS__)
#define TENON_COMPAT_WITH_ID(M, ID, ...) M(ID, __VA_ARGS__)

// Notes for a checker of locks, which this layer has no use for.
#define TF_GUARDED_BY(lock)
#define TF_PT_GUARDED_BY(lock)
#define TF_ACQUIRED_AFTER(...)
#define TF_ACQUIRED_BEFORE(...)
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...)
#define TF_SHARED_LOCKS_REQUIRED(...)
#define TF_LOCKS_EXCLUDED(...)
#define TF_LOCK_RETURNED(lock)
#define TF_LOCKABLE
#define TF_SCOPED_LOCKABLE
#define TF_EXCLUSIVE_LOCK_FUNCTION(...)
#define TF_SHARED_LOCK_FUNCTION(...)
#define TF_EXCLUSIVE_TRYLOCK_FUNCTION(...)
#define TF_SHARED_TRYLOCK_FUNCTION(...)
#define TF_UNLOCK_FUNCTION(...)
#define TF_ASSERT_EXCLUSIVE_LOCK(...)
#define TF_ASSERT_SHARED_LOCK(...)
#define TF_NO_THREAD_SAFETY_ANALYSIS
#define TF_TS_UNCHECKED_READ(value) (value)
#if !defined(GUARDED_BY)  // TensorFlow's older names
#define GUARDED_BY(lock)
#define EXCLUSIVE_LOCKS_REQUIRED(...)
#define SHARED_LOCKS_REQUIRED(...)
#define LOCKS_EXCLUDED(...)
#define EXCLUSIVE_LOCK_FUNCTION(...)
#define UNLOCK_FUNCTION(...)
#define NO_THREAD_SAFETY_ANALYSIS
#endif
