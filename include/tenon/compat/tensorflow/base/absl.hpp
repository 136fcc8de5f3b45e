// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of Abseil that op sources use, by the standard library, where Abseil is not installed.

#include <algorithm>
#include <any>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <tenon/compat/tensorflow/base/absl_notes.hpp>
#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

namespace absl {

using std::any;
using std::any_cast;
using std::apply;
using std::conditional_t;
using std::decay_t;
using std::enable_if_t;
using std::exchange;
using std::get;
using std::get_if;
using std::holds_alternative;
using std::in_place;
using std::make_any;
using std::make_optional;
using std::make_unique;
using std::monostate;
using std::move;
using std::nullopt;
using std::optional;
using std::remove_cv_t;
using std::remove_reference_t;
using std::string_view;
using std::variant;
using std::visit;
using std::void_t;
template <class T>
using remove_cvref_t = std::remove_cvref_t<T>;

template <class T>
class Span : public tenon::Span<T> {
 public:
  using tenon::Span<T>::Span;
  using size_type = std::size_t;
  Span() = default;
  Span(std::initializer_list<std::remove_const_t<T>> items)
    requires std::is_const_v<T>
      : tenon::Span<T>(items.begin(), items.size()) {}
  template <class List>
    requires requires(const List& list) {
      static_cast<T*>(list.data());
      list.size();
    }
  Span(const List& list) : tenon::Span<T>(list.data(), list.size()) {}
  std::size_t length() const { return this->size(); }
  T& at(std::size_t i) const { return (*this)[i]; }
  Span subspan(std::size_t first, std::size_t count = static_cast<std::size_t>(-1)) const {
    return Span(this->data() + first, std::min(count, this->size() - first));
  }
};
template <class T>
Span(T*, std::size_t) -> Span<T>;
template <class List>
auto MakeSpan(List& list) {
  return Span<std::remove_pointer_t<decltype(list.data())>>(list.data(), list.size());
}
template <class List>
auto MakeConstSpan(const List& list) {
  return Span<std::remove_pointer_t<decltype(list.data())>>(list.data(), list.size());
}

template <class T, std::size_t N, class Allocator = std::allocator<T>>
using InlinedVector = tensorflow::gtl::InlinedVector<T, N, Allocator>;
template <class Key, class Value, class... Rest>
using flat_hash_map = std::unordered_map<Key, Value, Rest...>;
template <class Key, class... Rest>
using flat_hash_set = std::unordered_set<Key, Rest...>;
template <class Key, class Value, class... Rest>
using node_hash_map = std::unordered_map<Key, Value, Rest...>;
template <class Key, class... Rest>
using node_hash_set = std::unordered_set<Key, Rest...>;
template <class Key, class... Rest>
using btree_set = std::set<Key, Rest...>;
template <class Key, class Value, class... Rest>
using btree_multimap = std::multimap<Key, Value, Rest...>;
template <class Key, class... Rest>
using btree_multiset = std::multiset<Key, Rest...>;
template <class T, std::size_t N = 0, class Allocator = std::allocator<T>>
using FixedArray = std::vector<T, Allocator>;
template <class Key, class Value, class... Rest>
using btree_map = std::map<Key, Value, Rest...>;
template <class T>
std::unique_ptr<T> WrapUnique(T* pointer) {
  return std::unique_ptr<T>(pointer);
}

using tensorflow::strings::StrAppend;
using tensorflow::strings::StrCat;
template <class Items>
std::string StrJoin(const Items& items, std::string_view separator) {
  return tensorflow::str_util::Join(items, std::string(separator).c_str());
}
template <class Items, class Format>
std::string StrJoin(const Items& items, std::string_view separator, Format format) {
  return tensorflow::str_util::Join(items, std::string(separator).c_str(), format);
}
using tensorflow::str_util::SkipEmpty;
using tensorflow::str_util::SkipWhitespace;
inline bool StartsWith(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }
inline bool EndsWith(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }
inline bool StrContains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
inline bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  return tensorflow::str_util::ConsumePrefix(text, prefix);
}
inline bool ConsumeSuffix(std::string_view* text, std::string_view suffix) {
  return tensorflow::str_util::ConsumeSuffix(text, suffix);
}
inline std::string AsciiStrToLower(std::string_view text) { return tensorflow::str_util::Lowercase(text); }
inline std::string AsciiStrToUpper(std::string_view text) { return tensorflow::str_util::Uppercase(text); }
inline std::string_view StripAsciiWhitespace(std::string_view text) {
  tensorflow::str_util::RemoveWhitespaceContext(&text);
  return text;
}
template <class T>
bool SimpleAtoi(std::string_view text, T* value) {
  return tensorflow::strings::ParseNumber(text, value);
}
inline bool SimpleAtof(std::string_view text, float* value) { return tensorflow::strings::ParseNumber(text, value); }
inline bool SimpleAtod(std::string_view text, double* value) { return tensorflow::strings::ParseNumber(text, value); }

// A predicate that a mutex waits for.
class Condition {
 public:
  template <class T>
  Condition(bool (*call)(T*), T* argument) : call_([call, argument] { return call(argument); }) {}
  template <class T>
  Condition(T* object, bool (T::*call)()) : call_([object, call] { return (object->*call)(); }) {}
  template <class T>
  Condition(const T* object, bool (T::*call)() const) : call_([object, call] { return (object->*call)(); }) {}
  explicit Condition(const bool* flag) : call_([flag] { return *flag; }) {}
  template <class F>
  explicit Condition(const F* call) : call_([call] { return (*call)(); }) {}
  bool Eval() const { return call_(); }

 private:
  std::function<bool()> call_;
};
// thread-safe. Shared locks exclude each other, too.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void Lock() { mutex_.lock(); }
  void Unlock() {
    mutex_.unlock();
    changed_.notify_all();
  }
  bool TryLock() { return mutex_.try_lock(); }
  void ReaderLock() { Lock(); }
  void ReaderUnlock() { Unlock(); }
  void WriterLock() { Lock(); }
  void WriterUnlock() { Unlock(); }
  void lock() { Lock(); }
  void unlock() { Unlock(); }
  bool try_lock() { return TryLock(); }
  void AssertHeld() const {}
  void AssertReaderHeld() const {}
  void Await(const Condition& condition) {
    std::unique_lock<std::mutex> held(mutex_, std::adopt_lock);
    changed_.wait(held, [&condition] { return condition.Eval(); });
    held.release();
  }
  void LockWhen(const Condition& condition) {
    Lock();
    Await(condition);
  }
  void ReaderLockWhen(const Condition& condition) { LockWhen(condition); }
  // False: the time is over, and the condition does not hold.
  template <class Duration>
  bool AwaitWithTimeout(const Condition& condition, Duration time) {
    std::unique_lock<std::mutex> held(mutex_, std::adopt_lock);
    const bool holds = changed_.wait_for(held, ToChronoNanoseconds(time), [&condition] { return condition.Eval(); });
    held.release();
    return holds;
  }
  template <class Duration>
  bool LockWhenWithTimeout(const Condition& condition, Duration time) {
    Lock();
    return AwaitWithTimeout(condition, time);
  }

 private:
  friend class CondVar;
  std::mutex mutex_;
  std::condition_variable changed_;
};
class MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) : mutex_(mutex) { mutex_->Lock(); }
  explicit MutexLock(Mutex& mutex) : MutexLock(&mutex) {}
  MutexLock(Mutex* mutex, const Condition& condition) : mutex_(mutex) { mutex_->LockWhen(condition); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() { mutex_->Unlock(); }

 private:
  Mutex* mutex_;
};
using ReaderMutexLock = MutexLock;
using WriterMutexLock = MutexLock;
class ReleasableMutexLock {
 public:
  explicit ReleasableMutexLock(Mutex* mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~ReleasableMutexLock() {
    if (mutex_ != nullptr) mutex_->Unlock();
  }
  void Release() { std::exchange(mutex_, nullptr)->Unlock(); }

 private:
  Mutex* mutex_;
};
class CondVar {
 public:
  void Wait(Mutex* mutex) {
    std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
    changed_.wait(held);
    held.release();
  }
  // True: the time is over.
  template <class Duration>
  bool WaitWithTimeout(Mutex* mutex, Duration time) {
    std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
    const bool over = changed_.wait_for(held, ToChronoNanoseconds(time)) == std::cv_status::timeout;
    held.release();
    return over;
  }
  void Signal() { changed_.notify_one(); }
  void SignalAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace absl

// Algorithms over whole containers.
namespace absl {
#define TENON_COMPAT_ALGORITHM(NAME)                                                           \
  template <class List, class... Arguments>                                                    \
  decltype(auto) c_##NAME(List&& list, Arguments&&... arguments) {                             \
    return std::NAME(std::begin(list), std::end(list), std::forward<Arguments>(arguments)...); \
  }
TENON_COMPAT_ALGORITHM(all_of)
TENON_COMPAT_ALGORITHM(any_of)
TENON_COMPAT_ALGORITHM(none_of)
TENON_COMPAT_ALGORITHM(for_each)
TENON_COMPAT_ALGORITHM(find)
TENON_COMPAT_ALGORITHM(find_if)
TENON_COMPAT_ALGORITHM(count)
TENON_COMPAT_ALGORITHM(count_if)
TENON_COMPAT_ALGORITHM(copy)
TENON_COMPAT_ALGORITHM(transform)
TENON_COMPAT_ALGORITHM(fill)
TENON_COMPAT_ALGORITHM(sort)
TENON_COMPAT_ALGORITHM(stable_sort)
TENON_COMPAT_ALGORITHM(reverse)
TENON_COMPAT_ALGORITHM(accumulate)
TENON_COMPAT_ALGORITHM(iota)
TENON_COMPAT_ALGORITHM(binary_search)
TENON_COMPAT_ALGORITHM(lower_bound)
TENON_COMPAT_ALGORITHM(upper_bound)
TENON_COMPAT_ALGORITHM(max_element)
TENON_COMPAT_ALGORITHM(min_element)
TENON_COMPAT_ALGORITHM(is_sorted)
#undef TENON_COMPAT_ALGORITHM
template <class A, class B>
bool c_equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class List, class T>
bool c_linear_search(const List& list, const T& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}
template <class List, class T>
bool linear_search(List first, List last, const T& value) {
  return std::find(first, last, value) != last;
}
// A function by reference.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> : public std::function<R(A...)> {
 public:
  using std::function<R(A...)>::function;
};
// A function that is moved, not copied.
template <class Signature>
class AnyInvocable;
template <class R, class... A>
class AnyInvocable<R(A...)> {
 public:
  AnyInvocable() = default;
  AnyInvocable(std::nullptr_t) {}
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, AnyInvocable> && std::is_invocable_v<std::decay_t<F>&, A...>)
  AnyInvocable(F&& call) : held_(std::make_shared<Held<std::decay_t<F>>>(std::forward<F>(call))) {}
  AnyInvocable(AnyInvocable&&) noexcept = default;
  AnyInvocable& operator=(AnyInvocable&&) noexcept = default;
  R operator()(A... arguments) { return held_->Call(std::forward<A>(arguments)...); }
  explicit operator bool() const { return held_ != nullptr; }
  friend bool operator==(const AnyInvocable& a, std::nullptr_t) { return a.held_ == nullptr; }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual R Call(A... arguments) = 0;
  };
  template <class F>
  struct Held final : Base {
    explicit Held(F&& f) : call(std::move(f)) {}
    explicit Held(const F& f) : call(f) {}
    R Call(A... arguments) override { return call(std::forward<A>(arguments)...); }
    F call;
  };
  std::shared_ptr<Base> held_;
};
template <class R, class... A>
class AnyInvocable<R(A...) &&> : public AnyInvocable<R(A...)> {
 public:
  using AnyInvocable<R(A...)>::AnyInvocable;
};
template <class R, class... A>
class AnyInvocable<R(A...) const> : public AnyInvocable<R(A...)> {
 public:
  using AnyInvocable<R(A...)>::AnyInvocable;
};
template <class F, class... A>
auto bind_front(F&& call, A&&... arguments) {
  return std::bind_front(std::forward<F>(call), std::forward<A>(arguments)...);
}
// Calls a function when it goes.
template <class F>
class Cleanup : public tensorflow::gtl::Cleanup<F> {
 public:
  Cleanup(F call) : tensorflow::gtl::Cleanup<F>(std::move(call)) {}
  void Cancel() && { this->release(); }
  void Invoke() && { this->release()(); }
};
template <class F>
Cleanup<std::decay_t<F>> MakeCleanup(F&& call) {
  return Cleanup<std::decay_t<F>>(std::forward<F>(call));
}
using once_flag = std::once_flag;
template <class F, class... A>
void call_once(once_flag& flag, F&& call, A&&... arguments) {
  std::call_once(flag, std::forward<F>(call), std::forward<A>(arguments)...);
}
template <class To, class From>
To bit_cast(const From& from) {
  return std::bit_cast<To>(from);
}
template <class To, class From>
To implicit_cast(From&& from) {
  return std::forward<From>(from);
}
template <class T>
T* IgnoreLeak(T* object) {
  return object;
}
template <class T>
using Hash = std::hash<T>;
template <class Map, class Key>
bool contains(const Map& map, const Key& key) {
  return map.find(key) != map.end();
}
using std::countl_zero;
using std::countr_zero;
using std::has_single_bit;
using std::popcount;
template <class T>
T bit_ceil(T value) {
  return std::bit_ceil(value);
}
template <class T>
int bit_width(T value) {
  return static_cast<int>(std::bit_width(value));
}
}  // namespace absl

#if !defined(ABSL_GUARDED_BY)
#define ABSL_GUARDED_BY(lock)
#define ABSL_PT_GUARDED_BY(lock)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(...)
#define ABSL_SHARED_LOCKS_REQUIRED(...)
#define ABSL_LOCKS_EXCLUDED(...)
#define ABSL_NO_THREAD_SAFETY_ANALYSIS
#endif
#if !defined(ABSL_PREDICT_FALSE)
#define ABSL_PREDICT_FALSE(x) (static_cast<bool>(x))
#define ABSL_PREDICT_TRUE(x) (static_cast<bool>(x))
#define ABSL_MUST_USE_RESULT
#define ABSL_DEPRECATED(message)
#define ABSL_ATTRIBUTE_UNUSED [[maybe_unused]]
#define ABSL_ATTRIBUTE_LIFETIME_BOUND
#define ABSL_ATTRIBUTE_NOINLINE
#define ABSL_ATTRIBUTE_ALWAYS_INLINE
#define ABSL_ATTRIBUTE_WEAK
#define ABSL_ATTRIBUTE_NORETURN [[noreturn]]
#define ABSL_ATTRIBUTE_COLD
#define ABSL_ATTRIBUTE_HOT
#define ABSL_ATTRIBUTE_PACKED
#define ABSL_ATTRIBUTE_REINITIALIZES
#define ABSL_FALLTHROUGH_INTENDED [[fallthrough]]
#define ABSL_ARRAYSIZE(array) (sizeof(array) / sizeof(*(array)))
#define ABSL_CONST_INIT constinit
#define ABSL_SCOPED_LOCKABLE
#define ABSL_LOCKABLE
#define ABSL_LOCK_RETURNED(lock)
#define ABSL_EXCLUSIVE_LOCK_FUNCTION(...)
#define ABSL_SHARED_LOCK_FUNCTION(...)
#define ABSL_UNLOCK_FUNCTION(...)
#define ABSL_ACQUIRED_AFTER(...)
#define ABSL_ACQUIRED_BEFORE(...)
#define ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(...)
#define ABSL_ASSERT_EXCLUSIVE_LOCK(...)
#define ABSL_TS_UNCHECKED_READ(value) (value)
#define ABSL_INTERNAL_ASSUME(x)
#define ABSL_ASSUME(x)
#define ABSL_UNREACHABLE() ::std::abort()
#define ABSL_ASSERT(x) static_cast<void>(0)
#define ABSL_HARDENING_ASSERT(x) static_cast<void>(0)
#define ABSL_DIE_IF_NULL(pointer) (pointer)
#endif
