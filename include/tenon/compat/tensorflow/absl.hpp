// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of Abseil that op sources use, by the standard library, where Abseil is not installed.

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/containers.hpp>
#include <tenon/compat/tensorflow/status.hpp>
#include <tenon/compat/tensorflow/strings.hpp>
#include <tenon/compat/tensorflow/sync.hpp>

namespace absl {

using std::exchange;
using std::get;
using std::make_optional;
using std::make_unique;
using std::move;
using std::nullopt;
using std::optional;
using std::string_view;

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
template <class Keep = tensorflow::str_util::AllowEmpty>
std::vector<std::string> StrSplit(std::string_view text, char delimiter, Keep keep = Keep()) {
  if (text.empty() && keep(text)) return {std::string()};
  return tensorflow::str_util::Split(text, delimiter, keep);
}
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

using Mutex = tensorflow::mutex;
class MutexLock : public tensorflow::mutex_lock {
 public:
  explicit MutexLock(Mutex* mutex) : tensorflow::mutex_lock(*mutex) {}
};

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
#endif
