// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rarer names of Abseil by the standard library: formatters, hexadecimal numbers, hashes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/compat/tensorflow/base/absl.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>

namespace absl {

using std::conjunction;
using std::disjunction;
using std::erase_if;
using std::in_place_t;
using std::negation;
using std::rotl;
using std::rotr;
using std::variant_size;
template <class T>
using type_identity_t = std::type_identity_t<T>;

// Formatters of StrJoin.
struct AlphaNumFormatterImpl {
  template <class T>
  void operator()(std::string* out, const T& value) const {
    out->append(tensorflow::strings::StrCat(value));
  }
};
inline AlphaNumFormatterImpl AlphaNumFormatter() { return {}; }
template <class First, class Second>
struct PairFormatterImpl {
  template <class Pair>
  void operator()(std::string* out, const Pair& pair) {
    first(out, pair.first);
    out->append(separator);
    second(out, pair.second);
  }
  First first;
  std::string separator;
  Second second;
};
template <class First, class Second>
PairFormatterImpl<First, Second> PairFormatter(First first, std::string_view separator, Second second) {
  return {std::move(first), std::string(separator), std::move(second)};
}
inline auto PairFormatter(std::string_view separator) {
  return PairFormatter(AlphaNumFormatter(), separator, AlphaNumFormatter());
}

// Digits with or without "0x". False: not such a number, or too large.
template <class T>
bool SimpleHexAtoi(std::string_view text, T* value) {
  std::uint64_t number = 0;
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (!tensorflow::strings::HexStringToUint64(text, &number)) return false;
  if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
  return *value = static_cast<T>(number), true;
}

// A hash of this program's run; other runs may have another.
template <class... T>
std::size_t HashOf(const T&... values) {
  std::size_t hash = sizeof...(values);
  ((hash = (hash ^ std::hash<T>()(values)) * 0x9e3779b97f4a7c15u + (hash >> 29)), ...);
  return hash;
}

// An object that no destructor ends.
template <class T>
class NoDestructor {
 public:
  template <class... Args>
  explicit NoDestructor(Args&&... args) {
    new (&bytes_) T(std::forward<Args>(args)...);
  }
  NoDestructor(const NoDestructor&) = delete;
  NoDestructor& operator=(const NoDestructor&) = delete;
  T* get() { return std::launder(reinterpret_cast<T*>(&bytes_)); }
  const T* get() const { return std::launder(reinterpret_cast<const T*>(&bytes_)); }
  T& operator*() { return *get(); }
  T* operator->() { return get(); }
  const T& operator*() const { return *get(); }
  const T* operator->() const { return get(); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

class MutexLockMaybe {
 public:
  explicit MutexLockMaybe(Mutex* mutex) : mutex_(mutex) {
    if (mutex_ != nullptr) mutex_->Lock();
  }
  MutexLockMaybe(const MutexLockMaybe&) = delete;
  MutexLockMaybe& operator=(const MutexLockMaybe&) = delete;
  ~MutexLockMaybe() {
    if (mutex_ != nullptr) mutex_->Unlock();
  }

 private:
  Mutex* mutex_;
};

}  // namespace absl
