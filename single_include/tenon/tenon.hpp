// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generated from include/tenon by tools/amalgamate.py; change the headers there.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <complex>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

// ---- tenon/base/config.hpp ----
// Version, ABI tag, and the only place on floors 0-6 where compilers are told apart.
// Includes nothing, so that every header may start with it.
#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

#if !defined(__cplusplus) || (__cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "Tenon needs C++20: compile with -std=c++20 (g++ >= 12, clang++ >= 16, nvcc >= 13)."
#endif

// Everything public lives in an inline namespace, so that two incompatible versions can be linked into one program.
// A macro that changes the layout of a type must append to this tag.
#define TENON_NAMESPACE_BEGIN \
  namespace tenon {           \
  inline namespace v0 {
#define TENON_NAMESPACE_END \
  }                         \
  }

// nvcc 13 takes the move assignment of a [[nodiscard]] class (status = F();) for a value that is thrown away.
#if defined(__CUDACC__)
#pragma nv_diag_suppress 2810
#endif

// TENON_HD: host, device, and always inlined on the host (simd values may only travel through inlined functions).
#if defined(__CUDACC__)
#define TENON_HD __host__ __device__ __forceinline__
#elif defined(__GNUC__) || defined(__clang__)
#define TENON_HD inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define TENON_HD __forceinline
#else
#define TENON_HD inline
#endif

// TENON_COLD: error paths, kept out of line so that the common path stays small.
// TENON_NOINLINE: code of many callers that none of them gains by having inside: the compiler is spared the copies.
// TENON_SIGNATURE: the signature of the enclosing function as text, template arguments included.
#if defined(__GNUC__) || defined(__clang__)
#define TENON_COLD __attribute__((noinline, cold))
#define TENON_NOINLINE __attribute__((noinline))
#define TENON_SIGNATURE __PRETTY_FUNCTION__
#elif defined(_MSC_VER)
#define TENON_COLD __declspec(noinline)
#define TENON_NOINLINE __declspec(noinline)
#define TENON_SIGNATURE __FUNCSIG__
#else
#define TENON_COLD
#define TENON_NOINLINE
#define TENON_SIGNATURE __func__
#endif

// std::is_constant_evaluated() as an expression: the function would be called, and its other branch compiled, at -O0.
#define TENON_IS_CONSTANT_EVALUATED() __builtin_is_constant_evaluated()

// ---- tenon/base/refcount.hpp ----
// Intrusive reference counting: RefCounted is the base of shared objects, Ref<T> holds one reference.
TENON_NAMESPACE_BEGIN

// Starts with one reference, which belongs to whoever called new. thread-safe.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Drops a reference; deletes the object with the last one. True when it did.
  bool Unref() const {
    if (refs_.load(std::memory_order_acquire) != 1 && refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    delete this;
    return true;
  }
  bool RefCountIsOne() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> refs_{1};
};

// One reference to a T (derived from RefCounted), or none.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over the reference that the caller holds.
  static Ref Adopt(T* object) {
    Ref r;
    r.object_ = object;
    return r;
  }
  // Adds a reference of its own.
  static Ref Share(T* object) {
    if (object != nullptr) object->AddRef();
    return Adopt(object);
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) object_->AddRef();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires requires(U* object, T*& to) { to = object; }
  Ref(Ref<U> other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Unref();
  }

  // Gives the reference to the caller.
  T* release() { return std::exchange(object_, nullptr); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

TENON_NAMESPACE_END

// ---- tenon/base/status.hpp ----
// Status and Result<T>: how everything that can fail says so. Codes are TensorFlow's (and absl's, and gRPC's).
//
//   Result<Tensor> Load(const std::string& path) {
//     TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
//     TENON_RETURN_IF_ERROR(Check(file));
//     return Decode(file);
//   }
TENON_NAMESPACE_BEGIN

enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The code as protobuf and gRPC print it, e.g. "INVALID_ARGUMENT".
constexpr std::string_view Name(Code code) {
  constexpr std::string_view kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const int i = static_cast<int>(code);
  return i >= 0 && i <= 16 ? kNames[i] : std::string_view("UNKNOWN");
}

// OK, or a code with a sentence. One pointer wide: null is OK, so that success costs nothing and can be passed through
// constant expressions (a shape function that succeeds may run inside static_assert). Copies share the message.
// Immutable but for Update and assignment; different copies may be used from different threads.
class [[nodiscard]] Status {
 public:
  constexpr Status() noexcept = default;
  TENON_COLD Status(Code code, std::string_view message)
      : rep_(code == Code::kOk ? nullptr : new Rep{1, code, std::string(message)}) {}
  constexpr Status(const Status& other) noexcept : rep_(other.rep_) {
    if (rep_ != nullptr) Share();
  }
  constexpr Status(Status&& other) noexcept : rep_(other.rep_) { other.rep_ = nullptr; }
  constexpr Status& operator=(const Status& other) noexcept {
    if (this != &other) *this = Status(other);
    return *this;
  }
  constexpr Status& operator=(Status&& other) noexcept {
    Rep* mine = rep_;
    rep_ = other.rep_;
    other.rep_ = mine;
    return *this;
  }
  constexpr ~Status() {
    if (rep_ != nullptr) Drop();
  }

  // Keeps the first error: does nothing when this is an error already.
  constexpr void Update(const Status& other) {
    if (ok()) *this = other;
  }
  // The same code with `text` appended to the message; OK stays OK.
  Status WithAppended(std::string_view text) const {
    if (ok()) return *this;
    std::string message = rep_->message;
    message.append(text);
    return Status(rep_->code, message);
  }

  constexpr bool ok() const noexcept { return rep_ == nullptr; }
  Code code() const noexcept { return rep_ == nullptr ? Code::kOk : rep_->code; }
  std::string_view message() const noexcept { return rep_ == nullptr ? std::string_view() : rep_->message; }
  // "OK", or "INVALID_ARGUMENT: MatMul: ...".
  std::string ToString() const {
    if (ok()) return "OK";
    std::string text(Name(rep_->code));
    text.append(": ").append(rep_->message);
    return text;
  }

  friend bool operator==(const Status& a, const Status& b) {
    return a.code() == b.code() && a.message() == b.message();
  }

 private:
  struct Rep {
    std::atomic<std::uint32_t> refs;
    Code code;
    std::string message;
  };
  void Share() const { rep_->refs.fetch_add(1, std::memory_order_relaxed); }
  TENON_COLD void Drop() {
    if (rep_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep_;
  }

  Rep* rep_ = nullptr;
};
static_assert(sizeof(Status) == sizeof(void*));

constexpr Status OkStatus() { return {}; }

namespace detail {
[[noreturn]] TENON_COLD inline void DieOnBadResult(const Status& status) {
  std::fprintf(stderr, "tenon: the value of a Result was asked for, but it holds an error: %s\n",
               status.ToString().c_str());
  std::abort();
}
}  // namespace detail

// A T, or the Status that says why there is none. Asking an error for its value is a mistake of the program and ends
// it.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(const Status& status) : status_(status) { RefuseOk(); }
  Result(Status&& status) : status_(std::move(status)) { RefuseOk(); }
  template <class U = T>
    requires(std::is_constructible_v<T, U &&> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status>)
  Result(U&& value) {
    ::new (static_cast<void*>(&value_)) T(std::forward<U>(value));
  }
  Result(const Result& other) : status_(other.status_) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(other.value_);
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : status_(other.status_) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  Result& operator=(Result other) {
    this->~Result();
    return *::new (static_cast<void*>(this)) Result(std::move(other));
  }
  ~Result() {
    if (ok()) value_.~T();
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const& { return status_; }
  Status status() && { return ok() ? Status() : status_; }

  T& value() & { return Checked(), value_; }
  const T& value() const& { return Checked(), value_; }
  T&& value() && { return Checked(), std::move(value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const& { return ok() ? value_ : std::move(other); }

 private:
  void Checked() const {
    if (!ok()) detail::DieOnBadResult(status_);
  }
  void RefuseOk() {
    if (status_.ok()) status_ = Status(Code::kInternal, "a Result was made from an OK status: return a value instead");
  }

  Status status_;
  union {
    T value_;
  };
};

TENON_NAMESPACE_END

#define TENON_DETAIL_CONCAT_(a, b) a##b
#define TENON_DETAIL_CONCAT(a, b) TENON_DETAIL_CONCAT_(a, b)

// Returns from the enclosing function (of type Status or Result<T>) when the expression is an error.
#define TENON_RETURN_IF_ERROR(...)                                          \
  do {                                                                      \
    if (auto tenon_status = (__VA_ARGS__); !tenon_status.ok()) [[unlikely]] \
      return tenon_status;                                                  \
  } while (false)

// TENON_ASSIGN_OR_RETURN(auto x, MayFail(...)): declares or assigns x, or returns the error.
#define TENON_ASSIGN_OR_RETURN(declaration, ...) \
  TENON_DETAIL_ASSIGN_OR_RETURN(TENON_DETAIL_CONCAT(tenon_result_, __LINE__), declaration, __VA_ARGS__)
#define TENON_DETAIL_ASSIGN_OR_RETURN(result, declaration, ...) \
  auto result = (__VA_ARGS__);                                  \
  if (!result.ok()) [[unlikely]]                                \
    return result.status();                                     \
  declaration = *std::move(result)

// ---- tenon/base/str.hpp ----
// Text: StrCat, StrAppend, StrJoin, number parsing, escaping. Numbers print as TensorFlow prints them in its messages.
TENON_NAMESPACE_BEGIN

// One argument of StrCat: text, a number, or anything that says its name. It only remembers the value; the text is made
// where all pieces come together, so that a call costs the caller a few stores. Lives for one full expression.
class Piece {
 public:
  constexpr Piece(std::string_view text) : kind_(Kind::kText), size_(text.size()), text_(text.data()) {}
  Piece(const std::string& text) : Piece(std::string_view(text)) {}
  Piece(const char* text) : Piece(std::string_view(text == nullptr ? "(null)" : text)) {}
  Piece(char c) : kind_(Kind::kChar), integer_(static_cast<unsigned char>(c)) {}
  Piece(bool b) : kind_(Kind::kUnsigned), integer_(b ? 1u : 0u) {}
  Piece(float value) : kind_(Kind::kFloat), number_(static_cast<double>(value)) {}
  Piece(double value) : kind_(Kind::kDouble), number_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>)
  Piece(T value)
      : kind_(std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned),
        integer_(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) {}
  // Enumerations with a Name(), e.g. DataType and Code.
  template <class T>
    requires(std::is_enum_v<T> && requires(T x) { std::string_view(Name(x)); })
  Piece(T value) : Piece(std::string_view(Name(value))) {}
  // Values with a DebugString(), e.g. shapes.
  template <class T>
    requires requires(const T& x) { std::string(x.DebugString()); }
  Piece(const T& value) : kind_(Kind::kObject), object_(&value), debug_string_(&DebugStringOf<T>) {}

  // Appends the piece's text.
  inline void AppendTo(std::string* out) const;

 private:
  enum class Kind : unsigned char { kText, kChar, kSigned, kUnsigned, kFloat, kDouble, kObject };
  template <class T>
  static std::string DebugStringOf(const void* object) {
    return static_cast<const T*>(object)->DebugString();
  }
  // %.`digits`g, or %.`more`g where that does not read back as the same value.
  static void AppendNumber(std::string* out, double value, bool single) {
    char text[32];
    int n = std::snprintf(text, sizeof text, "%.*g", single ? 6 : 15, value);
    const bool same =
        single ? std::strtof(text, nullptr) == static_cast<float>(value) : std::strtod(text, nullptr) == value;
    if (!same && value == value) n = std::snprintf(text, sizeof text, "%.*g", single ? 9 : 17, value);
    out->append(text, static_cast<std::size_t>(n));
  }

  Kind kind_;
  union {
    std::size_t size_;
    std::uint64_t integer_;
    double number_;
    const void* object_;
  };
  union {
    const char* text_;
    std::string (*debug_string_)(const void*);
  };
};

inline void Piece::AppendTo(std::string* out) const {
  char digits[24];
  switch (kind_) {
    case Kind::kText: out->append(text_, size_); return;
    case Kind::kChar: out->push_back(static_cast<char>(integer_)); return;
    case Kind::kSigned:
      out->append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(integer_)).ptr);
      return;
    case Kind::kUnsigned: out->append(digits, std::to_chars(digits, digits + sizeof digits, integer_).ptr); return;
    case Kind::kFloat: AppendNumber(out, number_, true); return;
    case Kind::kDouble: AppendNumber(out, number_, false); return;
    case Kind::kObject: out->append(debug_string_(object_)); return;
  }
}

namespace detail {
TENON_COLD inline void AppendPieces(std::string* out, std::initializer_list<Piece> pieces) {
  for (const Piece& piece : pieces) piece.AppendTo(out);
}
TENON_COLD inline std::string CatPieces(std::initializer_list<Piece> pieces) {
  std::string out;
  AppendPieces(&out, pieces);
  return out;
}
}  // namespace detail

// Appends the text of every argument to *out.
template <class... Args>
void StrAppend(std::string* out, const Args&... args) {
  detail::AppendPieces(out, {Piece(args)...});
}

// The text of every argument, one after the other: StrCat("rank ", 2, " of ", shape).
template <class... Args>
std::string StrCat(const Args&... args) {
  return detail::CatPieces({Piece(args)...});
}

// The items of a range with `separator` between them; `append(std::string*, item)` says how an item is written.
template <class Range, class Append>
std::string StrJoin(const Range& range, std::string_view separator, Append append) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out.append(separator);
    first = false;
    append(&out, item);
  }
  return out;
}
template <class Range>
std::string StrJoin(const Range& range, std::string_view separator) {
  return StrJoin(range, separator, [](std::string* out, const auto& item) { StrAppend(out, item); });
}

// The whole text as a number, or false. Decimal; a sign is allowed where the type has one, blanks are not.
template <class T>
  requires std::is_integral_v<T>
bool ParseInt(std::string_view text, T* value) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}
inline bool ParseInt64(std::string_view text, std::int64_t* value) { return ParseInt(text, value); }
inline bool ParseDouble(std::string_view text, double* value) {
  const std::string copy(text);
  if (copy.empty() || copy.front() == ' ') return false;
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

// C escapes for what is not printable ASCII, for quotes and backslashes.
inline std::string CEscape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (u >= 0x20 && u < 0x7f) {
          out += c;
        } else {
          out += '\\';
          out += static_cast<char>('0' + (u >> 6));
          out += static_cast<char>('0' + ((u >> 3) & 7));
          out += static_cast<char>('0' + (u & 7));
        }
    }
  }
  return out;
}

constexpr bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
constexpr bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

TENON_NAMESPACE_END

// ---- tenon/base/check.hpp ----
// TENON_CHECK: for mistakes of the program itself (a view asked with the wrong type). Never reached from data of a user
// or a graph.
TENON_NAMESPACE_BEGIN

namespace detail {
[[noreturn]] TENON_COLD inline void DieOnFailedCheck(const char* file, int line, const char* condition,
                                                     const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition, text.empty() ? "" : ": ", text.c_str());
  std::abort();
}
}  // namespace detail

TENON_NAMESPACE_END

// Ends the program with file, line, condition and the text of the further arguments when the condition does not hold.
// The same in debug and release.
#define TENON_CHECK(condition, ...)                                                                    \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::tenon::detail::DieOnFailedCheck(__FILE__, __LINE__, #condition, ::tenon::StrCat(__VA_ARGS__)); \
  } while (false)

// ---- tenon/base/errors.hpp ----
// errors::InvalidArgument("MatMul: ...", got) and its sisters, one for each code; nearest names for "did you mean".
TENON_NAMESPACE_BEGIN

namespace errors {

TENON_COLD inline Status MakeFromPieces(Code code, std::initializer_list<Piece> pieces) {
  return Status(code, tenon::detail::CatPieces(pieces));
}

// A Status of the given code whose message is StrCat(args...). Never constant: reaching one while a shape function runs
// in a constant expression stops the compiler at the line of the mistake.
template <class... Args>
Status Make(Code code, const Args&... args) {
  return MakeFromPieces(code, {Piece(args)...});
}

template <class... Args> Status Cancelled(const Args&... args) { return Make(Code::kCancelled, args...); }
template <class... Args> Status Unknown(const Args&... args) { return Make(Code::kUnknown, args...); }
template <class... Args> Status InvalidArgument(const Args&... args) { return Make(Code::kInvalidArgument, args...); }
template <class... Args> Status DeadlineExceeded(const Args&... args) { return Make(Code::kDeadlineExceeded, args...); }
template <class... Args> Status NotFound(const Args&... args) { return Make(Code::kNotFound, args...); }
template <class... Args> Status AlreadyExists(const Args&... args) { return Make(Code::kAlreadyExists, args...); }
template <class... Args> Status PermissionDenied(const Args&... args) { return Make(Code::kPermissionDenied, args...); }
template <class... Args> Status ResourceExhausted(const Args&... args) {
  return Make(Code::kResourceExhausted, args...);
}
template <class... Args> Status FailedPrecondition(const Args&... args) {
  return Make(Code::kFailedPrecondition, args...);
}
template <class... Args> Status Aborted(const Args&... args) { return Make(Code::kAborted, args...); }
template <class... Args> Status OutOfRange(const Args&... args) { return Make(Code::kOutOfRange, args...); }
template <class... Args> Status Unimplemented(const Args&... args) { return Make(Code::kUnimplemented, args...); }
template <class... Args> Status Internal(const Args&... args) { return Make(Code::kInternal, args...); }
template <class... Args> Status Unavailable(const Args&... args) { return Make(Code::kUnavailable, args...); }
template <class... Args> Status DataLoss(const Args&... args) { return Make(Code::kDataLoss, args...); }
template <class... Args> Status Unauthenticated(const Args&... args) { return Make(Code::kUnauthenticated, args...); }

inline bool IsCancelled(const Status& s) { return s.code() == Code::kCancelled; }
inline bool IsUnknown(const Status& s) { return s.code() == Code::kUnknown; }
inline bool IsInvalidArgument(const Status& s) { return s.code() == Code::kInvalidArgument; }
inline bool IsDeadlineExceeded(const Status& s) { return s.code() == Code::kDeadlineExceeded; }
inline bool IsNotFound(const Status& s) { return s.code() == Code::kNotFound; }
inline bool IsAlreadyExists(const Status& s) { return s.code() == Code::kAlreadyExists; }
inline bool IsPermissionDenied(const Status& s) { return s.code() == Code::kPermissionDenied; }
inline bool IsResourceExhausted(const Status& s) { return s.code() == Code::kResourceExhausted; }
inline bool IsFailedPrecondition(const Status& s) { return s.code() == Code::kFailedPrecondition; }
inline bool IsAborted(const Status& s) { return s.code() == Code::kAborted; }
inline bool IsOutOfRange(const Status& s) { return s.code() == Code::kOutOfRange; }
inline bool IsUnimplemented(const Status& s) { return s.code() == Code::kUnimplemented; }
inline bool IsInternal(const Status& s) { return s.code() == Code::kInternal; }
inline bool IsUnavailable(const Status& s) { return s.code() == Code::kUnavailable; }
inline bool IsDataLoss(const Status& s) { return s.code() == Code::kDataLoss; }
inline bool IsUnauthenticated(const Status& s) { return s.code() == Code::kUnauthenticated; }

}  // namespace errors

namespace detail {
// Edits (insert, delete, replace, swap of neighbours) that turn a into b; case differences count half. In half edits.
// Names of more than 255 characters are never near.
inline int EditDistance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 255;
  if (a.size() > kLongest || b.size() > kLongest) return 4 * static_cast<int>(kLongest);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto cost = [&](char x, char y) { return x == y ? 0 : lower(x) == lower(y) ? 1 : 2; };
  const auto lesser = [](int x, int y) { return x < y ? x : y; };
  int rows[3][kLongest + 1];  // row i, i - 1 and i - 2 of the table, in turn
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = 2 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int* const row = rows[i % 3];
    const int *const last = rows[(i + 2) % 3], *const before = rows[(i + 1) % 3];
    row[0] = 2 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = lesser(lesser(last[j], row[j - 1]) + 2, last[j - 1] + cost(a[i - 1], b[j - 1]));
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = lesser(row[j], before[j - 2] + 2);
    }
  }
  return rows[a.size() % 3][b.size()];
}

// The three names nearest to one, nearest first and then in alphabetical order.
class NearestNames {
 public:
  explicit NearestNames(std::string_view name) : name_(name) {}
  TENON_COLD void Offer(std::string_view text) {
    const std::size_t longer = name_.size() > text.size() ? name_.size() : text.size();
    const std::size_t gap = 2 * longer - name_.size() - text.size();
    const std::size_t edits = longer < 3 ? 1 : longer > 12 ? 4 : longer / 3;
    if (gap > edits) return;
    Near candidate{EditDistance(name_, text), text};
    if (candidate.distance > 2 * static_cast<int>(edits)) return;
    for (int i = 0; i < size_; ++i) {
      if (near_[i].text == text) return;
    }
    if (size_ < kMost) near_[size_++] = {1 << 20, {}};
    for (int i = 0; i < size_; ++i) {
      const bool nearer = candidate.distance != near_[i].distance ? candidate.distance < near_[i].distance
                                                                  : candidate.text < near_[i].text;
      if (!nearer) continue;
      const Near pushed = near_[i];
      near_[i] = candidate;
      candidate = pushed;
    }
  }
  TENON_COLD std::string Text() const {
    if (size_ == 0) return "";
    std::string text = "; did you mean ";
    for (int i = 0; i < size_; ++i) text.append(i == 0 ? "'" : ", '").append(near_[i].text).append("'");
    return text.append("?");
  }

 private:
  static constexpr int kMost = 3;
  struct Near {
    int distance;  // in half edits
    std::string_view text;
  };
  std::string_view name_;
  Near near_[kMost];
  int size_ = 0;
};
}  // namespace detail

// "; did you mean 'MatMul', 'BatchMatMul'?" with the nearest (at most three) of `candidates`, or "" when none is near.
template <class Range>
std::string DidYouMean(std::string_view name, const Range& candidates) {
  detail::NearestNames nearest(name);
  for (const auto& candidate : candidates) nearest.Offer(std::string_view(candidate));
  return nearest.Text();
}

TENON_NAMESPACE_END

// ---- tenon/types/dtype.hpp ----
// DataType with TensorFlow's wire numbers, its names, element sizes, predicates and sets. All constexpr, immutable.
// The one table below is the only place where a dtype's properties are written down.
TENON_NAMESPACE_BEGIN

// The value is the number in serialised graphs. A reference type (a mutable input of a ref variable) is the value +
// 100.
enum class DataType : std::int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3FN = 25,
  kFloat8E4M3FNUZ = 26,
  kFloat8E4M3B11FNUZ = 27,
  kFloat8E5M2FNUZ = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2M1FN = 33,
};

inline constexpr int kDataTypeCount = 34;      // values 0 .. 33, kInvalid included
inline constexpr int kDataTypeRefOffset = 100;

// Several non-reference dtypes as a bit mask (bit n is DataType n). Iterates in ascending order of the numbers, as
// TensorFlow does.
struct DataTypeSet {
  std::uint64_t mask = 0;

  class Iterator {
   public:
    constexpr explicit Iterator(std::uint64_t rest) : rest_(rest) {}
    constexpr DataType operator*() const { return static_cast<DataType>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint64_t rest_;
  };

  constexpr bool contains(DataType type) const {
    const auto n = static_cast<std::uint32_t>(type);
    return n < 64 && ((mask >> n) & 1) != 0;
  }
  constexpr int size() const { return std::popcount(mask); }
  constexpr bool empty() const { return mask == 0; }
  constexpr void insert(DataType type) {
    const auto n = static_cast<std::uint32_t>(type);
    if (n < 64) mask |= std::uint64_t{1} << n;
  }
  constexpr Iterator begin() const { return Iterator(mask); }
  constexpr Iterator end() const { return Iterator(0); }

  friend constexpr DataTypeSet operator|(DataTypeSet a, DataTypeSet b) { return {a.mask | b.mask}; }
  friend constexpr DataTypeSet operator&(DataTypeSet a, DataTypeSet b) { return {a.mask & b.mask}; }
  friend constexpr bool operator==(DataTypeSet, DataTypeSet) = default;
};

constexpr DataTypeSet ToSet(DataType type) {
  DataTypeSet set;
  set.insert(type);
  return set;
}

namespace detail {

// What a dtype is, one letter each: M memcpy-able, N in `numbertype`, R in `realnumbertype`, Q quantised, F floating,
// I integer, S signed integer, C complex, H always in host memory.
enum DataTypeTrait : std::uint16_t { kM = 1, kN = 2, kR = 4, kQ = 8, kF = 16, kI = 32, kS = 64, kC = 128, kH = 256 };

struct DataTypeRow {
  std::string_view ref_name;       // "float_ref"; the name itself is this without "_ref"
  std::string_view ref_enum_name;  // "DT_FLOAT_REF"
  std::string_view alias;          // second name that is parsed, or empty
  std::uint8_t size;               // bytes of one element; 0 if not plain memory
  std::uint16_t traits;
};

inline constexpr DataTypeRow kDataTypeRows[kDataTypeCount] = {
    {"INVALID_ref", "DT_INVALID_REF", "", 0, 0},
    {"float_ref", "DT_FLOAT_REF", "float32", 4, kM | kN | kR | kF},
    {"double_ref", "DT_DOUBLE_REF", "float64", 8, kM | kN | kR | kF},
    {"int32_ref", "DT_INT32_REF", "", 4, kM | kN | kR | kI | kS},
    {"uint8_ref", "DT_UINT8_REF", "", 1, kM | kN | kR | kI},
    {"int16_ref", "DT_INT16_REF", "", 2, kM | kN | kR | kI | kS},
    {"int8_ref", "DT_INT8_REF", "", 1, kM | kN | kR | kI | kS},
    {"string_ref", "DT_STRING_REF", "", 0, kH},
    {"complex64_ref", "DT_COMPLEX64_REF", "", 8, kM | kN | kC},
    {"int64_ref", "DT_INT64_REF", "", 8, kM | kN | kR | kI | kS},
    {"bool_ref", "DT_BOOL_REF", "", 1, kM},
    {"qint8_ref", "DT_QINT8_REF", "", 1, kM | kN | kQ},
    {"quint8_ref", "DT_QUINT8_REF", "", 1, kM | kN | kQ},
    {"qint32_ref", "DT_QINT32_REF", "", 4, kM | kN | kQ},
    {"bfloat16_ref", "DT_BFLOAT16_REF", "", 2, kM | kN | kR | kF},
    {"qint16_ref", "DT_QINT16_REF", "", 2, kM | kN | kQ},
    {"quint16_ref", "DT_QUINT16_REF", "", 2, kM | kN | kQ},
    {"uint16_ref", "DT_UINT16_REF", "", 2, kM | kN | kR | kI},
    {"complex128_ref", "DT_COMPLEX128_REF", "", 16, kM | kN | kC},
    {"half_ref", "DT_HALF_REF", "float16", 2, kM | kN | kR | kF},
    {"resource_ref", "DT_RESOURCE_REF", "", 0, kH},
    {"variant_ref", "DT_VARIANT_REF", "", 0, 0},
    {"uint32_ref", "DT_UINT32_REF", "", 4, kM | kN | kR | kI},
    {"uint64_ref", "DT_UINT64_REF", "", 8, kM | kN | kR | kI},
    {"float8_e5m2_ref", "DT_FLOAT8_E5M2_REF", "", 1, kM | kF},
    {"float8_e4m3fn_ref", "DT_FLOAT8_E4M3FN_REF", "", 1, kM | kF},
    {"float8_e4m3fnuz_ref", "DT_FLOAT8_E4M3FNUZ_REF", "", 1, kM | kF},
    {"float8_e4m3b11fnuz_ref", "DT_FLOAT8_E4M3B11FNUZ_REF", "", 1, kM | kF},
    {"float8_e5m2fnuz_ref", "DT_FLOAT8_E5M2FNUZ_REF", "", 1, kM | kF},
    {"int4_ref", "DT_INT4_REF", "", 1, kM | kI | kS},
    {"uint4_ref", "DT_UINT4_REF", "", 1, kM | kI},
    {"int2_ref", "DT_INT2_REF", "", 1, kM | kI | kS},
    {"uint2_ref", "DT_UINT2_REF", "", 1, kM | kI},
    {"float4_e2m1fn_ref", "DT_FLOAT4_E2M1FN_REF", "", 1, kM | kF},
};

constexpr DataTypeSet DataTypesWith(unsigned traits) {
  DataTypeSet set;
  for (int i = 1; i < kDataTypeCount; ++i) {
    if ((kDataTypeRows[i].traits & traits) != 0) set.insert(static_cast<DataType>(i));
  }
  return set;
}

}  // namespace detail

inline constexpr DataTypeSet kAllTypes{((std::uint64_t{1} << kDataTypeCount) - 1) & ~std::uint64_t{1}};
inline constexpr DataTypeSet kPlainTypes = detail::DataTypesWith(detail::kM);
inline constexpr DataTypeSet kNumberTypes = detail::DataTypesWith(detail::kN);          // `numbertype` of op specs
inline constexpr DataTypeSet kRealNumberTypes = detail::DataTypesWith(detail::kR);      // `realnumbertype`
inline constexpr DataTypeSet kQuantizedTypes = detail::DataTypesWith(detail::kQ);       // `quantizedtype`
inline constexpr DataTypeSet kFloatingTypes = detail::DataTypesWith(detail::kF);
inline constexpr DataTypeSet kIntegerTypes = detail::DataTypesWith(detail::kI);  // quantised ones are not among them
inline constexpr DataTypeSet kSignedTypes = detail::DataTypesWith(detail::kS);  // signed integers
inline constexpr DataTypeSet kComplexTypes = detail::DataTypesWith(detail::kC);

constexpr bool IsRefType(DataType type) { return static_cast<std::int32_t>(type) > kDataTypeRefOffset; }
// The argument must not be a reference type already.
constexpr DataType MakeRefType(DataType type) {
  return static_cast<DataType>(static_cast<std::int32_t>(type) + kDataTypeRefOffset);
}
// The argument must be a reference type.
constexpr DataType RemoveRefType(DataType type) {
  return static_cast<DataType>(static_cast<std::int32_t>(type) - kDataTypeRefOffset);
}
constexpr DataType BaseType(DataType type) { return IsRefType(type) ? RemoveRefType(type) : type; }
// A reference may be read where a value is expected, never the reverse.
constexpr bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == BaseType(actual);
}

// True for 1 .. 33 and 101 .. 133.
constexpr bool IsKnownType(DataType type) { return kAllTypes.contains(BaseType(type)); }

// As TensorFlow prints it: "float", "int32_ref", "INVALID". An unknown number gives "unknown dtype enum"
// (DataTypeString in dispatch.hpp adds the number).
constexpr std::string_view Name(DataType type) {
  if (type == DataType::kInvalid) return "INVALID";
  if (!IsKnownType(type)) return "unknown dtype enum";
  const std::string_view name = detail::kDataTypeRows[static_cast<std::int32_t>(BaseType(type))].ref_name;
  return IsRefType(type) ? name : name.substr(0, name.size() - 4);
}

// The name in protobuf text, e.g. "DT_FLOAT" or "DT_FLOAT_REF"; "" for an unknown number.
constexpr std::string_view EnumName(DataType type) {
  if (type == DataType::kInvalid) return "DT_INVALID";
  if (!IsKnownType(type)) return "";
  const std::string_view name = detail::kDataTypeRows[static_cast<std::int32_t>(BaseType(type))].ref_enum_name;
  return IsRefType(type) ? name : name.substr(0, name.size() - 4);
}

// Exact and case-sensitive; knows "float32", "float64", "float16" and one "_ref" at the end. kInvalid if there is no
// such type.
constexpr DataType DataTypeFromName(std::string_view name) {
  bool is_ref = false;
  if (name.size() > 4 && name.substr(name.size() - 4) == "_ref") {
    is_ref = true;
    name.remove_suffix(4);
  }
  if (name.empty()) return DataType::kInvalid;
  for (int i = 1; i < kDataTypeCount; ++i) {
    const detail::DataTypeRow& row = detail::kDataTypeRows[i];
    if (row.ref_name.substr(0, row.ref_name.size() - 4) != name && row.alias != name) continue;
    return static_cast<DataType>(is_ref ? i + kDataTypeRefOffset : i);
  }
  return DataType::kInvalid;
}

// The reverse of EnumName; kInvalid if there is no such type.
constexpr DataType DataTypeFromEnumName(std::string_view name) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const std::string_view ref_name = detail::kDataTypeRows[i].ref_enum_name;
    if (ref_name == name) return static_cast<DataType>(i + kDataTypeRefOffset);
    if (ref_name.substr(0, ref_name.size() - 4) == name) return static_cast<DataType>(i);
  }
  return DataType::kInvalid;
}

// Bytes of one element in a tensor; 0 for what is not plain memory (string, resource, variant), references and unknown
// numbers.
constexpr int SizeOf(DataType type) {
  const auto n = static_cast<std::uint32_t>(type);
  return n < static_cast<std::uint32_t>(kDataTypeCount) ? detail::kDataTypeRows[n].size : 0;
}

// All predicates are false for reference types.
constexpr bool IsPlain(DataType type) { return kPlainTypes.contains(type); }
constexpr bool IsFloating(DataType type) { return kFloatingTypes.contains(type); }
constexpr bool IsInteger(DataType type) { return kIntegerTypes.contains(type); }
constexpr bool IsSigned(DataType type) { return kSignedTypes.contains(type); }
constexpr bool IsUnsigned(DataType type) { return IsInteger(type) && !IsSigned(type); }
constexpr bool IsQuantized(DataType type) { return kQuantizedTypes.contains(type); }
constexpr bool IsComplex(DataType type) { return kComplexTypes.contains(type); }
// The elements stay in host memory whatever the device; a reference to a string too, one to a resource not.
constexpr bool AlwaysOnHost(DataType type) {
  return type == DataType::kString || type == MakeRefType(DataType::kString) || type == DataType::kResource;
}

TENON_NAMESPACE_END

// ---- tenon/types/dtype_of.hpp ----
// DataType <-> C++ type: dtype_of_v<float> is DataType::kFloat, type_of_t<DataType::kFloat> is float.
// Needs no definition of the element types; complex.hpp adds complex64 and complex128.
TENON_NAMESPACE_BEGIN

struct half;
struct bfloat16;
struct float8_e5m2;
struct float8_e4m3fn;
struct float8_e4m3fnuz;
struct float8_e4m3b11fnuz;
struct float8_e5m2fnuz;
struct float4_e2m1fn;
struct qint8;
struct quint8;
struct qint16;
struct quint16;
struct qint32;
struct int4;
struct uint4;
struct int2;
struct uint2;
class tstring;         // tensor/string_tensor.hpp
struct ResourceHandle; // tensor/resource_handle.hpp
class Variant;

// The DataType of elements of type T, as `value`; not defined for types that cannot be elements.
template <class T>
struct dtype_of;

// The C++ type of an element, as `type`; not defined for kInvalid and reference types.
template <DataType type>
struct type_of;

namespace detail {
template <DataType dtype>
struct DtypeConstant {
  static constexpr DataType value = dtype;
};
template <class T>
struct TypeConstant {
  using type = T;
};
}  // namespace detail

// clang-format off
template <> struct dtype_of<float> : detail::DtypeConstant<DataType::kFloat> {};
template <> struct dtype_of<double> : detail::DtypeConstant<DataType::kDouble> {};
template <> struct dtype_of<signed char> : detail::DtypeConstant<DataType::kInt8> {};
template <> struct dtype_of<unsigned char> : detail::DtypeConstant<DataType::kUint8> {};
template <> struct dtype_of<short> : detail::DtypeConstant<DataType::kInt16> {};
template <> struct dtype_of<unsigned short> : detail::DtypeConstant<DataType::kUint16> {};
template <> struct dtype_of<int> : detail::DtypeConstant<DataType::kInt32> {};
template <> struct dtype_of<unsigned int> : detail::DtypeConstant<DataType::kUint32> {};
// long has 4 or 8 bytes, depending on the platform; long long is a second 64-bit type beside std::int64_t.
template <> struct dtype_of<long> : detail::DtypeConstant<sizeof(long) == 4 ? DataType::kInt32 : DataType::kInt64> {};
template <> struct dtype_of<unsigned long>
    : detail::DtypeConstant<sizeof(long) == 4 ? DataType::kUint32 : DataType::kUint64> {};
template <> struct dtype_of<long long> : detail::DtypeConstant<DataType::kInt64> {};
template <> struct dtype_of<unsigned long long> : detail::DtypeConstant<DataType::kUint64> {};
template <> struct dtype_of<bool> : detail::DtypeConstant<DataType::kBool> {};
template <> struct dtype_of<half> : detail::DtypeConstant<DataType::kHalf> {};
template <> struct dtype_of<bfloat16> : detail::DtypeConstant<DataType::kBfloat16> {};
template <> struct dtype_of<float8_e5m2> : detail::DtypeConstant<DataType::kFloat8E5M2> {};
template <> struct dtype_of<float8_e4m3fn> : detail::DtypeConstant<DataType::kFloat8E4M3FN> {};
template <> struct dtype_of<float8_e4m3fnuz> : detail::DtypeConstant<DataType::kFloat8E4M3FNUZ> {};
template <> struct dtype_of<float8_e4m3b11fnuz> : detail::DtypeConstant<DataType::kFloat8E4M3B11FNUZ> {};
template <> struct dtype_of<float8_e5m2fnuz> : detail::DtypeConstant<DataType::kFloat8E5M2FNUZ> {};
template <> struct dtype_of<float4_e2m1fn> : detail::DtypeConstant<DataType::kFloat4E2M1FN> {};
template <> struct dtype_of<qint8> : detail::DtypeConstant<DataType::kQint8> {};
template <> struct dtype_of<quint8> : detail::DtypeConstant<DataType::kQuint8> {};
template <> struct dtype_of<qint16> : detail::DtypeConstant<DataType::kQint16> {};
template <> struct dtype_of<quint16> : detail::DtypeConstant<DataType::kQuint16> {};
template <> struct dtype_of<qint32> : detail::DtypeConstant<DataType::kQint32> {};
template <> struct dtype_of<int4> : detail::DtypeConstant<DataType::kInt4> {};
template <> struct dtype_of<uint4> : detail::DtypeConstant<DataType::kUint4> {};
template <> struct dtype_of<int2> : detail::DtypeConstant<DataType::kInt2> {};
template <> struct dtype_of<uint2> : detail::DtypeConstant<DataType::kUint2> {};
template <> struct dtype_of<tstring> : detail::DtypeConstant<DataType::kString> {};
template <> struct dtype_of<ResourceHandle> : detail::DtypeConstant<DataType::kResource> {};
template <> struct dtype_of<Variant> : detail::DtypeConstant<DataType::kVariant> {};

template <> struct type_of<DataType::kFloat> : detail::TypeConstant<float> {};
template <> struct type_of<DataType::kDouble> : detail::TypeConstant<double> {};
template <> struct type_of<DataType::kInt8> : detail::TypeConstant<std::int8_t> {};
template <> struct type_of<DataType::kUint8> : detail::TypeConstant<std::uint8_t> {};
template <> struct type_of<DataType::kInt16> : detail::TypeConstant<std::int16_t> {};
template <> struct type_of<DataType::kUint16> : detail::TypeConstant<std::uint16_t> {};
template <> struct type_of<DataType::kInt32> : detail::TypeConstant<std::int32_t> {};
template <> struct type_of<DataType::kUint32> : detail::TypeConstant<std::uint32_t> {};
template <> struct type_of<DataType::kInt64> : detail::TypeConstant<std::int64_t> {};
template <> struct type_of<DataType::kUint64> : detail::TypeConstant<std::uint64_t> {};
template <> struct type_of<DataType::kBool> : detail::TypeConstant<bool> {};
template <> struct type_of<DataType::kHalf> : detail::TypeConstant<half> {};
template <> struct type_of<DataType::kBfloat16> : detail::TypeConstant<bfloat16> {};
template <> struct type_of<DataType::kFloat8E5M2> : detail::TypeConstant<float8_e5m2> {};
template <> struct type_of<DataType::kFloat8E4M3FN> : detail::TypeConstant<float8_e4m3fn> {};
template <> struct type_of<DataType::kFloat8E4M3FNUZ> : detail::TypeConstant<float8_e4m3fnuz> {};
template <> struct type_of<DataType::kFloat8E4M3B11FNUZ> : detail::TypeConstant<float8_e4m3b11fnuz> {};
template <> struct type_of<DataType::kFloat8E5M2FNUZ> : detail::TypeConstant<float8_e5m2fnuz> {};
template <> struct type_of<DataType::kFloat4E2M1FN> : detail::TypeConstant<float4_e2m1fn> {};
template <> struct type_of<DataType::kQint8> : detail::TypeConstant<qint8> {};
template <> struct type_of<DataType::kQuint8> : detail::TypeConstant<quint8> {};
template <> struct type_of<DataType::kQint16> : detail::TypeConstant<qint16> {};
template <> struct type_of<DataType::kQuint16> : detail::TypeConstant<quint16> {};
template <> struct type_of<DataType::kQint32> : detail::TypeConstant<qint32> {};
template <> struct type_of<DataType::kInt4> : detail::TypeConstant<int4> {};
template <> struct type_of<DataType::kUint4> : detail::TypeConstant<uint4> {};
template <> struct type_of<DataType::kInt2> : detail::TypeConstant<int2> {};
template <> struct type_of<DataType::kUint2> : detail::TypeConstant<uint2> {};
template <> struct type_of<DataType::kString> : detail::TypeConstant<tstring> {};
template <> struct type_of<DataType::kResource> : detail::TypeConstant<ResourceHandle> {};
template <> struct type_of<DataType::kVariant> : detail::TypeConstant<Variant> {};
// clang-format on

template <class T>
inline constexpr DataType dtype_of_v = dtype_of<T>::value;
template <DataType type>
using type_of_t = typename type_of<type>::type;

// What a tensor can hold.
template <class T>
concept ElementType = requires { dtype_of<T>::value; };

// An element that is nothing but its bytes: may be copied with memcpy and live in device memory.
template <class T>
concept Trivial = ElementType<T> && kPlainTypes.contains(dtype_of<T>::value);

TENON_NAMESPACE_END

// ---- tenon/memory/cpu_allocator.hpp ----
// The processor's memory: aligned_alloc behind bounded thread-local lists of small free blocks (a hit costs a few
// nanoseconds, aligned_alloc 40-70), huge pages for large blocks, statistics on demand.
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

// ---- tenon/base/log.hpp ----
// TENON_LOG(kWarning, "pieces ", 1, " of text"): one line to stderr, or to the sink set by SetLogSink.
// The environment variable TENON_MIN_LOG_LEVEL (0 info, 1 warning, 2 error, 3 nothing) or SetMinLogSeverity says from
// which severity on; what is below it costs one load, its pieces are not evaluated.
TENON_NAMESPACE_BEGIN

enum class LogSeverity : int { kInfo = 0, kWarning = 1, kError = 2, kNone = 3 };  // kNone: a threshold only

struct LogEntry {
  LogSeverity severity;
  std::string_view file;  // without folders
  int line;
  std::string_view text;  // without a line end
};

// Where lines go instead of stderr. Send is called from any thread, several at a time.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Send(const LogEntry& entry) = 0;
};

namespace detail {

inline int LogSeverityFromEnvironment() {
  const char* text = std::getenv("TENON_MIN_LOG_LEVEL");
  int level = 0;
  if (text == nullptr || !ParseInt(text, &level) || level < 0) return 0;
  return level < 3 ? level : 3;
}

inline std::atomic<int>& MinLogSeverity() {
  static std::atomic<int> severity{LogSeverityFromEnvironment()};
  return severity;
}

inline constinit std::atomic<LogSink*> log_sink{nullptr};

TENON_COLD inline void WriteLog(LogSeverity severity, std::string_view file, int line, const std::string& text) {
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (LogSink* sink = log_sink.load(std::memory_order_acquire); sink != nullptr) {
    sink->Send(LogEntry{severity, file, line, text});
    return;
  }
  const char letter = severity == LogSeverity::kInfo ? 'I' : severity == LogSeverity::kWarning ? 'W' : 'E';
  const std::string whole = StrCat(letter, " ", file, ":", line, "] ", text, '\n');
  std::fwrite(whole.data(), 1, whole.size(), stderr);  // one call: lines of two threads do not mix
}

}  // namespace detail

inline bool LogEnabled(LogSeverity severity) {
  return static_cast<int>(severity) >= detail::MinLogSeverity().load(std::memory_order_relaxed);
}
inline LogSeverity MinLogSeverity() {
  return static_cast<LogSeverity>(detail::MinLogSeverity().load(std::memory_order_relaxed));
}
inline void SetMinLogSeverity(LogSeverity severity) {
  detail::MinLogSeverity().store(static_cast<int>(severity), std::memory_order_relaxed);
}
// The sink must live until it is replaced and no line is on its way; null: stderr again. Returns the one before.
inline LogSink* SetLogSink(LogSink* sink) { return detail::log_sink.exchange(sink, std::memory_order_acq_rel); }

TENON_NAMESPACE_END

// severity: kInfo, kWarning or kError. Prints e.g. "W cpu_allocator.hpp:88] Allocation of ...".
#define TENON_LOG(severity, ...)                                                                                   \
  do {                                                                                                             \
    if (::tenon::LogEnabled(::tenon::LogSeverity::severity))                                                       \
      ::tenon::detail::WriteLog(::tenon::LogSeverity::severity, __FILE__, __LINE__, ::tenon::StrCat(__VA_ARGS__)); \
  } while (false)

// ---- tenon/memory/stats.hpp ----
// Counters an allocator may report, with TensorFlow's names and its printed form. Sizes are in bytes.
TENON_NAMESPACE_BEGIN

struct AllocatorStats {
  std::int64_t num_allocs = 0;
  std::int64_t bytes_in_use = 0;
  std::int64_t peak_bytes_in_use = 0;
  std::int64_t largest_alloc_size = 0;
  std::optional<std::int64_t> bytes_limit;  // absent: no limit but the machine's
  std::int64_t bytes_reserved = 0;          // taken from the system or the base allocator, in use or not
  std::int64_t peak_bytes_reserved = 0;
  std::optional<std::int64_t> bytes_reservable_limit;
  std::int64_t largest_free_block_bytes = 0;
  std::optional<std::int64_t> pool_bytes;
  std::optional<std::int64_t> peak_pool_bytes;

  std::string DebugString() const;  // eight lines: a label padded to 18 columns, the number right-aligned in 20
};

namespace detail {

inline void AppendStatsLine(std::string* out, std::string_view label, std::int64_t value) {
  const std::string digits = StrCat(value);
  out->append(label);
  out->append(18 - label.size() + (digits.size() < 20 ? 20 - digits.size() : 0), ' ');
  out->append(digits);
  out->push_back('\n');
}

}  // namespace detail

inline std::string AllocatorStats::DebugString() const {
  std::string text;
  detail::AppendStatsLine(&text, "Limit:", bytes_limit.value_or(0));
  detail::AppendStatsLine(&text, "InUse:", bytes_in_use);
  detail::AppendStatsLine(&text, "MaxInUse:", peak_bytes_in_use);
  detail::AppendStatsLine(&text, "NumAllocs:", num_allocs);
  detail::AppendStatsLine(&text, "MaxAllocSize:", largest_alloc_size);
  detail::AppendStatsLine(&text, "Reserved:", bytes_reserved);
  detail::AppendStatsLine(&text, "PeakReserved:", peak_bytes_reserved);
  detail::AppendStatsLine(&text, "LargestFreeBlock:", largest_free_block_bytes);
  return text;
}

TENON_NAMESPACE_END

// ---- tenon/memory/allocator.hpp ----
// The allocator interface every device's memory stands behind, and the attributes by which a device chooses one.
// Differs from TensorFlow's in one point: DeallocateRaw is told the alignment and size that were asked for,
// so that no allocator needs a header or a look-up to find them.
TENON_NAMESPACE_BEGIN

template <class Signature>
class Function;

enum class AllocatorMemoryType { kUnknown = 0, kDevice = 1, kHostPageable = 2, kHostPinned = 3 };

// How one allocation is to be tried.
struct AllocationAttributes {
  bool retry_on_failure = true;  // may wait for memory to come back; false: fail at once
  bool allocation_will_be_logged = false;
  // Of an allocator with timestamps (BFCAllocator::SetTimingCounter): only memory that was freed at or before the count
  // which this returns, asked anew for each try. Null or 0: any free memory.
  const Function<std::uint64_t()>* freed_by_func = nullptr;
};

// thread-safe. Blocks may be freed by another thread than the one that allocated them.
class Allocator {
 public:
  static constexpr std::size_t kAlignment = 64;  // bytes; what tensors ask for, and the least that is ever given

  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  virtual std::string_view Name() const = 0;

  // A block of at least `bytes` bytes, uninitialised, aligned to `alignment` (a power of two) and to kAlignment at
  // least; null when there is no memory. Zero bytes give a block too (it must be freed like any other).
  virtual void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) = 0;

  // Takes back a block of this allocator; `alignment` and `bytes` as they were asked for. Null is ignored.
  virtual void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) = 0;

  // Only an allocator that tracks sizes may be asked for the sizes of a block.
  virtual bool TracksAllocationSizes() const { return false; }
  virtual std::size_t RequestedSize(const void* /*ptr*/) const {
    TENON_CHECK(false, "Allocator::RequestedSize: '", Name(), "' does not track allocation sizes.");
    return 0;
  }
  virtual std::size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
  virtual std::int64_t AllocationId(const void* /*ptr*/) const { return 0; }  // 0: not known; ids start at 1

  virtual std::optional<AllocatorStats> GetStats() const { return std::nullopt; }
  virtual bool ClearStats() { return false; }  // true if there were counters to clear; the peak becomes what is in use

  virtual AllocatorMemoryType GetMemoryType() const { return AllocatorMemoryType::kUnknown; }
  virtual bool HostAccessible() const { return true; }  // may the processor read and write the blocks?
};

// Which of a device's allocators is meant. Setters only add: `set_x(false)` changes nothing.
struct AllocatorAttributes {
  constexpr void set_on_host(bool v) { value |= static_cast<std::uint32_t>(v); }
  constexpr bool on_host() const { return (value & 1u) != 0; }
  constexpr void set_nic_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 1; }
  constexpr bool nic_compatible() const { return (value & 2u) != 0; }
  constexpr void set_gpu_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 2; }
  constexpr bool gpu_compatible() const { return (value & 4u) != 0; }
  constexpr void set_use_pjrt_allocator(bool v) { value |= static_cast<std::uint32_t>(v) << 3; }
  constexpr bool use_pjrt_allocator() const { return (value & 8u) != 0; }

  // What both ask for. At most one of two different scope ids may be set.
  void Merge(const AllocatorAttributes& other) {
    value |= other.value;
    if (scope_id == other.scope_id) return;
    TENON_CHECK(scope_id == 0 || other.scope_id == 0,
                "AllocatorAttributes::Merge: at most one scope_id may be set, got ", scope_id, " and ", other.scope_id,
                ".");
    if (scope_id == 0) scope_id = other.scope_id;
  }
  // True if memory that satisfies `other` satisfies this one too. The scope id does not count.
  constexpr bool IsEqualOrLessRestrictiveThan(const AllocatorAttributes& other) const {
    return (value | other.value) == other.value;
  }
  std::string DebugString() const {
    return StrCat("AllocatorAttributes(on_host=", on_host(), " nic_compatible=", nic_compatible(),
                  " gpu_compatible=", gpu_compatible(), ")");
  }

  std::uint32_t value = 0;
  std::int32_t scope_id = 0;  // of a ScopedAllocator; 0: none
};

TENON_NAMESPACE_END

// ---- tenon/memory/block.hpp ----
// What the allocators that keep free blocks share: size classes (four per power of two), the link inside a free block,
// and the marks by which AddressSanitizer still finds a use after free and a write past the end.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_DETAIL_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TENON_DETAIL_ASAN 1
#endif
#if defined(TENON_DETAIL_ASAN)
#include <sanitizer/asan_interface.h>
#endif

TENON_NAMESPACE_BEGIN
namespace detail {

// Classes hold 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, ... bytes: all multiples of 64,
// and above 256 bytes at most a quarter more than what was asked for.
inline constexpr std::size_t kNumSizeClasses = 228;                  // every std::size_t has a class ...
inline constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 47;  // ... but larger blocks are never given

constexpr std::size_t SizeClass(std::size_t bytes) {
  const std::size_t last = bytes - static_cast<std::size_t>(bytes != 0);
  const int width = static_cast<int>(std::bit_width(last | 0x1ff));
  const auto shift = static_cast<std::size_t>(width - 3);
  return (shift - 6) * 4 + (last >> shift);
}

constexpr std::size_t SizeClassBytes(std::size_t size_class) {
  return size_class < 4 ? (size_class + 1) << 6 : (size_class % 4 + 5) << (size_class / 4 + 5);
}

// The first word of a block on a free list.
struct FreeBlock {
  FreeBlock* next;
};

// Whoever asked for the block may touch its first `bytes` bytes, and none after them. `block_bytes`: its class's size.
inline void MarkInUse([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes,
                      [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, bytes);
  __asan_poison_memory_region(static_cast<char*>(block) + bytes, block_bytes - bytes);
#endif
}

// Nobody may touch the block but for its link.
inline void MarkFree([[maybe_unused]] void* block, [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, sizeof(FreeBlock));
  __asan_poison_memory_region(static_cast<char*>(block) + sizeof(FreeBlock), block_bytes - sizeof(FreeBlock));
#endif
}

// The whole block goes back to where it came from.
inline void MarkReturned([[maybe_unused]] void* block, [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, block_bytes);
#endif
}

}  // namespace detail
TENON_NAMESPACE_END

#undef TENON_DETAIL_ASAN

// ---- tenon/memory/cpu_allocator.hpp ----
TENON_NAMESPACE_BEGIN
namespace detail {

// The free blocks that one thread keeps: at most 32 KiB or two blocks of each size class, 1 MiB in all. one thread;
// given back when the thread ends.
struct CpuBlockCache {
  static constexpr std::size_t kLargestBlock = std::size_t{32} << 10;
  static constexpr std::size_t kNumClasses = SizeClass(kLargestBlock) + 1;
  static constexpr std::size_t kBytesPerClass = std::size_t{32} << 10;
  enum class State : unsigned char { kUnused, kOpen, kClosed };

  static constexpr std::uint32_t MaxBlocks(std::size_t size_class) {
    const std::size_t count = kBytesPerClass / SizeClassBytes(size_class);
    return static_cast<std::uint32_t>(count < 2 ? 2 : count > 64 ? 64 : count);
  }

  void FreeAll() {
    for (std::size_t c = 0; c < kNumClasses; ++c) {
      while (FreeBlock* block = lists[c]) {
        lists[c] = block->next;
        MarkReturned(block, SizeClassBytes(c));
        std::free(block);
      }
      counts[c] = 0;
    }
  }

  FreeBlock* lists[kNumClasses];
  std::uint32_t counts[kNumClasses];
  State state;  // kClosed: the thread is ending, its blocks go straight back
};

static_assert([] {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < CpuBlockCache::kNumClasses; ++c) bytes += CpuBlockCache::MaxBlocks(c) * SizeClassBytes(c);
  return bytes;
}() <= std::size_t{1} << 20);

// Constant-initialised and trivially destroyed, so that an access is one instruction; CpuBlockCacheCloser ends it.
inline constinit thread_local CpuBlockCache cpu_block_cache{};

struct CpuBlockCacheCloser {
  CpuBlockCacheCloser() { cpu_block_cache.state = CpuBlockCache::State::kOpen; }
  ~CpuBlockCacheCloser() {
    cpu_block_cache.FreeAll();
    cpu_block_cache.state = CpuBlockCache::State::kClosed;
  }
  CpuBlockCacheCloser(const CpuBlockCacheCloser&) = delete;
  CpuBlockCacheCloser& operator=(const CpuBlockCacheCloser&) = delete;
};

// True if this thread may keep blocks. Arranges at the first call that they are freed when the thread ends.
TENON_COLD inline bool OpenCpuBlockCache() {
  if (cpu_block_cache.state == CpuBlockCache::State::kClosed) return false;
  static thread_local CpuBlockCacheCloser closer;
  return cpu_block_cache.state == CpuBlockCache::State::kOpen;
}

// Bytes of memory nobody uses now; 0 where it is not known.
inline std::int64_t FreeSystemMemory() {
#if defined(__linux__)
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

}  // namespace detail

// The class of CpuAllocator(), of which there is one in the process. thread-safe.
class HostAllocator final : public Allocator {
 public:
  static constexpr std::size_t kHugePageThreshold = std::size_t{4} << 20;  // from here on, huge pages are asked for
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr int kMaxSingleAllocationWarnings = 5;

  std::string_view Name() const override { return "cpu"; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kHostPageable; }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& = {}) override {
    void* ptr = nullptr;
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) [[likely]] {
      ptr = AllocateSmall(bytes);
    } else {
      ptr = AllocateLarge(alignment, bytes);
    }
    if (stats_enabled_.load(std::memory_order_relaxed)) [[unlikely]] {
      if (ptr != nullptr) CountAllocation(BlockBytes(alignment, bytes));
    }
    return ptr;
  }

  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    if (stats_enabled_.load(std::memory_order_relaxed)) [[unlikely]] {
      bytes_in_use_.fetch_sub(BlockBytes(alignment, bytes), std::memory_order_relaxed);
    }
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) [[likely]] {
      DeallocateSmall(ptr, bytes);
    } else {
      std::free(ptr);
    }
  }

  // Counts from now on. A block that was allocated before and is freed after counts as a negative number of bytes.
  void EnableStats(bool enabled) { stats_enabled_.store(enabled, std::memory_order_relaxed); }

  // Nothing unless EnableStats was called. Bytes are those of the blocks: a little more than was asked for.
  std::optional<AllocatorStats> GetStats() const override {
    if (!stats_enabled_.load(std::memory_order_relaxed)) return std::nullopt;
    AllocatorStats stats;
    stats.num_allocs = num_allocs_.load(std::memory_order_relaxed);
    stats.bytes_in_use = bytes_in_use_.load(std::memory_order_relaxed);
    stats.peak_bytes_in_use = peak_bytes_in_use_.load(std::memory_order_relaxed);
    stats.largest_alloc_size = largest_alloc_size_.load(std::memory_order_relaxed);
    return stats;
  }

  bool ClearStats() override {
    if (!stats_enabled_.load(std::memory_order_relaxed)) return false;
    num_allocs_.store(0, std::memory_order_relaxed);
    peak_bytes_in_use_.store(bytes_in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    largest_alloc_size_.store(0, std::memory_order_relaxed);
    return true;
  }

  // Gives the free blocks of the calling thread back to the system.
  void ReleaseThreadCache() { detail::cpu_block_cache.FreeAll(); }

 private:
  static void* AllocateSmall(std::size_t bytes) {
    detail::CpuBlockCache& cache = detail::cpu_block_cache;
    const std::size_t c = detail::SizeClass(bytes);
    if (detail::FreeBlock* block = cache.lists[c]; block != nullptr) [[likely]] {
      cache.lists[c] = block->next;
      --cache.counts[c];
      detail::MarkInUse(block, bytes, detail::SizeClassBytes(c));
      return block;
    }
    void* const fresh = std::aligned_alloc(kAlignment, detail::SizeClassBytes(c));
    if (fresh != nullptr) detail::MarkInUse(fresh, bytes, detail::SizeClassBytes(c));
    return fresh;
  }

  static void DeallocateSmall(void* ptr, std::size_t bytes) {
    detail::CpuBlockCache& cache = detail::cpu_block_cache;
    const std::size_t c = detail::SizeClass(bytes);
    const bool open = cache.state == detail::CpuBlockCache::State::kOpen || detail::OpenCpuBlockCache();
    if (!open || cache.counts[c] >= detail::CpuBlockCache::MaxBlocks(c)) [[unlikely]] {
      detail::MarkReturned(ptr, detail::SizeClassBytes(c));
      std::free(ptr);
      return;
    }
    detail::MarkFree(ptr, detail::SizeClassBytes(c));
    cache.lists[c] = ::new (ptr) detail::FreeBlock{cache.lists[c]};
    ++cache.counts[c];
  }

  TENON_COLD void* AllocateLarge(std::size_t alignment, std::size_t bytes) {
    if (bytes > detail::kMaxBlockBytes || alignment > detail::kMaxBlockBytes) return nullptr;
    WarnIfMuch(bytes);
    if (alignment < kAlignment) alignment = kAlignment;
    if (bytes >= kHugePageThreshold && alignment < kHugePage) alignment = kHugePage;
    void* ptr = std::aligned_alloc(alignment, RoundUp(bytes, alignment));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t kPage = 4096;
    if (ptr != nullptr && bytes >= kHugePageThreshold) madvise(ptr, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return ptr;
  }

  // What a block of the given request holds.
  static std::int64_t BlockBytes(std::size_t alignment, std::size_t bytes) {
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) {
      return static_cast<std::int64_t>(detail::SizeClassBytes(detail::SizeClass(bytes)));
    }
    return static_cast<std::int64_t>(RoundUp(bytes, kAlignment));
  }
  static constexpr std::size_t RoundUp(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }

  TENON_COLD void CountAllocation(std::int64_t bytes) {
    num_allocs_.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t in_use = bytes_in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    RaiseTo(peak_bytes_in_use_, in_use);
    RaiseTo(largest_alloc_size_, bytes);
    static const std::int64_t half_of_free_memory = detail::FreeSystemMemory() / 2;
    if (half_of_free_memory > 0 && in_use > half_of_free_memory && !warned_of_total_.exchange(true)) {
      TENON_LOG(kWarning, "Total allocated memory ", in_use, " exceeds 50% of free system memory.");
    }
  }
  static void RaiseTo(std::atomic<std::int64_t>& maximum, std::int64_t value) {
    std::int64_t seen = maximum.load(std::memory_order_relaxed);
    while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  void WarnIfMuch(std::size_t bytes) {
    static const std::int64_t tenth_of_free_memory = detail::FreeSystemMemory() / 10;  // as it was at the first call
    if (tenth_of_free_memory <= 0 || static_cast<std::int64_t>(bytes) <= tenth_of_free_memory) return;
    if (single_allocation_warnings_.load(std::memory_order_relaxed) >= kMaxSingleAllocationWarnings) return;
    single_allocation_warnings_.fetch_add(1, std::memory_order_relaxed);
    TENON_LOG(kWarning, "Allocation of ", bytes, " exceeds 10% of free system memory.");
  }

  std::atomic<bool> stats_enabled_{false};
  std::atomic<bool> warned_of_total_{false};
  std::atomic<int> single_allocation_warnings_{0};
  std::atomic<std::int64_t> num_allocs_{0};
  std::atomic<std::int64_t> bytes_in_use_{0};
  std::atomic<std::int64_t> peak_bytes_in_use_{0};
  std::atomic<std::int64_t> largest_alloc_size_{0};
};

namespace detail {
// Never destroyed: tensors in static objects may be freed after the end of main. Constant-initialised: no guard.
union HostAllocatorStorage {
  constexpr HostAllocatorStorage() : allocator() {}
  constexpr ~HostAllocatorStorage() {}
  HostAllocator allocator;
};
inline constinit HostAllocatorStorage host_allocator;
}  // namespace detail

// The process-wide allocator of ordinary memory. thread-safe; lives as long as the process.
inline HostAllocator* CpuAllocator() { return &detail::host_allocator.allocator; }

// Off at first: the counters cost a few nanoseconds an allocation and are shared by all threads.
inline void EnableCpuAllocatorStats(bool enabled = true) { CpuAllocator()->EnableStats(enabled); }

TENON_NAMESPACE_END

// ---- tenon/tensor/buffer.hpp ----
// Buffer: ref-counted bytes that tensors share. In host memory the header and the data are one block of the allocator.
TENON_NAMESPACE_BEGIN

// Starts with one reference, which belongs to whoever made it. Counts are thread-safe; the bytes are externally
// synchronised. A slice of a buffer keeps the root buffer (the one that is not a slice) alive.
class alignas(64) Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // `bytes` uninitialised bytes, aligned to 64, from the allocator (which outlives the buffer): one call of it where
  // the host can access its memory; otherwise the header is on the host's heap. Null when there is no memory.
  static Buffer* Allocate(Allocator* allocator, std::size_t bytes, const AllocationAttributes& attributes = {}) {
    if (!allocator->HostAccessible()) [[unlikely]]
      return AllocateApart(allocator, bytes, attributes);
    if (bytes > kMaxBytes) [[unlikely]]
      return nullptr;
    void* block = allocator->AllocateRaw(Allocator::kAlignment, sizeof(Buffer) + bytes, attributes);
    if (block == nullptr) [[unlikely]]
      return nullptr;
    return ::new (block) Buffer(static_cast<char*>(block) + sizeof(Buffer), bytes, allocator, &FreeJoint, true);
  }

  // n value-initialised objects, destroyed with the buffer. The allocator's memory must be accessible to the host.
  template <class T>
  static Buffer* AllocateObjects(Allocator* allocator, std::size_t n) {
    static_assert(alignof(T) <= Allocator::kAlignment);
    if (n > kMaxBytes / sizeof(T) || !allocator->HostAccessible()) return nullptr;
    Buffer* buffer = Allocate(allocator, n * sizeof(T));
    if (buffer == nullptr) return nullptr;
    T* objects = static_cast<T*>(buffer->data_);
    for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(objects + i)) T();
    if constexpr (!std::is_trivially_destructible_v<T>) buffer->free_ = &FreeObjects<T>;
    return buffer;
  }

  // Memory that belongs to somebody else. `deleter(data, arg)` runs when the last reference goes, on that thread; it
  // may be null. Nobody writes to such a buffer in place (OwnsMemory() is false).
  static Buffer* Wrap(void* data, std::size_t bytes, void (*deleter)(void* data, void* arg), void* arg) {
    Buffer* buffer = new Buffer(data, bytes, nullptr, &FreeWrapped, false);
    buffer->deleter_ = deleter;
    buffer->arg_ = arg;
    return buffer;
  }
  // The same with any callable, deleter().
  template <class Deleter>
    requires std::is_invocable_v<Deleter&>
  static Buffer* Wrap(void* data, std::size_t bytes, Deleter deleter) {
    const auto run = [](void*, void* arg) {
      Deleter* owned = static_cast<Deleter*>(arg);
      (*owned)();
      delete owned;
    };
    return Wrap(data, bytes, run, new Deleter(std::move(deleter)));
  }

  // Bytes inside `parent`, whose root gets one more reference.
  static Buffer* Slice(Buffer* parent, void* data, std::size_t bytes) {
    Buffer* root = parent->root_;
    root->Ref();
    Buffer* buffer = new Buffer(data, bytes, root->allocator_, &FreeSlice, root->owns_memory_);
    buffer->root_ = root;
    return buffer;
  }

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Frees the buffer with the last reference.
  void Unref() {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) free_(this);
  }
  // True if nobody else can see the bytes and they may be overwritten: a kernel may compute in place.
  bool RefCountIsOne() const {
    return refs_.load(std::memory_order_acquire) == 1 && owns_memory_ &&
           (root_ == this || root_->refs_.load(std::memory_order_acquire) == 1);
  }

  void* data() const { return data_; }
  std::size_t size() const { return size_; }  // bytes
  Buffer* root() { return root_; }
  const Buffer* root() const { return root_; }
  bool OwnsMemory() const { return owns_memory_; }
  Allocator* allocator() const { return allocator_; }  // null for memory of somebody else
  // May the host read the bytes?
  bool HostAccessible() const { return allocator_ == nullptr || allocator_->HostAccessible(); }

 private:
  static constexpr std::size_t kMaxBytes = std::numeric_limits<std::size_t>::max() / 2 - 64;

  Buffer(void* data, std::size_t bytes, Allocator* allocator, void (*free)(Buffer*), bool owns_memory)
      : data_(data), size_(bytes), root_(this), allocator_(allocator), free_(free), owns_memory_(owns_memory) {}
  ~Buffer() = default;

  // Device memory: bytes from the allocator, header on the heap.
  TENON_COLD static Buffer* AllocateApart(Allocator* allocator, std::size_t bytes,
                                          const AllocationAttributes& attributes) {
    void* block = allocator->AllocateRaw(Allocator::kAlignment, bytes, attributes);
    if (block == nullptr) return nullptr;
    return new Buffer(block, bytes, allocator, &FreeApart, true);
  }
  static void FreeJoint(Buffer* buffer) {
    Allocator* allocator = buffer->allocator_;
    const std::size_t bytes = sizeof(Buffer) + buffer->size_;
    buffer->~Buffer();
    allocator->DeallocateRaw(buffer, Allocator::kAlignment, bytes);
  }
  template <class T>
  static void FreeObjects(Buffer* buffer) {
    T* objects = static_cast<T*>(buffer->data_);
    for (std::size_t i = buffer->size_ / sizeof(T); i > 0; --i) objects[i - 1].~T();
    FreeJoint(buffer);
  }
  TENON_COLD static void FreeApart(Buffer* buffer) {
    buffer->allocator_->DeallocateRaw(buffer->data_, Allocator::kAlignment, buffer->size_);
    delete buffer;
  }
  TENON_COLD static void FreeWrapped(Buffer* buffer) {
    if (buffer->deleter_ != nullptr) buffer->deleter_(buffer->data_, buffer->arg_);
    delete buffer;
  }
  TENON_COLD static void FreeSlice(Buffer* buffer) {
    Buffer* root = buffer->root_;
    delete buffer;
    root->Unref();
  }

  void* data_;
  std::size_t size_;
  Buffer* root_;
  Allocator* allocator_;
  void (*free_)(Buffer*);
  void (*deleter_)(void* data, void* arg) = nullptr;  // wrapped memory only
  void* arg_ = nullptr;
  std::atomic<std::int32_t> refs_{1};
  bool owns_memory_;
};
static_assert(sizeof(Buffer) == 64, "the data of a tensor follows the header and stays 64-byte aligned");

TENON_NAMESPACE_END

// ---- tenon/types/numeric.hpp ----
// The element types that C++ does not have: half, bfloat16, the 8- and 4-bit floats, quantised and sub-byte integers.
// Trivially copyable, usable in constant expressions and on a GPU. They store values; arithmetic goes through float.
TENON_NAMESPACE_BEGIN
namespace detail {

// std::bit_cast may not be called on a GPU; the builtin below it may, and g++, clang, nvcc and MSVC all have it.
template <class To, class From>
TENON_HD constexpr To BitCast(From from) {
  return __builtin_bit_cast(To, from);
}

// condition ? a : b without a jump: the conversions below stay loops that compilers turn into vector code.
template <class Word>
TENON_HD constexpr Word Select(bool condition, Word a, Word b) {
  const Word mask = Word{0} - static_cast<Word>(condition);
  return (a & mask) | (b & ~mask);
}

// What a small float format has beside finite numbers.
enum class FloatSpecials {
  kInfAndNan,   // as IEEE 754: the largest exponent means infinity (mantissa 0) or NaN
  kNanOnly,     // "fn": no infinity; only all ones is NaN
  kOneNan,      // "fnuz": no infinity, no negative zero; its pattern is the only NaN
  kFiniteOnly,  // "fn" without room for NaN
};

// The layout of a wider float that values come from.
template <class Float>
struct WideFloat;
template <>
struct WideFloat<float> {
  using Word = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
};
template <>
struct WideFloat<double> {
  using Word = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
};

// A binary format of 1 sign bit, E exponent bits and M mantissa bits; an exponent field e > 0 means 2^(e - bias).
template <int E, int M, int Bias, FloatSpecials kSpecials>
struct FloatFormat {
  static constexpr int exponent_bits = E;
  static constexpr int mantissa_bits = M;
  static constexpr int bias = Bias;
  static constexpr FloatSpecials specials = kSpecials;
  static constexpr std::uint32_t sign_bit = 1u << (E + M);
  static constexpr std::uint32_t inf_bits = ((1u << E) - 1) << M;  // kInfAndNan only
  static constexpr std::uint32_t nan_bits = kSpecials == FloatSpecials::kInfAndNan ? inf_bits | (1u << (M - 1))
                                            : kSpecials == FloatSpecials::kOneNan  ? sign_bit
                                                                                   : sign_bit - 1;
  static constexpr std::uint32_t max_bits = kSpecials == FloatSpecials::kInfAndNan ? inf_bits - 1
                                            : kSpecials == FloatSpecials::kNanOnly ? sign_bit - 2
                                                                                   : sign_bit - 1;

  // 2^n as a wide float; n must be in its normal range.
  template <class Float>
  TENON_HD static constexpr Float PowerOfTwo(int n) {
    using Wide = WideFloat<Float>;
    return BitCast<Float>(static_cast<typename Wide::Word>(n + Wide::bias) << Wide::mantissa_bits);
  }

  // Exact. NaNs keep their sign and payload where the format has such.
  TENON_HD static constexpr float ToFloat(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & (sign_bit - 1);
    const std::uint32_t sign = (bits & sign_bit) << (31 - E - M);
    if constexpr (E == 8) {
      return BitCast<float>(sign | (magnitude << (23 - M)));  // the same exponents as float
    } else {
      constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Bias) << 23;
      constexpr float kSubnormalUnit = PowerOfTwo<float>(1 - Bias - M);
      const std::uint32_t normal = (magnitude << (23 - M)) + kRebias;
      const float subnormal_value = static_cast<float>(static_cast<std::int32_t>(magnitude)) * kSubnormalUnit;
      const std::uint32_t subnormal = BitCast<std::uint32_t>(subnormal_value);
      std::uint32_t result = Select(magnitude < (1u << M), subnormal, normal);
      if constexpr (kSpecials == FloatSpecials::kInfAndNan) {
        result |= Select(magnitude >= inf_bits, 0x7f800000u, 0u);
      } else if constexpr (kSpecials == FloatSpecials::kNanOnly) {
        result = Select(magnitude == nan_bits, 0x7fc00000u, result);
      } else if constexpr (kSpecials == FloatSpecials::kOneNan) {
        result |= Select(bits == nan_bits, 0x7fc00000u, 0u);
      }
      return BitCast<float>(sign | result);
    }
  }

  // Rounds to nearest, ties to even. Too large: infinity, else NaN, else the largest number. NaN becomes the quiet NaN
  // of the same sign; in a format without NaN, a zero of the other sign (all as ml_dtypes, which TensorFlow uses, does
  // it).
  template <class Float>
  TENON_HD static constexpr std::uint32_t FromFloat(Float value) {
    using Wide = WideFloat<Float>;
    using Word = typename Wide::Word;
    constexpr int kShift = Wide::mantissa_bits - M;
    constexpr Word kSignBit = Word{1} << (sizeof(Word) * 8 - 1);
    constexpr Word kInfinity = ((kSignBit >> Wide::mantissa_bits) - 1) << Wide::mantissa_bits;
    constexpr Word kSmallestNormal = static_cast<Word>(1 - Bias + Wide::bias) << Wide::mantissa_bits;
    constexpr Word kRebias = static_cast<Word>(Wide::bias - Bias) << M;
    const Word word = BitCast<Word>(value);
    const Word magnitude = word & (kSignBit - 1);
    const std::uint32_t sign = static_cast<std::uint32_t>((word & kSignBit) >> (sizeof(Word) * 8 - 1)) << (E + M);

    const Word rounded = (magnitude + ((Word{1} << (kShift - 1)) - 1) + ((magnitude >> kShift) & 1)) >> kShift;
    Word result = rounded - kRebias;
    if constexpr (Wide::bias != Bias) {
      // Adding a number whose unit is the smallest subnormal lets the hardware round.
      constexpr Float kUnits = PowerOfTwo<Float>(Wide::mantissa_bits + 1 - Bias - M);
      const Word subnormal = BitCast<Word>(BitCast<Float>(magnitude) + kUnits) - BitCast<Word>(kUnits);
      result = Select(magnitude < kSmallestNormal, subnormal, result);
    }
    const bool is_nan = magnitude > kInfinity;
    if constexpr (kSpecials == FloatSpecials::kInfAndNan) {
      result = Select<Word>(result > max_bits, inf_bits, result);
      result = Select<Word>(is_nan, nan_bits, result);
      return sign | static_cast<std::uint32_t>(result);
    } else if constexpr (kSpecials == FloatSpecials::kNanOnly) {
      result = Select<Word>((result > max_bits) | is_nan, nan_bits, result);
      return sign | static_cast<std::uint32_t>(result);
    } else if constexpr (kSpecials == FloatSpecials::kOneNan) {
      const std::uint32_t finite = Select<std::uint32_t>(result == 0, 0, sign | static_cast<std::uint32_t>(result));
      return Select<std::uint32_t>((result > max_bits) | is_nan, nan_bits, finite);
    } else {
      const Word finite = Select<Word>(result > max_bits, max_bits, result);
      // NaN becomes a negative zero, and a negative NaN a positive one.
      return Select<std::uint32_t>(is_nan, sign ^ sign_bit, sign | static_cast<std::uint32_t>(finite));
    }
  }
};

// A number stored as a pattern of Format in `bits`; Derived is the type that people name.
// Float8 and smaller round once from double; half and bfloat16 go through float, as TensorFlow's do.
template <class Derived, class Bits, class Format>
struct SmallFloat {
  using format = Format;
  Bits bits;

  SmallFloat() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || (std::is_convertible_v<T, float> && !std::is_base_of_v<SmallFloat, T>))
  TENON_HD explicit constexpr SmallFloat(T value) : bits(Encode(value)) {}
  TENON_HD static constexpr Derived FromBits(Bits pattern) {
    Derived made(0.0f);
    made.bits = pattern;
    return made;
  }
  TENON_HD constexpr operator float() const { return Format::ToFloat(bits); }

  TENON_HD friend constexpr Derived operator+(Derived a, Derived b) { return Derived(float(a) + float(b)); }
  TENON_HD friend constexpr Derived operator-(Derived a, Derived b) { return Derived(float(a) - float(b)); }
  TENON_HD friend constexpr Derived operator*(Derived a, Derived b) { return Derived(float(a) * float(b)); }
  TENON_HD friend constexpr Derived operator/(Derived a, Derived b) { return Derived(float(a) / float(b)); }
  TENON_HD friend constexpr Derived operator+(Derived a) { return a; }
  TENON_HD friend constexpr Derived operator-(Derived a) {
    if constexpr (Format::specials == FloatSpecials::kOneNan) {
      if ((a.bits & (Format::sign_bit - 1)) == 0) return a;  // zero and NaN have no sign
    }
    return FromBits(static_cast<Bits>(a.bits ^ Format::sign_bit));
  }
  TENON_HD friend constexpr Derived& operator+=(Derived& a, Derived b) { return a = a + b; }
  TENON_HD friend constexpr Derived& operator-=(Derived& a, Derived b) { return a = a - b; }
  TENON_HD friend constexpr Derived& operator*=(Derived& a, Derived b) { return a = a * b; }
  TENON_HD friend constexpr Derived& operator/=(Derived& a, Derived b) { return a = a / b; }

  TENON_HD friend constexpr bool operator==(Derived a, Derived b) { return float(a) == float(b); }
  TENON_HD friend constexpr bool operator!=(Derived a, Derived b) { return float(a) != float(b); }
  TENON_HD friend constexpr bool operator<(Derived a, Derived b) { return float(a) < float(b); }
  TENON_HD friend constexpr bool operator<=(Derived a, Derived b) { return float(a) <= float(b); }
  TENON_HD friend constexpr bool operator>(Derived a, Derived b) { return float(a) > float(b); }
  TENON_HD friend constexpr bool operator>=(Derived a, Derived b) { return float(a) >= float(b); }

 private:
  template <class T>
  TENON_HD static constexpr Bits Encode(T value) {
    if constexpr (std::is_same_v<T, double> && sizeof(Bits) == 1) {
      return static_cast<Bits>(Format::template FromFloat<double>(value));
    } else {
      return static_cast<Bits>(Format::template FromFloat<float>(static_cast<float>(value)));
    }
  }
};

}  // namespace detail

#define TENON_DETAIL_SMALL_FLOAT(name, Bits, E, M, bias, specials)                                                 \
  struct name : detail::SmallFloat<name, Bits, detail::FloatFormat<E, M, bias, detail::FloatSpecials::specials>> { \
    using SmallFloat::SmallFloat;                                                                                  \
    name() = default;                                                                                              \
  };                                                                                                               \
  static_assert(sizeof(name) == sizeof(Bits) && std::is_trivially_copyable_v<name> &&                              \
                std::is_trivially_default_constructible_v<name>)

TENON_DETAIL_SMALL_FLOAT(half, std::uint16_t, 5, 10, 15, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(bfloat16, std::uint16_t, 8, 7, 127, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(float8_e5m2, std::uint8_t, 5, 2, 15, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3fn, std::uint8_t, 4, 3, 7, kNanOnly);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3fnuz, std::uint8_t, 4, 3, 8, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3b11fnuz, std::uint8_t, 4, 3, 11, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float8_e5m2fnuz, std::uint8_t, 5, 2, 16, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float4_e2m1fn, std::uint8_t, 2, 1, 1, kFiniteOnly);  // in the low 4 bits
#undef TENON_DETAIL_SMALL_FLOAT

namespace detail {

// A quantised integer: its own type, so that it is not taken for a number. Reads as its integer; a number becomes one
// only when asked to, modulo 2^bits.
template <class Derived, class Int>
struct QuantizedInt {
  Int value;

  QuantizedInt() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || (std::is_convertible_v<T, std::int32_t> && !std::is_base_of_v<QuantizedInt, T>))
  TENON_HD explicit constexpr QuantizedInt(T number) : value(static_cast<Int>(number)) {}
  TENON_HD constexpr operator std::int32_t() const { return value; }
};

// An integer of `bits` (2 or 4) bits, one in a byte; sign-extended there. Arithmetic is modulo 2^bits.
template <class Derived, class Int, int kBits>
struct SubByteInt {
  static constexpr int bits = kBits;
  Int value;

  SubByteInt() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || (std::is_convertible_v<T, std::int32_t> && !std::is_base_of_v<SubByteInt, T>))
  TENON_HD explicit constexpr SubByteInt(T number) : value(Wrap(number)) {}
  TENON_HD constexpr operator std::int32_t() const { return value; }

  TENON_HD friend constexpr Derived operator+(Derived a, Derived b) { return Derived(a.value + b.value); }
  TENON_HD friend constexpr Derived operator-(Derived a, Derived b) { return Derived(a.value - b.value); }
  TENON_HD friend constexpr Derived operator*(Derived a, Derived b) { return Derived(a.value * b.value); }
  TENON_HD friend constexpr Derived operator/(Derived a, Derived b) { return Derived(a.value / b.value); }
  TENON_HD friend constexpr Derived operator%(Derived a, Derived b) { return Derived(a.value % b.value); }
  TENON_HD friend constexpr Derived operator-(Derived a) { return Derived(-a.value); }
  TENON_HD friend constexpr Derived& operator+=(Derived& a, Derived b) { return a = a + b; }
  TENON_HD friend constexpr Derived& operator-=(Derived& a, Derived b) { return a = a - b; }
  TENON_HD friend constexpr Derived& operator*=(Derived& a, Derived b) { return a = a * b; }
  TENON_HD friend constexpr Derived& operator/=(Derived& a, Derived b) { return a = a / b; }

 private:
  template <class T>
  TENON_HD static constexpr Int Wrap(T number) {
    std::uint32_t low = 0;
    if constexpr (std::is_floating_point_v<T>) {
      low = static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
    } else if constexpr (std::is_integral_v<T>) {
      low = static_cast<std::uint32_t>(number);
    } else {
      low = static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
    }
    low &= (1u << kBits) - 1;
    if constexpr (std::is_signed_v<Int>) {
      constexpr std::uint32_t kSign = 1u << (kBits - 1);
      return static_cast<Int>(static_cast<std::int32_t>(low ^ kSign) - static_cast<std::int32_t>(kSign));
    } else {
      return static_cast<Int>(low);
    }
  }
};

}  // namespace detail

#define TENON_DETAIL_INTEGER(name, Int, ...)                                         \
  struct name : detail::__VA_ARGS__ {                                                \
    using Base = detail::__VA_ARGS__;                                                \
    using Base::Base;                                                                \
    name() = default;                                                                \
  };                                                                                 \
  static_assert(sizeof(name) == sizeof(Int) && std::is_trivially_copyable_v<name> && \
                std::is_trivially_default_constructible_v<name>)

TENON_DETAIL_INTEGER(qint8, std::int8_t, QuantizedInt<qint8, std::int8_t>);
TENON_DETAIL_INTEGER(quint8, std::uint8_t, QuantizedInt<quint8, std::uint8_t>);
TENON_DETAIL_INTEGER(qint16, std::int16_t, QuantizedInt<qint16, std::int16_t>);
TENON_DETAIL_INTEGER(quint16, std::uint16_t, QuantizedInt<quint16, std::uint16_t>);
TENON_DETAIL_INTEGER(qint32, std::int32_t, QuantizedInt<qint32, std::int32_t>);
TENON_DETAIL_INTEGER(int4, std::int8_t, SubByteInt<int4, std::int8_t, 4>);
TENON_DETAIL_INTEGER(uint4, std::uint8_t, SubByteInt<uint4, std::uint8_t, 4>);
TENON_DETAIL_INTEGER(int2, std::int8_t, SubByteInt<int2, std::int8_t, 2>);
TENON_DETAIL_INTEGER(uint2, std::uint8_t, SubByteInt<uint2, std::uint8_t, 2>);
#undef TENON_DETAIL_INTEGER

namespace detail {

template <class T>
struct SmallFloatLimits {
  using F = typename T::format;
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = F::specials == FloatSpecials::kInfAndNan;
  static constexpr bool has_quiet_NaN = F::specials != FloatSpecials::kFiniteOnly;
  static constexpr bool has_signaling_NaN = F::specials == FloatSpecials::kInfAndNan;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = F::mantissa_bits + 1;
  static constexpr int digits10 = F::mantissa_bits * 30103 / 100000;
  static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
  static constexpr int min_exponent = 2 - F::bias;
  static constexpr int max_exponent = (1 << F::exponent_bits) - F::bias - (has_infinity ? 1 : 0);
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  TENON_HD static constexpr T min() noexcept { return From(1u << F::mantissa_bits); }
  TENON_HD static constexpr T max() noexcept { return From(F::max_bits); }
  TENON_HD static constexpr T lowest() noexcept { return From(F::max_bits | F::sign_bit); }
  TENON_HD static constexpr T epsilon() noexcept { return T(1.0f / static_cast<float>(1 << F::mantissa_bits)); }
  TENON_HD static constexpr T round_error() noexcept { return T(0.5f); }
  TENON_HD static constexpr T infinity() noexcept { return has_infinity ? From(F::inf_bits) : max(); }
  TENON_HD static constexpr T quiet_NaN() noexcept { return has_quiet_NaN ? From(F::nan_bits) : T(0.0f); }
  TENON_HD static constexpr T signaling_NaN() noexcept {
    return has_signaling_NaN ? From(F::inf_bits | 1) : quiet_NaN();
  }
  TENON_HD static constexpr T denorm_min() noexcept { return From(1); }

 private:
  TENON_HD static constexpr T From(std::uint32_t pattern) {
    return T::FromBits(static_cast<decltype(T::bits)>(pattern));
  }
};

// Limits of T, whose values are those of Int between kMin and kMax.
template <class T, class Int, std::int64_t kMin, std::int64_t kMax, int kDigits>
struct SmallIntLimits : std::numeric_limits<Int> {
  static constexpr int digits = kDigits;
  static constexpr int digits10 = kDigits * 30103 / 100000;
  TENON_HD static constexpr T min() noexcept { return T(kMin); }
  TENON_HD static constexpr T max() noexcept { return T(kMax); }
  TENON_HD static constexpr T lowest() noexcept { return T(kMin); }
  TENON_HD static constexpr T epsilon() noexcept { return T(0); }
  TENON_HD static constexpr T round_error() noexcept { return T(0); }
  TENON_HD static constexpr T infinity() noexcept { return T(0); }
  TENON_HD static constexpr T quiet_NaN() noexcept { return T(0); }
  TENON_HD static constexpr T signaling_NaN() noexcept { return T(0); }
  TENON_HD static constexpr T denorm_min() noexcept { return T(0); }
};

}  // namespace detail
TENON_NAMESPACE_END

template <> struct std::numeric_limits<tenon::half> : tenon::detail::SmallFloatLimits<tenon::half> {
  static constexpr bool is_iec559 = true;
};
template <> struct std::numeric_limits<tenon::bfloat16> : tenon::detail::SmallFloatLimits<tenon::bfloat16> {};
template <> struct std::numeric_limits<tenon::float8_e5m2> : tenon::detail::SmallFloatLimits<tenon::float8_e5m2> {};
template <> struct std::numeric_limits<tenon::float8_e4m3fn> : tenon::detail::SmallFloatLimits<tenon::float8_e4m3fn> {};
template <> struct std::numeric_limits<tenon::float8_e4m3fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e4m3fnuz> {};
template <> struct std::numeric_limits<tenon::float8_e4m3b11fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e4m3b11fnuz> {};
template <> struct std::numeric_limits<tenon::float8_e5m2fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e5m2fnuz> {};
template <> struct std::numeric_limits<tenon::float4_e2m1fn> : tenon::detail::SmallFloatLimits<tenon::float4_e2m1fn> {};
template <> struct std::numeric_limits<tenon::qint8>
    : tenon::detail::SmallIntLimits<tenon::qint8, std::int8_t, -128, 127, 7> {};
template <> struct std::numeric_limits<tenon::quint8>
    : tenon::detail::SmallIntLimits<tenon::quint8, std::uint8_t, 0, 255, 8> {};
template <> struct std::numeric_limits<tenon::qint16>
    : tenon::detail::SmallIntLimits<tenon::qint16, std::int16_t, -32768, 32767, 15> {};
template <> struct std::numeric_limits<tenon::quint16>
    : tenon::detail::SmallIntLimits<tenon::quint16, std::uint16_t, 0, 65535, 16> {};
template <> struct std::numeric_limits<tenon::qint32>
    : tenon::detail::SmallIntLimits<tenon::qint32, std::int32_t, -2147483648, 2147483647, 31> {};
template <> struct std::numeric_limits<tenon::int4>
    : tenon::detail::SmallIntLimits<tenon::int4, std::int8_t, -8, 7, 3> {};
template <> struct std::numeric_limits<tenon::uint4>
    : tenon::detail::SmallIntLimits<tenon::uint4, std::uint8_t, 0, 15, 4> {};
template <> struct std::numeric_limits<tenon::int2>
    : tenon::detail::SmallIntLimits<tenon::int2, std::int8_t, -2, 1, 1> {};
template <> struct std::numeric_limits<tenon::uint2>
    : tenon::detail::SmallIntLimits<tenon::uint2, std::uint8_t, 0, 3, 2> {};

// ---- tenon/tensor/resource_handle.hpp ----
// ResourceHandle: the element of a resource tensor. Names an object that a device's resource manager holds.
TENON_NAMESPACE_BEGIN

// Plain data, owning its text but not the object.
struct ResourceHandle {
  std::string device;           // full name of the device whose manager has the object
  std::string container;        // "localhost" if nothing else was asked for
  std::string name;
  std::uint64_t hash_code = 0;  // of the object's C++ type: means something within one ABI only
  std::string maybe_type_name;  // for messages

  friend bool operator==(const ResourceHandle&, const ResourceHandle&) = default;

  std::string SummarizeValue() const {
    return StrCat("ResourceHandle(name=\"", name, "\", device=\"", device, "\", container=\"", container, "\", type=\"",
                  maybe_type_name, "\", dtype and shapes : \"[  ]\")");
  }
  std::string DebugString() const { return SummarizeValue(); }
};

TENON_NAMESPACE_END

// ---- tenon/tensor/shape.hpp ----
// TensorShape: the dimensions of a tensor, up to 254 of them, whose product always fits an int64.
// Up to four dimensions live in the object; only more than four allocate.
TENON_NAMESPACE_BEGIN

using Index = std::int64_t;

inline constexpr int kMaxTensorRank = 254;

// x * y; negative if that overflows or if either is negative.
constexpr Index MultiplyWithoutOverflow(Index x, Index y) {
  if (x < 0 || y < 0) return -1;
  if (x == 0) return 0;
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const std::uint64_t product = ux * uy;
  if (((ux | uy) >> 32) != 0 && product / ux != uy) return -1;
  return static_cast<Index>(product);  // negative when it needs the 64th bit
}

class Tensor;

namespace detail {

// The storage of both kinds of shapes. Unused inline dimensions are 1, so that a product needs no loop.
class DimVector {
 public:
  static constexpr int kInline = 4;

  DimVector() : rep_{} { ResetInline(0); }
  DimVector(const DimVector& other) : rep_(other.rep_) {
    if (on_heap()) [[unlikely]]
      CopyHeap();
  }
  // The source keeps inline dimensions; one with heap dimensions becomes empty.
  DimVector(DimVector&& other) noexcept : rep_(other.rep_) {
    if (on_heap()) [[unlikely]]
      other.ResetInline(0);
  }
  DimVector& operator=(const DimVector& other) {
    if (on_heap() || other.on_heap()) [[unlikely]] {
      Assign(other);
    } else {
      rep_ = other.rep_;
    }
    return *this;
  }
  DimVector& operator=(DimVector&& other) noexcept {
    if (on_heap() || other.on_heap()) [[unlikely]] {
      SwapOutOfLine(other);
    } else {
      rep_ = other.rep_;
    }
    return *this;
  }
  ~DimVector() {
    if (on_heap()) [[unlikely]]
      FreeHeap();
  }

  int size() const { return rep_.rank; }
  bool on_heap() const { return rep_.rank > kInline; }
  Index* data() { return on_heap() ? rep_.heap : rep_.dims; }
  const Index* data() const { return on_heap() ? rep_.heap : rep_.dims; }

  bool unknown_rank() const { return rep_.unknown_rank; }
  void set_unknown_rank(bool unknown) { rep_.unknown_rank = unknown; }
  std::int16_t dtype() const { return rep_.dtype; }
  void set_dtype(std::int16_t dtype) { rep_.dtype = dtype; }

  // n <= kMaxTensorRank values from anywhere but this object.
  void Assign(const Index* dims, int n) {
    Resize(n);
    Index* out = data();
    for (int i = 0; i < n; ++i) out[i] = dims[i];
  }
  // New dimensions are 1; the first min(n, size()) keep their values.
  void Resize(int n) {
    if (n > kInline || on_heap()) [[unlikely]] {
      ResizeHeap(n);
    } else {
      for (unsigned i = static_cast<unsigned>(n); i < rep_.rank; ++i) rep_.dims[i] = 1;
      rep_.rank = static_cast<std::uint8_t>(n);
    }
  }
  void PushBack(Index size) {
    const int n = rep_.rank;
    Resize(n + 1);
    data()[n] = size;
  }
  void Insert(int d, Index size) {
    PushBack(size);
    Index* dims = data();
    for (int i = rep_.rank - 1; i > d; --i) dims[i] = dims[i - 1];
    dims[d] = size;
  }
  void Erase(int begin, int end) {
    Index* dims = data();
    const int n = rep_.rank - (end - begin);
    for (int i = begin; i < n; ++i) dims[i] = dims[i + end - begin];
    Resize(n);
  }

  bool SameDims(const DimVector& other) const {
    if (rep_.rank != other.rep_.rank) return false;
    if (on_heap()) [[unlikely]]
      return SameHeap(other);
    return ((rep_.dims[0] ^ other.rep_.dims[0]) | (rep_.dims[1] ^ other.rep_.dims[1]) |
            (rep_.dims[2] ^ other.rep_.dims[2]) | (rep_.dims[3] ^ other.rep_.dims[3])) == 0;
  }
  // The product, which the owner has checked to fit.
  Index Product() const {
    if (on_heap()) [[unlikely]]
      return HeapProduct();
    return rep_.dims[0] * rep_.dims[1] * (rep_.dims[2] * rep_.dims[3]);
  }

 private:
  struct Rep {
    union {
      Index dims[kInline];
      Index* heap;  // HeapCapacity(rank) values at least
    };
    std::int16_t dtype;  // the dtype of the Tensor that the shape is part of; means nothing to the shape
    std::uint8_t rank;
    bool unknown_rank;  // partial shapes only; rank is 0 then
  };
  static int HeapCapacity(int rank) { return (rank + 7) & ~7; }

  void ResetInline(int rank) {
    for (Index& d : rep_.dims) d = 1;
    rep_.rank = static_cast<std::uint8_t>(rank);
  }
  void Swap(DimVector& other) {
    const Rep mine = rep_;
    rep_ = other.rep_;
    other.rep_ = mine;
  }
  TENON_COLD void SwapOutOfLine(DimVector& other) { Swap(other); }
  TENON_COLD void CopyHeap() {
    const Index* from = rep_.heap;
    rep_.heap = new Index[static_cast<std::size_t>(HeapCapacity(rep_.rank))];
    for (int i = 0; i < rep_.rank; ++i) rep_.heap[i] = from[i];
  }
  TENON_COLD void Assign(const DimVector& other) {
    DimVector copy(other);
    Swap(copy);
  }
  TENON_COLD void FreeHeap() { delete[] rep_.heap; }
  TENON_COLD void ResizeHeap(int n) {
    const int old = rep_.rank;
    if (n > kInline && on_heap() && n <= HeapCapacity(old)) {
      for (int i = old; i < n; ++i) rep_.heap[i] = 1;
      rep_.rank = static_cast<std::uint8_t>(n);
      return;
    }
    Index* const from = on_heap() ? rep_.heap : nullptr;
    Index inline_dims[kInline] = {1, 1, 1, 1};
    for (int i = 0; i < kInline && i < old; ++i) inline_dims[i] = data()[i];
    if (n <= kInline) {
      for (int i = 0; i < kInline; ++i) rep_.dims[i] = i < n ? inline_dims[i] : 1;
    } else {
      const Index* source = from != nullptr ? from : inline_dims;
      Index* heap = new Index[static_cast<std::size_t>(HeapCapacity(n))];
      for (int i = 0; i < n; ++i) heap[i] = i < old ? source[i] : 1;
      rep_.heap = heap;
    }
    rep_.rank = static_cast<std::uint8_t>(n);
    delete[] from;
  }
  TENON_COLD bool SameHeap(const DimVector& other) const {
    for (int i = 0; i < rep_.rank; ++i) {
      if (rep_.heap[i] != other.rep_.heap[i]) return false;
    }
    return true;
  }
  TENON_COLD Index HeapProduct() const {
    Index product = 1;
    for (int i = 0; i < rep_.rank; ++i) product *= rep_.heap[i];
    return product;
  }

  Rep rep_;
};

[[noreturn]] TENON_COLD inline void DieOnBadShape(const Status& status) {
  TENON_CHECK(status.ok(), "TensorShape: ", status.message());
  std::abort();
}
inline void CheckShape(const Status& status) {
  if (!status.ok()) [[unlikely]]
    DieOnBadShape(status);
}

}  // namespace detail

// Sizes of all dimensions, outermost first. Always fully known, never negative, and num_elements() fits an int64:
// whoever would break that gets a Status, or, with the forms that return nothing, ends the program. externally
// synchronised.
//
//   TensorShape shape{2, 3};                 // [2,3]
//   shape.AddDim(4);                         // [2,3,4]
//   Index n = shape.num_elements();          // 24
class TensorShape {
 public:
  TensorShape() = default;  // a scalar: no dimensions, one element
  TensorShape(std::initializer_list<Index> dims) : TensorShape(std::span<const Index>(dims.begin(), dims.size())) {}
  explicit TensorShape(std::span<const Index> dims) { detail::CheckShape(Set(dims)); }

  // For dimensions that come from a user or a graph.
  static Status Build(std::span<const Index> dims, TensorShape* shape) {
    TensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    *shape = std::move(made);
    return OkStatus();
  }
  static Result<TensorShape> Make(std::span<const Index> dims) {
    TensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    return made;
  }
  static Result<TensorShape> Make(std::initializer_list<Index> dims) {
    return Make(std::span<const Index>(dims.begin(), dims.size()));
  }

  void AddDim(Index size) { detail::CheckShape(AddDimWithStatus(size)); }
  Status AddDimWithStatus(Index size) {
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    if (dims() >= kMaxTensorRank) return errors::InvalidArgument("Too many dimensions in tensor");
    const Index before = num_elements();
    const Index product = MultiplyWithoutOverflow(before, size);
    if (product < 0) return Overflow(before, size, product);
    dims_.PushBack(size);
    return OkStatus();
  }

  void InsertDim(int d, Index size) { detail::CheckShape(InsertDimWithStatus(d, size)); }
  Status InsertDimWithStatus(int d, Index size) {
    if (d < 0) return errors::Internal("The insertion index must be non-negative, got ", d);
    if (d > dims()) return errors::Internal("The insertion index must be at most ", dims(), " got ", d);
    if (dims() >= kMaxTensorRank)
      return errors::Internal("Shape has ", dims(), " dimensions which is the maximum allowed");
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    TensorShape changed = *this;
    changed.dims_.Insert(d, size);
    return TakeIfSmallEnough(std::move(changed));
  }

  void set_dim(int d, Index size) { detail::CheckShape(SetDimWithStatus(d, size)); }
  Status SetDimWithStatus(int d, Index size) {
    if (d < 0) return errors::InvalidArgument("Index must be non-negative, got ", d);
    if (d >= dims()) return errors::InvalidArgument("Index must be less than ", dims(), ", got ", d);
    if (size < 0) return errors::InvalidArgument("Expected a non-negative size, got ", size);
    TensorShape changed = *this;
    changed.dims_.data()[d] = size;
    return TakeIfSmallEnough(std::move(changed));
  }

  void RemoveDim(int d) { detail::CheckShape(RemoveDimWithStatus(d)); }
  Status RemoveDimWithStatus(int d) {
    if (d < 0) return errors::Internal("Expected dimension index to be non-negative, got ", d);
    return RemoveDimRangeWithStatus(d, d + 1);
  }
  // Removes [begin, end). A negative index counts from the end: -1 is one past the last dimension. Nothing if begin >=
  // end.
  void RemoveDimRange(int begin, int end) { detail::CheckShape(RemoveDimRangeWithStatus(begin, end)); }
  Status RemoveDimRangeWithStatus(int begin, int end) {
    begin = begin < 0 ? dims() + begin + 1 : begin;
    end = end < 0 ? dims() + end + 1 : end;
    if (begin < 0) return errors::Internal("Start index must be non-negative, got ", begin);
    if (begin > dims()) return errors::Internal("Start index must be less than ", dims(), ", got ", begin);
    if (end < 0) return errors::Internal("End index must be non-negative, got ", end);
    if (end > dims()) return errors::Internal("End index must be less than ", dims(), ", got ", end);
    if (begin >= end) return OkStatus();
    TensorShape changed = *this;
    changed.dims_.Erase(begin, end);
    return TakeIfSmallEnough(std::move(changed));  // a zero may be among the removed
  }
  void RemoveLastDims(int n) { detail::CheckShape(RemoveDimRangeWithStatus(dims() - n, dims())); }

  void AppendShape(const TensorShape& other) { detail::CheckShape(AppendShapeWithStatus(other)); }
  Status AppendShapeWithStatus(const TensorShape& other) {
    TensorShape longer = *this;
    for (const Index size : TensorShape(other)) TENON_RETURN_IF_ERROR(longer.AddDimWithStatus(size));
    *this = std::move(longer);
    return OkStatus();
  }

  // Becomes a scalar.
  void Clear() { dims_.Resize(0); }

  int dims() const { return dims_.size(); }
  // d in [0, dims()): not checked.
  Index dim_size(int d) const { return dims_.data()[d]; }
  std::span<const Index> dim_sizes() const { return {dims_.data(), static_cast<std::size_t>(dims_.size())}; }
  Index num_elements() const { return dims_.Product(); }
  const Index* begin() const { return dims_.data(); }
  const Index* end() const { return dims_.data() + dims_.size(); }

  bool IsSameSize(const TensorShape& other) const { return dims_.SameDims(other.dims_); }
  friend bool operator==(const TensorShape& a, const TensorShape& b) { return a.dims_.SameDims(b.dims_); }

  // "[2,3]"; "[]" for a scalar.
  std::string DebugString() const {
    std::string text = "[";
    for (int d = 0; d < dims(); ++d) StrAppend(&text, d == 0 ? "" : ",", dim_size(d));
    text += ']';
    return text;
  }

 private:
  friend class Tensor;
  friend class PartialTensorShape;

  Status Set(std::span<const Index> dims) {
    std::uint64_t bits = 0;
    for (const Index size : dims) bits |= static_cast<std::uint64_t>(size);
    if (dims.size() > detail::DimVector::kInline || (bits >> 15) != 0) [[unlikely]]
      return SetCarefully(dims);
    dims_.Assign(dims.data(), static_cast<int>(dims.size()));  // four sizes below 2^15 cannot overflow
    return OkStatus();
  }
  TENON_COLD Status SetCarefully(std::span<const Index> dims) {
    bool large = false;  // as TensorFlow: the text for a negative size differs when another one is large
    for (const Index size : dims) large = large || size > 0xd744;
    for (const Index size : dims) {
      if (size < 0 && !large)
        return errors::InvalidArgument("Expected shape dimensions to be non-negative, got ", size);
    }
    dims_.Resize(0);
    for (const Index size : dims) TENON_RETURN_IF_ERROR(AddDimWithStatus(size));
    return OkStatus();
  }
  TENON_COLD static Status Overflow(Index a, Index b, Index product) {
    return errors::InvalidArgument("Encountered overflow when multiplying ", a, " with ", b, ", result: ", product);
  }
  Status TakeIfSmallEnough(TensorShape changed) {
    Index product = 1;
    for (const Index size : changed) {
      product = MultiplyWithoutOverflow(product, size);
      if (product < 0) {
        return errors::InvalidArgument("Shape ", changed.DebugString(),
                                       " results in overflow when computing number of elements");
      }
    }
    *this = std::move(changed);
    return OkStatus();
  }

  detail::DimVector dims_;
};
static_assert(sizeof(TensorShape) == 40);

inline bool IsScalar(const TensorShape& shape) { return shape.dims() == 0; }
inline bool IsVector(const TensorShape& shape) { return shape.dims() == 1; }
inline bool IsVectorOrHigher(const TensorShape& shape) { return shape.dims() >= 1; }
inline bool IsMatrix(const TensorShape& shape) { return shape.dims() == 2; }
inline bool IsMatrixOrHigher(const TensorShape& shape) { return shape.dims() >= 2; }
inline bool IsSquareMatrix(const TensorShape& shape) {
  return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
}
inline bool IsSingleElement(const TensorShape& shape) { return shape.num_elements() == 1; }  // of any rank

inline bool StartsWith(const TensorShape& shape, const TensorShape& prefix) {
  if (shape.dims() < prefix.dims()) return false;
  for (int d = 0; d < prefix.dims(); ++d) {
    if (shape.dim_size(d) != prefix.dim_size(d)) return false;
  }
  return true;
}
inline bool EndsWith(const TensorShape& shape, const TensorShape& suffix) {
  const int skip = shape.dims() - suffix.dims();
  if (skip < 0) return false;
  for (int d = 0; d < suffix.dims(); ++d) {
    if (shape.dim_size(skip + d) != suffix.dim_size(d)) return false;
  }
  return true;
}

// "[[2], [3,4]]" for several shapes.
template <class Shapes>
std::string ShapeListString(const Shapes& shapes) {
  return StrCat("[", StrJoin(shapes, ", "), "]");
}

namespace detail {
inline std::string DimsText(std::span<const Index> dims) { return StrCat("[", StrJoin(dims, ","), "]"); }
}  // namespace detail

// The shape that a kernel or a user gives as numbers (int32 or int64), with the messages people know from such ops.
template <class Int>
Status MakeShape(const Int* dims, Index n, TensorShape* shape) {
  if (n > kMaxTensorRank) return errors::InvalidArgument("Too many dimensions");
  if (n < 0) return errors::InvalidArgument("Negative number of dimensions ", n);
  Index sizes[kMaxTensorRank];
  Index product = 1;
  for (Index i = 0; i < n; ++i) {
    sizes[i] = static_cast<Index>(dims[i]);
    if (sizes[i] < 0) return errors::InvalidArgument("Dimension ", sizes[i], " must be >= 0");
    product = MultiplyWithoutOverflow(product, sizes[i]);
    if (product < 0) {
      for (; i < n; ++i) sizes[i] = static_cast<Index>(dims[i]);
      return errors::InvalidArgument("Shape ", detail::DimsText({sizes, static_cast<std::size_t>(n)}),
                                     " would have more than 2**63 - 1 elements");
    }
  }
  return TensorShape::Build({sizes, static_cast<std::size_t>(n)}, shape);
}

TENON_NAMESPACE_END

// ---- tenon/tensor/string_tensor.hpp ----
// tstring: the element of a string tensor. 24 bytes; up to 22 characters live inside it.
TENON_NAMESPACE_BEGIN

// Bytes of any value, zeros too; no terminator. One of: small (inside the object), large (on the heap), or a view of
// bytes that belong to somebody else, such as a mapped file. Copying a view copies its bytes, so that a copy never
// dangles; moving a view gives a view. externally synchronised.
class tstring {
 public:
  static constexpr std::size_t kSmallCapacity = 22;

  tstring() noexcept : raw_{} {}
  tstring(std::string_view text) : raw_{} { assign(text); }
  tstring(const std::string& text) : tstring(std::string_view(text)) {}
  tstring(const char* text) : tstring(std::string_view(text)) {}
  tstring(std::size_t count, char c) : raw_{} { resize(count, c); }
  tstring(const tstring& other) {
    if (other.kind() == Kind::kSmall) {
      CopyRaw(other);
    } else {
      std::memset(raw_, 0, sizeof raw_);
      assign(other.view());
    }
  }
  tstring(tstring&& other) noexcept {
    CopyRaw(other);
    std::memset(other.raw_, 0, sizeof other.raw_);
  }
  tstring& operator=(const tstring& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  tstring& operator=(tstring&& other) noexcept {
    if (this == &other) return *this;
    FreeHeap();
    CopyRaw(other);
    std::memset(other.raw_, 0, sizeof other.raw_);
    return *this;
  }
  tstring& operator=(std::string_view text) { return assign(text); }
  tstring& operator=(const std::string& text) { return assign(text); }
  tstring& operator=(const char* text) { return assign(text); }
  ~tstring() { FreeHeap(); }

  // `text` may be part of this string.
  tstring& assign(std::string_view text) {
    if (text.size() <= capacity() && !is_view()) {
      char* to = mdata();
      if (!text.empty()) std::memmove(to, text.data(), text.size());
      SetSize(text.size());
      return *this;
    }
    tstring made;
    if (!text.empty()) std::memcpy(made.Grow(text.size()), text.data(), text.size());
    made.SetSize(text.size());
    return *this = std::move(made);
  }
  // Becomes a view: the bytes must outlive it and everything it is moved to.
  tstring& assign_as_view(std::string_view text) {
    FreeHeap();
    Store(text.data(), text.size(), 0, Kind::kView);
    return *this;
  }
  // `text` may be part of this string.
  tstring& append(std::string_view text) {
    const std::size_t before = size(), after = before + text.size();
    if (text.empty()) return *this;
    if (after > capacity() || is_view()) {
      tstring longer;
      char* to = longer.Grow(after < 2 * before ? 2 * before : after);
      if (before != 0) std::memcpy(to, data(), before);
      std::memcpy(to + before, text.data(), text.size());
      longer.SetSize(after);
      return *this = std::move(longer);
    }
    std::memmove(mdata() + before, text.data(), text.size());
    SetSize(after);
    return *this;
  }
  tstring& operator+=(std::string_view text) { return append(text); }
  void push_back(char c) { append(std::string_view(&c, 1)); }
  // New characters are `c`.
  void resize(std::size_t count, char c = '\0') {
    const std::size_t before = size();
    resize_uninitialized(count);
    if (count > before) std::memset(mdata() + before, c, count - before);
  }
  // New characters have any value.
  void resize_uninitialized(std::size_t count) {
    if (count > capacity() || is_view()) {
      const std::size_t keep = size() < count ? size() : count;
      tstring other;
      char* to = other.Grow(count);
      if (keep != 0) std::memcpy(to, data(), keep);
      *this = std::move(other);
    }
    SetSize(count);
  }
  void reserve(std::size_t count) {
    if (count <= capacity()) return;
    const std::size_t before = size();
    resize_uninitialized(count);
    SetSize(before);
  }
  void clear() {
    FreeHeap();
    std::memset(raw_, 0, sizeof raw_);
  }

  std::size_t size() const { return kind() == Kind::kSmall ? raw_[kTag] >> 2 : LoadSize(); }
  std::size_t length() const { return size(); }
  bool empty() const { return size() == 0; }
  // Characters that fit without an allocation; 0 for a view.
  std::size_t capacity() const {
    if (kind() == Kind::kSmall) return kSmallCapacity;
    if (kind() == Kind::kView) return 0;
    std::uint32_t units;
    std::memcpy(&units, raw_ + 16, sizeof units);
    return std::size_t{units} * kCapacityUnit;
  }
  const char* data() const { return kind() == Kind::kSmall ? reinterpret_cast<const char*>(raw_) : LoadData(); }
  // A view gets its own copy of the bytes first.
  char* mdata() {
    if (is_view()) *this = tstring(*this);
    return kind() == Kind::kSmall ? reinterpret_cast<char*>(raw_) : LoadData();
  }
  bool is_view() const { return kind() == Kind::kView; }
  std::string_view view() const { return {data(), size()}; }
  operator std::string_view() const { return view(); }
  explicit operator std::string() const { return std::string(view()); }
  const char& operator[](std::size_t i) const { return data()[i]; }
  const char* begin() const { return data(); }
  const char* end() const { return data() + size(); }

  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  friend bool operator==(const tstring& a, const Text& b) {
    return a.view() == std::string_view(b);
  }
  friend bool operator<(const tstring& a, const tstring& b) { return a.view() < b.view(); }
  friend bool operator>(const tstring& a, const tstring& b) { return a.view() > b.view(); }
  friend bool operator<=(const tstring& a, const tstring& b) { return a.view() <= b.view(); }
  friend bool operator>=(const tstring& a, const tstring& b) { return a.view() >= b.view(); }

 private:
  // The last byte is the tag: kind in its low two bits, the size of a small string in the others. Large and view hold
  // pointer, size and (large) the capacity in units of 16 bytes. All zero bytes are an empty small string.
  enum class Kind : unsigned char { kSmall = 0, kLarge = 1, kView = 2 };
  static constexpr std::size_t kTag = 23;
  static constexpr std::size_t kCapacityUnit = 16;

  Kind kind() const { return static_cast<Kind>(raw_[kTag] & 3); }
  void CopyRaw(const tstring& other) { std::memcpy(raw_, other.raw_, sizeof raw_); }
  char* LoadData() const {
    char* data;
    std::memcpy(&data, raw_, sizeof data);
    return data;
  }
  std::size_t LoadSize() const {
    std::uint64_t size;
    std::memcpy(&size, raw_ + 8, sizeof size);
    return static_cast<std::size_t>(size);
  }
  void Store(const char* data, std::size_t size, std::uint32_t capacity_units, Kind kind) {
    const std::uint64_t wide = size;
    std::memset(raw_, 0, sizeof raw_);
    std::memcpy(raw_, &data, sizeof data);
    std::memcpy(raw_ + 8, &wide, sizeof wide);
    std::memcpy(raw_ + 16, &capacity_units, sizeof capacity_units);
    raw_[kTag] = static_cast<unsigned char>(kind);
  }
  void SetSize(std::size_t size) {
    if (kind() == Kind::kSmall) {
      raw_[kTag] = static_cast<unsigned char>(size << 2);
    } else {
      const std::uint64_t wide = size;
      std::memcpy(raw_ + 8, &wide, sizeof wide);
    }
  }
  // For an empty small string: room for `count` characters, and where they go.
  char* Grow(std::size_t count) {
    if (count <= kSmallCapacity) return reinterpret_cast<char*>(raw_);
    const std::size_t units = (count + kCapacityUnit - 1) / kCapacityUnit;
    char* heap = static_cast<char*>(::operator new(units * kCapacityUnit));
    Store(heap, 0, units > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(units), Kind::kLarge);
    return heap;
  }
  void FreeHeap() {
    if (kind() == Kind::kLarge) ::operator delete(LoadData());
  }

  alignas(8) unsigned char raw_[24];
};
static_assert(sizeof(tstring) == 24);

TENON_NAMESPACE_END

// ---- tenon/tensor/format.hpp ----
// The text of a tensor's values, in TensorFlow's two layouts. Tensor::SummarizeValue is the way in.
TENON_NAMESPACE_BEGIN
namespace detail {

// C escapes, but bytes of UTF-8 stay as they are.
inline std::string Utf8SafeCEscape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += c;
    } else {
      out += CEscape(std::string_view(&c, 1));
    }
  }
  return out;
}

// Types whose values TensorFlow prints as "?" or each in its own way: their layout has no brackets of dimensions.
inline constexpr DataTypeSet kIrregularlyPrintedTypes =
    kComplexTypes | ToSet(DataType::kQint32) | ToSet(DataType::kFloat8E4M3FNUZ) | ToSet(DataType::kFloat8E5M2FNUZ) |
    ToSet(DataType::kResource) | ToSet(DataType::kVariant);

// Writes the elements of one packed, row-major array.
class ArrayFormatter {
 public:
  // `limit`: elements in all (first layout), or at each end of every dimension (second).
  ArrayFormatter(DataType dtype, const void* data, std::span<const Index> dims, Index limit, bool quoted)
      : dtype_(dtype), data_(data), dims_(dims), limit_(limit), quoted_(quoted) {}

  void AppendElement(Index i) {
    switch (dtype_) {
      case DataType::kFloat: return Append<float>(i);
      case DataType::kDouble: return Append<double>(i);
      case DataType::kInt32: return Append<std::int32_t>(i);
      case DataType::kUint32: return Append<std::uint32_t>(i);
      case DataType::kInt16: return Append<std::int16_t>(i);
      case DataType::kUint16: return Append<std::uint16_t>(i);
      case DataType::kInt8: return Append<std::int8_t, int>(i);
      case DataType::kUint8: return Append<std::uint8_t, int>(i);
      case DataType::kInt64: return Append<std::int64_t>(i);
      case DataType::kUint64: return Append<std::uint64_t>(i);
      case DataType::kBool: out_ += static_cast<const unsigned char*>(data_)[i] != 0 ? '1' : '0'; return;
      case DataType::kHalf: return Append<half, float>(i);
      case DataType::kBfloat16: return Append<bfloat16, float>(i);
      case DataType::kFloat8E5M2: return Append<float8_e5m2, float>(i);
      case DataType::kFloat8E4M3FN: return Append<float8_e4m3fn, float>(i);
      case DataType::kFloat8E4M3B11FNUZ: return Append<float8_e4m3b11fnuz, float>(i);
      case DataType::kFloat4E2M1FN: return Append<float4_e2m1fn, float>(i);
      case DataType::kQint8: return Append<qint8, int>(i);
      case DataType::kQuint8: return Append<quint8, int>(i);
      case DataType::kQint16: return Append<qint16, int>(i);
      case DataType::kQuint16: return Append<quint16, int>(i);
      case DataType::kInt4: return Append<int4, int>(i);
      case DataType::kUint4: return Append<uint4, int>(i);
      case DataType::kInt2: return Append<int2, int>(i);
      case DataType::kUint2: return Append<uint2, int>(i);
      case DataType::kString: {
        const std::string text = Utf8SafeCEscape(static_cast<const tstring*>(data_)[i].view());
        return quoted_ ? StrAppend(&out_, "\"", text, "\"") : StrAppend(&out_, text);
      }
      case DataType::kResource:
        return StrAppend(&out_, "<", static_cast<const ResourceHandle*>(data_)[i].SummarizeValue(), ">");
      default: out_ += '?';
    }
  }

  // Elements one after the other.
  void AppendFlat(Index count) {
    for (Index i = 0; i < count; ++i) {
      if (i > 0) out_ += ' ';
      AppendElement(i);
    }
  }

  // First layout: brackets around every dimension but the innermost, up to `limit` elements.
  void AppendPlain(std::size_t d = 0) {
    if (next_ >= limit_) return;
    if (d + 1 == dims_.size()) {
      for (Index i = 0; i < dims_[d]; ++i) {
        if (next_ >= limit_) {
          if (d != 0) out_ += "...";
          return;
        }
        if (i > 0) out_ += ' ';
        AppendElement(next_++);
      }
      return;
    }
    for (Index i = 0; i < dims_[d] && next_ < limit_; ++i) {
      out_ += '[';
      AppendPlain(d + 1);
      out_ += ']';
    }
  }

  // Second layout, as tf.print: brackets around every dimension, the first and last `limit` items of each.
  void AppendNested(std::size_t d = 0, Index first = 0) {
    if (d == dims_.size()) return AppendElement(first);
    out_ += '[';
    const Index count = dims_[d];
    Index stride = 1;
    for (std::size_t inner = d + 1; inner < dims_.size(); ++inner) stride *= dims_[inner];
    for (Index i = 0; i < limit_ && i < count; ++i) {
      if (i > 0) AppendSpacing(d);
      AppendNested(d + 1, first + stride * i);
    }
    if (count - limit_ > limit_) {
      AppendSpacing(d);
      out_ += "...";
    }
    for (Index i = limit_ > count - limit_ ? limit_ : count - limit_; i < count; ++i) {
      AppendSpacing(d);
      AppendNested(d + 1, first + stride * i);
    }
    out_ += ']';
  }

  void Append(std::string_view text) { out_ += text; }
  std::string Take() { return std::move(out_); }

 private:
  template <class T, class Printed = T>
  void Append(Index i) {
    StrAppend(&out_, static_cast<Printed>(static_cast<const T*>(data_)[i]));
  }
  void AppendSpacing(std::size_t d) {
    if (d + 1 == dims_.size()) {
      out_ += ' ';
      return;
    }
    out_.append(dims_.size() - d - 1, '\n');
    out_.append(d + 1, ' ');
  }

  DataType dtype_;
  const void* data_;
  std::span<const Index> dims_;
  Index limit_;
  bool quoted_;
  Index next_ = 0;
  std::string out_;
};

// `data`: the elements, or null if there are none yet. max_entries < 0: all.
inline std::string SummarizeArray(DataType dtype, const void* data, const TensorShape& shape, Index max_entries,
                                  bool print_v2) {
  const Index n = shape.num_elements();
  if (max_entries < 0) max_entries = n;
  const Index limit = max_entries < n ? max_entries : n;
  if (limit > 0 && data == nullptr) {
    return StrCat("uninitialized Tensor of ", n, " elements of type ", static_cast<std::int32_t>(dtype));
  }
  if (limit == 0 && dtype == DataType::kBool) return "";  // as TensorFlow: no "..." for this type
  ArrayFormatter out(dtype, data, shape.dim_sizes(), limit, print_v2);
  if (kIrregularlyPrintedTypes.contains(dtype) || shape.dims() == 0) {
    const bool brackets = print_v2 && shape.dims() != 0;
    if (brackets) out.Append("[");
    out.AppendFlat(limit);
    if (n > limit) out.Append("...");
    if (brackets) out.Append("]");
  } else if (print_v2) {
    out.AppendNested();
  } else {
    out.AppendPlain();
    if (n > limit) out.Append("...");
  }
  return out.Take();
}

}  // namespace detail
TENON_NAMESPACE_END

// ---- tenon/tensor/view.hpp ----
// In<T> and Out<T>: what a kernel sees of a tensor. Borrowed, packed, row-major, trivially copyable: a GPU kernel may
// receive them by value. With a rank, In<T, 2>, the dimensions are held by value and device code may index with them.
TENON_NAMESPACE_BEGIN

inline constexpr int kAnyRank = -1;

// A tensor without its type: what the runtime hands over for every argument of a kernel.
struct AnyView {
  void* data;
  Index size;                // elements
  const TensorShape* shape;  // in host memory; outlives the view
};

namespace detail {

// A block of T of any rank; T is const for inputs. `data` may be null when there are no elements.
template <class T, int Rank>
struct View {
  static constexpr int rank = Rank;
  T* data;
  Index dims[Rank == 0 ? 1 : Rank];  // outermost first

  View() = default;
  // The shape must have this rank.
  explicit View(const AnyView& view) : View(static_cast<T*>(view.data), view.shape->begin()) {}
  TENON_HD View(T* elements, const Index* sizes) : data(elements), dims{} {
    for (int d = 0; d < Rank; ++d) dims[d] = sizes[d];
  }

  TENON_HD constexpr Index size() const {
    Index n = 1;
    for (int d = 0; d < Rank; ++d) n *= dims[d];
    return n;
  }
  TENON_HD constexpr Index dim(int d) const { return dims[d]; }
  // Element number i in row-major order.
  TENON_HD constexpr T& operator[](Index i) const { return data[i]; }
  // Element [i, j, ...]; indices are not checked.
  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(Rank) && (std::is_convertible_v<I, Index> && ...))
  TENON_HD constexpr T& operator()(I... indices) const {
    Index offset = 0;
    int d = 0;
    ((offset = offset * dims[d] + static_cast<Index>(indices), ++d), ...);
    static_cast<void>(d);
    return data[offset];
  }
  TENON_HD constexpr T* begin() const { return data; }
  TENON_HD constexpr T* end() const { return data + size(); }
  // Host only.
  TensorShape shape() const { return TensorShape(std::span<const Index>(dims, static_cast<std::size_t>(Rank))); }
};

template <class T>
struct View<T, kAnyRank> {
  static constexpr int rank = kAnyRank;
  T* data;

  View() = default;
  explicit View(const AnyView& view) : data(static_cast<T*>(view.data)), size_(view.size), shape_(view.shape) {}
  // `shape` is borrowed and has `size` elements; device code may pass null.
  TENON_HD View(T* elements, Index size, const TensorShape* shape) : data(elements), size_(size), shape_(shape) {}

  TENON_HD constexpr Index size() const { return size_; }
  TENON_HD constexpr T& operator[](Index i) const { return data[i]; }
  TENON_HD constexpr T& operator()(Index i) const { return data[i]; }
  TENON_HD constexpr T* begin() const { return data; }
  TENON_HD constexpr T* end() const { return data + size_; }
  // Host only.
  const TensorShape& shape() const { return *shape_; }
  const TensorShape* shape_pointer() const { return shape_; }

 private:
  Index size_;
  const TensorShape* shape_;
};

}  // namespace detail

// An output: already allocated, to be written.
template <class T, int Rank = kAnyRank>
struct Out : detail::View<T, Rank> {
  static_assert(!std::is_const_v<T>, "tenon: Out<const T> cannot be written; use In<T>");
  using element_type = T;
  static constexpr bool is_output = true;
  using detail::View<T, Rank>::View;
  Out() = default;
};

// An input: to be read.
template <class T, int Rank = kAnyRank>
struct In : detail::View<const T, Rank> {
  using element_type = T;
  static constexpr bool is_output = false;
  using detail::View<const T, Rank>::View;
  In() = default;
  // What has been written may be read.
  TENON_HD In(const Out<T, Rank>& out)
    requires(Rank != kAnyRank)
      : detail::View<const T, Rank>(out.data, out.dims) {}
  In(const Out<T, Rank>& out)
    requires(Rank == kAnyRank)
      : detail::View<const T, Rank>(out.data, out.size(), out.shape_pointer()) {}
};

static_assert(std::is_trivially_copyable_v<In<float>> && std::is_trivially_copyable_v<Out<float, 2>>);
static_assert(std::is_trivially_default_constructible_v<In<float>> && sizeof(In<float, 2>) == 24);

TENON_NAMESPACE_END

// ---- tenon/tensor/tensor.hpp ----
// Tensor: a dtype, a shape and a shared buffer. What sessions take and give, and what flows along a graph's edges.
TENON_NAMESPACE_BEGIN

namespace detail {

// Bytes of one element in a tensor's buffer, for every dtype a tensor can hold now; 0 for the others.
constexpr std::size_t ElementBytes(DataType dtype) {
  if (dtype == DataType::kString) return sizeof(tstring);
  if (dtype == DataType::kResource) return sizeof(ResourceHandle);
  return static_cast<std::size_t>(SizeOf(dtype));
}

// Room for n > 0 elements (plain ones uninitialised, others default-constructed), or null.
TENON_COLD inline Buffer* AllocateObjects(Allocator* allocator, DataType dtype, Index n) {
  const auto count = static_cast<std::size_t>(n);
  if (dtype == DataType::kString) return Buffer::AllocateObjects<tstring>(allocator, count);
  if (dtype == DataType::kResource) return Buffer::AllocateObjects<ResourceHandle>(allocator, count);
  return nullptr;
}
inline Buffer* AllocateElements(Allocator* allocator, DataType dtype, Index n) {
  const auto size = static_cast<std::size_t>(SizeOf(dtype));
  if (size == 0) [[unlikely]]
    return AllocateObjects(allocator, dtype, n);
  if ((static_cast<std::uint64_t>(n) >> 58) != 0) [[unlikely]]
    return nullptr;  // elements have at most 2^4 bytes
  return Buffer::Allocate(allocator, static_cast<std::size_t>(n) * size);
}

[[noreturn]] TENON_COLD inline void DieOnDtype(DataType wanted, DataType actual) {
  TENON_CHECK(false, "Tensor: ", Name(wanted), " expected, got ", Name(actual));
  std::abort();
}
[[noreturn]] TENON_COLD inline void DieOnRank(int wanted, const TensorShape& shape) {
  TENON_CHECK(false, "Asking for tensor of ", wanted, " dimensions from a tensor of ", shape.dims(),
              " dimensions: ", shape);
  std::abort();
}
[[noreturn]] TENON_COLD inline void DieOnTensor(const char* mistake, DataType dtype, const TensorShape& shape) {
  TENON_CHECK(false, "Tensor: ", mistake, "; the tensor has type ", Name(dtype), " and shape ", shape);
  std::abort();
}

}  // namespace detail

// 48 bytes: a reference to a Buffer (none while there are no elements or no memory yet), the shape and the dtype.
// Copying shares the buffer: one relaxed increment. The elements are packed, in row-major order, 64-byte aligned unless
// the tensor is a slice or a view of foreign memory. A moved-from tensor may only be assigned to or destroyed.
// Different Tensor objects that share a buffer may be used from different threads; contents are externally
// synchronised.
//
//   Tensor t = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
//   t.matrix<float>()(1, 2) = 7;
//   t.DebugString();                         // Tensor<type: float shape: [2,3] values: [1 2 3]...>
class Tensor {
 public:
  Tensor() : Tensor(DataType::kFloat) {}  // float [0]
  explicit Tensor(DataType dtype) : buffer_(nullptr) {
    shape_.dims_.PushBack(0);
    set_dtype(dtype);
  }
  // Uninitialised (strings and handles: empty) elements in ordinary memory. For types and sizes that the program knows:
  // without memory IsInitialized() is false, and a dtype that a tensor cannot hold ends the program. Make() returns a
  // Status instead.
  Tensor(DataType dtype, const TensorShape& shape) : Tensor(CpuAllocator(), dtype, shape) {}
  Tensor(Allocator* allocator, DataType dtype, const TensorShape& shape) : buffer_(nullptr), shape_(shape) {
    set_dtype(dtype);
    const Index n = shape_.num_elements();
    if (n == 0) return;
    if (detail::ElementBytes(dtype) == 0) [[unlikely]]
      detail::DieOnTensor("no elements of this type", dtype, shape);
    buffer_ = detail::AllocateElements(allocator, dtype, n);
  }
  // Takes over the caller's reference to `buffer` (may be null), whose first elements become those of the tensor.
  Tensor(DataType dtype, const TensorShape& shape, Buffer* adopted) : buffer_(adopted), shape_(shape) {
    set_dtype(dtype);
  }

  Tensor(const Tensor& other) : buffer_(other.buffer_), shape_(other.shape_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  Tensor(Tensor&& other) noexcept : buffer_(other.buffer_), shape_(std::move(other.shape_)) { other.buffer_ = nullptr; }
  Tensor& operator=(const Tensor& other) {
    if (other.buffer_ != nullptr) other.buffer_->Ref();
    Release();
    buffer_ = other.buffer_;
    shape_ = other.shape_;
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    Buffer* taken = other.buffer_;
    other.buffer_ = nullptr;  // before the release: assigning a tensor to itself loses nothing
    if (this != &other) Release();
    buffer_ = taken;
    shape_ = std::move(other.shape_);
    return *this;
  }
  ~Tensor() { Release(); }

  // Uninitialised elements, from the given allocator or from ordinary memory. InvalidArgument for a dtype that tensors
  // cannot hold, ResourceExhausted without memory.
  static Result<Tensor> Make(DataType dtype, const TensorShape& shape, Allocator* allocator = nullptr) {
    if (detail::ElementBytes(dtype) == 0) [[unlikely]]
      return NoSuchTensor(dtype);
    if (allocator == nullptr) allocator = CpuAllocator();
    Tensor tensor(allocator, dtype, shape);
    if (!tensor.IsInitialized()) [[unlikely]]
      return OutOfMemory(dtype, shape, allocator);
    return tensor;
  }
  // One element, no dimensions.
  template <class T>
    requires ElementType<T>
  static Tensor Scalar(const T& value) {
    return From<T>(std::span<const T>(&value, 1), TensorShape());
  }
  static Tensor Scalar(std::string_view text) { return Scalar(tstring(text)); }
  // As many values as the shape has elements.
  template <class T>
  static Tensor From(std::span<const T> values, const TensorShape& shape) {
    Tensor tensor(dtype_of_v<T>, shape);
    if (static_cast<Index>(values.size()) != shape.num_elements()) {
      detail::DieOnTensor("the number of values differs from the number of elements", tensor.dtype(), shape);
    }
    T* out = tensor.data<T>();
    if (tensor.buffer_ == nullptr) return tensor;
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    return tensor;
  }
  template <class T>
  static Tensor From(std::initializer_list<T> values, const TensorShape& shape) {
    return From<T>(std::span<const T>(values.begin(), values.size()), shape);
  }
  // Every element is T().
  template <class T>
  static Tensor Zeros(const TensorShape& shape) {
    Tensor tensor(dtype_of_v<T>, shape);
    T* out = tensor.data<T>();
    if (tensor.buffer_ != nullptr)
      for (Index i = 0, n = shape.num_elements(); i < n; ++i) out[i] = T();
    return tensor;
  }
  // Memory of the caller, aligned for the type; it must outlive every tensor that shares it. No kernel writes to it in
  // place.
  static Tensor FromMemory(DataType dtype, const TensorShape& shape, void* data) {
    return Tensor(dtype, shape, Buffer::Wrap(data, BytesOf(dtype, shape), nullptr, nullptr));
  }
  // The same; deleter() runs when the last tensor that shares the memory is gone, on that thread.
  template <class Deleter>
  static Tensor FromMemory(DataType dtype, const TensorShape& shape, void* data, Deleter deleter) {
    return Tensor(dtype, shape, Buffer::Wrap(data, BytesOf(dtype, shape), std::move(deleter)));
  }
  // Elements inside the memory of `owner`, which gets a reference (the caller keeps its own). `data` must be aligned
  // for the type.
  static Tensor ViewOf(Buffer* owner, DataType dtype, const TensorShape& shape, const void* data) {
    return Tensor(dtype, shape, Buffer::Slice(owner, const_cast<void*>(data), BytesOf(dtype, shape)));
  }

  DataType dtype() const { return static_cast<DataType>(shape_.dims_.dtype()); }
  const TensorShape& shape() const { return shape_; }
  int dims() const { return shape_.dims(); }
  Index dim_size(int d) const { return shape_.dim_size(d); }
  Index NumElements() const { return shape_.num_elements(); }
  bool IsSameSize(const Tensor& other) const { return shape_ == other.shape_; }
  // False while there are elements but no memory for them.
  bool IsInitialized() const { return buffer_ != nullptr || shape_.num_elements() == 0; }
  // Bytes of all elements; strings count their characters too.
  std::size_t TotalBytes() const {
    std::size_t bytes = static_cast<std::size_t>(NumElements()) * detail::ElementBytes(dtype());
    if (dtype() == DataType::kString && buffer_ != nullptr) {
      for (const tstring& text : flat<tstring>()) bytes += text.size();
    }
    return bytes;
  }
  bool IsAligned() const {
    return dtype() == DataType::kString || reinterpret_cast<std::uintptr_t>(raw_data()) % Allocator::kAlignment == 0;
  }
  // May the host read the elements?
  bool HostAccessible() const { return buffer_ == nullptr || buffer_->HostAccessible(); }

  Buffer* buffer() const { return buffer_; }  // null if there are no elements
  // True if the elements belong to this object alone, so that they may be overwritten.
  bool RefCountIsOne() const { return buffer_ != nullptr && buffer_->RefCountIsOne(); }
  bool SharesBufferWith(const Tensor& other) const {
    return buffer_ != nullptr && other.buffer_ != nullptr && buffer_->root() == other.buffer_->root();
  }

  // The first element, or null.
  void* raw_data() { return buffer_ == nullptr ? nullptr : buffer_->data(); }
  const void* raw_data() const { return buffer_ == nullptr ? nullptr : buffer_->data(); }
  // The bytes of a tensor of a plain type.
  std::string_view tensor_data() const {
    return {static_cast<const char*>(raw_data()), buffer_ == nullptr ? 0 : BytesOf(dtype(), shape_)};
  }
  template <class T>
  T* data() {
    CheckDtype<T>();
    return static_cast<T*>(raw_data());
  }
  template <class T>
  const T* data() const {
    CheckDtype<T>();
    return static_cast<const T*>(raw_data());
  }

  // Views for statements in code that knows type and rank; another type or rank than asked for ends the program. They
  // borrow: none may outlive the tensor. View() is the form for tensors that come from a user.
  template <class T> Out<T> flat() { return Out<T>(data<T>(), NumElements(), &shape_); }
  template <class T> In<T> flat() const { return In<T>(data<T>(), NumElements(), &shape_); }
  template <class T, int Rank> Out<T, Rank> tensor() {
    return CheckRank(Rank), Out<T, Rank>(data<T>(), shape_.begin());
  }
  template <class T, int Rank> In<T, Rank> tensor() const {
    return CheckRank(Rank), In<T, Rank>(data<T>(), shape_.begin());
  }
  template <class T> Out<T, 1> vec() { return tensor<T, 1>(); }
  template <class T> In<T, 1> vec() const { return tensor<T, 1>(); }
  template <class T> Out<T, 2> matrix() { return tensor<T, 2>(); }
  template <class T> In<T, 2> matrix() const { return tensor<T, 2>(); }
  // The one element of a tensor of any rank: scalar<float>()().
  template <class T> Out<T, 0> scalar() { return CheckOneElement(), Out<T, 0>(data<T>(), shape_.begin()); }
  template <class T> In<T, 0> scalar() const { return CheckOneElement(), In<T, 0>(data<T>(), shape_.begin()); }
  // The elements under other dimensions with the same product: shaped<float, 2>({rows, columns}).
  template <class T, int Rank> Out<T, Rank> shaped(const Index (&sizes)[static_cast<std::size_t>(Rank)]) {
    return CheckProduct(sizes, Rank), Out<T, Rank>(data<T>(), sizes);
  }
  template <class T, int Rank> In<T, Rank> shaped(const Index (&sizes)[static_cast<std::size_t>(Rank)]) const {
    return CheckProduct(sizes, Rank), In<T, Rank>(data<T>(), sizes);
  }
  // The last Rank - 1 dimensions as they are, all before them as one; missing ones are 1, in front.
  template <class T, int Rank = 2> Out<T, Rank> flat_inner_dims() {
    return Out<T, Rank>(data<T>(), InnerDims<Rank>().items);
  }
  template <class T, int Rank = 2> In<T, Rank> flat_inner_dims() const {
    return In<T, Rank>(data<T>(), InnerDims<Rank>().items);
  }
  // The first Rank - 1 dimensions as they are, all after them as one; missing ones are 1, at the end.
  template <class T, int Rank = 2> Out<T, Rank> flat_outer_dims() {
    return Out<T, Rank>(data<T>(), OuterDims<Rank>().items);
  }
  template <class T, int Rank = 2> In<T, Rank> flat_outer_dims() const {
    return In<T, Rank>(data<T>(), OuterDims<Rank>().items);
  }

  // tensor.View<In<float, 2>>(): a view, or what is wrong with the tensor.
  template <class V>
    requires(!V::is_output)
  Result<V> View() const {
    TENON_RETURN_IF_ERROR(CheckView(dtype_of_v<typename V::element_type>, V::rank));
    return V(any_view());
  }
  template <class V>
    requires(V::is_output)
  Result<V> View() {
    TENON_RETURN_IF_ERROR(CheckView(dtype_of_v<typename V::element_type>, V::rank));
    return V(any_view());
  }
  // Data, size and shape without a type: what a kernel's views are made from. Borrows this object.
  AnyView any_view() const { return {const_cast<void*>(raw_data()), NumElements(), &shape_}; }

  // Shares the other's buffer and takes its dtype under another shape. False, and nothing done, if the element counts
  // differ.
  [[nodiscard]] bool CopyFrom(const Tensor& other, const TensorShape& shape) {
    if (other.NumElements() != shape.num_elements()) return false;
    ShareBuffer(other, other.dtype(), shape);
    return true;
  }
  // Shares the other's buffer under another plain dtype and a shape of as many bytes.
  Status BitcastFrom(const Tensor& other, DataType dtype, const TensorShape& shape) {
    if (SizeOf(other.dtype()) == 0) return errors::InvalidArgument("other tensor has zero-sized data type");
    if (SizeOf(dtype) == 0) return errors::InvalidArgument("specified output type is zero-sized");
    if (BytesOf(other.dtype(), other.shape()) != BytesOf(dtype, shape)) {
      return errors::InvalidArgument("input and output shapes/data type sizes are not compatible");
    }
    ShareBuffer(other, dtype, shape);
    return OkStatus();
  }
  // Elements [start, limit) of dimension 0, sharing the buffer; the rank stays. Perhaps no longer aligned.
  Tensor Slice(Index start, Index limit) const {
    if (dims() < 1 || start < 0 || start > limit || limit > dim_size(0)) {
      detail::DieOnTensor("Slice wants a range inside dimension 0", dtype(), shape_);
    }
    if (start == 0 && limit == dim_size(0)) return *this;
    TensorShape shape = shape_;
    shape.set_dim(0, limit - start);
    return Part(start, shape);
  }
  // Element number `index` of dimension 0, which goes away.
  Tensor SubSlice(Index index) const {
    if (dims() < 1 || index < 0 || index >= dim_size(0)) {
      detail::DieOnTensor("SubSlice wants an index inside dimension 0", dtype(), shape_);
    }
    TensorShape shape = shape_;
    shape.RemoveDim(0);
    return Part(index, shape);
  }
  // The same values in a buffer of its own, in ordinary memory. The host must be able to read the elements. Without
  // memory the copy is not initialised.
  Tensor DeepCopy() const {
    Tensor copy(CpuAllocator(), dtype(), shape_);
    if (buffer_ == nullptr || copy.buffer_ == nullptr) return copy;
    if (!HostAccessible()) detail::DieOnTensor("DeepCopy wants memory that the host can read", dtype(), shape_);
    const auto n = static_cast<std::size_t>(NumElements());
    if (dtype() == DataType::kString) {
      CopyObjects<tstring>(*this, &copy, n);
    } else if (dtype() == DataType::kResource) {
      CopyObjects<ResourceHandle>(*this, &copy, n);
    } else {
      std::memcpy(copy.raw_data(), raw_data(), BytesOf(dtype(), shape_));
    }
    return copy;
  }

  // The first max_entries values (all if negative) as TensorFlow prints them: "[1 2][3 4]..."; with print_v2 as
  // tf.print does, where max_entries counts at each end of every dimension.
  std::string SummarizeValue(Index max_entries, bool print_v2 = false) const {
    if (!HostAccessible()) return "<values in device memory>";
    return detail::SummarizeArray(dtype(), raw_data(), shape_, max_entries, print_v2);
  }
  // "Tensor<type: float shape: [2,3] values: [1 2 3]...>"
  std::string DebugString(int max_entries = 3) const {
    return StrCat("Tensor<type: ", Name(dtype()), " shape: ", shape_, " values: ", SummarizeValue(max_entries), ">");
  }
  // Without the values.
  std::string DeviceSafeDebugString() const { return StrCat("Tensor<type: ", Name(dtype()), " shape: ", shape_, ">"); }

 private:
  template <int Rank>
  struct Sizes {
    Index items[Rank];
  };

  void set_dtype(DataType dtype) { shape_.dims_.set_dtype(static_cast<std::int16_t>(dtype)); }
  void Release() {
    if (buffer_ != nullptr) buffer_->Unref();
  }
  static std::size_t BytesOf(DataType dtype, const TensorShape& shape) {
    return static_cast<std::size_t>(shape.num_elements()) * detail::ElementBytes(dtype);
  }
  void ShareBuffer(const Tensor& other, DataType dtype, const TensorShape& shape) {
    Tensor made(dtype, shape, other.buffer_);
    if (other.buffer_ != nullptr) other.buffer_->Ref();
    *this = std::move(made);
  }
  // The part of the buffer that starts at element `index` of dimension 0.
  Tensor Part(Index index, const TensorShape& shape) const {
    if (buffer_ == nullptr || shape.num_elements() == 0) return Tensor(dtype(), shape, nullptr);
    const std::size_t row = BytesOf(dtype(), shape_) / static_cast<std::size_t>(dim_size(0));
    return ViewOf(buffer_, dtype(), shape,
                  static_cast<const char*>(buffer_->data()) + row * static_cast<std::size_t>(index));
  }
  template <class T>
  static void CopyObjects(const Tensor& from, Tensor* to, std::size_t n) {
    const T* in = from.data<T>();
    T* out = to->data<T>();
    for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
  }

  template <class T>
  void CheckDtype() const {
    if (dtype() != dtype_of_v<std::remove_const_t<T>>) [[unlikely]]
      detail::DieOnDtype(dtype_of_v<std::remove_const_t<T>>, dtype());
  }
  void CheckRank(int rank) const {
    if (dims() != rank) [[unlikely]]
      detail::DieOnRank(rank, shape_);
  }
  void CheckOneElement() const {
    if (NumElements() != 1) [[unlikely]]
      detail::DieOnTensor("Must have a one element tensor", dtype(), shape_);
  }
  void CheckProduct(const Index* sizes, int rank) const {
    Index product = 1;
    for (int d = 0; d < rank; ++d) product = MultiplyWithoutOverflow(product, sizes[d]);
    if (product != NumElements()) [[unlikely]]
      detail::DieOnTensor("shaped() wants as many elements as there are", dtype(), shape_);
  }
  template <int Rank>
  Sizes<Rank> InnerDims() const {
    Sizes<Rank> sizes;
    const int skip = dims() - Rank;  // dimensions to collapse into the first
    for (int d = 0; d < Rank; ++d) sizes.items[d] = d + skip < 0 ? 1 : dim_size(d + skip);
    for (int d = 0; d < skip; ++d) sizes.items[0] *= dim_size(d);
    return sizes;
  }
  template <int Rank>
  Sizes<Rank> OuterDims() const {
    Sizes<Rank> sizes;
    for (int d = 0; d < Rank; ++d) sizes.items[d] = d < dims() ? dim_size(d) : 1;
    for (int d = Rank; d < dims(); ++d) sizes.items[Rank - 1] *= dim_size(d);
    return sizes;
  }
  TENON_COLD Status CheckView(DataType wanted, int rank) const {
    if (dtype() != wanted) {
      return errors::InvalidArgument("Tensor::View: ", Name(wanted), " expected, got ", Name(dtype()), " of shape ",
                                     shape_);
    }
    if (rank != kAnyRank && dims() != rank) {
      return errors::InvalidArgument("Tensor::View: rank ", rank, " expected, got shape ", shape_);
    }
    if (!IsInitialized())
      return errors::FailedPrecondition("Tensor::View: the tensor of shape ", shape_, " is not initialised");
    return OkStatus();
  }
  TENON_COLD static Status NoSuchTensor(DataType dtype) {
    return errors::InvalidArgument("Tensor: a tensor cannot hold elements of type '", Name(dtype), "' (",
                                   static_cast<std::int32_t>(dtype), ")");
  }
  TENON_COLD static Status OutOfMemory(DataType dtype, const TensorShape& shape, Allocator* allocator) {
    if (SizeOf(dtype) == 0 && !allocator->HostAccessible()) {
      return errors::InvalidArgument("Tensor: elements of type '", Name(dtype),
                                     "' live in host memory, which allocator '", allocator->Name(), "' does not give");
    }
    return errors::ResourceExhausted("OOM when allocating tensor with shape", shape, " and type ", Name(dtype),
                                     " by allocator ", allocator->Name());
  }

  Buffer* buffer_;
  TensorShape shape_;  // the dtype is in its spare bytes
};
static_assert(sizeof(Tensor) == 48);

// A tensor in ordinary memory with the given values, as many as the shape has elements:
// MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}).
template <class T>
Tensor MakeTensor(const TensorShape& shape, std::initializer_list<T> values) {
  return Tensor::From<T>(std::span<const T>(values.begin(), values.size()), shape);
}
template <class T>
Tensor MakeTensor(const TensorShape& shape, std::span<const T> values) {
  return Tensor::From<T>(values, shape);
}

// The shape that a vector of int32 or int64 lists, as shape inputs of ops do. InvalidArgument with TensorFlow's texts.
inline Status MakeShape(const Tensor& tensor, TensorShape* shape) {
  if (tensor.dims() != 1) {
    return errors::InvalidArgument("shape must be a vector of {int32,int64}, got shape ", tensor.shape());
  }
  if (tensor.dtype() == DataType::kInt32) return MakeShape(tensor.data<std::int32_t>(), tensor.NumElements(), shape);
  if (tensor.dtype() == DataType::kInt64) return MakeShape(tensor.data<std::int64_t>(), tensor.NumElements(), shape);
  return errors::InvalidArgument("shape must be a vector of {int32,int64}.");
}

TENON_NAMESPACE_END

// ---- tenon/runtime/session_options.hpp ----
// SessionOptions: how a session runs its graph. Plain data with designated initialisers.
TENON_NAMESPACE_BEGIN

class Allocator;
class Registry;
class ThreadPoolInterface;

enum class ExecutorKind : std::uint8_t {
  kAuto,  // sequential, unless inter_op_threads asks for more than one thread and the graph has parallel branches
  kSequential,  // one precomputed order on the caller's thread
  kDataflow,  // every node as soon as its inputs are there, on a pool of inter_op_threads threads
};

//   Session::FromGraphFile("model.pb", {.intra_op_threads = 4})
struct SessionOptions {
  int inter_op_threads = 0;  // threads that run different nodes; 0 or 1: the caller's only
  int intra_op_threads = 0;  // threads inside one kernel; 0: one per CPU, 1: none but the caller's
  std::vector<std::string> devices = {};  // by preference, e.g. {"GPU:0", "CPU:0"}; empty: {"CPU:0"}
  ThreadPoolInterface* intra_op_pool =
      nullptr;  // the caller's own pool instead of intra_op_threads; outlives the session
  ThreadPoolInterface* inter_op_pool = nullptr;  // the same for inter_op_threads
  Allocator* allocator = nullptr;  // host memory; null: CpuAllocator(). Outlives the session and its tensors
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  ExecutorKind executor = ExecutorKind::kAuto;
  bool constant_folding = true;  // evaluate stateless nodes with constant inputs once, when a signature is built
  bool flush_denormals = true;  // as TensorFlow does; the caller's mode is restored after each run
  int max_cached_signatures = 64;  // prepared (feeds, fetches, targets) kept per session, least recently used go
};

TENON_NAMESPACE_END

// ---- tenon/session.hpp ----
// Session and Tensor: the cheap front door. Declarations only: one source file of the program includes
// <tenon/runtime.hpp> (or <tenon/tenon.hpp>, which has everything), as with doctest's implementation.
TENON_NAMESPACE_BEGIN

struct GraphDef;
class GraphBuilder;

// A tensor by name: {"x:0", tensor}. "x" means "x:0".
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// What a prepared run takes and gives, in this order.
struct CallableOptions {
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};  // nodes that run although nothing of theirs is fetched
};

// Where the time of one run went.
struct NodeTiming {
  std::string_view name, op;      // of the node; live as long as the session
  std::string_view device;
  std::int64_t start_ns = 0, end_ns = 0;  // since the start of the run
  std::int64_t output_bytes = 0;
  int thread = 0;
};
struct RunTrace {
  std::int64_t total_ns = 0;
  std::vector<NodeTiming> nodes;  // in the order in which they ended
};

// An endpoint of a loaded graph, as `Session::inputs()` lists it.
struct Endpoint {
  std::string name;  // "pixels:0"
  DataType dtype = DataType::kInvalid;
  std::string shape;  // "[?,784]", "<unknown>"
};

class Session;
class Callable;

namespace detail {

// The runtime's entry points, defined by <tenon/runtime.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file {
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options);
  static Result<Session> FromGraphDefBytes(std::span<const std::byte> bytes, SessionOptions options);
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options);
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options);
  static Result<std::vector<Tensor>> Run(const Session& session, std::span<const NamedTensor> feeds,
                                         std::span<const std::string> fetches, std::span<const std::string> targets);
  static Result<Callable> MakeCallable(const Session& session, const CallableOptions& options);
  static void Endpoints(const Session& session, bool inputs, std::vector<Endpoint>* endpoints);
  static std::vector<std::string> Devices(const Session& session);
  static Status RunCallable(const RefCounted* callable, std::span<const Tensor> feeds, std::span<Tensor> fetches,
                            RunTrace* trace);
  static std::size_t NumFeeds(const RefCounted* callable);
  static std::size_t NumFetches(const RefCounted* callable);
};
using Runtime = undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

}  // namespace detail

// One signature of a session, prepared: no names are looked up when it runs. thread-safe; keeps its session alive.
class Callable {
 public:
  Callable() = default;

  // feeds[i] is the value of the i-th feed; fetches[i] receives the i-th fetch. Both must have the lengths asked for.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, nullptr);
  }
  Result<std::vector<Tensor>> operator()(std::initializer_list<Tensor> feeds) const {
    std::vector<Tensor> fetches(num_fetches());
    TENON_RETURN_IF_ERROR(Run(std::span<const Tensor>(feeds.begin(), feeds.size()), fetches));
    return fetches;
  }
  // Runs once and records when each node ran.
  Status RunTraced(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, trace);
  }

  std::size_t num_feeds() const { return detail::Runtime::NumFeeds(impl_.get()); }
  std::size_t num_fetches() const { return detail::Runtime::NumFetches(impl_.get()); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  Ref<RefCounted> impl_;  // detail::CallableImpl
};

// A graph that can be run. thread-safe: any number of threads may call Run at once. Copies share the graph and its
// state.
//
//   TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraphFile("mlp.pb"));
//   TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"pixels:0", image}}, {"probabilities:0"}));
//   const float first = outputs[0].flat<float>()(0);
class Session {
 public:
  Session() = default;

  // Reads a binary GraphDef (a frozen graph); large constants stay views of the mapped file.
  // NotFound: no such file. DataLoss: not a GraphDef. Otherwise as FromGraphDef.
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options = {}) {
    return detail::Runtime::FromGraphFile(path, std::move(options));
  }
  // The same from bytes, which are copied as far as they are needed.
  // NotFound: an op that is not registered (all of them are named). InvalidArgument: any other fault of the graph.
  static Result<Session> FromGraphDef(std::span<const std::byte> bytes, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDefBytes(bytes, std::move(options));
  }
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDef(graph, std::move(options));
  }
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options = {}) {
    return detail::Runtime::FromGraph(builder, std::move(options));
  }

  // Runs what is needed for `fetches` and `targets` and returns the fetches in their order. The way of calling it again
  // with the same names is remembered; a Callable saves the look-up too.
  Result<std::vector<Tensor>> Run(std::span<const NamedTensor> feeds, std::span<const std::string> fetches,
                                  std::span<const std::string> targets = {}) const {
    return detail::Runtime::Run(*this, feeds, fetches, targets);
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) const {
    return Run(std::span<const NamedTensor>(feeds.begin(), feeds.size()),
               std::span<const std::string>(fetches.begin(), fetches.size()),
               std::span<const std::string>(targets.begin(), targets.size()));
  }
  Result<Callable> MakeCallable(const CallableOptions& options) const {
    return detail::Runtime::MakeCallable(*this, options);
  }

  // Placeholders, in graph order.
  std::vector<Endpoint> inputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, true, &endpoints);
    return endpoints;
  }
  // Outputs that no other node reads, in graph order.
  std::vector<Endpoint> outputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, false, &endpoints);
    return endpoints;
  }
  std::vector<std::string> devices() const { return detail::Runtime::Devices(*this); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  Ref<RefCounted> impl_;  // detail::SessionImpl
};

TENON_NAMESPACE_END

// ---- tenon/base/array.hpp ----
// Array<T, N>: std::array for code that also runs on a GPU (nvcc refuses std::array there).
TENON_NAMESPACE_BEGIN

// An aggregate: Array<Index, 3> strides{12, 4, 1}. Elements that are not given are zero.
template <class T, std::size_t N>
struct Array {
  using value_type = T;

  TENON_HD static constexpr std::size_t size() { return N; }
  TENON_HD static constexpr bool empty() { return false; }
  TENON_HD constexpr T& operator[](std::size_t i) { return items[i]; }
  TENON_HD constexpr const T& operator[](std::size_t i) const { return items[i]; }
  TENON_HD constexpr T* data() { return items; }
  TENON_HD constexpr const T* data() const { return items; }
  TENON_HD constexpr T* begin() { return items; }
  TENON_HD constexpr const T* begin() const { return items; }
  TENON_HD constexpr T* end() { return items + N; }
  TENON_HD constexpr const T* end() const { return items + N; }
  TENON_HD constexpr T& front() { return items[0]; }
  TENON_HD constexpr const T& front() const { return items[0]; }
  TENON_HD constexpr T& back() { return items[N - 1]; }
  TENON_HD constexpr const T& back() const { return items[N - 1]; }
  TENON_HD constexpr void fill(const T& value) {
    for (T& item : items) item = value;
  }
  TENON_HD friend constexpr bool operator==(const Array& a, const Array& b) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!(a.items[i] == b.items[i])) return false;
    }
    return true;
  }

  T items[N];
};

template <class T>
struct Array<T, 0> {
  using value_type = T;

  TENON_HD static constexpr std::size_t size() { return 0; }
  TENON_HD static constexpr bool empty() { return true; }
  TENON_HD constexpr T* data() { return nullptr; }
  TENON_HD constexpr const T* data() const { return nullptr; }
  TENON_HD constexpr T* begin() { return nullptr; }
  TENON_HD constexpr const T* begin() const { return nullptr; }
  TENON_HD constexpr T* end() { return nullptr; }
  TENON_HD constexpr const T* end() const { return nullptr; }
  TENON_HD constexpr void fill(const T&) {}
  TENON_HD friend constexpr bool operator==(const Array&, const Array&) { return true; }
};

template <class T, class... Rest>
Array(T, Rest...) -> Array<T, 1 + sizeof...(Rest)>;

TENON_NAMESPACE_END

// ---- tenon/base/env.hpp ----
// Environment variables as numbers and switches. Do not change the environment while another thread reads it.
TENON_NAMESPACE_BEGIN

namespace detail {
inline Status BadEnv(const char* name, std::string_view type, std::string_view text, std::string_view used) {
  return Status(Code::kInvalidArgument, StrCat("Failed to parse the env-var ${", name, "} into ", type, ": ", text,
                                               ". Use the default value: ", used));
}
inline bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}
}  // namespace detail

// The readers set *value to `default_value` when the variable is not set, and also when its text makes no sense: then
// the Status says so, and who does not mind may go on.

inline void GetEnvString(const char* name, std::string_view default_value, std::string* value) {
  const char* text = std::getenv(name);
  value->assign(text == nullptr ? default_value : std::string_view(text));
}

// "0" and "false" in any case are false, "1" and "true" are true.
inline Status GetEnvBool(const char* name, bool default_value, bool* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr) return OkStatus();
  const bool yes = std::string_view(text) == "1" || detail::EqualsIgnoringCase(text, "true");
  const bool no = std::string_view(text) == "0" || detail::EqualsIgnoringCase(text, "false");
  if (!yes && !no) return detail::BadEnv(name, "bool", text, default_value ? "1" : "0");
  *value = yes;
  return OkStatus();
}

inline Status GetEnvInt64(const char* name, std::int64_t default_value, std::int64_t* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr || ParseInt64(text, value)) return OkStatus();
  *value = default_value;
  return detail::BadEnv(name, "int64", text, StrCat(default_value));
}

inline Status GetEnvDouble(const char* name, double default_value, double* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr || ParseDouble(text, value)) return OkStatus();
  *value = default_value;
  return detail::BadEnv(name, "double", text, StrCat(default_value));
}

TENON_NAMESPACE_END

// ---- tenon/base/slim_vector.hpp ----
// SlimVector<T>: std::vector for the inside of Tenon. A std::vector costs the compiler some hundred functions for each
// item type that it is used with, this one a dozen, most of them out of line: a program's compile time is made of such
// things.
TENON_NAMESPACE_BEGIN

// A std::vector<T>, SlimVector<T> or the like: what a list of T may be read into.
template <class List, class T>
concept GrowableListOf = std::same_as<typename List::value_type, T> && requires(List list, const T& item) {
  list.clear();
  list.reserve(std::size_t{1});
  list.push_back(item);
};

namespace detail {

template <class Range, class T>
concept ArrayOf = requires(const Range& range) {
  requires std::same_as<std::remove_cvref_t<decltype(*range.data())>, T>;
  range.size();
};

// So many that the allocation fails where the product does not fit.
constexpr std::size_t ArrayBytes(std::size_t count, std::size_t item_bytes) {
  return count > SIZE_MAX / item_bytes ? SIZE_MAX : count * item_bytes;
}

// For all items that may be moved as bytes: new memory with the old content; doubles where `wanted` is no more.
TENON_NOINLINE inline void* GrowBytes(void* old, std::size_t item_bytes, std::size_t count, std::size_t wanted,
                                      std::size_t* capacity) {
  const std::size_t least = 2 * *capacity > 4 ? 2 * *capacity : 4;
  *capacity = wanted > least ? wanted : least;
  void* const made = ::operator new(ArrayBytes(*capacity, item_bytes));
  if (count != 0) std::memcpy(made, old, count * item_bytes);
  ::operator delete(old);
  return made;
}

}  // namespace detail

// As std::vector, with pointers as iterators and without the allocator; moving an item must not throw. T may be
// incomplete where a SlimVector<T> is a member. externally synchronised.
template <class T>
class SlimVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr SlimVector() noexcept = default;
  constexpr explicit SlimVector(size_type count) : SlimVector() { resize(count); }
  constexpr SlimVector(size_type count, const T& value) : SlimVector() { resize(count, value); }
  constexpr SlimVector(std::initializer_list<T> items) : SlimVector() { append(items.begin(), items.end()); }
  template <class Iterator>
    requires requires(Iterator i) { *i; }
  constexpr SlimVector(Iterator first, Iterator last) : SlimVector() {
    append(first, last);
  }
  // From a std::vector, span, array...
  template <class Range>
    requires(!std::same_as<Range, SlimVector>) && detail::ArrayOf<Range, T>
  constexpr SlimVector(const Range& range) : SlimVector() {
    append(range.data(), range.data() + range.size());
  }
  constexpr SlimVector(const SlimVector& other) : SlimVector() { append(other.begin(), other.end()); }
  constexpr SlimVector(SlimVector&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.Forget();
  }
  constexpr SlimVector& operator=(const SlimVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  constexpr SlimVector& operator=(SlimVector&& other) noexcept {
    if (this != &other) {
      T* const data = other.data_;
      const size_type size = other.size_, capacity = other.capacity_;
      other.Forget();  // before the items go: `other` may be a part of one of them
      if (data_ != nullptr) Destroy();
      data_ = data;
      size_ = size;
      capacity_ = capacity;
    }
    return *this;
  }
  constexpr SlimVector& operator=(std::initializer_list<T> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  constexpr ~SlimVector() {
    if (data_ != nullptr) Destroy();
  }

  // Nothing assigned, appended or inserted may be an item of this vector, except by push_back, emplace_back and resize.
  template <class Iterator>
    requires requires(Iterator i) { *i; }
  constexpr void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  constexpr void assign(size_type count, const T& value) {
    clear();
    resize(count, value);
  }
  constexpr void clear() noexcept { Truncate(0); }
  constexpr void reserve(size_type capacity) {
    if (capacity > capacity_) Grow(capacity);
  }
  TENON_NOINLINE constexpr void resize(size_type count) {
    if (count > capacity_) Grow(Larger(count));
    for (; size_ < count; ++size_) std::construct_at(data_ + size_);
    Truncate(count);
  }
  TENON_NOINLINE constexpr void resize(size_type count, const T& value) {
    if (count > capacity_) {
      const T copy(value);  // `value` may be one of the items that move
      Grow(Larger(count));
      for (; size_ < count; ++size_) std::construct_at(data_ + size_, copy);
    }
    for (; size_ < count; ++size_) std::construct_at(data_ + size_, value);
    Truncate(count);
  }
  constexpr void push_back(const T& item) { emplace_back(item); }
  constexpr void push_back(T&& item) { emplace_back(static_cast<T&&>(item)); }
  template <class... Args>
  constexpr T& emplace_back(Args&&... args) {
    if constexpr (IsBytes()) {
      const T item(static_cast<Args&&>(args)...);  // an argument may be one of the items that move
      if (size_ == capacity_) [[unlikely]]
        Grow(0);
      return *std::construct_at(data_ + size_++, item);
    } else {
      T* const larger = size_ == capacity_ ? Allocate(Larger(0)) : nullptr;
      T* const item = (larger == nullptr ? data_ : larger) + size_;
      std::construct_at(item, static_cast<Args&&>(args)...);
      if (larger != nullptr) [[unlikely]]
        MoveTo(larger, Larger(0));
      ++size_;
      return *item;
    }
  }
  constexpr void pop_back() { Truncate(size_ - 1); }

  constexpr iterator insert(const_iterator position, T item) {
    size_type i = size_;
    const size_type index = static_cast<size_type>(position - data_);
    emplace_back(static_cast<T&&>(item));
    if (i == index) return data_ + index;
    T moved(static_cast<T&&>(data_[i]));
    for (; i > index; --i) data_[i] = static_cast<T&&>(data_[i - 1]);
    data_[index] = static_cast<T&&>(moved);
    return data_ + index;
  }
  // Adds the items of [first, last) behind the others.
  template <class Iterator>
  TENON_NOINLINE constexpr void append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<size_type>(last - first); }) {
      const size_type needed = size_ + static_cast<size_type>(last - first);
      if (needed > capacity_) Grow(Larger(needed));
    }
    for (; first != last; ++first) emplace_back(*first);
  }
  constexpr iterator erase(const_iterator position) { return erase(position, position + 1); }
  constexpr iterator erase(const_iterator first, const_iterator last) {
    const size_type to = static_cast<size_type>(first - data_), count = static_cast<size_type>(last - first);
    if (count != 0) {
      for (size_type i = to; i + count < size_; ++i) data_[i] = static_cast<T&&>(data_[i + count]);
      Truncate(size_ - count);
    }
    return data_ + to;
  }
  constexpr void swap(SlimVector& other) noexcept {
    SlimVector mine(static_cast<SlimVector&&>(*this));
    *this = static_cast<SlimVector&&>(other);
    other = static_cast<SlimVector&&>(mine);
  }

  constexpr T& operator[](size_type i) { return data_[i]; }
  constexpr const T& operator[](size_type i) const { return data_[i]; }
  constexpr T& front() { return data_[0]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr T& back() { return data_[size_ - 1]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  constexpr T* data() noexcept { return data_; }
  constexpr const T* data() const noexcept { return data_; }
  constexpr iterator begin() noexcept { return data_; }
  constexpr const_iterator begin() const noexcept { return data_; }
  constexpr iterator end() noexcept { return data_ + size_; }
  constexpr const_iterator end() const noexcept { return data_ + size_; }
  constexpr size_type size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr size_type capacity() const noexcept { return capacity_; }

  template <detail::ArrayOf<T> Range>
  constexpr bool operator==(const Range& other) const {
    if (size_ != other.size()) return false;
    for (size_type i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data()[i])) return false;
    }
    return true;
  }

 private:
  // Functions, so that T may be incomplete until they are needed.
  static constexpr bool IsBytes() { return std::is_trivially_copyable_v<T> && !IsOverAligned(); }
  static constexpr bool IsOverAligned() { return alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

  static constexpr T* Allocate(size_type count) {
    if (TENON_IS_CONSTANT_EVALUATED()) return std::allocator<T>().allocate(count);
    if constexpr (IsOverAligned()) {
      return static_cast<T*>(::operator new(detail::ArrayBytes(count, sizeof(T)), std::align_val_t{alignof(T)}));
    } else {
      return static_cast<T*>(::operator new(detail::ArrayBytes(count, sizeof(T))));
    }
  }
  // The next capacity, for one item more or for `wanted` of them.
  constexpr size_type Larger(size_type wanted) const {
    if (wanted != 0 && capacity_ == 0) return wanted;
    const size_type doubled = capacity_ == 0 ? (sizeof(T) > 64 ? 1 : 4) : 2 * capacity_;
    return wanted > doubled ? wanted : doubled;
  }
  // Room for `capacity` items, or for twice as many as now.
  constexpr void Grow(size_type capacity) {
    if (IsBytes() && !TENON_IS_CONSTANT_EVALUATED()) {
      data_ = static_cast<T*>(detail::GrowBytes(data_, sizeof(T), size_, capacity, &capacity_));
    } else {
      if (capacity == 0) capacity = Larger(0);
      MoveTo(Allocate(capacity), capacity);
    }
  }
  // Moves the items to `data`, which has room for `capacity` of them.
  TENON_NOINLINE constexpr void MoveTo(T* data, size_type capacity) {
    for (size_type i = 0; i < size_; ++i) {
      std::construct_at(data + i, static_cast<T&&>(data_[i]));
      data_[i].~T();
    }
    Free();
    data_ = data;
    capacity_ = capacity;
  }
  constexpr void Free() noexcept {
    if (TENON_IS_CONSTANT_EVALUATED()) {
      if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
    } else if constexpr (IsOverAligned()) {
      ::operator delete(static_cast<void*>(data_), std::align_val_t{alignof(T)});
    } else {
      ::operator delete(static_cast<void*>(data_));
    }
  }
  constexpr void Truncate(size_type count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      if (count < size_) DestroyFrom(count);
    }
    size_ = count;
  }
  TENON_NOINLINE constexpr void DestroyFrom(size_type count) noexcept {
    for (size_type i = count; i < size_; ++i) data_[i].~T();
  }
  TENON_NOINLINE constexpr void Destroy() noexcept {
    Truncate(0);
    Free();
  }
  constexpr void Forget() noexcept {
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  size_type size_ = 0, capacity_ = 0;
};

TENON_NAMESPACE_END

// ---- tenon/base/flat_map.hpp ----
// FlatMap<K, V>: a map as one sorted vector. Small, quick to walk (in the order of its keys) and to search; an
// insertion moves what comes after it. A key is found by all that compares with it: a std::string by a string_view.
TENON_NAMESPACE_BEGIN

// externally synchronised. Items are pairs `first`, `second`; a key must not be changed through an iterator. V may be
// incomplete where a FlatMap<K, V> is declared as a member (which std::pair would not allow).
template <class K, class V>
class FlatMap {
 public:
  using key_type = K;
  using mapped_type = V;
  struct value_type {
    K first;
    V second;
  };
  using iterator = typename SlimVector<value_type>::iterator;
  using const_iterator = typename SlimVector<value_type>::const_iterator;

  FlatMap() = default;
  // The first of several items with one key counts.
  FlatMap(std::initializer_list<value_type> items) {
    reserve(items.size());
    for (const value_type& item : items) insert(item);
  }

  template <class Key>
  const_iterator find(const Key& key) const {
    const const_iterator i = lower_bound(key);
    return i != end() && !(key < i->first) ? i : end();
  }
  template <class Key>
  iterator find(const Key& key) {
    return items_.begin() + (std::as_const(*this).find(key) - std::as_const(items_).begin());
  }
  template <class Key>
  bool contains(const Key& key) const {
    return find(key) != end();
  }
  // The value of a key, or null.
  template <class Key>
  const V* FindValue(const Key& key) const {
    const const_iterator i = find(key);
    return i == end() ? nullptr : &i->second;
  }
  template <class Key>
  V* FindValue(const Key& key) {
    return const_cast<V*>(std::as_const(*this).FindValue(key));
  }
  // The first item whose key is not less than `key`.
  template <class Key>
  const_iterator lower_bound(const Key& key) const {
    std::size_t first = 0;
    for (std::size_t count = items_.size(); count > 0;) {
      const std::size_t half = count / 2;
      if (items_[first + half].first < key) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return items_.begin() + static_cast<std::ptrdiff_t>(first);
  }

  // Makes the item when there is none: true beside it. An item that is there stays as it is.
  template <class Key, class... Args>
  std::pair<iterator, bool> try_emplace(Key&& key, Args&&... args) {
    const const_iterator i = lower_bound(key);
    if (i != end() && !(key < i->first)) return {Mutable(i), false};
    return {items_.insert(i, value_type{K(std::forward<Key>(key)), V(std::forward<Args>(args)...)}), true};
  }
  std::pair<iterator, bool> insert(value_type item) {
    const const_iterator i = lower_bound(item.first);
    if (i != end() && !(item.first < i->first)) return {Mutable(i), false};
    return {items_.insert(i, std::move(item)), true};
  }
  template <class Key, class Value>
  std::pair<iterator, bool> insert_or_assign(Key&& key, Value&& value) {
    const const_iterator i = lower_bound(key);
    if (i == end() || key < i->first) {
      return {items_.insert(i, value_type{K(std::forward<Key>(key)), V(std::forward<Value>(value))}), true};
    }
    Mutable(i)->second = std::forward<Value>(value);
    return {Mutable(i), false};
  }
  template <class Key>
  V& operator[](Key&& key) {
    return try_emplace(std::forward<Key>(key)).first->second;
  }

  // How many items went: 0 or 1.
  template <class Key>
    requires(!std::is_convertible_v<const Key&, const_iterator>)
  std::size_t erase(const Key& key) {
    const const_iterator i = std::as_const(*this).find(key);
    if (i == end()) return 0;
    items_.erase(i);
    return 1;
  }
  iterator erase(const_iterator position) { return items_.erase(position); }
  void clear() { items_.clear(); }
  void reserve(std::size_t count) { items_.reserve(count); }

  iterator begin() { return items_.begin(); }
  iterator end() { return items_.end(); }
  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  friend bool operator==(const FlatMap& a, const FlatMap& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!(a.items_[i].first == b.items_[i].first) || !(a.items_[i].second == b.items_[i].second)) return false;
    }
    return true;
  }

 private:
  iterator Mutable(const_iterator i) { return items_.begin() + (i - std::as_const(items_).begin()); }

  SlimVector<value_type> items_;  // sorted by key, each key once
};

TENON_NAMESPACE_END

// ---- tenon/base/function.hpp ----
// Function<R(A...)>: a callable that is moved, never copied, with room for four pointers before it needs the heap.
// What copies as plain bytes (a lambda over pointers, references and numbers) moves with one memcpy.
TENON_NAMESPACE_BEGIN

template <class Signature>
class Function;

// externally synchronised. Calling an empty Function is a mistake of the program: it calls a null pointer.
//
//   Function<void(Status)> done = [step = std::move(step)](Status s) { step->Finish(s); };
//   done(OkStatus());
template <class R, class... Args>
class Function<R(Args...)> {
 public:
  static constexpr std::size_t kInlineBytes = 4 * sizeof(void*);

  Function() noexcept {}
  Function(std::nullptr_t) noexcept {}

  // From anything that is called with parentheses (no pointers to members); empty when it is a null function pointer.
  template <class F, class D = std::decay_t<F>>
    requires(!std::is_same_v<D, Function> && !std::is_member_pointer_v<D> && std::is_invocable_r_v<R, D&, Args...>)
  Function(F&& callable) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<F>>) {
      if (callable == nullptr) return;
    }
    if constexpr (kInline<D>) {
      ::new (static_cast<void*>(storage_)) D(std::forward<F>(callable));
      call_ = &CallInline<D>;
      if constexpr (!kPlain<D>) manage_ = &ManageInline<D>;
    } else {
      ::new (static_cast<void*>(storage_)) D*(new D(std::forward<F>(callable)));
      call_ = &CallHeap<D>;
      manage_ = &ManageHeap<D>;
    }
  }

  Function(Function&& other) noexcept { Take(other); }
  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      Destroy();
      Take(other);
    }
    return *this;
  }
  Function& operator=(std::nullptr_t) noexcept {
    Destroy();
    call_ = nullptr;
    manage_ = nullptr;
    return *this;
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { Destroy(); }

  // Constness is not passed on to the callable, as with std::function.
  R operator()(Args... args) const { return call_(storage_, std::forward<Args>(args)...); }

  explicit operator bool() const noexcept { return call_ != nullptr; }
  friend bool operator==(const Function& f, std::nullptr_t) noexcept { return f.call_ == nullptr; }

 private:
  // Called with to == nullptr to destroy what is in `from`, else to move it to `to` and destroy what is left.
  using Manage = void (*)(void* from, void* to);

  template <class D>
  static constexpr bool kInline =
      sizeof(D) <= kInlineBytes && alignof(D) <= alignof(void*) && std::is_nothrow_move_constructible_v<D>;
  template <class D>
  static constexpr bool kPlain = std::is_trivially_copyable_v<D> && std::is_trivially_destructible_v<D>;

  template <class D>
  static R Invoke(D& callable, Args... args) {
    if constexpr (std::is_void_v<R>) {
      static_cast<void>(callable(std::forward<Args>(args)...));
    } else {
      return callable(std::forward<Args>(args)...);
    }
  }
  template <class D>
  static R CallInline(void* storage, Args... args) {
    return Invoke(*std::launder(static_cast<D*>(storage)), std::forward<Args>(args)...);
  }
  template <class D>
  static R CallHeap(void* storage, Args... args) {
    return Invoke(**std::launder(static_cast<D**>(storage)), std::forward<Args>(args)...);
  }
  template <class D>
  static void ManageInline(void* from, void* to) {
    D* const callable = std::launder(static_cast<D*>(from));
    if (to != nullptr) ::new (to) D(std::move(*callable));
    callable->~D();
  }
  template <class D>
  static void ManageHeap(void* from, void* to) {
    D* const callable = *std::launder(static_cast<D**>(from));
    if (to != nullptr) {
      ::new (to) D*(callable);
    } else {
      delete callable;
    }
  }

  void Take(Function& other) noexcept {
    call_ = std::exchange(other.call_, nullptr);
    manage_ = std::exchange(other.manage_, nullptr);
    if (manage_ != nullptr) {
      manage_(other.storage_, storage_);
    } else if (call_ != nullptr) {
      std::memcpy(storage_, other.storage_, kInlineBytes);
    }
  }
  void Destroy() noexcept {
    if (manage_ != nullptr) manage_(storage_, nullptr);
  }

  R (*call_)(void*, Args...) = nullptr;
  Manage manage_ = nullptr;  // null: the bytes may be copied and forgotten
  alignas(void*) mutable unsigned char storage_[kInlineBytes];
};

TENON_NAMESPACE_END

// ---- tenon/types/complex.hpp ----
// complex64 and complex128. The only header of floors 0-6 that includes <complex>.
TENON_NAMESPACE_BEGIN

using complex64 = std::complex<float>;    // 8 bytes: real part, imaginary part
using complex128 = std::complex<double>;  // 16 bytes

// clang-format off
template <> struct dtype_of<complex64> : detail::DtypeConstant<DataType::kComplex64> {};
template <> struct dtype_of<complex128> : detail::DtypeConstant<DataType::kComplex128> {};
template <> struct type_of<DataType::kComplex64> : detail::TypeConstant<complex64> {};
template <> struct type_of<DataType::kComplex128> : detail::TypeConstant<complex128> {};
// clang-format on

TENON_NAMESPACE_END

// ---- tenon/types/type_list.hpp ----
// TypeList<float, double>: types as a value. No recursion, so that names in compiler messages stay short.
TENON_NAMESPACE_BEGIN

// A type as a value; `type` gives it back.
template <class T>
struct Type {
  using type = T;
};

template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);

  template <class U>
  static constexpr bool contains = (std::is_same_v<T, U> || ...);
  // Position of U, or `size` if it is not in the list.
  template <class U>
  static constexpr std::size_t index_of = [] {
    constexpr bool same[] = {std::is_same_v<T, U>..., true};
    std::size_t i = 0;
    while (!same[i]) ++i;
    return i;
  }();
};

namespace detail {
template <std::size_t I, class T>
struct IndexedType : Type<T> {};
template <class Indices, class... T>
struct IndexedTypes;
template <std::size_t... I, class... T>
struct IndexedTypes<std::index_sequence<I...>, T...> : IndexedType<I, T>... {};
template <std::size_t I, class T>
Type<T> TypeAt(const IndexedType<I, T>*);

template <std::size_t I, class List>
struct Nth;
template <std::size_t I, class... T>
struct Nth<I, TypeList<T...>> {
  static_assert(I < sizeof...(T), "tenon: the type list has fewer types than that");
  using type = typename decltype(TypeAt<I>(
      static_cast<const IndexedTypes<std::index_sequence_for<T...>, T...>*>(nullptr)))::type;
};

template <class... Lists>
struct Concatenated;
template <>
struct Concatenated<> {
  using type = TypeList<>;
};
template <class... T>
struct Concatenated<TypeList<T...>> {
  using type = TypeList<T...>;
};
template <class... T, class... U, class... Rest>
struct Concatenated<TypeList<T...>, TypeList<U...>, Rest...> : Concatenated<TypeList<T..., U...>, Rest...> {};
}  // namespace detail

// The type at position I (from 0).
template <class List, std::size_t I>
using nth = typename detail::Nth<I, List>::type;

// One list with the types of all lists, in order.
template <class... Lists>
using concat = typename detail::Concatenated<Lists...>::type;

// Calls visitor.template operator()<T>() for every type, in order.
template <class... T, class Visitor>
constexpr void ForEachType(TypeList<T...>, Visitor&& visitor) {
  (static_cast<void>(visitor.template operator()<T>()), ...);
}

TENON_NAMESPACE_END

// ---- tenon/types/dispatch.hpp ----
// From a DataType known while running to a C++ type known while compiling:
//
//   return DispatchType<TypeList<float, double>>(x.dtype(), [&]<class T>() { return Fill(x.flat<T>()); });
TENON_NAMESPACE_BEGIN

// Name(type), and for an unknown number "unknown dtype enum (77)".
inline std::string DataTypeString(DataType type) {
  if (type == DataType::kInvalid || IsKnownType(type)) return std::string(Name(type));
  return StrCat("unknown dtype enum (", static_cast<std::int32_t>(type), ")");
}

// "float, int32": ascending, or "none".
inline std::string DataTypeSetString(DataTypeSet types) {
  if (types.empty()) return "none";
  return StrJoin(types, ", ");
}

// The dtypes of a list of element types.
template <class List>
struct dtypes_of;
template <class... T>
struct dtypes_of<TypeList<T...>> {
  static constexpr DataTypeSet value{(std::uint64_t{0} | ... | ToSet(dtype_of_v<T>).mask)};
};

namespace detail {
TENON_COLD inline Status NoSuchType(std::string_view where, DataType type, DataTypeSet supported) {
  return errors::InvalidArgument(where, where.empty() ? "" : ": ", "type '", DataTypeString(type),
                                 "' is not supported here; supported types: ", DataTypeSetString(supported));
}

// `found` says whether the list has the type; a visitor that returns nothing counts as successful.
template <class T, class Visitor>
constexpr bool VisitIf(DataType type, Visitor& visitor, Status* status) {
  if (type != dtype_of_v<T>) return false;
  if constexpr (std::is_void_v<decltype(visitor.template operator()<T>())>) {
    visitor.template operator()<T>();
  } else {
    *status = visitor.template operator()<T>();
  }
  return true;
}

template <class... T, class Visitor>
Status Dispatch(TypeList<T...>, DataType type, Visitor& visitor, std::string_view where) {
  Status status;
  if ((VisitIf<T>(type, visitor, &status) || ...)) return status;
  return NoSuchType(where, type, dtypes_of<TypeList<T...>>::value);
}
}  // namespace detail

// Calls visitor.template operator()<T>() for the T in List whose DataType is `type`; it returns Status or nothing.
// InvalidArgument, naming the types that there are, if List has none; `where` starts that message (an op's name).
template <class List, class Visitor>
Status DispatchType(DataType type, Visitor&& visitor, std::string_view where = {}) {
  return detail::Dispatch(List{}, type, visitor, where);
}

TENON_NAMESPACE_END

// ---- tenon/base/mutex.hpp ----
// Locks: Mutex sleeps, SpinLock does not. Includes <mutex>, so no header that session.hpp reaches may include this one.
#if __has_include(<sched.h>)
#include <sched.h>
#endif

// ---- tenon/base/mutex.hpp ----
TENON_NAMESPACE_BEGIN

using Mutex = std::mutex;
using MutexLock = std::unique_lock<std::mutex>;  // MutexLock lock(mutex_); works with std::condition_variable

// For a few instructions under the lock, never around a call that may wait. About 5 ns when nobody else holds it.
// unlock() is one store and touches nothing after it, so that the next holder may destroy the lock.
class SpinLock {
 public:
  constexpr SpinLock() = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      WaitUntilFree();
  }
  bool try_lock() {
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  // Reads until the lock looks free; lets other threads run now and then, for the holder may have lost its core.
  TENON_COLD void WaitUntilFree() const {
    for (int round = 0; locked_.load(std::memory_order_relaxed); ++round) {
#if __has_include(<sched.h>)
      if (round >= 100) sched_yield();
#endif
    }
  }

  std::atomic<bool> locked_{false};
};

using SpinLockHolder = std::lock_guard<SpinLock>;

TENON_NAMESPACE_END

// ---- tenon/base/owned.hpp ----
// Owned<T>: std::unique_ptr for the inside of Tenon. In C++20 <memory> brings <ostream> and a tuple with every pointer,
// and those cost the compiler more than the files that would use it.
TENON_NAMESPACE_BEGIN

struct DefaultDelete {
  template <class T>
  void operator()(T* object) const {
    static_assert(sizeof(T) > 0, "tenon: Owned<T> needs the whole T where it is destroyed");
    delete object;
  }
};

// The only owner of a T, or of nothing. Delete is a type without members. externally synchronised.
template <class T, class Delete = DefaultDelete>
class Owned {
 public:
  Owned() = default;
  Owned(std::nullptr_t) {}
  explicit Owned(T* object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  template <class U>
    requires requires(U* object, T*& to) { to = object; }
  Owned(Owned<U, Delete>&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) Delete()(object_);
  }

  void reset(T* object = nullptr) {
    T* const old = object_;
    object_ = object;
    if (old != nullptr) Delete()(old);
  }
  // Gives the object to the caller.
  T* release() {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Owned& a, std::nullptr_t) { return a.object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

// The only owner of an array.
template <class T>
class Owned<T[], DefaultDelete> {
 public:
  explicit Owned(std::size_t count) : items_(new T[count]()) {}
  Owned(Owned&&) = delete;
  ~Owned() { delete[] items_; }

  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  T* items_;
};

template <class T, class... Args>
Owned<T> MakeOwned(Args&&... args) {
  return Owned<T>(new T(static_cast<Args&&>(args)...));
}

TENON_NAMESPACE_END

// ---- tenon/memory/allocator_retry.hpp ----
// AllocatorRetry: waits for other threads to give memory back when an allocation fails.
TENON_NAMESPACE_BEGIN

// thread-safe. A member of the allocator:
//
//   void* ptr = retry_.AllocateRaw([&](bool is_last) { return Try(bytes, is_last); }, 10000);   // to allocate
//   { MutexLock lock(mutex_); ... }                                                             // to free
//   retry_.NotifyDealloc();
//
// No memory that comes back between a try and the wait is missed, as long as tries and frees hold one lock.
class AllocatorRetry {
 public:
  // Calls attempt(false) now and whenever memory came back, until it gives a pointer or the time is over; then
  // attempt(true), once.
  template <class Attempt>
  void* AllocateRaw(Attempt attempt, std::int64_t max_milliseconds) {
    const Waiter waiter(*this);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(max_milliseconds);
    for (;;) {
      const std::uint64_t before = num_returns();
      if (void* const ptr = attempt(false); ptr != nullptr) return ptr;
      if (!WaitForReturn(before, deadline)) return attempt(true);
    }
  }

  // After memory came back. One load when nobody waits.
  void NotifyDealloc() {
    if (num_waiters_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      WakeWaiters();
  }

 private:
  // Announces a waiter. It does so before the waiter's try takes the allocator's lock: a free that comes after the try
  // sees it.
  class Waiter {
   public:
    explicit Waiter(AllocatorRetry& retry) : retry_(retry) {
      retry_.num_waiters_.fetch_add(1, std::memory_order_relaxed);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { retry_.num_waiters_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    AllocatorRetry& retry_;
  };

  std::uint64_t num_returns() {
    MutexLock lock(mutex_);
    return num_returns_;
  }
  // False when the time is over and nothing came back.
  TENON_COLD bool WaitForReturn(std::uint64_t before, std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    while (num_returns_ == before) {
      if (memory_returned_.wait_until(lock, deadline) == std::cv_status::timeout) break;
    }
    return num_returns_ != before && std::chrono::steady_clock::now() < deadline;
  }
  TENON_COLD void WakeWaiters() {
    MutexLock lock(mutex_);
    ++num_returns_;
    memory_returned_.notify_all();
  }

  std::atomic<int> num_waiters_{0};
  Mutex mutex_;
  std::condition_variable memory_returned_;
  std::uint64_t num_returns_ = 0;  // under the lock
};

TENON_NAMESPACE_END

// ---- tenon/memory/sub_allocator.hpp ----
// SubAllocator: where an allocator that keeps memory gets it from, in few and large pieces; and the one that takes the
// pieces from any Allocator.
TENON_NAMESPACE_BEGIN

// externally synchronised: the allocator above calls it under its lock, so it must not call that allocator.
class SubAllocator {
 public:
  // Sees each piece of memory after it came and before it goes, e.g. to register it with a network card. `index`: which
  // one of several equal sources (NUMA node, GPU).
  using Visitor = Function<void(void* ptr, int index, std::size_t bytes)>;

  SubAllocator() = default;
  SubAllocator(SlimVector<Visitor> alloc_visitors, SlimVector<Visitor> free_visitors)
      : alloc_visitors_(std::move(alloc_visitors)), free_visitors_(std::move(free_visitors)) {}
  SubAllocator(const SubAllocator&) = delete;
  SubAllocator& operator=(const SubAllocator&) = delete;
  virtual ~SubAllocator() = default;

  // At least `bytes` bytes, *bytes_received of them may be used; null when there is no memory.
  virtual void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* bytes_received) = 0;
  // `bytes`: what was received.
  virtual void Free(void* ptr, std::size_t bytes) = 0;
  // True if pieces that happen to be neighbours may be used as one, and freed by one call with the sum of their bytes.
  virtual bool SupportsCoalescing() const { return false; }

  virtual AllocatorMemoryType GetMemoryType() const { return AllocatorMemoryType::kUnknown; }
  virtual bool HostAccessible() const { return true; }  // may the processor read and write the memory?

 protected:
  // For Alloc and Free. What was visited first when the memory came is visited last before it goes.
  void VisitAlloc(void* ptr, int index, std::size_t bytes) const {
    for (const Visitor& visit : alloc_visitors_) visit(ptr, index, bytes);
  }
  void VisitFree(void* ptr, int index, std::size_t bytes) const {
    for (std::size_t i = free_visitors_.size(); i-- > 0;) free_visitors_[i](ptr, index, bytes);
  }

 private:
  SlimVector<Visitor> alloc_visitors_;
  SlimVector<Visitor> free_visitors_;
};

// Pieces of another allocator, which must outlive it. `index` is what its visitors are told.
class BaseSubAllocator final : public SubAllocator {
 public:
  static constexpr std::size_t kAlignment = 256;  // of all pieces; null for more

  explicit BaseSubAllocator(Allocator* base, int index = 0, SlimVector<Visitor> alloc_visitors = {},
                            SlimVector<Visitor> free_visitors = {})
      : SubAllocator(std::move(alloc_visitors), std::move(free_visitors)), base_(base), index_(index) {}

  void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* bytes_received) override {
    AllocationAttributes attributes;
    attributes.retry_on_failure = false;  // the allocator above knows better what to do then
    void* const ptr = alignment > kAlignment ? nullptr : base_->AllocateRaw(kAlignment, bytes, attributes);
    *bytes_received = ptr == nullptr ? 0 : bytes;
    if (ptr != nullptr) VisitAlloc(ptr, index_, bytes);
    return ptr;
  }
  void Free(void* ptr, std::size_t bytes) override {
    if (ptr == nullptr) return;
    VisitFree(ptr, index_, bytes);
    base_->DeallocateRaw(ptr, kAlignment, bytes);
  }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }

 private:
  Allocator* const base_;
  const int index_;
};

TENON_NAMESPACE_END

// ---- tenon/memory/bfc_allocator.hpp ----
// BFCAllocator: TensorFlow's best-fit allocator with coalescing. It takes large regions from a SubAllocator and gives
// out chunks of them: the smallest free one that fits, split when too large, joined with its free neighbours when
// freed.
TENON_NAMESPACE_BEGIN

// A clock that ticks with every event which a device is given. thread-safe.
class SharedCounter {
 public:
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t next() { return value_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct BFCAllocatorOptions {
  bool allow_growth = true;  // regions of 2 MiB, 4 MiB, ...; false: one region of the whole limit at the first request
  bool allow_retry_on_failure = true;  // wait for other threads to free memory
  bool garbage_collection = false;  // give wholly free regions back when that may help a request
  double fragmentation_fraction = 0;  // of the limit: a chunk that is larger by this is split; 0: by 128 MiB
  std::int64_t max_retry_milliseconds = 10000;
};

namespace detail {

// One piece of a region. Chunk number 0 stands for none.
struct BFCChunk {
  using Handle = std::uint32_t;

  bool in_use() const { return allocation_id >= 0; }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // a multiple of 256
  std::size_t requested_bytes = 0;
  std::int64_t allocation_id = -1;  // -1: free
  std::uint64_t freed_at = 0;  // free, and joined with nothing until that count is safe; 0: no such count
  Handle prev = 0, next = 0;  // neighbours in memory; `next` of a spare chunk: the next spare one
  Handle left = 0, right = 0;  // of a free chunk: its children in the tree of its bin
  Handle earlier = 0, later = 0;  // of a free chunk with freed_at: the list of these in the order of freed_at
};

struct BFCRegion {
  char* end() const { return ptr + bytes; }
  BFCChunk::Handle& HandleAt(const void* p) const {
    return handles[static_cast<std::size_t>(static_cast<const char*>(p) - ptr) / 256];
  }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // that chunks are made of: a multiple of 256
  std::size_t received_bytes = 0;  // as the sub-allocator counts them
  BFCChunk::Handle* handles = nullptr;  // one for each 256 bytes; 0 where no chunk begins. From calloc: most of a large
                                        // region's pages are never touched
};

// "1.50GiB"
inline std::string HumanReadableBytes(std::size_t bytes) {
  if (bytes < 1024) return StrCat(bytes, "B");
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%ciB", value, " KMGTPE"[unit]);
  return text;
}

}  // namespace detail

// thread-safe. Must outlive its blocks.
//
//   BFCAllocator gpu(MakeOwned<BaseSubAllocator>(&cuda_memory), std::size_t{8} << 30, "GPU_0_bfc");
//   void* block = gpu.AllocateRaw(64, 1000);  // 1024 bytes of a region of 2 MiB
//   gpu.DeallocateRaw(block, 64, 1000);
//   TENON_LOG(kInfo, gpu.DumpMemoryLog(0));
//
// Free chunks are in 21 bins: bin b has those of 256 << b bytes and more, but less than twice that; the last has no
// upper end. Each bin is a tree (a treap) in the order of size, then address. All state is behind one lock.
//
// With a timing counter every free is stamped with its count, for memory that another stream may still use. A stamped
// chunk is joined with no neighbour until SetSafeFrontier has passed its count, and a request with freed_by_func gets
// no chunk of a later count than that function returns. A request without one may have any: it runs in stream order.
class BFCAllocator final : public Allocator {
 public:
  using Options = BFCAllocatorOptions;

  static constexpr std::size_t kMinAllocationSize = 256;  // bytes; chunks are multiples of it and aligned to it
  static constexpr int kNumBins = 21;

  // At most `memory_limit` bytes are taken from `sub_allocator`, and never more than 128 TiB.
  BFCAllocator(Owned<SubAllocator> sub_allocator, std::size_t memory_limit, std::string_view name,
               const Options& options = {});
  ~BFCAllocator() override;

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return sub_allocator_->GetMemoryType(); }
  bool HostAccessible() const override { return host_accessible_; }

  // What can never fit into the limit fails at once, also where waiting is allowed. Failures are logged: with the stats
  // and a picture of the memory after waiting in vain, else as one line, ten times at most.
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    void* const ptr = TryToAllocate(alignment, bytes, attributes);
    if (ptr != nullptr) [[likely]]
      return ptr;
    return AllocateAfterFailure(alignment, bytes, attributes);
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override;

  bool TracksAllocationSizes() const override { return true; }
  std::size_t RequestedSize(const void* ptr) const override;
  std::size_t AllocatedSize(const void* ptr) const override;
  std::int64_t AllocationId(const void* ptr) const override;  // the first is 1

  // Bytes are those of chunks: up to twice what was asked for, or 128 MiB more.
  std::optional<AllocatorStats> GetStats() const override;
  bool ClearStats() override;
  // How much of the free memory is not in the largest free chunk: 0 is one piece, near 1 is dust.
  double GetFragmentation() const;

  // Before the first allocation. `counter` outlives the allocator.
  void SetTimingCounter(SharedCounter* counter);
  // What was freed at or before `count` is not used any more. Lower counts than before change nothing.
  void SetSafeFrontier(std::uint64_t count);

  // The bins, every chunk, what is in use by size, and the stats, as a text of many lines. `bytes`: of the request that
  // failed, or 0.
  std::string DumpMemoryLog(std::size_t bytes) const;
  // The regions as one line of 100 characters: '*' in use, 'x' in use but not asked for, '_' free.
  std::string RenderOccupancy() const;
  // For tests: what is wrong with the structure; empty if nothing is. Looks at every chunk.
  std::string FindDefect() const;

 private:
  using Chunk = detail::BFCChunk;
  using Region = detail::BFCRegion;
  using Handle = Chunk::Handle;

  static constexpr std::size_t kLargestLimit = std::size_t{1} << 47;
  static constexpr std::size_t kFirstRegionBytes = std::size_t{2} << 20;
  static constexpr int kMaxWarnings = 10;

  // For requests of at most kLargestLimit.
  static constexpr std::size_t RoundedBytes(std::size_t bytes) {
    const std::size_t least = bytes > kMinAllocationSize ? bytes : kMinAllocationSize;
    return (least + kMinAllocationSize - 1) / kMinAllocationSize * kMinAllocationSize;
  }
  static constexpr int BinOf(std::size_t bytes) {
    const int bin = static_cast<int>(std::bit_width(bytes / kMinAllocationSize)) - 1;
    return bin < kNumBins ? bin : kNumBins - 1;
  }
  // What a chunk must have to hold the request wherever it begins; SIZE_MAX if no chunk ever will.
  std::size_t NeededBytes(std::size_t alignment, std::size_t bytes) const {
    if (bytes > limit_ || alignment > limit_) return SIZE_MAX;
    const std::size_t needed =
        RoundedBytes(bytes) + (alignment > kMinAllocationSize ? alignment - kMinAllocationSize : 0);
    return needed > limit_ ? SIZE_MAX : needed;
  }

  void* TryToAllocate(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void* AllocateAfterFailure(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void LogFailure(std::size_t bytes) const;

  // All that follow: under the lock.
  Chunk& At(Handle h) { return chunks_[h]; }
  const Chunk& At(Handle h) const { return chunks_[h]; }
  Handle MakeRoom(std::size_t needed, std::uint64_t freed_before);
  bool Extend(std::size_t needed);
  void* AllocRegion(std::size_t bytes, std::size_t* received);
  bool AddRegion(char* ptr, std::size_t received);
  bool GrowRegion(std::size_t index, std::size_t received, Handle* last);
  bool FreeUnusedRegions(std::size_t needed);
  void* Take(Handle h, std::size_t alignment, std::size_t bytes);
  void Split(Handle h, std::size_t bytes);
  Handle Coalesce(Handle h);
  void Merge(Handle h, Handle next);
  void MergeSafeChunks();
  bool MergeUnsafeChunks(std::size_t needed);

  Handle NewChunk();
  void DeleteChunk(Handle h);
  const Region* FindRegion(const void* ptr) const;
  Handle FindHandle(const void* ptr) const;
  Handle FindUsed(const void* ptr, const char* action) const;

  bool Precedes(const Chunk& a, const Chunk& b) const { return a.bytes != b.bytes ? a.bytes < b.bytes : a.ptr < b.ptr; }
  static std::uint32_t Priority(Handle h) { return h * 0x9e3779b9u; }  // no two handles have the same
  void Insert(Handle h);
  void Erase(Handle h);
  Handle FindInBin(int bin, std::size_t bytes, const char* after) const;
  Handle FindFit(std::size_t bytes, std::uint64_t freed_before) const;
  void Stamp(Handle h, Handle before);
  void Unstamp(Handle h);

  std::size_t LargestFree() const;
  AllocatorStats Stats() const;
  std::string Occupancy() const;
  void DumpBins(std::string* text, std::size_t bytes) const;
  void DumpChunks(std::string* text) const;
  std::string FindDefectInRegion(const Region& region, std::int64_t* in_use, std::size_t* num_free,
                                 std::size_t* num_stamped) const;
  std::string FindDefectInTree(int bin, Handle root, std::size_t* num_free) const;

  const Owned<SubAllocator> sub_allocator_;
  const std::string name_;
  const Options options_;
  const std::size_t limit_;
  const std::size_t max_waste_;  // bytes by which a chunk may be larger than the request without being split
  const bool host_accessible_;
  std::atomic<int> num_warnings_{0};
  AllocatorRetry retry_;

  mutable Mutex mutex_;  // guards what follows
  SlimVector<Chunk> chunks_;
  Handle spare_ = 0;  // a list of chunks that stand for nothing
  std::uint32_t used_bins_ = 0;  // bit b: bin b has a chunk
  Handle bins_[kNumBins] = {};
  SlimVector<Region> regions_;  // by address
  std::size_t next_region_bytes_;
  std::int64_t last_id_ = 0;
  SharedCounter* timing_counter_ = nullptr;
  std::uint64_t safe_frontier_ = 0;
  Handle earliest_ = 0, latest_ = 0;  // of the stamped chunks
  AllocatorStats stats_;  // bytes_reserved: of all regions
};

inline BFCAllocator::BFCAllocator(Owned<SubAllocator> sub_allocator, std::size_t memory_limit, std::string_view name,
                                  const Options& options)
    : sub_allocator_(static_cast<Owned<SubAllocator>&&>(sub_allocator)),
      name_(name),
      options_(options),
      limit_(memory_limit < kLargestLimit ? memory_limit : kLargestLimit),
      max_waste_(options.fragmentation_fraction > 0
                     ? static_cast<std::size_t>(options.fragmentation_fraction * static_cast<double>(limit_))
                     : std::size_t{128} << 20),
      host_accessible_(sub_allocator_->HostAccessible()),
      next_region_bytes_(
          RoundedBytes(options.allow_growth && limit_ > kFirstRegionBytes ? kFirstRegionBytes : limit_)) {
  chunks_.resize(1);  // none
}

inline BFCAllocator::~BFCAllocator() {
  for (const Region& region : regions_) {
    if (host_accessible_) detail::MarkReturned(region.ptr, region.bytes);
    sub_allocator_->Free(region.ptr, region.received_bytes);
    std::free(region.handles);
  }
}

inline void* BFCAllocator::TryToAllocate(std::size_t alignment, std::size_t bytes,
                                         const AllocationAttributes& attributes) {
  const std::size_t needed = NeededBytes(alignment, bytes);
  if (needed == SIZE_MAX) return nullptr;
  const std::uint64_t freed_before = attributes.freed_by_func == nullptr ? 0 : (*attributes.freed_by_func)();
  MutexLock lock(mutex_);
  if (earliest_ != 0) MergeSafeChunks();
  Handle h = FindFit(needed, freed_before);
  if (h == 0) [[unlikely]] {
    h = MakeRoom(needed, freed_before);
    if (h == 0) return nullptr;
  }
  return Take(h, alignment, bytes);
}

TENON_COLD inline void* BFCAllocator::AllocateAfterFailure(std::size_t alignment, std::size_t bytes,
                                                           const AllocationAttributes& attributes) {
  const bool may_wait = options_.allow_retry_on_failure && attributes.retry_on_failure;
  if (may_wait && NeededBytes(alignment, bytes) != SIZE_MAX) {
    return retry_.AllocateRaw(
        [&](bool is_last) {
          void* const ptr = TryToAllocate(alignment, bytes, attributes);
          if (ptr == nullptr && is_last) LogFailure(bytes);
          return ptr;
        },
        options_.max_retry_milliseconds);
  }
  if (may_wait) {
    LogFailure(bytes);
  } else if (num_warnings_.fetch_add(1, std::memory_order_relaxed) < kMaxWarnings) {
    TENON_LOG(kWarning, "Allocator (", name_, ") ran out of memory trying to allocate ",
              detail::HumanReadableBytes(bytes),
              " with freed_by_count=", attributes.freed_by_func == nullptr ? 0 : (*attributes.freed_by_func)(),
              attributes.retry_on_failure
                  ? "."
                  : ". The caller indicates that this is not a failure, but this may mean that there could be "
                    "performance gains if more memory were available.");
  }
  return nullptr;
}

TENON_COLD inline void BFCAllocator::LogFailure(std::size_t bytes) const {
  if (!LogEnabled(LogSeverity::kWarning)) return;
  MutexLock lock(mutex_);
  const std::string text =
      StrCat("Allocator (", name_, ") ran out of memory trying to allocate ", detail::HumanReadableBytes(bytes),
             " (rounded to ", bytes > limit_ ? bytes : RoundedBytes(bytes), ") with a limit of ", limit_,
             " bytes; the largest free chunk has ", LargestFree(), ".\n", Stats(), Occupancy());
  lock.unlock();
  TENON_LOG(kWarning, text);
}

inline void BFCAllocator::DeallocateRaw(void* ptr, std::size_t, std::size_t) {
  if (ptr == nullptr) return;
  {
    MutexLock lock(mutex_);
    const Handle h = FindUsed(ptr, "DeallocateRaw");
    Chunk& chunk = At(h);
    if (host_accessible_) detail::MarkFree(ptr, chunk.bytes);
    stats_.bytes_in_use -= static_cast<std::int64_t>(chunk.bytes);
    chunk.allocation_id = -1;
    if (timing_counter_ == nullptr) [[likely]] {
      Insert(Coalesce(h));
    } else {
      chunk.freed_at = timing_counter_->next();
      Stamp(h, 0);
      Insert(h);
    }
  }
  retry_.NotifyDealloc();
}

inline std::size_t BFCAllocator::RequestedSize(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "RequestedSize")).requested_bytes;
}
inline std::size_t BFCAllocator::AllocatedSize(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "AllocatedSize")).bytes;
}
inline std::int64_t BFCAllocator::AllocationId(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "AllocationId")).allocation_id;
}

inline std::optional<AllocatorStats> BFCAllocator::GetStats() const {
  MutexLock lock(mutex_);
  return Stats();
}
inline bool BFCAllocator::ClearStats() {
  MutexLock lock(mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}
inline double BFCAllocator::GetFragmentation() const {
  MutexLock lock(mutex_);
  const auto free_bytes = static_cast<double>(stats_.bytes_reserved - stats_.bytes_in_use);
  return free_bytes > 0 ? (free_bytes - static_cast<double>(LargestFree())) / free_bytes : 0;
}

inline void BFCAllocator::SetTimingCounter(SharedCounter* counter) {
  MutexLock lock(mutex_);
  TENON_CHECK(last_id_ == 0, "BFCAllocator::SetTimingCounter: '", name_, "' has allocated already.");
  timing_counter_ = counter;
}
inline void BFCAllocator::SetSafeFrontier(std::uint64_t count) {
  {
    MutexLock lock(mutex_);
    if (count <= safe_frontier_) return;
    safe_frontier_ = count;
  }
  retry_.NotifyDealloc();
}

// ------------------------------------------------------------------------------------------------- getting memory

// The request fits nowhere: everything that may help, the cheapest first. 0 if nothing did.
TENON_COLD inline BFCAllocator::Handle BFCAllocator::MakeRoom(std::size_t needed, std::uint64_t freed_before) {
  if (Extend(needed)) return FindFit(needed, freed_before);
  if (freed_before == 0 && MergeUnsafeChunks(needed)) return FindFit(needed, 0);
  if (options_.garbage_collection && FreeUnusedRegions(needed) && Extend(needed)) return FindFit(needed, freed_before);
  return 0;
}

// One region more, of at least `needed` bytes.
inline bool BFCAllocator::Extend(std::size_t needed) {
  const auto reserved = static_cast<std::size_t>(stats_.bytes_reserved);
  const std::size_t available = reserved < limit_ ? (limit_ - reserved) / kMinAllocationSize * kMinAllocationSize : 0;
  if (needed > available) return false;
  bool doubled = false;
  for (; next_region_bytes_ < needed; doubled = true) next_region_bytes_ *= 2;
  std::size_t bytes = next_region_bytes_ < available ? next_region_bytes_ : available;
  std::size_t received = 0;
  void* ptr = sub_allocator_->Alloc(kMinAllocationSize, bytes, &received);
  while (ptr == nullptr) {  // perhaps a little less
    bytes = bytes / 10 * 9 / kMinAllocationSize * kMinAllocationSize;
    if (bytes < needed) return false;
    ptr = sub_allocator_->Alloc(kMinAllocationSize, bytes, &received);
  }
  TENON_CHECK(reinterpret_cast<std::uintptr_t>(ptr) % kMinAllocationSize == 0 && received >= bytes,
              "BFCAllocator: the sub-allocator of '", name_, "' gave too little, or not aligned to 256 bytes.");
  if (!AddRegion(static_cast<char*>(ptr), received)) {
    sub_allocator_->Free(ptr, received);
    return false;
  }
  if (!doubled && next_region_bytes_ < kLargestLimit) next_region_bytes_ *= 2;
  return true;
}

// False if there is no memory for its handles.
inline bool BFCAllocator::AddRegion(char* ptr, std::size_t received) {
  const std::size_t bytes = received / kMinAllocationSize * kMinAllocationSize;
  std::size_t index = 0;
  while (index < regions_.size() && regions_[index].ptr < ptr) ++index;
  Handle before = 0;  // the chunk that the new memory continues
  if (index > 0 && sub_allocator_->SupportsCoalescing() && regions_[index - 1].end() == ptr &&
      regions_[index - 1].bytes == regions_[index - 1].received_bytes) {
    --index;
    if (!GrowRegion(index, received, &before)) return false;
  } else {
    Region region;
    region.ptr = ptr;
    region.bytes = bytes;
    region.received_bytes = received;
    region.handles = static_cast<Handle*>(std::calloc(bytes / kMinAllocationSize, sizeof(Handle)));
    if (region.handles == nullptr) return false;
    regions_.insert(regions_.begin() + index, region);
  }
  const Handle h = NewChunk();
  Chunk& chunk = At(h);
  chunk.ptr = ptr;
  chunk.bytes = bytes;
  chunk.prev = before;
  if (before != 0) At(before).next = h;
  regions_[index].HandleAt(ptr) = h;
  if (host_accessible_) detail::MarkFree(ptr, bytes);
  stats_.bytes_reserved += static_cast<std::int64_t>(received);
  if (stats_.bytes_reserved > stats_.peak_bytes_reserved) stats_.peak_bytes_reserved = stats_.bytes_reserved;
  Insert(Coalesce(h));
  return true;
}

// The region gets what lies behind it; *last: its last chunk so far.
inline bool BFCAllocator::GrowRegion(std::size_t index, std::size_t received, Handle* last) {
  Region& region = regions_[index];
  const std::size_t count = region.bytes / kMinAllocationSize;
  const std::size_t added = received / kMinAllocationSize;
  auto* const handles = static_cast<Handle*>(std::realloc(region.handles, (count + added) * sizeof(Handle)));
  if (handles == nullptr) return false;
  std::memset(handles + count, 0, added * sizeof(Handle));
  std::size_t i = count - 1;
  while (handles[i] == 0) --i;
  *last = handles[i];
  region.handles = handles;
  region.bytes += added * kMinAllocationSize;
  region.received_bytes += received;
  return true;
}

// All regions that are one free chunk, if there is room for `needed` bytes then. Regions with stamped chunks stay.
inline bool BFCAllocator::FreeUnusedRegions(std::size_t needed) {
  const auto is_unused = [this](const Region& region) {
    const Chunk& first = At(region.handles[0]);
    return !first.in_use() && first.freed_at == 0 && first.bytes == region.bytes;
  };
  std::size_t unused = 0;
  for (const Region& region : regions_) unused += is_unused(region) ? region.received_bytes : 0;
  const std::size_t kept = static_cast<std::size_t>(stats_.bytes_reserved) - unused;
  if (unused == 0 || kept > limit_ || needed > limit_ - kept) return false;
  for (std::size_t i = regions_.size(); i-- > 0;) {
    const Region region = regions_[i];
    if (!is_unused(region)) continue;
    const Handle h = region.handles[0];
    Erase(h);
    DeleteChunk(h);
    regions_.erase(regions_.begin() + i);
    if (host_accessible_) detail::MarkReturned(region.ptr, region.bytes);
    sub_allocator_->Free(region.ptr, region.received_bytes);
    std::free(region.handles);
    stats_.bytes_reserved -= static_cast<std::int64_t>(region.received_bytes);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------- chunks

// Makes the free chunk, or a part of it, that of a request which it is large enough for.
inline void* BFCAllocator::Take(Handle h, std::size_t alignment, std::size_t bytes) {
  Erase(h);
  const std::size_t rounded = RoundedBytes(bytes);
  if (alignment > kMinAllocationSize) [[unlikely]] {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(At(h).ptr) % alignment;
    if (past != 0) {
      Split(h, alignment - past);
      const Handle front = h;
      h = At(h).next;
      Erase(h);
      Insert(front);
    }
  }
  if (At(h).bytes >= 2 * rounded || At(h).bytes - rounded >= max_waste_) Split(h, rounded);
  Chunk& chunk = At(h);
  if (chunk.freed_at != 0) {
    Unstamp(h);
    chunk.freed_at = 0;
  }
  chunk.requested_bytes = bytes;
  chunk.allocation_id = ++last_id_;
  const auto size = static_cast<std::int64_t>(chunk.bytes);
  ++stats_.num_allocs;
  stats_.bytes_in_use += size;
  if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
  if (size > stats_.largest_alloc_size) stats_.largest_alloc_size = size;
  if (host_accessible_) detail::MarkInUse(chunk.ptr, bytes, chunk.bytes);
  return chunk.ptr;
}

// The chunk, which is in no bin, keeps its first `bytes` bytes; what remains is a chunk after it, in its bin.
inline void BFCAllocator::Split(Handle h, std::size_t bytes) {
  const Handle rest_handle = NewChunk();
  Chunk& chunk = At(h);
  Chunk& rest = At(rest_handle);
  rest.ptr = chunk.ptr + bytes;
  rest.bytes = chunk.bytes - bytes;
  rest.prev = h;
  rest.next = chunk.next;
  chunk.bytes = bytes;
  chunk.next = rest_handle;
  if (rest.next != 0) At(rest.next).prev = rest_handle;
  FindRegion(rest.ptr)->HandleAt(rest.ptr) = rest_handle;
  if (chunk.freed_at != 0) {
    rest.freed_at = chunk.freed_at;
    Stamp(rest_handle, h);
  }
  Insert(rest_handle);
}

// Joins a free chunk without a stamp, which is in no bin, with its free neighbours that have none either.
inline BFCAllocator::Handle BFCAllocator::Coalesce(Handle h) {
  const auto may_join = [this](Handle other) { return other != 0 && !At(other).in_use() && At(other).freed_at == 0; };
  if (const Handle next = At(h).next; may_join(next)) {
    Erase(next);
    Merge(h, next);
  }
  if (const Handle prev = At(h).prev; may_join(prev)) {
    Erase(prev);
    Merge(prev, h);
    return prev;
  }
  return h;
}

// Both are free and in no bin; `next` ends, and `h` has the later stamp of the two.
inline void BFCAllocator::Merge(Handle h, Handle next) {
  Chunk& chunk = At(h);
  const Chunk& other = At(next);
  if (other.freed_at > chunk.freed_at) {
    if (chunk.freed_at != 0) Unstamp(h);
    chunk.freed_at = other.freed_at;
    Stamp(h, next);
  }
  if (other.freed_at != 0) Unstamp(next);
  chunk.bytes += other.bytes;
  chunk.next = other.next;
  if (chunk.next != 0) At(chunk.next).prev = h;
  FindRegion(other.ptr)->HandleAt(other.ptr) = 0;
  DeleteChunk(next);
}

// Chunks up to the safe frontier lose their stamps.
inline void BFCAllocator::MergeSafeChunks() {
  while (earliest_ != 0 && At(earliest_).freed_at <= safe_frontier_) {
    const Handle h = earliest_;
    Erase(h);
    Unstamp(h);
    At(h).freed_at = 0;
    Insert(Coalesce(h));
  }
}

// Joins free neighbours whatever their stamps until there is a chunk of `needed` bytes.
TENON_COLD inline bool BFCAllocator::MergeUnsafeChunks(std::size_t needed) {
  if (earliest_ == 0) return false;
  for (const Region& region : regions_) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const auto next_is_free = [this, h] { return At(h).next != 0 && !At(At(h).next).in_use(); };
      if (At(h).in_use() || !next_is_free()) continue;
      Erase(h);
      while (next_is_free()) {
        Erase(At(h).next);
        Merge(h, At(h).next);
      }
      Insert(h);
      if (At(h).bytes >= needed) return true;
    }
  }
  return false;
}

inline BFCAllocator::Handle BFCAllocator::NewChunk() {
  if (spare_ == 0) {
    chunks_.emplace_back();
    return static_cast<Handle>(chunks_.size() - 1);
  }
  const Handle h = spare_;
  spare_ = At(h).next;
  At(h) = Chunk();
  return h;
}
inline void BFCAllocator::DeleteChunk(Handle h) {
  At(h).ptr = nullptr;
  At(h).next = spare_;
  spare_ = h;
}

// Null if the pointer is none of this allocator's.
inline const BFCAllocator::Region* BFCAllocator::FindRegion(const void* ptr) const {
  const auto* const p = static_cast<const char*>(ptr);
  std::size_t first = 0;
  for (std::size_t count = regions_.size(); count > 0;) {  // the first one that ends after p
    const std::size_t half = count / 2;
    if (regions_[first + half].end() <= p) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first < regions_.size() && regions_[first].ptr <= p ? &regions_[first] : nullptr;
}
// Of the chunk that begins there, or 0.
inline BFCAllocator::Handle BFCAllocator::FindHandle(const void* ptr) const {
  const Region* const region = FindRegion(ptr);
  if (region == nullptr || reinterpret_cast<std::uintptr_t>(ptr) % kMinAllocationSize != 0) return 0;
  return region->HandleAt(ptr);
}
inline BFCAllocator::Handle BFCAllocator::FindUsed(const void* ptr, const char* action) const {
  const Handle h = FindHandle(ptr);
  TENON_CHECK(h != 0 && At(h).in_use(), "BFCAllocator::", action, ": '", name_, "' has no block in use at ",
              reinterpret_cast<std::uintptr_t>(ptr), ".");
  return h;
}

// ------------------------------------------------------------------------------------------------- bins and stamps

// Trees are treaps: by size and address from left to right, by priority from the root down.
inline void BFCAllocator::Insert(Handle h) {
  Chunk& chunk = At(h);
  const int bin = BinOf(chunk.bytes);
  const std::uint32_t priority = Priority(h);
  Handle* link = &bins_[bin];
  while (*link != 0 && Priority(*link) > priority) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle below = *link;
  *link = h;
  Handle* smaller = &chunk.left;  // where the next chunk of `below` that is smaller, or larger, goes
  Handle* larger = &chunk.right;
  while (below != 0) {
    Chunk& other = At(below);
    if (Precedes(other, chunk)) {
      *smaller = below;
      smaller = &other.right;
      below = other.right;
    } else {
      *larger = below;
      larger = &other.left;
      below = other.left;
    }
  }
  *smaller = *larger = 0;
  used_bins_ |= 1u << bin;
}

inline void BFCAllocator::Erase(Handle h) {
  const Chunk& chunk = At(h);
  const int bin = BinOf(chunk.bytes);
  Handle* link = &bins_[bin];
  while (*link != h) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle a = chunk.left;
  Handle b = chunk.right;
  while (a != 0 && b != 0) {
    if (Priority(a) > Priority(b)) {
      *link = a;
      link = &At(a).right;
      a = *link;
    } else {
      *link = b;
      link = &At(b).left;
      b = *link;
    }
  }
  *link = a != 0 ? a : b;
  if (bins_[bin] == 0) used_bins_ &= ~(1u << bin);
}

// The first chunk of the bin with `bytes` bytes and an address after `after`, or with more bytes.
inline BFCAllocator::Handle BFCAllocator::FindInBin(int bin, std::size_t bytes, const char* after) const {
  Handle best = 0;
  for (Handle h = bins_[bin]; h != 0;) {
    const Chunk& chunk = At(h);
    if (chunk.bytes > bytes || (chunk.bytes == bytes && chunk.ptr > after)) {
      best = h;
      h = chunk.left;
    } else {
      h = chunk.right;
    }
  }
  return best;
}

inline BFCAllocator::Handle BFCAllocator::FindFit(std::size_t bytes, std::uint64_t freed_before) const {
  std::uint32_t bins = used_bins_ & (~0u << BinOf(bytes));
  for (; bins != 0; bins &= bins - 1) {
    const int bin = std::countr_zero(bins);
    Handle h = FindInBin(bin, bytes, nullptr);
    if (freed_before != 0) [[unlikely]] {
      while (h != 0 && At(h).freed_at > freed_before) h = FindInBin(bin, At(h).bytes, At(h).ptr);
    }
    if (h != 0) return h;
  }
  return 0;
}

// Puts the chunk into the list of stamped ones: before `before`, or at the end.
inline void BFCAllocator::Stamp(Handle h, Handle before) {
  Chunk& chunk = At(h);
  chunk.later = before;
  chunk.earlier = before != 0 ? At(before).earlier : latest_;
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = h;
  (before != 0 ? At(before).earlier : latest_) = h;
}
inline void BFCAllocator::Unstamp(Handle h) {
  const Chunk& chunk = At(h);
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = chunk.later;
  (chunk.later != 0 ? At(chunk.later).earlier : latest_) = chunk.earlier;
}

// ------------------------------------------------------------------------------------------------- reports

inline std::size_t BFCAllocator::LargestFree() const {
  std::size_t largest = 0;
  for (Handle h = used_bins_ == 0 ? 0 : bins_[std::bit_width(used_bins_) - 1]; h != 0; h = At(h).right) {
    largest = At(h).bytes;
  }
  return largest;
}

inline AllocatorStats BFCAllocator::Stats() const {
  AllocatorStats stats = stats_;
  stats.bytes_limit = static_cast<std::int64_t>(limit_);
  stats.largest_free_block_bytes = static_cast<std::int64_t>(LargestFree());
  stats.pool_bytes = stats.bytes_reserved;
  stats.peak_pool_bytes = stats.peak_bytes_reserved;
  return stats;
}

TENON_COLD inline std::string BFCAllocator::RenderOccupancy() const {
  MutexLock lock(mutex_);
  return Occupancy();
}

TENON_COLD inline std::string BFCAllocator::Occupancy() const {
  constexpr std::size_t kColumns = 100;
  std::size_t total = 0;
  for (const Region& region : regions_) total += region.bytes;
  std::string line(kColumns, '_');
  // Used chunks are drawn as a whole first, then what was asked for over them.
  const auto draw = [&](std::size_t begin, std::size_t bytes, char mark) {
    const auto column = [&](std::size_t at) {
      return static_cast<std::size_t>(static_cast<double>(at) * kColumns / static_cast<double>(total));
    };
    for (std::size_t i = column(begin); i < kColumns && (i == column(begin) || i < column(begin + bytes)); ++i) {
      line[i] = mark;
    }
  };
  for (const char mark : {'x', '*'}) {
    std::size_t region_begin = 0;
    for (const Region& region : regions_) {
      for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
        const Chunk& chunk = At(h);
        if (!chunk.in_use()) continue;
        draw(region_begin + static_cast<std::size_t>(chunk.ptr - region.ptr),
             mark == 'x' ? chunk.bytes : chunk.requested_bytes, mark);
      }
      region_begin += region.bytes;
    }
  }
  return line;
}

TENON_COLD inline std::string BFCAllocator::DumpMemoryLog(std::size_t bytes) const {
  MutexLock lock(mutex_);
  std::string text = StrCat("BFCAllocator dump for ", name_, "\n");
  DumpBins(&text, bytes);
  DumpChunks(&text);
  const auto reserved = static_cast<std::size_t>(stats_.bytes_reserved);
  StrAppend(&text, "Total bytes in pool: ", reserved, " memory limit: ", limit_,
            " available bytes: ", reserved < limit_ ? limit_ - reserved : 0, " next region: ", next_region_bytes_,
            "\nStats:\n", Stats());
  return text;
}

TENON_COLD inline void BFCAllocator::DumpBins(std::string* text, std::size_t bytes) const {
  struct Sum {
    std::size_t chunks, chunks_in_use, bytes, bytes_in_use, requested_bytes;
  };
  Sum sums[kNumBins] = {};
  for (const Region& region : regions_) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      Sum& sum = sums[BinOf(chunk.bytes)];
      ++sum.chunks;
      sum.bytes += chunk.bytes;
      if (!chunk.in_use()) continue;
      ++sum.chunks_in_use;
      sum.bytes_in_use += chunk.bytes;
      sum.requested_bytes += chunk.requested_bytes;
    }
  }
  for (int bin = 0; bin < kNumBins; ++bin) {
    const Sum& sum = sums[bin];
    StrAppend(text, "Bin (", kMinAllocationSize << bin, "): Total Chunks: ", sum.chunks,
              ", Chunks in use: ", sum.chunks_in_use, ". ", detail::HumanReadableBytes(sum.bytes),
              " allocated for chunks. ", detail::HumanReadableBytes(sum.bytes_in_use), " in use in bin. ",
              detail::HumanReadableBytes(sum.requested_bytes), " client-requested in use in bin.\n");
  }
  if (bytes == 0 || bytes > limit_) return;
  const std::size_t rounded = RoundedBytes(bytes);
  StrAppend(text, "Bin for ", detail::HumanReadableBytes(rounded), " was ",
            detail::HumanReadableBytes(kMinAllocationSize << BinOf(rounded)), ".\n");
}

TENON_COLD inline void BFCAllocator::DumpChunks(std::string* text) const {
  FlatMap<std::size_t, std::size_t> counts;  // size -> chunks in use
  for (const Region& region : regions_) {
    StrAppend(text, "Next region of size ", region.bytes, "\n");
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      char address[24];
      std::snprintf(address, sizeof address, "%p", static_cast<const void*>(chunk.ptr));
      StrAppend(text, chunk.in_use() ? "InUse at " : "Free  at ", address, " of size ", chunk.bytes);
      if (chunk.in_use()) {
        StrAppend(text, " requested ", chunk.requested_bytes, " id ", chunk.allocation_id);
        ++counts[chunk.bytes];
      } else if (chunk.freed_at != 0) {
        StrAppend(text, " freed_at_count ", chunk.freed_at);
      }
      text->push_back('\n');
    }
  }
  text->append("     Summary of in-use Chunks by size:\n");
  std::size_t total = 0;
  for (const auto& [size, count] : counts) {
    StrAppend(text, count, " Chunks of size ", size, " totalling ", detail::HumanReadableBytes(size * count), "\n");
    total += size * count;
  }
  StrAppend(text, "Sum Total of in-use chunks: ", detail::HumanReadableBytes(total), "\n");
}

// ------------------------------------------------------------------------------------------------- self-examination

TENON_COLD inline std::string BFCAllocator::FindDefect() const {
  MutexLock lock(mutex_);
  std::size_t num_free = 0, num_stamped = 0, received = 0;
  const char* end = nullptr;
  std::int64_t in_use = 0;
  for (const Region& region : regions_) {
    if (region.ptr < end) return "regions overlap or are not in order";
    end = region.ptr + region.received_bytes;
    received += region.received_bytes;
    if (std::string text = FindDefectInRegion(region, &in_use, &num_free, &num_stamped); !text.empty()) return text;
  }
  if (static_cast<std::int64_t>(received) != stats_.bytes_reserved)
    return "bytes_reserved is not the sum of the regions";
  if (in_use != stats_.bytes_in_use) return "bytes_in_use is not the sum of the chunks in use";
  std::size_t num_binned = 0;
  for (int bin = 0; bin < kNumBins; ++bin) {
    if ((bins_[bin] != 0) != ((used_bins_ >> bin & 1) != 0)) return StrCat("bin ", bin, " is not marked as it is");
    if (std::string text = FindDefectInTree(bin, bins_[bin], &num_binned); !text.empty()) return text;
  }
  if (num_binned != num_free) return StrCat(num_free, " free chunks, but ", num_binned, " in the bins");
  std::uint64_t count = 0;
  for (Handle h = earliest_; h != 0; h = At(h).later, --num_stamped) {
    if (At(h).in_use() || At(h).freed_at < count || num_stamped == 0) return "the list of stamped chunks is wrong";
    count = At(h).freed_at;
  }
  return num_stamped == 0 ? "" : "a stamped chunk is not in the list";
}

TENON_COLD inline std::string BFCAllocator::FindDefectInRegion(const Region& region, std::int64_t* in_use,
                                                               std::size_t* num_free, std::size_t* num_stamped) const {
  const char* end = region.ptr;
  std::size_t num_chunks = 0;
  Handle before = 0;
  for (Handle h = region.handles[0]; h != 0; before = h, h = At(h).next, ++num_chunks) {
    const Chunk& chunk = At(h);
    if (chunk.ptr != end || chunk.bytes == 0 || chunk.bytes % kMinAllocationSize != 0) return "chunks leave gaps";
    end += chunk.bytes;
    if (end > region.end() || region.HandleAt(chunk.ptr) != h || chunk.prev != before) return "a chunk is linked wrong";
    if (chunk.in_use()) {
      if (chunk.requested_bytes > chunk.bytes || chunk.freed_at != 0) return "a chunk in use is too small or stamped";
      *in_use += static_cast<std::int64_t>(chunk.bytes);
      continue;
    }
    ++*num_free;
    if (chunk.freed_at != 0) {
      ++*num_stamped;
    } else if (before != 0 && !At(before).in_use() && At(before).freed_at == 0) {
      return "two free neighbours are not joined";
    }
  }
  if (end != region.end()) return "the chunks of a region do not fill it";
  for (std::size_t i = 0; i < region.bytes / kMinAllocationSize; ++i) num_chunks -= region.handles[i] != 0 ? 1 : 0;
  return num_chunks == 0 ? "" : "a handle stands where no chunk begins";
}

// The treap of a bin; its depth is that of the recursion.
TENON_COLD inline std::string BFCAllocator::FindDefectInTree(int bin, Handle root, std::size_t* num_free) const {
  if (root == 0) return "";
  const Chunk& chunk = At(root);
  ++*num_free;
  if (chunk.in_use() || BinOf(chunk.bytes) != bin) return StrCat("bin ", bin, " has a chunk that is not for it");
  if (FindInBin(bin, chunk.bytes, chunk.ptr - 1) != root) return StrCat("bin ", bin, " does not find its chunk");
  for (const Handle child : {chunk.left, chunk.right}) {
    if (child != 0 && Priority(child) >= Priority(root)) return StrCat("bin ", bin, " is no heap");
    if (std::string text = FindDefectInTree(bin, child, num_free); !text.empty()) return text;
  }
  return "";
}

TENON_NAMESPACE_END

// ---- tenon/memory/tracking_allocator.hpp ----
// TrackingAllocator: passes everything on to another allocator and writes it down: blocks and bytes in use, their peak,
// every size that was asked for, frees that do not fit. It can also refuse chosen allocations, so that a test can walk
// through every place where memory may run out.
TENON_NAMESPACE_BEGIN

// thread-safe. Must outlive its blocks, and `base` must outlive it.
//
//   TrackingAllocator memory(CpuAllocator());
//   memory.FailAllocations(3);                       // the third from now on
//   CHECK(!RunTheGraph(&memory).ok());
//   CHECK(memory.blocks_in_use() == 0);
class TrackingAllocator final : public Allocator {
 public:
  static constexpr std::int64_t kAll = -1;

  explicit TrackingAllocator(Allocator* base) : base_(base) {}

  std::string_view Name() const override { return base_->Name(); }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    {
      MutexLock lock(mutex_);
      ++num_requests_;
      if (IsToFail()) {
        ++num_failures_;
        return nullptr;
      }
    }
    void* const ptr = base_->AllocateRaw(alignment, bytes, attributes);
    MutexLock lock(mutex_);
    if (ptr == nullptr) {
      ++num_failures_;
      return nullptr;
    }
    blocks_.insert_or_assign(ptr, Block{alignment, bytes, ++last_id_});
    sizes_.push_back(bytes);
    const auto size = static_cast<std::int64_t>(bytes);
    ++stats_.num_allocs;
    stats_.bytes_in_use += size;
    if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
    if (size > stats_.largest_alloc_size) stats_.largest_alloc_size = size;
    return ptr;
  }

  // A block that is not out is not passed on; one that comes back with the wrong size or alignment is freed as it was
  // allocated. Both count as bad frees.
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    {
      MutexLock lock(mutex_);
      const auto found = blocks_.find(ptr);
      if (found == blocks_.end()) {
        ++num_bad_frees_;
        return;
      }
      if (found->second.alignment != alignment || found->second.bytes != bytes) ++num_bad_frees_;
      alignment = found->second.alignment;
      bytes = found->second.bytes;
      blocks_.erase(found);
      ++num_deallocations_;
      stats_.bytes_in_use -= static_cast<std::int64_t>(bytes);
    }
    base_->DeallocateRaw(ptr, alignment, bytes);
  }

  // The `first`-th request from now (1 is the next one) returns null without asking `base`, and so do the ones after
  // it, `count` in all; kAll: until FailAllocations is called again. first == 0: none fails.
  // A cache above this allocator may answer a single failure by giving memory back and asking again: use kAll there.
  void FailAllocations(std::int64_t first, std::int64_t count = 1) {
    MutexLock lock(mutex_);
    fail_from_ = first <= 0 ? 0 : num_requests_ + first;
    fail_count_ = count;
  }

  std::int64_t num_requests() const { return Read(num_requests_); }  // asked for, failed ones too
  std::int64_t num_failures() const { return Read(num_failures_); }  // refused here or by `base`
  std::int64_t num_allocations() const { return Read(stats_.num_allocs); }  // that gave a block
  std::int64_t num_deallocations() const { return Read(num_deallocations_); }
  std::int64_t num_bad_frees() const { return Read(num_bad_frees_); }
  std::int64_t bytes_in_use() const { return Read(stats_.bytes_in_use); }  // as asked for
  std::int64_t peak_bytes_in_use() const { return Read(stats_.peak_bytes_in_use); }
  std::int64_t blocks_in_use() const {
    MutexLock lock(mutex_);
    return static_cast<std::int64_t>(blocks_.size());
  }
  // The sizes of all blocks given since the beginning or the last ClearStats, in order.
  SlimVector<std::size_t> sizes() const { return Read(sizes_); }

  bool TracksAllocationSizes() const override { return true; }
  // 0 for a pointer that is not a block in use; the id is that of the allocation, 1 the first.
  std::size_t RequestedSize(const void* ptr) const override { return Find(ptr).bytes; }
  std::size_t AllocatedSize(const void* ptr) const override { return RequestedSize(ptr); }
  std::int64_t AllocationId(const void* ptr) const override { return Find(ptr).id; }
  std::optional<AllocatorStats> GetStats() const override { return Read(stats_); }

  // Counters start again; what is in use stays, and is the new peak.
  bool ClearStats() override {
    MutexLock lock(mutex_);
    num_requests_ = num_failures_ = num_deallocations_ = num_bad_frees_ = 0;
    fail_from_ = 0;
    sizes_.clear();
    stats_.num_allocs = stats_.largest_alloc_size = 0;
    stats_.peak_bytes_in_use = stats_.bytes_in_use;
    return true;
  }

 private:
  struct Block {
    std::size_t alignment = 0;
    std::size_t bytes = 0;
    std::int64_t id = 0;
  };

  bool IsToFail() const {  // for request number num_requests_
    return fail_from_ > 0 && num_requests_ >= fail_from_ &&
           (fail_count_ == kAll || num_requests_ < fail_from_ + fail_count_);
  }
  template <class T>
  T Read(const T& value) const {
    MutexLock lock(mutex_);
    return value;
  }
  Block Find(const void* ptr) const {
    MutexLock lock(mutex_);
    const auto found = blocks_.find(ptr);
    return found == blocks_.end() ? Block{} : found->second;
  }

  Allocator* const base_;
  mutable Mutex mutex_;  // guards all that follows
  std::unordered_map<const void*, Block> blocks_;
  SlimVector<std::size_t> sizes_;
  AllocatorStats stats_;
  std::int64_t num_requests_ = 0;
  std::int64_t num_failures_ = 0;
  std::int64_t num_deallocations_ = 0;
  std::int64_t num_bad_frees_ = 0;
  std::int64_t last_id_ = 0;
  std::int64_t fail_from_ = 0;  // number of the first request to fail; 0: none
  std::int64_t fail_count_ = 0;
};

TENON_NAMESPACE_END

// ---- tenon/tensor/tensor_util.hpp ----
// Whole tensors in host memory: copies, concatenation and split along dimension 0, comparison, bitcasts, tensors over
// bytes of somebody else, text for streams. Every dtype that a tensor holds. All of it says what is wrong with a
// Status.
TENON_NAMESPACE_BEGIN

// Bytes that the allocator set aside for the block in which the elements are, a slice's too (Tenon's 64 bytes before
// them included), if it tracks sizes; otherwise TotalBytes().
inline std::size_t AllocatedBytes(const Tensor& tensor) {
  if (tensor.buffer() != nullptr) {
    Buffer* const root = tensor.buffer()->root();
    Allocator* const allocator = root->allocator();
    if (allocator != nullptr && allocator->TracksAllocationSizes()) {
      const std::size_t bytes = allocator->AllocatedSize(allocator->HostAccessible() ? root : root->data());
      if (bytes != 0) return bytes;
    }
  }
  return tensor.TotalBytes();
}

// std::cout << tensor: DebugString with up to 100 values. Any stream that takes a std::string_view.
template <class Stream>
  requires requires(Stream& stream, std::string_view text) { stream << text; }
Stream& operator<<(Stream& stream, const Tensor& tensor) {
  const std::string text = tensor.DebugString(100);
  stream << std::string_view(text);
  return stream;
}

namespace detail {

// The alignment that views need: of a number inside an element, so half of the size of a complex one.
constexpr std::size_t AlignmentOf(DataType dtype) {
  const std::size_t bytes = ElementBytes(dtype);
  return IsComplex(dtype) ? bytes / 2 : SizeOf(dtype) == 0 ? alignof(void*) : bytes;
}
inline bool IsAlignedFor(DataType dtype, const void* data) {
  const std::size_t alignment = AlignmentOf(dtype);
  return alignment == 0 || reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

// The elements can be read: there are some kind of them, memory for them, and the host sees it.
TENON_COLD inline Status CheckReadable(std::string_view where, const Tensor& tensor) {
  if (ElementBytes(tensor.dtype()) == 0 && tensor.NumElements() != 0) {
    return errors::Internal(where, ": Unexpected data type ", DataTypeString(tensor.dtype()));
  }
  if (!tensor.IsInitialized()) {
    return errors::FailedPrecondition(where, ": the tensor of type ", Name(tensor.dtype()), " and shape ",
                                      tensor.shape(), " is not initialised; its elements must have memory");
  }
  if (!tensor.HostAccessible()) {
    return errors::InvalidArgument(where, ": the tensor of type ", Name(tensor.dtype()), " and shape ", tensor.shape(),
                                   " is in device memory; copy it to the host before");
  }
  return OkStatus();
}

template <class T>
void CopyItems(const void* from, void* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = static_cast<const T*>(from)[i];
}
// `count` elements; those at `to` exist already.
inline void CopyElements(DataType dtype, const void* from, void* to, std::size_t count) {
  if (count == 0 || from == to) return;
  if (dtype == DataType::kString) return CopyItems<tstring>(from, to, count);
  if (dtype == DataType::kResource) return CopyItems<ResourceHandle>(from, to, count);
  std::memmove(to, from, count * ElementBytes(dtype));
}
inline void* ElementAt(Tensor& tensor, Index i) {
  if (tensor.raw_data() == nullptr) return nullptr;
  return static_cast<char*>(tensor.raw_data()) + static_cast<std::size_t>(i) * ElementBytes(tensor.dtype());
}
inline const void* ElementAt(const Tensor& tensor, Index i) { return ElementAt(const_cast<Tensor&>(tensor), i); }

// The same dimensions but for the first?
inline bool SameRows(const TensorShape& a, const TensorShape& b) {
  if (a.dims() != b.dims()) return false;
  for (int d = 1; d < a.dims(); ++d) {
    if (a.dim_size(d) != b.dim_size(d)) return false;
  }
  return true;
}
// Uninitialised elements of the same type; no memory where there are none.
inline Result<Tensor> MakeLike(const Tensor& like, const TensorShape& shape) {
  if (shape.num_elements() == 0) return Tensor(like.dtype(), shape, nullptr);
  return Tensor::Make(like.dtype(), shape);
}

}  // namespace detail

// TensorFlow's namespace of the same name.
namespace tensor {

// ------------------------------------------------------------------------------------------------------------- copies

// The same values in memory of their own, whatever the alignment of `from`. FailedPrecondition without elements'
// memory, InvalidArgument in device memory, ResourceExhausted without new memory.
inline Result<Tensor> DeepCopy(const Tensor& from) {
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", from));
  Result<Tensor> copy = detail::MakeLike(from, from.shape());
  if (copy.ok()) {
    detail::CopyElements(from.dtype(), from.raw_data(), copy->raw_data(), static_cast<std::size_t>(from.NumElements()));
  }
  return copy;
}

// Writes the values over those of *to, which has the same dtype and shape.
inline Status DeepCopy(const Tensor& from, Tensor* to) {
  if (from.dtype() != to->dtype() || from.shape() != to->shape()) {
    return errors::InvalidArgument("DeepCopy: both tensors must have the same type and shape, got ", Name(from.dtype()),
                                   " ", from.shape(), " and ", Name(to->dtype()), " ", to->shape());
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", from));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("DeepCopy", *to));
  detail::CopyElements(from.dtype(), from.raw_data(), to->raw_data(), static_cast<std::size_t>(from.NumElements()));
  return OkStatus();
}

// One tensor with the rows (elements of dimension 0) of all, in order. Unlike TensorFlow's, it wants the other
// dimensions to agree.
//
//   Concat({{a, b}})        // a: [2, 3]  b: [4, 3]  ->  [6, 3]
inline Result<Tensor> Concat(std::span<const Tensor> tensors) {
  if (tensors.empty()) return errors::InvalidArgument("Cannot concatenate zero tensors");
  const Tensor& first = tensors[0];
  Index rows = 0;
  for (const Tensor& part : tensors) {
    if (part.dims() == 0) return errors::InvalidArgument("Cannot concatenate a zero-dimensional tensor");
    if (part.dtype() != first.dtype()) {
      return errors::InvalidArgument("Cannot concatenate tensors that have different data types. Got ",
                                     DataTypeString(first.dtype()), " and ", DataTypeString(part.dtype()), ".");
    }
    if (!detail::SameRows(first.shape(), part.shape())) {
      return errors::InvalidArgument("Concat: all dimensions but the first must agree, got ", first.shape(), " and ",
                                     part.shape());
    }
    TENON_RETURN_IF_ERROR(detail::CheckReadable("Concat", part));
    const auto sum = static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(part.dim_size(0));
    rows = static_cast<Index>(sum);
    if (rows < 0) return errors::InvalidArgument("Concat: the tensors have more than 2**63 - 1 rows");
  }
  TensorShape shape = first.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
  Result<Tensor> made = detail::MakeLike(first, shape);
  if (!made.ok()) return made;
  Index done = 0;
  for (const Tensor& part : tensors) {
    detail::CopyElements(part.dtype(), part.raw_data(), detail::ElementAt(*made, done),
                         static_cast<std::size_t>(part.NumElements()));
    done += part.NumElements();
  }
  return made;
}

// The reverse: *parts gets one tensor for each size, with so many rows and memory of its own. (Tensor::Slice shares
// memory.) *parts is a std::vector<Tensor> or SlimVector<Tensor>, unchanged on failure.
template <class List>
  requires GrowableListOf<List, Tensor>
Status Split(const Tensor& whole, std::span<const Index> sizes, List* parts) {
  if (whole.dims() == 0) return errors::InvalidArgument("Cannot split a zero-dimensional tensor");
  Index left = whole.dim_size(0);
  for (const Index size : sizes) {
    if (size < 0) return errors::InvalidArgument("Split: every size must be at least 0, got ", size);
    if (size > left) {
      left = -1;
      break;
    }
    left -= size;
  }
  if (left != 0) {
    return errors::InvalidArgument("The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("Split", whole));
  List made;
  made.reserve(sizes.size());
  Index done = 0;
  for (const Index size : sizes) {
    TensorShape shape = whole.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, size));
    Result<Tensor> part = detail::MakeLike(whole, shape);
    if (!part.ok()) return part.status();
    const Index count = part->NumElements();
    detail::CopyElements(whole.dtype(), detail::ElementAt(whole, done), part->raw_data(),
                         static_cast<std::size_t>(count));
    done += count;
    made.push_back(*std::move(part));
  }
  *parts = std::move(made);
  return OkStatus();
}

// ---------------------------------------------------------------------------------------------------------- comparison

// How two elements are compared.
enum class Equality {
  kValues,  // by ==: zeros are equal whatever their sign, NaN equals nothing
  kValuesOrNans,  // the same, but NaN equals NaN
  kBits,  // what is in memory
};

}  // namespace tensor

namespace detail {

template <class Float>
bool SameFloats(const void* a, const void* b, bool nans_are_equal) {
  Float x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || (nans_are_equal && x != x && y != y);
}
// Two elements of a plain type; their memory may have any alignment.
inline bool SamePlainElements(DataType dtype, const char* a, const char* b, tensor::Equality equality) {
  const bool nans = equality == tensor::Equality::kValuesOrNans;
  switch (dtype) {
    case DataType::kFloat: return SameFloats<float>(a, b, nans);
    case DataType::kDouble: return SameFloats<double>(a, b, nans);
    case DataType::kComplex64: return SameFloats<float>(a, b, nans) && SameFloats<float>(a + 4, b + 4, nans);
    case DataType::kComplex128: return SameFloats<double>(a, b, nans) && SameFloats<double>(a + 8, b + 8, nans);
    case DataType::kHalf: return SameFloats<half>(a, b, nans);
    case DataType::kBfloat16: return SameFloats<bfloat16>(a, b, nans);
    case DataType::kFloat8E5M2: return SameFloats<float8_e5m2>(a, b, nans);
    case DataType::kFloat8E4M3FN: return SameFloats<float8_e4m3fn>(a, b, nans);
    case DataType::kFloat8E4M3FNUZ: return SameFloats<float8_e4m3fnuz>(a, b, nans);
    case DataType::kFloat8E4M3B11FNUZ: return SameFloats<float8_e4m3b11fnuz>(a, b, nans);
    case DataType::kFloat8E5M2FNUZ: return SameFloats<float8_e5m2fnuz>(a, b, nans);
    case DataType::kFloat4E2M1FN: return SameFloats<float4_e2m1fn>(a, b, nans);
    default: return std::memcmp(a, b, ElementBytes(dtype)) == 0;
  }
}

// The number of the first of `count` elements that differs, or `count`.
inline Index FirstDifference(DataType dtype, const void* a, const void* b, Index count, tensor::Equality equality) {
  if (dtype == DataType::kString || dtype == DataType::kResource) {
    for (Index i = 0; i < count; ++i) {
      const bool same = dtype == DataType::kString
                            ? static_cast<const tstring*>(a)[i] == static_cast<const tstring*>(b)[i]
                            : static_cast<const ResourceHandle*>(a)[i] == static_cast<const ResourceHandle*>(b)[i];
      if (!same) return i;
    }
    return count;
  }
  const std::size_t bytes = ElementBytes(dtype);
  const bool exact = equality == tensor::Equality::kBits || !(IsFloating(dtype) || IsComplex(dtype));
  if (exact && (count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * bytes) == 0)) return count;
  const char *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
  for (Index i = 0; i < count; ++i, x += bytes, y += bytes) {
    if (exact ? std::memcmp(x, y, bytes) != 0 : !SamePlainElements(dtype, x, y, equality)) return i;
  }
  return count;
}

// "[1,2]": where element number i is.
inline std::string Position(const TensorShape& shape, Index i) {
  std::string text = "]";
  for (int d = shape.dims() - 1; d >= 0; --d) {
    text = StrCat(d == 0 ? "" : ",", i % shape.dim_size(d), text);
    i /= shape.dim_size(d);
  }
  return "[" + text;
}
inline std::string ElementText(const Tensor& tensor, Index i) {
  return SummarizeArray(tensor.dtype(), ElementAt(tensor, i), TensorShape(), 1, true);
}

}  // namespace detail

namespace tensor {

// OK if both have the same dtype, shape and values; InvalidArgument with the first difference otherwise.
inline Status CheckEqual(const Tensor& a, const Tensor& b, Equality equality = Equality::kValues) {
  if (a.dtype() != b.dtype()) {
    return errors::InvalidArgument("CheckEqual: the types differ, ", DataTypeString(a.dtype()), " and ",
                                   DataTypeString(b.dtype()));
  }
  if (a.shape() != b.shape()) {
    return errors::InvalidArgument("CheckEqual: the shapes differ, ", a.shape(), " and ", b.shape());
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CheckEqual", a));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CheckEqual", b));
  const Index n = a.NumElements();
  const Index i = detail::FirstDifference(a.dtype(), a.raw_data(), b.raw_data(), n, equality);
  if (i == n) return OkStatus();
  return errors::InvalidArgument("CheckEqual: the ", Name(a.dtype()), " elements at ", detail::Position(a.shape(), i),
                                 " differ, ", detail::ElementText(a, i), " and ", detail::ElementText(b, i));
}

// False too where a value cannot be read: without memory, in device memory.
inline bool Equal(const Tensor& a, const Tensor& b, Equality equality = Equality::kValues) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!detail::CheckReadable("Equal", a).ok() || !detail::CheckReadable("Equal", b).ok()) return false;
  const Index n = a.NumElements();
  return detail::FirstDifference(a.dtype(), a.raw_data(), b.raw_data(), n, equality) == n;
}

// --------------------------------------------------------------------------------------------------------------
// bitcasts

// What the op Bitcast gives: the same bytes as another plain type. A smaller type adds a dimension at the end, a larger
// one takes it away, which must then have as many elements as fit.
//   float [2, 3] -> uint8 [2, 3, 4]      uint8 [2, 4] -> float [2]
inline Result<TensorShape> BitcastShape(const TensorShape& shape, DataType from, DataType to) {
  const Index from_bytes = SizeOf(from), to_bytes = SizeOf(to);
  if (from_bytes == 0) return errors::InvalidArgument("other tensor has zero-sized data type");
  if (to_bytes == 0) return errors::InvalidArgument("specified output type is zero-sized");
  TensorShape made = shape;
  if (from_bytes > to_bytes) {
    TENON_RETURN_IF_ERROR(made.AddDimWithStatus(from_bytes / to_bytes));
  } else if (from_bytes < to_bytes) {
    if (shape.dims() == 0 || shape.dim_size(shape.dims() - 1) != to_bytes / from_bytes) {
      return errors::InvalidArgument("Cannot bitcast from ", Name(from), " to ", Name(to), ": shape ", shape,
                                     "; the last dimension must be ", to_bytes / from_bytes);
    }
    TENON_RETURN_IF_ERROR(made.RemoveDimWithStatus(shape.dims() - 1));
  }
  return made;
}
// Shares the buffer; only bytes whose address does not suit the new type are copied. Tensor::BitcastFrom takes any
// shape.
inline Result<Tensor> Bitcast(const Tensor& from, DataType to) {
  TENON_ASSIGN_OR_RETURN(const TensorShape shape, BitcastShape(from.shape(), from.dtype(), to));
  Tensor source = from;
  if (!detail::IsAlignedFor(to, from.raw_data())) {
    TENON_ASSIGN_OR_RETURN(source, DeepCopy(from));
  }
  Tensor made;
  TENON_RETURN_IF_ERROR(made.BitcastFrom(source, to, shape));
  return made;
}

}  // namespace tensor

namespace detail {

// A batch and one row of it fit together?
inline Status CheckRow(std::string_view where, const Tensor& element, const Tensor& batch, Index row) {
  if (element.dtype() != batch.dtype()) {
    return errors::InvalidArgument(where, ": both tensors must have the same type, got ", Name(element.dtype()),
                                   " and ", Name(batch.dtype()));
  }
  TensorShape shape = batch.shape();
  if (batch.dims() == 0) return errors::InvalidArgument(where, ": the batch must have a dimension, got shape []");
  shape.RemoveDim(0);
  if (element.NumElements() != shape.num_elements()) {
    return errors::Internal(where, " Cannot perform copy: number of elements does not match.  Shapes are: [element]: ",
                            element.shape(), ", [parent slice]: ", shape);
  }
  if (row < 0 || row >= batch.dim_size(0)) {
    return errors::InvalidArgument(where, ": the row must be in [0,", batch.dim_size(0), "), got ", row);
  }
  TENON_RETURN_IF_ERROR(CheckReadable(where, element));
  return CheckReadable(where, batch);
}

}  // namespace detail

namespace tensor {

// ------------------------------------------------------------------------------------------------------------- batches
// The rows of a batch, one at a time or several; no memory is allocated. TensorFlow's batch_util.

// (*batch)[row] = element, which has as many elements as a row.
inline Status CopyElementToSlice(const Tensor& element, Tensor* batch, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopyElementToSlice", element, *batch, row));
  const Index count = element.NumElements();
  detail::CopyElements(element.dtype(), element.raw_data(), detail::ElementAt(*batch, row * count),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// *element = batch[row]; *element has its memory already.
inline Status CopySliceToElement(const Tensor& batch, Tensor* element, Index row) {
  TENON_RETURN_IF_ERROR(detail::CheckRow("CopySliceToElement", *element, batch, row));
  const Index count = element->NumElements();
  detail::CopyElements(batch.dtype(), detail::ElementAt(batch, row * count), element->raw_data(),
                       static_cast<std::size_t>(count));
  return OkStatus();
}
// Rows [to_row, to_row + rows) of *to = rows [from_row, from_row + rows) of from. The two may share memory.
inline Status CopyContiguousSlices(const Tensor& from, Index from_row, Index to_row, Index rows, Tensor* to) {
  if (from.dtype() != to->dtype()) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: src and dst have different dtypes. ",
                                      "Source dtype: ", Name(from.dtype()), " dstination dtype: ", Name(to->dtype()),
                                      ".");
  }
  if (from.dims() < 1 || to->dims() < 1) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: both tensors must have a dimension, ",
                                      "got shapes ", from.shape(), " and ", to->shape());
  }
  const Index row = from.dim_size(0) == 0 ? 0 : from.NumElements() / from.dim_size(0);
  const Index to_size = to->dim_size(0) == 0 ? 0 : to->NumElements() / to->dim_size(0);
  if (from_row < 0 || rows < 0 || rows > from.dim_size(0) - from_row || from_row > from.dim_size(0)) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows from row ",
                                      from_row, " on of a source of shape ", from.shape());
  }
  if (to_row < 0 || to_row > to->dim_size(0) || rows > to->dim_size(0) - to_row) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: requested ", rows, " rows to row ",
                                      to_row, " on of a destination of shape ", to->shape());
  }
  if (rows == 0) return OkStatus();
  if (row != to_size) {
    return errors::FailedPrecondition("CopyContiguousSlices cannot perform copy: the rows of ", from.shape(), " have ",
                                      row, " elements, those of ", to->shape(), " have ", to_size);
  }
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", from));
  TENON_RETURN_IF_ERROR(detail::CheckReadable("CopyContiguousSlices", *to));
  const void* const source = detail::ElementAt(from, from_row * row);
  void* const target = detail::ElementAt(*to, to_row * row);
  if (SizeOf(from.dtype()) == 0 && source < target && from.SharesBufferWith(*to)) {  // rows may overlap: last one first
    for (Index i = rows * row; i-- > 0;) {
      detail::CopyElements(from.dtype(), detail::ElementAt(from, from_row * row + i),
                           detail::ElementAt(*to, to_row * row + i), 1);
    }
    return OkStatus();
  }
  detail::CopyElements(from.dtype(), source, target, static_cast<std::size_t>(rows * row));
  return OkStatus();
}

// ------------------------------------------------------------------------------------------- memory of somebody else

// As Tensor::From, for values of a user: InvalidArgument if their number is not that of the shape's elements.
template <class T>
  requires ElementType<T>
Result<Tensor> FromValues(std::span<const T> values, const TensorShape& shape) {
  if (static_cast<std::uint64_t>(values.size()) != static_cast<std::uint64_t>(shape.num_elements())) {
    return errors::InvalidArgument("FromValues: shape ", shape, " has ", shape.num_elements(), " elements, got ",
                                   values.size(), " values");
  }
  if (values.empty()) return Tensor(dtype_of_v<T>, shape, nullptr);
  Result<Tensor> made = Tensor::Make(dtype_of_v<T>, shape);
  if (made.ok()) detail::CopyElements(made->dtype(), values.data(), made->raw_data(), values.size());
  return made;
}

}  // namespace tensor

namespace detail {

inline Status CheckForeignMemory(std::string_view where, DataType dtype, const TensorShape& shape, const void* data,
                                 std::size_t bytes, bool owned) {
  const std::size_t element = ElementBytes(dtype);
  if (element == 0 || (owned && SizeOf(dtype) == 0)) {
    return errors::InvalidArgument(where, ": a tensor cannot be a view of bytes as elements of type '",
                                   DataTypeString(dtype), "'");
  }
  const auto n = static_cast<std::uint64_t>(shape.num_elements());
  if (n > bytes / element) {
    return errors::InvalidArgument(where, ": shape ", shape, " of type ", Name(dtype), " needs ", n, " elements of ",
                                   element, " bytes, got ", bytes, " bytes");
  }
  if (n != 0 && data == nullptr) return errors::InvalidArgument(where, ": there is no memory, data is null");
  if (n != 0 && !IsAlignedFor(dtype, data)) {
    return errors::InvalidArgument(where, ": data must be aligned to ", AlignmentOf(dtype), " bytes for type ",
                                   Name(dtype), ", its address is ", reinterpret_cast<std::uintptr_t>(data) % 64,
                                   " more than a multiple of 64");
  }
  return OkStatus();
}

}  // namespace detail

namespace tensor {

// A view of `bytes` bytes of the caller: Tensor::FromMemory with its checks. deleter() runs when nobody shares the
// memory any longer; on failure it is not called.
inline Result<Tensor> FromMemory(DataType dtype, const TensorShape& shape, void* data, std::size_t bytes) {
  TENON_RETURN_IF_ERROR(detail::CheckForeignMemory("FromMemory", dtype, shape, data, bytes, false));
  return Tensor::FromMemory(dtype, shape, data);
}
template <class Deleter>
  requires std::is_invocable_v<Deleter&>
Result<Tensor> FromMemory(DataType dtype, const TensorShape& shape, void* data, std::size_t bytes, Deleter deleter) {
  TENON_RETURN_IF_ERROR(detail::CheckForeignMemory("FromMemory", dtype, shape, data, bytes, false));
  return Tensor::FromMemory(dtype, shape, data, std::move(deleter));
}

// The elements that start `offset` bytes into a buffer, such as that of a MappedFile, which the tensor keeps alive.
// Plain types only. Bytes whose address does not suit the type are copied.
//
//   TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open("weights.bin"));
//   TENON_ASSIGN_OR_RETURN(Tensor w, tensor::ViewOfBytes(file.buffer(), 64, DataType::kFloat, {512, 256}));
inline Result<Tensor> ViewOfBytes(Buffer* owner, std::size_t offset, DataType dtype, const TensorShape& shape) {
  if (owner == nullptr || offset > owner->size()) {
    return errors::OutOfRange("ViewOfBytes: offset ", offset, " is beyond the end of a buffer of ",
                              owner == nullptr ? 0 : owner->size(), " bytes");
  }
  char* const data = static_cast<char*>(owner->data()) + offset;
  const bool aligned = detail::IsAlignedFor(dtype, data);
  const void* const address = aligned ? static_cast<void*>(data) : owner->root();  // what is copied may stand anywhere
  TENON_RETURN_IF_ERROR(detail::CheckForeignMemory("ViewOfBytes", dtype, shape, address, owner->size() - offset, true));
  if (shape.num_elements() == 0) return Tensor(dtype, shape, nullptr);
  if (aligned) return Tensor::ViewOf(owner, dtype, shape, data);
  if (!owner->HostAccessible()) {
    return errors::InvalidArgument("ViewOfBytes: offset ", offset, " does not suit type ", Name(dtype),
                                   ", and device memory cannot be copied here");
  }
  Result<Tensor> made = Tensor::Make(dtype, shape);
  if (made.ok()) detail::CopyElements(dtype, data, made->raw_data(), static_cast<std::size_t>(shape.num_elements()));
  return made;
}

}  // namespace tensor

TENON_NAMESPACE_END

// ---- tenon/wire/reader.hpp ----
// Reader: walks bytes in protobuf's wire format, message inside message, without protobuf. Checks every length; the
// first mistake stops it, and status() then says what is wrong and at which byte.
TENON_NAMESPACE_BEGIN

namespace wire {

static_assert(std::endian::native == std::endian::little,
              "tenon: the wire format is read and written on little-endian machines");

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

inline constexpr int kMaxDepth = 100;                          // of messages inside messages, as in protobuf
inline constexpr std::uint32_t kMaxFieldNumber = (1u << 29) - 1;

struct Tag {
  std::uint32_t field;
  WireType type;
};

// one thread. Borrows the bytes. Every Read... returns false at the first mistake and from then on.
//
//   Reader reader(bytes);
//   for (Tag tag; reader.ReadTag(&tag);) {
//     if (tag.field == 1 && tag.type == WireType::kBytes ? !reader.ReadBytes(&name) : !reader.Skip(tag)) break;
//   }
//   return reader.status("NodeDef");
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes)
      : begin_(reinterpret_cast<const unsigned char*>(bytes.data())), at_(begin_), limit_(begin_ + bytes.size()) {}

  // False at the end of the current message too.
  bool ReadTag(Tag* tag) {
    if (at_ == limit_) return false;
    const std::size_t start = offset();
    std::uint64_t value;
    if (!ReadVarint(&value)) [[unlikely]]
      return false;
    tag->field = static_cast<std::uint32_t>(value >> 3);
    tag->type = static_cast<WireType>(value & 7);
    if (value < 8 || value > 0xffffffff || (value & 7) > 5 || tag->type == WireType::kStartGroup ||
        tag->type == WireType::kEndGroup) [[unlikely]] {
      return FailTag(value, start);
    }
    return true;
  }

  bool ReadVarint(std::uint64_t* value) {
    const std::size_t left = remaining();
    if (left > 0 && at_[0] < 0x80) [[likely]] {
      *value = *at_++;
      return true;
    }
    if (left > 1 && at_[1] < 0x80) [[likely]] {
      *value = (at_[0] & 0x7fu) | (static_cast<std::uint32_t>(at_[1]) << 7);
      at_ += 2;
      return true;
    }
    return ReadLongVarint(value);
  }
  bool ReadFixed32(std::uint32_t* value) { return ReadFixed(value); }
  bool ReadFixed64(std::uint64_t* value) { return ReadFixed(value); }
  // A view of the bytes that were given.
  bool ReadBytes(std::string_view* bytes) {
    std::uint64_t size;
    const std::size_t start = offset();
    if (!ReadVarint(&size)) [[unlikely]]
      return false;
    if (size > remaining()) [[unlikely]]
      return Fail(Error::kTooLong, start, size);
    *bytes = std::string_view(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size));
    at_ += size;
    return true;
  }
  // The value of a field that nobody wants.
  bool Skip(Tag tag) {
    std::uint64_t ignored;
    std::string_view bytes;
    switch (tag.type) {
      case WireType::kVarint: return ReadVarint(&ignored);
      case WireType::kFixed64: return ReadFixed64(&ignored);
      case WireType::kFixed32: {
        std::uint32_t half;
        return ReadFixed32(&half);
      }
      default: return ReadBytes(&bytes);
    }
  }

  // ReadTag, and for kBytes ReadBytes too: most of all fields in one step.
  bool ReadField(Tag* tag, std::string_view* bytes) {
    const unsigned char* p = at_;
    if (limit_ - p >= 3 && p[0] < 0x80 && p[0] >= 8 && (p[0] & 7) == 2) [[likely]] {
      std::size_t size = p[1];
      const unsigned char* data = p + 2;
      if (size >= 0x80) {
        size = (size & 0x7f) | (static_cast<std::size_t>(*data) << 7);
        ++data;
      }
      if (data[-1] < 0x80 && size <= static_cast<std::size_t>(limit_ - data)) [[likely]] {
        tag->field = p[0] >> 3;
        tag->type = WireType::kBytes;
        *bytes = std::string_view(reinterpret_cast<const char*>(data), size);
        at_ = data + size;
        return true;
      }
    }
    return ReadTag(tag) && (tag->type != WireType::kBytes || ReadBytes(bytes));
  }

  // Between Enter and Leave the reader sees only the message (or the packed numbers) whose length comes next.
  // Leave is wanted only after success.
  using Outer = const unsigned char*;
  bool Enter(Outer* outer) {
    std::string_view inner;
    return ReadBytes(&inner) && Enter(inner, outer);
  }
  // The same when the bytes have just been read.
  bool Enter(std::string_view inner, Outer* outer) {
    if (depth_ >= kMaxDepth) [[unlikely]]
      return Fail(Error::kTooDeep, offset() - inner.size(), 0);
    ++depth_;
    *outer = limit_;
    limit_ = at_;
    at_ -= inner.size();
    return true;
  }
  void Leave(Outer outer) {
    at_ = limit_;
    limit_ = outer;
    --depth_;
  }

  bool ok() const { return error_ == Error::kNone; }
  bool AtEnd() const { return at_ == limit_; }                                        // of the current message
  std::size_t remaining() const { return static_cast<std::size_t>(limit_ - at_); }    // bytes of the current message
  std::string_view rest() const { return {reinterpret_cast<const char*>(at_), remaining()}; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }  // of the next byte in all bytes

  // OK, or DataLoss. `what` names the outermost message: "GraphDef".
  Status status(std::string_view what) const { return ok() ? OkStatus() : MakeStatus(what); }

 private:
  enum class Error : std::uint8_t { kNone, kEnd, kVarint, kTooLong, kFieldNumber, kGroup, kWireType, kTooDeep };

  bool Fail(Error error, std::size_t where, std::uint64_t value) {
    Record(error, where, value);
    return false;
  }
  TENON_COLD void Record(Error error, std::size_t where, std::uint64_t value) {
    if (error_ == Error::kNone) {
      error_ = error;
      error_offset_ = where;
      error_value_ = value;
    }
    at_ = limit_;
  }
  bool FailTag(std::uint64_t tag, std::size_t where) {
    if (tag < 8 || tag > 0xffffffff) return Fail(Error::kFieldNumber, where, tag >> 3);
    return Fail((tag & 7) > 5 ? Error::kWireType : Error::kGroup, where, (tag & 7) > 5 ? tag & 7 : tag >> 3);
  }
  // Bits above the 64th are dropped, as protobuf does; more than ten bytes are an error.
  TENON_COLD bool ReadLongVarint(std::uint64_t* value) {
    const std::size_t start = offset();
    std::uint64_t result = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == limit_) [[unlikely]]
        return Fail(Error::kEnd, start, 0);
      const unsigned char byte = *at_++;
      result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return Fail(Error::kVarint, start, 0);
  }
  template <class T>
  bool ReadFixed(T* value) {
    if (remaining() < sizeof(T)) [[unlikely]]
      return Fail(Error::kEnd, offset(), 0);
    std::memcpy(value, at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  TENON_COLD Status MakeStatus(std::string_view what) const {
    std::string text = StrCat(what, ": cannot parse the bytes at offset ", error_offset_, ": ");
    switch (error_) {
      case Error::kNone: break;
      case Error::kEnd: StrAppend(&text, "the message ends inside a number; it is truncated or not a ", what); break;
      case Error::kVarint: text += "a variable-length number has more than 10 bytes"; break;
      case Error::kTooLong:
        StrAppend(&text, "a field of ", error_value_,
                  " bytes goes beyond the end of its message; it is truncated or not a ", what);
        break;
      case Error::kFieldNumber:
        StrAppend(&text, "field number ", error_value_, " is not in 1 to ", kMaxFieldNumber);
        break;
      case Error::kGroup: StrAppend(&text, "field ", error_value_, " is a group, which no message here has"); break;
      case Error::kWireType: StrAppend(&text, "wire type ", error_value_, " does not exist"); break;
      case Error::kTooDeep: StrAppend(&text, "messages are nested more than ", kMaxDepth, " deep"); break;
    }
    return Status(Code::kDataLoss, text);
  }

  const unsigned char* begin_;
  const unsigned char* at_;
  const unsigned char* limit_;  // end of the current message
  int depth_ = 0;
  Error error_ = Error::kNone;
  std::size_t error_offset_ = 0;
  std::uint64_t error_value_ = 0;
};

// The bytes of a text.
inline std::span<const std::byte> AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wire

TENON_NAMESPACE_END

// ---- tenon/wire/writer.hpp ----
// Writer: makes protobuf's wire format, last byte first. So the length of a message is known when it is written, and
// one pass is enough. What is written later stands before what was written earlier.
TENON_NAMESPACE_BEGIN

namespace wire {

// one thread.
//
//   Writer writer;
//   const std::size_t end = writer.size();
//   writer.Bytes(name);                     // the last field first, and in it the value before the tag
//   writer.BytesTag(1, name.size());
//   writer.BytesTag(7, writer.size() - end);  // ... as field 7 of the message around it
//   writer.AppendTo(&out);
class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { delete[] buffer_; }

  std::size_t size() const { return capacity_ - start_; }  // bytes written

  void Bytes(const void* data, std::size_t size) {
    if (size != 0) std::memcpy(Prepend(size), data, size);
  }
  void Bytes(std::string_view text) { Bytes(text.data(), text.size()); }
  // `size` bytes that the caller fills in before the next call.
  char* Prepend(std::size_t size) {
    if (size > start_) [[unlikely]]
      Grow(size);
    start_ -= size;
    return buffer_ + start_;
  }
  void Varint(std::uint64_t value) {
    const std::size_t size = VarintSize(value);
    char* to = Prepend(size);
    for (std::size_t i = 0; i + 1 < size; ++i, value >>= 7) *to++ = static_cast<char>((value & 0x7f) | 0x80);
    *to = static_cast<char>(value);
  }
  void Fixed32(std::uint32_t value) { Bytes(&value, sizeof value); }
  void Fixed64(std::uint64_t value) { Bytes(&value, sizeof value); }
  // Before the value of a field: its number and how it is written.
  void FieldTag(std::uint32_t field, WireType type) {
    Varint((std::uint64_t{field} << 3) | static_cast<std::uint64_t>(type));
  }
  // Before text, a message or packed numbers: length and field number.
  void BytesTag(std::uint32_t field, std::size_t size) {
    Varint(size);
    FieldTag(field, WireType::kBytes);
  }

  std::string_view view() const { return {buffer_ + start_, size()}; }
  void AppendTo(std::string* out) const { out->append(view()); }

  static constexpr std::size_t VarintSize(std::uint64_t value) {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
  }

 private:
  TENON_COLD void Grow(std::size_t size) {
    const std::size_t used = this->size();
    std::size_t capacity = capacity_ < 256 ? 512 : 2 * capacity_;
    if (capacity - used < size) capacity = used + size + (size < 1024 ? 1024 : size / 8);  // room for what is around it
    char* buffer = new char[capacity];
    if (used != 0) std::memcpy(buffer + capacity - used, buffer_ + start_, used);
    delete[] buffer_;
    buffer_ = buffer;
    start_ = capacity - used;
    capacity_ = capacity;
  }

  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;  // bytes [start_, capacity_) are written
};

}  // namespace wire

TENON_NAMESPACE_END

// ---- tenon/wire/schema.hpp ----
// Messages as constexpr tables: for each field its number, kind, and how to reach it in a plain struct. Two functions
// over these tables, ParseMessage and SerializeMessage, read and write every message.
//
//   template <> struct wire::Schema<Version> { static const wire::Message message; };
//   inline constexpr wire::Field kVersionFields[] = {wire::MakeField<&Version::producer>(1, "producer"),
//                                                    wire::MakeField<&Version::bad_consumers>(3, "bad_consumers")};
//   inline constexpr wire::Message wire::Schema<Version>::message("Version", kVersionFields);
TENON_NAMESPACE_BEGIN

class Buffer;

namespace wire {

struct Message;

// The table of a struct, as the static member `message`.
template <class T>
struct Schema;

// The C++ type of the value: kBool is bool or char, kEnum an enum of 4 bytes, kString a std::string (text, bytes, or a
// message kept as it came), kFixed32/kFixed64 unsigned integers.
enum class Kind : std::uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kFixed32,
  kFixed64,
  kString,
  kMessage
};

namespace detail {
constexpr WireType WireTypeOf(Kind kind) {
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: return WireType::kFixed32;
    case Kind::kDouble:
    case Kind::kFixed64: return WireType::kFixed64;
    case Kind::kString:
    case Kind::kMessage: return WireType::kBytes;
    default: return WireType::kVarint;
  }
}
}  // namespace detail

// Immutable. The functions get a pointer to the struct.
struct Field {
  std::uint32_t number;
  Kind kind;
  bool repeated;
  WireType wire_type;  // of one value
  std::string_view name;
  const Message* message;  // of kMessage
  // How many values are to be written: 0 or 1 unless repeated.
  std::size_t (*count)(const void* object);
  const void* (*at)(const void* object, std::size_t index);
  // Where the next value goes; unless repeated, always the same place.
  void* (*add)(void* object);
  // Null, or makes room for so many values in all.
  void (*reserve)(void* object, std::size_t count);
};

// What goes with the parsing of one outermost message. one thread.
struct ParseContext {
  Buffer* owner = nullptr;  // of the bytes: tensors may become views of it
  // Bytes that tensors may get beyond those in the message (by repeating one value), all together: a message of ten
  // bytes must not be able to ask for all memory.
  std::uint64_t repeat_bytes = std::uint64_t{1} << 31;
  Status status;  // set by a message's own parse function when values make no sense
};

// Immutable.
struct Message {
  static constexpr std::uint32_t kDirect = 32;  // fields below are found by index

  std::string_view name;
  std::span<const Field> fields;  // ascending by number
  // Null, or: runs after the fields have been read.
  void (*finish)(void* object) = nullptr;
  // Null, or what reads and writes the message instead of `fields`; the reader sees nothing but the message.
  bool (*parse)(Reader& reader, ParseContext& context, void* object) = nullptr;
  void (*serialize)(Writer& writer, const void* object) = nullptr;
  bool has_repeated = false;
  std::uint8_t slots[kDirect] = {};  // field number -> index + 1

  constexpr Message(std::string_view message_name, std::span<const Field> message_fields,
                    void (*message_finish)(void*) = nullptr)
      : name(message_name), fields(message_fields), finish(message_finish) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0 && fields[i].number <= fields[i - 1].number) wire_schema_error_field_numbers_must_ascend();
      if (fields[i].repeated) has_repeated = true;
      if (fields[i].number < kDirect) slots[fields[i].number] = static_cast<std::uint8_t>(i + 1);
    }
  }
  constexpr Message(std::string_view message_name, bool (*message_parse)(Reader&, ParseContext&, void*),
                    void (*message_serialize)(Writer&, const void*))
      : name(message_name), parse(message_parse), serialize(message_serialize) {}

  const Field* Find(std::uint32_t number) const {
    if (number < kDirect) [[likely]]
      return slots[number] == 0 ? nullptr : &fields[slots[number] - 1u];
    for (const Field& field : fields) {
      if (field.number == number) return &field;
    }
    return nullptr;
  }

  // Never defined: reaching it while a table is made stops the compiler with its name.
  static void wire_schema_error_field_numbers_must_ascend();
};

// ------------------------------------------------------------------------------------------------- tables from members

template <class T>
constexpr Kind KindOf() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char>)
    return Kind::kBool;
  else if constexpr (std::is_enum_v<T>)
    return Kind::kEnum;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Kind::kInt32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return Kind::kInt64;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Kind::kUint32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return Kind::kUint64;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>)
    return Kind::kString;
  else
    return Kind::kMessage;
}
template <class T>
constexpr const Message* MessageOf() {
  if constexpr (KindOf<T>() == Kind::kMessage)
    return &Schema<T>::message;
  else
    return nullptr;
}

namespace detail {

// How the struct C keeps the field in its member of type M: one value, perhaps one (optional), or many (vector).
template <class C, class M, M C::* Member>
struct Access {
  using Value = M;
  static constexpr bool repeated = false;
  static M& Get(void* object) { return static_cast<C*>(object)->*Member; }
  static const M& Get(const void* object) { return static_cast<const C*>(object)->*Member; }
  static std::size_t CountSet(const void* object) {  // proto3: a default value is not written
    if constexpr (std::is_same_v<M, std::string>)
      return Get(object).empty() ? 0 : 1;
    else
      return Get(object) == M{} ? 0 : 1;
  }
  static std::size_t CountAlways(const void*) { return 1; }
  static const void* At(const void* object, std::size_t) { return &Get(object); }
  static void* Add(void* object) { return &Get(object); }
  static constexpr void (*reserve)(void*, std::size_t) = nullptr;
};
template <class C, class T, std::optional<T> C::* Member>
struct Access<C, std::optional<T>, Member> {
  using Value = T;
  static constexpr bool repeated = false;
  static std::size_t CountSet(const void* object) {
    return (static_cast<const C*>(object)->*Member).has_value() ? 1 : 0;
  }
  static const void* At(const void* object, std::size_t) { return &*(static_cast<const C*>(object)->*Member); }
  static void* Add(void* object) {
    std::optional<T>& member = static_cast<C*>(object)->*Member;
    if (!member.has_value()) member.emplace();
    return &*member;
  }
  static constexpr void (*reserve)(void*, std::size_t) = nullptr;
};
template <class C, class List, List C::* Member>
  requires GrowableListOf<List, typename List::value_type> && (!std::is_same_v<List, std::string>)
struct Access<C, List, Member> {
  using Value = typename List::value_type;
  static constexpr bool repeated = true;
  static std::size_t CountSet(const void* object) { return (static_cast<const C*>(object)->*Member).size(); }
  static const void* At(const void* object, std::size_t i) { return &(static_cast<const C*>(object)->*Member)[i]; }
  static void* Add(void* object) { return &(static_cast<C*>(object)->*Member).emplace_back(); }
  static void Reserve(void* object, std::size_t count) {
    List& member = static_cast<C*>(object)->*Member;
    if (count > 1) member.reserve(member.size() + count);
  }
  static constexpr void (*reserve)(void*, std::size_t) = &Reserve;
};

template <class M>
struct MemberOf;
template <class C, class M>
struct MemberOf<M C::*> {
  template <M C::* Member>
  using Of = Access<C, M, Member>;
};
template <auto Member>
using AccessOf = typename MemberOf<decltype(Member)>::template Of<Member>;

}  // namespace detail

// A field kept in a data member: a number, enum, std::string or struct with a Schema, or a vector or optional of such.
template <auto Member>
constexpr Field MakeField(std::uint32_t number, std::string_view name) {
  using A = detail::AccessOf<Member>;
  using T = typename A::Value;
  return {number, KindOf<T>(), A::repeated, detail::WireTypeOf(KindOf<T>()), name, MessageOf<T>(), &A::CountSet,
          &A::At, &A::Add,     A::reserve};
}
// The same for a field that is written even when it has its default value: key and value of a map.
template <auto Member>
constexpr Field MakeFieldAlways(std::uint32_t number, std::string_view name) {
  Field field = MakeField<Member>(number, name);
  field.count = &detail::AccessOf<Member>::CountAlways;
  return field;
}
// One of several members of which only one is set; T is the type of the value.
template <class T>
constexpr Field MakeOneof(std::uint32_t number, std::string_view name, std::size_t (*count)(const void*),
                          const void* (*at)(const void*, std::size_t), void* (*add)(void*)) {
  return {number, KindOf<T>(), false, detail::WireTypeOf(KindOf<T>()), name, MessageOf<T>(), count, at, add, nullptr};
}

// ------------------------------------------------------------------------------------------------------------- reading

inline bool ParseMessage(const Message& message, Reader& reader, ParseContext& context, void* object);

namespace detail {

// Reads a number into *to, of the type that `kind` says.
inline bool ReadNumber(Reader& reader, Kind kind, void* to) {
  std::uint64_t value = 0;
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: {
      std::uint32_t half = 0;
      if (!reader.ReadFixed32(&half)) return false;
      std::memcpy(to, &half, sizeof half);
      return true;
    }
    case Kind::kDouble:
    case Kind::kFixed64:
      if (!reader.ReadFixed64(&value)) return false;
      std::memcpy(to, &value, sizeof value);
      return true;
    case Kind::kBool: {
      if (!reader.ReadVarint(&value)) return false;
      const unsigned char byte = value != 0 ? 1 : 0;
      std::memcpy(to, &byte, 1);
      return true;
    }
    case Kind::kInt64:
    case Kind::kUint64:
      if (!reader.ReadVarint(&value)) return false;
      std::memcpy(to, &value, sizeof value);
      return true;
    default: {
      if (!reader.ReadVarint(&value)) return false;
      const auto low = static_cast<std::uint32_t>(value);
      std::memcpy(to, &low, sizeof low);
      return true;
    }
  }
}

// `bytes` is the value of a field that came as kBytes; numbers that are not packed have yet to be read.
inline bool ParseField(const Field& field, WireType type, std::string_view bytes, Reader& reader, ParseContext& context,
                       void* object) {
  if (field.kind == Kind::kString) {
    static_cast<std::string*>(field.add(object))->assign(bytes);
    return true;
  }
  if (type != WireType::kBytes) {
    // A mistake in a repeated number may leave a value too many behind; the caller gets nothing then.
    return ReadNumber(reader, field.kind, field.add(object));
  }
  Reader::Outer outer;
  if (!reader.Enter(bytes, &outer)) return false;
  if (field.kind == Kind::kMessage) {
    if (!ParseMessage(*field.message, reader, context, field.add(object))) return false;
  } else {
    while (!reader.AtEnd()) {
      if (!ReadNumber(reader, field.kind, field.add(object))) return false;
    }
  }
  reader.Leave(outer);
  return true;
}

// May the field come this way? Numbers of repeated fields may be packed or not; what does not fit is skipped, as in
// protobuf.
inline bool Fits(const Field& field, WireType type) {
  return type == field.wire_type || (type == WireType::kBytes && field.repeated);
}

// Makes room for repeated fields: their number is found by walking over the message once.
inline void Presize(const Message& message, Reader reader, void* object) {
  std::size_t counts[Message::kDirect] = {};
  std::size_t total = 0;
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
    if (tag.field < Message::kDirect && message.slots[tag.field] != 0) ++counts[tag.field], ++total;
  }
  if (total < 2) return;
  for (const Field& field : message.fields) {
    if (field.number < Message::kDirect && counts[field.number] > 1 && field.reserve != nullptr) {
      field.reserve(object, counts[field.number]);
    }
  }
}

}  // namespace detail

// Reads the rest of the reader's current message into `object`, of the struct that `message` describes. Unknown fields
// are skipped; a field that is not repeated takes its last value, a message merges. False when the reader failed or
// context.status is an error; `object` is then partly filled.
inline bool ParseMessage(const Message& message, Reader& reader, ParseContext& context, void* object) {
  if (message.parse != nullptr) return message.parse(reader, context, object);
  if (message.has_repeated && reader.remaining() >= 64) detail::Presize(message, reader, object);
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes);) {
    const Field* field = message.Find(tag.field);
    if (field == nullptr || !detail::Fits(*field, tag.type)) [[unlikely]] {
      if (tag.type != WireType::kBytes && !reader.Skip(tag)) return false;
    } else if (!detail::ParseField(*field, tag.type, bytes, reader, context, object)) {
      return false;
    }
  }
  if (!reader.ok()) return false;
  if (message.finish != nullptr) message.finish(object);
  return true;
}

// The same for bytes that are one message of type T. DataLoss, with the offset of the byte, when they are none.
template <class T>
Status Parse(std::span<const std::byte> bytes, T* object, ParseContext context = {}) {
  Reader reader(bytes);
  if (ParseMessage(Schema<T>::message, reader, context, object)) return OkStatus();
  if (!context.status.ok()) return context.status;
  return reader.status(Schema<T>::message.name);
}

// ------------------------------------------------------------------------------------------------------------- writing

namespace detail {

inline void WriteNumber(Writer& writer, Kind kind, const void* from) {
  std::uint64_t wide;
  std::uint32_t narrow;
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: std::memcpy(&narrow, from, sizeof narrow); return writer.Fixed32(narrow);
    case Kind::kDouble:
    case Kind::kFixed64: std::memcpy(&wide, from, sizeof wide); return writer.Fixed64(wide);
    case Kind::kBool: {
      unsigned char byte;
      std::memcpy(&byte, from, 1);
      return writer.Varint(byte != 0 ? 1 : 0);
    }
    case Kind::kInt64:
    case Kind::kUint64: std::memcpy(&wide, from, sizeof wide); return writer.Varint(wide);
    case Kind::kUint32: std::memcpy(&narrow, from, sizeof narrow); return writer.Varint(narrow);
    default: {  // negative ones have ten bytes
      std::int32_t number;
      std::memcpy(&number, from, sizeof number);
      return writer.Varint(static_cast<std::uint64_t>(std::int64_t{number}));
    }
  }
}

}  // namespace detail

// Writes the message's fields in front of what has been written. Canonical: ascending numbers, repeated numbers packed.
inline void SerializeMessage(const Message& message, Writer& writer, const void* object) {
  if (message.serialize != nullptr) return message.serialize(writer, object);
  for (std::size_t f = message.fields.size(); f-- > 0;) {
    const Field& field = message.fields[f];
    const std::size_t count = field.count(object);
    if (count == 0) continue;
    const std::size_t end = writer.size();
    for (std::size_t i = count; i-- > 0;) {
      const void* value = field.at(object, i);
      const std::size_t value_end = writer.size();
      if (field.kind == Kind::kString) {
        writer.Bytes(*static_cast<const std::string*>(value));
      } else if (field.kind == Kind::kMessage) {
        SerializeMessage(*field.message, writer, value);
      } else {
        detail::WriteNumber(writer, field.kind, value);
        if (!field.repeated) writer.FieldTag(field.number, field.wire_type);
        continue;
      }
      writer.BytesTag(field.number, writer.size() - value_end);
    }
    if (field.repeated && field.kind != Kind::kString && field.kind != Kind::kMessage) {
      writer.BytesTag(field.number, writer.size() - end);
    }
  }
}

template <class T>
void SerializeTo(const T& object, std::string* out) {
  Writer writer;
  SerializeMessage(Schema<T>::message, writer, &object);
  writer.AppendTo(out);
}

}  // namespace wire

TENON_NAMESPACE_END

// ---- tenon/tensor/partial_shape.hpp ----
// PartialTensorShape: a shape of which the rank, or some sizes, may be unknown. What graphs and attrs hold.
TENON_NAMESPACE_BEGIN

// Unknown rank, or a list of sizes of which some may be -1 (unknown). The product of the sizes fits an int64 where all
// are known. externally synchronised.
class PartialTensorShape {
 public:
  PartialTensorShape() { dims_.set_unknown_rank(true); }  // unknown rank
  PartialTensorShape(std::initializer_list<Index> dims)
      : PartialTensorShape(std::span<const Index>(dims.begin(), dims.size())) {}
  explicit PartialTensorShape(std::span<const Index> dims) { detail::CheckShape(Set(dims)); }
  PartialTensorShape(const TensorShape& shape) : dims_(shape.dims_) { dims_.set_dtype(0); }

  // For sizes that come from a user or a graph; -1 is unknown, less is an error.
  static Status Build(std::span<const Index> dims, PartialTensorShape* shape) {
    PartialTensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    *shape = std::move(made);
    return OkStatus();
  }
  static Result<PartialTensorShape> Make(std::span<const Index> dims) {
    PartialTensorShape made;
    TENON_RETURN_IF_ERROR(made.Set(dims));
    return made;
  }

  // Nothing happens to a shape of unknown rank.
  void AddDim(Index size) { detail::CheckShape(AddDimWithStatus(size)); }
  Status AddDimWithStatus(Index size) {
    if (unknown_rank()) return OkStatus();
    if (size < -1) return errors::InvalidArgument("Expected a size of at least -1, where -1 means unknown, got ", size);
    if (dims_.size() >= kMaxTensorRank) return errors::InvalidArgument("Too many dimensions in tensor");
    const Index before = num_elements();
    if (before >= 0 && size >= 0) {
      const Index product = MultiplyWithoutOverflow(before, size);
      if (product < 0) {
        return errors::InvalidArgument("Encountered overflow when multiplying ", before, " with ", size,
                                       ", result: ", product);
      }
    }
    dims_.PushBack(size);
    return OkStatus();
  }
  void set_dim(int d, Index size) { detail::CheckShape(SetDimWithStatus(d, size)); }
  Status SetDimWithStatus(int d, Index size) {
    if (d < 0) return errors::InvalidArgument("Index must be non-negative, got ", d);
    if (d >= dims()) return errors::InvalidArgument("Index must be less than ", dims(), ", got ", d);
    PartialTensorShape changed = *this;
    changed.dims_.data()[d] = size;
    PartialTensorShape checked;
    TENON_RETURN_IF_ERROR(checked.Set(changed.dim_sizes()));
    *this = std::move(checked);
    return OkStatus();
  }

  // This shape with the other's dimensions after its own; unknown rank if either's is unknown.
  Status Concatenate(const PartialTensorShape& other, PartialTensorShape* result) const {
    if (unknown_rank() || other.unknown_rank()) {
      *result = PartialTensorShape();
      return OkStatus();
    }
    PartialTensorShape longer = *this;
    for (const Index size : other) TENON_RETURN_IF_ERROR(longer.AddDimWithStatus(size));
    *result = std::move(longer);
    return OkStatus();
  }
  PartialTensorShape Concatenate(const PartialTensorShape& other) const {
    PartialTensorShape result;
    detail::CheckShape(Concatenate(other, &result));
    return result;
  }
  PartialTensorShape Concatenate(Index size) const {
    PartialTensorShape result = *this;
    result.AddDim(size);
    return result;
  }

  // What is known of both together; InvalidArgument if they contradict each other.
  Status MergeWith(const PartialTensorShape& other, PartialTensorShape* result) const {
    if (result == this) return errors::Internal("PartialTensorShape::MergeWith: Cannot output result to itself");
    if (unknown_rank() || other.unknown_rank()) {
      *result = unknown_rank() ? other : *this;
      return OkStatus();
    }
    if (dims() != other.dims()) {
      return errors::InvalidArgument("PartialTensorShape: Incompatible ranks during merge: ", dims(), " vs. ",
                                     other.dims());
    }
    PartialTensorShape merged{std::initializer_list<Index>{}};
    for (int d = 0; d < dims(); ++d) {
      const Index a = dim_size(d), b = other.dim_size(d);
      if (a >= 0 && b >= 0 && a != b) {
        return errors::InvalidArgument("PartialTensorShape: Incompatible shapes during merge: ", *this, " vs. ", other);
      }
      TENON_RETURN_IF_ERROR(merged.AddDimWithStatus(a >= 0 ? a : b));
    }
    *result = std::move(merged);
    return OkStatus();
  }

  // Could one tensor have both shapes?
  bool IsCompatibleWith(const PartialTensorShape& other) const {
    if (unknown_rank() || other.unknown_rank()) return true;
    if (dims() != other.dims()) return false;
    for (int d = 0; d < dims(); ++d) {
      const Index a = dim_size(d), b = other.dim_size(d);
      if (a != b && a >= 0 && b >= 0) return false;
    }
    return true;
  }
  // The same knowledge: unknown equals only unknown.
  bool IsIdenticalTo(const PartialTensorShape& other) const {
    return unknown_rank() == other.unknown_rank() && dims_.SameDims(other.dims_);
  }
  friend bool operator==(const PartialTensorShape& a, const PartialTensorShape& b) { return a.IsIdenticalTo(b); }

  bool IsFullyDefined() const {
    if (unknown_rank()) return false;
    for (const Index size : *this) {
      if (size < 0) return false;
    }
    return true;
  }
  // False, and *shape as it was, unless all is known.
  bool AsTensorShape(TensorShape* shape) const {
    if (!IsFullyDefined()) return false;
    shape->dims_.Assign(dims_.data(), dims_.size());
    return true;
  }

  bool unknown_rank() const { return dims_.unknown_rank(); }
  int dims() const { return unknown_rank() ? -1 : dims_.size(); }                            // -1: unknown rank
  Index dim_size(int d) const { return unknown_rank() ? -1 : dims_.data()[d]; }              // -1: unknown
  std::span<const Index> dim_sizes() const { return {begin(), end()}; }  // none if the rank is unknown
  const Index* begin() const { return dims_.data(); }
  const Index* end() const { return dims_.data() + dims_.size(); }
  Index num_elements() const { return IsFullyDefined() ? dims_.Product() : -1; }  // -1: unknown

  // "<unknown>", "[2,?]".
  std::string DebugString() const {
    if (unknown_rank()) return "<unknown>";
    std::string text = "[";
    for (int d = 0; d < dims(); ++d) {
      if (d != 0) text += ',';
      if (dim_size(d) < 0) {
        text += '?';
      } else {
        StrAppend(&text, dim_size(d));
      }
    }
    text += ']';
    return text;
  }

 private:
  Status Set(std::span<const Index> dims) {
    dims_.Resize(0);
    dims_.set_unknown_rank(false);
    for (const Index size : dims) TENON_RETURN_IF_ERROR(AddDimWithStatus(size));
    return OkStatus();
  }

  detail::DimVector dims_;
};

// The same questions for shapes made of numbers of a kernel or a user: -1 is allowed.
template <class Int>
Status MakeShape(const Int* dims, Index n, PartialTensorShape* shape) {
  if (n > kMaxTensorRank) return errors::InvalidArgument("Too many dimensions");
  if (n < 0) return errors::InvalidArgument("Negative number of dimensions ", n);
  Index sizes[kMaxTensorRank];
  Index product = 1;
  for (Index i = 0; i < n; ++i) {
    sizes[i] = static_cast<Index>(dims[i]);
    if (sizes[i] < -1) return errors::InvalidArgument("Dimension ", sizes[i], " must be >= -1");
    product = product < 0 || sizes[i] < 0 ? -1 : MultiplyWithoutOverflow(product, sizes[i]);
  }
  const Status status = PartialTensorShape::Build({sizes, static_cast<std::size_t>(n)}, shape);
  if (status.ok()) return status;
  return errors::InvalidArgument("Shape ", detail::DimsText({sizes, static_cast<std::size_t>(n)}),
                                 " would have more than 2**63 - 1 elements");
}

TENON_NAMESPACE_END

// ---- tenon/wire/tensor_proto.hpp ----
// TensorProto and TensorShapeProto: tensors and shapes in serialised form. Reading understands every way in which
// TensorFlow writes values; raw contents become views of the bytes where those have an owner.
TENON_NAMESPACE_BEGIN

namespace wire {

// -------------------------------------------------------------------------------------------------- TensorShapeProto
// dim = 2 {size = 1, name = 2 (dropped)}, unknown_rank = 3

namespace detail {

struct RawShape {
  Index dims[kMaxTensorRank];  // of the first kMaxTensorRank dimensions
  int rank = 0;                // may be more than kMaxTensorRank
  bool unknown_rank = false;

  std::span<const Index> sizes() const {
    return {dims, static_cast<std::size_t>(rank < kMaxTensorRank ? rank : kMaxTensorRank)};
  }
  std::string DebugString() const {
    if (unknown_rank && rank == 0) return "<unknown>";
    return StrCat(
        unknown_rank ? "<unknown>" : "", "[",
        StrJoin(sizes(), ",", [](std::string* out, Index d) { d < 0 ? StrAppend(out, "?") : StrAppend(out, d); }),
        rank > kMaxTensorRank ? ",...]" : "]");
  }
};

// Reads the rest of the reader's message.
inline bool ReadShape(Reader& reader, RawShape* shape) {
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes);) {
    std::uint64_t value;
    if (tag.field == 2 && tag.type == WireType::kBytes) {
      Reader::Outer outer;
      if (!reader.Enter(bytes, &outer)) return false;
      Index size = 0;
      for (Tag inner; reader.ReadTag(&inner);) {
        if (inner.field != 1 || inner.type != WireType::kVarint) {
          if (!reader.Skip(inner)) return false;
        } else if (!reader.ReadVarint(&value)) {
          return false;
        } else {
          size = static_cast<Index>(value);
        }
      }
      if (!reader.ok()) return false;
      reader.Leave(outer);
      if (shape->rank < kMaxTensorRank) shape->dims[shape->rank] = size;
      if (shape->rank <= kMaxTensorRank) ++shape->rank;
    } else if (tag.field == 3 && tag.type == WireType::kVarint) {
      if (!reader.ReadVarint(&value)) return false;
      shape->unknown_rank = value != 0;
    } else if (tag.type != WireType::kBytes && !reader.Skip(tag)) {
      return false;
    }
  }
  return reader.ok();
}

// Are the numbers a shape? `partial`: -1 and an unknown rank are allowed.
inline Status CheckShape(const RawShape& shape, bool partial) {
  if (partial && shape.unknown_rank) {
    if (shape.rank == 0) return OkStatus();
    return errors::InvalidArgument("An unknown shape must not have any dimensions set.");
  }
  if (shape.rank > kMaxTensorRank) return errors::InvalidArgument("Shape ", shape, " has too many dimensions");
  Index elements = 1;
  bool known = true;
  for (const Index size : shape.sizes()) {
    if (size < -1 && partial) {
      return errors::InvalidArgument("Shape ", shape, " has dimensions with values below -1 (where -1 means unknown)");
    }
    if (size < 0 && !partial) return errors::InvalidArgument("Shape ", shape, " is not fully defined");
    known = known && size >= 0;
    if (!known) continue;
    elements = MultiplyWithoutOverflow(elements, size);
    if (elements < 0) return errors::InvalidArgument("Shape ", shape, " is too large (more than 2**63 - 1 entries)");
  }
  return OkStatus();
}
inline Status MakePartialShape(const RawShape& raw, PartialTensorShape* shape) {
  TENON_RETURN_IF_ERROR(CheckShape(raw, true));
  if (raw.unknown_rank) {
    *shape = PartialTensorShape();
    return OkStatus();
  }
  return PartialTensorShape::Build(raw.sizes(), shape);
}
inline Status MakeFullShape(const RawShape& raw, TensorShape* shape) {  // unknown_rank is ignored, as TensorFlow does
  TENON_RETURN_IF_ERROR(CheckShape(raw, false));
  return TensorShape::Build(raw.sizes(), shape);
}

inline void WriteShape(Writer& writer, std::span<const Index> dims, bool unknown_rank) {
  if (unknown_rank) {
    writer.Varint(1);
    return writer.FieldTag(3, WireType::kVarint);
  }
  for (std::size_t d = dims.size(); d-- > 0;) {
    const std::size_t end = writer.size();
    if (dims[d] != 0) {
      writer.Varint(static_cast<std::uint64_t>(dims[d]));
      writer.FieldTag(1, WireType::kVarint);
    }
    writer.BytesTag(2, writer.size() - end);
  }
}

}  // namespace detail

template <>
struct Schema<PartialTensorShape> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    detail::RawShape raw;
    if (!detail::ReadShape(reader, &raw)) return false;
    context.status = detail::MakePartialShape(raw, static_cast<PartialTensorShape*>(object));
    return context.status.ok();
  }
  static void Serialize(Writer& writer, const void* object) {
    const auto& shape = *static_cast<const PartialTensorShape*>(object);
    detail::WriteShape(writer, shape.dim_sizes(), shape.unknown_rank());
  }
  static constexpr Message message{"TensorShapeProto", &Parse, &Serialize};
};

// ------------------------------------------------------------------------------------------------ ResourceHandleProto

template <>
struct Schema<ResourceHandle> {
  static const Message message;
};
inline constexpr Field kResourceHandleFields[] = {
    MakeField<&ResourceHandle::device>(1, "device"),
    MakeField<&ResourceHandle::container>(2, "container"),
    MakeField<&ResourceHandle::name>(3, "name"),
    MakeField<&ResourceHandle::hash_code>(4, "hash_code"),
    MakeField<&ResourceHandle::maybe_type_name>(5, "maybe_type_name"),
};
inline constexpr Message Schema<ResourceHandle>::message("ResourceHandleProto", kResourceHandleFields);

// ------------------------------------------------------------------------------------------------------- TensorProto

namespace detail {

enum TensorField : std::uint32_t {
  kDtypeField = 1,
  kShapeField = 2,
  kContentField = 4,
  kStringField = 8,
  kResourceField = 14,
  kFloat8Field = 18,
};

// Where the values of a dtype stand when not in tensor_content. Complex numbers: two values an element.
struct TypedField {
  std::uint32_t number;
  Kind kind;
};
constexpr TypedField TypedFieldOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return {5, Kind::kFloat};
    case DataType::kDouble: return {6, Kind::kDouble};
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kQint8:
    case DataType::kQuint8:
    case DataType::kQint16:
    case DataType::kQuint16:
    case DataType::kQint32:
    case DataType::kInt4:
    case DataType::kUint4:
    case DataType::kInt2:
    case DataType::kUint2: return {7, Kind::kInt32};
    case DataType::kString: return {kStringField, Kind::kString};
    case DataType::kComplex64: return {9, Kind::kFloat};
    case DataType::kInt64: return {10, Kind::kInt64};
    case DataType::kBool: return {11, Kind::kBool};
    case DataType::kComplex128: return {12, Kind::kDouble};
    case DataType::kHalf:
    case DataType::kBfloat16: return {13, Kind::kInt32};
    case DataType::kResource: return {kResourceField, Kind::kMessage};
    case DataType::kUint32: return {16, Kind::kUint32};
    case DataType::kUint64: return {17, Kind::kUint64};
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E4M3FNUZ:
    case DataType::kFloat8E4M3B11FNUZ:
    case DataType::kFloat8E5M2FNUZ:
    case DataType::kFloat4E2M1FN: return {kFloat8Field, Kind::kString};
    default: return {0, Kind::kMessage};
  }
}

// The bits of a byte that a value of less than a byte uses (0: all), and whether the highest of them is a sign.
struct SubByte {
  unsigned char mask;
  unsigned char sign;
};
constexpr SubByte SubByteOf(DataType dtype) {
  switch (dtype) {
    case DataType::kInt4: return {0x0f, 0x08};
    case DataType::kUint4:
    case DataType::kFloat4E2M1FN: return {0x0f, 0};
    case DataType::kInt2: return {0x03, 0x02};
    case DataType::kUint2: return {0x03, 0};
    default: return {0, 0};
  }
}
constexpr unsigned char WrapSubByte(unsigned char byte, SubByte format) {
  return static_cast<unsigned char>(((byte & format.mask) ^ format.sign) - format.sign);
}

// Reads one TensorProto. Every step returns false when the bytes are no message (the reader knows why) or, with
// `status` set, when they make no tensor.
class TensorDecoder {
 public:
  TensorDecoder(Reader& reader, ParseContext& context) : reader_(reader), context_(context), again_(reader) {}

  bool Decode(Tensor* out) {
    std::string_view content;
    if (!ReadHeader(&content)) return false;
    if (!CheckHeader()) return false;
    elements_ = shape_.num_elements();
    if (elements_ == 0) {
      *out = Tensor(dtype_, shape_, nullptr);
      return true;
    }
    const bool plain = SizeOf(dtype_) != 0;
    if (!content.empty()) return plain ? TakePlainContent(content, out) : TakeObjectContent(content, out);
    if (!Allocate(out)) return false;
    switch (TypedFieldOf(dtype_).kind) {
      case Kind::kFloat: return TakeNumbers(4, out);
      case Kind::kDouble:
      case Kind::kInt64:
      case Kind::kUint64: return TakeNumbers(8, out);
      case Kind::kString: return dtype_ == DataType::kString ? TakeStrings(out) : TakeBytes(out);
      case Kind::kMessage: return TakeResources(out);
      default: break;
    }
    return TakeNumbers(SizeOf(dtype_) < 4 ? static_cast<std::size_t>(SizeOf(dtype_)) : 4, out);
  }

  const Status& status() const { return status_; }

 private:
  template <class... Args>
  TENON_COLD bool Fail(const Args&... args) {
    status_ = errors::InvalidArgument("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_, ": ",
                                      args...);
    return false;
  }

  bool ReadHeader(std::string_view* content) {
    for (Tag tag; reader_.ReadTag(&tag);) {
      if (tag.field == kDtypeField && tag.type == WireType::kVarint) {
        std::uint64_t value;
        if (!reader_.ReadVarint(&value)) return false;
        dtype_ = static_cast<DataType>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      } else if (tag.field == kShapeField && tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!reader_.Enter(&outer) || !ReadShape(reader_, &raw_shape_)) return false;
        reader_.Leave(outer);
      } else if (tag.field == kContentField && tag.type == WireType::kBytes) {
        if (!reader_.ReadBytes(content)) return false;
      } else {
        if (!reader_.Skip(tag)) return false;
      }
    }
    return reader_.ok();
  }

  bool CheckHeader() {
    if (dtype_ == DataType::kVariant) {
      status_ = errors::Unimplemented("TensorProto of shape ", raw_shape_, ": tensors of type variant cannot be read");
      return false;
    }
    if (TypedFieldOf(dtype_).number == 0) {
      return Fail(static_cast<std::int32_t>(dtype_), " is not the number of a dtype that a tensor can have");
    }
    if (Status s = MakeFullShape(raw_shape_, &shape_); !s.ok()) return Fail(s.message());
    return true;
  }

  // Takes `bytes` from what may be made out of nothing.
  bool Spend(std::uint64_t count, std::uint64_t bytes_each) {
    if (bytes_each == 0 || count <= context_.repeat_bytes / bytes_each) {
      context_.repeat_bytes -= count * bytes_each;
      return true;
    }
    status_ = errors::ResourceExhausted("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_,
                                        ": repeating a value over so many elements needs more than the ",
                                        context_.repeat_bytes, " bytes that are left for it");
    return false;
  }
  bool Allocate(Tensor* out) {
    // A value takes at least one byte of the message (a string two); what elements need beyond that is repetition.
    const std::uint64_t given = again_.remaining(), needed = static_cast<std::uint64_t>(elements_);
    if (needed > given && !Spend(needed - given, tenon::detail::ElementBytes(dtype_))) return false;
    Result<Tensor> made = Tensor::Make(dtype_, shape_);
    if (!made.ok()) {
      status_ = made.status();
      return false;
    }
    *out = *std::move(made);
    return true;
  }

  // ---- tensor_content
  bool TakePlainContent(std::string_view content, Tensor* out) {
    const auto element = static_cast<std::uint64_t>(SizeOf(dtype_));
    if (content.size() % element != 0 || content.size() / element != static_cast<std::uint64_t>(elements_)) {
      return Fail("tensor_content has ", content.size(), " bytes, expected ", elements_, " elements of ", element,
                  " bytes");
    }
    if (dtype_ == DataType::kBool) {
      for (const char c : content) {
        if (static_cast<unsigned char>(c) > 1)
          return Fail("tensor_content has a byte ", static_cast<int>(static_cast<unsigned char>(c)),
                      ", a bool is 0 or 1");
      }
    }
    const SubByte sub_byte = SubByteOf(dtype_);
    if (sub_byte.mask == 0 && CanView(content)) {
      *out = Tensor::ViewOf(context_.owner, dtype_, shape_, content.data());
      return true;
    }
    if (!Allocate(out)) return false;
    auto* to = static_cast<unsigned char*>(out->raw_data());
    std::memcpy(to, content.data(), content.size());
    if (sub_byte.mask != 0) {
      for (std::size_t i = 0; i < content.size(); ++i) to[i] = WrapSubByte(to[i], sub_byte);
    }
    return true;
  }
  // Inside the owner's memory, and aligned for the element type (not for more)?
  bool CanView(std::string_view content) const {
    if (context_.owner == nullptr) return false;
    const auto owner = reinterpret_cast<std::uintptr_t>(context_.owner->data());
    const auto data = reinterpret_cast<std::uintptr_t>(content.data());
    std::size_t alignment = static_cast<std::size_t>(SizeOf(dtype_));
    if (IsComplex(dtype_)) alignment /= 2;
    return data >= owner && data + content.size() <= owner + context_.owner->size() && data % alignment == 0;
  }
  // Strings and handles: the lengths of all, then the bytes of all.
  bool TakeObjectContent(std::string_view content, Tensor* out) {
    if (static_cast<std::uint64_t>(elements_) > content.size()) {
      return Fail("tensor_content has ", content.size(), " bytes, too few for the lengths of ", elements_, " elements");
    }
    Reader lengths(AsBytes(content));
    std::uint64_t total = 0;
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length;
      if (!lengths.ReadVarint(&length) || length > content.size())
        return Fail("tensor_content has no proper length for element ", i);
      total += length;
      if (total > content.size()) return Fail("tensor_content is too short for its elements");
    }
    if (total != lengths.remaining()) {
      return Fail("tensor_content has ", lengths.remaining(), " bytes after the lengths, expected ", total);
    }
    if (!Allocate(out)) return false;
    std::string_view rest = content.substr(lengths.offset());
    lengths = Reader(AsBytes(content));
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length = 0;
      static_cast<void>(lengths.ReadVarint(&length));
      const std::string_view item = rest.substr(0, static_cast<std::size_t>(length));
      rest.remove_prefix(item.size());
      if (dtype_ == DataType::kString) {
        out->data<tstring>()[i].assign(item);
      } else if (Status s = wire::Parse(AsBytes(item), out->data<ResourceHandle>() + i, ParseContext{}); !s.ok()) {
        return Fail("element ", i, ": ", s.message());
      }
    }
    return true;
  }

  // ---- typed fields
  // The next field `number` of the message; false at the end.
  bool Next(std::uint32_t number, Tag* tag) {
    while (again_.ReadTag(tag)) {
      if (tag->field == number) return true;
      if (!again_.Skip(*tag)) return false;
    }
    return false;
  }
  bool Finish() {  // after the second walk over the message
    if (again_.ok()) return true;
    reader_ = again_;
    return false;
  }

  // stored_bytes: what is kept of a number, 1, 2, 4 or 8; wider ones are cut. Complex numbers are pairs.
  bool TakeNumbers(std::size_t stored_bytes, Tensor* out) {
    const TypedField field = TypedFieldOf(dtype_);
    const std::size_t per_element = static_cast<std::size_t>(SizeOf(dtype_)) / stored_bytes;
    const std::size_t wanted = static_cast<std::size_t>(elements_) * per_element;
    auto* const to = static_cast<char*>(out->raw_data());
    std::size_t have = 0;
    for (Tag tag; Next(field.number, &tag);) {
      if (tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!again_.Enter(&outer)) break;
        while (!again_.AtEnd() && ReadStored(field.kind, stored_bytes, to, wanted, &have)) {
        }
        if (!again_.ok()) break;
        again_.Leave(outer);
      } else if (tag.type == WireTypeOf(field.kind)) {
        if (!ReadStored(field.kind, stored_bytes, to, wanted, &have)) break;
      } else if (!again_.Skip(tag)) {
        break;
      }
    }
    if (!Finish()) return false;
    if (const SubByte sub_byte = SubByteOf(dtype_); sub_byte.mask != 0) {
      auto* bytes = static_cast<unsigned char*>(out->raw_data());
      for (std::size_t i = 0; i < have; ++i) bytes[i] = WrapSubByte(bytes[i], sub_byte);
    }
    RepeatLast(to, static_cast<std::size_t>(SizeOf(dtype_)), have / per_element);
    return true;
  }
  bool ReadStored(Kind kind, std::size_t stored_bytes, char* to, std::size_t wanted, std::size_t* have) {
    std::uint64_t value = 0;
    if (kind == Kind::kFloat || kind == Kind::kDouble) {
      if (!ReadNumber(again_, kind, &value)) return false;
    } else {
      if (!again_.ReadVarint(&value)) return false;
      if (kind == Kind::kBool) value = value != 0 ? 1 : 0;
    }
    if (*have >= wanted) return true;
    to += (*have)++ * stored_bytes;
    switch (stored_bytes) {  // the low bytes come first (wire/reader.hpp)
      case 1: std::memcpy(to, &value, 1); break;
      case 2: std::memcpy(to, &value, 2); break;
      case 4: std::memcpy(to, &value, 4); break;
      default: std::memcpy(to, &value, 8);
    }
    return true;
  }
  // Elements from `have` on get the value before them, or zero if there is none.
  void RepeatLast(char* data, std::size_t element_bytes, std::size_t have) const {
    const std::size_t all = static_cast<std::size_t>(elements_) * element_bytes;
    std::size_t done = have * element_bytes;
    if (done >= all) return;
    if (done == 0) {
      std::memset(data, 0, all);
      return;
    }
    const char* const last = data + done - element_bytes;
    for (std::size_t run = element_bytes;
         done < all;) {  // doubles what is copied: [last, data + done) has only equal elements
      const std::size_t n = run < all - done ? run : all - done;
      std::memcpy(data + done, last, n);
      done += n;
      run = done - static_cast<std::size_t>(last - data);
    }
  }
  // float8_val: a byte an element. The last occurrence of the field counts.
  bool TakeBytes(Tensor* out) {
    std::string_view bytes;
    for (Tag tag; Next(kFloat8Field, &tag);) {
      if (tag.type == WireType::kBytes ? !again_.ReadBytes(&bytes) : !again_.Skip(tag)) break;
    }
    if (!Finish()) return false;
    auto* to = static_cast<unsigned char*>(out->raw_data());
    const std::size_t all = static_cast<std::size_t>(elements_), have = bytes.size() < all ? bytes.size() : all;
    if (have != 0) std::memcpy(to, bytes.data(), have);
    if (const SubByte sub_byte = SubByteOf(dtype_); sub_byte.mask != 0) {
      for (std::size_t i = 0; i < have; ++i) to[i] = WrapSubByte(to[i], sub_byte);
    }
    RepeatLast(reinterpret_cast<char*>(to), 1, have);
    return true;
  }
  bool TakeStrings(Tensor* out) {
    auto* const to = out->data<tstring>();
    Index have = 0;
    std::string_view text;
    for (Tag tag; Next(kStringField, &tag);) {
      if (tag.type != WireType::kBytes) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      if (!again_.ReadBytes(&text)) break;
      if (have < elements_) to[have++].assign(text);
    }
    if (!Finish()) return false;
    if (have == 0 || have == elements_) return true;
    const tstring& last = to[have - 1];
    if (last.size() > tstring::kSmallCapacity && !Spend(static_cast<std::uint64_t>(elements_ - have), last.size() + 16))
      return false;
    for (Index i = have; i < elements_; ++i) to[i] = last;
    return true;
  }
  // Handles are not repeated: elements without one stay empty.
  bool TakeResources(Tensor* out) {
    auto* const to = out->data<ResourceHandle>();
    Index have = 0;
    for (Tag tag; Next(kResourceField, &tag);) {
      if (tag.type != WireType::kBytes || have == elements_) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      Reader::Outer outer;
      if (!again_.Enter(&outer)) break;
      if (!ParseMessage(Schema<ResourceHandle>::message, again_, context_, to + have)) {
        std::swap(status_, context_.status);
        break;
      }
      again_.Leave(outer);
      ++have;
    }
    return Finish() && status_.ok();
  }

  Reader& reader_;
  ParseContext& context_;
  Reader again_;  // a second walk over the same message, for the values
  DataType dtype_ = DataType::kInvalid;
  RawShape raw_shape_;
  TensorShape shape_;
  Index elements_ = 0;
  Status status_;
};

}  // namespace detail

// Reads the rest of the reader's current message, a TensorProto. False when the bytes are no such message: the reader
// says why. Otherwise *status says whether they make a tensor.
inline bool ParseTensor(Reader& reader, ParseContext& context, Tensor* tensor, Status* status) {
  detail::TensorDecoder decoder(reader, context);
  const bool done = decoder.Decode(tensor);
  if (!done && decoder.status().ok()) return false;
  *status = decoder.status();
  return true;
}

}  // namespace wire

// How a tensor's values are written.
enum class TensorProtoForm {
  kAuto,  // raw bytes for more than one element, the typed field for one and for strings; long repetitions at the end
          // short
  kContent,  // tensor_content: raw bytes; strings and handles with their lengths before them
  kTyped,  // every element in the field of its type
};

namespace wire {
namespace detail {

// The number of elements to write when the last of them stands for all after it; 0 when all bytes are zero.
inline std::size_t CountWithoutRepetition(const char* data, std::size_t elements, std::size_t element_bytes) {
  const char* const last = data + (elements - 1) * element_bytes;
  std::size_t keep = elements;
  while (keep > 1 && std::memcmp(data + (keep - 2) * element_bytes, last, element_bytes) == 0) --keep;
  if (keep > 1) return keep;
  for (std::size_t i = 0; i < element_bytes; ++i) {
    if (last[i] != 0) return 1;
  }
  return 0;
}

template <class Stored>
void WriteTypedNumbers(Writer& writer, DataType dtype, const char* data, std::size_t count) {
  const TypedField field = TypedFieldOf(dtype);
  const bool is_signed =
      IsSigned(dtype) || (IsQuantized(dtype) && dtype != DataType::kQuint8 && dtype != DataType::kQuint16);
  const std::size_t end = writer.size();
  for (std::size_t i = count; i-- > 0;) {
    Stored value;
    std::memcpy(&value, data + i * sizeof value, sizeof value);
    if constexpr (std::is_same_v<Stored, float>) {
      writer.Fixed32(std::bit_cast<std::uint32_t>(value));
    } else if constexpr (std::is_same_v<Stored, double>) {
      writer.Fixed64(std::bit_cast<std::uint64_t>(value));
    } else if (is_signed) {
      writer.Varint(static_cast<std::uint64_t>(std::int64_t{static_cast<std::make_signed_t<Stored>>(value)}));
    } else {
      writer.Varint(value);
    }
  }
  if (writer.size() != end) writer.BytesTag(field.number, writer.size() - end);
}

inline void WriteTypedValues(Writer& writer, const Tensor& tensor, std::size_t count) {
  const char* const data = static_cast<const char*>(tensor.raw_data());
  const DataType dtype = tensor.dtype();
  const std::size_t numbers = IsComplex(dtype) ? 2 * count : count;
  switch (TypedFieldOf(dtype).kind) {
    case Kind::kFloat: return WriteTypedNumbers<float>(writer, dtype, data, numbers);
    case Kind::kDouble: return WriteTypedNumbers<double>(writer, dtype, data, numbers);
    case Kind::kInt64:
    case Kind::kUint64: return WriteTypedNumbers<std::uint64_t>(writer, dtype, data, count);
    case Kind::kString:
      if (dtype == DataType::kString) {
        for (std::size_t i = count; i-- > 0;) {
          const std::string_view text = tensor.data<tstring>()[i];
          writer.Bytes(text);
          writer.BytesTag(kStringField, text.size());
        }
      } else if (count != 0) {
        writer.Bytes(data, count);
        writer.BytesTag(kFloat8Field, count);
      }
      return;
    case Kind::kMessage:
      for (std::size_t i = count; i-- > 0;) {
        const std::size_t end = writer.size();
        SerializeMessage(Schema<ResourceHandle>::message, writer, tensor.data<ResourceHandle>() + i);
        writer.BytesTag(kResourceField, writer.size() - end);
      }
      return;
    default: break;
  }
  switch (SizeOf(dtype)) {
    case 1: return WriteTypedNumbers<std::uint8_t>(writer, dtype, data, count);
    case 2: return WriteTypedNumbers<std::uint16_t>(writer, dtype, data, count);
    default: return WriteTypedNumbers<std::uint32_t>(writer, dtype, data, count);
  }
}

inline void WriteContent(Writer& writer, const Tensor& tensor, std::size_t count) {
  const std::size_t end = writer.size();
  if (SizeOf(tensor.dtype()) != 0) {
    writer.Bytes(tensor.raw_data(), count * static_cast<std::size_t>(SizeOf(tensor.dtype())));
  } else {
    SlimVector<std::size_t> lengths(count);
    for (std::size_t i = count; i-- > 0;) {
      const std::size_t item_end = writer.size();
      if (tensor.dtype() == DataType::kString) {
        writer.Bytes(tensor.data<tstring>()[i].view());
      } else {
        SerializeMessage(Schema<ResourceHandle>::message, writer, tensor.data<ResourceHandle>() + i);
      }
      lengths[i] = writer.size() - item_end;
    }
    for (std::size_t i = count; i-- > 0;) writer.Varint(lengths[i]);
  }
  writer.BytesTag(kContentField, writer.size() - end);
}

inline void WriteValues(Writer& writer, const Tensor& tensor, TensorProtoForm form) {
  const auto count = static_cast<std::size_t>(tensor.NumElements());
  if (count == 0 || tensor.raw_data() == nullptr || TypedFieldOf(tensor.dtype()).number == 0) return;
  if (form == TensorProtoForm::kContent) return WriteContent(writer, tensor, count);
  const auto element = static_cast<std::size_t>(SizeOf(tensor.dtype()));
  if (form == TensorProtoForm::kTyped || element == 0) return WriteTypedValues(writer, tensor, count);
  const std::size_t keep = CountWithoutRepetition(static_cast<const char*>(tensor.raw_data()), count, element);
  // A varint has up to ten bytes: typed values are worth it when few are left.
  if (count == 1 || keep == 0 || keep * 10 <= count * element / 2) {
    return WriteTypedValues(writer, tensor, count == 1 ? 1 : keep);
  }
  WriteContent(writer, tensor, count);
}

}  // namespace detail

// Writes a TensorProto's fields. The tensor's memory must be accessible to the host; elements without memory are
// written as none, which reads back as zeros.
inline void SerializeTensor(Writer& writer, const Tensor& tensor, TensorProtoForm form) {
  detail::WriteValues(writer, tensor, form);
  const std::size_t end = writer.size();
  detail::WriteShape(writer, tensor.shape().dim_sizes(), false);
  writer.BytesTag(detail::kShapeField, writer.size() - end);
  if (tensor.dtype() != DataType::kInvalid) {
    writer.Varint(static_cast<std::uint64_t>(tensor.dtype()));
    writer.FieldTag(detail::kDtypeField, WireType::kVarint);
  }
}

template <>
struct Schema<Tensor> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    return ParseTensor(reader, context, static_cast<Tensor*>(object), &context.status) && context.status.ok();
  }
  static void Serialize(Writer& writer, const void* object) {
    SerializeTensor(writer, *static_cast<const Tensor*>(object), TensorProtoForm::kAuto);
  }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

}  // namespace wire

// The tensor in a serialised TensorProto. With an owner of the bytes, tensor_content that is aligned for its element
// type becomes a view (the tensor keeps the owner alive); otherwise values are copied. DataLoss when the bytes are no
// TensorProto, InvalidArgument when they make no tensor, ResourceExhausted when one value repeated needs more than
// `repeat_bytes` bytes or memory is out, Unimplemented for variants.
inline Result<Tensor> TensorFromProto(std::span<const std::byte> bytes, Buffer* owner = nullptr,
                                      std::uint64_t repeat_bytes = std::uint64_t{1} << 31) {
  Tensor tensor;
  wire::ParseContext context;
  context.owner = owner;
  context.repeat_bytes = repeat_bytes;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &tensor, std::move(context)));
  return tensor;
}
// Appends to *out.
inline void TensorToProto(const Tensor& tensor, std::string* out, TensorProtoForm form = TensorProtoForm::kAuto) {
  wire::Writer writer;
  wire::SerializeTensor(writer, tensor, form);
  writer.AppendTo(out);
}

// A TensorShapeProto. InvalidArgument with TensorFlow's texts when its numbers are no shape.
inline Result<PartialTensorShape> PartialShapeFromProto(std::span<const std::byte> bytes) {
  PartialTensorShape shape;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &shape));
  return shape;
}
// The same for a shape that must be known; the flag for an unknown rank is ignored, as TensorFlow does.
inline Result<TensorShape> ShapeFromProto(std::span<const std::byte> bytes) {
  wire::Reader reader(bytes);
  wire::detail::RawShape raw;
  if (!wire::detail::ReadShape(reader, &raw)) return reader.status("TensorShapeProto");
  TensorShape shape;
  TENON_RETURN_IF_ERROR(wire::detail::MakeFullShape(raw, &shape));
  return shape;
}
// Appends to *out.
inline void ShapeToProto(const PartialTensorShape& shape, std::string* out) { wire::SerializeTo(shape, out); }

TENON_NAMESPACE_END

// ---- tenon/wire/tensor_proto_util.hpp ----
// Serialised TensorProtos: one made from values, and the compression that TensorFlow applies to the constants of a
// graph. tensor_proto.hpp reads and writes Tensors.
TENON_NAMESPACE_BEGIN

namespace wire {
namespace detail {

// What is compressed: numbers and bool, but for those of a byte or less that TensorFlow got later.
inline constexpr DataTypeSet kCompressedTypes =
    kRealNumberTypes | kComplexTypes | kQuantizedTypes | ToSet(DataType::kBool);

// Bytes of one entry of the typed field in protobuf's memory, which is what TensorFlow's thresholds count.
constexpr Index FieldEntryBytes(Kind kind) {
  switch (kind) {
    case Kind::kBool: return 1;
    case Kind::kInt64:
    case Kind::kUint64:
    case Kind::kDouble: return 8;
    default: return 4;
  }
}

// Are the bytes a zero, whatever its sign (of both parts of a complex number)?
inline bool IsAnyZero(DataType dtype, const char* element) {
  const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
  const std::size_t part = IsComplex(dtype) ? bytes / 2 : bytes;
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool has_sign = (IsFloating(dtype) || IsComplex(dtype)) && i % part == part - 1;
    if ((static_cast<unsigned char>(element[i]) & (has_sign ? 0x7f : 0xff)) != 0) return false;
  }
  return true;
}

// TensorFlow compares entries bit by bit, but half and bfloat16 by value.
inline bool SameEntries(DataType dtype, const char* a, const char* b, bool keep_bits) {
  const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
  const bool same = std::memcmp(a, b, bytes) == 0;
  if (keep_bits || (dtype != DataType::kHalf && dtype != DataType::kBfloat16)) return same;
  if (!same) return IsAnyZero(dtype, a) && IsAnyZero(dtype, b);
  std::uint16_t bits;
  std::memcpy(&bits, a, sizeof bits);
  return (bits & 0x7fff) <= (dtype == DataType::kHalf ? 0x7c00 : 0x7f80);  // above: NaN, which equals nothing
}

// before / ratio in the arithmetic that TensorFlow does it in.
inline Index CompressionLimit(Index before, float ratio) {
  const float limit = static_cast<float>(before) / ratio;
  if (!(limit > 0)) return 0;
  return limit >= 9.0e18f ? Index{9'000'000'000'000'000'000} : static_cast<Index>(limit);
}

// A TensorProto taken apart into what compression changes and all other fields, which stay as they are.
class ProtoCompressor {
 public:
  ProtoCompressor(Index min_elements, float min_ratio, bool keep_bits)
      : min_elements_(min_elements), min_ratio_(min_ratio), keep_bits_(keep_bits) {}

  // True if there is something to Write.
  Result<bool> Compress(std::string_view proto) {
    TENON_RETURN_IF_ERROR(ReadHeader(proto));
    if (!kCompressedTypes.contains(dtype_)) return false;
    TensorShape shape;
    if (Status s = MakeFullShape(raw_shape_, &shape); !s.ok()) {
      return errors::InvalidArgument("CompressTensorProtoInPlace: ", s.message());
    }
    elements_ = shape.num_elements();
    if (elements_ < min_elements_) return false;
    if (!content_.empty()) return CompressContent();
    TENON_RETURN_IF_ERROR(ReadEntries(proto));
    return CompressEntries();
  }

  // The compressed message. Fields in the order of their numbers, as protobuf writes them.
  std::string Write(std::string_view proto) const {
    std::string typed, content;
    if (keep_ != 0) {
      Writer writer;
      // Only read from, and packed: the address of the bytes may be any.
      const Tensor view =
          Tensor::FromMemory(dtype_, TensorShape{static_cast<Index>(keep_)}, const_cast<char*>(values_));
      WriteTypedValues(writer, view, keep_);
      writer.AppendTo(&typed);
    } else if (!made_content_.empty()) {
      Writer writer;
      writer.Bytes(made_content_);
      writer.BytesTag(kContentField, made_content_.size());
      writer.AppendTo(&content);
    }
    const std::uint32_t number = TypedFieldOf(dtype_).number;
    std::string out;
    for (std::uint32_t next = 0; next <= kLastField; ++next) {
      if (next == kContentField) out += content;
      if (next == number) out += typed;
      AppendFields(proto, next, number, &out);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t kLastField = kFloat8Field + 1;  // stands for all that follow

  Status ReadHeader(std::string_view proto) {
    Reader reader(AsBytes(proto));
    for (Tag tag; reader.ReadTag(&tag);) {
      std::uint64_t value = 0;
      if (tag.field == kDtypeField && tag.type == WireType::kVarint) {
        if (!reader.ReadVarint(&value)) break;
        dtype_ = static_cast<DataType>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      } else if (tag.field == kShapeField && tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!reader.Enter(&outer) || !ReadShape(reader, &raw_shape_)) break;
        reader.Leave(outer);
      } else if (tag.field == kContentField && tag.type == WireType::kBytes) {
        if (!reader.ReadBytes(&content_)) break;
      } else if (!reader.Skip(tag)) {
        break;
      }
    }
    return reader.status("TensorProto");
  }

  // All entries of the typed field, cut to the element type.
  Status ReadEntries(std::string_view proto) {
    const TypedField field = TypedFieldOf(dtype_);
    Reader reader(AsBytes(proto));
    for (Tag tag; reader.ReadTag(&tag);) {
      if (tag.field != field.number || (tag.type != WireType::kBytes && tag.type != WireTypeOf(field.kind))) {
        if (!reader.Skip(tag)) break;
      } else if (tag.type != WireType::kBytes) {
        if (!ReadEntry(reader, field.kind)) break;
      } else {
        Reader::Outer outer;
        if (!reader.Enter(&outer)) break;
        while (!reader.AtEnd() && ReadEntry(reader, field.kind)) {
        }
        if (!reader.ok()) break;
        reader.Leave(outer);
      }
    }
    return reader.status("TensorProto");
  }
  bool ReadEntry(Reader& reader, Kind kind) {
    std::uint64_t wide = 0;  // the low bytes of a number are its first
    if (kind == Kind::kFloat || kind == Kind::kDouble) {
      if (!ReadNumber(reader, kind, &wide)) return false;
    } else if (!reader.ReadVarint(&wide)) {
      return false;
    }
    if (kind == Kind::kBool) wide = wide != 0 ? 1 : 0;
    const auto bytes = static_cast<std::size_t>(IsComplex(dtype_) ? SizeOf(dtype_) / 2 : SizeOf(dtype_));
    entries_.append(reinterpret_cast<const char*>(&wide), bytes);
    return true;
  }

  // tensor_content -> the typed field, without the repetitions at the end.
  bool CompressContent() {
    const auto bytes = static_cast<std::size_t>(SizeOf(dtype_));
    if (content_.size() % bytes != 0 || static_cast<Index>(content_.size() / bytes) != elements_) return false;
    const std::size_t last = content_.size() - bytes;
    std::size_t keep = static_cast<std::size_t>(elements_);
    while (keep > 1 && std::memcmp(content_.data() + (keep - 2) * bytes, content_.data() + last, bytes) == 0) --keep;
    if (keep == 1 && IsDropped(content_.data(), keep_bits_)) return true;
    const TypedField field = TypedFieldOf(dtype_);
    const Index numbers = static_cast<Index>(keep) * (IsComplex(dtype_) ? 2 : 1);
    if (numbers * FieldEntryBytes(field.kind) > CompressionLimit(static_cast<Index>(content_.size()), min_ratio_)) {
      return false;
    }
    values_ = content_.data();
    keep_ = keep;
    return true;
  }

  // The typed field, shorter, or tensor_content, whatever takes less.
  bool CompressEntries() {
    const auto bytes = static_cast<std::size_t>(SizeOf(dtype_));
    const std::size_t count = entries_.size() / bytes;
    if (count == 0) return false;
    const char *const data = entries_.data(), *const last = data + (count - 1) * bytes;
    std::size_t keep = count;
    while (keep > 1 && SameEntries(dtype_, data + (keep - 2) * bytes, last, keep_bits_)) --keep;
    if (keep == 1 && IsDropped(last, true)) return true;
    const Index entry = FieldEntryBytes(TypedFieldOf(dtype_).kind);  // once for a complex number, as TensorFlow
    const Index as_field = static_cast<Index>(keep) * entry;
    const Index product = MultiplyWithoutOverflow(elements_, static_cast<Index>(bytes));
    const bool shorter = product < 0 || as_field <= product;
    if ((shorter ? as_field : product) > CompressionLimit(static_cast<Index>(count) * entry, min_ratio_)) return false;
    if (shorter) {
      values_ = data;
      keep_ = keep;
      return true;
    }
    const std::size_t all = static_cast<std::size_t>(product), given = count * bytes < all ? count * bytes : all;
    made_content_.assign(data, given);
    made_content_.resize(all, '\0');
    if (count == 1 || keep_bits_) {
      for (std::size_t at = given; at < all; at += bytes) std::memcpy(&made_content_[at], last, bytes);
    }
    return true;
  }
  // Needs no value, as all that is not there is zero? `exact`: only without a sign.
  bool IsDropped(const char* element, bool exact) const {
    if (!exact) return IsAnyZero(dtype_, element);
    for (int i = 0; i < SizeOf(dtype_); ++i) {
      if (element[i] != 0) return false;
    }
    return true;
  }

  // Fields number `wanted` (kLastField: all from there on) that stay.
  static void AppendFields(std::string_view proto, std::uint32_t wanted, std::uint32_t typed, std::string* out) {
    Reader reader(AsBytes(proto));
    std::size_t start = 0;
    for (Tag tag; reader.ReadTag(&tag) && reader.Skip(tag); start = reader.offset()) {
      if ((tag.field < kLastField ? tag.field : kLastField) != wanted) continue;
      if (tag.field != kContentField && tag.field != typed) out->append(proto.substr(start, reader.offset() - start));
    }
  }

  Index min_elements_;
  float min_ratio_;
  bool keep_bits_;
  DataType dtype_ = DataType::kInvalid;
  RawShape raw_shape_;
  Index elements_ = 0;
  std::string_view content_;
  std::string entries_;
  const char* values_ = nullptr;  // what goes to the typed field
  std::size_t keep_ = 0;          // elements of it
  std::string made_content_;
};

}  // namespace detail
}  // namespace wire

// A serialised TensorProto with every value in the field of its type. InvalidArgument if there are not as many values
// as the shape has elements.
template <class T>
  requires ElementType<T>
Result<std::string> CreateTensorProto(std::span<const T> values, const TensorShape& shape) {
  if (static_cast<std::uint64_t>(values.size()) != static_cast<std::uint64_t>(shape.num_elements())) {
    return errors::InvalidArgument("CreateTensorProto: Shape and number of values (", values.size(),
                                   ") are incompatible. Shape ", shape, " has ", shape.num_elements(), " elements");
  }
  std::string proto;
  const void* const data = values.data();
  TensorToProto(Tensor::FromMemory(dtype_of_v<T>, shape, const_cast<void*>(data)), &proto, TensorProtoForm::kTyped);
  return proto;
}
// The same for texts of other types: std::string, std::string_view, const char*.
template <class Text>
  requires(!ElementType<Text> && std::is_convertible_v<const Text&, std::string_view>)
Result<std::string> CreateTensorProto(std::span<const Text> texts, const TensorShape& shape) {
  SlimVector<tstring> views(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) views[i].assign_as_view(std::string_view(texts[i]));
  return CreateTensorProto(std::span<const tstring>(views.data(), views.size()), shape);
}
template <class T>
Result<std::string> CreateTensorProto(std::initializer_list<T> values, const TensorShape& shape) {
  return CreateTensorProto(std::span<const T>(values.begin(), values.size()), shape);
}

// Makes a serialised TensorProto smaller, with TensorFlow's outcomes: repetitions at the end go, since the last value
// stands for all that follow; zeros need no value at all; a typed field that is larger than the raw bytes becomes
// tensor_content. False, and nothing done, for fewer than min_elements elements, if it would not become min_ratio times
// smaller in TensorFlow's memory, and for types other than numbers and bool (string, resource, float8, int4...).
// TensorFlow does not always keep the bits: a tensor_content of nothing but -0.0 becomes 0.0, a mixture of half zeros
// is one, and of an already shortened field that becomes tensor_content the values left out become 0. `keep_bits`
// avoids all three. DataLoss when the bytes are no TensorProto, InvalidArgument when its shape is none.
//
//   TENON_ASSIGN_OR_RETURN(std::string proto, CreateTensorProto<float>(values, {1000}));
//   TENON_ASSIGN_OR_RETURN(const bool smaller, CompressTensorProtoInPlace(&proto));
inline Result<bool> CompressTensorProtoInPlace(std::string* proto, Index min_elements = 64, float min_ratio = 2.0f,
                                               bool keep_bits = false) {
  wire::detail::ProtoCompressor compressor(min_elements, min_ratio, keep_bits);
  Result<bool> smaller = compressor.Compress(*proto);
  if (smaller.ok() && *smaller) {
    std::string made = compressor.Write(*proto);  // refers to *proto
    *proto = std::move(made);
  }
  return smaller;
}

TENON_NAMESPACE_END

// ---- tenon/base/sorted_order.hpp ----
// SortedOrder: sorts numbers of items instead of items, so that one sort serves all types.
TENON_NAMESPACE_BEGIN

namespace detail {

TENON_NOINLINE inline SlimVector<std::size_t> SortNumbers(std::size_t count,
                                                          bool (*less)(const void*, std::size_t, std::size_t),
                                                          const void* context) {
  struct Before {
    bool (*less)(const void*, std::size_t, std::size_t);
    const void* context;
    bool operator()(std::size_t a, std::size_t b) const {
      if (less(context, a, b)) return true;
      return a < b && !less(context, b, a);
    }
  };
  SlimVector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), Before{less, context});
  return order;
}

}  // namespace detail

// 0 .. count - 1, ordered by less(i, j); equal ones stay in their order.
template <class Less>
SlimVector<std::size_t> SortedOrder(std::size_t count, const Less& less) {
  return detail::SortNumbers(
      count,
      [](const void* context, std::size_t a, std::size_t b) { return (*static_cast<const Less*>(context))(a, b); },
      &less);
}

TENON_NAMESPACE_END

// ---- tenon/op/attr_value.hpp ----
// AttrValue: the value of an op's attr in a node: a number, text, dtype, shape, tensor, function, placeholder, or a
// list of such. AttrMap: a node's attrs, sorted by name. Plain data; what they mean to an op is decided elsewhere.
TENON_NAMESPACE_BEGIN

struct AttrList;
struct NameAttrList;
class AttrValue;

namespace detail {
// A value behind one pointer, shared by the copies of an AttrValue until one of them is changed. A shape or tensor that
// could not be made from its serialised form keeps that form and the reason.
template <class T>
struct SharedAttr;

// Sorts by key; of several values with one key the last stays.
template <class K, class V>
void SortByKey(SlimVector<std::pair<K, V>>* items) {
  SlimVector<std::pair<K, V>>& all = *items;
  std::size_t sorted = 1;
  while (sorted < all.size() && all[sorted - 1].first < all[sorted].first) ++sorted;
  if (sorted >= all.size()) return;
  const SlimVector<std::size_t> order =
      SortedOrder(all.size(), [&all](std::size_t a, std::size_t b) { return all[a].first < all[b].first; });
  SlimVector<std::pair<K, V>> ordered;
  ordered.reserve(all.size());
  for (const std::size_t i : order) {
    if (!ordered.empty() && ordered.back().first == all[i].first) ordered.pop_back();
    ordered.push_back(std::move(all[i]));
  }
  all.swap(ordered);
}
}  // namespace detail

// externally synchronised. Copies of large values (lists, tensors, functions) share them.
//
//   AttrValue value = DataType::kFloat;
//   DataType type;
//   TENON_RETURN_IF_ERROR(value.Get("T", &type));
class AttrValue {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kString,
    kInt,
    kFloat,
    kBool,
    kType,
    kShape,
    kTensor,
    kFunc,
    kPlaceholder,
    kList
  };

  AttrValue() noexcept : kind_(Kind::kNone), i_(0) {}
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();

  // From the value itself.
  AttrValue(std::string text) : kind_(Kind::kString) { ::new (static_cast<void*>(&s_)) std::string(std::move(text)); }
  AttrValue(std::string_view text) : AttrValue(std::string(text)) {}
  AttrValue(const char* text) : AttrValue(std::string(text)) {}
  template <std::same_as<bool> T>
  AttrValue(T value) : kind_(Kind::kBool), i_(0) {
    b_ = value;
  }
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  AttrValue(T value) : kind_(Kind::kInt), i_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  AttrValue(T value) : kind_(Kind::kFloat), i_(0) {
    f_ = static_cast<float>(value);
  }
  AttrValue(DataType type) : kind_(Kind::kType), i_(0) { type_ = type; }
  AttrValue(PartialTensorShape shape);
  AttrValue(const TensorShape& shape) : AttrValue(PartialTensorShape(shape)) {}
  AttrValue(Tensor tensor);
  AttrValue(NameAttrList function);
  AttrValue(AttrList list);
  template <class List>
    requires requires(const List& items) {
      typename List::value_type;
      items.begin();
      items.size();
    }
  AttrValue(const List& items);  // std::vector, std::span, SlimVector of AttrList's element types
  // The name of an attr of the enclosing function whose value goes here.
  static AttrValue Placeholder(std::string name);
  // A serialised TensorShapeProto or TensorProto that has no value, and why. It stays in the graph and is written as it
  // came; Get gives the reason.
  static AttrValue UndecodedShape(std::string proto, Status why);
  static AttrValue UndecodedTensor(std::string proto, Status why);

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ != Kind::kNone; }

  // The value where kind() says so; otherwise zero, "", an empty list...
  const std::string& s() const;
  std::int64_t i() const { return kind_ == Kind::kInt ? i_ : 0; }
  float f() const { return kind_ == Kind::kFloat ? f_ : 0.0f; }
  bool b() const { return kind_ == Kind::kBool && b_; }
  DataType type() const { return kind_ == Kind::kType ? type_ : DataType::kInvalid; }
  const PartialTensorShape& shape() const;
  const Tensor& tensor() const;
  const NameAttrList& func() const;
  const std::string& placeholder() const;
  const AttrList& list() const;

  // OK but for an undecoded shape or tensor, whose serialised form undecoded() then is.
  const Status& decode_status() const;
  std::string_view undecoded() const;

  // The value to be changed; becomes an empty one of that kind when it is of another.
  std::string* mutable_s();
  PartialTensorShape* mutable_shape();
  Tensor* mutable_tensor();
  NameAttrList* mutable_func();
  AttrList* mutable_list();
  std::string* mutable_placeholder();

  // The value as a T: std::int64_t, int, float, bool, std::string, std::string_view, DataType, PartialTensorShape,
  // TensorShape, Tensor, NameAttrList, const NameAttrList*; std::vector or SlimVector of these (appends to it) or
  // std::span<const T> of AttrList's element types. string_view, pointer and span point into this value.
  // InvalidArgument, naming `attr_name`, when it is of another kind or does not fit. An unset value reads as an empty
  // list.
  template <class T>
  Status Get(std::string_view attr_name, T* out) const;

  // Tensors are equal when dtype, shape and bytes are.
  friend bool operator==(const AttrValue& a, const AttrValue& b);

 private:
  friend struct AttrValueAccess;  // op/proto_io.hpp

  bool holds_text() const { return kind_ == Kind::kString || kind_ == Kind::kPlaceholder; }
  bool holds_shared() const { return kind_ >= Kind::kShape && !holds_text(); }
  void Reset() {
    if (holds_text()) {
      s_.~basic_string();
    } else if (holds_shared()) {
      held_->Unref();
    }
    kind_ = Kind::kNone;
    i_ = 0;
  }
  template <class T>
  static AttrValue Hold(Kind kind, T value);
  template <class T>
  static AttrValue Undecoded(Kind kind, std::string proto, Status why);
  template <class T>
  const detail::SharedAttr<T>* Held() const;
  template <class T>
  T* MutableHeld(Kind kind);
  std::string* MutableText(Kind kind) {
    if (kind_ != kind) {
      Reset();
      ::new (static_cast<void*>(&s_)) std::string();
      kind_ = kind;
    }
    return &s_;
  }

  Kind kind_;
  union {
    std::int64_t i_;
    float f_;
    bool b_;
    DataType type_;
    std::string s_;  // kString, kPlaceholder
    const RefCounted* held_;  // kShape, kTensor, kFunc, kList: a SharedAttr
  };
};

// The attrs of a node: a vector sorted by name. externally synchronised.
class AttrMap {
 public:
  using value_type = std::pair<std::string, AttrValue>;
  using const_iterator = SlimVector<value_type>::const_iterator;

  AttrMap() = default;
  // The last of several values with one name counts.
  AttrMap(std::initializer_list<value_type> items);

  // The value of an attr, or null.
  const AttrValue* Find(std::string_view name) const;
  AttrValue* Find(std::string_view name);
  bool contains(std::string_view name) const { return Find(name) != nullptr; }
  // Adds the attr or overwrites it.
  void Set(std::string name, AttrValue value);
  // Adds the attr unless it is there already; false then.
  bool Insert(std::string name, AttrValue value);
  // The value of an attr, which is added without a value when it is not there.
  AttrValue& operator[](std::string_view name);
  // False if there was none.
  bool erase(std::string_view name);
  void clear();
  void reserve(std::size_t count);

  const_iterator begin() const;
  const_iterator end() const;
  std::size_t size() const;
  bool empty() const;

  // For readers of files: any number of AppendUnsorted, then SortAppended, which keeps the last of equal names.
  value_type* AppendUnsorted();
  void SortAppended();

  friend bool operator==(const AttrMap& a, const AttrMap& b) { return a.items_ == b.items_; }

 private:
  std::size_t LowerBound(std::string_view name) const;

  SlimVector<value_type> items_;
};

// A function and the values of its attrs.
struct NameAttrList {
  std::string name;
  AttrMap attr;

  friend bool operator==(const NameAttrList&, const NameAttrList&) = default;
};

// A list: as a rule only one of the vectors has items.
struct AttrList {
  SlimVector<std::string> s;
  SlimVector<std::int64_t> i;
  SlimVector<float> f;
  SlimVector<char> b;  // 0 or 1
  SlimVector<DataType> type;
  SlimVector<PartialTensorShape> shape;
  SlimVector<Tensor> tensor;
  SlimVector<NameAttrList> func;

  friend bool operator==(const AttrList& a, const AttrList& b);
};

namespace detail {
template <class T>
bool SameObjects(const Tensor& a, const Tensor& b) {
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  for (Index k = 0; k < a.NumElements(); ++k) {
    if (!(x[k] == y[k])) return false;
  }
  return true;
}
}  // namespace detail

// The same dtype, shape and bytes; strings and handles element by element. NaN equals itself, 0.0 and -0.0 differ.
inline bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.NumElements() == 0 || a.raw_data() == b.raw_data()) return true;
  if (a.raw_data() == nullptr || b.raw_data() == nullptr) return false;
  if (a.dtype() == DataType::kString) return detail::SameObjects<tstring>(a, b);
  if (a.dtype() == DataType::kResource) return detail::SameObjects<ResourceHandle>(a, b);
  return IsPlain(a.dtype()) && std::memcmp(a.raw_data(), b.raw_data(), a.TotalBytes()) == 0;
}

// ---------------------------------------------------------------------------------------------------- AttrMap, inline

inline std::size_t AttrMap::LowerBound(std::string_view name) const {
  std::size_t first = 0;
  for (std::size_t count = items_.size(); count > 0;) {
    const std::size_t half = count / 2;
    if (std::string_view(items_[first + half].first) < name) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
inline AttrMap::AttrMap(std::initializer_list<value_type> items) {
  items_.reserve(items.size());
  for (const value_type& item : items) Set(item.first, item.second);
}
inline const AttrValue* AttrMap::Find(std::string_view name) const {
  const std::size_t i = LowerBound(name);
  return i < items_.size() && items_[i].first == name ? &items_[i].second : nullptr;
}
inline AttrValue* AttrMap::Find(std::string_view name) {
  const std::size_t i = LowerBound(name);
  return i < items_.size() && items_[i].first == name ? &items_[i].second : nullptr;
}
inline void AttrMap::Set(std::string name, AttrValue value) {
  const std::size_t i = LowerBound(name);
  if (i < items_.size() && items_[i].first == name) {
    items_[i].second = std::move(value);
  } else {
    items_.insert(items_.begin() + i, value_type(std::move(name), std::move(value)));
  }
}
inline bool AttrMap::Insert(std::string name, AttrValue value) {
  const std::size_t i = LowerBound(name);
  if (i < items_.size() && items_[i].first == name) return false;
  items_.insert(items_.begin() + i, value_type(std::move(name), std::move(value)));
  return true;
}
inline AttrValue& AttrMap::operator[](std::string_view name) {
  const std::size_t i = LowerBound(name);
  if (i == items_.size() || items_[i].first != name) {
    items_.insert(items_.begin() + i, value_type(name, AttrValue()));
  }
  return items_[i].second;
}
inline bool AttrMap::erase(std::string_view name) {
  const std::size_t i = LowerBound(name);
  if (i == items_.size() || items_[i].first != name) return false;
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
  return true;
}
inline void AttrMap::clear() { items_.clear(); }
inline void AttrMap::reserve(std::size_t count) { items_.reserve(count); }
inline AttrMap::const_iterator AttrMap::begin() const { return items_.begin(); }
inline AttrMap::const_iterator AttrMap::end() const { return items_.end(); }
inline std::size_t AttrMap::size() const { return items_.size(); }
inline bool AttrMap::empty() const { return items_.empty(); }
inline AttrMap::value_type* AttrMap::AppendUnsorted() { return &items_.emplace_back(); }
inline void AttrMap::SortAppended() { detail::SortByKey(&items_); }

// -------------------------------------------------------------------------------------------------- AttrValue, inline

namespace detail {
template <class T>
struct SharedAttr final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
  Status error;  // shapes and tensors: why there is no value
  std::string proto;  // and what there is instead
};
template <class T>
  requires(std::same_as<T, AttrList> || std::same_as<T, NameAttrList>)
struct SharedAttr<T> final : RefCounted {
  explicit SharedAttr(T v) : value(std::move(v)) {}
  T value;
};

// What a getter of an absent value refers to.
template <class T>
const T& EmptyAttr() {
  static const T* const empty = new T();
  return *empty;
}

// The C++ element type of a list attr -> its vector in AttrList and its name.
template <class T>
struct AttrElement;
#define TENON_DETAIL_ATTR_ELEMENT(T, member, text)                               \
  template <>                                                                    \
  struct AttrElement<T> {                                                        \
    static constexpr std::string_view name = text, list_name = "list(" text ")"; \
    static const SlimVector<T>& Of(const AttrList& list) { return list.member; } \
    static SlimVector<T>& Of(AttrList& list) { return list.member; }             \
  };
TENON_DETAIL_ATTR_ELEMENT(std::string, s, "string")
TENON_DETAIL_ATTR_ELEMENT(std::int64_t, i, "int")
TENON_DETAIL_ATTR_ELEMENT(float, f, "float")
TENON_DETAIL_ATTR_ELEMENT(char, b, "bool")
TENON_DETAIL_ATTR_ELEMENT(DataType, type, "type")
TENON_DETAIL_ATTR_ELEMENT(PartialTensorShape, shape, "shape")
TENON_DETAIL_ATTR_ELEMENT(Tensor, tensor, "tensor")
TENON_DETAIL_ATTR_ELEMENT(NameAttrList, func, "func")
#undef TENON_DETAIL_ATTR_ELEMENT

// How a T asked of Get, or given in a vector, is stored: Stored is an element type of AttrList.
template <class T>
struct AttrStorage {
  using Stored = T;
};
template <>
struct AttrStorage<int> {
  using Stored = std::int64_t;
};
template <>
struct AttrStorage<bool> {
  using Stored = char;
};
template <>
struct AttrStorage<std::string_view> {
  using Stored = std::string;
};
template <>
struct AttrStorage<const char*> {
  using Stored = std::string;
};
template <>
struct AttrStorage<TensorShape> {
  using Stored = PartialTensorShape;
};
template <>
struct AttrStorage<const NameAttrList*> {
  using Stored = NameAttrList;
};
}  // namespace detail

template <class T>
AttrValue AttrValue::Hold(Kind kind, T value) {
  AttrValue made;
  made.held_ = new detail::SharedAttr<T>(std::move(value));
  made.kind_ = kind;
  return made;
}
template <class T>
AttrValue AttrValue::Undecoded(Kind kind, std::string proto, Status why) {
  auto* held = new detail::SharedAttr<T>(T());
  held->error = std::move(why);
  held->proto = std::move(proto);
  AttrValue made;
  made.held_ = held;
  made.kind_ = kind;
  return made;
}
template <class T>
const detail::SharedAttr<T>* AttrValue::Held() const {
  return static_cast<const detail::SharedAttr<T>*>(held_);
}
template <class T>
T* AttrValue::MutableHeld(Kind kind) {
  if (kind_ != kind || !decode_status().ok()) {
    *this = Hold<T>(kind, T());
  } else if (!held_->RefCountIsOne()) {
    *this = Hold<T>(kind, T(Held<T>()->value));
  }
  return const_cast<T*>(&Held<T>()->value);
}

inline AttrValue::AttrValue(const AttrValue& other) : kind_(other.kind_), i_(0) {
  if (holds_text()) {
    ::new (static_cast<void*>(&s_)) std::string(other.s_);
  } else if (holds_shared()) {
    held_ = other.held_;
    held_->AddRef();
  } else {
    i_ = other.i_;
  }
}
inline AttrValue::AttrValue(AttrValue&& other) noexcept : kind_(other.kind_), i_(0) {
  if (holds_text()) {
    ::new (static_cast<void*>(&s_)) std::string(std::move(other.s_));
    other.Reset();
  } else if (holds_shared()) {
    held_ = other.held_;
    other.kind_ = Kind::kNone;
    other.i_ = 0;
  } else {
    i_ = other.i_;
  }
}
inline AttrValue& AttrValue::operator=(const AttrValue& other) {
  if (this != &other) *this = AttrValue(other);
  return *this;
}
inline AttrValue& AttrValue::operator=(AttrValue&& other) noexcept {
  if (this != &other) {
    AttrValue old(std::move(*this));  // destroyed last: `other` may lie inside it
    this->~AttrValue();
    ::new (static_cast<void*>(this)) AttrValue(std::move(other));
  }
  return *this;
}
inline AttrValue::~AttrValue() { Reset(); }

inline AttrValue::AttrValue(PartialTensorShape shape) : AttrValue(Hold(Kind::kShape, std::move(shape))) {}
inline AttrValue::AttrValue(Tensor tensor) : AttrValue(Hold(Kind::kTensor, std::move(tensor))) {}
inline AttrValue::AttrValue(NameAttrList function) : AttrValue(Hold(Kind::kFunc, std::move(function))) {}
inline AttrValue::AttrValue(AttrList list) : AttrValue(Hold(Kind::kList, std::move(list))) {}
template <class List>
  requires requires(const List& items) {
    typename List::value_type;
    items.begin();
    items.size();
  }
AttrValue::AttrValue(const List& items) : AttrValue() {
  auto& list =
      detail::AttrElement<typename detail::AttrStorage<typename List::value_type>::Stored>::Of(*mutable_list());
  list.reserve(items.size());
  for (const auto& item : items) list.emplace_back(item);
}
inline AttrValue AttrValue::Placeholder(std::string name) {
  AttrValue made(std::move(name));
  made.kind_ = Kind::kPlaceholder;
  return made;
}
inline AttrValue AttrValue::UndecodedShape(std::string proto, Status why) {
  return Undecoded<PartialTensorShape>(Kind::kShape, std::move(proto), std::move(why));
}
inline AttrValue AttrValue::UndecodedTensor(std::string proto, Status why) {
  return Undecoded<Tensor>(Kind::kTensor, std::move(proto), std::move(why));
}

inline const std::string& AttrValue::s() const {
  return kind_ == Kind::kString ? s_ : detail::EmptyAttr<std::string>();
}
inline const std::string& AttrValue::placeholder() const {
  return kind_ == Kind::kPlaceholder ? s_ : detail::EmptyAttr<std::string>();
}
inline const PartialTensorShape& AttrValue::shape() const {
  return kind_ == Kind::kShape ? Held<PartialTensorShape>()->value : detail::EmptyAttr<PartialTensorShape>();
}
inline const Tensor& AttrValue::tensor() const {
  return kind_ == Kind::kTensor ? Held<Tensor>()->value : detail::EmptyAttr<Tensor>();
}
inline const NameAttrList& AttrValue::func() const {
  return kind_ == Kind::kFunc ? Held<NameAttrList>()->value : detail::EmptyAttr<NameAttrList>();
}
inline const AttrList& AttrValue::list() const {
  return kind_ == Kind::kList ? Held<AttrList>()->value : detail::EmptyAttr<AttrList>();
}
inline const Status& AttrValue::decode_status() const {
  if (kind_ == Kind::kShape) return Held<PartialTensorShape>()->error;
  if (kind_ == Kind::kTensor) return Held<Tensor>()->error;
  return detail::EmptyAttr<Status>();
}
inline std::string_view AttrValue::undecoded() const {
  if (kind_ == Kind::kShape) return Held<PartialTensorShape>()->proto;
  if (kind_ == Kind::kTensor) return Held<Tensor>()->proto;
  return {};
}

inline std::string* AttrValue::mutable_s() { return MutableText(Kind::kString); }
inline std::string* AttrValue::mutable_placeholder() { return MutableText(Kind::kPlaceholder); }
inline PartialTensorShape* AttrValue::mutable_shape() { return MutableHeld<PartialTensorShape>(Kind::kShape); }
inline Tensor* AttrValue::mutable_tensor() { return MutableHeld<Tensor>(Kind::kTensor); }
inline NameAttrList* AttrValue::mutable_func() { return MutableHeld<NameAttrList>(Kind::kFunc); }
inline AttrList* AttrValue::mutable_list() { return MutableHeld<AttrList>(Kind::kList); }

inline bool operator==(const AttrList& a, const AttrList& b) {
  if (a.tensor.size() != b.tensor.size()) return false;
  for (std::size_t k = 0; k < a.tensor.size(); ++k) {
    if (!SameTensor(a.tensor[k], b.tensor[k])) return false;
  }
  if (a.f.size() != b.f.size() ||
      (!a.f.empty() && std::memcmp(a.f.data(), b.f.data(), a.f.size() * sizeof(float)) != 0))
    return false;
  return a.s == b.s && a.i == b.i && a.b == b.b && a.type == b.type && a.shape == b.shape && a.func == b.func;
}
inline bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.holds_shared() && a.held_ == b.held_) return true;
  if (a.undecoded() != b.undecoded() || a.decode_status().ok() != b.decode_status().ok()) return false;
  switch (a.kind_) {
    case AttrValue::Kind::kNone: return true;
    case AttrValue::Kind::kString:
    case AttrValue::Kind::kPlaceholder: return a.s_ == b.s_;
    case AttrValue::Kind::kInt: return a.i_ == b.i_;
    case AttrValue::Kind::kFloat: return std::memcmp(&a.f_, &b.f_, sizeof(float)) == 0;
    case AttrValue::Kind::kBool: return a.b_ == b.b_;
    case AttrValue::Kind::kType: return a.type_ == b.type_;
    case AttrValue::Kind::kShape: return a.shape() == b.shape();
    case AttrValue::Kind::kTensor: return SameTensor(a.tensor(), b.tensor());
    case AttrValue::Kind::kFunc: return a.func() == b.func();
    case AttrValue::Kind::kList: return a.list() == b.list();
  }
  return false;
}

// ------------------------------------------------------------------------------------------------------ types and Get

namespace detail {

TENON_COLD inline Status WrongAttrKind(std::string_view had, std::string_view expected) {
  return errors::InvalidArgument("AttrValue had value with type '", had, "' when '", expected, "' expected");
}
TENON_COLD inline Status ForAttr(const Status& status, std::string_view attr_name) {
  return status.WithAppended(StrCat(" for attr '", attr_name, "'"));
}

inline std::string_view AttrKindName(AttrValue::Kind kind) {
  constexpr std::string_view kNames[] = {"",      "string", "int",  "float",       "bool", "type",
                                         "shape", "tensor", "func", "placeholder", "list"};
  return kNames[static_cast<int>(kind)];
}

// The first type of item that the list has besides `expected` ("list(int)"), or "".
inline std::string_view OtherListType(const AttrList& list, std::string_view expected) {
  const std::pair<bool, std::string_view> has[] = {
      {!list.s.empty(), "list(string)"},      {!list.i.empty(), "list(int)"},     {!list.f.empty(), "list(float)"},
      {!list.b.empty(), "list(bool)"},        {!list.type.empty(), "list(type)"}, {!list.shape.empty(), "list(shape)"},
      {!list.tensor.empty(), "list(tensor)"}, {!list.func.empty(), "list(func)"}};
  for (const auto& [present, name] : has) {
    if (present && name != expected) return name;
  }
  return {};
}

inline Status CheckAttrDataType(DataType type, bool in_list) {
  if (!IsKnownType(type) && type != DataType::kInvalid) {
    return errors::InvalidArgument("AttrValue has invalid DataType enum: ", static_cast<std::int32_t>(type));
  }
  if (IsRefType(type)) return errors::InvalidArgument("AttrValue must not have reference type value of ", type);
  if (type == DataType::kInvalid) {
    return errors::InvalidArgument(in_list ? "AttrValue contains invalid DataType" : "AttrValue has invalid DataType");
  }
  return OkStatus();
}

}  // namespace detail

// Is the value of the type an OpDef spells as `type` ("int", "list(type)")? An empty list and an unset value pass as
// any list.
inline Status AttrValueHasType(const AttrValue& value, std::string_view type) {
  const bool want_list = StartsWith(type, "list(");
  switch (value.kind()) {
    case AttrValue::Kind::kNone:
      if (want_list) return OkStatus();
      return errors::InvalidArgument("AttrValue missing value with expected type '", type, "'");
    case AttrValue::Kind::kPlaceholder:
      return errors::InvalidArgument("AttrValue had value with unexpected type 'placeholder'");
    case AttrValue::Kind::kList:
      if (const std::string_view other = detail::OtherListType(value.list(), type); !other.empty()) {
        return detail::WrongAttrKind(other, type);
      }
      if (!want_list) return errors::InvalidArgument("AttrValue missing value with expected type '", type, "'");
      if (type == "list(type)") {
        for (const DataType t : value.list().type) TENON_RETURN_IF_ERROR(detail::CheckAttrDataType(t, true));
      }
      return OkStatus();
    default:
      if (detail::AttrKindName(value.kind()) != type)
        return detail::WrongAttrKind(detail::AttrKindName(value.kind()), type);
      return type == "type" ? detail::CheckAttrDataType(value.type(), false) : OkStatus();
  }
}

namespace detail {

// One stored element as what the caller wants.
inline Status ConvertAttr(std::int64_t from, std::int64_t* to) { return *to = from, OkStatus(); }
inline Status ConvertAttr(std::int64_t from, int* to) {
  if (from < std::numeric_limits<int>::min() || from > std::numeric_limits<int>::max()) {
    return errors::InvalidArgument("value ", from, " out of range for an int32");
  }
  return *to = static_cast<int>(from), OkStatus();
}
inline Status ConvertAttr(char from, bool* to) { return *to = from != 0, OkStatus(); }
inline Status ConvertAttr(const std::string& from, std::string_view* to) { return *to = from, OkStatus(); }
inline Status ConvertAttr(const PartialTensorShape& from, TensorShape* to) {
  if (from.AsTensorShape(to)) return OkStatus();
  return errors::InvalidArgument("Shape ", from, " is not fully defined");
}
inline Status ConvertAttr(const NameAttrList& from, const NameAttrList** to) { return *to = &from, OkStatus(); }
template <class T>
Status ConvertAttr(const T& from, T* to) {
  return *to = from, OkStatus();
}

// A value that is of the right kind.
inline std::int64_t StoredAttr(const AttrValue& v, const std::int64_t*) { return v.i(); }
inline float StoredAttr(const AttrValue& v, const float*) { return v.f(); }
inline char StoredAttr(const AttrValue& v, const char*) { return v.b() ? 1 : 0; }
inline DataType StoredAttr(const AttrValue& v, const DataType*) { return v.type(); }
inline const std::string& StoredAttr(const AttrValue& v, const std::string*) { return v.s(); }
inline const PartialTensorShape& StoredAttr(const AttrValue& v, const PartialTensorShape*) { return v.shape(); }
inline const Tensor& StoredAttr(const AttrValue& v, const Tensor*) { return v.tensor(); }
inline const NameAttrList& StoredAttr(const AttrValue& v, const NameAttrList*) { return v.func(); }

TENON_COLD inline Status UndecodedAttr(const AttrValue& value, std::string_view attr_name) {
  return Status(value.decode_status().code(),
                StrCat("Attr '", attr_name, "' has a value that can't be converted to a ",
                       value.kind() == AttrValue::Kind::kTensor ? "Tensor" : "TensorShape", ": ",
                       value.decode_status().message()));
}

template <class T>
struct AttrGetter {  // a single value
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, T* out) {
    if (Status s = AttrValueHasType(value, AttrElement<Stored>::name); !s.ok()) return ForAttr(s, attr_name);
    if (!value.decode_status().ok()) return UndecodedAttr(value, attr_name);
    Status s = ConvertAttr(StoredAttr(value, static_cast<const Stored*>(nullptr)), out);
    return s.ok() ? s : Status(s.code(), StrCat("Attr ", attr_name, " has ", s.message()));
  }
};
template <class List>
  requires(!std::same_as<List, std::string>) && GrowableListOf<List, typename List::value_type>
struct AttrGetter<List> {
  using T = typename List::value_type;
  using Stored = typename AttrStorage<T>::Stored;
  static Status Get(const AttrValue& value, std::string_view attr_name, List* out) {
    if (Status s = AttrValueHasType(value, AttrElement<Stored>::list_name); !s.ok()) return ForAttr(s, attr_name);
    const SlimVector<Stored>& list = AttrElement<Stored>::Of(value.list());
    out->reserve(out->size() + list.size());
    for (const Stored& item : list) {
      T converted{};
      if (Status s = ConvertAttr(item, &converted); !s.ok())
        return Status(s.code(), StrCat("Attr ", attr_name, " has ", s.message()));
      out->push_back(std::move(converted));
    }
    return OkStatus();
  }
};
template <class T>
struct AttrGetter<std::span<const T>> {
  static Status Get(const AttrValue& value, std::string_view attr_name, std::span<const T>* out) {
    if (Status s = AttrValueHasType(value, AttrElement<T>::list_name); !s.ok()) return ForAttr(s, attr_name);
    *out = AttrElement<T>::Of(value.list());
    return OkStatus();
  }
};

}  // namespace detail

template <class T>
Status AttrValue::Get(std::string_view attr_name, T* out) const {
  return detail::AttrGetter<T>::Get(*this, attr_name, out);
}

// ------------------------------------------------------------------------------------------------------------ as text

namespace detail {

inline std::string SummarizeAttrString(std::string_view text) {
  const std::string escaped = CEscape(text);
  if (escaped.size() < 80) return StrCat("\"", escaped, "\"");
  const std::string_view all = escaped;
  return StrCat("\"", all.substr(0, 10), "...", all.substr(all.size() - 10), "\"");
}
inline std::string SummarizeAttrType(DataType type) {
  const std::string_view name = EnumName(type);
  return name.empty() ? StrCat(static_cast<std::int32_t>(type)) : std::string(name);
}
inline std::string SummarizeAttrFunc(const NameAttrList& function);

// "[a, b]"; from 50 items on the first five, "...", the last five.
template <class T, class ToText>
std::string SummarizeAttrItems(const SlimVector<T>& items, ToText to_text) {
  const std::size_t n = items.size();
  std::string text = "[";
  for (std::size_t k = 0; k < n; ++k) {
    if (n >= 50 && k == 5) {
      text += ", ...";
      k = n - 5;
    }
    StrAppend(&text, k == 0 ? "" : ", ", to_text(items[k]));
  }
  return text += "]";
}
inline std::string SummarizeAttrList(const AttrList& list) {
  const auto plain = [](const auto& x) { return StrCat(x); };
  if (!list.s.empty()) return SummarizeAttrItems(list.s, SummarizeAttrString);
  if (!list.i.empty()) return SummarizeAttrItems(list.i, plain);
  if (!list.f.empty()) return SummarizeAttrItems(list.f, plain);
  if (!list.b.empty()) return SummarizeAttrItems(list.b, [](char b) { return std::string(b != 0 ? "true" : "false"); });
  if (!list.type.empty()) return SummarizeAttrItems(list.type, SummarizeAttrType);
  if (!list.shape.empty()) return SummarizeAttrItems(list.shape, plain);
  if (!list.tensor.empty()) return SummarizeAttrItems(list.tensor, [](const Tensor& t) { return t.DebugString(); });
  if (!list.func.empty()) return SummarizeAttrItems(list.func, SummarizeAttrFunc);
  return "[]";
}

}  // namespace detail

// As messages show it: 3, "NHWC", DT_FLOAT, [2,?], [1, 2], f[T=DT_FLOAT], $placeholder.
inline std::string SummarizeAttrValue(const AttrValue& value) {
  switch (value.kind()) {
    case AttrValue::Kind::kNone: return "<Unknown AttrValue type>";
    case AttrValue::Kind::kString: return detail::SummarizeAttrString(value.s());
    case AttrValue::Kind::kInt: return StrCat(value.i());
    case AttrValue::Kind::kFloat: return StrCat(value.f());
    case AttrValue::Kind::kBool: return value.b() ? "true" : "false";
    case AttrValue::Kind::kType: return detail::SummarizeAttrType(value.type());
    case AttrValue::Kind::kShape:
      if (!value.decode_status().ok())
        return StrCat("<Invalid TensorShapeProto: ", value.decode_status().message(), ">");
      return value.shape().DebugString();
    case AttrValue::Kind::kTensor:
      if (!value.decode_status().ok()) return StrCat("<Invalid TensorProto: ", value.decode_status().message(), ">");
      return value.tensor().DebugString();
    case AttrValue::Kind::kFunc: return detail::SummarizeAttrFunc(value.func());
    case AttrValue::Kind::kPlaceholder: return StrCat("$", value.placeholder());
    case AttrValue::Kind::kList: return detail::SummarizeAttrList(value.list());
  }
  return {};
}

inline std::string detail::SummarizeAttrFunc(const NameAttrList& function) {
  std::string text = StrCat(function.name, "[");
  bool first = true;
  for (const auto& [name, value] : function.attr) {
    StrAppend(&text, first ? "" : ", ", name, "=", SummarizeAttrValue(value));
    first = false;
  }
  return text += "]";
}

TENON_NAMESPACE_END

// ---- tenon/op/op_def.hpp ----
// OpDef: the description of an op as plain data, with TensorFlow's fields and field names.
TENON_NAMESPACE_BEGIN

struct OpDeprecation {
  int version = 0;  // graph version from which the op is gone
  std::string explanation;

  friend bool operator==(const OpDeprecation&, const OpDeprecation&) = default;
};

struct OpDef {
  // An input or output. Exactly one of type, type_attr and type_list_attr is given.
  struct ArgDef {
    std::string name;
    std::string description;
    DataType type = DataType::kInvalid;
    std::string type_attr;       // name of an attr of type "type"
    std::string number_attr;     // name of an "int" attr: the argument is that many tensors
    std::string type_list_attr;  // name of a "list(type)" attr: one tensor for each
    SlimVector<std::string> handle_data;  // serialised DtypeAndShape, each as it came
    bool is_ref = false;
    std::string full_type;  // serialised FullTypeDef (experimental_full_type), as it came

    friend bool operator==(const ArgDef&, const ArgDef&) = default;
  };

  struct AttrDef {
    std::string name;
    std::string type;  // "int", "list(type)"...
    std::optional<AttrValue> default_value;
    std::string description;
    bool has_minimum = false;
    std::int64_t minimum = 0;   // of an int, or of a list's length
    AttrValue allowed_values;   // a list; kNone: everything is allowed

    friend bool operator==(const AttrDef&, const AttrDef&) = default;
  };

  std::string name;
  SlimVector<ArgDef> input_arg;
  SlimVector<ArgDef> output_arg;
  SlimVector<std::string> control_output;
  SlimVector<AttrDef> attr;
  std::optional<OpDeprecation> deprecation;
  std::string summary;
  std::string description;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool is_stateful = false;
  bool allows_uninitialized_input = false;
  bool is_distributed_communication = false;

  friend bool operator==(const OpDef&, const OpDef&) = default;
};

// The attr of that name, or null.
inline const OpDef::AttrDef* FindAttr(std::string_view name, const OpDef& op_def) {
  for (const OpDef::AttrDef& attr : op_def.attr) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

TENON_NAMESPACE_END

// ---- tenon/op/node_def.hpp ----
// NodeDef: one node of a graph as plain data: name, op, inputs by name, attrs; and how its attrs are read.
TENON_NAMESPACE_BEGIN

struct NodeDef {
  std::string name;
  std::string op;
  SlimVector<std::string> input;  // "node", "node:1", and last "^node" for control
  std::string device;              // what was asked for, e.g. "/device:GPU:0"; may be empty
  AttrMap attr;
  std::string debug_info;  // serialised NodeDef.ExperimentalDebugInfo, kept as it came
  std::string full_type;   // serialised FullTypeDef (experimental_type), kept as it came

  friend bool operator==(const NodeDef&, const NodeDef&) = default;
};

// "{{node x}}": how messages name a node.
inline std::string FormatNodeForError(std::string_view name) { return StrCat("{{node ", name, "}}"); }

// "{{node y}} = MatMul[T=DT_FLOAT, _device="/device:GPU:0"](a, b:1, ^c)"; of many inputs only the first `max_inputs`.
inline std::string SummarizeNodeDef(const NodeDef& node, std::size_t max_inputs = static_cast<std::size_t>(-1)) {
  std::string text = StrCat(FormatNodeForError(node.name), " = ", node.op, "[");
  bool first = true;
  for (const auto& [name, value] : node.attr) {
    StrAppend(&text, first ? "" : ", ", name, "=", SummarizeAttrValue(value));
    first = false;
  }
  if (!node.device.empty()) StrAppend(&text, first ? "" : ", ", "_device=\"", node.device, "\"");
  text += "](";
  for (std::size_t i = 0; i < node.input.size(); ++i) {
    if (i != 0) text += ", ";
    if (i == max_inputs) {
      text += "...";
      break;
    }
    text += node.input[i];
  }
  return text += ")";
}

// The same error, saying at which node: "...\n\t [[{{node x}}]]". Once: a message that names a node already gets
// "[[x]]".
inline Status AttachNode(const Status& status, std::string_view node_name) {
  if (status.ok()) return status;
  const bool named = status.message().find("{{node ") != std::string_view::npos;
  return status.WithAppended(StrCat("\n\t [[", named ? std::string(node_name) : FormatNodeForError(node_name), "]]"));
}

namespace detail {
TENON_COLD inline Status NoSuchAttr(const NodeDef& node, std::string_view name) {
  Status status = errors::NotFound("No attr named '", name, "' in NodeDef:");
  return StartsWith(name, "_") ? status : status.WithAppended(StrCat(" ", SummarizeNodeDef(node)));
}
}  // namespace detail

inline bool HasNodeAttr(const NodeDef& node, std::string_view name) { return node.attr.Find(name) != nullptr; }

// Reads an attr (AttrValue::Get says which types there are). NotFound when the node has none of that name.
template <class T>
Status GetNodeAttr(const NodeDef& node, std::string_view name, T* out) {
  const AttrValue* value = node.attr.Find(name);
  if (value == nullptr) [[unlikely]]
    return detail::NoSuchAttr(node, name);
  Status status = value->Get(name, out);
  if (!status.ok()) [[unlikely]]
    return AttachNode(status, node.name);
  return status;
}
inline Status GetNodeAttr(const NodeDef& node, std::string_view name, const AttrValue** out) {
  *out = node.attr.Find(name);
  return *out != nullptr ? OkStatus() : detail::NoSuchAttr(node, name);
}
// False, and no message is made, when there is no such attr or it has another type.
template <class T>
bool TryGetNodeAttr(const NodeDef& node, std::string_view name, T* out) {
  const AttrValue* value = node.attr.Find(name);
  return value != nullptr && value->Get(name, out).ok();
}

// Adds an attr; one that is there already stays as it is.
inline void AddNodeAttr(std::string_view name, AttrValue value, NodeDef* node) {
  node->attr.Insert(std::string(name), std::move(value));
}

TENON_NAMESPACE_END

// ---- tenon/op/function_def.hpp ----
// FunctionDef and FunctionDefLibrary: functions of a graph as plain data. In a body an input is "arg", "arg:1",
// "node:out", "node:out:1" or "^node", where `out` is the name of an output argument of the node's op.
TENON_NAMESPACE_BEGIN

struct FunctionDef {
  using StringMap = SlimVector<std::pair<std::string, std::string>>;

  OpDef signature;
  AttrMap attr;
  SlimVector<std::pair<std::uint32_t, AttrMap>> arg_attr;                      // argument number -> attrs; sorted
  SlimVector<std::pair<std::uint32_t, std::uint32_t>> resource_arg_unique_id;  // sorted by argument number
  SlimVector<NodeDef> node_def;
  StringMap ret;          // output argument -> "node:out:0"; sorted by output argument
  StringMap control_ret;  // name in signature.control_output -> node; sorted by that name

  friend bool operator==(const FunctionDef&, const FunctionDef&) = default;
};

// `gradient_func` computes the gradient of the function `function_name`.
struct GradientDef {
  std::string function_name;
  std::string gradient_func;

  friend bool operator==(const GradientDef&, const GradientDef&) = default;
};

struct RegisteredGradient {
  std::string gradient_func;
  std::string registered_op_type;

  friend bool operator==(const RegisteredGradient&, const RegisteredGradient&) = default;
};

struct FunctionDefLibrary {
  SlimVector<FunctionDef> function;
  SlimVector<GradientDef> gradient;
  SlimVector<RegisteredGradient> registered_gradients;

  bool empty() const { return function.empty() && gradient.empty() && registered_gradients.empty(); }
  friend bool operator==(const FunctionDefLibrary&, const FunctionDefLibrary&) = default;
};

TENON_NAMESPACE_END

// ---- tenon/op/versions.hpp ----
// VersionDef: who wrote a graph and who may read it; CheckVersions compares it with what this library supports.
TENON_NAMESPACE_BEGIN

// What graphs written here carry as their producer. The number counts days of TensorFlow's graph format.
inline constexpr int kGraphDefVersion = 2474;
inline constexpr int kGraphDefVersionMinConsumer = 0;
inline constexpr int kGraphDefVersionMinProducer = 0;

struct VersionDef {
  int producer = 0;
  int min_consumer = 0;
  SlimVector<int> bad_consumers;

  friend bool operator==(const VersionDef&, const VersionDef&) = default;
};

// May a reader of version `consumer` take data with these versions? A producer newer than the reader is fine.
// `what` names the data in messages ("GraphDef"), `thing` what to make anew ("graph").
inline Status CheckVersions(const VersionDef& versions, int consumer, int min_producer, std::string_view what,
                            std::string_view thing) {
  if (consumer < min_producer) {
    return errors::Internal(what, " version check has invalid consumer ", consumer, " and min_producer ", min_producer,
                            ".");
  }
  if (versions.producer < min_producer) {
    return errors::InvalidArgument(what, " producer version ", versions.producer, " below min producer ", min_producer,
                                   " supported by Tenon.  Please regenerate your ", thing, ".");
  }
  if (versions.min_consumer > consumer) {
    return errors::InvalidArgument(what, " min consumer version ", versions.min_consumer, " above current version ",
                                   consumer, " for Tenon.  Please upgrade Tenon.");
  }
  for (const int bad : versions.bad_consumers) {
    if (bad == consumer) {
      return errors::InvalidArgument(what, " disallows consumer version ", bad,
                                     ".  Please upgrade Tenon: this version is likely buggy.");
    }
  }
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/op/graph_def.hpp ----
// GraphDef: a graph as plain data, as it stands in a file. op/proto_io.hpp reads and writes it.
TENON_NAMESPACE_BEGIN

struct GraphDef {
  SlimVector<NodeDef> node;  // in any order
  VersionDef versions;
  FunctionDefLibrary library;
  std::string debug_info;  // serialised GraphDebugInfo, kept as it came

  friend bool operator==(const GraphDef&, const GraphDef&) = default;
};

TENON_NAMESPACE_END

// ---- tenon/op/proto_io.hpp ----
// Graphs, nodes, attr values and op descriptions from and to TensorFlow's serialised messages: the tables of their
// fields, and functions over them. Tensors in a graph may become views of the bytes.
TENON_NAMESPACE_BEGIN

// What the tables need of AttrValue's inside: a union of which one member is set.
struct AttrValueAccess {
  using Kind = AttrValue::Kind;

  static AttrValue& Of(void* object) { return *static_cast<AttrValue*>(object); }
  static const AttrValue& Of(const void* object) { return *static_cast<const AttrValue*>(object); }

  template <Kind kind>
  static std::size_t Count(const void* object) {
    return Of(object).kind_ == kind ? 1 : 0;
  }
  template <auto Member>
  static const void* At(const void* object, std::size_t) {
    return &(Of(object).*Member);
  }
  template <Kind kind, auto Member>
  static void* Add(void* object) {
    AttrValue& value = Of(object);
    value.Reset();
    value.kind_ = kind;
    return &(value.*Member);
  }
  // Values behind a member function.
  template <auto Getter>
  static const void* AtCall(const void* object, std::size_t) {
    return &(Of(object).*Getter)();
  }
  template <auto Mutator>
  static void* AddCall(void* object) {
    return (Of(object).*Mutator)();
  }
  // Shapes and tensors: the whole AttrValue, which takes an undecoded value too.
  static const void* AtSelf(const void* object, std::size_t) { return object; }
  static void* AddSelf(void* object) { return object; }

  template <Kind kind, class T, auto Member>
  static constexpr wire::Field Number(std::uint32_t number, std::string_view name) {
    return wire::MakeOneof<T>(number, name, &Count<kind>, &At<Member>, &Add<kind, Member>);
  }
  static constexpr auto kInt = &AttrValue::i_;
  static constexpr auto kFloat = &AttrValue::f_;
  static constexpr auto kBool = &AttrValue::b_;
  static constexpr auto kType = &AttrValue::type_;
};

namespace detail {
// A TensorShapeProto or TensorProto as the value of an attr.
struct ShapeAttr {};
struct TensorAttr {};
struct OpList {
  SlimVector<OpDef> op;
};

inline void SortFunctionMaps(void* object) {
  FunctionDef& function = *static_cast<FunctionDef*>(object);
  function.attr.SortAppended();
  SortByKey(&function.arg_attr);
  SortByKey(&function.resource_arg_unique_id);
  SortByKey(&function.ret);
  SortByKey(&function.control_ret);
}
// AttrMap as a repeated message of pairs.
template <class C, AttrMap C::* Member>
struct AttrMapAccess {
  static std::size_t Count(const void* object) { return (static_cast<const C*>(object)->*Member).size(); }
  static const void* At(const void* object, std::size_t i) {
    return &(static_cast<const C*>(object)->*Member).begin()[static_cast<std::ptrdiff_t>(i)];
  }
  static void* Add(void* object) { return (static_cast<C*>(object)->*Member).AppendUnsorted(); }
  static void Reserve(void* object, std::size_t count) { (static_cast<C*>(object)->*Member).reserve(count); }
  static void Sort(void* object) { (static_cast<C*>(object)->*Member).SortAppended(); }
};
inline void SortAttrMap(void* object) { static_cast<AttrMap*>(object)->SortAppended(); }
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
TENON_DETAIL_SCHEMA(AttrValue);
TENON_DETAIL_SCHEMA(AttrList);
TENON_DETAIL_SCHEMA(NameAttrList);
TENON_DETAIL_SCHEMA(AttrMap);
TENON_DETAIL_SCHEMA(AttrMap::value_type);
TENON_DETAIL_SCHEMA(NodeDef);
TENON_DETAIL_SCHEMA(VersionDef);
TENON_DETAIL_SCHEMA(OpDef);
TENON_DETAIL_SCHEMA(OpDef::ArgDef);
TENON_DETAIL_SCHEMA(OpDef::AttrDef);
TENON_DETAIL_SCHEMA(OpDeprecation);
TENON_DETAIL_SCHEMA(tenon::detail::OpList);
TENON_DETAIL_SCHEMA(std::pair<std::string, std::string>);
TENON_DETAIL_SCHEMA(std::pair<std::uint32_t, std::uint32_t>);
TENON_DETAIL_SCHEMA(std::pair<std::uint32_t, AttrMap>);
TENON_DETAIL_SCHEMA(FunctionDef);
TENON_DETAIL_SCHEMA(GradientDef);
TENON_DETAIL_SCHEMA(RegisteredGradient);
TENON_DETAIL_SCHEMA(FunctionDefLibrary);
TENON_DETAIL_SCHEMA(GraphDef);
#undef TENON_DETAIL_SCHEMA

template <class C, AttrMap C::* Member>
constexpr Field MakeAttrMapField(std::uint32_t number, std::string_view name) {
  using A = tenon::detail::AttrMapAccess<C, Member>;
  return {number,    Kind::kMessage, true,    WireType::kBytes, name, &Schema<AttrMap::value_type>::message,
          &A::Count, &A::At,         &A::Add, &A::Reserve};
}

// A shape or tensor that is none stays undecoded in its attr: the graph can still be read, edited and written.
template <>
struct Schema<tenon::detail::ShapeAttr> {
  static bool Parse(Reader& reader, ParseContext&, void* object) {
    const std::string_view proto = reader.rest();
    detail::RawShape raw;
    if (!detail::ReadShape(reader, &raw)) return false;
    PartialTensorShape shape;
    const Status status = detail::MakePartialShape(raw, &shape);
    AttrValue& value = AttrValueAccess::Of(object);
    value = status.ok() ? AttrValue(std::move(shape)) : AttrValue::UndecodedShape(std::string(proto), status);
    return true;
  }
  static void Serialize(Writer& writer, const void* object) {
    const AttrValue& value = AttrValueAccess::Of(object);
    if (!value.decode_status().ok()) return writer.Bytes(value.undecoded());
    Schema<PartialTensorShape>::Serialize(writer, &value.shape());
  }
  static constexpr Message message{"TensorShapeProto", &Parse, &Serialize};
};
template <>
struct Schema<tenon::detail::TensorAttr> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    const std::string_view proto = reader.rest();
    Tensor tensor;
    Status status;
    if (!ParseTensor(reader, context, &tensor, &status)) return false;
    AttrValue& value = AttrValueAccess::Of(object);
    value = status.ok() ? AttrValue(std::move(tensor)) : AttrValue::UndecodedTensor(std::string(proto), status);
    return true;
  }
  static void Serialize(Writer& writer, const void* object) {
    const AttrValue& value = AttrValueAccess::Of(object);
    if (!value.decode_status().ok()) return writer.Bytes(value.undecoded());
    Schema<Tensor>::Serialize(writer, &value.tensor());
  }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

inline constexpr Field kAttrValueFields[] = {
    MakeOneof<AttrList>(1, "list", &AttrValueAccess::Count<AttrValue::Kind::kList>,
                        &AttrValueAccess::AtCall<&AttrValue::list>,
                        &AttrValueAccess::AddCall<&AttrValue::mutable_list>),
    MakeOneof<std::string>(2, "s", &AttrValueAccess::Count<AttrValue::Kind::kString>,
                           &AttrValueAccess::AtCall<&AttrValue::s>, &AttrValueAccess::AddCall<&AttrValue::mutable_s>),
    AttrValueAccess::Number<AttrValue::Kind::kInt, std::int64_t, AttrValueAccess::kInt>(3, "i"),
    AttrValueAccess::Number<AttrValue::Kind::kFloat, float, AttrValueAccess::kFloat>(4, "f"),
    AttrValueAccess::Number<AttrValue::Kind::kBool, bool, AttrValueAccess::kBool>(5, "b"),
    AttrValueAccess::Number<AttrValue::Kind::kType, DataType, AttrValueAccess::kType>(6, "type"),
    MakeOneof<tenon::detail::ShapeAttr>(7, "shape", &AttrValueAccess::Count<AttrValue::Kind::kShape>,
                                        &AttrValueAccess::AtSelf, &AttrValueAccess::AddSelf),
    MakeOneof<tenon::detail::TensorAttr>(8, "tensor", &AttrValueAccess::Count<AttrValue::Kind::kTensor>,
                                         &AttrValueAccess::AtSelf, &AttrValueAccess::AddSelf),
    MakeOneof<std::string>(9, "placeholder", &AttrValueAccess::Count<AttrValue::Kind::kPlaceholder>,
                           &AttrValueAccess::AtCall<&AttrValue::placeholder>,
                           &AttrValueAccess::AddCall<&AttrValue::mutable_placeholder>),
    MakeOneof<NameAttrList>(10, "func", &AttrValueAccess::Count<AttrValue::Kind::kFunc>,
                            &AttrValueAccess::AtCall<&AttrValue::func>,
                            &AttrValueAccess::AddCall<&AttrValue::mutable_func>),
};
inline constexpr Message Schema<AttrValue>::message("AttrValue", kAttrValueFields);

inline constexpr Field kAttrListFields[] = {
    MakeField<&AttrList::s>(2, "s"),           MakeField<&AttrList::i>(3, "i"),
    MakeField<&AttrList::f>(4, "f"),           MakeField<&AttrList::b>(5, "b"),
    MakeField<&AttrList::type>(6, "type"),     MakeField<&AttrList::shape>(7, "shape"),
    MakeField<&AttrList::tensor>(8, "tensor"), MakeField<&AttrList::func>(9, "func"),
};
inline constexpr Message Schema<AttrList>::message("AttrValue.ListValue", kAttrListFields);

inline constexpr Field kNameAttrListFields[] = {
    MakeField<&NameAttrList::name>(1, "name"),
    MakeAttrMapField<NameAttrList, &NameAttrList::attr>(2, "attr"),
};
inline constexpr Message Schema<NameAttrList>::message(
    "NameAttrList", kNameAttrListFields, &tenon::detail::AttrMapAccess<NameAttrList, &NameAttrList::attr>::Sort);

inline constexpr Field kAttrEntryFields[] = {
    MakeFieldAlways<&AttrMap::value_type::first>(1, "key"),
    MakeFieldAlways<&AttrMap::value_type::second>(2, "value"),
};
inline constexpr Message Schema<AttrMap::value_type>::message("AttrEntry", kAttrEntryFields);

inline constexpr Field kNodeDefFields[] = {
    MakeField<&NodeDef::name>(1, "name"),
    MakeField<&NodeDef::op>(2, "op"),
    MakeField<&NodeDef::input>(3, "input"),
    MakeField<&NodeDef::device>(4, "device"),
    MakeAttrMapField<NodeDef, &NodeDef::attr>(5, "attr"),
    MakeField<&NodeDef::debug_info>(6, "experimental_debug_info"),
    MakeField<&NodeDef::full_type>(7, "experimental_type"),
};
inline constexpr Message Schema<NodeDef>::message("NodeDef", kNodeDefFields,
                                                  &tenon::detail::AttrMapAccess<NodeDef, &NodeDef::attr>::Sort);

inline constexpr Field kVersionDefFields[] = {
    MakeField<&VersionDef::producer>(1, "producer"),
    MakeField<&VersionDef::min_consumer>(2, "min_consumer"),
    MakeField<&VersionDef::bad_consumers>(3, "bad_consumers"),
};
inline constexpr Message Schema<VersionDef>::message("VersionDef", kVersionDefFields);

inline constexpr Field kArgDefFields[] = {
    MakeField<&OpDef::ArgDef::name>(1, "name"),
    MakeField<&OpDef::ArgDef::description>(2, "description"),
    MakeField<&OpDef::ArgDef::type>(3, "type"),
    MakeField<&OpDef::ArgDef::type_attr>(4, "type_attr"),
    MakeField<&OpDef::ArgDef::number_attr>(5, "number_attr"),
    MakeField<&OpDef::ArgDef::type_list_attr>(6, "type_list_attr"),
    MakeField<&OpDef::ArgDef::handle_data>(7, "handle_data"),
    MakeField<&OpDef::ArgDef::is_ref>(16, "is_ref"),
    MakeField<&OpDef::ArgDef::full_type>(17, "experimental_full_type"),
};
inline constexpr Message Schema<OpDef::ArgDef>::message("OpDef.ArgDef", kArgDefFields);

inline constexpr Field kAttrDefFields[] = {
    MakeField<&OpDef::AttrDef::name>(1, "name"),
    MakeField<&OpDef::AttrDef::type>(2, "type"),
    MakeField<&OpDef::AttrDef::default_value>(3, "default_value"),
    MakeField<&OpDef::AttrDef::description>(4, "description"),
    MakeField<&OpDef::AttrDef::has_minimum>(5, "has_minimum"),
    MakeField<&OpDef::AttrDef::minimum>(6, "minimum"),
    MakeField<&OpDef::AttrDef::allowed_values>(7, "allowed_values"),
};
inline constexpr Message Schema<OpDef::AttrDef>::message("OpDef.AttrDef", kAttrDefFields);

inline constexpr Field kOpDeprecationFields[] = {
    MakeField<&OpDeprecation::version>(1, "version"),
    MakeField<&OpDeprecation::explanation>(2, "explanation"),
};
inline constexpr Message Schema<OpDeprecation>::message("OpDeprecation", kOpDeprecationFields);

inline constexpr Field kOpDefFields[] = {
    MakeField<&OpDef::name>(1, "name"),
    MakeField<&OpDef::input_arg>(2, "input_arg"),
    MakeField<&OpDef::output_arg>(3, "output_arg"),
    MakeField<&OpDef::attr>(4, "attr"),
    MakeField<&OpDef::summary>(5, "summary"),
    MakeField<&OpDef::description>(6, "description"),
    MakeField<&OpDef::deprecation>(8, "deprecation"),
    MakeField<&OpDef::is_aggregate>(16, "is_aggregate"),
    MakeField<&OpDef::is_stateful>(17, "is_stateful"),
    MakeField<&OpDef::is_commutative>(18, "is_commutative"),
    MakeField<&OpDef::allows_uninitialized_input>(19, "allows_uninitialized_input"),
    MakeField<&OpDef::control_output>(20, "control_output"),
    MakeField<&OpDef::is_distributed_communication>(21, "is_distributed_communication"),
};
inline constexpr Message Schema<OpDef>::message("OpDef", kOpDefFields);

inline constexpr Field kOpListFields[] = {MakeField<&tenon::detail::OpList::op>(1, "op")};
inline constexpr Message Schema<tenon::detail::OpList>::message("OpList", kOpListFields);

inline constexpr Field kStringEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, std::string>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, std::string>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, std::string>>::message("StringEntry", kStringEntryFields);

inline constexpr Field kUniqueIdEntryFields[] = {
    MakeFieldAlways<&std::pair<std::uint32_t, std::uint32_t>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::uint32_t, std::uint32_t>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::uint32_t, std::uint32_t>>::message("ResourceArgUniqueIdEntry",
                                                                                  kUniqueIdEntryFields);

// FunctionDef.ArgAttrs: a message whose only field is a map of attrs.
inline constexpr Field kArgAttrsFields[] = {
    {1, Kind::kMessage, true, WireType::kBytes, "attr", &Schema<AttrMap::value_type>::message,
     [](const void* object) { return static_cast<const AttrMap*>(object)->size(); },
     [](const void* object, std::size_t i) -> const void* {
       return &static_cast<const AttrMap*>(object)->begin()[static_cast<std::ptrdiff_t>(i)];
     },
     [](void* object) -> void* { return static_cast<AttrMap*>(object)->AppendUnsorted(); },
     [](void* object, std::size_t count) { static_cast<AttrMap*>(object)->reserve(count); }},
};
inline constexpr Message Schema<AttrMap>::message("FunctionDef.ArgAttrs", kArgAttrsFields, &tenon::detail::SortAttrMap);

inline constexpr Field kArgAttrEntryFields[] = {
    MakeFieldAlways<&std::pair<std::uint32_t, AttrMap>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::uint32_t, AttrMap>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::uint32_t, AttrMap>>::message("ArgAttrEntry", kArgAttrEntryFields);

inline constexpr Field kFunctionDefFields[] = {
    MakeFieldAlways<&FunctionDef::signature>(1, "signature"),
    MakeField<&FunctionDef::node_def>(3, "node_def"),
    MakeField<&FunctionDef::ret>(4, "ret"),
    MakeAttrMapField<FunctionDef, &FunctionDef::attr>(5, "attr"),
    MakeField<&FunctionDef::control_ret>(6, "control_ret"),
    MakeField<&FunctionDef::arg_attr>(7, "arg_attr"),
    MakeField<&FunctionDef::resource_arg_unique_id>(8, "resource_arg_unique_id"),
};
inline constexpr Message Schema<FunctionDef>::message("FunctionDef", kFunctionDefFields,
                                                      &tenon::detail::SortFunctionMaps);

inline constexpr Field kGradientDefFields[] = {
    MakeField<&GradientDef::function_name>(1, "function_name"),
    MakeField<&GradientDef::gradient_func>(2, "gradient_func"),
};
inline constexpr Message Schema<GradientDef>::message("GradientDef", kGradientDefFields);

inline constexpr Field kRegisteredGradientFields[] = {
    MakeField<&RegisteredGradient::gradient_func>(1, "gradient_func"),
    MakeField<&RegisteredGradient::registered_op_type>(2, "registered_op_type"),
};
inline constexpr Message Schema<RegisteredGradient>::message("RegisteredGradient", kRegisteredGradientFields);

inline constexpr Field kFunctionDefLibraryFields[] = {
    MakeField<&FunctionDefLibrary::function>(1, "function"),
    MakeField<&FunctionDefLibrary::gradient>(2, "gradient"),
    MakeField<&FunctionDefLibrary::registered_gradients>(3, "registered_gradients"),
};
inline constexpr Message Schema<FunctionDefLibrary>::message("FunctionDefLibrary", kFunctionDefLibraryFields);

// Field 3, a version number older than field 4, is ignored.
inline constexpr Field kGraphDefFields[] = {
    MakeField<&GraphDef::node>(1, "node"),
    MakeField<&GraphDef::library>(2, "library"),
    MakeField<&GraphDef::versions>(4, "versions"),
    MakeField<&GraphDef::debug_info>(5, "debug_info"),
};
inline constexpr Message Schema<GraphDef>::message("GraphDef", kGraphDefFields);

}  // namespace wire

namespace detail {
template <class T>
Result<T> ParseProto(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  T object;
  wire::ParseContext context;
  context.owner = owner;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &object, std::move(context)));
  return object;
}
template <class T>
std::string SerializeProto(const T& object) {
  std::string out;
  wire::SerializeTo(object, &out);
  return out;
}
}  // namespace detail

// A GraphDef from its serialised form; no bytes at all are an empty graph. With an owner of the bytes (a mapped file),
// constants become views of it. Like TensorFlow's import: InvalidArgument, "Invalid GraphDef", with the byte's offset,
// when the bytes are none. A constant or shape whose value makes no sense is no error here; reading that attr is.
inline Result<GraphDef> ParseGraphDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  Result<GraphDef> graph = detail::ParseProto<GraphDef>(bytes, owner);
  if (!graph.ok() && errors::IsDataLoss(graph.status())) {
    return errors::InvalidArgument("Invalid GraphDef: ", graph.status().message());
  }
  return graph;
}
// Serialised forms are canonical: fields in ascending order, maps sorted. The tensors' memory must be accessible to the
// host.
inline std::string SerializeGraphDef(const GraphDef& graph) { return detail::SerializeProto(graph); }

// The others: DataLoss, with the byte's offset, when the bytes are no such message.
inline Result<NodeDef> ParseNodeDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<NodeDef>(bytes, owner);
}
inline std::string SerializeNodeDef(const NodeDef& node) { return detail::SerializeProto(node); }

inline Result<AttrValue> ParseAttrValue(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<AttrValue>(bytes, owner);
}
inline std::string SerializeAttrValue(const AttrValue& value) { return detail::SerializeProto(value); }

inline Result<FunctionDef> ParseFunctionDef(std::span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<FunctionDef>(bytes, owner);
}
inline std::string SerializeFunctionDef(const FunctionDef& function) { return detail::SerializeProto(function); }

inline Result<OpDef> ParseOpDef(std::span<const std::byte> bytes) { return detail::ParseProto<OpDef>(bytes); }
inline std::string SerializeOpDef(const OpDef& op_def) { return detail::SerializeProto(op_def); }

inline Result<SlimVector<OpDef>> ParseOpList(std::span<const std::byte> bytes) {
  TENON_ASSIGN_OR_RETURN(detail::OpList list, detail::ParseProto<detail::OpList>(bytes));
  return std::move(list.op);
}
inline std::string SerializeOpList(std::span<const OpDef> ops) {
  return detail::SerializeProto(detail::OpList{SlimVector<OpDef>(ops.begin(), ops.end())});
}

TENON_NAMESPACE_END

// ---- tenon/op/spec_reader.hpp ----
// The one reader of TensorFlow's spec strings, "to_zero: T" and "preserve_index: int >= 0 = 0". It is constexpr and
// reports where and why it stopped: the op language turns that into a compile error whose name is the message
// (StopOnSpecError below), op_export.hpp into a Status with TensorFlow's text. No allocation, no dependency but
// DataType.
TENON_NAMESPACE_BEGIN

enum class AttrKind : std::uint8_t { kString, kInt, kFloat, kBool, kType, kShape, kTensor, kFunc };

// The word in a spec: "string", "int", ...
constexpr std::string_view Name(AttrKind kind) {
  constexpr std::string_view kNames[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What is wrong with a spec string.
enum class SpecError : std::uint8_t {
  kNone,
  kNameNotIdentifier,
  kNoColon,
  kUnknownAttrKind,
  kNotACompoundType,
  kUnknownTypeInList,
  kNoTypeInList,
  kBadStringInList,
  kBadEscapeInList,
  kNoCommaAfterString,
  kNoCommaAfterType,
  kListNotClosed,
  kBadMinimum,
  kBadDefault,
  kNoType,
  kRefNotClosed,
  kTextLeftOver,
  kTooLong,
};

struct SpecIssue {
  SpecError error = SpecError::kNone;
  bool word_runs_on = false;  // the attr kind goes on with letters: "integer"
  std::size_t begin = 0;      // text[begin, end) is what the message quotes
  std::size_t end = 0;

  constexpr bool ok() const { return error == SpecError::kNone; }
};

// One input or output: "name: T", "name: N * T", "name: Ref(float)", "name: list_attr". Points into its text, which
// outlives it (string literals, or an OwnedOp's own storage). The attr indices are filled by Signature as attrs and
// arguments meet: positions in the op's attr list, -1 for none.
struct ArgSpec {
  std::string_view text;
  DataType type = DataType::kInvalid;  // the fixed type; kInvalid when an attr says it
  std::uint16_t name_size = 0;         // the name is at the start of the text
  std::uint16_t type_begin = 0;
  std::uint16_t number_begin = 0;      // 0: no "N *"
  std::int16_t type_attr_index = -1;   // the attr of kind type or list(type)
  std::int16_t number_attr_index = -1;
  bool is_ref = false;
  bool is_type_list = false;           // the type attr is a list(type)

  constexpr std::string_view name() const { return text.substr(0, name_size); }
  constexpr std::string_view type_attr() const {
    return type == DataType::kInvalid && !is_type_list ? Word(type_begin) : "";
  }
  constexpr std::string_view type_list_attr() const { return is_type_list ? Word(type_begin) : ""; }
  constexpr std::string_view number_attr() const { return number_begin == 0 ? "" : Word(number_begin); }
  constexpr bool is_list() const { return is_type_list || number_begin != 0; }  // any number of tensors
  constexpr std::string_view Word(std::size_t begin) const {
    const char* data = text.data();
    const std::size_t size = text.size();
    std::size_t end = begin;
    while (end < size && ((data[end] >= 'a' && data[end] <= 'z') || (data[end] >= 'A' && data[end] <= 'Z') ||
                          (data[end] >= '0' && data[end] <= '9') || data[end] == '_'))
      ++end;
    return {data + begin, end - begin};
  }
};

// How the allowed values of an attr are written.
enum class AllowedForm : std::uint8_t {
  kNone,
  kTypeSet,
  kTypes,
  kStrings
};  // "numbertype"; "{float, int32}"; "{'a', 'b'}"

// One attr: "name: kind", "name: list(kind) >= 1 = []", ... Points into its text as ArgSpec does.
struct AttrSpec {
  std::string_view text;
  std::int64_t minimum = 0;         // smallest value of an int, smallest length of a list
  DataTypeSet allowed_types;        // empty: any type
  std::uint32_t default_begin = 0;
  std::uint32_t allowed_begin = 0;  // of "numbertype" or of the first item in braces
  std::uint16_t name_size = 0;
  AttrKind kind = AttrKind::kInt;
  AllowedForm allowed = AllowedForm::kNone;
  bool is_list = false;
  bool has_default = false;
  bool has_minimum = false;

  constexpr std::string_view name() const { return text.substr(0, name_size); }
  // Text behind the last '=': "false", "[1, 2]", "'SAME'", "DT_FLOAT", "{ unknown_rank: true }".
  constexpr std::string_view default_text() const { return has_default ? text.substr(default_begin) : ""; }
  // From the first allowed value on, in the order of the source; read it with AllowedReader.
  constexpr std::string_view allowed_text() const {
    return allowed == AllowedForm::kNone ? "" : text.substr(allowed_begin);
  }
  constexpr bool is_type() const { return kind == AttrKind::kType && !is_list; }
  constexpr bool is_type_list() const { return kind == AttrKind::kType && is_list; }
};
static_assert(sizeof(ArgSpec) == 32 && sizeof(AttrSpec) == 48);

namespace detail {

// Compilers run the reader for every signature, slowly: about 10 microseconds per function call. So the loops over
// characters below go through plain pointers and tables.
inline constexpr unsigned kLowerChar = 1, kUpperChar = 2, kDigitChar = 4, kUnderscore = 8, kSignChar = 16, kDot = 32,
                          kSpaceChar = 64;
inline constexpr unsigned kLetterChars = kLowerChar | kUpperChar;
inline constexpr unsigned kWordChars = kLetterChars | kDigitChar | kUnderscore;
inline constexpr unsigned kNumberChars = kLetterChars | kDigitChar | kSignChar | kDot;

struct CharClasses {
  unsigned char of[256] = {};

  constexpr CharClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = kLowerChar;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = kUpperChar;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigitChar;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpaceChar;
    of[' '] = kSpaceChar;
    of['_'] = kUnderscore;
    of['+'] = of['-'] = kSignChar;
    of['.'] = kDot;
  }
};
inline constexpr CharClasses kCharClasses;

constexpr bool Is(char c, unsigned classes) { return (kCharClasses.of[static_cast<unsigned char>(c)] & classes) != 0; }
constexpr bool IsLetter(char c) { return Is(c, kLetterChars); }
constexpr bool IsDigit(char c) { return Is(c, kDigitChar); }
constexpr bool IsWordChar(char c) { return Is(c, kWordChars); }
constexpr bool IsSpace(char c) { return Is(c, kSpaceChar); }
constexpr int HexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

constexpr bool SameText(std::string_view a, const char* b, std::size_t b_size) {
  const std::size_t n = a.size();
  if (n != b_size) return false;
  const char* data = a.data();
  std::size_t i = 0;
  while (i < n && data[i] == b[i]) ++i;
  return i == n;
}

// A position in a text. Every Eat... moves on only if it returns true.
struct TextCursor {
  const char* data;
  std::size_t size;
  std::size_t at = 0;

  constexpr explicit TextCursor(std::string_view text) : data(text.data()), size(text.size()) {}

  constexpr bool done() const { return at >= size; }
  constexpr char peek() const { return at < size ? data[at] : '\0'; }
  constexpr std::string_view text() const { return {data, size}; }
  constexpr std::string_view rest() const { return {data + at, size - at}; }
  constexpr void SkipSpace() {
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & kSpaceChar) != 0) ++at;
  }
  constexpr void SkipSpaceAndComments() {
    for (;;) {
      SkipSpace();
      if (at >= size || data[at] != '#') return;
      while (at < size && data[at] != '\n') ++at;
    }
  }
  constexpr bool Eat(char c) {
    if (at >= size || data[at] != c) return false;
    ++at;
    return true;
  }
  constexpr bool Eat(const char* token) {
    std::size_t i = at;
    for (; *token != '\0'; ++token, ++i)
      if (i >= size || data[i] != *token) return false;
    at = i;
    return true;
  }
  // All characters from here on that are of the classes.
  constexpr std::string_view EatWhile(unsigned classes) {
    const std::size_t begin = at;
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & classes) != 0) ++at;
    return {data + begin, at - begin};
  }
};

// The names of all dtypes for quick comparisons, chained by their first letter; aliases at the end.
struct TypeWords {
  static constexpr int kCount = kDataTypeCount + 3;

  const char* text[kCount] = {};
  unsigned char size[kCount] = {};
  unsigned char type[kCount] = {};
  unsigned char next[kCount] = {};  // the word before with the same first letter; 0: none
  unsigned char last[256] = {};     // by first letter, small or capital

  constexpr TypeWords() {
    int n = 1;
    for (int i = 1; i < kDataTypeCount; ++i) Add(n++, Name(static_cast<DataType>(i)), i);
    Add(n++, "float32", static_cast<int>(DataType::kFloat));
    Add(n++, "float64", static_cast<int>(DataType::kDouble));
    Add(n++, "float16", static_cast<int>(DataType::kHalf));
  }
  constexpr void Add(int n, std::string_view name, int value) {
    text[n] = name.data();
    size[n] = static_cast<unsigned char>(name.size());
    type[n] = static_cast<unsigned char>(value);
    const int letter = text[n][0];
    next[n] = last[letter];
    last[letter] = last[letter - 'a' + 'A'] = static_cast<unsigned char>(n);
  }
};
inline constexpr TypeWords kTypeWords;

// "float", "int32_ref" as DataTypeFromName reads them; or, for `upper`, the same in capitals and without aliases, which
// is what stands behind "DT_" in the enumerators' names.
constexpr DataType FindType(const char* data, std::size_t size, bool upper = false) {
  int ref = 0;
  const char* suffix = upper ? "_REF" : "_ref";
  if (size > 4 && data[size - 4] == suffix[0] && data[size - 3] == suffix[1] && data[size - 2] == suffix[2] &&
      data[size - 1] == suffix[3]) {
    ref = kDataTypeRefOffset;
    size -= 4;
  }
  if (size == 0) return DataType::kInvalid;
  for (int n = kTypeWords.last[static_cast<unsigned char>(data[0])]; n != 0; n = kTypeWords.next[n]) {
    if (kTypeWords.size[n] != size || (upper && n >= kDataTypeCount)) continue;
    const char* name = kTypeWords.text[n];
    std::size_t i = 0;
    while (i < size &&
           data[i] == (upper && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 32) : name[i]))
      ++i;
    if (i == size) return static_cast<DataType>(kTypeWords.type[n] + ref);
  }
  return DataType::kInvalid;
}

// Decodes C escapes one character after the other: \n, \', \101, \x41, \u00e9.
class EscapeReader {
 public:
  constexpr explicit EscapeReader(std::string_view raw) : raw_(raw) {}

  // False at the end and after a bad escape.
  constexpr bool Next(char* c) {
    if (pending_ > 0) {
      *c = utf8_[4 - pending_--];
      return true;
    }
    if (failed_ || at_ >= raw_.size()) return false;
    *c = raw_[at_++];
    if (*c != '\\') return true;
    if (at_ >= raw_.size()) return Fail();
    const char kind = raw_[at_++];
    switch (kind) {
      case 'a': *c = '\a'; return true;
      case 'b': *c = '\b'; return true;
      case 'f': *c = '\f'; return true;
      case 'n': *c = '\n'; return true;
      case 'r': *c = '\r'; return true;
      case 't': *c = '\t'; return true;
      case 'v': *c = '\v'; return true;
      case '\\':
      case '?':
      case '\'':
      case '"': *c = kind; return true;
      case 'x':
      case 'X': return Hex(c);
      case 'u': return Unicode(4, c);
      case 'U': return Unicode(8, c);
      default: return kind >= '0' && kind <= '7' ? Octal(kind, c) : Fail();
    }
  }
  constexpr bool failed() const { return failed_; }

 private:
  constexpr bool Fail() {
    failed_ = true;
    return false;
  }
  constexpr bool Octal(char first, char* c) {
    unsigned value = static_cast<unsigned>(first - '0');
    for (int i = 0; i < 2 && at_ < raw_.size() && raw_[at_] >= '0' && raw_[at_] <= '7'; ++i)
      value = value * 8 + static_cast<unsigned>(raw_[at_++] - '0');
    *c = static_cast<char>(value & 0xff);
    return value <= 0xff || Fail();
  }
  constexpr bool Hex(char* c) {
    if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0) return Fail();
    unsigned value = 0;
    for (; at_ < raw_.size() && HexDigit(raw_[at_]) >= 0; ++at_) {
      value = value * 16 + static_cast<unsigned>(HexDigit(raw_[at_]));
      if (value > 0xff) return Fail();
    }
    *c = static_cast<char>(value);
    return true;
  }
  // A code point as UTF-8.
  constexpr bool Unicode(int digits, char* c) {
    std::uint32_t rune = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0 || rune > 0x10ffff) return Fail();
      rune = rune * 16 + static_cast<std::uint32_t>(HexDigit(raw_[at_]));
    }
    if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return Fail();
    const int size = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    for (int i = 3; i > 4 - size; --i, rune >>= 6) utf8_[i] = static_cast<char>(0x80 | (rune & 0x3f));
    constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    utf8_[4 - size] = static_cast<char>(kLead[size] | rune);
    pending_ = size;
    return Next(c);
  }

  std::string_view raw_;
  std::size_t at_ = 0;
  int pending_ = 0;  // bytes of utf8_ still to give
  char utf8_[4] = {};
  bool failed_ = false;
};

// Whether two texts with escapes mean the same bytes.
constexpr bool SameUnescaped(std::string_view a, std::string_view b) {
  EscapeReader left(a), right(b);
  for (;;) {
    char x = 0, y = 0;
    const bool more_left = left.Next(&x), more_right = right.Next(&y);
    if (more_left != more_right || x != y) return false;
    if (!more_left) return true;
  }
}

// The text between quotes at the cursor, still with its escapes; escapes may hide the quote.
constexpr bool EatQuoted(TextCursor* in, std::string_view* raw) {
  const char quote = in->peek();
  if (quote != '"' && quote != '\'') return false;
  const std::size_t begin = in->at + 1;
  std::size_t end = begin;
  while (end < in->size && in->data[end] != quote) end += in->data[end] == '\\' ? 2 : 1;
  if (end >= in->size) return false;
  *raw = {in->data + begin, end - begin};
  in->at = end + 1;
  return true;
}
constexpr bool ValidEscapes(std::string_view raw) {
  const char* data = raw.data();
  std::size_t i = 0;
  while (i < raw.size() && data[i] != '\\') ++i;
  if (i == raw.size()) return true;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) {
  }
  return !escapes.failed();
}

constexpr bool ReadDecimal(std::string_view text, std::int64_t* value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  const std::uint64_t limit = std::uint64_t{INT64_MAX} + (negative ? 1 : 0);
  std::uint64_t v = 0;
  for (; p != end; ++p) {
    if (*p < '0' || *p > '9') return false;
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (v > (limit - digit) / 10) return false;
    v = v * 10 + digit;
  }
  *value = negative ? static_cast<std::int64_t>(0 - v) : static_cast<std::int64_t>(v);
  return true;
}

// "inf", "-Infinity", "nan": ignoring case, `word` in lower case.
constexpr bool SameIgnoringCase(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((IsLetter(text[i]) ? static_cast<char>(text[i] | 0x20) : text[i]) != word[i]) return false;
  return true;
}

// Whether the text is a float: decimal, hexadecimal ("0x1p3"), infinity or NaN.
constexpr bool LooksLikeFloat(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity") || SameIgnoringCase(text, "nan")) return true;
  TextCursor in(text);
  const bool hex = in.Eat("0x") || in.Eat("0X");
  std::size_t digits = 0;
  for (bool point = false; hex ? HexDigit(in.peek()) >= 0 || (!point && in.peek() == '.')
                               : Is(in.peek(), point ? kDigitChar : kDigitChar | kDot);
       ++in.at) {
    if (in.peek() == '.')
      point = true;
    else
      ++digits;
  }
  if (digits == 0) return false;
  const char mark = in.peek();
  if (hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E') {
    ++in.at;
    if (in.peek() == '-' || in.peek() == '+') ++in.at;
    if (in.EatWhile(kDigitChar).empty()) return false;
  }
  return in.done();
}

}  // namespace detail

// One value of a default. Which member counts follows from the attr's kind.
struct SpecValue {
  std::int64_t i = 0;  // kInt, and kBool as 0 or 1
  DataType type{};  // kType; any number may stand in a spec
  std::string_view
      text;  // kString: between the quotes, with escapes; kFloat: the digits; kShape, kTensor, kFunc: "{ ... }"
};

// Reads the values of a default one by one, with the grammar of TensorFlow's own text reader. A scalar has one value.
//   DefaultReader values(spec);  SpecValue v;  while (values.Next(&v)) ...;  if (values.failed()) ...
class DefaultReader {
 public:
  constexpr DefaultReader(AttrKind kind, bool is_list, std::string_view text)
      : kind_(kind), is_list_(is_list), in_(text) {}
  constexpr explicit DefaultReader(const AttrSpec& spec)
      : DefaultReader(spec.kind, spec.is_list, spec.default_text()) {}

  constexpr bool Next(SpecValue* value) {
    if (state_ == kEnd) return false;
    if (is_list_ && state_ == kStart) {
      in_.SkipSpace();
      while (in_.size > 0 && detail::IsSpace(in_.data[in_.size - 1])) --in_.size;
      if (in_.peek() != '[' || in_.size < in_.at + 2 || in_.data[in_.size - 1] != ']') return Fail();
      ++in_.at;
      in_.SkipSpace();
      if (in_.at + 1 == in_.size) return End();
    } else if (is_list_) {
      if (in_.Eat(']')) return in_.done() ? End() : Fail();
      if (!in_.Eat(',')) return Fail();
    } else if (state_ != kStart) {
      return TrailingWordsOnly() ? End() : Fail();
    }
    state_ = kMiddle;
    in_.SkipSpaceAndComments();
    return ReadValue(value) || Fail();
  }
  constexpr bool failed() const { return failed_; }

 private:
  enum State : std::uint8_t { kStart, kMiddle, kEnd };

  constexpr bool End() {
    state_ = kEnd;
    return false;
  }
  constexpr bool Fail() {
    failed_ = true;
    return End();
  }
  constexpr bool ReadValue(SpecValue* value) {
    switch (kind_) {
      case AttrKind::kString:
        if (!detail::EatQuoted(&in_, &value->text) || !detail::ValidEscapes(value->text)) return false;
        break;
      case AttrKind::kInt: {
        const std::string_view digits = Number();
        if (!OneLeadingZeroAtMost(digits) || !detail::ReadDecimal(digits, &value->i)) return false;
        break;
      }
      case AttrKind::kFloat:
        value->text = Number();
        if (!OneLeadingZeroAtMost(value->text) || !detail::LooksLikeFloat(value->text)) return false;
        break;
      case AttrKind::kBool: {
        const std::string_view word = in_.EatWhile(detail::kLetterChars | detail::kDigitChar);
        value->i =
            detail::SameText(word, "true", 4) || detail::SameText(word, "True", 4) || detail::SameText(word, "1", 1);
        if (value->i == 0 && !detail::SameText(word, "false", 5) && !detail::SameText(word, "False", 5) &&
            !detail::SameText(word, "0", 1))
          return false;
        break;
      }
      case AttrKind::kType: return ReadType(value);  // no blanks are skipped behind it: TensorFlow's reader does not
      default:
        if (!EatBlock(&value->text)) return false;
    }
    in_.SkipSpaceAndComments();
    return true;
  }
  constexpr bool ReadType(SpecValue* value) {
    const std::string_view word = in_.EatWhile(detail::kWordChars | detail::kSignChar);
    value->type = DataType::kInvalid;
    if (word.size() > 3 && word[0] == 'D' && word[1] == 'T' && word[2] == '_') {
      value->type = detail::FindType(word.data() + 3, word.size() - 3, true);
      return value->type != DataType::kInvalid || word == "DT_INVALID";
    }
    std::int64_t number = 0;
    if (!detail::ReadDecimal(word, &number) || number < INT32_MIN || number > INT32_MAX) return false;
    value->type = static_cast<DataType>(number);
    return true;
  }
  // "{ ... }" or "< ... >" up to its end; what is inside is read at run time.
  constexpr bool EatBlock(std::string_view* block) {
    const std::size_t begin = in_.at;
    char closing[100] = {};
    std::size_t depth = 0;
    do {
      const char c = in_.peek();
      if (c == '{' || c == '<' || (c == '[' && depth > 0)) {
        if (depth == sizeof closing) return false;
        closing[depth++] = c == '{' ? '}' : c == '<' ? '>' : ']';
      } else if (depth > 0 && c == closing[depth - 1]) {
        --depth;
      } else if (c == '"' || c == '\'') {
        std::string_view raw;
        if (depth == 0 || !detail::EatQuoted(&in_, &raw)) return false;
        continue;
      } else if (depth == 0 || in_.done() || c == '}' || c == '>' || c == ']') {
        return false;
      }
      ++in_.at;
      if (depth > 0) in_.SkipSpaceAndComments();
    } while (depth > 0);
    *block = {in_.data + begin, in_.at - begin};
    return true;
  }
  constexpr std::string_view Number() { return in_.EatWhile(detail::kNumberChars); }
  static constexpr bool OneLeadingZeroAtMost(std::string_view number) {
    int zeros = 0;
    for (const char c : number) {
      if (c == '0') {
        if (++zeros > 1) return false;
      } else if (c != '-') {
        break;
      }
    }
    return true;
  }
  // TensorFlow takes a scalar for a whole message and ignores names of fields that it does not know: "3 4" is 3.
  constexpr bool TrailingWordsOnly() {
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.done()) return true;
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      for (const std::string_view field :
           {"s", "i", "f", "b", "type", "shape", "tensor", "list", "func", "placeholder"})
        if (word == field) return false;
      in_.SkipSpaceAndComments();
      (void)in_.Eat(':');
    }
  }

  AttrKind kind_;
  bool is_list_;
  State state_ = kStart;
  bool failed_ = false;
  detail::TextCursor in_;
};

// The numbers and words behind allowed_text(), in source order: sets give several types ("numbertype" ascending).
//   AllowedReader allowed(spec);  while (allowed.Next()) { allowed.types() or allowed.string() }
class AllowedReader {
 public:
  constexpr explicit AllowedReader(const AttrSpec& spec) : form_(spec.allowed), in_(spec.allowed_text()) {}

  constexpr bool Next() {
    if (form_ == AllowedForm::kNone) return false;
    if (form_ == AllowedForm::kStrings) {
      if (!detail::EatQuoted(&in_, &string_)) return false;
    } else {
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      types_ = NamedTypes(word);
    }
    in_.SkipSpace();
    if (form_ == AllowedForm::kTypeSet || !in_.Eat(',')) form_ = AllowedForm::kNone;
    in_.SkipSpace();
    return true;
  }
  constexpr DataTypeSet types() const { return types_; }
  constexpr std::string_view string() const { return string_; }  // still with its escapes

  // "float", or "numbertype" and the like; the set of kInvalid for any other word.
  static constexpr DataTypeSet NamedTypes(std::string_view word) {
    if (const DataType type = detail::FindType(word.data(), word.size()); type != DataType::kInvalid)
      return ToSet(type);
    if (word == "numbertype" || word == "numerictype") return kNumberTypes;
    if (word == "quantizedtype") return kQuantizedTypes;
    if (word == "realnumbertype" || word == "realnumerictype") return kRealNumberTypes;
    return ToSet(DataType::kInvalid);
  }

 private:
  AllowedForm form_;
  detail::TextCursor in_;
  DataTypeSet types_;
  std::string_view string_;
};

namespace detail {

class SpecReader {
 public:
  constexpr explicit SpecReader(std::string_view text) : in_(text) {}

  constexpr SpecIssue Attr(AttrSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT32_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(false, &out->name_size)) return issue_;
    out->is_list = EatListPrefix();
    if (!Kind(out)) return issue_;
    const bool runs_on = kind_end_ == in_.at && IsWordChar(in_.peek());
    in_.SkipSpace();
    if (out->is_list) {
      if (!in_.Eat(')')) return Issue(SpecError::kListNotClosed, in_.at, runs_on);
      in_.SkipSpace();
    }
    if ((out->is_list || out->kind == AttrKind::kInt) && in_.Eat(">=")) {
      const std::size_t begin = in_.at;
      if (!Minimum(&out->minimum)) return Issue(SpecError::kBadMinimum, begin);
      out->has_minimum = true;
    }
    if (!in_.Eat('=')) return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at, runs_on);
    in_.SkipSpace();
    out->has_default = true;
    out->default_begin = static_cast<std::uint32_t>(in_.at);
    DefaultReader values(*out);
    for (SpecValue value; values.Next(&value);) {
    }
    return values.failed() ? Issue(SpecError::kBadDefault, in_.at) : issue_;
  }

  constexpr SpecIssue Arg(ArgSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT16_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(true, &out->name_size)) return issue_;
    const TextCursor before_ref = in_;
    if (in_.Eat("Ref")) {
      in_.SkipSpace();
      out->is_ref = in_.Eat('(');
      if (out->is_ref)
        in_.SkipSpace();
      else
        in_ = before_ref;
    }
    out->type_begin = static_cast<std::uint16_t>(in_.at);
    std::string_view word = Word();
    if (word.empty()) return Issue(SpecError::kNoType, in_.at);
    const TextCursor before_star = in_;
    if (in_.Eat('*')) {
      in_.SkipSpace();
      const std::size_t second = in_.at;
      const std::string_view type = Word();
      if (type.empty()) {
        in_ = before_star;
      } else {
        out->number_begin = out->type_begin;
        out->type_begin = static_cast<std::uint16_t>(second);
        word = type;
      }
    }
    out->type = FindType(word.data(), word.size());
    if (out->is_ref) {
      if (!in_.Eat(')')) return Issue(SpecError::kRefNotClosed, in_.at);
      in_.SkipSpace();
    }
    return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at);
  }

 private:
  constexpr SpecIssue Issue(SpecError error, std::size_t begin, bool runs_on = false) {
    issue_ = {error, runs_on, begin, in_.size};
    return issue_;
  }
  constexpr bool Stop(SpecError error, std::size_t begin) {
    Issue(error, begin);
    return false;
  }
  constexpr bool NameThenColon(bool lower, std::uint16_t* size) {
    if (!Is(in_.peek(), lower ? kLowerChar : kLetterChars)) return Stop(SpecError::kNameNotIdentifier, 0);
    const std::string_view name = in_.EatWhile(lower ? kLowerChar | kDigitChar | kUnderscore : kWordChars);
    if (name.size() > UINT16_MAX) return Stop(SpecError::kTooLong, 0);
    *size = static_cast<std::uint16_t>(name.size());
    in_.SkipSpace();
    if (!in_.Eat(':'))
      return Stop(
          lower && IsLetter(in_.peek()) && in_.at == name.size() ? SpecError::kNameNotIdentifier : SpecError::kNoColon,
          0);
    in_.SkipSpace();
    return true;
  }
  constexpr bool EatListPrefix() {
    const TextCursor before = in_;
    if (in_.Eat("list")) {
      in_.SkipSpace();
      if (in_.Eat('(')) {
        in_.SkipSpace();
        return true;
      }
    }
    in_ = before;
    return false;
  }
  // The words are tried in TensorFlow's order, each as a prefix.
  constexpr bool Kind(AttrSpec* out) {
    constexpr const char* kKinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
    constexpr const char* kSets[] = {"numbertype", "numerictype", "quantizedtype", "realnumbertype",
                                     "realnumberictype"};
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k) {
      out->kind = static_cast<AttrKind>(k);
      if (in_.Eat(kKinds[k])) {
        kind_end_ = in_.at;
        return true;
      }
    }
    if (in_.Eat("any")) return Stop(SpecError::kUnknownAttrKind, in_.at);
    out->kind = AttrKind::kType;
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    for (const char* word : kSets) {
      if (!in_.Eat(word)) continue;
      out->allowed = AllowedForm::kTypeSet;
      out->allowed_types = AllowedReader::NamedTypes(word);
      kind_end_ = in_.at;
      if (!out->allowed_types.contains(DataType::kInvalid)) return true;
      issue_ = {SpecError::kNotACompoundType, false, out->allowed_begin, in_.at};
      return false;
    }
    if (!in_.Eat('{')) return Stop(SpecError::kUnknownAttrKind, in_.at);
    in_.SkipSpace();
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    const bool strings = in_.peek() == '"' || in_.peek() == '\'';
    out->kind = strings ? AttrKind::kString : AttrKind::kType;
    out->allowed = strings ? AllowedForm::kStrings : AllowedForm::kTypes;
    for (;;) {
      if (strings ? !AllowedString() : !AllowedType(out)) return false;
      const bool comma = in_.Eat(',');
      if (comma) in_.SkipSpace();
      if (in_.Eat('}')) return true;
      if (!comma) return Stop(strings ? SpecError::kNoCommaAfterString : SpecError::kNoCommaAfterType, in_.at);
    }
  }
  constexpr bool AllowedString() {
    const std::size_t begin = in_.at;
    std::string_view raw;
    if (!EatQuoted(&in_, &raw)) return Stop(SpecError::kBadStringInList, begin);
    if (!ValidEscapes(raw)) {
      issue_ = {SpecError::kBadEscapeInList, false, begin + 1, begin + 1 + raw.size()};
      return false;
    }
    in_.SkipSpace();
    return true;
  }
  constexpr bool AllowedType(AttrSpec* out) {
    const std::size_t begin = in_.at;
    const std::string_view word = in_.EatWhile(kLowerChar | kDigitChar);
    if (word.empty()) return Stop(SpecError::kNoTypeInList, begin);
    const DataTypeSet types = AllowedReader::NamedTypes(word);
    if (types.contains(DataType::kInvalid)) {
      issue_ = {SpecError::kUnknownTypeInList, false, begin, begin + word.size()};
      return false;
    }
    out->allowed_types = out->allowed_types | types;
    in_.SkipSpace();
    return true;
  }
  constexpr bool Minimum(std::int64_t* value) {
    in_.SkipSpace();
    const std::size_t begin = in_.at;
    (void)in_.Eat('-');
    if (in_.EatWhile(kDigitChar).empty() || !ReadDecimal({in_.data + begin, in_.at - begin}, value)) return false;
    in_.SkipSpace();
    return true;
  }
  constexpr std::string_view Word() {
    if (!IsLetter(in_.peek())) return {};
    const std::string_view word = in_.EatWhile(kWordChars);
    in_.SkipSpace();
    return word;
  }

  TextCursor in_;
  SpecIssue issue_;
  std::size_t kind_end_ = static_cast<std::size_t>(-1);  // just behind "int" and the like
};

// Never constexpr and never defined: reaching one of these while a signature is being read stops the compiler with this
// name in its message.
void op_signature_error_expected_colon_after_name();
void op_signature_error_name_is_not_an_identifier();
void op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
void op_signature_error_unknown_type_in_list();
void op_signature_error_string_in_list_is_not_closed();
void op_signature_error_escape_in_string_is_not_valid();
void op_signature_error_expected_comma_or_closing_brace_in_list();
void op_signature_error_expected_closing_parenthesis_of_list();
void op_signature_error_expected_closing_parenthesis_of_Ref();
void op_signature_error_expected_a_whole_number_after_greater_equal();
void op_signature_error_default_does_not_fit_the_attr();
void op_signature_error_expected_a_type_after_the_colon();
void op_signature_error_text_left_over_after_the_spec();
void op_signature_error_spec_is_too_long();

constexpr void StopOnSpecError(const SpecIssue& issue) {
  if (issue.word_runs_on)
    op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
  switch (issue.error) {
    case SpecError::kNone: return;
    case SpecError::kNameNotIdentifier: return op_signature_error_name_is_not_an_identifier();
    case SpecError::kNoColon: return op_signature_error_expected_colon_after_name();
    case SpecError::kUnknownAttrKind:
    case SpecError::kNotACompoundType:
      op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
      return;
    case SpecError::kUnknownTypeInList:
    case SpecError::kNoTypeInList: return op_signature_error_unknown_type_in_list();
    case SpecError::kBadStringInList: return op_signature_error_string_in_list_is_not_closed();
    case SpecError::kBadEscapeInList: return op_signature_error_escape_in_string_is_not_valid();
    case SpecError::kNoCommaAfterString:
    case SpecError::kNoCommaAfterType: return op_signature_error_expected_comma_or_closing_brace_in_list();
    case SpecError::kListNotClosed: return op_signature_error_expected_closing_parenthesis_of_list();
    case SpecError::kBadMinimum: return op_signature_error_expected_a_whole_number_after_greater_equal();
    case SpecError::kBadDefault: return op_signature_error_default_does_not_fit_the_attr();
    case SpecError::kNoType: return op_signature_error_expected_a_type_after_the_colon();
    case SpecError::kRefNotClosed: return op_signature_error_expected_closing_parenthesis_of_Ref();
    case SpecError::kTextLeftOver: return op_signature_error_text_left_over_after_the_spec();
    case SpecError::kTooLong: return op_signature_error_spec_is_too_long();
  }
}

}  // namespace detail

// Reads one spec into *out. On an issue *out holds what was read so far.
constexpr SpecIssue ReadAttrSpec(std::string_view text, AttrSpec* out) { return detail::SpecReader(text).Attr(out); }
constexpr SpecIssue ReadArgSpec(std::string_view text, ArgSpec* out) { return detail::SpecReader(text).Arg(out); }

TENON_NAMESPACE_END

// ---- tenon/op/signature.hpp ----
// The op language: TensorFlow's registration strings, read by the C++ compiler.
//
//   static constexpr auto signature = tenon::Op("MatMul").Input("a: T").Input("b: T").Output("product: T")
//       .Attr("T: {float, double}").SetShapeFn(tenon::shape_inference::MatMulShape);
//
// A mistake in a string is a compile error on its line. The value lies in read-only data; nothing is parsed at
// start-up.
TENON_NAMESPACE_BEGIN

class Status;
class InferenceContext;
using ShapeFn = Status (*)(InferenceContext*);  // op/inference_context.hpp

struct OpFlags {
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_distributed_communication = false;

  friend constexpr bool operator==(const OpFlags&, const OpFlags&) = default;
};

// What an attr of one node is worth, as far as argument types need it.
struct ArgAttrValue {
  std::int64_t number = 0;            // of an int attr
  DataType type = DataType::kInvalid;  // of a type attr
  std::span<const DataType> types;     // of a list(type) attr
};

// Any signature without its sizes: what registries, graphs and executors hold. Points at static data (or at an
// OwnedOp).
struct OpView {
  std::string_view name;
  std::span<const ArgSpec> inputs;
  std::span<const ArgSpec> outputs;
  std::span<const AttrSpec> attrs;
  std::span<const std::string_view> control_outputs;
  ShapeFn shape_fn = nullptr;
  OpFlags flags;
  int deprecated_since = 0;  // GraphDef version from which on the op is gone; 0: never
  std::string_view deprecation_text;
  std::string_view doc;

  // Position in attrs, or -1.
  constexpr int AttrIndex(std::string_view attr_name) const {
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (attrs[i].name() == attr_name) return static_cast<int>(i);
    return -1;
  }
  constexpr const AttrSpec* FindAttr(std::string_view attr_name) const {
    const int i = AttrIndex(attr_name);
    return i < 0 ? nullptr : &attrs[static_cast<std::size_t>(i)];
  }
  // The attr that gives an argument its type or types; null when the type is fixed.
  constexpr const AttrSpec* TypeAttr(const ArgSpec& arg) const {
    return arg.type_attr_index < 0 ? nullptr : &attrs[static_cast<std::size_t>(arg.type_attr_index)];
  }
  // The N of "N * T"; null when there is none.
  constexpr const AttrSpec* NumberAttr(const ArgSpec& arg) const {
    return arg.number_attr_index < 0 ? nullptr : &attrs[static_cast<std::size_t>(arg.number_attr_index)];
  }

  // How many tensors an argument stands for on a node. `find(const AttrSpec&, ArgAttrValue*)` looks the node's attrs up
  // and returns false for one that is missing; then the answer is -1.
  template <class Find>
  constexpr std::int64_t ArgCount(const ArgSpec& arg, Find&& find) const {
    ArgAttrValue value;
    if (arg.number_attr_index >= 0) return find(*NumberAttr(arg), &value) ? value.number : -1;
    if (arg.is_type_list) return find(*TypeAttr(arg), &value) ? static_cast<std::int64_t>(value.types.size()) : -1;
    return 1;
  }
  // Calls emit(DataType) once for each tensor of an argument, reference types as such. False when an attr is missing or
  // the number is negative.
  template <class Find, class Emit>
  constexpr bool ForEachType(const ArgSpec& arg, Find&& find, Emit&& emit) const {
    const auto emit_one = [&](DataType type) { emit(arg.is_ref ? MakeRefType(type) : type); };
    ArgAttrValue value;
    if (arg.is_type_list) {
      if (!find(*TypeAttr(arg), &value)) return false;
      for (const DataType type : value.types) emit_one(type);
      return true;
    }
    const std::int64_t count = ArgCount(arg, find);
    if (count < 0) return false;
    DataType type = arg.type;
    if (type == DataType::kInvalid) {
      if (arg.type_attr_index < 0 || !find(*TypeAttr(arg), &value)) return false;
      type = value.type;
    }
    for (std::int64_t i = 0; i < count; ++i) emit_one(type);
    return true;
  }
};

namespace detail {

void op_signature_error_same_name_used_twice();
void op_signature_error_type_is_neither_a_dtype_nor_a_declared_attr();
void op_signature_error_type_must_be_an_attr_of_kind_type_or_list_of_type();
void op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
void op_signature_error_length_of_an_argument_must_have_a_minimum_of_0_or_more();
void op_signature_error_length_and_list_of_type_cannot_be_combined();
void op_signature_error_reference_type_is_written_Ref_of_the_type();
void op_signature_error_attr_has_the_name_of_a_dtype();
void op_signature_error_minimum_of_a_list_must_be_0_or_more();
void op_signature_error_default_is_less_than_the_minimum();
void op_signature_error_default_is_not_an_allowed_value();
void op_signature_error_default_type_must_be_a_known_type_and_no_reference();
void op_signature_error_op_name_must_be_CamelCase();
void op_signature_error_control_output_name_is_not_an_identifier();
void op_signature_error_shape_fn_is_set_twice();
void op_signature_error_doc_is_set_twice();
void op_signature_error_deprecated_is_set_twice();

// An array of exactly N, also for N = 0.
template <class T, std::size_t N>
struct SpecArray {
  T items[N] = {};

  constexpr std::span<const T> view() const { return {items, N}; }
};
template <class T>
struct SpecArray<T, 0> {
  constexpr std::span<const T> view() const { return {}; }
};

// [A-Z][A-Za-z0-9_]* with '>' between namespaces; names that begin with '_' belong to the runtime and may be anything.
constexpr bool IsOpName(std::string_view name) {
  if (!name.empty() && name.front() == '_') return true;
  bool first = true;
  for (const char c : name) {
    if (first ? !(c >= 'A' && c <= 'Z') : !IsWordChar(c) && c != '>') return false;
    first = c == '>';
  }
  return !first;
}

// Whether the word at text[begin] is this name.
constexpr bool WordIs(std::string_view text, std::size_t begin, const char* name, std::size_t size) {
  const char* word = text.data() + begin;
  if (text.size() - begin < size) return false;
  std::size_t i = 0;
  while (i < size && word[i] == name[i]) ++i;
  return i == size && (begin + size == text.size() || !IsWordChar(word[size]));
}

// Makes an argument and an attr acquainted if the argument names it. TensorFlow's side effect comes along: an attr that
// counts tensors has a minimum of 1 unless it says otherwise.
constexpr void Link(ArgSpec* arg, AttrSpec* attr, std::size_t attr_index) {
  const char* name = attr->text.data();
  bool counts = false;
  if (arg->number_begin != 0 && arg->number_attr_index < 0 &&
      WordIs(arg->text, arg->number_begin, name, attr->name_size)) {
    arg->number_attr_index = static_cast<std::int16_t>(attr_index);
    counts = true;
  }
  if (arg->type == DataType::kInvalid && arg->type_attr_index < 0 &&
      WordIs(arg->text, arg->type_begin, name, attr->name_size)) {
    arg->type_attr_index = static_cast<std::int16_t>(attr_index);
    arg->is_type_list = attr->is_type_list();
    counts = counts || (arg->is_type_list && arg->number_begin == 0);
  }
  if (counts && !attr->has_minimum) {
    attr->has_minimum = true;
    attr->minimum = 1;
  }
}

template <class Spec>
constexpr void CheckNewName(const char* name, std::size_t size, std::span<const Spec> others) {
  for (const Spec& other : others) {
    if (other.name_size != size) continue;
    const char* text = other.text.data();
    std::size_t i = 0;
    while (i < size && text[i] == name[i]) ++i;
    if (i == size) op_signature_error_same_name_used_twice();
  }
}
constexpr void CheckNewName(std::string_view text, std::size_t size, std::span<const ArgSpec> a,
                            std::span<const ArgSpec> b, std::span<const AttrSpec> c) {
  CheckNewName(text.data(), size, a);
  CheckNewName(text.data(), size, b);
  CheckNewName(text.data(), size, c);
}

constexpr void CheckArg(const ArgSpec& arg, std::span<const AttrSpec> attrs) {
  if (IsRefType(arg.type)) op_signature_error_reference_type_is_written_Ref_of_the_type();
  if (arg.type == DataType::kInvalid) {
    if (arg.type_attr_index < 0)
      op_signature_error_type_is_neither_a_dtype_nor_a_declared_attr();
    else if (attrs[static_cast<std::size_t>(arg.type_attr_index)].kind != AttrKind::kType)
      op_signature_error_type_must_be_an_attr_of_kind_type_or_list_of_type();
  }
  if (arg.number_begin == 0) return;
  if (arg.is_type_list) op_signature_error_length_and_list_of_type_cannot_be_combined();
  if (arg.number_attr_index < 0) op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
  const AttrSpec& number = attrs[static_cast<std::size_t>(arg.number_attr_index)];
  if (number.kind != AttrKind::kInt || number.is_list)
    op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
  if (number.minimum < 0) op_signature_error_length_of_an_argument_must_have_a_minimum_of_0_or_more();
}

constexpr void CheckAttr(const AttrSpec& attr) {
  if (FindType(attr.text.data(), attr.name_size) != DataType::kInvalid)
    op_signature_error_attr_has_the_name_of_a_dtype();
  if (attr.is_list && attr.minimum < 0) op_signature_error_minimum_of_a_list_must_be_0_or_more();
  const bool limited = attr.kind == AttrKind::kType || attr.allowed != AllowedForm::kNone || attr.has_minimum;
  if (!attr.has_default || !limited) return;
  DefaultReader values(attr);
  std::int64_t count = 0;
  for (SpecValue value; values.Next(&value); ++count) {
    if (attr.kind == AttrKind::kInt && !attr.is_list && attr.has_minimum && value.i < attr.minimum)
      op_signature_error_default_is_less_than_the_minimum();
    if (attr.kind == AttrKind::kType) {
      if (!kAllTypes.contains(value.type)) op_signature_error_default_type_must_be_a_known_type_and_no_reference();
      if (!attr.allowed_types.empty() && !attr.allowed_types.contains(value.type))
        op_signature_error_default_is_not_an_allowed_value();
    }
    if (attr.allowed == AllowedForm::kStrings) {
      bool found = false;
      for (AllowedReader allowed(attr); !found && allowed.Next();) found = SameUnescaped(allowed.string(), value.text);
      if (!found) op_signature_error_default_is_not_an_allowed_value();
    }
  }
  if (attr.is_list && attr.has_minimum && count < attr.minimum) op_signature_error_default_is_less_than_the_minimum();
}

}  // namespace detail

// The description of one op, as large as it needs to be: In inputs, Out outputs, At attrs, Ct control outputs. A
// literal value; every member function returns a new one. Attrs and arguments may come in any order.
template <int In, int Out, int At, int Ct = 0>
struct Signature {
  static constexpr int kInputs = In;
  static constexpr int kOutputs = Out;
  static constexpr int kAttrs = At;

  std::string_view name;
  ShapeFn shape_fn = nullptr;
  std::string_view doc;
  std::string_view deprecation_text;
  int deprecated_since = 0;
  OpFlags flags;
  detail::SpecArray<ArgSpec, In> inputs;
  detail::SpecArray<ArgSpec, Out> outputs;
  detail::SpecArray<AttrSpec, At> attrs;
  detail::SpecArray<std::string_view, Ct> control_outputs;

  // "name: T", "name: N * T", "name: list_attr", "name: float", "name: Ref(T)".
  constexpr auto Input(std::string_view spec) const {
    auto next = Grown<In + 1, Out, At, Ct>();
    next.AddArg(&next.inputs.items[In], spec, inputs.view(), outputs.view());
    return next;
  }
  constexpr auto Output(std::string_view spec) const {
    auto next = Grown<In, Out + 1, At, Ct>();
    next.AddArg(&next.outputs.items[Out], spec, inputs.view(), outputs.view());
    return next;
  }
  // "name: int >= 1 = 2", "name: {float, int32} = DT_FLOAT", "name: list(string) = []", ...
  constexpr auto Attr(std::string_view spec) const {
    auto next = Grown<In, Out, At + 1, Ct>();
    AttrSpec& attr = next.attrs.items[At];
    detail::StopOnSpecError(ReadAttrSpec(spec, &attr));
    detail::CheckNewName(spec, attr.name_size, inputs.view(), outputs.view(), attrs.view());
    if constexpr (In > 0)
      for (ArgSpec& arg : next.inputs.items) detail::Link(&arg, &attr, At);
    if constexpr (Out > 0)
      for (ArgSpec& arg : next.outputs.items) detail::Link(&arg, &attr, At);
    return next;
  }
  constexpr auto ControlOutput(std::string_view control_name) const {
    auto next = Grown<In, Out, At, Ct + 1>();
    if (control_name.empty() || !detail::IsLetter(control_name.front()))
      detail::op_signature_error_control_output_name_is_not_an_identifier();
    std::size_t size = 0;
    while (size < control_name.size() && detail::IsWordChar(control_name[size])) ++size;
    next.control_outputs.items[Ct] = control_name.substr(0, size);
    return next;
  }

  // A function `Status (*)(InferenceContext*)` or a lambda without captures.
  constexpr Signature SetShapeFn(ShapeFn fn) const {
    if (shape_fn != nullptr) detail::op_signature_error_shape_fn_is_set_twice();
    Signature next = *this;
    next.shape_fn = fn;
    return next;
  }
  constexpr Signature SetIsStateful() const { return WithFlag(&OpFlags::is_stateful); }
  constexpr Signature SetIsCommutative() const { return WithFlag(&OpFlags::is_commutative); }
  constexpr Signature SetIsAggregate() const { return WithFlag(&OpFlags::is_aggregate); }
  constexpr Signature SetAllowsUninitializedInput() const { return WithFlag(&OpFlags::allows_uninitialized_input); }
  constexpr Signature SetIsDistributedCommunication() const { return WithFlag(&OpFlags::is_distributed_communication); }
  // Graphs of this GraphDef version or later may not hold the op.
  constexpr Signature Deprecated(int version, std::string_view explanation) const {
    if (deprecated_since != 0 || !deprecation_text.empty()) detail::op_signature_error_deprecated_is_set_twice();
    Signature next = *this;
    next.deprecated_since = version;
    next.deprecation_text = explanation;
    return next;
  }
  constexpr Signature Doc(std::string_view text) const {
    if (!doc.empty()) detail::op_signature_error_doc_is_set_twice();
    Signature next = *this;
    next.doc = text;
    return next;
  }

  // The checks that need the whole declaration (TensorFlow's ValidateOpDef). Stops the compiler on a mistake; the
  // library asks for it, in a constant expression, wherever an op struct is used.
  constexpr bool Validate() const {
    if (!detail::IsOpName(name)) detail::op_signature_error_op_name_must_be_CamelCase();
    for (const ArgSpec& arg : inputs.view()) detail::CheckArg(arg, attrs.view());
    for (const ArgSpec& arg : outputs.view()) detail::CheckArg(arg, attrs.view());
    for (const AttrSpec& attr : attrs.view()) detail::CheckAttr(attr);
    return true;
  }

  // Points into this value, which must outlive the view.
  constexpr OpView view() const {
    return {name,     inputs.view(), outputs.view(),   attrs.view(),     control_outputs.view(),
            shape_fn, flags,         deprecated_since, deprecation_text, doc};
  }
  constexpr const AttrSpec* FindAttr(std::string_view attr_name) const {
    for (const AttrSpec& attr : attrs.view())
      if (attr.name() == attr_name) return &attr;
    return nullptr;
  }

 private:
  template <int, int, int, int>
  friend struct Signature;

  template <int In2, int Out2, int At2, int Ct2>
  constexpr Signature<In2, Out2, At2, Ct2> Grown() const {
    Signature<In2, Out2, At2, Ct2> next{name, shape_fn, doc, deprecation_text, deprecated_since, flags, {}, {}, {}, {}};
    if constexpr (In > 0)
      for (int i = 0; i < In; ++i) next.inputs.items[i] = inputs.items[i];
    if constexpr (Out > 0)
      for (int i = 0; i < Out; ++i) next.outputs.items[i] = outputs.items[i];
    if constexpr (At > 0)
      for (int i = 0; i < At; ++i) next.attrs.items[i] = attrs.items[i];
    if constexpr (Ct > 0)
      for (int i = 0; i < Ct; ++i) next.control_outputs.items[i] = control_outputs.items[i];
    return next;
  }
  constexpr void AddArg(ArgSpec* arg, std::string_view spec, std::span<const ArgSpec> old_inputs,
                        std::span<const ArgSpec> old_outputs) {
    detail::StopOnSpecError(ReadArgSpec(spec, arg));
    detail::CheckNewName(spec, arg->name_size, old_inputs, old_outputs, attrs.view());
    if constexpr (At > 0)
      for (std::size_t i = 0; i < At; ++i) detail::Link(arg, &attrs.items[i], i);
    if (arg->type == DataType::kResource) flags.is_stateful = true;
  }
  constexpr Signature WithFlag(bool OpFlags::* flag) const {
    Signature next = *this;
    next.flags.*flag = true;
    return next;
  }
};

// Begins the description of an op: Op("ZeroOut").Input("to_zero: T")...
constexpr Signature<0, 0, 0> Op(std::string_view name) {
  Signature<0, 0, 0> signature;
  signature.name = name;
  return signature;
}

TENON_NAMESPACE_END

// ---- tenon/op/attr_def.hpp ----
// An attr's declaration as plain data: the values that its spec string's texts stand for, and whether a node's value
// keeps to it.
TENON_NAMESPACE_BEGIN

namespace detail {

inline std::string Unescape(std::string_view raw) {
  std::string out;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) out += c;
  return out;
}

// ------------------------------------------------------------- shape, tensor and func defaults: message text to wire
// bytes

struct TextField;
struct TextMessage {
  std::span<const TextField> fields;
};
struct TextField {
  std::string_view name;
  std::uint32_t number;
  // i int32, I int64, u uint32, U uint64, b bool, f float, d double, e DataType, s text, m message
  char type;
  bool repeated = false;
  bool one_of = false;
  const TextMessage* message = nullptr;
};

struct TextSchema {
  static const TextMessage kDim, kShape, kTensor, kFunc, kAttrEntry, kAttr, kList;
  static constexpr TextField kDimFields[] = {{"size", 1, 'I'}, {"name", 2, 's'}};
  static constexpr TextField kShapeFields[] = {{"dim", 2, 'm', true, false, &kDim}, {"unknown_rank", 3, 'b'}};
  static constexpr TextField kTensorFields[] = {{"dtype", 1, 'e'},
                                                {"tensor_shape", 2, 'm', false, false, &kShape},
                                                {"version_number", 3, 'i'},
                                                {"tensor_content", 4, 's'},
                                                {"half_val", 13, 'i', true},
                                                {"float_val", 5, 'f', true},
                                                {"double_val", 6, 'd', true},
                                                {"int_val", 7, 'i', true},
                                                {"string_val", 8, 's', true},
                                                {"scomplex_val", 9, 'f', true},
                                                {"int64_val", 10, 'I', true},
                                                {"bool_val", 11, 'b', true},
                                                {"dcomplex_val", 12, 'd', true},
                                                {"uint32_val", 16, 'u', true},
                                                {"uint64_val", 17, 'U', true},
                                                {"float8_val", 18, 's'}};
  static constexpr TextField kFuncFields[] = {{"name", 1, 's'}, {"attr", 2, 'm', true, false, &kAttrEntry}};
  static constexpr TextField kAttrEntryFields[] = {{"key", 1, 's'}, {"value", 2, 'm', false, false, &kAttr}};
  static constexpr TextField kAttrFields[] = {{"s", 2, 's', false, true},
                                              {"i", 3, 'I', false, true},
                                              {"f", 4, 'f', false, true},
                                              {"b", 5, 'b', false, true},
                                              {"type", 6, 'e', false, true},
                                              {"shape", 7, 'm', false, true, &kShape},
                                              {"tensor", 8, 'm', false, true, &kTensor},
                                              {"list", 1, 'm', false, true, &kList},
                                              {"func", 10, 'm', false, true, &kFunc},
                                              {"placeholder", 9, 's', false, true}};
  static constexpr TextField kListFields[] = {{"s", 2, 's', true},
                                              {"i", 3, 'I', true},
                                              {"f", 4, 'f', true},
                                              {"b", 5, 'b', true},
                                              {"type", 6, 'e', true},
                                              {"shape", 7, 'm', true, false, &kShape},
                                              {"tensor", 8, 'm', true, false, &kTensor},
                                              {"func", 9, 'm', true, false, &kFunc}};
};
inline constexpr TextMessage TextSchema::kDim{kDimFields};
inline constexpr TextMessage TextSchema::kShape{kShapeFields};
inline constexpr TextMessage TextSchema::kTensor{kTensorFields};
inline constexpr TextMessage TextSchema::kFunc{kFuncFields};
inline constexpr TextMessage TextSchema::kAttrEntry{kAttrEntryFields};
inline constexpr TextMessage TextSchema::kAttr{kAttrFields};
inline constexpr TextMessage TextSchema::kList{kListFields};

// Reads one "{ field: value ... }" into wire bytes, as TensorFlow's reader of such texts does: names that it does not
// know are skipped. one thread.
class TextToWire {
 public:
  explicit TextToWire(std::string_view text) : in_(text) {}

  bool Block(const TextMessage& message, std::string* bytes) { return Nested(message, bytes) && in_.done(); }

 private:
  static constexpr int kMaxDepth = 100;

  bool Nested(const TextMessage& message, std::string* bytes) {
    const char close = in_.peek() == '{' ? '}' : '>';
    if ((!in_.Eat("{") && !in_.Eat("<")) || ++depth_ > kMaxDepth) return false;
    SlimVector<bool> seen(message.fields.size());
    bool seen_one_of = false;
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.peek() == close) {
        ++in_.at;
        in_.SkipSpaceAndComments();
        --depth_;
        return true;
      }
      const std::string_view name = in_.EatWhile(kWordChars);
      if (name.empty()) return false;
      in_.SkipSpaceAndComments();
      const bool colon = in_.Eat(":");
      if (colon) in_.SkipSpaceAndComments();
      for (std::size_t i = 0; i < message.fields.size(); ++i) {
        const TextField& field = message.fields[i];
        if (field.name != name) continue;
        if (!field.repeated && (seen[i] || (field.one_of && seen_one_of))) return false;
        seen[i] = true;
        seen_one_of = seen_one_of || field.one_of;
        if ((field.type != 'm' && !colon) || !Values(field, bytes)) return false;
        break;
      }
    }
  }
  // One value, or "[a, b]"; repeated numbers are packed.
  bool Values(const TextField& field, std::string* bytes) {
    const bool is_list = field.repeated && in_.peek() == '[',
               packed = field.repeated && field.type != 'm' && field.type != 's';
    std::string numbers;
    do {
      if (is_list) {
        ++in_.at;
        in_.SkipSpaceAndComments();
      }
      if (!Value(field, packed ? &numbers : bytes)) return false;
    } while (is_list && in_.peek() == ',');
    if (packed) PutText(field.number, numbers, bytes);
    if (!is_list) return true;
    if (!in_.Eat("]")) return false;
    in_.SkipSpaceAndComments();
    return true;
  }
  // With its tag, but for a repeated number.
  bool Value(const TextField& field, std::string* bytes) {
    if (field.type == 'm') {
      std::string inner;
      if (!Nested(*field.message, &inner)) return false;
      PutText(field.number, inner, bytes);
      return true;
    }
    if (field.type == 's') {
      std::string_view raw;
      if (!EatQuoted(&in_, &raw)) return false;
      EscapeReader escapes(raw);
      for (char c = 0; escapes.Next(&c);) {
      }
      if (escapes.failed()) return false;
      in_.SkipSpaceAndComments();
      PutText(field.number, Unescape(raw), bytes);
      return true;
    }
    const AttrKind kind = field.type == 'b'                        ? AttrKind::kBool
                          : field.type == 'e'                      ? AttrKind::kType
                          : field.type == 'f' || field.type == 'd' ? AttrKind::kFloat
                                                                   : AttrKind::kInt;
    const std::string_view word = in_.EatWhile(kNumberChars | kUnderscore);
    DefaultReader reader(kind, false, word);
    SpecValue value;
    if (word.empty() || !reader.Next(&value) || reader.Next(&value) || reader.failed()) return false;
    if (field.type != 'e') in_.SkipSpaceAndComments();
    if (field.type == 'f' || field.type == 'd') {
      PutReal(field, std::string(word), bytes);
    } else {
      const std::int64_t number = field.type == 'e' ? static_cast<std::int64_t>(value.type) : value.i;
      if ((field.type == 'i' && (number < INT32_MIN || number > INT32_MAX)) ||
          (field.type == 'u' && (number < 0 || number > UINT32_MAX)) || (field.type == 'U' && number < 0))
        return false;
      if (!field.repeated) PutVarint(field.number << 3, bytes);
      PutVarint(static_cast<std::uint64_t>(number), bytes);
    }
    return true;
  }
  static void PutReal(const TextField& field, const std::string& word, std::string* bytes) {
    const bool single = field.type == 'f';
    const std::uint64_t bits = single ? std::bit_cast<std::uint32_t>(std::strtof(word.c_str(), nullptr))
                                      : std::bit_cast<std::uint64_t>(std::strtod(word.c_str(), nullptr));
    if (!field.repeated) PutVarint((field.number << 3) | (single ? 5u : 1u), bytes);
    for (int i = 0; i < (single ? 4 : 8); ++i) bytes->push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }

 public:
  static void PutVarint(std::uint64_t value, std::string* bytes) {
    for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>((value & 0x7f) | 0x80));
    bytes->push_back(static_cast<char>(value));
  }
  static void PutText(std::uint32_t number, std::string_view text, std::string* bytes) {
    PutVarint((number << 3) | 2u, bytes);
    PutVarint(text.size(), bytes);
    bytes->append(text);
  }

 private:
  TextCursor in_;
  int depth_ = 0;
};

inline std::string AttrTypeText(const AttrSpec& attr) {
  return attr.is_list ? StrCat("list(", Name(attr.kind), ")") : std::string(Name(attr.kind));
}

// Defaults of kinds that are messages, through their wire form.
inline bool ReadBlocks(AttrKind kind, bool is_list, std::string_view text, AttrValue* out) {
  const TextMessage& message = kind == AttrKind::kShape    ? TextSchema::kShape
                               : kind == AttrKind::kTensor ? TextSchema::kTensor
                                                           : TextSchema::kFunc;
  const std::uint32_t field = kind == AttrKind::kShape ? 7 : kind == AttrKind::kTensor ? 8 : is_list ? 9 : 10;
  std::string bytes;
  DefaultReader values(kind, is_list, text);
  for (SpecValue value; values.Next(&value);) {
    std::string inner;
    if (!TextToWire(value.text).Block(message, &inner)) return false;
    TextToWire::PutText(field, inner, &bytes);
  }
  if (values.failed()) return false;
  if (is_list) {
    std::string list;
    TextToWire::PutText(1, bytes, &list);
    bytes.swap(list);
  }
  Result<AttrValue> parsed = ParseAttrValue(std::as_bytes(std::span<const char>(bytes)));
  if (parsed.ok()) *out = *std::move(parsed);
  return parsed.ok();
}

}  // namespace detail

// The value that a default's text stands for ("3", "[DT_FLOAT]", "{ unknown_rank: true }"). False when it does not fit.
inline bool ParseAttrText(AttrKind kind, bool is_list, std::string_view text, AttrValue* out) {
  if (kind == AttrKind::kShape || kind == AttrKind::kTensor || kind == AttrKind::kFunc)
    return detail::ReadBlocks(kind, is_list, text, out);
  AttrList list;
  DefaultReader values(kind, is_list, text);
  for (SpecValue value; values.Next(&value);) {
    switch (kind) {
      case AttrKind::kString: list.s.push_back(detail::Unescape(value.text)); break;
      case AttrKind::kInt: list.i.push_back(value.i); break;
      case AttrKind::kFloat: list.f.push_back(std::strtof(std::string(value.text).c_str(), nullptr)); break;
      case AttrKind::kBool: list.b.push_back(static_cast<char>(value.i)); break;
      default: list.type.push_back(value.type);
    }
  }
  if (values.failed()) return false;
  if (is_list)
    *out = AttrValue(std::move(list));
  else if (kind == AttrKind::kString)
    *out = AttrValue(std::move(list.s.front()));
  else if (kind == AttrKind::kInt)
    *out = AttrValue(list.i.front());
  else if (kind == AttrKind::kFloat)
    *out = AttrValue(list.f.front());
  else if (kind == AttrKind::kBool)
    *out = AttrValue(list.b.front() != 0);
  else
    *out = AttrValue(list.type.front());
  return true;
}

namespace detail {

// False when the default is a message whose text is wrong; the default is a value of no kind then.
inline bool ToAttrDef(const AttrSpec& attr, OpDef::AttrDef* def) {
  def->name = attr.name();
  def->type = AttrTypeText(attr);
  def->has_minimum = attr.has_minimum;
  def->minimum = attr.minimum;
  if (attr.allowed != AllowedForm::kNone) {
    AttrList list;
    for (AllowedReader allowed(attr); allowed.Next();) {
      if (attr.allowed == AllowedForm::kStrings)
        list.s.push_back(Unescape(allowed.string()));
      else
        for (const DataType type : allowed.types()) list.type.push_back(type);
    }
    def->allowed_values = AttrValue(std::move(list));
  }
  if (!attr.has_default) return true;
  def->default_value.emplace();
  return ParseAttrText(attr.kind, attr.is_list, attr.default_text(), &*def->default_value);
}

// -------------------------------------------------------------------------------------------------- as messages show
// it

inline void SummarizeAttrDefs(std::span<const OpDef::AttrDef> attrs, std::string* text) {
  for (const OpDef::AttrDef& attr : attrs) {
    StrAppend(text, "; attr=", attr.name, ":", attr.type);
    if (attr.default_value) StrAppend(text, ",default=", SummarizeAttrValue(*attr.default_value));
    if (attr.has_minimum) StrAppend(text, ",min=", attr.minimum);
    if (attr.allowed_values.has_value()) StrAppend(text, ",allowed=", SummarizeAttrValue(attr.allowed_values));
  }
}
inline void SummarizeOpFlags(const OpFlags& flags, std::string* text) {
  if (flags.is_commutative) *text += "; is_commutative=true";
  if (flags.is_aggregate) *text += "; is_aggregate=true";
  if (flags.is_stateful) *text += "; is_stateful=true";
  if (flags.allows_uninitialized_input) *text += "; allows_uninitialized_input=true";
  if (flags.is_distributed_communication) *text += "; is_distributed_communication=true";
}

}  // namespace detail

namespace detail {

template <class T, class ToText>
Status CheckAllowed(const SlimVector<T>& values, const SlimVector<T>& allowed, std::string_view attr, ToText to_text) {
  for (const T& value : values) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) continue;
    return errors::InvalidArgument(
        "Value for attr '", attr, "' of ", to_text(value), " is not in the list of allowed values: ",
        StrJoin(allowed, ", ", [&](std::string* out, const T& item) { out->append(to_text(item)); }));
  }
  return OkStatus();
}

inline std::size_t ListLength(const AttrList& list) {
  return list.s.size() + list.i.size() + list.f.size() + list.b.size() + list.type.size() + list.shape.size() +
         list.tensor.size() + list.func.size();
}

}  // namespace detail

// Has the value the attr's type, and does it keep to its minimum and its allowed values?
inline Status ValidateAttrValue(const AttrValue& value, const OpDef::AttrDef& attr) {
  if (Status s = AttrValueHasType(value, attr.type); !s.ok()) {
    return s.WithAppended(StrCat("\n\t for attr '", attr.name, "'"));
  }
  const bool is_list = StartsWith(attr.type, "list(");
  if (attr.has_minimum && attr.type == "int" && value.i() < attr.minimum) {
    return errors::InvalidArgument("Value for attr '", attr.name, "' of ", value.i(), " must be at least minimum ",
                                   attr.minimum);
  }
  if (attr.has_minimum && is_list) {
    const auto length = static_cast<std::int64_t>(detail::ListLength(value.list()));
    if (length < attr.minimum) {
      return errors::InvalidArgument("Length for attr '", attr.name, "' of ", length, " must be at least minimum ",
                                     attr.minimum);
    }
  }
  if (!attr.allowed_values.has_value()) return OkStatus();
  const AttrList& allowed = attr.allowed_values.list();
  if (attr.type == "type" || attr.type == "list(type)") {
    const SlimVector<DataType> one{value.type()};
    return detail::CheckAllowed(is_list ? value.list().type : one, allowed.type, attr.name,
                                [](DataType t) { return std::string(Name(t)); });
  }
  if (attr.type == "string" || attr.type == "list(string)") {
    const SlimVector<std::string> one{value.s()};
    return detail::CheckAllowed(is_list ? value.list().s : one, allowed.s, attr.name,
                                [](const std::string& s) { return StrCat("\"", s, "\""); });
  }
  return errors::Unimplemented("Support for allowed_values not implemented for type ", attr.type);
}

TENON_NAMESPACE_END

// ---- tenon/op/op_export.hpp ----
// Between the op language and OpDef: a signature as TensorFlow's OpDef, an OpDef as a signature (OwnedOp), and the same
// spec strings read at run time, where a mistake is a Status with TensorFlow's text (OpDefBuilder).
TENON_NAMESPACE_BEGIN

// ------------------------------------------------------------------------------------------------ signature to OpDef

namespace detail {

inline OpDef::ArgDef ToArgDef(const ArgSpec& arg) {
  OpDef::ArgDef def;
  def.name = arg.name();
  def.type = arg.type;
  def.type_attr = arg.type_attr();
  def.number_attr = arg.number_attr();
  def.type_list_attr = arg.type_list_attr();
  def.is_ref = arg.is_ref;
  return def;
}

// The texts of Doc(): summary, description, then "name: text" for arguments and attrs. Returns the names that there are
// not.
class DocReader {
 public:
  static SlimVector<std::string> Read(std::string_view text, OpDef* def) { return DocReader(text, def).Run(); }

 private:
  DocReader(std::string_view text, OpDef* def) : def_(def) {
    for (;;) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
      lines_.push_back(line);
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }
  SlimVector<std::string> Run() {
    std::size_t at = 0;
    while (at < lines_.size() && lines_[at].empty()) ++at;
    if (at < lines_.size()) def_->summary = lines_[at++];
    while (at < lines_.size() && lines_[at].empty()) ++at;
    std::size_t end = EndOfBlock(at);
    def_->description = Join(at, end, 0);
    SlimVector<std::string> unknown;
    while (end < lines_.size()) {
      std::string_view name;
      lines_[end] = AfterName(lines_[end], &name);
      at = end;
      end = EndOfBlock(at + 1);
      if (std::string* to = Find(name))
        *to = Join(at, end, 1);
      else
        unknown.emplace_back(name);
    }
    return unknown;
  }
  // The text behind "name:"; name stays empty when the line does not begin so.
  static std::string_view AfterName(std::string_view line, std::string_view* name) {
    TextCursor in(line);
    if (!IsLetter(in.peek())) return line;
    const std::string_view word = in.EatWhile(kWordChars);
    in.SkipSpace();
    if (!in.Eat(":")) return line;
    in.SkipSpace();
    *name = word;
    return in.rest();
  }
  std::size_t EndOfBlock(std::size_t at) const {
    for (; at < lines_.size(); ++at) {
      std::string_view name;
      (void)AfterName(lines_[at], &name);
      if (!name.empty()) break;
    }
    return at;
  }
  // Lines [begin, end) without blank ones at the end; from line begin + `first` on without the indent that all share.
  std::string Join(std::size_t begin, std::size_t end, std::size_t first) const {
    while (end > begin && lines_[end - 1].empty()) --end;
    std::size_t indent = static_cast<std::size_t>(-1);
    for (std::size_t i = begin + first; first > 0 && i < end; ++i)
      if (!lines_[i].empty()) indent = std::min(indent, lines_[i].find_first_not_of(' '));
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) text += '\n';
      text += first > 0 && i > begin && !lines_[i].empty() ? lines_[i].substr(indent) : lines_[i];
    }
    return text;
  }
  std::string* Find(std::string_view name) {
    for (auto* list : {&def_->input_arg, &def_->output_arg})
      for (OpDef::ArgDef& arg : *list)
        if (arg.name == name) return &arg.description;
    for (OpDef::AttrDef& attr : def_->attr)
      if (attr.name == name) return &attr.description;
    return nullptr;
  }

  OpDef* def_;
  SlimVector<std::string_view> lines_;
};

}  // namespace detail

// The OpDef that TensorFlow makes of the same declaration.
inline OpDef ToOpDef(const OpView& op) {
  OpDef def;
  def.name = op.name;
  for (const ArgSpec& arg : op.inputs) def.input_arg.push_back(detail::ToArgDef(arg));
  for (const ArgSpec& arg : op.outputs) def.output_arg.push_back(detail::ToArgDef(arg));
  for (const AttrSpec& attr : op.attrs) (void)detail::ToAttrDef(attr, &def.attr.emplace_back());
  def.control_output.assign(op.control_outputs.begin(), op.control_outputs.end());
  def.is_stateful = op.flags.is_stateful;
  def.is_commutative = op.flags.is_commutative;
  def.is_aggregate = op.flags.is_aggregate;
  def.allows_uninitialized_input = op.flags.allows_uninitialized_input;
  def.is_distributed_communication = op.flags.is_distributed_communication;
  if (op.deprecated_since != 0 || !op.deprecation_text.empty()) {
    def.deprecation.emplace();
    def.deprecation->version = op.deprecated_since;
    def.deprecation->explanation = op.deprecation_text;
  }
  if (!op.doc.empty()) (void)detail::DocReader::Read(op.doc, &def);
  return def;
}

// "Op<name=X; signature=a:T, b:Ref(N*int32) -> y:T; attr=T:type,default=DT_FLOAT; is_stateful=true>", as messages name
// an op.
inline std::string SummarizeOpDef(const OpDef& def) {
  const auto args = [](const SlimVector<OpDef::ArgDef>& list) {
    return StrJoin(list, ", ", [](std::string* out, const OpDef::ArgDef& arg) {
      StrAppend(out, arg.name, ":", arg.is_ref ? "Ref(" : "", arg.number_attr, arg.number_attr.empty() ? "" : "*",
                arg.type != DataType::kInvalid ? Name(arg.type) : std::string_view(arg.type_attr),
                arg.is_ref ? ")" : "");
    });
  };
  std::string text = StrCat("Op<name=", def.name, "; signature=", args(def.input_arg), " -> ", args(def.output_arg));
  detail::SummarizeAttrDefs(def.attr, &text);
  detail::SummarizeOpFlags({def.is_stateful, def.is_commutative, def.is_aggregate, def.allows_uninitialized_input,
                            def.is_distributed_communication},
                           &text);
  return text + ">";
}

// -------------------------------------------------------------------------------------------------------- validation

namespace detail {

class OpDefValidator {
 public:
  explicit OpDefValidator(const OpDef& def) : def_(def) {}

  Status Run() {
    if (!IsOpName(def_.name)) return errors::InvalidArgument("Invalid name: ", def_.name, " (Did you use CamelCase?)");
    for (const OpDef::AttrDef& attr : def_.attr) TENON_RETURN_IF_ERROR(Attr(attr));
    for (const OpDef::ArgDef& arg : def_.input_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for input '", arg.name, "'")));
    for (const OpDef::ArgDef& arg : def_.output_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for output '", arg.name, "'")));
    return OkStatus();
  }

 private:
  Status NewName(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return errors::InvalidArgument("Duplicate name: ", name);
    names_.push_back(name);
    return OkStatus();
  }
  Status Attr(const OpDef::AttrDef& attr) {
    TENON_RETURN_IF_ERROR(NewName(attr.name));
    if (DataTypeFromName(attr.name) != DataType::kInvalid)
      return errors::InvalidArgument("Attr can't have name ", attr.name, " that matches a data type");
    std::string_view type = attr.type;
    const bool is_list = StartsWith(type, "list(");
    if (is_list) type.remove_prefix(5);
    bool found = false;
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc) && !found; ++k) {
      const std::string_view word = Name(static_cast<AttrKind>(k));
      found = StartsWith(type, word);
      if (found) type.remove_prefix(word.size());
    }
    if (!found) return errors::InvalidArgument("Unrecognized type '", type, "' in attr '", attr.name, "'");
    if (is_list) {
      if (!StartsWith(type, ")"))
        return errors::InvalidArgument("'list(' is missing ')' in attr ", attr.name, "'s type ", attr.type);
      type.remove_prefix(1);
    }
    if (!type.empty())
      return errors::InvalidArgument("Extra '", type, "' at the end of attr ", attr.name, "'s type ", attr.type);
    if (attr.has_minimum) {
      if (attr.type != "int" && !is_list)
        return errors::InvalidArgument("Attr '", attr.name, "' has minimum for unsupported type ", attr.type);
      if (is_list && attr.minimum < 0)
        return errors::InvalidArgument("Attr '", attr.name, "' with list type must have a non-negative minimum, not ",
                                       attr.minimum);
    } else if (attr.minimum != 0) {
      return errors::InvalidArgument("Attr '", attr.name, "' with has_minimum = false but minimum ", attr.minimum,
                                     " not equal to default of 0");
    }
    if (attr.allowed_values.has_value()) {
      const Status status =
          AttrValueHasType(attr.allowed_values, is_list ? attr.type : StrCat("list(", attr.type, ")"));
      if (!status.ok()) return status.WithAppended(StrCat("\n\t for attr '", attr.name, "' in Op '", def_.name, "'"));
    }
    if (!attr.default_value) return OkStatus();
    return ValidateAttrValue(*attr.default_value, attr).WithAppended(StrCat("\n\t in Op '", def_.name, "'"));
  }
  Status Arg(const OpDef::ArgDef& arg, const std::string& suffix) {
    TENON_RETURN_IF_ERROR(NewName(arg.name));
    const int types = (arg.type != DataType::kInvalid) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
    if (types == 0) return errors::InvalidArgument("Missing type", suffix);
    if (!arg.number_attr.empty()) {
      TENON_RETURN_IF_ERROR(Reference(arg.number_attr, "length", "int", suffix));
      const OpDef::AttrDef& number = *FindAttr(arg.number_attr, def_);
      const std::string used = StrCat("Attr '", number.name, "' used as length", suffix);
      if (!number.has_minimum) return errors::InvalidArgument(used, " must have minimum");
      if (number.minimum < 0) return errors::InvalidArgument(used, " must have minimum >= 0");
      if (!arg.type_list_attr.empty())
        return errors::InvalidArgument("Can't have both number_attr and type_list_attr", suffix);
      if (types != 1) return errors::InvalidArgument("Exactly one of type, type_attr must be set", suffix);
    } else if (types != 1) {
      return errors::InvalidArgument("Exactly one of type, type_attr, type_list_attr must be set", suffix);
    }
    if (!arg.type_attr.empty()) return Reference(arg.type_attr, "type_attr", "type", suffix);
    if (!arg.type_list_attr.empty()) return Reference(arg.type_list_attr, "type_list_attr", "list(type)", suffix);
    if (IsRefType(arg.type))
      return errors::InvalidArgument("Illegal use of ref type '", arg.type, "'. Use 'Ref(type)' instead", suffix);
    return OkStatus();
  }
  Status Reference(const std::string& name, std::string_view use, std::string_view type,
                   const std::string& suffix) const {
    const OpDef::AttrDef* attr = FindAttr(name, def_);
    if (attr == nullptr) return errors::InvalidArgument("No attr with name '", name, "'", suffix);
    if (attr->type != type)
      return errors::InvalidArgument("Attr '", name, "' used as ", use, suffix, " has type ", attr->type, " != ", type);
    return OkStatus();
  }

  const OpDef& def_;
  SlimVector<std::string> names_;
};

}  // namespace detail

// Everything that can be wrong with an OpDef. InvalidArgument with TensorFlow's text.
inline Status ValidateOpDef(const OpDef& def) {
  const Status status = detail::OpDefValidator(def).Run();
  return status.ok() ? status : status.WithAppended(StrCat("; in OpDef: ", SummarizeOpDef(def)));
}

// ---------------------------------------------------------------------------------------- spec strings at run time

// Op("X") for descriptions that are only known while the program runs. Strings may come in any order; all mistakes are
// reported together. one thread.
//
//   OpDef def;
//   TENON_RETURN_IF_ERROR(OpDefBuilder("ZeroOut").Input("to_zero: int32").Output("zeroed: int32").Finalize(&def));
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) { def_.name = std::move(name); }

  OpDefBuilder& Attr(std::string spec) { return attrs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Input(std::string spec) { return inputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Output(std::string spec) { return outputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& ControlOutput(std::string name) { return control_outputs_.push_back(std::move(name)), *this; }
  OpDefBuilder& Doc(std::string text) {
    if (!doc_.empty()) errors_.push_back(StrCat("Extra call to Doc() for Op ", def_.name));
    return doc_ = std::move(text), *this;
  }
  OpDefBuilder& Deprecated(int version, std::string explanation) {
    if (def_.deprecation) errors_.push_back(StrCat("Deprecated called twice for Op ", def_.name));
    def_.deprecation.emplace();
    def_.deprecation->version = version;
    def_.deprecation->explanation = std::move(explanation);
    return *this;
  }
  OpDefBuilder& SetIsStateful() { return def_.is_stateful = true, *this; }
  OpDefBuilder& SetIsCommutative() { return def_.is_commutative = true, *this; }
  OpDefBuilder& SetIsAggregate() { return def_.is_aggregate = true, *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return def_.allows_uninitialized_input = true, *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return def_.is_distributed_communication = true, *this; }

  Status Finalize(OpDef* out) const {
    OpDef def = def_;
    SlimVector<std::string> errors = errors_;
    for (const std::string& spec : attrs_) AddAttr(spec, &def, &errors);
    for (const std::string& spec : inputs_) AddArg(spec, "Input", &def.input_arg.emplace_back(), &def, &errors);
    for (const std::string& spec : outputs_) AddArg(spec, "Output", &def.output_arg.emplace_back(), &def, &errors);
    for (const std::string& name : control_outputs_) AddControlOutput(name, &def, &errors);
    if (!doc_.empty())
      for (const std::string& name : detail::DocReader::Read(doc_, &def))
        errors.push_back(StrCat("No matching input/output/attr for name '", name, "' from Doc() for Op ", def.name));
    if (!errors.empty()) return errors::InvalidArgument(StrJoin(errors, "\n"));
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    *out = std::move(def);
    return OkStatus();
  }

 private:
  // TensorFlow's sentence for a mistake in a spec.
  static std::string Text(const SpecIssue& issue, std::string_view spec, bool is_attr) {
    const std::string_view quoted = spec.substr(issue.begin, issue.end - issue.begin);
    switch (issue.error) {
      case SpecError::kNone: return {};
      case SpecError::kNameNotIdentifier:
      case SpecError::kNoColon: return is_attr ? "Trouble parsing '<name>:'" : "Trouble parsing 'name:'";
      case SpecError::kUnknownAttrKind:
      case SpecError::kNoTypeInList: return StrCat("Trouble parsing type string at '", quoted, "'");
      case SpecError::kNotACompoundType: return StrCat("Expected to see a compound type, saw: ", quoted);
      case SpecError::kUnknownTypeInList: return StrCat("Unrecognized type string '", quoted, "'");
      case SpecError::kBadStringInList: return StrCat("Trouble parsing allowed string at '", quoted, "'");
      case SpecError::kBadEscapeInList: return StrCat("Trouble unescaping \"", quoted, "\", got error: not a C escape");
      case SpecError::kNoCommaAfterString: return StrCat("Expected , or } after strings in list, not: '", quoted, "'");
      case SpecError::kNoCommaAfterType: return StrCat("Expected , or } after types in list, not: '", quoted, "'");
      case SpecError::kListNotClosed: return StrCat("Expected ) to close 'list(', not: '", quoted, "'");
      case SpecError::kBadMinimum:
        return StrCat("Could not parse integer lower limit after '>=', found '", quoted, "' instead");
      case SpecError::kBadDefault: return StrCat("Could not parse default value '", quoted, "'");
      case SpecError::kNoType: return StrCat("Trouble parsing either a type or an attr name at '", quoted, "'");
      case SpecError::kRefNotClosed:
        return StrCat("Did not find closing ')' for 'Ref(', instead found: '", quoted, "'");
      case SpecError::kTextLeftOver: return StrCat("Extra '", quoted, "' unparsed at the end");
      case SpecError::kTooLong: return "The spec is longer than 65535 characters";
    }
    return {};
  }
  void AddAttr(const std::string& spec, OpDef* def, SlimVector<std::string>* errors) const {
    AttrSpec attr;
    SpecIssue issue = ReadAttrSpec(spec, &attr);
    const bool type_known = issue.ok() || issue.error == SpecError::kBadMinimum ||
                            issue.error == SpecError::kBadDefault || issue.error == SpecError::kTextLeftOver;
    OpDef::AttrDef& to = def->attr.emplace_back();
    if (issue.ok() && !detail::ToAttrDef(attr, &to))
      issue = {SpecError::kBadDefault, false, attr.default_begin, spec.size()};
    if (issue.ok()) return;
    if (issue.error != SpecError::kNameNotIdentifier && issue.error != SpecError::kNoColon) to.name = attr.name();
    if (type_known) to.type = detail::AttrTypeText(attr);
    errors->push_back(StrCat(Text(issue, spec, true), " from Attr(\"", spec, "\") for Op ", def->name));
  }
  void AddArg(const std::string& spec, std::string_view what, OpDef::ArgDef* to, OpDef* def,
              SlimVector<std::string>* errors) const {
    const auto fail = [&](std::string text) {
      errors->push_back(StrCat(text, " from ", what, "(\"", spec, "\") for Op ", def->name));
    };
    ArgSpec arg;
    const SpecIssue issue = ReadArgSpec(spec, &arg);
    const bool type_read =
        issue.ok() || issue.error == SpecError::kRefNotClosed || issue.error == SpecError::kTextLeftOver;
    to->name = arg.name();
    if (!type_read) return fail(Text(issue, spec, false));
    to->number_attr = arg.number_attr();
    to->is_ref = arg.is_ref;
    to->type = arg.type;
    if (arg.type == DataType::kInvalid) {
      const std::string_view name = arg.type_attr();
      const OpDef::AttrDef* attr = FindAttr(name, *def);
      if (attr == nullptr) return fail(StrCat("Reference to unknown attr '", name, "'"));
      if (attr->type == "type")
        to->type_attr = name;
      else if (attr->type == "list(type)")
        to->type_list_attr = name;
      else
        return fail(StrCat("Reference to attr '", name, "' with type ", attr->type, " that isn't type or list(type)"));
    }
    if (!issue.ok()) return fail(Text(issue, spec, false));
    const std::string& counter = !to->number_attr.empty() ? to->number_attr : to->type_list_attr;
    for (OpDef::AttrDef& attr : def->attr)
      if (!counter.empty() && attr.name == counter && !attr.has_minimum) {
        attr.has_minimum = true;
        attr.minimum = 1;
      }
    if (arg.type == DataType::kResource) def->is_stateful = true;
  }
  void AddControlOutput(const std::string& name, OpDef* def, SlimVector<std::string>* errors) const {
    detail::TextCursor in(name);
    const bool is_name = detail::IsLetter(in.peek());
    def->control_output.emplace_back(is_name ? in.EatWhile(detail::kWordChars) : std::string_view());
    if (!is_name)
      errors->push_back(StrCat("Trouble parsing 'name:' from ControlOutput(\"", name, "\") for Op ", def->name));
  }

  OpDef def_;
  std::string doc_;
  SlimVector<std::string> attrs_, inputs_, outputs_, control_outputs_, errors_;
};

// ------------------------------------------------------------------------------------------------- OpDef to signature

namespace detail {

// A value as a spec writes it; the reverse of ParseAttrText. False for what has no such form (undecoded tensors and
// shapes).
class SpecWriter {
 public:
  static bool Write(const AttrValue& value, std::string* out) {
    switch (value.kind()) {
      case AttrValue::Kind::kString: StrAppend(out, "\"", CEscape(value.s()), "\""); return true;
      case AttrValue::Kind::kInt: StrAppend(out, value.i()); return true;
      case AttrValue::Kind::kFloat: StrAppend(out, value.f()); return true;
      case AttrValue::Kind::kBool: out->append(value.b() ? "true" : "false"); return true;
      case AttrValue::Kind::kType: return Type(value.type(), out);
      case AttrValue::Kind::kShape: return value.decode_status().ok() && Shape(value.shape(), out);
      case AttrValue::Kind::kTensor: return value.decode_status().ok() && TensorText(value.tensor(), out);
      case AttrValue::Kind::kFunc: return Func(value.func(), out);
      case AttrValue::Kind::kList: return List(value.list(), out);
      default: return false;
    }
  }

 private:
  static bool Type(DataType type, std::string* out) {
    if (EnumName(type).empty())
      StrAppend(out, static_cast<std::int32_t>(type));
    else
      out->append(EnumName(type));
    return true;
  }
  static bool Shape(const PartialTensorShape& shape, std::string* out) {
    if (shape.unknown_rank()) return out->append("{ unknown_rank: true }"), true;
    out->append("{ ");
    for (const Index size : shape) StrAppend(out, "dim { size: ", size, " } ");
    return out->append("}"), true;
  }
  static bool TensorText(const Tensor& t, std::string* out) {
    out->append("{ dtype: ");
    Type(t.dtype(), out);
    out->append(" tensor_shape ");
    Shape(t.shape(), out);
    if (t.dtype() == DataType::kString) {
      const auto strings = t.flat<tstring>();
      for (Index i = 0; i < strings.size(); ++i)
        StrAppend(out, " string_val: \"", CEscape(std::string_view(strings[i])), "\"");
    } else if (SizeOf(t.dtype()) == 0) {
      return false;
    } else if (t.NumElements() > 0) {
      StrAppend(out, " tensor_content: \"", CEscape(t.tensor_data()), "\"");
    }
    return out->append(" }"), true;
  }
  static bool Func(const NameAttrList& func, std::string* out) {
    StrAppend(out, "{ name: \"", CEscape(func.name), "\"");
    for (const auto& [name, value] : func.attr) {
      StrAppend(out, " attr { key: \"", CEscape(name), "\" value { ");
      if (value.kind() == AttrValue::Kind::kPlaceholder) {
        StrAppend(out, "placeholder: \"", CEscape(value.placeholder()), "\"");
      } else if (value.kind() == AttrValue::Kind::kList) {
        if (!ListMessage(value.list(), out)) return false;
      } else if (value.has_value()) {
        out->append(FieldName(value.kind())).append(": ");
        if (!Write(value, out)) return false;
      }
      out->append(" } }");
    }
    return out->append(" }"), true;
  }
  static std::string_view FieldName(AttrValue::Kind kind) {
    constexpr std::string_view kNames[] = {"",      "s",      "i",    "f",           "b",   "type",
                                           "shape", "tensor", "func", "placeholder", "list"};
    return kNames[static_cast<std::size_t>(kind)];
  }
  template <class T>
  static bool Items(const SlimVector<T>& items, std::string* out) {
    bool first = true;
    for (const T& item : items) {
      if (!std::exchange(first, false)) out->append(", ");
      bool written = false;
      if constexpr (std::is_same_v<T, char>)
        written = Write(AttrValue(item != 0), out);
      else
        written = Write(AttrValue(item), out);
      if (!written) return false;
    }
    return true;
  }
  static bool List(const AttrList& list, std::string* out) {
    out->append("[");
    const bool written = Items(list.s, out) && Items(list.i, out) && Items(list.f, out) && Items(list.b, out) &&
                         Items(list.type, out) && Items(list.shape, out) && Items(list.tensor, out) &&
                         Items(list.func, out);
    out->append("]");
    return written;
  }
  // "list { i: [1, 2] }"
  static bool ListMessage(const AttrList& list, std::string* out) {
    const bool some[] = {!list.s.empty(),    !list.i.empty(),     !list.f.empty(),      !list.b.empty(),
                         !list.type.empty(), !list.shape.empty(), !list.tensor.empty(), !list.func.empty()};
    std::string_view field;
    for (std::size_t k = 0; k < 8; ++k)
      if (some[k]) field = FieldName(static_cast<AttrValue::Kind>(k + 1));
    if (field.empty()) return out->append("list { }"), true;
    StrAppend(out, "list { ", field, ": ");
    const bool written = List(list, out);
    out->append(" }");
    return written;
  }
};

}  // namespace detail

// A signature made while the program runs: of a graph's functions, or of an OpDef that was read. Owns what its view
// points at; may be moved, the view stays valid. immutable.
class OwnedOp {
 public:
  static Result<OwnedOp> FromOpDef(const OpDef& def, ShapeFn shape_fn = nullptr) {
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    OwnedOp op;
    op.parts_ = MakeOwned<Parts>();
    TENON_RETURN_IF_ERROR(op.parts_->Fill(def, shape_fn));
    return op;
  }
  const OpView& view() const { return parts_->view; }

 private:
  struct Parts {
    std::string name, deprecation_text, doc;
    SlimVector<std::string> texts, control_names;
    SlimVector<std::string_view> control_outputs;
    SlimVector<ArgSpec> inputs, outputs;
    SlimVector<AttrSpec> attrs;
    OpView view;

    Status Fill(const OpDef& def, ShapeFn shape_fn) {
      name = def.name;
      doc = def.summary;
      texts.reserve(def.attr.size() + def.input_arg.size() + def.output_arg.size());
      for (const OpDef::AttrDef& attr : def.attr) TENON_RETURN_IF_ERROR(AddAttr(attr));
      for (const OpDef::ArgDef& arg : def.input_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &inputs.emplace_back()));
      for (const OpDef::ArgDef& arg : def.output_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &outputs.emplace_back()));
      control_names = def.control_output;
      control_outputs.assign(control_names.begin(), control_names.end());
      if (def.deprecation) deprecation_text = def.deprecation->explanation;
      view = {name,
              inputs,
              outputs,
              attrs,
              control_outputs,
              shape_fn,
              {def.is_stateful, def.is_commutative, def.is_aggregate, def.allows_uninitialized_input,
               def.is_distributed_communication},
              def.deprecation ? def.deprecation->version : 0,
              deprecation_text,
              doc};
      return OkStatus();
    }
    static Status TooLong(const std::string& name) {
      return errors::InvalidArgument("OwnedOp: the name '", name.substr(0, 32), "...' has more than 65535 characters");
    }
    // The words are put at known places, so that names need not keep to the grammar.
    Status AddArg(const OpDef::ArgDef& arg, ArgSpec* out) {
      std::string text = arg.name + ": ";
      if (arg.is_ref) text += "Ref(";
      const std::size_t number_begin = text.size();
      if (!arg.number_attr.empty()) text += arg.number_attr + " * ";
      const std::size_t type_begin = text.size();
      const std::string& type_name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
      text += arg.type != DataType::kInvalid ? std::string(Name(arg.type)) : type_name;
      if (arg.is_ref) text += ")";
      if (text.size() > UINT16_MAX) return TooLong(arg.name);
      out->name_size = static_cast<std::uint16_t>(arg.name.size());
      out->type_begin = static_cast<std::uint16_t>(type_begin);
      out->number_begin = static_cast<std::uint16_t>(arg.number_attr.empty() ? 0 : number_begin);
      out->type = arg.type;
      out->is_ref = arg.is_ref;
      out->is_type_list = !arg.type_list_attr.empty();
      out->type_attr_index = IndexOf(type_name);
      out->number_attr_index = IndexOf(arg.number_attr);
      out->text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
    std::int16_t IndexOf(std::string_view attr_name) const {
      for (std::size_t i = 0; i < attrs.size() && i < INT16_MAX; ++i)
        if (!attr_name.empty() && attrs[i].name() == attr_name) return static_cast<std::int16_t>(i);
      return -1;
    }
    Status AddAttr(const OpDef::AttrDef& attr) {
      if (attr.name.size() > UINT16_MAX) return TooLong(attr.name);
      AttrSpec& out = attrs.emplace_back();
      out.name_size = static_cast<std::uint16_t>(attr.name.size());
      std::string_view type = attr.type;
      out.is_list = StartsWith(type, "list(");
      if (out.is_list) type = type.substr(5, type.size() - 6);
      for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k)
        if (Name(static_cast<AttrKind>(k)) == type) out.kind = static_cast<AttrKind>(k);
      out.has_minimum = attr.has_minimum;
      out.minimum = attr.minimum;
      std::string text = attr.name + ": ";
      if (out.is_list) text += "list(";
      if (attr.allowed_values.has_value()) {
        const AttrList& allowed = attr.allowed_values.list();
        out.allowed_begin = static_cast<std::uint32_t>(text.size() + 1);
        out.allowed = allowed.s.empty() ? AllowedForm::kTypes : AllowedForm::kStrings;
        for (const DataType t : allowed.type) out.allowed_types.insert(t);
        const auto quoted = [](std::string* to, const std::string& s) { StrAppend(to, "'", CEscape(s), "'"); };
        StrAppend(&text, "{", allowed.s.empty() ? StrJoin(allowed.type, ", ") : StrJoin(allowed.s, ", ", quoted), "}");
      } else {
        text += type;
      }
      if (out.is_list) text += ")";
      if (attr.has_minimum) StrAppend(&text, " >= ", attr.minimum);
      if (attr.default_value) {
        out.has_default = true;
        text += " = ";
        out.default_begin = static_cast<std::uint32_t>(text.size());
        if (!detail::SpecWriter::Write(*attr.default_value, &text))
          return errors::InvalidArgument("OwnedOp: the default of attr '", attr.name, "' of op '", name,
                                         "' has no value that can be written");
      }
      out.text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
  };

  OwnedOp() = default;

  Owned<Parts> parts_;
};

TENON_NAMESPACE_END

// ---- tenon/op/inference_context.hpp ----
// InferenceContext: what a shape function sees and answers, with TensorFlow's members and messages. The same function
// runs at run time and in constant expressions (a network's shapes can be checked by static_assert); a mistake found
// there stops the compiler at a call whose name says what is wrong.
//
//   Status MatrixShape(InferenceContext* c) {
//     ShapeHandle in;
//     TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &in));
//     c->set_output(0, c->Matrix(c->Dim(in, 1), c->Dim(in, 0)));
//     return OkStatus();
//   }
TENON_NAMESPACE_BEGIN

// One size: known, or unknown but with an identity. Belongs to the context that made it. Value type, one word.
class DimensionHandle {
 public:
  constexpr DimensionHandle() = default;

  constexpr bool IsSet() const { return rep_ != kUnset; }
  constexpr bool Handle() const { return IsSet(); }
  // Known to be equal: the same number, or the same unknown.
  constexpr bool SameHandle(DimensionHandle other) const { return rep_ == other.rep_; }

 private:
  friend class InferenceContext;
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();
  constexpr explicit DimensionHandle(std::int64_t rep) : rep_(rep) {}

  std::int64_t rep_ = kUnset;  // >= 0: the size; -2 - n: unknown number n
};

// One shape of a context. Value type, a number.
class ShapeHandle {
 public:
  constexpr ShapeHandle() = default;

  constexpr bool IsSet() const { return id_ != 0; }
  constexpr bool Handle() const { return IsSet(); }
  constexpr bool SameHandle(ShapeHandle other) const { return id_ == other.id_; }

 private:
  friend class InferenceContext;
  constexpr explicit ShapeHandle(std::uint32_t id) : id_(id) {}

  std::uint32_t id_ = 0;  // position + 1
};

// A handle or a number, -1 for unknown: c->Matrix(c->Dim(a, 0), 3).
struct DimensionOrConstant {
  constexpr DimensionOrConstant(DimensionHandle handle) : dim(handle) {}
  template <class Int>
    requires std::is_integral_v<Int>
  constexpr DimensionOrConstant(Int value) : val(static_cast<std::int64_t>(value)) {}

  DimensionHandle dim;
  std::int64_t val = -1;
};

// What a resource or variant holds.
struct ShapeAndType {
  ShapeHandle shape;
  DataType dtype = DataType::kInvalid;
};

// A shape in a constant expression, at most 8 dimensions; -1 is an unknown size.
struct StaticShape {
  static constexpr int kMaxRank = 8;

  int rank = -1;  // -1: unknown
  std::int64_t dims[kMaxRank] = {};

  constexpr StaticShape() = default;
  constexpr StaticShape(std::initializer_list<std::int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
    int i = 0;
    for (const std::int64_t size : sizes) dims[i++] = size;
  }
  friend constexpr bool operator==(const StaticShape&, const StaticShape&) = default;
};

// An input in a constant expression: its shape, and the value of a small integer tensor if that is known.
struct StaticInput {
  StaticShape shape;
  int value_count = -1;  // -1: not known
  std::int64_t values[StaticShape::kMaxRank] = {};

  constexpr StaticInput(std::initializer_list<std::int64_t> sizes) : shape(sizes) {}
  constexpr StaticInput(const StaticShape& s) : shape(s) {}
  static constexpr StaticInput Vector(std::initializer_list<std::int64_t> list) {
    StaticInput input({static_cast<std::int64_t>(list.size())});
    input.value_count = 0;
    for (const std::int64_t v : list) input.values[input.value_count++] = v;
    return input;
  }
  static constexpr StaticInput Scalar(std::int64_t v) {
    StaticInput input(std::initializer_list<std::int64_t>{});
    input.values[0] = v;
    input.value_count = 1;
    return input;
  }
};

// An attr in a constant expression: {"transpose_a", true}, {"strides", {1, 2, 2, 1}}, {"padding", "SAME"}.
struct StaticAttr {
  static constexpr std::size_t kMaxList = 16;

  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  bool is_list = false;
  std::int64_t number = 0;  // kInt; kBool as 0 or 1
  float real = 0;
  DataType type = DataType::kInvalid;
  std::string_view text;
  std::size_t list_size = 0;
  std::int64_t numbers[kMaxList] = {};
  DataType types[kMaxList] = {};

  template <class Int>
    requires std::is_integral_v<Int>
  constexpr StaticAttr(std::string_view n, Int v)
      : name(n),
        kind(std::is_same_v<Int, bool> ? AttrKind::kBool : AttrKind::kInt),
        number(static_cast<std::int64_t>(v)) {}
  constexpr StaticAttr(std::string_view n, float v) : name(n), kind(AttrKind::kFloat), real(v) {}
  constexpr StaticAttr(std::string_view n, double v) : StaticAttr(n, static_cast<float>(v)) {}
  constexpr StaticAttr(std::string_view n, DataType v) : name(n), kind(AttrKind::kType), type(v) {}
  constexpr StaticAttr(std::string_view n, const char* v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::string_view v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::initializer_list<std::int64_t> v) : name(n), is_list(true) {
    for (const std::int64_t x : v) numbers[list_size++] = x;
  }
  constexpr StaticAttr(std::string_view n, std::initializer_list<DataType> v)
      : name(n), kind(AttrKind::kType), is_list(true) {
    for (const DataType x : v) types[list_size++] = x;
  }

  // False when the value has another type.
  template <class T>
  constexpr bool Get(T* out) const {
    if constexpr (std::is_same_v<T, bool>) {
      return Take(kind == AttrKind::kBool && !is_list, number != 0, out);
    } else if constexpr (std::is_integral_v<T>) {
      return Take(kind == AttrKind::kInt && !is_list, static_cast<T>(number), out);
    } else if constexpr (std::is_same_v<T, float>) {
      return Take(kind == AttrKind::kFloat, real, out);
    } else if constexpr (std::is_same_v<T, DataType>) {
      return Take(kind == AttrKind::kType && !is_list, type, out);
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      return Take(kind == AttrKind::kString, T(text), out);
    } else if constexpr (std::is_same_v<T, std::span<const DataType>>) {
      return Take(kind == AttrKind::kType && is_list, T(types, list_size), out);
    } else if constexpr (std::is_same_v<T, std::span<const std::int64_t>>) {
      return Take(kind == AttrKind::kInt && is_list, T(numbers, list_size), out);
    } else if constexpr (GrowableListOf<T, DataType>) {
      return Take(kind == AttrKind::kType && is_list, T(types, types + list_size), out);
    } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
      if (kind != AttrKind::kInt || !is_list) return false;
      out->clear();
      for (std::size_t i = 0; i < list_size; ++i) out->push_back(static_cast<typename T::value_type>(numbers[i]));
      return true;
    } else {
      return false;
    }
  }

 private:
  template <class T>
  static constexpr bool Take(bool fits, const T& value, T* out) {
    if (fits) *out = value;
    return fits;
  }
};

namespace detail {

// A decimal number of at most 15 digits and a power of ten up to 22, which a double represents exactly, or an infinity
// or NaN. False for other numbers.
constexpr bool ReadSimpleFloat(std::string_view text, float* out) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "nan")) return *out = std::numeric_limits<float>::quiet_NaN(), true;
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity")) {
    *out = negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    return true;
  }
  TextCursor in(text);
  double value = 0;
  int digits = 0, point = 0;
  for (bool behind_point = false; IsDigit(in.peek()) || (in.peek() == '.' && !behind_point); ++in.at) {
    if (in.peek() == '.') {
      behind_point = true;
      continue;
    }
    value = value * 10 + (in.peek() - '0');
    digits += value > 0 ? 1 : 0;
    point -= behind_point ? 1 : 0;
  }
  std::int64_t exponent = 0;
  if (in.Eat("e") || in.Eat("E")) {
    if (!ReadDecimal(in.rest(), &exponent)) return false;
  } else if (!in.done()) {
    return false;
  }
  exponent += point;
  if (digits > 15 || exponent < -22 || exponent > 22) return false;
  double scale = 1;
  for (std::int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) scale *= 10;
  value = exponent < 0 ? value / scale : value * scale;
  *out = static_cast<float>(negative ? -value : value);
  return true;
}

// An attr's default from the text of its spec, where that needs no allocation of texts. False for other types.
template <class T>
constexpr bool ReadAttrDefault(const AttrSpec& spec, T* out) {
  DefaultReader values(spec);
  SpecValue v;
  if constexpr (std::is_same_v<T, bool>) {
    if (spec.kind != AttrKind::kBool || spec.is_list || !values.Next(&v)) return false;
    *out = v.i != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (spec.kind != AttrKind::kInt || spec.is_list || !values.Next(&v)) return false;
    *out = static_cast<T>(v.i);
  } else if constexpr (std::is_same_v<T, float>) {
    if (spec.kind != AttrKind::kFloat || spec.is_list || !values.Next(&v)) return false;
    return ReadSimpleFloat(v.text, out);
  } else if constexpr (std::is_same_v<T, DataType>) {
    if (!spec.is_type() || !values.Next(&v)) return false;
    *out = v.type;
  } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
    if (spec.kind != AttrKind::kString || spec.is_list || !values.Next(&v) || v.text.find('\\') != v.text.npos)
      return false;
    *out = T(v.text);
  } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
    if (spec.kind != AttrKind::kInt || !spec.is_list) return false;
    for (out->clear(); values.Next(&v);) out->push_back(static_cast<typename T::value_type>(v.i));
  } else if constexpr (GrowableListOf<T, DataType>) {
    if (!spec.is_type_list()) return false;
    for (out->clear(); values.Next(&v);) out->push_back(v.type);
  } else {
    return false;
  }
  return true;
}

// The errors of shape functions. Not constexpr: in a constant expression the compiler names the function that was
// reached.
TENON_COLD inline Status shape_has_the_wrong_rank(std::string_view what, std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Shape must be ", what, "rank ", want, " but is rank ", got);
}
TENON_COLD inline Status rank_is_too_large() { return errors::InvalidArgument("Rank cannot exceed kint32max"); }
TENON_COLD inline Status dimension_has_the_wrong_size(std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Dimension must be ", want, " but is ", got);
}
TENON_COLD inline Status dimensions_must_be_equal(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimensions must be equal, but are ", a, " and ", b);
}
TENON_COLD inline Status shapes_must_have_equal_rank(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Shapes must be equal rank, but are ", a, " and ", b);
}
TENON_COLD inline Status subshape_is_out_of_bounds(std::string_view which, std::int64_t at, std::int64_t rank) {
  return errors::InvalidArgument("Subshape ", which, " out of bounds: ", at, ", for shape with rank ", rank);
}
TENON_COLD inline Status subshape_ends_before_it_starts(std::int64_t start, std::int64_t end, std::int64_t start_in,
                                                        std::int64_t end_in, std::int64_t rank, std::int64_t stride) {
  const std::string from = StrCat(start, " and ", end, " (computed from start ", start_in, " and end ", end_in,
                                  " over shape with rank ", rank);
  if (stride > 0) return errors::InvalidArgument("Subshape must have computed start <= end, but is ", from, ")");
  return errors::InvalidArgument("Subshape must have computed start >= end since stride is negative, but is ", from,
                                 " and stride", stride, ")");
}
TENON_COLD inline Status dimension_index_is_out_of_range(std::int64_t index, std::int64_t rank) {
  return errors::InvalidArgument("Out of range dim_index ", index, " for shape with ", rank, " dimensions");
}
TENON_COLD inline Status divisor_must_be_positive(std::int64_t k) {
  return errors::InvalidArgument("Divisor must be positive but is ", k);
}
TENON_COLD inline Status dimension_must_be_divisible(std::int64_t k, std::int64_t size) {
  return errors::InvalidArgument("Dimension size must be evenly divisible by ", k, " but is ", size);
}
TENON_COLD inline Status dimension_overflows_in_a_sum(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimension size overflow from adding ", a, " and ", b);
}
TENON_COLD inline Status dimension_becomes_negative(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by subtracting ", b, " from ", a);
}
TENON_COLD inline Status dimension_overflows_in_a_product(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by overflow when multiplying ", a, " and ", b);
}
TENON_COLD inline Status too_many_dimensions(std::int64_t n, std::int64_t max) {
  return errors::Internal("Cannot create a tensor with ", n, " dimensions, as these would be more than maximum of ",
                          max);
}
TENON_COLD inline Status shape_value_is_invalid(std::int64_t v) {
  return errors::InvalidArgument("Invalid value in tensor used for shape: ", v);
}
TENON_COLD inline Status scalar_shape_must_be_minus_one(std::int64_t v) {
  return errors::InvalidArgument(
      "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  ",
      "Saw value: ", v);
}
TENON_COLD inline Status size_must_not_be_negative(int input, std::int64_t v) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", input, ", must be non-negative but is ", v);
}
TENON_COLD inline Status index_is_out_of_range(std::int64_t v, std::int64_t rank) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", v, " must be in range [-", rank, ", ", rank,
                                 ")");
}
TENON_COLD inline Status wrong_number_of_inputs(std::size_t got, std::size_t want) {
  return errors::InvalidArgument("Wrong number of inputs passed: ", got, " while ", want, " expected based on NodeDef");
}
TENON_COLD inline Status unknown_argument_name(std::string_view which, std::string_view name) {
  return errors::InvalidArgument("Unknown ", which, " name: ", name);
}
TENON_COLD inline Status wrong_number_of_shapes(std::size_t want) {
  return errors::InvalidArgument("Must have exactly ", want, " shapes.");
}
TENON_COLD inline Status attr_is_missing_or_has_another_type(std::string_view name, std::string_view op) {
  return errors::NotFound("No attr named '", name, "' in NodeDef: ", op);
}

}  // namespace detail

// One node's inputs while its output shapes are found. Keeps its memory when it is used again. externally synchronised.
class InferenceContext {
 public:
  static constexpr std::int64_t kUnknownDim = -1;
  static constexpr std::int32_t kUnknownRank = -1;
  static constexpr int kGraphDefVersion = 2474;  // of graphs described in C++

  constexpr InferenceContext() = default;

  // `tensors` and `as_shapes` may be shorter than `inputs`, and hold null for what is not known: the values of constant
  // inputs, and what is known of the shapes that inputs stand for. node, op, names and tensors outlive the use of the
  // context.
  InferenceContext(int graph_def_version, const NodeDef* node, const OpView* op,
                   std::span<const PartialTensorShape> inputs, std::span<const Tensor* const> tensors = {},
                   std::span<const PartialTensorShape* const> as_shapes = {}) {
    Reset(graph_def_version, node, op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      AddInput(inputs[i], i < tensors.size() ? tensors[i] : nullptr);
      if (i < as_shapes.size() && as_shapes[i] != nullptr)
        set_input_tensor_as_shape(static_cast<int>(i), *as_shapes[i]);
    }
    CheckInputCount();
  }
  // For constant expressions (works at run time too). Attrs that are not given have their defaults.
  constexpr InferenceContext(const OpView& op, std::initializer_list<StaticInput> inputs,
                             std::initializer_list<StaticAttr> attrs = {}) {
    own_view_ = op;
    op_ = &own_view_;
    graph_def_version_ = kGraphDefVersion;
    static_attrs_ = attrs;
    for (const StaticInput& input : inputs) {
      SlimVector<DimensionHandle> sizes;
      for (int d = 0; d < input.shape.rank; ++d) sizes.push_back(MakeDim(input.shape.dims[d]));
      inputs_.push_back(
          {input.shape.rank < 0 ? UnknownShape() : MakeShape(sizes), nullptr, {}, {}, false, false, false});
      inputs_.back().has_values = input.value_count >= 0;
      for (int i = 0; i < input.value_count; ++i) inputs_.back().values.push_back(input.values[i]);
    }
    FindOutputs();
    CheckInputCount();
  }
  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;

  // Begins with another node, or with the same one again: no inputs, no shapes. Then AddInput for each.
  void Reset(int graph_def_version, const NodeDef* node, const OpView* op) {
    graph_def_version_ = graph_def_version;
    node_ = node;
    op_ = op;
    static_attrs_.clear();
    status_ = OkStatus();
    ClearShapes();
    inputs_.clear();
    FindOutputs();
  }
  void AddInput(const TensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(MakeShape(shape.dim_sizes()), value);
  }
  void AddInput(const PartialTensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()), value);
  }
  void set_input_tensor(int i, const Tensor* value) { in(i).tensor = value; }
  void set_input_tensor_as_shape(int i, const PartialTensorShape& shape) {
    in(i).as_shape = shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes());
  }
  // Another input count than the op's, or an attr that says how many outputs there are is missing.
  constexpr const Status& construction_status() const { return status_; }

  // --- inputs and outputs
  constexpr int num_inputs() const { return static_cast<int>(inputs_.size()); }
  constexpr int num_outputs() const { return static_cast<int>(outputs_.size()); }
  constexpr ShapeHandle input(int i) const { return in(i).shape; }
  constexpr void set_input(int i, ShapeHandle shape) { in(i).shape = shape; }
  constexpr ShapeHandle output(int i) const { return outputs_[static_cast<std::size_t>(i)]; }
  constexpr void set_output(int i, ShapeHandle shape) { outputs_[static_cast<std::size_t>(i)] = shape; }
  // All shapes of a named argument.
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status input(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->inputs, name, &begin, &end)) return detail::unknown_argument_name("input", name);
    shapes->clear();
    for (std::size_t i = begin; i < end && i < inputs_.size(); ++i) shapes->push_back(inputs_[i].shape);
    return OkStatus();
  }
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status output(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    shapes->assign(outputs_.begin() + static_cast<std::ptrdiff_t>(begin),
                   outputs_.begin() + static_cast<std::ptrdiff_t>(end));
    return OkStatus();
  }
  constexpr Status set_output(std::string_view name, const SlimVector<ShapeHandle>& shapes) {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    if (shapes.size() != end - begin) return detail::wrong_number_of_shapes(end - begin);
    for (std::size_t i = begin; i < end; ++i) outputs_[i] = shapes[i - begin];
    return OkStatus();
  }
  // Null when the value is not known; says that it would have been welcome.
  constexpr const Tensor* input_tensor(int i) {
    in(i).requested_tensor = true;
    return in(i).tensor;
  }
  constexpr bool requested_input_tensor(int i) const { return in(i).requested_tensor; }
  constexpr bool requested_input_tensor_as_partial_shape(int i) const { return in(i).requested_as_shape; }
  constexpr bool requested_as_shape(int i) const { return in(i).requested_as_shape; }
  constexpr ShapeHandle input_tensor_as_shape(int i) const { return in(i).as_shape; }
  SlimVector<ShapeHandle> input_tensors_as_shapes() const {
    SlimVector<ShapeHandle> all;
    for (const Input& i : inputs_) all.push_back(i.as_shape);
    return all;
  }
  constexpr int graph_def_version() const { return graph_def_version_; }
  constexpr const OpView& op() const { return *op_; }
  const NodeDef* node() const { return node_; }

  // What the resource behind an input or output holds; null when nothing is known.
  constexpr const SlimVector<ShapeAndType>* input_handle_shapes_and_types(int i) const {
    return FindHandle(input_handles_, i);
  }
  constexpr const SlimVector<ShapeAndType>* output_handle_shapes_and_types(int i) const {
    return FindHandle(output_handles_, i);
  }
  constexpr void set_input_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    SetHandle(&input_handles_, i, held);
  }
  constexpr void set_output_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    SetHandle(&output_handles_, i, held);
  }

  // Value of an attr of the node, else its default; T as for AttrValue::Get.
  template <class T>
  constexpr Status GetAttr(std::string_view name, T* value) const {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name)
        return attr.Get(value) ? OkStatus() : detail::attr_is_missing_or_has_another_type(name, op_->name);
    if (node_ != nullptr && node_->attr.Find(name) != nullptr) return GetNodeAttr(*node_, name, value);
    if (const int i = op_->AttrIndex(name); i >= 0) {  // numbers, not pointers: UBSan's null tests are not constant
      const AttrSpec& spec = op_->attrs[static_cast<std::size_t>(i)];
      if (spec.has_default && detail::ReadAttrDefault(spec, value)) return OkStatus();
    }
    if (node_ != nullptr) return GetNodeAttr(*node_, name, value);
    return detail::attr_is_missing_or_has_another_type(name, op_->name);
  }

  // Whether the node has the attr, or its op a default for it.
  constexpr bool HasAttr(std::string_view name) const {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name) return true;
    if (node_ != nullptr && node_->attr.Find(name) != nullptr) return true;
    const int i = op_->AttrIndex(name);
    return i >= 0 && op_->attrs[static_cast<std::size_t>(i)].has_default;
  }
  // A shape attr as a handle.
  constexpr Status GetShapeAttr(std::string_view name, ShapeHandle* out) {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name && attr.is_list && attr.kind == AttrKind::kInt)
        return Done(out, MakeShape(std::span<const std::int64_t>(attr.numbers, attr.list_size)));
    return ReadShapeAttr(name, out);
  }

  // --- questions about shapes and dimensions
  constexpr std::int32_t Rank(ShapeHandle s) const { return s.IsSet() ? shape(s).rank : kUnknownRank; }
  constexpr bool RankKnown(ShapeHandle s) const { return Rank(s) != kUnknownRank; }
  static constexpr std::int64_t Value(DimensionOrConstant d) {
    if (!d.dim.IsSet()) return d.val;
    return d.dim.rep_ >= 0 ? d.dim.rep_ : kUnknownDim;
  }
  static constexpr bool ValueKnown(DimensionOrConstant d) { return Value(d) != kUnknownDim; }
  // Counts from the end when i is negative. A new unknown when the rank is unknown.
  constexpr DimensionHandle Dim(ShapeHandle s, std::int64_t i) {
    return RankKnown(s) ? DimKnownRank(s, i) : UnknownDim();
  }
  constexpr DimensionHandle DimKnownRank(ShapeHandle s, std::int64_t i) const {
    const ShapeRecord& record = shape(s);
    return dims_[record.begin + static_cast<std::size_t>(i < 0 ? record.rank + i : i)];
  }
  constexpr bool FullyDefined(ShapeHandle s) const {
    if (!RankKnown(s)) return false;
    for (std::int32_t i = 0; i < Rank(s); ++i)
      if (!ValueKnown(DimKnownRank(s, i))) return false;
    return true;
  }
  // 0 as soon as one size is 0, unknown when a size or the rank is unknown.
  constexpr DimensionHandle NumElements(ShapeHandle s) {
    if (!RankKnown(s)) return UnknownDim();
    bool unknown = false;
    std::uint64_t size = 1;
    for (std::int32_t i = 0; i < Rank(s); ++i) {
      const std::int64_t v = Value(DimKnownRank(s, i));
      if (v == 0) return MakeDim(0);
      if (v == kUnknownDim)
        unknown = true;
      else
        size *= static_cast<std::uint64_t>(v);
    }
    return unknown || static_cast<std::int64_t>(size) < 0 ? UnknownDim() : MakeDim(static_cast<std::int64_t>(size));
  }
  std::string DebugString(ShapeHandle s) const {
    if (!RankKnown(s)) return "?";
    std::string text = "[";
    for (std::int32_t i = 0; i < Rank(s); ++i) StrAppend(&text, i == 0 ? "" : ",", DebugString(DimKnownRank(s, i)));
    return text + "]";
  }
  std::string DebugString(DimensionHandle d) const { return ValueKnown(d) ? StrCat(Value(d)) : "?"; }
  std::string DebugString(const ShapeAndType& held) const { return StrCat(DebugString(held.shape), ":", held.dtype); }
  std::string DebugString(std::span<const ShapeAndType> held) const {
    return StrCat(
        "[", StrJoin(held, ",", [this](std::string* out, const ShapeAndType& h) { out->append(DebugString(h)); }), "]");
  }

  // --- requirements: *out is the input with what is known afterwards
  constexpr Status WithRank(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s)) return Done(out, UnknownShapeOfRank(rank));
    if (Rank(s) == rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("", rank, Rank(s)));
  }
  constexpr Status WithRankAtLeast(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) >= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at least ", rank, Rank(s)));
  }
  constexpr Status WithRankAtMost(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) <= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at most ", rank, Rank(s)));
  }
  constexpr Status WithValue(DimensionHandle d, std::int64_t value, DimensionHandle* out) {
    if (!ValueKnown(d)) return Done(out, MakeDim(value));
    if (Value(d) == value) return Done(out, d);
    return Failed(out, detail::dimension_has_the_wrong_size(value, Value(d)));
  }
  constexpr Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
    if (a.SameHandle(b) || !ValueKnown(b)) return Done(out, a);
    if (!ValueKnown(a)) return Done(out, b);
    return Failed(out, detail::dimensions_must_be_equal(Value(a), Value(b)));
  }
  constexpr Status Merge(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (a.SameHandle(b) || !RankKnown(b)) return Done(out, a);
    if (!RankKnown(a)) return Done(out, b);
    const std::int32_t rank = Rank(a);
    if (rank != Rank(b)) return Failed(out, detail::shapes_must_have_equal_rank(rank, Rank(b)));
    bool a_knows_all = true, b_knows_all = true;
    for (std::int32_t i = 0; i < rank; ++i) {
      const DimensionHandle x = DimKnownRank(a, i), y = DimKnownRank(b, i);
      if (x.SameHandle(y)) continue;
      if (ValueKnown(x) && ValueKnown(y)) return Failed(out, shapes_differ_in_a_dimension(i, a, b));
      if (ValueKnown(y)) a_knows_all = false;
      if (ValueKnown(x)) b_knows_all = false;
    }
    if (a_knows_all || b_knows_all) return Done(out, a_knows_all ? a : b);
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      dims.push_back(ValueKnown(DimKnownRank(a, i)) || !ValueKnown(DimKnownRank(b, i)) ? DimKnownRank(a, i)
                                                                                       : DimKnownRank(b, i));
    return Done(out, MakeShape(dims));
  }
  // Merges s's first dimensions with all of prefix's.
  constexpr Status MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out, ShapeHandle* prefix_out) {
    *s_out = s;
    *prefix_out = prefix;
    if (!RankKnown(s) || !RankKnown(prefix)) return OkStatus();
    *s_out = *prefix_out = ShapeHandle();
    const std::int32_t rank = Rank(prefix);
    TENON_RETURN_IF_ERROR(WithRankAtLeast(s, rank, &s));
    SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      TENON_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(prefix, i), &dims[static_cast<std::size_t>(i)]));
    *prefix_out = MakeShape(dims);
    for (std::int32_t i = rank; i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
    *s_out = MakeShape(dims);
    return OkStatus();
  }

  // --- shapes from shapes
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, ShapeHandle* out) {
    return Subshape(s, start, std::numeric_limits<std::int64_t>::max(), 1, out);
  }
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, ShapeHandle* out) {
    return Subshape(s, start, end, 1, out);
  }
  // Dimensions start, start + stride, ... before end; negative positions count from the end.
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, std::int64_t stride,
                            ShapeHandle* out) {
    const std::int64_t start_in = start, end_in = end, rank = Rank(s);
    if (start == 0 && stride == 1 && (end == std::numeric_limits<std::int64_t>::max() || (rank >= 0 && end >= rank)))
      return Done(out, s);
    if (rank == kUnknownRank) return Done(out, UnknownShape());
    if (start > rank) start = rank;
    if (end > rank) end = rank;
    if (stride < 0 && start == rank) --start;
    if (start < 0 && (start += rank) < 0)
      return Failed(out, detail::subshape_is_out_of_bounds("start", start_in, rank));
    if (end < 0 && (end += rank) < 0) return Failed(out, detail::subshape_is_out_of_bounds("end", end_in, rank));
    if (stride > 0 ? start > end : start < end)
      return Failed(out, detail::subshape_ends_before_it_starts(start, end, start_in, end_in, rank, stride));
    SlimVector<DimensionHandle> dims;
    for (std::int64_t i = start; stride > 0 ? i < end : i > end; i += stride) dims.push_back(DimKnownRank(s, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status Concatenate(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (!RankKnown(a) || !RankKnown(b)) return Done(out, UnknownShape());
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(a)) + static_cast<std::size_t>(Rank(b)));
    for (std::int32_t i = 0; i < Rank(a); ++i) dims.push_back(DimKnownRank(a, i));
    for (std::int32_t i = 0; i < Rank(b); ++i) dims.push_back(DimKnownRank(b, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status ReplaceDim(ShapeHandle s, std::int64_t index, DimensionHandle dim, ShapeHandle* out) {
    if (!RankKnown(s)) return Done(out, UnknownShape());
    const std::int64_t i = index < 0 ? index + Rank(s) : index;
    if (i < 0 || i >= Rank(s)) return Failed(out, detail::dimension_index_is_out_of_range(index, Rank(s)));
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(s)));
    for (std::int32_t d = 0; d < Rank(s); ++d) dims.push_back(d == i ? dim : DimKnownRank(s, d));
    return Done(out, MakeShape(dims));
  }

  // --- new shapes
  constexpr ShapeHandle MakeShape(const SlimVector<DimensionHandle>& dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    dims_.append(dims.begin(), dims.end());
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  constexpr ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const DimensionOrConstant& d : dims) dims_.push_back(MakeDim(d));
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  // -1 is a new unknown.
  constexpr ShapeHandle MakeShape(std::span<const std::int64_t> sizes) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const std::int64_t size : sizes) dims_.push_back(MakeDim(size));
    return NewShape(static_cast<std::int32_t>(sizes.size()), begin);
  }
  constexpr ShapeHandle UnknownShape() { return NewShape(kUnknownRank, 0); }
  constexpr ShapeHandle UnknownShapeOfRank(std::int64_t rank) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (std::int64_t i = 0; i < rank; ++i) dims_.push_back(UnknownDim());
    return NewShape(static_cast<std::int32_t>(rank), begin);
  }
  constexpr ShapeHandle Scalar() { return NewShape(0, 0); }
  constexpr ShapeHandle Vector(DimensionOrConstant d) { return MakeShape({d}); }
  constexpr ShapeHandle Matrix(DimensionOrConstant rows, DimensionOrConstant columns) {
    return MakeShape({rows, columns});
  }
  constexpr DimensionHandle MakeDim(DimensionOrConstant d) {
    if (d.dim.IsSet()) return d.dim;
    return d.val < 0 ? UnknownDim() : DimensionHandle(d.val);
  }
  constexpr DimensionHandle UnknownDim() { return DimensionHandle(-2 - unknown_dims_++); }

  // --- arithmetic: unknown where an operand is, apart from the neutral and absorbing numbers
  constexpr Status Divide(DimensionHandle d, DimensionOrConstant divisor, bool evenly, DimensionHandle* out) {
    const std::int64_t k = Value(divisor);
    if (k == 1) return Done(out, d);
    if (!ValueKnown(d) || (divisor.dim.IsSet() && k == kUnknownDim)) return Done(out, UnknownDim());
    if (k <= 0) return Failed(out, detail::divisor_must_be_positive(k));
    if (evenly && Value(d) % k != 0) return Failed(out, detail::dimension_must_be_divisible(k, Value(d)));
    return Done(out, MakeDim(Value(d) / k));
  }
  constexpr Status Add(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, MakeDim(second));
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (b > std::numeric_limits<std::int64_t>::max() - a)
      return Failed(out, detail::dimension_overflows_in_a_sum(a, b));
    return Done(out, MakeDim(a + b));
  }
  constexpr Status Subtract(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (a < b) return Failed(out, detail::dimension_becomes_negative(a, b));
    return Done(out, MakeDim(a - b));
  }
  constexpr Status Multiply(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == 1) return Done(out, MakeDim(second));
    if (b == 1) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    const std::int64_t product = MultiplyWithoutOverflow(a, b);
    if (product < 0) return Failed(out, detail::dimension_overflows_in_a_product(a, b));
    return Done(out, MakeDim(product));
  }
  constexpr Status Min(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a <= b ? first : MakeDim(second));
  }
  constexpr Status Max(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a >= b ? first : MakeDim(second));
  }

  // --- shapes and sizes from values
  // The shape whose sizes are the values of input i, a vector; -1 is an unknown size.
  constexpr Status MakeShapeFromShapeTensor(int i, ShapeHandle* out) {
    ShapeHandle vector;
    TENON_RETURN_IF_ERROR(WithRank(input(i), 1, &vector));
    return ShapeOfInput(i, vector, out);
  }
  // The same; a scalar stands for an unknown shape.
  constexpr Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int i, ShapeHandle* out) {
    ShapeHandle s;
    TENON_RETURN_IF_ERROR(WithRankAtMost(input(i), 1, &s));
    return ShapeOfInput(i, s, out);
  }
  // `tensor` may be null; then only its shape counts.
  Status MakeShapeFromTensor(const Tensor* tensor, ShapeHandle tensor_shape, ShapeHandle* out) {
    TENON_RETURN_IF_ERROR(WithRank(tensor_shape, 1, &tensor_shape));
    return tensor == nullptr ? UnknownShapeOfLength(tensor_shape, out) : ShapeFromTensor(*tensor, out);
  }
  Status MakeShapeFromPartialTensorShape(const PartialTensorShape& shape, ShapeHandle* out) {
    return Done(out, shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()));
  }
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out) {
    return Done(out, MakeShape(shape.dim_sizes()));
  }

  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t* value) {
    if (tensor->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", tensor->dims());
    if (tensor->dtype() == DataType::kInt32)
      *value = *tensor->data<std::int32_t>();
    else if (tensor->dtype() == DataType::kInt64)
      *value = *tensor->data<std::int64_t>();
    else
      return errors::InvalidArgument("Scalar input must be int32 or int64.");
    return OkStatus();
  }
  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t index, std::int64_t* value) {
    if (tensor->dims() != 1) return errors::InvalidArgument("Input must be 1D but has rank ", tensor->dims());
    const std::int64_t n = tensor->NumElements();
    if (index < 0 || index >= n) return errors::InvalidArgument("Invalid index ", index, " for Tensor of size ", n);
    if (tensor->dtype() == DataType::kInt32)
      *value = tensor->data<std::int32_t>()[index];
    else if (tensor->dtype() == DataType::kInt64)
      *value = tensor->data<std::int64_t>()[index];
    else
      return errors::InvalidArgument("Tensor input must be int32 or int64.");
    return OkStatus();
  }
  // The values of an integer input, in constant expressions too. *known is false, and nothing else is written, when
  // there are none.
  constexpr Status ReadInput(int i, SlimVector<std::int64_t>* values, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *values = input.values;
    return input.tensor == nullptr ? OkStatus() : ReadTensor(*input.tensor, values);
  }
  constexpr Status ReadScalarInput(int i, std::int64_t* value, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *value = input.values.front();
    return input.tensor == nullptr ? OkStatus() : GetScalarFromTensor(input.tensor, value);
  }
  // The size that the scalar input i says.
  constexpr Status MakeDimForScalarInput(int i, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known) return Done(out, UnknownDim());
    if (value < 0) return Failed(out, detail::size_must_not_be_negative(i, value));
    return Done(out, MakeDim(value));
  }
  // The position that it says; -1 is the last of `rank` (unknown rank: -1).
  constexpr Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known || (value < 0 && rank < 0)) return Done(out, UnknownDim());
    if (rank >= 0 && (value < -rank || value >= rank)) return Failed(out, detail::index_is_out_of_range(value, rank));
    return Done(out, MakeDim(value < 0 ? value + rank : value));
  }

  // --- results
  Status ToPartialTensorShape(ShapeHandle s, PartialTensorShape* out) const {
    if (!RankKnown(s)) {
      *out = PartialTensorShape();
      return OkStatus();
    }
    std::int64_t sizes[kMaxTensorRank] = {};
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return PartialTensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  // Internal unless the shape is fully known.
  Status ToTensorShape(ShapeHandle s, TensorShape* out) const {
    if (!FullyDefined(s)) return errors::Internal("the shape ", DebugString(s), " is not fully known");
    std::int64_t sizes[kMaxTensorRank] = {};
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return TensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  constexpr StaticShape ToStaticShape(ShapeHandle s) const {
    StaticShape out;
    if (!RankKnown(s)) return out;
    out.rank = Rank(s);
    for (int i = 0; i < out.rank; ++i) out.dims[i] = Value(DimKnownRank(s, i));
    return out;
  }
  // The error with the node and what was known of its inputs behind it, as TensorFlow words it.
  TENON_COLD Status AttachContext(const Status& status) const {
    std::string shapes, tensors, as_shapes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      StrAppend(&shapes, i == 0 ? "" : ", ", DebugString(input.shape));
      if (input.requested_as_shape && (RankKnown(input.as_shape) || input.tensor != nullptr))
        StrAppend(&as_shapes, as_shapes.empty() ? "" : ",", "input[", i, "] = ", AsShapeText(input));
      else if (input.requested_tensor && input.tensor != nullptr)
        StrAppend(&tensors, tensors.empty() ? "" : ", ", "input[", i, "] = <", input.tensor->SummarizeValue(256), ">");
    }
    return status.WithAppended(
        StrCat(" for '", node_ != nullptr ? SummarizeNodeDef(*node_) : std::string(op_ != nullptr ? op_->name : ""),
               "' with input shapes: ", shapes, tensors.empty() ? "" : " and with computed input tensors: ", tensors,
               as_shapes.empty() ? "" : " and with input tensors computed as partial shapes: ", as_shapes, "."));
  }

 private:
  struct ShapeRecord {
    std::int32_t rank;
    std::uint32_t begin;  // of its sizes in dims_
  };
  struct Input {
    ShapeHandle shape;
    const Tensor* tensor = nullptr;
    ShapeHandle as_shape;  // the shape that the values stand for; unset when not known
    SlimVector<std::int64_t> values;  // in constant expressions
    bool has_values = false;
    bool requested_tensor = false;
    bool requested_as_shape = false;
  };
  struct HandleData {
    int index;
    SlimVector<ShapeAndType> held;
  };

  constexpr Input& in(int i) { return inputs_[static_cast<std::size_t>(i)]; }
  constexpr const Input& in(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  constexpr const ShapeRecord& shape(ShapeHandle s) const { return shapes_[s.id_ - 1]; }
  constexpr ShapeHandle NewShape(std::int32_t rank, std::uint32_t begin) {
    shapes_.push_back({rank, begin});
    return ShapeHandle(static_cast<std::uint32_t>(shapes_.size()));
  }
  static constexpr Status Done(ShapeHandle* out, ShapeHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Done(DimensionHandle* out, DimensionHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Failed(ShapeHandle* out, Status status) {
    *out = ShapeHandle();
    return status;
  }
  static constexpr Status Failed(DimensionHandle* out, Status status) {
    *out = DimensionHandle();
    return status;
  }
  TENON_COLD Status shapes_differ_in_a_dimension(std::int32_t i, ShapeHandle a, ShapeHandle b) const {
    return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                   Value(DimKnownRank(a, i)), " and ", Value(DimKnownRank(b, i)), ". Shapes are ",
                                   DebugString(a), " and ", DebugString(b), ".");
  }
  // "[2,?]": the values of a shape input, however they came.
  std::string AsShapeText(const Input& input) const {
    SlimVector<std::int64_t> values;
    if (RankKnown(input.as_shape)) return DebugString(input.as_shape);
    if (!ReadTensor(*input.tensor, &values).ok()) return "?";
    return StrCat(
        "[",
        StrJoin(values, ",", [](std::string* out, std::int64_t v) { v < 0 ? StrAppend(out, "?") : StrAppend(out, v); }),
        "]");
  }
  Status ReadShapeAttr(std::string_view name, ShapeHandle* out) {
    PartialTensorShape shape;
    TENON_RETURN_IF_ERROR(GetAttr(name, &shape));
    return MakeShapeFromPartialTensorShape(shape, out);
  }
  void AddInputHandle(ShapeHandle shape, const Tensor* value) {
    Input input;
    input.shape = shape;
    input.tensor = value;
    inputs_.push_back(std::move(input));
  }
  constexpr void ClearShapes() {
    shapes_.clear();
    dims_.clear();
    outputs_.clear();
    input_handles_.clear();
    output_handles_.clear();
    unknown_dims_ = 0;
  }

  constexpr std::int64_t Count(const ArgSpec& arg) const {
    if (!arg.is_list()) return 1;
    SlimVector<DataType> defaults;
    return op_->ArgCount(arg, [&](const AttrSpec& attr, ArgAttrValue* value) {
      if (attr.kind == AttrKind::kInt) return GetAttr(attr.name(), &value->number).ok();
      if (!GetAttr(attr.name(), &defaults).ok()) return false;
      value->types = defaults;
      return true;
    });
  }
  constexpr void FindOutputs() {
    if (op_ == nullptr) return;
    std::size_t n = 0;
    for (const ArgSpec& arg : op_->outputs) {
      const std::int64_t count = Count(arg);
      if (count < 0) {
        status_ = detail::attr_is_missing_or_has_another_type(
            arg.is_type_list ? arg.type_list_attr() : arg.number_attr(), op_->name);
        return;
      }
      n += static_cast<std::size_t>(count);
    }
    outputs_.resize(n);
  }
  constexpr void CheckInputCount() {
    if (op_ == nullptr || !status_.ok()) return;
    std::size_t want = 0;
    for (const ArgSpec& arg : op_->inputs) want += static_cast<std::size_t>(Count(arg));
    if (want != inputs_.size()) status_ = detail::wrong_number_of_inputs(inputs_.size(), want);
  }
  constexpr bool FindRange(std::span<const ArgSpec> args, std::string_view name, std::size_t* begin,
                           std::size_t* end) const {
    *end = 0;
    for (const ArgSpec& arg : args) {
      *begin = *end;
      *end += static_cast<std::size_t>(Count(arg));
      if (arg.name() == name) return true;
    }
    return false;
  }
  static constexpr const SlimVector<ShapeAndType>* FindHandle(const SlimVector<HandleData>& all, int i) {
    for (const HandleData& data : all)
      if (data.index == i) return &data.held;
    return nullptr;
  }
  static constexpr void SetHandle(SlimVector<HandleData>* all, int i, const SlimVector<ShapeAndType>& held) {
    for (HandleData& data : *all)
      if (data.index == i) {
        data.held = held;
        return;
      }
    all->push_back({i, held});
  }

  // vector: the input's shape, of rank 1 or 0 (only where a scalar means an unknown shape) or unknown.
  constexpr Status ShapeOfInput(int i, ShapeHandle vector, ShapeHandle* out) {
    Input& input = in(i);
    input.requested_as_shape = true;
    if (RankKnown(input.as_shape)) return Done(out, input.as_shape);
    if (input.tensor != nullptr) return ShapeFromTensor(*input.tensor, out);
    if (input.has_values && Rank(vector) == 1) return ShapeFromValues(input.values, out);
    if (Rank(vector) == 0) return Done(out, UnknownShape());
    return UnknownShapeOfLength(vector, out);
  }
  constexpr Status UnknownShapeOfLength(ShapeHandle vector, ShapeHandle* out) {
    constexpr std::int64_t kMax = 1 << 25;
    const std::int64_t n = Value(Dim(vector, 0));
    if (n == kUnknownDim) return Done(out, UnknownShape());
    if (n >= kMax) return Failed(out, detail::too_many_dimensions(n, kMax));
    return Done(out, UnknownShapeOfRank(n));
  }
  constexpr Status ShapeFromValues(std::span<const std::int64_t> values, ShapeHandle* out) {
    for (const std::int64_t v : values)
      if (v < -1) return Failed(out, detail::shape_value_is_invalid(v));
    return Done(out, MakeShape(values));
  }
  static Status ReadTensor(const Tensor& t, SlimVector<std::int64_t>* values) {
    values->clear();
    const auto n = static_cast<std::size_t>(t.NumElements());
    if (t.dtype() == DataType::kInt32)
      values->assign(t.data<std::int32_t>(), t.data<std::int32_t>() + n);
    else if (t.dtype() == DataType::kInt64)
      values->assign(t.data<std::int64_t>(), t.data<std::int64_t>() + n);
    else if (t.dtype() == DataType::kInt16)
      values->assign(t.data<std::int16_t>(), t.data<std::int16_t>() + n);
    else
      return errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype());
    return OkStatus();
  }
  Status ShapeFromTensor(const Tensor& t, ShapeHandle* out) {
    if (t.dims() > 1)
      return Failed(out, errors::InvalidArgument("Input tensor must be rank 1, but was rank ", t.dims()));
    if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64)
      return Failed(out, errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype()));
    SlimVector<std::int64_t> values;
    TENON_RETURN_IF_ERROR(ReadTensor(t, &values));
    if (t.dims() == 1) return ShapeFromValues(values, out);
    if (values.front() != -1) return Failed(out, detail::scalar_shape_must_be_minus_one(values.front()));
    return Done(out, UnknownShape());
  }
  Status Sizes(ShapeHandle s, std::int64_t* sizes) const {
    if (Rank(s) > kMaxTensorRank)
      return errors::InvalidArgument("Shape has too many dimensions: ", Rank(s), ", at most ", kMaxTensorRank);
    for (std::int32_t i = 0; i < Rank(s); ++i) sizes[i] = Value(DimKnownRank(s, i));
    return OkStatus();
  }

  int graph_def_version_ = 0;
  const NodeDef* node_ = nullptr;
  const OpView* op_ = nullptr;
  OpView own_view_;
  Status status_;
  std::int64_t unknown_dims_ = 0;
  SlimVector<ShapeRecord> shapes_;
  SlimVector<DimensionHandle> dims_;
  SlimVector<Input> inputs_;
  SlimVector<ShapeHandle> outputs_;
  SlimVector<HandleData> input_handles_, output_handles_;
  SlimVector<StaticAttr> static_attrs_;
};

// Calls a shape function. An error says which node it was for and what was known of its inputs.
constexpr Status RunShapeFn(InferenceContext* context, ShapeFn fn) {
  TENON_RETURN_IF_ERROR(Status(context->construction_status()));
  Status status = fn(context);
  return status.ok() ? status : context->AttachContext(status);
}

// The shape of one output of an op struct, in a constant expression:
//   static_assert(InferShape<MatMul>({{32, 784}, {784, 10}}) == StaticShape{32, 10});
template <class Op>
constexpr StaticShape InferShape(std::initializer_list<StaticInput> inputs,
                                 std::initializer_list<StaticAttr> attrs = {}, int output = 0) {
  InferenceContext context(Op::signature.view(), inputs, attrs);
  if (!RunShapeFn(&context, Op::signature.shape_fn).ok()) return StaticShape();
  return context.ToStaticShape(context.output(output));
}

// TensorFlow's names for the same things.
namespace shape_inference {
using tenon::DimensionHandle;
using tenon::DimensionOrConstant;
using tenon::InferenceContext;
using tenon::ShapeAndType;
using tenon::ShapeHandle;
}  // namespace shape_inference

TENON_NAMESPACE_END

// ---- tenon/op/window.hpp ----
// Sliding windows of convolutions and pools: the attrs `padding`, `data_format` and `explicit_paddings`, and how many
// places a window has along a dimension. Shape functions and engines share these; the texts are TensorFlow's.
TENON_NAMESPACE_BEGIN

enum class Padding : std::uint8_t { kValid = 1, kSame = 2, kExplicit = 3 };
constexpr std::string_view Name(Padding padding) {
  return padding == Padding::kValid ? "VALID" : padding == Padding::kSame ? "SAME" : "EXPLICIT";
}

// How images lie in memory: N batch, C channels, D H W space. The VECT_C form has a fifth, innermost dimension of 4 or
// 32 channels.
enum class TensorFormat : std::uint8_t { kNHWC, kNCHW, kNCHW_VECT_C, kNDHWC, kNCDHW };

namespace detail {

TENON_COLD inline Status padding_is_not_allowed(std::string_view text) {
  return errors::NotFound(text, " is not an allowed padding type");
}
TENON_COLD inline Status data_format_is_not_allowed(std::string_view text) {
  return errors::InvalidArgument("Invalid data format string: ", text);
}
TENON_COLD inline Status stride_must_be_positive(std::int64_t stride) {
  return errors::InvalidArgument("Stride must be > 0, but got ", stride);
}
TENON_COLD inline Status dilation_must_be_positive(std::int64_t dilation) {
  return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation);
}
TENON_COLD inline Status window_is_larger_than_the_input(std::int64_t out, std::int64_t in, std::int64_t window,
                                                         std::int64_t stride) {
  return errors::InvalidArgument("Computed output size would be negative: ", out, " [input_size: ", in,
                                 ", effective_filter_size: ", window, ", stride: ", stride, "]");
}
TENON_COLD inline Status explicit_paddings_have_the_wrong_length(int want, std::size_t got) {
  return errors::InvalidArgument("explicit_paddings attribute must contain ", want, " values, but got: ", got);
}
TENON_COLD inline Status explicit_paddings_must_not_be_negative() {
  return errors::InvalidArgument("All elements of explicit_paddings must be nonnegative");
}
TENON_COLD inline Status explicit_paddings_of_batch_and_depth_must_be_zero() {
  return errors::InvalidArgument("Nonzero explicit padding in the batch or depth dimensions is not supported");
}
TENON_COLD inline Status explicit_paddings_must_be_empty() {
  return errors::InvalidArgument("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
}

}  // namespace detail

constexpr Status ParsePadding(std::string_view text, Padding* padding) {
  if (text == "VALID")
    *padding = Padding::kValid;
  else if (text == "SAME")
    *padding = Padding::kSame;
  else if (text == "EXPLICIT")
    *padding = Padding::kExplicit;
  else
    return detail::padding_is_not_allowed(text);
  return OkStatus();
}
constexpr Status ParseTensorFormat(std::string_view text, TensorFormat* format) {
  if (text == "NHWC")
    *format = TensorFormat::kNHWC;
  else if (text == "NCHW")
    *format = TensorFormat::kNCHW;
  else if (text == "NCHW_VECT_C")
    *format = TensorFormat::kNCHW_VECT_C;
  else if (text == "NDHWC")
    *format = TensorFormat::kNDHWC;
  else if (text == "NCDHW")
    *format = TensorFormat::kNCDHW;
  else
    return detail::data_format_is_not_allowed(text);
  return OkStatus();
}
constexpr bool ChannelsFirst(TensorFormat format) {
  return format != TensorFormat::kNHWC && format != TensorFormat::kNDHWC;
}
// Position of the channels and of the first spatial dimension in a tensor (or in strides, ksize, dilations) of `dims`
// entries.
constexpr int ChannelIndex(TensorFormat format, int dims) { return ChannelsFirst(format) ? 1 : dims - 1; }
constexpr int SpatialIndex(TensorFormat format) { return ChannelsFirst(format) ? 2 : 1; }

// `paddings`: before and after for each dimension, in the order of the data format; none unless the padding is
// EXPLICIT.
constexpr Status CheckValidPadding(Padding padding, std::span<const std::int64_t> paddings, int dims,
                                   TensorFormat format) {
  if (padding != Padding::kExplicit) return paddings.empty() ? OkStatus() : detail::explicit_paddings_must_be_empty();
  if (paddings.size() != static_cast<std::size_t>(2 * dims))
    return detail::explicit_paddings_have_the_wrong_length(2 * dims, paddings.size());
  for (const std::int64_t p : paddings)
    if (p < 0) return detail::explicit_paddings_must_not_be_negative();
  const auto channel = static_cast<std::size_t>(2 * ChannelIndex(format, dims));
  if (paddings[0] != 0 || paddings[1] != 0 || paddings[channel] != 0 || paddings[channel + 1] != 0)
    return detail::explicit_paddings_of_batch_and_depth_must_be_zero();
  return OkStatus();
}

// For kernels: the output size of a window that moves over one dimension, and the padding before and after it (given
// for EXPLICIT).
constexpr Status GetWindowedOutputSize(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                                       std::int64_t stride, Padding padding, std::int64_t* output, std::int64_t* before,
                                       std::int64_t* after) {
  if (stride <= 0) return detail::stride_must_be_positive(stride);
  if (dilation < 1) return detail::dilation_must_be_positive(dilation);
  const std::int64_t window = (filter - 1) * dilation + 1;
  if (padding == Padding::kSame) {
    *output = (input + stride - 1) / stride;
    const std::int64_t needed = (*output - 1) * stride + window - input;
    const std::int64_t total = needed > 0 ? needed : 0;
    *before = total / 2;
    *after = total - *before;
  } else {
    if (padding == Padding::kValid) *before = *after = 0;
    *output = (input + *before + *after - window + stride) / stride;
  }
  return *output < 0 ? detail::window_is_larger_than_the_input(*output, input, window, stride) : OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/op/shape_fns.hpp ----
// The common shape functions, under TensorFlow's names: .SetShapeFn(tenon::shape_inference::MatMulShape). All run in
// constant expressions too. Window and stride arithmetic that kernels share with them is here as well.
TENON_NAMESPACE_BEGIN

namespace detail {

TENON_COLD inline Status list_attr_has_the_wrong_length(std::string_view start, std::size_t got) {
  return errors::InvalidArgument(start, ", but got: ", got);
}
TENON_COLD inline Status channel_block_must_be_4_or_32(std::int64_t n) {
  return errors::InvalidArgument("VECT_C dimension must be 4 or 32, but is ", n);
}
TENON_COLD inline Status depth_of_filter_must_not_be_zero() {
  return errors::InvalidArgument("Depth of filter must not be 0");
}
TENON_COLD inline Status depth_of_input_must_be_a_multiple_of_the_filters(std::int64_t input, std::int64_t filter) {
  return errors::InvalidArgument("Depth of input (", input, ") is not a multiple of input depth of filter (", filter,
                                 ")");
}
TENON_COLD inline Status depth_of_output_must_be_a_multiple_of_the_groups(std::int64_t output, std::int64_t groups) {
  return errors::InvalidArgument("Depth of output (", output, ") is not a multiple of the number of groups (", groups,
                                 ")");
}
TENON_COLD inline Status reduction_dimension_is_out_of_range(std::int64_t d, std::int64_t rank) {
  return errors::InvalidArgument("Invalid reduction dimension ", d, " for input with ", rank, " dimensions.");
}
TENON_COLD inline Status scalars_cannot_be_concatenated() {
  return errors::InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
}
TENON_COLD inline Status axis_is_out_of_range(std::int64_t axis, std::int64_t rank) {
  return errors::InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
}
TENON_COLD inline Status reshape_must_keep_the_number_of_elements(const InferenceContext* c, DimensionHandle in,
                                                                  ShapeHandle out, DimensionHandle out_elements) {
  return errors::InvalidArgument("Cannot reshape a tensor with ", c->DebugString(in), " elements to shape ",
                                 c->DebugString(out), " (", c->DebugString(out_elements), " elements)");
}
TENON_COLD inline Status slice_size_must_not_be_below_minus_one(std::size_t d, std::int64_t length, std::int64_t size) {
  return errors::InvalidArgument("Out of bounds slicing on dimension ", d, " of length ", length,
                                 ": sizes vector cannot be < -1, but was ", size);
}
TENON_COLD inline Status stride_must_not_be_zero(std::size_t d) {
  return errors::InvalidArgument("strides[", d, "] must be non-zero");
}
TENON_COLD inline Status only_one_ellipsis_is_allowed() {
  return errors::InvalidArgument("Multiple ellipses in slice spec not allowed");
}
TENON_COLD inline Status slice_has_more_indices_than_the_input_dimensions(std::size_t d, std::size_t rank) {
  if (rank == 0) return errors::InvalidArgument("Attempting to slice scalar input.");
  return errors::InvalidArgument("Index out of range using input dim ", d, "; input has only ", rank, " dims");
}
TENON_COLD inline Status single_index_needs_a_positive_stride() {
  return errors::InvalidArgument("only stride 1 allowed on non-range indexing.");
}
TENON_COLD inline Status slice_index_is_out_of_bounds(std::int64_t index, std::size_t d) {
  return errors::InvalidArgument("slice index ", index, " of dimension ", d, " out of bounds.");
}
TENON_COLD inline Status slice_bounds_must_be_equally_long_vectors(std::size_t begin, std::size_t end,
                                                                   std::size_t strides) {
  return errors::InvalidArgument("Expected begin, end, and strides to be 1D equal size tensors, but got shapes [",
                                 begin, "], [", end, "], and [", strides, "] instead.");
}

}  // namespace detail

// A strided slice with all masks worked in.
struct StridedSlicePlan {
  SlimVector<std::int64_t> begin, end, strides;   // per input dimension; bounds are within the input
  SlimVector<std::int64_t> processing_shape;      // size of each input dimension after slicing; -1: unknown
  SlimVector<std::int64_t> final_shape;           // with new axes, without shrunk ones
  bool is_identity = true;                         // the output is the input
  bool slice_dim0 = true;                          // only the first dimension is cut, with stride 1
  bool is_simple_slice = true;                     // all strides are 1
};

// What StridedSlice does to an input of these sizes (-1: unknown). `begin` and `end` may be null: not known.
constexpr Status PlanStridedSlice(std::span<const std::int64_t> input, const SlimVector<std::int64_t>* begin,
                                  const SlimVector<std::int64_t>* end, const SlimVector<std::int64_t>& strides,
                                  std::int32_t begin_mask, std::int32_t end_mask, std::int32_t ellipsis_mask,
                                  std::int32_t new_axis_mask, std::int32_t shrink_axis_mask, StridedSlicePlan* plan) {
  constexpr std::int64_t kNewAxis = -2, kShrinkAxis = -1;
  const auto bit = [](std::int64_t mask, std::size_t i) { return i < 32 && (mask >> i & 1) != 0; };
  const std::size_t rank = input.size();
  std::size_t n = strides.size();
  const std::size_t begin_size = begin == nullptr ? n : begin->size(), end_size = end == nullptr ? n : end->size();
  if (begin_size != n || end_size != n || n >= 32)
    return detail::slice_bounds_must_be_equally_long_vectors(begin_size, end_size, n);
  if ((ellipsis_mask & (ellipsis_mask - 1)) != 0) return detail::only_one_ellipsis_is_allowed();

  // One entry per input dimension: the ellipsis (one at the end unless there is one) takes what is left over.
  std::size_t new_axes_after_ellipsis = 0;
  bool ellipsis_seen = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (ellipsis_seen && bit(new_axis_mask, i)) ++new_axes_after_ellipsis;
    ellipsis_seen = ellipsis_seen || bit(ellipsis_mask, i);
  }
  const std::size_t ellipsis_at_end = ellipsis_seen ? n : n++;
  plan->begin.assign(rank, 0);
  plan->end.assign(rank, 0);
  plan->strides.assign(rank, 1);
  plan->processing_shape.clear();
  plan->final_shape.clear();
  plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = true;
  SlimVector<std::int64_t> gather;  // per output dimension: the input dimension, or one of the constants
  SlimVector<std::int64_t> whole_begin(rank, 0), whole_end(rank, 0), shrink(rank, 0);  // flags
  std::size_t d = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == ellipsis_at_end || bit(ellipsis_mask, i)) {
      const std::size_t stop = rank + 1 + new_axes_after_ellipsis + i;  // + n - ... : kept unsigned
      const std::size_t next = stop < n ? 0 : stop - n < rank ? stop - n : rank;
      for (; d < next; ++d) {
        whole_begin[d] = whole_end[d] = 1;
        gather.push_back(static_cast<std::int64_t>(d));
      }
    } else if (bit(new_axis_mask, i)) {
      gather.push_back(kNewAxis);
    } else {
      if (d == rank) return detail::slice_has_more_indices_than_the_input_dimensions(d, rank);
      if (begin != nullptr) plan->begin[d] = (*begin)[i];
      if (end != nullptr) plan->end[d] = (*end)[i];
      plan->strides[d] = strides[i];
      whole_begin[d] = bit(begin_mask, i);
      whole_end[d] = bit(end_mask, i);
      shrink[d] = bit(shrink_axis_mask, i);
      gather.push_back(shrink[d] != 0 ? kShrinkAxis : static_cast<std::int64_t>(d));
      ++d;
    }
  }

  const bool bounds_known = begin != nullptr && end != nullptr;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = input[i], stride = plan->strides[i];
    if (stride == 0) return detail::stride_must_not_be_zero(i);
    if (size == -1) {
      plan->processing_shape.push_back(shrink[i] ? 1 : -1);
      plan->is_identity = plan->slice_dim0 = plan->is_simple_slice = false;
      continue;
    }
    if (shrink[i] && stride <= 0) return detail::single_index_needs_a_positive_stride();
    plan->is_simple_slice = plan->is_simple_slice && stride == 1;
    const bool whole = whole_begin[i] != 0 && whole_end[i] != 0;
    std::int64_t length = 0;
    bool length_known = true, takes_all = stride == 1 && whole;
    if (bounds_known) {
      const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
      const auto clamp = [&](std::int64_t x) {
        if (x < 0) x += size;
        return x < low ? low : x > high ? high : x;
      };
      std::int64_t& b = plan->begin[i];
      std::int64_t& e = plan->end[i];
      if (shrink[i]) {
        if (b < 0) b += size;
        e = b + 1;
        if (b < 0 || b >= size) return detail::slice_index_is_out_of_bounds(b, i);
      } else {
        b = whole_begin[i] ? (stride > 0 ? low : high) : clamp(b);
        e = whole_end[i] ? (stride > 0 ? high : low) : clamp(e);
      }
      takes_all = stride == 1 && b == 0 && e == size;
      length = e - b;
    } else if (shrink[i]) {
      length = 1;
    } else if (whole) {
      length = stride < 0 ? -size : size;
    } else {
      length_known = false;
    }
    plan->is_identity = plan->is_identity && takes_all;
    plan->slice_dim0 = plan->slice_dim0 && ((i == 0 && stride == 1) || takes_all);
    if (!length_known)
      plan->processing_shape.push_back(-1);
    else if (length == 0 || (length < 0) != (stride < 0))
      plan->processing_shape.push_back(0);
    else
      plan->processing_shape.push_back(length / stride + (length % stride != 0 ? 1 : 0));
  }
  for (const std::int64_t g : gather) {
    if (g >= 0)
      plan->final_shape.push_back(plan->processing_shape[static_cast<std::size_t>(g)]);
    else if (g == kNewAxis)
      plan->final_shape.push_back(1);
  }
  return OkStatus();
}

namespace shape_inference {

// ------------------------------------------------------------------------------------------------------------- simple
constexpr Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRank(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtLeast(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtMost(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return OkStatus();
}
constexpr Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return OkStatus();
}
constexpr Status NoOutputs(InferenceContext*) { return OkStatus(); }
constexpr Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}
// The attr `shape`.
constexpr Status ExplicitShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
  c->set_output(0, out);
  return OkStatus();
}
// The value of input 0.
constexpr Status RandomShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// ------------------------------------------------------------------------------------------------------- broadcasting
// Right-aligned; a size of 1 stretches. With incompatible_shape_error = false shapes that do not fit give a scalar.
constexpr Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x, ShapeHandle y,
                                                      bool incompatible_shape_error, ShapeHandle* out) {
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return OkStatus();
  }
  const std::int32_t rank_x = c->Rank(x), rank_y = c->Rank(y), rank = rank_x > rank_y ? rank_x : rank_y;
  SlimVector<DimensionHandle> dims;
  dims.reserve(static_cast<std::size_t>(rank));
  for (std::int32_t i = 0; i < rank; ++i) {
    const std::int32_t i_x = i - (rank - rank_x), i_y = i - (rank - rank_y);
    const DimensionHandle a = i_x < 0 ? c->MakeDim(1) : c->Dim(x, i_x), b = i_y < 0 ? c->MakeDim(1) : c->Dim(y, i_y);
    const std::int64_t size_a = c->Value(a), size_b = c->Value(b);
    if (!c->ValueKnown(a) || !c->ValueKnown(b)) {
      if (size_a > 1 || size_b > 1) {  // a correct program stretches the unknown one, or has it equal
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(size_a > 1 ? a : b);
      } else if (size_a == 1) {
        dims.push_back(b);
      } else if (size_b == 1 || a.SameHandle(b)) {
        dims.push_back(a);
      } else if (!c->ValueKnown(a) && !c->ValueKnown(b)) {
        dims.push_back(c->UnknownDim());
      } else {
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(c->UnknownDim());
      }
    } else if (size_a == 1 || size_b == 1) {
      dims.push_back(size_a == 1 && i_y >= 0 ? b : a);
    } else if (size_a != size_b && !incompatible_shape_error) {
      *out = c->Scalar();
      return OkStatus();
    } else {
      DimensionHandle merged;
      TENON_RETURN_IF_ERROR(c->Merge(a, b, &merged));
      dims.push_back(merged);
    }
  }
  *out = c->MakeShape(dims);
  return OkStatus();
}
constexpr Status BroadcastBinaryOpShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
  c->set_output(0, out);
  return OkStatus();
}

// ----------------------------------------------------------------------------------------------------- linear algebra
constexpr Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return OkStatus();
}
namespace internal {
constexpr Status BatchMatMul(InferenceContext* c, bool broadcast) {
  ShapeHandle a, b, a_batch, b_batch, batch, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  bool adj_x = false, adj_y = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const DimensionHandle rows = c->Dim(a, adj_x ? -1 : -2), columns = c->Dim(b, adj_y ? -2 : -1);
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, adj_x ? -2 : -1), c->Dim(b, adj_y ? -1 : -2), &inner));
  TENON_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &a_batch));
  TENON_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &b_batch));
  if (broadcast) {
    TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, a_batch, b_batch, true, &batch));
  } else {
    TENON_RETURN_IF_ERROR(c->Merge(a_batch, b_batch, &batch));
  }
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, columns), &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace internal
constexpr Status BatchMatMulShape(InferenceContext* c) { return internal::BatchMatMul(c, false); }
constexpr Status BatchMatMulV2Shape(InferenceContext* c) { return internal::BatchMatMul(c, true); }

// ---------------------------------------------------------------------------------------------------- neural networks
namespace internal {
constexpr Status GetDataFormat(InferenceContext* c, TensorFormat* format) {
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  return ParseTensorFormat(text, format);
}
constexpr Status GetPadding(InferenceContext* c, int dims, TensorFormat format, Padding* padding,
                            SlimVector<std::int64_t>* paddings) {
  std::string_view text;
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &text));
  TENON_RETURN_IF_ERROR(ParsePadding(text, padding));
  if (c->HasAttr("explicit_paddings")) TENON_RETURN_IF_ERROR(c->GetAttr("explicit_paddings", paddings));
  return CheckValidPadding(*padding, *paddings, dims, format);
}
constexpr Status GetListAttr(InferenceContext* c, std::string_view attr, std::size_t size, std::string_view complaint,
                             SlimVector<std::int64_t>* list) {
  list->clear();
  TENON_RETURN_IF_ERROR(c->GetAttr(attr, list));
  return list->size() == size ? OkStatus() : detail::list_attr_has_the_wrong_length(complaint, list->size());
}
constexpr std::int64_t PaddingOf(const SlimVector<std::int64_t>& paddings, int dimension, int after) {
  return paddings.empty() ? 0 : paddings[static_cast<std::size_t>(2 * dimension + after)];
}
}  // namespace internal

constexpr Status GetWindowedOutputSizeFromDimsV2(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                                 std::int64_t dilation, std::int64_t stride, Padding padding,
                                                 std::int64_t before, std::int64_t after, DimensionHandle* out) {
  if (stride <= 0) return detail::stride_must_be_positive(stride);
  if (dilation < 1) return detail::dilation_must_be_positive(dilation);
  if (padding == Padding::kSame) {
    TENON_RETURN_IF_ERROR(c->Add(input, stride - 1, out));
    return c->Divide(*out, stride, false, out);
  }
  if (padding == Padding::kExplicit) TENON_RETURN_IF_ERROR(c->Add(input, before + after, &input));
  DimensionHandle window = c->MakeDim(filter);
  if (dilation > 1) {
    TENON_RETURN_IF_ERROR(c->Subtract(window, 1, &window));
    TENON_RETURN_IF_ERROR(c->Multiply(window, dilation, &window));
    TENON_RETURN_IF_ERROR(c->Add(window, 1, &window));
  }
  TENON_RETURN_IF_ERROR(c->Subtract(input, window, out));
  TENON_RETURN_IF_ERROR(c->Add(*out, stride, out));
  return c->Divide(*out, stride, false, out);
}
constexpr Status GetWindowedOutputSizeFromDims(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter,
                                               std::int64_t stride, Padding padding, DimensionHandle* out) {
  return GetWindowedOutputSizeFromDimsV2(c, input, filter, 1, stride, padding, 0, 0, out);
}

// Adds a bias vector to the channels.
constexpr Status BiasAddShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  if (text == "NCHW") format = TensorFormat::kNCHW;
  ShapeHandle input, bias, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), ChannelsFirst(format) ? 3 : 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  if (!c->RankKnown(input)) return UnknownShape(c);
  const int channel = ChannelsFirst(format) ? 1 : -1;
  DimensionHandle merged;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(input, channel), c->Dim(bias, 0), &merged));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, channel, merged, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status BiasAddGradShape(InferenceContext* c) {
  std::string_view text = "NHWC";
  if (c->HasAttr("data_format")) TENON_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
  const bool channels_first = text == "NCHW";
  ShapeHandle input;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), channels_first ? 3 : 2, &input));
  c->set_output(0, c->Vector(c->Dim(input, channels_first ? 1 : -1)));
  return OkStatus();
}

namespace internal {
// An image's dimensions, whatever its format.
struct ImageDims {
  DimensionHandle batch, rows, columns, depth;
  std::int64_t channel_block = 0;  // of the VECT_C format
};
constexpr Status ReadImage(InferenceContext* c, ShapeHandle image, TensorFormat format, ImageDims* out) {
  const int spatial = SpatialIndex(format);
  out->batch = c->Dim(image, 0);
  out->rows = c->Dim(image, spatial);
  out->columns = c->Dim(image, spatial + 1);
  out->depth = c->Dim(image, ChannelIndex(format, 4));
  if (format != TensorFormat::kNCHW_VECT_C) return OkStatus();
  const DimensionHandle block = c->Dim(image, 4);
  out->channel_block = c->ValueKnown(block) ? c->Value(block) : 4;
  if (out->channel_block != 4 && out->channel_block != 32)
    return detail::channel_block_must_be_4_or_32(out->channel_block);
  return c->Multiply(out->depth, out->channel_block, &out->depth);
}
constexpr Status MakeImage(InferenceContext* c, const ImageDims& image, TensorFormat format, ShapeHandle* out) {
  if (format == TensorFormat::kNHWC) {
    *out = c->MakeShape({image.batch, image.rows, image.columns, image.depth});
  } else if (format == TensorFormat::kNCHW) {
    *out = c->MakeShape({image.batch, image.depth, image.rows, image.columns});
  } else {
    DimensionHandle blocks;
    TENON_RETURN_IF_ERROR(c->Divide(image.depth, image.channel_block, true, &blocks));
    *out = c->MakeShape({image.batch, blocks, image.rows, image.columns, image.channel_block});
  }
  return OkStatus();
}
constexpr int ImageRank(TensorFormat format) { return format == TensorFormat::kNCHW_VECT_C ? 5 : 4; }

// Depths must agree, or the convolution is grouped.
constexpr Status CheckDepths(InferenceContext* c, DimensionHandle input, DimensionHandle filter,
                             DimensionHandle output) {
  if (!c->ValueKnown(input) || !c->ValueKnown(filter)) return OkStatus();
  const std::int64_t in = c->Value(input), per_group = c->Value(filter);
  if (per_group == 0) return detail::depth_of_filter_must_not_be_zero();
  if (in % per_group != 0) return detail::depth_of_input_must_be_a_multiple_of_the_filters(in, per_group);
  const std::int64_t groups = in / per_group;
  if (groups > 1 && c->ValueKnown(output) && c->Value(output) % groups != 0)
    return detail::depth_of_output_must_be_a_multiple_of_the_groups(c->Value(output), groups);
  return OkStatus();
}
}  // namespace internal

// input: [n, h, w, c]  filter: [fh, fw, c / groups, out]  ->  [n, h', w', out], in the order of data_format.
constexpr Status Conv2DShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  const int rank = internal::ImageRank(format);
  ShapeHandle input, filter, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
  SlimVector<std::int64_t> dilations, strides, paddings;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "dilations", 4, "Conv2D requires the dilation attribute to contain 4 values", &dilations));
  const std::string_view complaint =
      format == TensorFormat::kNHWC ? "Conv2D on data format NHWC requires the stride attribute to contain 4 values"
      : format == TensorFormat::kNCHW
          ? "Conv2D on data format NCHW requires the stride attribute to contain 4 values"
          : "Conv2D on data format NCHW_VECT_C requires the stride attribute to contain 4 values";
  TENON_RETURN_IF_ERROR(internal::GetListAttr(c, "strides", 4, complaint, &strides));
  internal::ImageDims image;
  TENON_RETURN_IF_ERROR(internal::ReadImage(c, input, format, &image));
  // The filter is [h, w, in, out], or [out, in / 4, h, w, 4] for VECT_C.
  const bool blocked = format == TensorFormat::kNCHW_VECT_C;
  const DimensionHandle filter_rows = c->Dim(filter, blocked ? 2 : 0), filter_columns = c->Dim(filter, blocked ? 3 : 1);
  const DimensionHandle out_depth = c->Dim(filter, blocked ? 0 : 3);
  DimensionHandle filter_depth = c->Dim(filter, blocked ? 1 : 2);
  if (blocked) TENON_RETURN_IF_ERROR(c->Multiply(filter_depth, c->Dim(filter, 4), &filter_depth));
  TENON_RETURN_IF_ERROR(internal::CheckDepths(c, image.depth, filter_depth, out_depth));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(internal::GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1;
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, filter_rows, at(dilations, h), at(strides, h),
                                                        padding, internal::PaddingOf(paddings, h, 0),
                                                        internal::PaddingOf(paddings, h, 1), &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, filter_columns, at(dilations, w),
                                                        at(strides, w), padding, internal::PaddingOf(paddings, w, 0),
                                                        internal::PaddingOf(paddings, w, 1), &image.columns));
  image.depth = out_depth;
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status Conv2DShapeWithExplicitPadding(InferenceContext* c) { return Conv2DShape(c); }

// input: [n, h, w, c]  filter: [fh, fw, c, multiplier]  ->  [n, h', w', c * multiplier], in the order of data_format.
constexpr Status DepthwiseConv2DNativeShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  ShapeHandle input, filter, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  SlimVector<std::int64_t> strides, dilations(4, 1), paddings;
  TENON_RETURN_IF_ERROR(internal::GetListAttr(
      c, "strides", 4, "DepthwiseConv2D requires the stride attribute to contain 4 values", &strides));
  if (c->HasAttr("dilations"))
    TENON_RETURN_IF_ERROR(internal::GetListAttr(
        c, "dilations", 4, "DepthwiseConv2D requires the dilations attribute to contain 4 values", &dilations));
  internal::ImageDims image;
  TENON_RETURN_IF_ERROR(internal::ReadImage(c, input, format, &image));
  TENON_RETURN_IF_ERROR(c->Merge(image.depth, c->Dim(filter, 2), &image.depth));
  TENON_RETURN_IF_ERROR(c->Multiply(image.depth, c->Dim(filter, 3), &image.depth));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(internal::GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1;
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, c->Dim(filter, 0), at(dilations, h),
                                                        at(strides, h), padding, internal::PaddingOf(paddings, h, 0),
                                                        internal::PaddingOf(paddings, h, 1), &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, c->Dim(filter, 1), at(dilations, w),
                                                        at(strides, w), padding, internal::PaddingOf(paddings, w, 0),
                                                        internal::PaddingOf(paddings, w, 1), &image.columns));
  TENON_RETURN_IF_ERROR(internal::MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}

namespace internal {
constexpr Status Pool(InferenceContext* c, bool pools_depth, std::string_view stride_complaint,
                      std::string_view ksize_complaint) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(GetDataFormat(c, &format));
  ShapeHandle input, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), ImageRank(format), &input));
  SlimVector<std::int64_t> strides, sizes, paddings;
  TENON_RETURN_IF_ERROR(GetListAttr(c, "strides", 4, stride_complaint, &strides));
  TENON_RETURN_IF_ERROR(GetListAttr(c, "ksize", 4, ksize_complaint, &sizes));
  ImageDims image;
  TENON_RETURN_IF_ERROR(ReadImage(c, input, format, &image));
  Padding padding = Padding::kValid;
  TENON_RETURN_IF_ERROR(GetPadding(c, 4, format, &padding, &paddings));
  const int h = SpatialIndex(format), w = h + 1, d = ChannelIndex(format, 4);
  const auto at = [](const SlimVector<std::int64_t>& list, int i) { return list[static_cast<std::size_t>(i)]; };
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.rows, at(sizes, h), 1, at(strides, h), padding,
                                                        PaddingOf(paddings, h, 0), PaddingOf(paddings, h, 1),
                                                        &image.rows));
  TENON_RETURN_IF_ERROR(GetWindowedOutputSizeFromDimsV2(c, image.columns, at(sizes, w), 1, at(strides, w), padding,
                                                        PaddingOf(paddings, w, 0), PaddingOf(paddings, w, 1),
                                                        &image.columns));
  if (pools_depth)
    TENON_RETURN_IF_ERROR(
        GetWindowedOutputSizeFromDimsV2(c, image.depth, at(sizes, d), 1, at(strides, d), padding, 0, 0, &image.depth));
  TENON_RETURN_IF_ERROR(MakeImage(c, image, format, &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace internal
constexpr Status MaxPoolShape(InferenceContext* c) {
  return internal::Pool(c, true, "MaxPool requires the stride attribute to contain 4 values",
                        "MaxPool requires the ksize attribute to contain 4 values");
}
constexpr Status MaxPoolShapeWithExplicitPadding(InferenceContext* c) { return MaxPoolShape(c); }
constexpr Status AvgPoolShape(InferenceContext* c) {
  return internal::Pool(c, false, "AvgPool requires the stride attribute to contain 4 values",
                        "AvgPool requires the ksize attribute to contain 4 values");
}

// y as x; batch mean, batch variance and two reserves are vectors over the channels.
constexpr Status FusedBatchNormShape(InferenceContext* c) {
  TensorFormat format = TensorFormat::kNHWC;
  TENON_RETURN_IF_ERROR(internal::GetDataFormat(c, &format));
  const int rank = format == TensorFormat::kNDHWC || format == TensorFormat::kNCDHW ? 5 : 4;
  ShapeHandle x, y;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
  bool is_training = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("is_training", &is_training));
  float factor = 1.0f;
  if (c->HasAttr("exponential_avg_factor")) TENON_RETURN_IF_ERROR(c->GetAttr("exponential_avg_factor", &factor));
  const int channel = ChannelIndex(format, rank);
  DimensionHandle depth = c->Dim(x, channel);
  for (int i = 1; i < (is_training && factor == 1.0f ? 3 : 5); ++i) {
    ShapeHandle vector;
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(x, channel, depth, &y));
  c->set_output(0, y);
  for (int i = 1; i < 5; ++i) c->set_output(i, c->Vector(depth));
  return OkStatus();
}
constexpr Status FusedBatchNormV3Shape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(FusedBatchNormShape(c));
  c->set_output(5, c->UnknownShape());
  return OkStatus();
}

// ------------------------------------------------------------------------------------------------- reductions, arrays
// Input 1 says which dimensions are reduced.
constexpr Status ReductionShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle indices_shape;
  if (c->graph_def_version() >= 21) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &indices_shape));
  bool keep_dims = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  SlimVector<std::int64_t> indices;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &indices, &known));
  if (!known || !c->RankKnown(input)) {
    c->set_output(0, keep_dims && c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape());
    return OkStatus();
  }
  const std::int32_t rank = c->Rank(input);
  SlimVector<std::int64_t> reduced(static_cast<std::size_t>(rank), 0);  // flags
  for (const std::int64_t i : indices) {
    if (i < -rank || i >= rank) return detail::reduction_dimension_is_out_of_range(i, rank);
    reduced[static_cast<std::size_t>(i < 0 ? i + rank : i)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i) {
    if (reduced[static_cast<std::size_t>(i)] == 0)
      dims.push_back(c->Dim(input, i));
    else if (keep_dims)
      dims.push_back(c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs [first, last) are joined along the axis that input `axis_input` says.
constexpr Status ConcatShapeHelper(InferenceContext* c, int first, int last, int axis_input) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(axis_input), 0, &unused));
  std::int64_t axis = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(axis_input, &axis, &known));
  if (!known) {
    std::int32_t rank = InferenceContext::kUnknownRank;
    for (int i = first; i < last && rank == InferenceContext::kUnknownRank; ++i) rank = c->Rank(c->input(i));
    if (rank == InferenceContext::kUnknownRank) return UnknownShape(c);
    if (rank == 0) return detail::scalars_cannot_be_concatenated();
    for (int i = first; i < last; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), rank, &unused));
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  const std::int64_t min_rank = axis < 0 ? -axis : axis + 1;
  ShapeHandle before, after;
  DimensionHandle middle;
  for (int i = last - 1; i >= first; --i) {
    ShapeHandle input, input_before, input_after;
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), min_rank, &input));
    TENON_RETURN_IF_ERROR(c->Subshape(input, 0, axis, &input_before));
    if (axis == -1)
      input_after = c->Scalar();
    else
      TENON_RETURN_IF_ERROR(c->Subshape(input, axis + 1, &input_after));
    const DimensionHandle size = c->Dim(input, axis);
    if (i == last - 1) {
      before = input_before;
      after = input_after;
      middle = size;
      continue;
    }
    TENON_RETURN_IF_ERROR(c->Merge(input_before, before, &before));
    TENON_RETURN_IF_ERROR(c->Add(middle, size, &middle));
    TENON_RETURN_IF_ERROR(c->Merge(input_after, after, &after));
  }
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(middle), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status ConcatShape(InferenceContext* c) { return ConcatShapeHelper(c, 1, c->num_inputs(), 0); }
constexpr Status ConcatV2Shape(InferenceContext* c) {
  return ConcatShapeHelper(c, 0, c->num_inputs() - 1, c->num_inputs() - 1);
}

namespace internal {
// The product of the known sizes, and the position of the unknown one: -1 if there is none, -2 if there are several.
constexpr Status KnownElements(InferenceContext* c, ShapeHandle s, DimensionHandle* elements, std::int32_t* unknown) {
  *unknown = -1;
  *elements = c->NumElements(s);
  if (c->ValueKnown(*elements)) return OkStatus();
  *elements = c->MakeDim(1);
  for (std::int32_t i = 0; i < c->Rank(s); ++i) {
    const DimensionHandle dim = c->Dim(s, i);
    if (c->ValueKnown(dim))
      TENON_RETURN_IF_ERROR(c->Multiply(*elements, dim, elements));
    else if (*unknown == -1)
      *unknown = i;
    else
      *unknown = -2;
  }
  return OkStatus();
}
}  // namespace internal

// Input 1 is the new shape; one -1 in it is worked out.
constexpr Status ReshapeShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  if (c->RankKnown(out) && c->RankKnown(in)) {
    DimensionHandle in_elements, out_elements, inferred;
    std::int32_t in_unknown = -1, out_unknown = -1;
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, out, &out_elements, &out_unknown));
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, in, &in_elements, &in_unknown));
    const std::int64_t in_size = c->Value(in_elements), out_size = c->Value(out_elements);
    if (in_unknown == -1 && out_unknown == -1) {
      if (in_size != out_size)
        return detail::reshape_must_keep_the_number_of_elements(c, in_elements, out, out_elements);
    } else if (in_unknown == -1 && out_unknown >= 0 && out_size > 0) {
      TENON_RETURN_IF_ERROR(c->Divide(in_elements, out_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, inferred, &out));
    } else if (in_unknown >= 0 && out_unknown == -1 && in_size != 0) {
      TENON_RETURN_IF_ERROR(c->Divide(out_elements, in_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->Merge(c->Dim(in, in_unknown), inferred, &inferred));
    } else if (in_unknown >= 0 && out_unknown >= 0 && in_size == out_size) {
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, c->Dim(in, in_unknown), &out));
    }
  }
  c->set_output(0, out);
  return OkStatus();
}

// Joins all inputs along a new axis.
constexpr Status PackShape(InferenceContext* c) {
  ShapeHandle all = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    const Status merged = c->Merge(c->input(i), all, &all);
    if (!merged.ok()) return merged.WithAppended(StrCat("\n\tFrom merging shape ", i, " with other shapes."));
  }
  if (!c->RankKnown(all)) return UnknownShape(c);
  const std::int32_t rank = c->Rank(all) + 1;
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -rank || axis >= rank) return detail::axis_is_out_of_range(axis, rank);
  if (axis < 0) axis += rank;
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i)
    dims.push_back(i < axis ? c->Dim(all, i) : i == axis ? c->MakeDim(c->num_inputs()) : c->Dim(all, i - 1));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Input 1 is where the slice begins, input 2 its sizes; -1 takes what is left.
constexpr Status SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), begin_shape, sizes_shape, begin;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, sizes_shape, &begin_shape));
  const DimensionHandle rank = c->Dim(begin_shape, 0);
  if (c->ValueKnown(rank)) TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(rank), &input));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin));  // it may be partly known
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &sizes, &known));
  if (!known) {
    c->set_output(0, c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape());
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(begin, static_cast<std::int64_t>(sizes.size()), &begin));
  TENON_RETURN_IF_ERROR(c->WithRank(input, static_cast<std::int64_t>(sizes.size()), &input));
  SlimVector<DimensionHandle> dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const DimensionHandle length = c->Dim(input, static_cast<std::int64_t>(i));
    if (sizes[i] < -1) return detail::slice_size_must_not_be_below_minus_one(i, c->Value(length), sizes[i]);
    DimensionHandle size = c->MakeDim(sizes[i]);
    if (sizes[i] == -1) TENON_RETURN_IF_ERROR(c->Subtract(length, c->Dim(begin, static_cast<std::int64_t>(i)), &size));
    dims.push_back(size);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs: tensor, begin, end, strides.
constexpr Status StridedSliceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle begin_shape, end_shape, strides_shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &end_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &strides_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, end_shape, &begin_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, strides_shape, &begin_shape));
  SlimVector<std::int64_t> begin, end, strides;
  bool begin_known = false, end_known = false, strides_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(3, &strides, &strides_known));
  if (!c->RankKnown(input) || !c->ValueKnown(c->Dim(begin_shape, 0)) || !strides_known) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &begin, &begin_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &end, &end_known));
  std::int32_t masks[5] = {};
  constexpr std::string_view kMasks[5] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                          "shrink_axis_mask"};
  for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(c->GetAttr(kMasks[i], &masks[i]));
  SlimVector<std::int64_t> sizes;
  for (std::int32_t i = 0; i < c->Rank(input); ++i) sizes.push_back(c->Value(c->Dim(input, i)));
  StridedSlicePlan plan;
  TENON_RETURN_IF_ERROR(PlanStridedSlice(sizes, begin_known ? &begin : nullptr, end_known ? &end : nullptr, strides,
                                         masks[0], masks[1], masks[2], masks[3], masks[4], &plan));
  c->set_output(0, c->MakeShape(std::span<const std::int64_t>(plan.final_shape)));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}

}  // namespace shape_inference

TENON_NAMESPACE_END

// ---- tenon/base/inlined_vector.hpp ----
// InlinedVector<T, N>: a vector that holds up to N items inside itself and goes to the heap only beyond them.
TENON_NAMESPACE_BEGIN
namespace detail {
template <class I>
concept InputPosition = requires(I i) {
  *i;
  ++i;
};
}  // namespace detail

// As std::vector, with up to 2^32 - 1 items; growing or moving it moves the items, so pointers to them do not survive
// either. externally synchronised.
template <class T, std::size_t N>
class InlinedVector {
  static_assert(N > 0, "tenon: InlinedVector<T, 0> is a vector: use std::vector");

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  InlinedVector() noexcept : data_(InlineData()) {}
  explicit InlinedVector(size_type count) : InlinedVector() { resize(count); }
  InlinedVector(size_type count, const T& value) : InlinedVector() { resize(count, value); }
  InlinedVector(std::initializer_list<T> items) : InlinedVector() { Append(items.begin(), items.end()); }
  template <detail::InputPosition Iterator>
  InlinedVector(Iterator first, Iterator last) : InlinedVector() {
    Append(first, last);
  }
  InlinedVector(const InlinedVector& other) : InlinedVector() { Append(other.begin(), other.end()); }
  InlinedVector(InlinedVector&& other) noexcept : InlinedVector() { Take(other); }
  InlinedVector& operator=(const InlinedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& other) noexcept {
    if (this != &other) {
      clear();
      FreeHeap();
      Take(other);
    }
    return *this;
  }
  InlinedVector& operator=(std::initializer_list<T> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  ~InlinedVector() {
    DestroyRange(data_, data_ + size_);
    if (data_ != InlineData()) Free(data_);
  }

  // Nothing assigned or inserted may be an item of this vector, except through push_back, emplace_back and resize.
  template <detail::InputPosition Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    Append(first, last);
  }
  void assign(size_type count, const T& value) {
    clear();
    resize(count, value);
  }
  void clear() noexcept {
    DestroyRange(data_, data_ + size_);
    size_ = 0;
  }
  void reserve(size_type capacity) {
    if (capacity > capacity_) MoveTo(Allocate(capacity), capacity);
  }
  void resize(size_type count) {
    GrowFor(count);
    while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T();
    Truncate(count);
  }
  void resize(size_type count, const T& value) {
    if (count > capacity_) {
      const T copy(value);  // `value` may be one of the items that move
      GrowFor(count);
      while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T(copy);
    }
    while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T(value);
    Truncate(count);
  }
  void push_back(const T& item) { emplace_back(item); }
  void push_back(T&& item) { emplace_back(std::move(item)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) [[unlikely]]
      return EmplaceBackGrowing(std::forward<Args>(args)...);
    T* const item = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
    return *item;
  }
  void pop_back() { data_[--size_].~T(); }

  iterator insert(const_iterator position, T item) {
    const size_type index = static_cast<size_type>(position - data_);
    emplace_back(std::move(item));
    for (size_type i = size_ - 1; i > index; --i) std::swap(data_[i], data_[i - 1]);
    return data_ + index;
  }
  template <detail::InputPosition Iterator>
  iterator insert(const_iterator position, Iterator first, Iterator last) {
    const size_type index = static_cast<size_type>(position - data_);
    const size_type old_size = size_;
    Append(first, last);
    Rotate(index, old_size);
    return data_ + index;
  }
  iterator erase(const_iterator position) { return erase(position, position + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    T* const to = data_ + (first - data_);
    T* hole = to;
    for (T* from = data_ + (last - data_); from != end(); ++from, ++hole) {
      if (hole != from) *hole = std::move(*from);
    }
    Truncate(static_cast<size_type>(hole - data_));
    return to;
  }
  void swap(InlinedVector& other) noexcept {
    InlinedVector mine(std::move(*this));
    *this = std::move(other);
    other = std::move(mine);
  }

  T& operator[](size_type i) { return data_[i]; }
  const T& operator[](size_type i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  iterator begin() noexcept { return data_; }
  const_iterator begin() const noexcept { return data_; }
  iterator end() noexcept { return data_ + size_; }
  const_iterator end() const noexcept { return data_ + size_; }
  size_type size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  size_type capacity() const noexcept { return capacity_; }

  friend bool operator==(const InlinedVector& a, const InlinedVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_type i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  static constexpr bool kBytes = std::is_trivially_copyable_v<T>;  // may be moved with memcpy

  T* InlineData() noexcept { return reinterpret_cast<T*>(inline_); }
  static T* Allocate(size_type count) {
    if constexpr (alignof(T) > alignof(std::max_align_t)) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignof(T)}));
    } else {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
  static void Free(T* data) {
    if constexpr (alignof(T) > alignof(std::max_align_t)) {
      ::operator delete(static_cast<void*>(data), std::align_val_t{alignof(T)});
    } else {
      ::operator delete(static_cast<void*>(data));
    }
  }
  static void DestroyRange([[maybe_unused]] T* first, [[maybe_unused]] T* last) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (; first != last; ++first) first->~T();
    }
  }
  // Moves `count` items into raw memory and ends their old lives.
  static void Relocate(T* from, size_type count, T* to) noexcept {
    if constexpr (kBytes) {
      if (count != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
    } else {
      for (size_type i = 0; i < count; ++i) {
        ::new (static_cast<void*>(to + i)) T(std::move(from[i]));
        from[i].~T();
      }
    }
  }

  // At least doubles, so that adding one by one stays linear.
  void GrowFor(size_type count) {
    const size_type doubled = size_type{capacity_} * 2;
    if (count > capacity_) reserve(count > doubled ? count : doubled);
  }
  void FreeHeap() noexcept {
    if (data_ != InlineData()) Free(data_);
    data_ = InlineData();
    capacity_ = N;
  }
  void MoveTo(T* data, size_type capacity) noexcept {
    Relocate(data_, size_, data);
    if (data_ != InlineData()) Free(data_);
    data_ = data;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  // This one is empty and on its inline storage.
  void Take(InlinedVector& other) noexcept {
    if (other.data_ == other.InlineData()) {
      Relocate(other.data_, other.size_, data_);
    } else {
      data_ = std::exchange(other.data_, other.InlineData());
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(N));
    }
    size_ = std::exchange(other.size_, 0);
  }
  template <class... Args>
  TENON_COLD T& EmplaceBackGrowing(Args&&... args) {
    const size_type capacity = size_type{capacity_} * 2;
    T* const data = Allocate(capacity);
    T* const item = ::new (static_cast<void*>(data + size_)) T(std::forward<Args>(args)...);  // may read an old item
    MoveTo(data, capacity);
    ++size_;
    return *item;
  }
  template <class Iterator>
  void Append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<size_type>(last - first); }) {
      const size_type needed = size_ + static_cast<size_type>(last - first);
      GrowFor(needed);
    }
    for (; first != last; ++first) emplace_back(*first);
  }
  void Truncate(size_type count) noexcept {
    DestroyRange(data_ + count, data_ + size_);
    size_ = static_cast<std::uint32_t>(count);
  }
  // Brings the items from `middle` on before those from `first` on: three reversals.
  void Rotate(size_type first, size_type middle) {
    Reverse(data_ + first, data_ + middle);
    Reverse(data_ + middle, data_ + size_);
    Reverse(data_ + first, data_ + size_);
  }
  static void Reverse(T* first, T* last) {
    while (first < last && first < --last) std::swap(*first++, *last);
  }

  T* data_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[N * sizeof(T)];
};

TENON_NAMESPACE_END

// ---- tenon/io/mapped_file.hpp ----
// Whole files: MappedFile shows one in memory without reading it (where the system can), WriteFile writes one at once.
#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define TENON_DETAIL_HAS_MMAP 1
#endif

// ---- tenon/io/mapped_file.hpp ----
TENON_NAMESPACE_BEGIN

namespace detail {

// What the system said about a file, as a Status: "'path': No such file or directory".
TENON_COLD inline Status FileError(std::string_view what, const std::string& path, int error) {
  Code code = Code::kUnknown;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: code = Code::kNotFound; break;
    case EACCES:
    case EPERM:
    case EROFS: code = Code::kPermissionDenied; break;
    case EISDIR: code = Code::kFailedPrecondition; break;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE: code = Code::kResourceExhausted; break;
    default: break;
  }
  return Status(code, StrCat(what, ": '", path, "': ", std::strerror(error)));
}

// The bytes of a file that cannot be mapped (a pipe), in ordinary memory.
inline Result<Buffer*> ReadWhole(std::FILE* file, const std::string& path) {
  std::string bytes;
  char block[1 << 14];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
  if (std::ferror(file) != 0) return FileError("MappedFile", path, errno);
  Buffer* buffer = Buffer::Allocate(CpuAllocator(), bytes.size());
  if (buffer == nullptr)
    return errors::ResourceExhausted("MappedFile: no memory for the ", bytes.size(), " bytes of '", path, "'");
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

}  // namespace detail

// The bytes of a file. Immutable; the file must not be cut short while it is mapped, or reading beyond its end ends the
// program. Who writes to the memory changes a private copy of the page, never the file.
//
//   TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open("graph.pb"));
//   Result<GraphDef> graph = ParseGraphDef(file.bytes(), file.buffer());   // constants keep the mapping alive
class MappedFile {
 public:
  // NotFound, PermissionDenied, FailedPrecondition (a folder)..., with the path and what the system says.
  static Result<MappedFile> Open(const std::string& path) {
#if defined(TENON_DETAIL_HAS_MMAP)
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return detail::FileError("MappedFile", path, errno);
    struct stat info;
    if (::fstat(fd, &info) != 0) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
    if (S_ISDIR(info.st_mode)) return CloseWith(fd, detail::FileError("MappedFile", path, EISDIR));
    const auto size = static_cast<std::size_t>(info.st_size);
    if (S_ISREG(info.st_mode) && size > 0) {
      void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
      if (data != MAP_FAILED) {
        ::close(fd);
        return MappedFile(Buffer::Wrap(data, size, &Unmap, reinterpret_cast<void*>(size)));
      }
    }
    std::FILE* file = ::fdopen(fd, "rb");
    if (file == nullptr) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
#else
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return detail::FileError("MappedFile", path, errno);
#endif
    Result<Buffer*> buffer = detail::ReadWhole(file, path);
    std::fclose(file);
    if (!buffer.ok()) return buffer.status();
    return MappedFile(*buffer);
  }

  MappedFile(MappedFile&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~MappedFile() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(buffer_->data()), buffer_->size()}; }
  // Owns the mapping: who refers to it keeps the bytes alive after this object is gone.
  Buffer* buffer() const { return buffer_; }

 private:
  explicit MappedFile(Buffer* buffer) : buffer_(buffer) {}
#if defined(TENON_DETAIL_HAS_MMAP)
  static void Unmap(void* data, void* size) { ::munmap(data, reinterpret_cast<std::size_t>(size)); }
  static Status CloseWith(int fd, Status status) {
    ::close(fd);
    return status;
  }
#endif

  Buffer* buffer_;
};

// Writes a file, or replaces it: first under another name beside it, so that who has the old one open or mapped keeps
// it, and nobody sees half a file. The pieces come one after the other.
inline Status WriteFile(const std::string& path, std::span<const std::string_view> pieces) {
#if defined(TENON_DETAIL_HAS_MMAP)
  const std::string temporary = StrCat(path, ".", static_cast<std::int64_t>(::getpid()), ".tmp");
#else
  const std::string temporary = path + ".tmp";
#endif
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return detail::FileError("WriteFile", path, errno);
  int error = 0;
  for (const std::string_view bytes : pieces) {
    if (error == 0 && !bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) error = errno;
  }
  if (std::fclose(file) != 0 && error == 0) error = errno;
#if !defined(TENON_DETAIL_HAS_MMAP)
  if (error == 0) std::remove(path.c_str());
#endif
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return OkStatus();
  std::remove(temporary.c_str());
  return detail::FileError("WriteFile", path, error);
}
inline Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, std::span<const std::string_view>(&bytes, 1));
}

TENON_NAMESPACE_END

// ---- tenon/io/npy.hpp ----
// NumPy's .npy files: one array, as numpy.save writes it. Numbers, bools, complex numbers, byte strings and texts, in
// either byte order and either order of dimensions.
TENON_NAMESPACE_BEGIN

struct NpyOptions {
  // What elements of a void type are: bfloat16 or one of the float8 types. numpy.save writes ml_dtypes' bfloat16 as
  // '<V2', which is known without being told; its float8 types are all '<V1', which says nothing but their size.
  DataType void_dtype = DataType::kInvalid;
};

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "tenon: .npy files are read and written on little-endian machines");

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

struct NpyType {
  std::string_view descr;  // without the byte order
  DataType dtype;
  std::uint8_t swapped_bytes;  // of each number whose bytes another byte order reverses
};
inline constexpr NpyType kNpyTypes[] = {
    {"f4", DataType::kFloat, 4},     {"f8", DataType::kDouble, 8},      {"f2", DataType::kHalf, 2},
    {"b1", DataType::kBool, 1},      {"i1", DataType::kInt8, 1},        {"i2", DataType::kInt16, 2},
    {"i4", DataType::kInt32, 4},     {"i8", DataType::kInt64, 8},       {"u1", DataType::kUint8, 1},
    {"u2", DataType::kUint16, 2},    {"u4", DataType::kUint32, 4},      {"u8", DataType::kUint64, 8},
    {"c8", DataType::kComplex64, 4}, {"c16", DataType::kComplex128, 8},
};
// TensorFlow's quantised types are structures of one field, and ml_dtypes' types are void ones or, once, 'f1'.
inline constexpr NpyType kNpyWholeTypes[] = {
    {"[('qint8','|i1')]", DataType::kQint8, 1},
    {"[('quint8','|u1')]", DataType::kQuint8, 1},
    {"[('qint16','<i2')]", DataType::kQint16, 1},
    {"[('quint16','<u2')]", DataType::kQuint16, 1},
    {"[('qint32','<i4')]", DataType::kQint32, 1},
    {"<V2", DataType::kBfloat16, 1},
    {"<f1", DataType::kFloat8E5M2, 1},
    {"|f1", DataType::kFloat8E5M2, 1},
};
inline constexpr DataTypeSet kNpyVoidTypes = ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat8E5M2) |
                                             ToSet(DataType::kFloat8E4M3FN) | ToSet(DataType::kFloat8E4M3FNUZ) |
                                             ToSet(DataType::kFloat8E4M3B11FNUZ) | ToSet(DataType::kFloat8E5M2FNUZ);

// The header's text, a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class NpyHeader {
 public:
  std::string_view descr;  // "<f4"; of a structured type the whole list, "[('a', '<i4')]"
  std::size_t descr_at = 0;
  bool fortran_order = false;
  InlinedVector<Index, 8> shape;

  // False: what was expected at which byte of the text is in expected() and at().
  bool Parse(std::string_view text) {
    text_ = text;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return Expected("'{'");
    while (!Take('}')) {
      Blanks();
      const std::size_t start = at_;
      std::string_view key;
      if (!String(&key)) return Expected("a key in quotes or '}'");
      bool* const has = key == "descr"           ? &has_descr
                        : key == "fortran_order" ? &has_order
                        : key == "shape"         ? &has_shape
                                                 : nullptr;
      if (has == nullptr || *has) {
        at_ = start;
        return Expected("each of the keys 'descr', 'fortran_order' and 'shape' once");
      }
      if (!Take(':')) return Expected("':'");
      *has = true;
      if (has == &has_descr ? !Descr() : has == &has_order ? !Order() : !Shape()) return false;
      if (!Take(',') && !Peek('}')) return Expected("',' or '}'");
    }
    if (!has_descr || !has_order || !has_shape)
      return Expected("the keys 'descr', 'fortran_order' and 'shape' before '}'");
    Blanks();
    return at_ == text_.size() || Expected("only blanks after '}'");
  }
  std::string_view expected() const { return expected_; }
  std::size_t at() const { return at_; }

 private:
  bool Expected(std::string_view what) {
    if (expected_.empty()) expected_ = what;
    return false;
  }
  void Blanks() {
    while (at_ < text_.size() && std::string_view(" \n\t\r\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool Peek(char c) {
    Blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    Blanks();
    if (!StartsWith(text_.substr(at_), word)) return false;
    at_ += word.size();
    return true;
  }
  // Quoted, on one line, without escapes: no key and no type needs them.
  bool String(std::string_view* out) {
    if (!Peek('\'') && !Peek('"')) return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(at_ + 1, end - at_ - 1);
    if (out->find_first_of("\\\n") != std::string_view::npos) return false;
    at_ = end + 1;
    return true;
  }
  bool Descr() {
    Blanks();
    descr_at = at_;
    if (!Peek('[')) return String(&descr) || Expected("a type in quotes or a list of fields");
    std::size_t depth = 0;
    do {
      Blanks();
      std::string_view skipped;
      if (at_ == text_.size()) return Expected("']' at the end of the list of fields");
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        if (!String(&skipped)) return Expected("a closing quote");
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
    descr = text_.substr(descr_at, at_ - descr_at);
    return true;
  }
  bool Order() {
    fortran_order = Word("True");
    return fortran_order || Word("False") || Expected("True or False");
  }
  bool Shape() {
    if (!Take('(')) return Expected("a shape like (2, 3), (2,) or ()");
    bool comma = true;
    while (!Take(')')) {
      Blanks();
      if (!comma) return Expected("',' or ')'");
      std::size_t digits = 0;
      while (at_ + digits < text_.size() && text_[at_ + digits] >= '0' && text_[at_ + digits] <= '9') ++digits;
      Index size = 0;
      if (!ParseInt64(text_.substr(at_, digits), &size)) return Expected("a size between 0 and 2**63 - 1");
      if (shape.size() >= kMaxTensorRank) return Expected("at most 254 dimensions");
      at_ += digits;
      static_cast<void>(Word("L"));  // Python 2
      shape.push_back(size);
      comma = Take(',');
      if (shape.size() == 1 && !comma) return Expected("',' after the first size");
    }
    return true;
  }

  std::string_view text_, expected_;
  std::size_t at_ = 0;
};

// What the elements are, by the header's descr.
struct NpyElement {
  enum class Kind : unsigned char { kPlain, kBytes, kText };
  DataType dtype = DataType::kInvalid;
  Kind kind = Kind::kPlain;
  bool swapped = false;           // big-endian
  std::size_t swapped_bytes = 1;  // of each number
  std::uint64_t bytes = 0;        // of an element, in the file
};

TENON_COLD inline Status NpyTypeError(std::string_view where, const NpyHeader& header, std::size_t at,
                                      std::string_view right) {
  return errors::InvalidArgument(where, ": at byte ", at, ": elements of NumPy type '",
                                 CEscape(header.descr.substr(0, 100)), "' have no place in a tensor; ", right);
}

// `at`: where the descr is in the file.
inline Status NpyElementOf(const NpyHeader& header, const NpyOptions& options, std::string_view where, std::size_t at,
                           NpyElement* element) {
  std::string whole;
  for (const char c : header.descr.substr(0, 64)) {
    if (c != ' ') whole += c == '"' ? '\'' : c;
  }
  if (whole.size() > 5 && EndsWith(whole, ",)]")) whole.replace(whole.size() - 3, 3, ")]");
  std::string_view type = header.descr;
  const char order = type.empty() ? '?' : type.front();
  if (order == '<' || order == '>' || order == '|' || order == '=') type.remove_prefix(1);
  const char kind = type.empty() ? '?' : type.front();
  std::uint32_t width = 0;
  const bool has_width = ParseInt(type.substr(type.empty() ? 0 : 1), &width) && type[1] != '-' && type[1] != '+';

  if (kind == 'V' && has_width && options.void_dtype != DataType::kInvalid) {
    if (!kNpyVoidTypes.contains(options.void_dtype) ||
        width != static_cast<std::uint32_t>(SizeOf(options.void_dtype)) || order == '>') {
      return NpyTypeError(where, header, at,
                          StrCat("NpyOptions::void_dtype is ", options.void_dtype,
                                 ", and must be bfloat16 or a float8 type of as many bytes"));
    }
    *element = {options.void_dtype, NpyElement::Kind::kPlain, false, 1, width};
    return OkStatus();
  }
  for (const NpyType& known : kNpyWholeTypes) {
    if (known.descr != whole) continue;
    *element = {known.dtype, NpyElement::Kind::kPlain, false, 1, static_cast<std::uint64_t>(SizeOf(known.dtype))};
    return OkStatus();
  }
  for (const NpyType& known : kNpyTypes) {
    if (known.descr != type) continue;
    *element = {known.dtype, NpyElement::Kind::kPlain, order == '>' && known.swapped_bytes > 1, known.swapped_bytes,
                static_cast<std::uint64_t>(SizeOf(known.dtype))};
    return OkStatus();
  }
  if ((kind == 'S' || kind == 'a' || kind == 'U') && has_width) {
    if (width == 0) return NpyTypeError(where, header, at, "strings of at least one character are wanted");
    if (kind == 'U') {
      *element = {DataType::kString, NpyElement::Kind::kText, order == '>', 4, std::uint64_t{width} * 4};
    } else {
      *element = {DataType::kString, NpyElement::Kind::kBytes, false, 1, width};
    }
    return OkStatus();
  }
  switch (kind) {
    case 'O':
      return NpyTypeError(where, header, at,
                          "they are Python objects (dtype object); save an array of numbers or strings");
    case 'm':
    case 'M': return NpyTypeError(where, header, at, "save array.astype('int64')");
    case 'f':
    case 'g': return NpyTypeError(where, header, at, "save array.astype('float64')");
    case 'c': return NpyTypeError(where, header, at, "save array.astype('complex128')");
    case '[': return NpyTypeError(where, header, at, "save each field as an array of its own");
    case 'V':
      return NpyTypeError(where, header, at,
                          "NpyOptions::void_dtype says that they are bfloat16 or one of the float8 types");
    default: return NpyTypeError(where, header, at, "numbers, bools, complex numbers and strings can be read");
  }
}

// Elements of `width` bytes whose first dimension runs fastest, into row-major order.
inline void FromFortranOrder(const char* from, char* to, const TensorShape& shape, std::size_t width) {
  const int last = shape.dims() - 1;
  const auto row = static_cast<std::size_t>(shape.dim_size(last));
  std::size_t index[kMaxTensorRank] = {}, stride[kMaxTensorRank];  // in elements, of `from`
  std::size_t total = 1;
  for (int d = 0; d <= last; ++d) {
    stride[d] = total;
    total *= static_cast<std::size_t>(shape.dim_size(d));
  }
  const std::size_t step = stride[last] * width;
  const auto copy_row = [&]<std::size_t kWidth>(const char* source, char* out) {
    const std::size_t bytes = kWidth == 0 ? width : kWidth;
    for (std::size_t i = 0; i < row; ++i) std::memcpy(out + i * bytes, source + i * step, bytes);
  };
  std::size_t start = 0;
  for (std::size_t rows = total / row; rows > 0; --rows, to += row * width) {
    const char* const source = from + start * width;
    switch (width) {
      case 1: copy_row.template operator()<1>(source, to); break;
      case 2: copy_row.template operator()<2>(source, to); break;
      case 4: copy_row.template operator()<4>(source, to); break;
      case 8: copy_row.template operator()<8>(source, to); break;
      default: copy_row.template operator()<0>(source, to); break;
    }
    for (int d = last - 1; d >= 0; --d) {
      start += stride[d];
      if (++index[d] < static_cast<std::size_t>(shape.dim_size(d))) break;
      start -= index[d] * stride[d];
      index[d] = 0;
    }
  }
}

inline void SwapBytes(char* bytes, std::size_t count, std::size_t number_bytes) {
  for (std::size_t i = 0; i + number_bytes <= count; i += number_bytes) {
    for (std::size_t a = i, b = i + number_bytes - 1; a < b; ++a, --b) std::swap(bytes[a], bytes[b]);
  }
}

// A NumPy text of `count` characters of four bytes, zeros at its end not among them, as UTF-8. False for what is no
// character; that is in *wrong then.
inline bool NpyTextToUtf8(const char* from, std::size_t count, bool swapped, std::string* text, std::uint32_t* wrong) {
  text->clear();
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t c = 0;
    for (std::size_t b = 0; b < 4; ++b)
      c |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[4 * i + b])) << (8 * (swapped ? 3 - b : b));
    if (c == 0) {
      ++zeros;
      continue;
    }
    text->append(zeros, '\0');
    zeros = 0;
    *wrong = c;
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    const auto tail = [&](int shift) { text->push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3f))); };
    if (c < 0x80) {
      text->push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      text->push_back(static_cast<char>(0xc0 | (c >> 6))), tail(0);
    } else if (c < 0x10000) {
      text->push_back(static_cast<char>(0xe0 | (c >> 12))), tail(6), tail(0);
    } else {
      text->push_back(static_cast<char>(0xf0 | (c >> 18))), tail(12), tail(6), tail(0);
    }
  }
  return true;
}

// `at`: where the data are in the file.
inline Result<Tensor> NpyStrings(const char* data, const TensorShape& shape, const NpyElement& element, bool reorder,
                                 std::string_view where, std::size_t at) {
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(DataType::kString, shape));
  Tensor ordered;
  const auto count = static_cast<std::size_t>(shape.num_elements());
  const auto width = static_cast<std::size_t>(element.bytes);
  if (reorder) {
    TENON_ASSIGN_OR_RETURN(ordered, Tensor::Make(DataType::kUint8, TensorShape({static_cast<Index>(count * width)})));
    FromFortranOrder(data, static_cast<char*>(ordered.raw_data()), shape, width);
    data = static_cast<const char*>(ordered.raw_data());
  }
  auto* const out = static_cast<tstring*>(tensor.raw_data());
  std::string text;
  for (std::size_t i = 0; i < count; ++i, data += width) {
    if (element.kind == NpyElement::Kind::kBytes) {
      const std::size_t last = std::string_view(data, width).find_last_not_of('\0');
      out[i].assign(std::string_view(data, last == std::string_view::npos ? 0 : last + 1));
      continue;
    }
    std::uint32_t wrong = 0;
    if (!NpyTextToUtf8(data, width / 4, element.swapped, &text, &wrong)) {
      return errors::DataLoss(where, ": data from byte ", at, " on: text number ", i,
                              reorder ? " in row-major order" : "", " has the code ", wrong,
                              ", which is no Unicode character");
    }
    out[i].assign(text);
  }
  return tensor;
}

// The bytes of a .npy file: `header`, then `data`, which is memory of the tensor or of `padded`.
struct NpyImage {
  std::string header;
  std::string_view data;
  Tensor padded;
};

inline Status NpyPadStrings(const Tensor& tensor, std::string_view where, std::string* descr, NpyImage* image) {
  std::size_t width = 1;
  const std::span<const tstring> texts(static_cast<const tstring*>(tensor.raw_data()),
                                       static_cast<std::size_t>(tensor.NumElements()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    if (!text.empty() && text.back() == '\0') {
      return errors::InvalidArgument(where, ": string number ", i,
                                     " ends in a zero byte, which NumPy drops; add a last byte that is not zero");
    }
    if (text.size() > width) width = text.size();
  }
  const Index bytes = MultiplyWithoutOverflow(static_cast<Index>(width), tensor.NumElements());
  if (bytes < 0 || width > 0x7fffffff) {
    return errors::InvalidArgument(where, ": ", texts.size(), " strings of ", width,
                                   " bytes each are too many; NumPy pads all strings to the longest");
  }
  TENON_ASSIGN_OR_RETURN(image->padded, Tensor::Make(DataType::kUint8, TensorShape({bytes})));
  char* to = static_cast<char*>(image->padded.raw_data());
  for (const tstring& text : texts) {
    std::memcpy(to, text.data(), text.size());
    std::memset(to + text.size(), 0, width - text.size());
    to += width;
  }
  image->data = image->padded.tensor_data();
  *descr = StrCat("'|S", width, "'");
  return OkStatus();
}

inline Result<NpyImage> MakeNpy(const Tensor& tensor, std::string_view where) {
  if (!tensor.IsInitialized()) return errors::FailedPrecondition(where, ": the tensor is not initialised");
  if (!tensor.HostAccessible())
    return errors::FailedPrecondition(where, ": the tensor is in memory of a device; copy it to the host first");
  NpyImage image;
  std::string descr;
  for (const NpyType& known : kNpyTypes) {
    if (known.dtype == tensor.dtype()) descr = StrCat("'", SizeOf(known.dtype) == 1 ? "|" : "<", known.descr, "'");
  }
  for (const NpyType& known : kNpyWholeTypes) {
    if (known.dtype == tensor.dtype() && known.descr.front() == '[') descr = known.descr;
  }
  if (kNpyVoidTypes.contains(tensor.dtype())) descr = StrCat("'<V", SizeOf(tensor.dtype()), "'");
  if (tensor.dtype() == DataType::kString) {
    TENON_RETURN_IF_ERROR(NpyPadStrings(tensor, where, &descr, &image));
  } else {
    image.data = tensor.tensor_data();
  }
  if (descr.empty()) return errors::Unimplemented(where, ": NumPy has no type for elements of type ", tensor.dtype());
  std::string text = StrCat("{'descr': ", descr, ", 'fortran_order': False, 'shape': (", StrJoin(tensor.shape(), ", "),
                            tensor.dims() == 1 ? ",), }" : "), }");
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';  // 254 dimensions need less than the 64 KiB of format 1
  text += '\n';
  image.header =
      StrCat(kNpyMagic, '\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8), text);
  return image;
}

}  // namespace detail

// The array that the bytes of a .npy file (format 1, 2 or 3) are. A view of the bytes, which belong to `owner`, where
// they are in row-major order, little-endian and aligned for the type; otherwise, and without an owner, a copy. What
// follows the array is not looked at. DataLoss for bytes that are no .npy file or not all of one, InvalidArgument for
// an array that no tensor can hold; the messages start with `where` and have the byte's number.
inline Result<Tensor> ParseNpy(std::span<const std::byte> file, Buffer* owner, std::string_view where,
                               const NpyOptions& options = {}) {
  using detail::NpyElement;
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.substr(0, 6) != detail::kNpyMagic)
    return errors::DataLoss(where, " is not a .npy file: it does not start with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t start = bytes.size() > 6 && byte(6) == 1 ? 10 : 12;
  if (bytes.size() < start) return errors::DataLoss(where, " ends inside its header, at byte ", bytes.size());
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    return errors::InvalidArgument(where, ": at byte 6: it has format version ", byte(6), ".", byte(7),
                                   "; 1.0, 2.0 and 3.0 can be read");
  }
  std::size_t header_bytes = byte(8) | byte(9) << 8;
  if (start == 12) header_bytes |= byte(10) << 16 | byte(11) << 24;
  if (header_bytes > bytes.size() - start) {
    return errors::DataLoss(where, " ends inside its header, at byte ", bytes.size(), "; the header needs ",
                            header_bytes, " bytes from byte ", start, " on");
  }

  detail::NpyHeader header;
  if (!header.Parse(bytes.substr(start, header_bytes))) {
    const std::size_t at = start + header.at();
    return errors::DataLoss(where, " has a header that cannot be read: at byte ", at, ": expected ", header.expected(),
                            ", got '", CEscape(bytes.substr(start, header_bytes).substr(header.at(), 20)), "'");
  }
  NpyElement element;
  TENON_RETURN_IF_ERROR(detail::NpyElementOf(header, options, where, start + header.descr_at, &element));
  TensorShape shape;
  if (Status s = TensorShape::Build({header.shape.data(), header.shape.size()}, &shape); !s.ok())
    return Status(s.code(), StrCat(where, ": ", s.message()));

  const std::size_t data_at = start + header_bytes;
  const std::string_view data = bytes.substr(data_at);
  const auto elements = static_cast<std::uint64_t>(shape.num_elements());
  if (elements > data.size() / element.bytes) {
    return errors::DataLoss(where, " is cut short: it has ", data.size(), " bytes of data from byte ", data_at,
                            " on, and shape ", shape, " of type ", element.dtype, " needs ", elements, " times ",
                            element.bytes);
  }
  if (elements == 0) return Tensor(element.dtype, shape, nullptr);
  int wide_dims = 0;
  for (const Index size : shape) wide_dims += size != 1 ? 1 : 0;
  const bool reorder = header.fortran_order && wide_dims > 1;
  if (element.dtype == DataType::kString)
    return detail::NpyStrings(data.data(), shape, element, reorder, where, data_at);

  const auto data_bytes = static_cast<std::size_t>(elements * element.bytes);
  if (element.dtype == DataType::kBool) {
    for (std::size_t i = 0; i < data_bytes; ++i) {
      if (static_cast<unsigned char>(data[i]) > 1) {
        return errors::DataLoss(where, ": at byte ", data_at + i, ": a bool that is neither 0 nor 1, but ",
                                byte(data_at + i));
      }
    }
  }
  const std::size_t alignment =
      IsComplex(element.dtype) ? element.swapped_bytes : static_cast<std::size_t>(element.bytes);
  if (owner != nullptr && !reorder && !element.swapped &&
      reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0) {
    return Tensor::ViewOf(owner, element.dtype, shape, data.data());
  }
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(element.dtype, shape));
  char* const out = static_cast<char*>(tensor.raw_data());
  if (reorder) {
    detail::FromFortranOrder(data.data(), out, shape, static_cast<std::size_t>(element.bytes));
  } else {
    std::memcpy(out, data.data(), data_bytes);
  }
  if (element.swapped) detail::SwapBytes(out, data_bytes, element.swapped_bytes);
  return tensor;
}

// The array of a .npy file, as ParseNpy, where it can be as a view of the mapped file. NotFound when there is no such
// file; each message names the path. Byte strings ('S') come as they are, texts ('U') as UTF-8.
inline Result<Tensor> ReadNpy(const std::string& path, const NpyOptions& options = {}) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return ParseNpy(file.bytes(), file.buffer(), StrCat("ReadNpy: '", path, "'"), options);
}

// Writes the tensor, which must be in memory of the host, as numpy.save would: strings as byte strings of the longest
// one's size, bfloat16 and float8 as void elements of as many bytes (in NumPy: array.view(ml_dtypes.bfloat16)).
// Unimplemented for types that NumPy does not have.
inline Status WriteNpy(const std::string& path, const Tensor& tensor) {
  TENON_ASSIGN_OR_RETURN(const detail::NpyImage image, detail::MakeNpy(tensor, StrCat("WriteNpy: '", path, "'")));
  const std::string_view pieces[] = {image.header, image.data};
  return WriteFile(path, pieces);
}

TENON_NAMESPACE_END

// ---- tenon/op/op_registry.hpp ----
// OpRegistry: op name -> description. Kernels are elsewhere (kernel/registry.hpp); a program that only edits graphs
// needs this.
TENON_NAMESPACE_BEGIN

// The same declaration: the same texts in the same order and the same flags. Shape functions are not compared (the same
// one has several addresses in a program of several shared libraries).
inline bool SameOp(const OpView& a, const OpView& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& s, const auto& t) { return s.text == t.text; });
  };
  return a.name == b.name && same(a.inputs, b.inputs) && same(a.outputs, b.outputs) && same(a.attrs, b.attrs) &&
         std::equal(a.control_outputs.begin(), a.control_outputs.end(), b.control_outputs.begin(),
                    b.control_outputs.end()) &&
         a.flags == b.flags && a.deprecated_since == b.deprecated_since;
}

// Unimplemented when graphs of this version may no longer hold the op.
inline Status CheckOpDeprecation(const OpView& op, int graph_def_version) {
  if (op.deprecated_since == 0 || graph_def_version < op.deprecated_since) return OkStatus();
  return errors::Unimplemented("Op ", op.name, " is not available in GraphDef version ", graph_def_version,
                               ". It has been removed in version ", op.deprecated_since, ". ", op.deprecation_text,
                               ".");
}

// externally synchronised: any number of threads may look up while none registers.
class OpRegistry {
 public:
  // Keeps a pointer: the view lies in static data, or outlives the registry. The same declaration again does nothing;
  // AlreadyExists when the name stands for another one.
  Status Register(const OpView& op) {
    if (!detail::IsOpName(op.name))
      return errors::InvalidArgument("Invalid name: ", op.name, " (Did you use CamelCase?)");
    const auto at = LowerBound(op.name);
    if (at != ops_.end() && (*at)->name == op.name)
      return SameOp(**at, op) ? OkStatus() : errors::AlreadyExists("Op with name ", op.name);
    ops_.insert(at, &op);
    return OkStatus();
  }
  Status Register(OpView&&) = delete;

  // Null when there is no such op.
  const OpView* Find(std::string_view name) const {
    const auto at = const_cast<OpRegistry*>(this)->LowerBound(name);
    return at != ops_.end() && (*at)->name == name ? *at : nullptr;
  }
  // NotFound with TensorFlow's text and the nearest names.
  Status LookUp(std::string_view name, const OpView** op) const {
    *op = Find(name);
    return *op != nullptr ? OkStatus() : NotRegistered(name);
  }

  // All ops, sorted by name.
  const SlimVector<const OpView*>& ops() const { return ops_; }
  std::size_t size() const { return ops_.size(); }

 private:
  SlimVector<const OpView*>::iterator LowerBound(std::string_view name) {
    return std::lower_bound(ops_.begin(), ops_.end(), name,
                            [](const OpView* op, std::string_view n) { return op->name < n; });
  }
  TENON_COLD Status NotRegistered(std::string_view name) const {
    SlimVector<std::string_view> names;
    for (const OpView* op : ops_) names.push_back(op->name);
    return errors::NotFound("Op type not registered '", name, "' in binary running on this machine. ",
                            "Make sure the Op and Kernel are registered in the binary running in this process",
                            DidYouMean(name, names), names.empty() ? "; no op is registered at all." : ".");
  }

  SlimVector<const OpView*> ops_;  // sorted by name
};

TENON_NAMESPACE_END

// ---- tenon/kernel/construction.hpp ----
// OpKernelConstruction: what a kernel sees while it is built, once per node.
TENON_NAMESPACE_BEGIN

// one thread. The node, the op and the type lists outlive the kernel.
class OpKernelConstruction {
 public:
  OpKernelConstruction(const NodeDef* def, const OpView* op, std::string_view device_type,
                       std::span<const DataType> input_types, std::span<const DataType> output_types,
                       Allocator* allocator)
      : def_(def),
        op_(op),
        device_type_(device_type),
        input_types_(input_types),
        output_types_(output_types),
        allocator_(allocator) {}

  // Reads an attr of the node. NotFound when there is none, InvalidArgument when it has another type.
  template <class T>
  Status GetAttr(std::string_view name, T* value) const {
    return GetNodeAttr(*def_, name, value);
  }
  bool HasAttr(std::string_view name) const { return def_->attr.Find(name) != nullptr; }

  // A tensor that the kernel keeps; ResourceExhausted when memory is out.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out) {
    TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, allocator_));
    return OkStatus();
  }

  // Keeps the first error; the node is refused when there is one.
  void SetStatus(const Status& status) { status_.Update(status); }
  void CtxFailure(const Status& status) { SetStatus(status); }
  const Status& status() const { return status_; }

  const NodeDef& def() const { return *def_; }
  const OpView& op() const { return *op_; }
  std::string_view device_type() const { return device_type_; }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  DataType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return output_types_[static_cast<std::size_t>(i)]; }
  std::span<const DataType> input_types() const { return input_types_; }
  std::span<const DataType> output_types() const { return output_types_; }
  Allocator* allocator() const { return allocator_; }

 private:
  const NodeDef* def_;
  const OpView* op_;
  std::string_view device_type_;
  std::span<const DataType> input_types_, output_types_;
  Allocator* allocator_;
  Status status_;
};

TENON_NAMESPACE_END

// ---- tenon/kernel/attrs.hpp ----
// Attrs: the data members of an op's `struct Attrs` are the attrs that its kernel reads, bound by name in any order.
// The members' names are read by the compiler; one table per op says where each attr goes.
TENON_NAMESPACE_BEGIN

namespace detail {

// Converts to anything: stands for a member while members are counted.
struct AnyMember {
  template <class T>
  constexpr operator T() const noexcept;
};
template <class A, std::size_t... I>
constexpr bool TakesMembers(std::index_sequence<I...>) {
  return requires { A{((void)I, AnyMember{})...}; };
}
template <class A, std::size_t N = 0>
constexpr std::size_t MemberCount() {
  if constexpr (TakesMembers<A>(std::make_index_sequence<N + 1>{}))
    return MemberCount<A, N + 1>();
  else
    return N;
}

// An A that is named but never defined: only its members' names are read.
template <class A>
struct Named {
  A value;
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class A>
extern const Named<A> named;

// The last identifier in the text of a pointer to a member, "... named<A>.value.A::transpose_a ..." or "(&
// named<A>.value)->...".
template <auto Member>
constexpr std::string_view MemberName() {
  std::string_view text = TENON_SIGNATURE;
  std::size_t end = text.find(';');
  if (end == std::string_view::npos) end = text.size();
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end > 0 && !word(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && word(text[begin - 1])) --begin;
  std::string_view name = text.substr(begin, end - begin);
  if (name.size() > 1 && name.back() == '_') name.remove_suffix(1);  // `template_` stands for the attr 'template'
  return name;
}

// Calls visit(a, b, ...) with the data members of an aggregate of at most 16 members.
template <class A, class Visit>
constexpr auto WithMembers(A& x, Visit visit) {
  constexpr std::size_t count = MemberCount<std::remove_const_t<A>>();
  static_assert(count <= 16, "tenon: an Attrs struct may have at most 16 members");
  (void)x;
  if constexpr (count == 0)
    return visit();
  else if constexpr (count == 1) {
    auto& [a] = x;
    return visit(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    return visit(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    return visit(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    return visit(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    return visit(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = x;
    return visit(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}
template <class A>
constexpr auto MemberNames() {
  constexpr std::size_t count = MemberCount<A>();
  if constexpr (count == 0)
    return std::array<std::string_view, 0>{};
  else if constexpr (count == 1) {
    auto& [a] = named<A>.value;
    return std::array{MemberName<&a>()};
  } else if constexpr (count == 2) {
    auto& [a, b] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>()};
  } else if constexpr (count == 3) {
    auto& [a, b, c] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>()};
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>()};
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>()};
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(),
                      MemberName<&d>(), MemberName<&e>(), MemberName<&f>()};
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>()};
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>()};
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>()};
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>()};
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>()};
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>(), MemberName<&l>()};
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>()};
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>()};
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>()};
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>(), MemberName<&l>(),
                      MemberName<&m>(), MemberName<&n>(), MemberName<&o>(), MemberName<&p>()};
  }
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// AttrMember<M>: the attr kind that a member of type M holds.
template <class M>
struct AttrMember {
  static constexpr bool known = false, list = false;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<std::int64_t> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<float> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kFloat;
};
template <>
struct AttrMember<bool> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kBool;
};
template <>
struct AttrMember<std::string_view> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kString;
};
template <>
struct AttrMember<DataType> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kType;
};
template <>
struct AttrMember<PartialTensorShape> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kShape;
};
template <>
struct AttrMember<Tensor> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kTensor;
};
template <>
struct AttrMember<const NameAttrList*> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kFunc;
};
template <>
struct AttrMember<std::span<const std::int64_t>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<std::span<const float>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kFloat;
};
template <>
struct AttrMember<std::span<const char>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kBool;
};
template <>
struct AttrMember<std::span<const std::string>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kString;
};
template <>
struct AttrMember<std::span<const DataType>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kType;
};
template <>
struct AttrMember<std::span<const PartialTensorShape>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kShape;
};
template <>
struct AttrMember<std::span<const Tensor>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kTensor;
};
template <>
struct AttrMember<std::span<const NameAttrList>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kFunc;
};

// One member: which kind it holds and where it lies inside Attrs.
struct AttrSlot {
  std::string_view name;
  AttrKind kind;
  bool list;
  void* member;
};
struct SlotsOf {
  template <class... M>
  constexpr auto operator()(M&... members) const {
    return std::array<AttrSlot, sizeof...(M)>{AttrSlot{{}, AttrMember<M>::kind, AttrMember<M>::list, &members}...};
  }
};
// The members' types, without needing a value of them.
template <class... M>
struct MemberTypes {
  static constexpr bool known[sizeof...(M) + 1] = {AttrMember<M>::known..., true};
  static constexpr bool list[sizeof...(M) + 1] = {AttrMember<M>::list..., false};
  static constexpr AttrKind kind[sizeof...(M) + 1] = {AttrMember<M>::kind..., AttrKind::kInt};
};
struct TypesOf {
  template <class... M>
  constexpr auto operator()(M&...) const {
    return MemberTypes<std::remove_const_t<M>...>{};
  }
};
template <class A>
using MemberTypesOf = decltype(WithMembers(std::declval<A&>(), TypesOf{}));

inline constexpr std::size_t kMaxAttrMembers = 16;

// Writes one slot per member of *attrs and returns how many there are.
template <class Attrs>
std::size_t ListAttrSlots(void* attrs, AttrSlot* slots) {
  constexpr auto names = MemberNames<Attrs>();
  if constexpr (names.size() > 0) {
    const auto members = WithMembers(*static_cast<Attrs*>(attrs), SlotsOf{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      slots[i] = members[i];
      slots[i].name = names[i];
    }
  }
  return names.size();
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/kernel/op_kernel.hpp ----
// OpKernel: the one thing an executor knows how to run. Op structs become kernels through kernel/adapter.hpp; a class
// derived from OpKernel is the raw form, with TensorFlow's own members.
TENON_NAMESPACE_BEGIN

class OpKernelContext;
class AsyncOpKernel;

enum class MemoryType : std::uint8_t { kDevice = 0, kHost = 1 };

// A node's computation. Built once per node, then run by any number of threads at once: Compute must not change the
// kernel without a lock of its own.
//
//   class Count : public OpKernel {
//    public:
//     explicit Count(OpKernelConstruction* c) : OpKernel(c) {}
//     void Compute(OpKernelContext* ctx) override {
//       Tensor* out = nullptr;
//       if (Status s = ctx->allocate_output(0, TensorShape{}, &out); !s.ok()) return ctx->SetStatus(s);
//       out->scalar<std::int64_t>()() = ctx->input(0).NumElements();
//     }
//   };
class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction* construction)
      : def_(&construction->def()),
        op_(&construction->op()),
        input_types_(construction->input_types().begin(), construction->input_types().end()),
        output_types_(construction->output_types().begin(), construction->output_types().end()),
        input_memory_(input_types_.size(), MemoryType::kDevice),
        output_memory_(output_types_.size(), MemoryType::kDevice) {
    for (std::size_t i = 0; i < input_types_.size(); ++i)
      if (AlwaysOnHost(input_types_[i])) input_memory_[i] = MemoryType::kHost;
    for (std::size_t i = 0; i < output_types_.size(); ++i)
      if (AlwaysOnHost(output_types_[i])) output_memory_[i] = MemoryType::kHost;
  }
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  // Runs the node: reads ctx->input(i), sets every output or a status.
  virtual void Compute(OpKernelContext* ctx) = 0;
  virtual AsyncOpKernel* AsAsync() { return nullptr; }
  // False for kernels that cost next to nothing: an executor runs those in place.
  virtual bool IsExpensive() const { return true; }
  // The value of a node that always yields the same tensor (Const), or null. Such a node is never run.
  virtual const Tensor* const_tensor() const { return nullptr; }

  const NodeDef& def() const { return *def_; }
  const OpView& op() const { return *op_; }
  std::string_view name() const { return def_->name; }
  std::string_view type_string() const { return def_->op; }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  DataType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return output_types_[static_cast<std::size_t>(i)]; }
  MemoryType input_memory_type(int i) const { return input_memory_[static_cast<std::size_t>(i)]; }
  MemoryType output_memory_type(int i) const { return output_memory_[static_cast<std::size_t>(i)]; }

 protected:
  void set_input_memory_type(int i, MemoryType type) { input_memory_[static_cast<std::size_t>(i)] = type; }
  void set_output_memory_type(int i, MemoryType type) { output_memory_[static_cast<std::size_t>(i)] = type; }

 private:
  const NodeDef* def_;
  const OpView* op_;
  SlimVector<DataType> input_types_, output_types_;
  SlimVector<MemoryType> input_memory_, output_memory_;
};

// A kernel that may end after its call returned (it waits for a queue, a device, another process).
class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  // Called exactly once, on any thread, perhaps before ComputeAsync returns; the context is gone afterwards.
  struct DoneCallback {
    void (*call)(void* state);
    void* state;
    void operator()() const { call(state); }
  };
  virtual void ComputeAsync(OpKernelContext* ctx, DoneCallback done) = 0;
  AsyncOpKernel* AsAsync() final { return this; }
};

TENON_NAMESPACE_END

// ---- tenon/kernel/params.hpp ----
// The parameter kinds of a kernel's operator() beyond In and Out: the parameter's type says where an argument lives,
// who sizes it and whether it may share memory (docs/design.md, "Parameters of a kernel").
TENON_NAMESPACE_BEGIN

class OpKernelContext;

// An input that lives in host memory even when the kernel runs on a GPU.
template <class T, int Rank = kAnyRank>
struct HostIn : In<T, Rank> {
  HostIn() = default;
  explicit HostIn(const AnyView& view) : In<T, Rank>(view) {}
};

// A host input of int16, int32 or int64 elements, read as Index values whichever it is.
class HostIndices {
 public:
  HostIndices(const AnyView& view, DataType dtype)
      : data_(view.data), size_(view.size), shape_(view.shape), dtype_(dtype) {}
  Index operator[](Index i) const {
    if (dtype_ == DataType::kInt32) return static_cast<const std::int32_t*>(data_)[i];
    if (dtype_ == DataType::kInt64) return static_cast<const std::int64_t*>(data_)[i];
    return static_cast<const std::int16_t*>(data_)[i];
  }
  Index size() const { return size_; }
  const TensorShape& shape() const { return *shape_; }
  DataType dtype() const { return dtype_; }

 private:
  const void* data_;
  Index size_;
  const TensorShape* shape_;
  DataType dtype_;
};

// The tensors of an input declared `name: N * T`.
template <class T>
class InList {
 public:
  InList(const AnyView* views, int size) : views_(views), size_(size) {}
  In<T> operator[](int i) const { return In<T>(views_[i]); }
  int size() const { return size_; }

 private:
  const AnyView* views_;
  int size_;
};

// The tensors of an output declared `name: N * T`, already allocated.
template <class T>
class OutList {
 public:
  OutList(const AnyView* views, int size) : views_(views), size_(size) {}
  Out<T> operator[](int i) const { return Out<T>(views_[i]); }
  int size() const { return size_; }

 private:
  const AnyView* views_;
  int size_;
};

// An output that may be the buffer of one of the inputs numbered I: the first whose last use this is and whose size,
// type and memory fit; otherwise its own buffer. The kernel may read input element i after writing output element j < i
// only if it never needs input elements that it has already overwritten.
template <class T, int... I>
struct Forward : Out<T> {
  static_assert(sizeof...(I) > 0 && ((I >= 0 && I < 8) && ...),
                "tenon: Forward<T, I...> needs the numbers (0-7) of the inputs it may share");
  Forward() = default;
  explicit Forward(const AnyView& view) : Out<T>(view) {}
};

namespace detail {
// Allocates output number `output` of the running kernel and fills *view. In kernel/context.hpp.
Status AllocateLateOutput(OpKernelContext* context, int output, const TensorShape& shape, AnyView* view);
}  // namespace detail

// An output whose size the kernel learns while it runs.
template <class T>
class Late {
 public:
  Late(OpKernelContext* context, int output) : context_(context), output_(output) {}
  // The output with the given shape, uninitialised. Once per call of the kernel; ResourceExhausted when memory is out.
  Result<Out<T>> Allocate(const TensorShape& shape) {
    AnyView view{};
    TENON_RETURN_IF_ERROR(detail::AllocateLateOutput(context_, output_, shape, &view));
    return Out<T>(view);
  }

 private:
  OpKernelContext* context_;
  int output_;
};

// What a kernel with resources, cancellation or allocations of its own takes instead of Device&.
template <class Device>
class Context {
 public:
  Context(OpKernelContext* context, Device* device) : context_(context), device_(device) {}
  Device& device() const { return *device_; }
  // Everything else the runtime offers: allocation, step id, resources (kernel/context.hpp).
  OpKernelContext& op() const { return *context_; }

 private:
  OpKernelContext* context_;
  Device* device_;
};

// How an asynchronous kernel reports its end: exactly one call, from any thread. Copying is not possible; destroying a
// Done that was never called reports Internal.
class Done {
 public:
  using Callback = void (*)(void* state, Status status);
  Done(Callback callback, void* state) : callback_(callback), state_(state) {}
  Done(Done&& other) noexcept : callback_(std::exchange(other.callback_, nullptr)), state_(other.state_) {}
  Done& operator=(Done&& other) noexcept {
    std::swap(callback_, other.callback_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~Done() {
    if (callback_ != nullptr) Finish(Status(Code::kInternal, "the kernel dropped its Done without calling it"));
  }
  // Ends the kernel; its views are gone afterwards.
  void operator()(Status status) { Finish(std::move(status)); }
  void operator()() { Finish(OkStatus()); }

 private:
  void Finish(Status status) {
    if (const Callback callback = std::exchange(callback_, nullptr)) callback(state_, std::move(status));
  }
  Callback callback_;
  void* state_;
};

namespace detail {

enum class ParamKind : std::uint8_t {
  kBad,
  kIn,
  kHostIn,
  kHostIndices,
  kInList,
  kTensorIn,
  kTensorsIn,
  kOut,
  kForward,
  kOutList,
  kLate,
  kTensorOut,
  kTensorsOut,
};
constexpr bool IsInputKind(ParamKind kind) { return kind >= ParamKind::kIn && kind <= ParamKind::kTensorsIn; }
constexpr bool IsOutputKind(ParamKind kind) { return kind >= ParamKind::kOut; }

// What the framework needs to know about one parameter; a kernel has a constant array of these, inputs first.
struct ParamInfo {
  ParamKind kind = ParamKind::kBad;
  std::int8_t rank = kAnyRank;
  std::uint8_t forward_mask = 0;  // bit i: may take over the buffer of input i
};

// ParamTraits<P>: kind, element type (void where a Tensor is passed) and rank of a parameter type, references removed.
template <class P>
struct ParamTraits {
  using value = void;
  static constexpr ParamInfo info{};
};
template <class T, int R>
struct ParamTraits<In<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kIn, R, 0};
};
template <class T, int R>
struct ParamTraits<HostIn<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kHostIn, R, 0};
};
template <>
struct ParamTraits<HostIndices> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kHostIndices, kAnyRank, 0};
};
template <class T>
struct ParamTraits<InList<T>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kInList, kAnyRank, 0};
};
template <class T, int R>
struct ParamTraits<Out<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kOut, R, 0};
};
template <class T, int... I>
struct ParamTraits<Forward<T, I...>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kForward, kAnyRank, static_cast<std::uint8_t>((0 | ... | (1 << I)))};
};
template <class T>
struct ParamTraits<OutList<T>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kOutList, kAnyRank, 0};
};
template <class T>
struct ParamTraits<Late<T>&> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kLate, kAnyRank, 0};
};
template <>
struct ParamTraits<const Tensor&> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorIn, kAnyRank, 0};
};
template <>
struct ParamTraits<std::span<const Tensor>> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorsIn, kAnyRank, 0};
};
template <>
struct ParamTraits<Tensor&> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorOut, kAnyRank, 0};
};
template <>
struct ParamTraits<std::span<Tensor>> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorsOut, kAnyRank, 0};
};

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/kernel/context.hpp ----
// OpKernelContext: what a kernel sees while it runs. The executor fills one per thread and moves it from node to node.
TENON_NAMESPACE_BEGIN

// The output shapes of one node in one step object, with the inputs they were computed from: the shape function runs
// again only when an input shape, or the value of an input that it reads, has changed.
struct ShapeMemo {
  bool valid = false;
  std::uint64_t value_inputs = 0;  // bit i: the shape function read the value of input i
  SlimVector<TensorShape> inputs, outputs;
  SlimVector<SlimVector<std::byte>> values;  // of the inputs in value_inputs, in order
};

// What is the same for all nodes of one run.
struct StepEnvironment {
  void* device = nullptr;            // the Cpu or Cuda that kernels get
  std::string_view device_name;      // "/job:localhost/replica:0/task:0/device:CPU:0"
  Allocator* step_allocator = nullptr;    // memory that lives no longer than the step, as a rule
  Allocator* result_allocator = nullptr;  // memory of fetched tensors
  Allocator* host_allocator = nullptr;    // host memory, when the device has another one
  bool host_memory = true;                // the device reads and writes ordinary host memory
  std::int64_t step_id = 0;
  int graph_def_version = 0;
};

// one thread. Pointers handed out live until the kernel returns (or, for an AsyncOpKernel, until done is called).
class OpKernelContext {
 public:
  OpKernelContext() = default;

  // -- inputs
  int num_inputs() const { return frame_->kernel->num_inputs(); }
  const Tensor& input(int i) const { return *frame_->inputs[i]; }
  DataType input_dtype(int i) const { return frame_->inputs[i]->dtype(); }

  // -- outputs
  int num_outputs() const { return frame_->kernel->num_outputs(); }
  DataType expected_output_dtype(int i) const { return frame_->kernel->output_type(i); }
  Tensor* mutable_output(int i) { return &frame_->outputs[i]; }
  void set_output(int i, Tensor tensor) { frame_->outputs[i] = std::move(tensor); }
  // Gives output i an uninitialised tensor of its declared type. ResourceExhausted when memory is out.
  Status allocate_output(int i, const TensorShape& shape, Tensor** out) {
    TENON_RETURN_IF_ERROR(AllocateOutput(i, shape));
    *out = &frame_->outputs[i];
    return OkStatus();
  }
  // Like allocate_output, but takes over the buffer of the first input in `candidates` that allows it.
  Status forward_input_or_allocate_output(std::initializer_list<int> candidates, int i, const TensorShape& shape,
                                          Tensor** out) {
    for (const int input : candidates)
      if (TryForward(input, i, shape)) {
        *out = &frame_->outputs[i];
        return OkStatus();
      }
    return allocate_output(i, shape, out);
  }
  // Scratch memory for the time of the call.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out) {
    TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, frame_->env->step_allocator));
    return OkStatus();
  }

  // -- status: the first error counts
  void SetStatus(const Status& status) { status_.Update(status); }
  void CtxFailure(const Status& status) { SetStatus(status); }
  const Status& status() const { return status_; }

  // -- where and when
  const OpKernel& op_kernel() const { return *frame_->kernel; }
  template <class Device>
  Device& device() const {
    return *static_cast<Device*>(frame_->env->device);
  }
  void* raw_device() const { return frame_->env->device; }
  bool host_memory() const { return frame_->env->host_memory; }
  std::string_view device_name() const { return frame_->env->device_name; }
  std::int64_t step_id() const { return frame_->env->step_id; }
  int graph_def_version() const { return frame_->env->graph_def_version; }
  const StepEnvironment& environment() const { return *frame_->env; }

  // -- for executors
  struct NodeFrame {
    const OpKernel* kernel;
    Tensor* const* inputs;               // one pointer per input
    const std::uint8_t* last_use;        // per input: this node is the last that reads the value
    Tensor* outputs;                     // num_outputs tensors in a row
    const std::uint8_t* output_escapes;  // per output: the value is fetched, so it outlives the step
    ShapeMemo* memo;
    const StepEnvironment* env;          // of the device that runs the node
  };
  // Moves to another node; the frame must outlive its run.
  void Enter(const NodeFrame* frame) { frame_ = frame; }
  Status TakeStatus() { return std::exchange(status_, Status()); }

  // -- for the adapter
  ShapeMemo* memo() const { return frame_->memo; }
  Tensor* const* input_array() const { return frame_->inputs; }
  Status AllocateOutput(int i, const TensorShape& shape) {
    const bool host =
        frame_->kernel->output_memory_type(i) == MemoryType::kHost && frame_->env->host_allocator != nullptr;
    Allocator* allocator = host                             ? frame_->env->host_allocator
                           : frame_->output_escapes[i] != 0 ? frame_->env->result_allocator
                                                            : frame_->env->step_allocator;
    const DataType dtype = frame_->kernel->output_type(i);
    frame_->outputs[i] = Tensor(allocator, dtype, shape);
    if (!frame_->outputs[i].IsInitialized()) [[unlikely]]
      return OutOfMemory(i, shape, allocator);
    return OkStatus();
  }
  // Makes output `out` share the buffer of input `in` when nobody else can see it any more.
  bool TryForward(int in, int out, const TensorShape& shape) {
    if (frame_->last_use[in] == 0) return false;
    Tensor& input = *frame_->inputs[in];
    if (input.dtype() != frame_->kernel->output_type(out) || !input.RefCountIsOne()) return false;
    if (frame_->kernel->input_memory_type(in) != frame_->kernel->output_memory_type(out)) return false;
    return frame_->outputs[out].CopyFrom(input, shape);
  }

 private:
  TENON_COLD Status OutOfMemory(int i, const TensorShape& shape, Allocator* allocator) const {
    return errors::ResourceExhausted("OOM when allocating tensor with shape", shape, " and type ",
                                     frame_->kernel->output_type(i), " on ", frame_->env->device_name, " by allocator ",
                                     allocator->Name());
  }

  const NodeFrame* frame_ = nullptr;
  Status status_;
};

namespace detail {
inline Status AllocateLateOutput(OpKernelContext* context, int output, const TensorShape& shape, AnyView* view) {
  Tensor* tensor = nullptr;
  TENON_RETURN_IF_ERROR(context->allocate_output(output, shape, &tensor));
  *view = AnyView{tensor->raw_data(), tensor->NumElements(), &tensor->shape()};
  return OkStatus();
}
}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/kernel/row.hpp ----
// KernelRow and OpRow: what a registration is made of. Constant tables of plain data; nothing runs or allocates at
// start-up but one pointer being linked into a list.
TENON_NAMESPACE_BEGIN

class OpKernel;

inline constexpr int kMaxTypedAttrs = 4;

namespace detail {
struct AttrSlot;
}

// An op as the registry holds it, one per op struct.
struct OpRow {
  const OpView* view;
  std::string_view struct_name;              // of the C++ struct: tells a repeated registration from a clash
  std::int8_t typed_count;                   // type attrs that the kernels are templates over
  std::int8_t typed_attr[kMaxTypedAttrs];    // their numbers among the op's attrs
  std::size_t (*list_slots)(void* attrs,
                            detail::AttrSlot* slots);  // the members of the struct's Attrs; null when it has none
};

namespace detail {

struct SpanStorage;

// One call of a kernel struct: everything its parameters are made from. Lives on the executor's stack, or on the heap
// for an asynchronous kernel until Done is called.
struct CallFrame {
  OpKernelContext* context;
  void* device;
  const AnyView* views;          // of all inputs, then of all outputs
  const std::uint16_t* first;  // per argument, inputs first: number of its first view; one more entry marks the end
  Tensor* const* inputs;
  Tensor* outputs;
  int num_inputs;  // tensors, not arguments
  std::span<const Tensor> (*input_span)(CallFrame&, int argument);  // a list argument as tensors in a row
  SpanStorage* spans;  // of list arguments taken as std::span<const Tensor>
  std::byte* late;  // 16 bytes per argument for Late objects
  Done::Callback done;  // asynchronous kernels
  void* done_state;
};

}  // namespace detail

// One kernel: an op struct's kernel template with its device and types filled in.
struct KernelRow {
  const OpRow* op = nullptr;  // null: an unused row of a table (a combination that the kernel's `requires` rejects)
  std::string_view device;  // "CPU", "GPU"
  std::uint8_t types[kMaxTypedAttrs]{};  // DataType of each typed attr
  bool is_async = false;
  bool int32_on_host = false;  // on a GPU: only the row for int32, all arguments in host memory
  const detail::ParamInfo* params = nullptr;  // one per argument, inputs first
  std::uint32_t size = 0, align = 0;  // of the kernel object
  void* (*construct)(void* memory) = nullptr;  // builds the kernel there, returns its Attrs part
  void (*destroy)(void* kernel) = nullptr;  // null: trivial
  Status (*init)(void* kernel, OpKernelConstruction&) = nullptr;  // the kernel's own Init, or null
  Status (*call)(const void* kernel, detail::CallFrame&) = nullptr;  // struct form
  OpKernel* (*create)(OpKernelConstruction*) = nullptr;  // raw form: a class derived from OpKernel
};

// The rows of one TENON_REGISTER. Constant but for `next`; lives as long as the program or the shared library.
struct RegistrationBatch {
  const OpRow* const* ops = nullptr;
  std::size_t op_count = 0;
  const KernelRow* const* tables = nullptr;  // each ends where table_sizes says
  const std::size_t* table_sizes = nullptr;
  std::size_t table_count = 0;
  RegistrationBatch* next = nullptr;
  std::atomic<bool> linked{false};
};

namespace detail {
// All batches of the process, newest first. thread-safe.
inline constinit std::atomic<RegistrationBatch*> registration_batches{nullptr};

inline bool LinkBatch(RegistrationBatch* batch) {
  if (batch->linked.exchange(true, std::memory_order_relaxed)) return true;  // the same list in another place
  batch->next = registration_batches.load(std::memory_order_relaxed);
  while (!registration_batches.compare_exchange_weak(batch->next, batch, std::memory_order_release,
                                                     std::memory_order_relaxed)) {
  }
  return true;
}
}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/kernel/adapted_kernel.hpp ----
// AdaptedKernel: a user's kernel struct as an OpKernel. It sizes the outputs with the op's shape function, allocates or
// forwards them, makes the views and calls the struct. One class for all ops: what differs is in the KernelRow.
TENON_NAMESPACE_BEGIN

namespace detail {

// List arguments that a kernel takes as std::span<const Tensor>: handles in a row, kept until the call ends.
struct SpanStorage {
  InlinedVector<Tensor, 8> tensors;  // all inputs of the node
};
inline std::span<const Tensor> InputSpan(CallFrame& frame, int argument) {
  const int first = frame.first[argument], last = frame.first[argument + 1];
  return {frame.spans->tensors.data() + first, static_cast<std::size_t>(last - first)};
}

// Reads the node's attrs into the members; the texts and lists point into the node, which outlives the kernel.
Status BindAttrSlots(const OpKernelConstruction& construction, std::span<const AttrSlot> slots);

// What AdaptedKernel and AdaptedAsyncKernel share. immutable after Build; Prepare may run on many threads.
class AdaptedCore {
 public:
  ~AdaptedCore() {
    if (object_ == nullptr) return;
    if (row_->destroy != nullptr) row_->destroy(object_);
    ::operator delete(object_, std::align_val_t{row_->align});
  }

  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    row_ = &row;
    object_ = ::operator new(row.size, std::align_val_t{row.align});
    void* attrs = row.construct(object_);
    if (row.op->list_slots != nullptr) {
      AttrSlot slots[kMaxAttrMembers];
      TENON_RETURN_IF_ERROR(BindAttrSlots(*construction, {slots, row.op->list_slots(attrs, slots)}));
    }
    TENON_RETURN_IF_ERROR(FindArguments(*construction));
    if (row.init != nullptr) TENON_RETURN_IF_ERROR(row.init(object_, *construction));
    return OkStatus();
  }

  // Calls set_input(i) and set_output(i) for the tensors that live in host memory on any device: arguments that say so,
  // and, as TensorFlow has it, all of them where an erased kernel (or one that asks for it) works on int32.
  template <class SetInput, class SetOutput>
  void HostArguments(const OpKernelConstruction& construction, SetInput set_input, SetOutput set_output) const {
    const auto is_int32 = [](DataType type) { return type == DataType::kInt32; };
    const bool small_integers =
        (row_->op->typed_count == 0 || row_->int32_on_host) &&
        std::all_of(construction.input_types().begin(), construction.input_types().end(), is_int32) &&
        std::all_of(construction.output_types().begin(), construction.output_types().end(), is_int32);
    for (int a = 0; a < argument_count_; ++a) {
      const ParamKind kind = row_->params[a].kind;
      if (!small_integers && kind != ParamKind::kHostIn && kind != ParamKind::kHostIndices) continue;
      for (int t = first_[Position(a)]; t < first_[Position(a + 1)]; ++t)
        t < num_inputs_ ? set_input(t) : set_output(t - num_inputs_);
    }
  }

  // Fills `views` and allocates the outputs that the shape function sizes.
  Status Prepare(OpKernelContext* ctx, AnyView* views) const {
    for (int i = 0; i < num_inputs_; ++i) {
      const Tensor& t = ctx->input(i);
      views[i] = AnyView{const_cast<void*>(t.raw_data()), t.NumElements(), &t.shape()};
    }
    if (has_ranks_) TENON_RETURN_IF_ERROR(CheckRanks(ctx));
    if (needs_shapes_) {
      ShapeMemo local;
      ShapeMemo& memo = ctx->memo() != nullptr ? *ctx->memo() : local;
      if (!Remembers(memo, ctx)) [[unlikely]]
        TENON_RETURN_IF_ERROR(InferShapes(ctx, &memo));
      for (const OutputPlan& out : outputs_) {
        const TensorShape& shape = memo.outputs[static_cast<std::size_t>(out.tensor)];
        if (!Forwarded(ctx, out, shape)) TENON_RETURN_IF_ERROR(ctx->AllocateOutput(out.tensor, shape));
        Tensor& t = *ctx->mutable_output(out.tensor);
        views[num_inputs_ + out.tensor] = AnyView{t.raw_data(), t.NumElements(), &t.shape()};
      }
      if (has_output_ranks_) TENON_RETURN_IF_ERROR(CheckOutputRanks(ctx));
    }
    return OkStatus();
  }

  CallFrame Frame(OpKernelContext* ctx, const AnyView* views, std::byte* late) const {
    CallFrame frame{};
    frame.context = ctx;
    frame.device = ctx->raw_device();
    frame.views = views;
    frame.first = first_.data();
    frame.inputs = ctx->input_array();
    frame.outputs = ctx->mutable_output(0);
    frame.num_inputs = num_inputs_;
    frame.input_span = &InputSpan;
    frame.late = late;
    return frame;
  }
  Status Call(CallFrame& frame) const { return row_->call(object_, frame); }

  bool takes_spans() const { return takes_spans_; }
  void FillSpans(OpKernelContext* ctx, SpanStorage* spans) const {
    for (int i = 0; i < num_inputs_; ++i) spans->tensors.push_back(ctx->input(i));
  }
  const KernelRow& row() const { return *row_; }
  int view_count() const { return num_inputs_ + num_outputs_; }
  int argument_count() const { return argument_count_; }

 private:
  struct OutputPlan {
    int tensor;
    std::uint8_t forward_mask;
  };
  static std::size_t Position(int i) { return static_cast<std::size_t>(i); }

  // Counts the tensors of every argument from the node's attrs.
  Status FindArguments(const OpKernelConstruction& construction) {
    const OpView& op = *row_->op->view;
    num_inputs_ = construction.num_inputs();
    num_outputs_ = construction.num_outputs();
    first_.clear();
    int at = 0;
    for (const auto& list : {op.inputs, op.outputs})
      for (const ArgSpec& arg : list) {
        first_.push_back(static_cast<std::uint16_t>(at));
        std::int64_t n = 1;
        if (!arg.number_attr().empty()) {
          TENON_RETURN_IF_ERROR(construction.GetAttr(arg.number_attr(), &n));
        } else if (arg.is_type_list) {
          std::span<const DataType> types;
          TENON_RETURN_IF_ERROR(construction.GetAttr(arg.type_list_attr(), &types));
          n = static_cast<std::int64_t>(types.size());
        }
        at += static_cast<int>(n);
      }
    if (at != num_inputs_ + num_outputs_ || at > 65535)
      return errors::Internal(op.name, ": the node has ", num_inputs_, " inputs and ", num_outputs_,
                              " outputs, its op asks for ", at, " in all");
    first_.push_back(static_cast<std::uint16_t>(at));
    argument_count_ = static_cast<int>(op.inputs.size() + op.outputs.size());
    for (int a = 0; a < argument_count_; ++a) {
      const ParamInfo& info = row_->params[a];
      const bool output = a >= static_cast<int>(op.inputs.size());
      if (info.kind == ParamKind::kTensorsIn) takes_spans_ = true;
      if (info.rank != kAnyRank) (output ? has_output_ranks_ : has_ranks_) = true;
      if (info.kind != ParamKind::kOut && info.kind != ParamKind::kForward && info.kind != ParamKind::kOutList)
        continue;
      needs_shapes_ = true;
      for (int t = first_[Position(a)]; t < first_[Position(a + 1)]; ++t)
        outputs_.push_back({t - num_inputs_, InputMask(info.forward_mask)});
    }
    return OkStatus();
  }
  // From argument numbers to tensor numbers; only arguments of one tensor can be forwarded.
  std::uint8_t InputMask(std::uint8_t arguments) const {
    unsigned mask = 0;
    for (int a = 0; a < 8 && a < argument_count_; ++a)
      if ((arguments >> a & 1) != 0 && first_[Position(a)] < 8) mask |= 1u << first_[Position(a)];
    return static_cast<std::uint8_t>(mask);
  }
  static bool Forwarded(OpKernelContext* ctx, const OutputPlan& out, const TensorShape& shape) {
    for (int i = 0; (out.forward_mask >> i) != 0; ++i)
      if ((out.forward_mask >> i & 1) != 0 && ctx->TryForward(i, out.tensor, shape)) return true;
    return false;
  }

  Status CheckRanks(OpKernelContext* ctx) const {
    const OpView& op = *row_->op->view;
    for (std::size_t a = 0; a < op.inputs.size(); ++a) {
      const int rank = row_->params[a].rank;
      if (rank != kAnyRank && ctx->input(first_[a]).dims() != rank) [[unlikely]]
        return errors::InvalidArgument(op.name, ": input '", op.inputs[a].name(), "' must have rank ", rank,
                                       ", got shape ", ctx->input(first_[a]).shape());
    }
    return OkStatus();
  }
  Status CheckOutputRanks(OpKernelContext* ctx) const {
    const OpView& op = *row_->op->view;
    for (std::size_t a = op.inputs.size(); a < Position(argument_count_); ++a) {
      const int rank = row_->params[a].rank;
      const Tensor& t = *ctx->mutable_output(first_[a] - num_inputs_);
      if (rank != kAnyRank && t.dims() != rank) [[unlikely]]
        return errors::Internal(op.name, ": the kernel takes output '", op.outputs[a - op.inputs.size()].name(),
                                "' with rank ", rank, ", but the shape function gives it ", t.shape());
    }
    return OkStatus();
  }

  // True when the memo was made for the present input shapes and values.
  bool Remembers(const ShapeMemo& memo, OpKernelContext* ctx) const {
    if (!memo.valid) return false;
    for (int i = 0; i < num_inputs_; ++i)
      if (!(memo.inputs[Position(i)] == ctx->input(i).shape())) return false;
    if (memo.value_inputs == 0) return true;
    std::size_t v = 0;
    for (int i = 0; i < num_inputs_ && i < 64; ++i) {
      if ((memo.value_inputs >> i & 1) == 0) continue;
      const SlimVector<std::byte>& value = memo.values[v++];
      if (value.size() != ctx->input(i).TotalBytes() ||
          (!value.empty() && std::memcmp(value.data(), ctx->input(i).raw_data(), value.size()) != 0))
        return false;
    }
    return true;
  }
  Status InferShapes(OpKernelContext* ctx, ShapeMemo* memo) const;

  const KernelRow* row_ = nullptr;
  void* object_ = nullptr;
  int num_inputs_ = 0, num_outputs_ = 0, argument_count_ = 0;
  bool has_ranks_ = false, has_output_ranks_ = false, needs_shapes_ = false, takes_spans_ = false;
  SlimVector<std::uint16_t> first_;
  SlimVector<OutputPlan> outputs_;
};

inline Status AdaptedCore::InferShapes(OpKernelContext* ctx, ShapeMemo* memo) const {
  const OpView& op = *row_->op->view;
  memo->valid = false;
  InferenceContext shapes;
  shapes.Reset(ctx->graph_def_version(), &ctx->op_kernel().def(), &op);
  for (int i = 0; i < num_inputs_; ++i) {
    // Values are there for the asking, but only those in host memory.
    const bool readable = ctx->op_kernel().input_memory_type(i) == MemoryType::kHost || ctx->host_memory();
    shapes.AddInput(ctx->input(i).shape(), readable ? &ctx->input(i) : nullptr);
  }
  TENON_RETURN_IF_ERROR(shapes.construction_status());
  if (Status status = op.shape_fn(&shapes); !status.ok())
    return StartsWith(status.message(), op.name) ? status
                                                 : Status(status.code(), StrCat(op.name, ": ", status.message()));
  memo->inputs.clear();
  memo->values.clear();
  memo->value_inputs = 0;
  bool repeatable = true;
  for (int i = 0; i < num_inputs_; ++i) {
    const Tensor& t = ctx->input(i);
    memo->inputs.push_back(t.shape());
    if (!shapes.requested_input_tensor(i) && !shapes.requested_as_shape(i)) continue;
    if (i >= 64 || SizeOf(t.dtype()) == 0) {
      repeatable = false;
      continue;
    }
    memo->value_inputs |= std::uint64_t{1} << i;
    const auto* bytes = static_cast<const std::byte*>(t.raw_data());
    memo->values.emplace_back(bytes, bytes + t.TotalBytes());
  }
  memo->outputs.assign(static_cast<std::size_t>(num_outputs_), TensorShape());
  for (const OutputPlan& out : outputs_)
    if (Status status = shapes.ToTensorShape(shapes.output(out.tensor), &memo->outputs[Position(out.tensor)]);
        !status.ok())
      return errors::Internal(op.name, ": the shape function leaves output ", out.tensor, " as ",
                              shapes.DebugString(shapes.output(out.tensor)),
                              ", but the kernel takes it as Out; it must be complete, or the parameter Late<T>&");
  memo->valid = repeatable;
  return OkStatus();
}

// The slots of Attrs from the node; missing attrs have their defaults already, which were added when the graph was
// read.
inline Status BindAttrSlots(const OpKernelConstruction& construction, std::span<const AttrSlot> slots) {
  for (const AttrSlot& slot : slots) {
    const auto get = [&]<class T>(T*) { return construction.GetAttr(slot.name, static_cast<T*>(slot.member)); };
    const auto either = [&]<class T, class List>(T* one, List* list) { return slot.list ? get(list) : get(one); };
    const auto as = []<class T>(std::type_identity<T>) { return static_cast<T*>(nullptr); };
    Status status;
    switch (slot.kind) {
      case AttrKind::kInt:
        status =
            either(as(std::type_identity<std::int64_t>{}), as(std::type_identity<std::span<const std::int64_t>>{}));
        break;
      case AttrKind::kFloat:
        status = either(as(std::type_identity<float>{}), as(std::type_identity<std::span<const float>>{}));
        break;
      case AttrKind::kBool:
        status = either(as(std::type_identity<bool>{}), as(std::type_identity<std::span<const char>>{}));
        break;
      case AttrKind::kString:
        status =
            either(as(std::type_identity<std::string_view>{}), as(std::type_identity<std::span<const std::string>>{}));
        break;
      case AttrKind::kType:
        status = either(as(std::type_identity<DataType>{}), as(std::type_identity<std::span<const DataType>>{}));
        break;
      case AttrKind::kShape:
        status = either(as(std::type_identity<PartialTensorShape>{}),
                        as(std::type_identity<std::span<const PartialTensorShape>>{}));
        break;
      case AttrKind::kTensor:
        status = either(as(std::type_identity<Tensor>{}), as(std::type_identity<std::span<const Tensor>>{}));
        break;
      case AttrKind::kFunc:
        status = either(as(std::type_identity<const NameAttrList*>{}),
                        as(std::type_identity<std::span<const NameAttrList>>{}));
        break;
    }
    TENON_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

}  // namespace detail

class AdaptedKernel final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    TENON_RETURN_IF_ERROR(core_.Build(row, construction));
    core_.HostArguments(
        *construction, [this](int i) { set_input_memory_type(i, MemoryType::kHost); },
        [this](int i) { set_output_memory_type(i, MemoryType::kHost); });
    return OkStatus();
  }

  void Compute(OpKernelContext* ctx) override {
    constexpr int kSmall = 8;
    if (core_.view_count() <= kSmall && core_.argument_count() <= kSmall) [[likely]] {
      AnyView views[kSmall];
      alignas(16) std::byte late[16 * kSmall];
      Run(ctx, views, late);
    } else {
      SlimVector<AnyView> views(static_cast<std::size_t>(core_.view_count()));
      SlimVector<std::max_align_t> late(static_cast<std::size_t>(core_.argument_count()));
      Run(ctx, views.data(), reinterpret_cast<std::byte*>(late.data()));
    }
  }

 private:
  void Run(OpKernelContext* ctx, AnyView* views, std::byte* late) const {
    Status status = core_.Prepare(ctx, views);
    if (status.ok()) [[likely]] {
      detail::CallFrame frame = core_.Frame(ctx, views, late);
      if (core_.takes_spans()) {
        detail::SpanStorage spans;
        core_.FillSpans(ctx, &spans);
        frame.spans = &spans;
        status = core_.Call(frame);
      } else {
        status = core_.Call(frame);
      }
    }
    if (!status.ok()) [[unlikely]]
      ctx->SetStatus(status);
  }

  detail::AdaptedCore core_;
};

// The same for a kernel whose operator() takes a Done.
class AdaptedAsyncKernel final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    TENON_RETURN_IF_ERROR(core_.Build(row, construction));
    core_.HostArguments(
        *construction, [this](int i) { set_input_memory_type(i, MemoryType::kHost); },
        [this](int i) { set_output_memory_type(i, MemoryType::kHost); });
    return OkStatus();
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    auto* call = new PendingCall;
    call->context = ctx;
    call->done = done;
    call->views.resize(static_cast<std::size_t>(core_.view_count()));
    call->late.resize(static_cast<std::size_t>(core_.argument_count()));
    if (Status status = core_.Prepare(ctx, call->views.data()); !status.ok()) return Finish(call, std::move(status));
    call->frame = core_.Frame(ctx, call->views.data(), reinterpret_cast<std::byte*>(call->late.data()));
    core_.FillSpans(ctx, &call->spans);
    call->frame.spans = &call->spans;
    call->frame.done = &Finish;
    call->frame.done_state = call;
    (void)core_.Call(call->frame);  // errors go through Done
  }
  // Waits for the end: executors call ComputeAsync.
  void Compute(OpKernelContext* ctx) override {
    std::atomic<bool> done{false};
    ComputeAsync(ctx, {[](void* flag) {
                         static_cast<std::atomic<bool>*>(flag)->store(true, std::memory_order_release);
                         static_cast<std::atomic<bool>*>(flag)->notify_one();
                       },
                       &done});
    done.wait(false, std::memory_order_acquire);
  }

 private:
  struct PendingCall {
    OpKernelContext* context;
    DoneCallback done;
    SlimVector<AnyView> views;
    SlimVector<std::max_align_t> late;
    detail::SpanStorage spans;
    detail::CallFrame frame;
  };
  static void Finish(void* state, Status status) {
    auto* call = static_cast<PendingCall*>(state);
    if (!status.ok()) call->context->SetStatus(status);
    const DoneCallback done = call->done;
    delete call;
    done();
  }

  detail::AdaptedCore core_;
};

TENON_NAMESPACE_END

// ---- tenon/kernel/registry.hpp ----
// Registry: which ops there are and which kernel runs a node. Plain rows; the index is built at the first look-up.
TENON_NAMESPACE_BEGIN

// Asks for the kernel of an op on a device; `types` are those of the attrs that its kernels are templates over, in
// order.
struct KernelKey {
  std::string_view op;
  std::string_view device;
  SlimVector<DataType> types;
};
struct KernelDef {
  const KernelRow* row = nullptr;
};

// thread-safe. Rows are never removed: a shared library that registered ops must stay loaded.
class Registry {
 public:
  // Everything that TENON_REGISTER put into this process.
  static Registry& Global() {
    static Registry* registry = new Registry(true);
    return *registry;
  }
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Adds the ops and kernels of a batch. A second registration of the same op struct does nothing; AlreadyExists when
  // another struct or signature has the op's name.
  Status Add(const RegistrationBatch& batch) {
    MutexLock lock(mutex_);
    return AddLocked(batch);
  }

  // NotFound names the types there are kernels for.
  Result<KernelDef> Find(const KernelKey& key) const {
    Refresh();
    MutexLock lock(mutex_);
    const auto it = kernels_.find(key.op);
    if (it != kernels_.end())
      for (const KernelRow* row : it->second)
        if (row->device == key.device && Matches(*row, key.types)) return KernelDef{row};
    return NoKernel(key, it == kernels_.end() ? SlimVector<const KernelRow*>() : it->second);
  }
  // The kernel for a node: reads the node's type attrs.
  Result<KernelDef> FindForNode(const NodeDef& node, std::string_view device) const {
    Refresh();
    KernelKey key{node.op, device, {}};
    {
      MutexLock lock(mutex_);
      const auto it = kernels_.find(std::string_view(node.op));
      if (it != kernels_.end()) {
        const OpRow& op = *it->second.front()->op;
        for (int k = 0; k < op.typed_count; ++k) {
          DataType type = DataType::kInvalid;
          TENON_RETURN_IF_ERROR(
              GetNodeAttr(node, op.view->attrs[static_cast<std::size_t>(op.typed_attr[k])].name(), &type));
          key.types.push_back(type);
        }
      }
    }
    return Find(key);
  }

  // The op's description, or null.
  const OpView* FindOp(std::string_view name) const { return ops().Find(name); }
  const OpRegistry& ops() const {
    Refresh();
    return ops_;
  }
  // What went wrong while batches were added; sessions refuse to start on it.
  Status status() const {
    Refresh();
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  explicit Registry(bool global) : global_(global) {}

  static bool Matches(const KernelRow& row, const SlimVector<DataType>& types) {
    if (types.size() != static_cast<std::size_t>(row.op->typed_count)) return false;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (static_cast<DataType>(row.types[i]) != types[i]) return false;
    return true;
  }
  static std::string TypesToString(const SlimVector<DataType>& types) { return StrCat("{", StrJoin(types, ","), "}"); }
  static Status NoKernel(const KernelKey& key, const SlimVector<const KernelRow*>& rows) {
    std::string have;
    for (const KernelRow* row : rows) {
      SlimVector<DataType> types;
      for (int k = 0; k < row->op->typed_count; ++k) types.push_back(static_cast<DataType>(row->types[k]));
      StrAppend(&have, have.empty() ? "" : ", ", row->device, TypesToString(types));
    }
    return errors::NotFound(
        "no kernel for op '", key.op, "' on ", key.device, " with types ", TypesToString(key.types), "; ",
        have.empty() ? std::string("the op has none: add it to the TENON_REGISTER list") : "registered: " + have);
  }

  // Takes in batches that were linked since the last time.
  void Refresh() const {
    if (!global_) return;
    RegistrationBatch* head = detail::registration_batches.load(std::memory_order_acquire);
    if (head == seen_.load(std::memory_order_acquire)) return;
    MutexLock lock(mutex_);
    SlimVector<const RegistrationBatch*> fresh;
    for (const RegistrationBatch* b = head; b != nullptr && b != seen_.load(std::memory_order_relaxed); b = b->next)
      fresh.push_back(b);
    for (std::size_t i = fresh.size(); i-- > 0;) status_.Update(AddLocked(*fresh[i]));
    seen_.store(head, std::memory_order_release);
  }
  Status AddLocked(const RegistrationBatch& batch) const {
    Status status;
    for (std::size_t i = 0; i < batch.op_count; ++i) status.Update(ops_.Register(*batch.ops[i]->view));
    for (std::size_t t = 0; t < batch.table_count; ++t)
      for (std::size_t i = 0; i < batch.table_sizes[t]; ++i)
        if (const KernelRow* row = &batch.tables[t][i]; row->op != nullptr) status.Update(AddRow(row));
    return status;
  }
  Status AddRow(const KernelRow* row) const {
    SlimVector<const KernelRow*>& rows = kernels_[row->op->view->name];
    SlimVector<DataType> types;
    for (int k = 0; k < row->op->typed_count; ++k) types.push_back(static_cast<DataType>(row->types[k]));
    for (const KernelRow* other : rows) {
      if (other->op->struct_name != row->op->struct_name)
        return errors::AlreadyExists("two structs define kernels for op '", row->op->view->name,
                                     "': ", other->op->struct_name, " and ", row->op->struct_name);
      if (other->device == row->device && Matches(*other, types)) return OkStatus();
    }
    rows.push_back(row);
    return OkStatus();
  }

  bool global_ = false;
  mutable Mutex mutex_;
  mutable std::atomic<const RegistrationBatch*> seen_{nullptr};
  mutable OpRegistry ops_;
  mutable FlatMap<std::string_view, SlimVector<const KernelRow*>> kernels_;
  mutable Status status_;
};

// Builds the kernel that a row describes for one node. The construction's node, op and type lists must outlive the
// kernel.
inline Result<Owned<OpKernel>> CreateKernel(const KernelRow& row, OpKernelConstruction* construction) {
  Owned<OpKernel> kernel;
  if (row.create != nullptr) {
    kernel.reset(row.create(construction));
  } else if (row.is_async) {
    auto adapted = MakeOwned<AdaptedAsyncKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  } else {
    auto adapted = MakeOwned<AdaptedKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  }
  TENON_RETURN_IF_ERROR(construction->status());
  return kernel;
}

TENON_NAMESPACE_END

// ---- tenon/base/hash.hpp ----
// Hash64, the function TensorFlow hashes strings with (MurmurHash64A), so that hash buckets come out the same.
// Not for untrusted keys: it does not resist chosen collisions.
TENON_NAMESPACE_BEGIN

inline constexpr std::uint64_t kHash64Seed = 0xDECAFCAFFE;

// The same value on every machine and in constant expressions.
constexpr std::uint64_t Hash64(std::string_view bytes, std::uint64_t seed = kHash64Seed) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  // Up to eight bytes from `first` on as a little-endian number.
  const auto load = [&bytes](std::size_t first, std::size_t count) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[first + i])) << (8 * i);
    }
    return word;
  };
  std::uint64_t hash = seed ^ (static_cast<std::uint64_t>(bytes.size()) * kMultiplier);
  const std::size_t whole = bytes.size() & ~std::size_t{7};
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word = load(i, 8) * kMultiplier;
    word ^= word >> 47;
    hash = (hash ^ (word * kMultiplier)) * kMultiplier;
  }
  if (whole != bytes.size()) hash = (hash ^ load(whole, bytes.size() - whole)) * kMultiplier;
  hash = (hash ^ (hash >> 47)) * kMultiplier;
  return hash ^ (hash >> 47);
}

// One hash of two; the order matters.
constexpr std::uint64_t HashCombine(std::uint64_t a, std::uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800u + (a << 10) + (a >> 4));
}

TENON_NAMESPACE_END

// ---- tenon/graph/graph.hpp ----
// Graph: nodes with dense ids, their edges, dtypes and inferred shapes. It knows op descriptions only, never a kernel.
// Made by ImportGraphDef (graph/import.hpp); editing passes add nodes and edges through the members below.
TENON_NAMESPACE_BEGIN

// An output number that stands for "the node itself": a control dependency.
inline constexpr int kControlSlot = -1;

// "x" is output 0 of x, "x:2" its output 2, "^x" the node x (output kControlSlot). `node` points into the parsed text.
struct TensorName {
  std::string_view node;
  int output = 0;
  friend bool operator==(const TensorName&, const TensorName&) = default;
};

// Never fails: what does not end in ":digits" is a node's name as it stands. An output number too large for an int is
// its maximum.
inline TensorName ParseTensorName(std::string_view text) {
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  if (digits >= 2 && digits < text.size() && text[digits - 1] == ':') {
    std::int64_t output = 0;
    for (const char c : text.substr(digits)) {
      output = std::min<std::int64_t>(output * 10 + (c - '0'), std::numeric_limits<int>::max());
    }
    return {text.substr(0, digits - 1), static_cast<int>(output)};
  }
  if (!text.empty() && text.front() == '^') return {text.substr(1), kControlSlot};
  return {text, 0};
}

// What the runtime must know about a node's op without comparing names.
enum class NodeClass : std::uint8_t {
  kOther,
  kSwitch,  // Switch, RefSwitch, _SwitchN
  kMerge,   // Merge, RefMerge, _XlaMerge
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kSend,
  kRecv,
  kConstant,     // Const, HostConst
  kPlaceholder,  // Placeholder, PlaceholderV2
  kVariable,     // Variable, VariableV2
  kIdentity,
  kMetadata,  // Shape, Size, Rank: answered from the input's shape
  kArg,
  kRetval,
};

constexpr NodeClass NodeClassOf(std::string_view op) {
  struct Row {
    std::string_view op;
    NodeClass node_class;
  };
  constexpr Row kRows[] = {
      {"Const", NodeClass::kConstant},
      {"HostConst", NodeClass::kConstant},
      {"Identity", NodeClass::kIdentity},
      {"RefIdentity", NodeClass::kIdentity},
      {"Placeholder", NodeClass::kPlaceholder},
      {"PlaceholderV2", NodeClass::kPlaceholder},
      {"Shape", NodeClass::kMetadata},
      {"Size", NodeClass::kMetadata},
      {"Rank", NodeClass::kMetadata},
      {"Switch", NodeClass::kSwitch},
      {"RefSwitch", NodeClass::kSwitch},
      {"_SwitchN", NodeClass::kSwitch},
      {"Merge", NodeClass::kMerge},
      {"RefMerge", NodeClass::kMerge},
      {"_XlaMerge", NodeClass::kMerge},
      {"Enter", NodeClass::kEnter},
      {"RefEnter", NodeClass::kEnter},
      {"Exit", NodeClass::kExit},
      {"RefExit", NodeClass::kExit},
      {"NextIteration", NodeClass::kNextIteration},
      {"RefNextIteration", NodeClass::kNextIteration},
      {"LoopCond", NodeClass::kLoopCond},
      {"ControlTrigger", NodeClass::kControlTrigger},
      {"_Send", NodeClass::kSend},
      {"_HostSend", NodeClass::kSend},
      {"_Recv", NodeClass::kRecv},
      {"_HostRecv", NodeClass::kRecv},
      {"Variable", NodeClass::kVariable},
      {"VariableV2", NodeClass::kVariable},
      {"_Arg", NodeClass::kArg},
      {"_DeviceArg", NodeClass::kArg},
      {"_Retval", NodeClass::kRetval},
      {"_DeviceRetval", NodeClass::kRetval},
  };
  for (const Row& row : kRows) {
    if (row.op == op) return row.node_class;
  }
  return NodeClass::kOther;
}

// Ops that need frames and dead tensors at run time (LoopCond and ControlTrigger do not).
constexpr bool IsControlFlow(NodeClass c) { return c >= NodeClass::kSwitch && c <= NodeClass::kNextIteration; }

// The producer of a data input: output `output` of node `node`. Node -1 is an input that is not connected yet.
struct InEdge {
  int node = -1;
  int output = 0;
  friend bool operator==(const InEdge&, const InEdge&) = default;
};

// One use of a node: its output `output` is input `input` of node `node`; both are kControlSlot for a control
// dependency.
struct OutEdge {
  int node = -1;
  int input = 0;
  int output = 0;
  friend bool operator==(const OutEdge&, const OutEdge&) = default;
};

struct Node {
  int id = -1;
  NodeClass node_class = NodeClass::kOther;
  const OpView* op = nullptr;  // lives as long as the registry that the graph was made with
  NodeDef def;                 // attr defaults added
  InlinedVector<DataType, 4> input_types;
  InlinedVector<DataType, 4> output_types;
  InlinedVector<InEdge, 4> inputs;               // one per data input
  InlinedVector<int, 4> control_inputs;          // node ids in the order of the nodes' names, each once
  InlinedVector<OutEdge, 4> outputs;             // in no particular order
  SlimVector<PartialTensorShape> output_shapes; // one per output; empty where shapes were not inferred

  const std::string& name() const { return def.name; }
  const std::string& op_name() const { return def.op; }
  int num_inputs() const { return static_cast<int>(input_types.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
  DataType input_type(int i) const { return input_types[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return output_types[static_cast<std::size_t>(i)]; }
  const InEdge& input(int i) const { return inputs[static_cast<std::size_t>(i)]; }
  // The inferred shape of an output; of unknown rank where nothing is known.
  PartialTensorShape output_shape(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return k < output_shapes.size() ? output_shapes[k] : PartialTensorShape();
  }
};

namespace detail {

// DidYouMean, unless there is so much to compare that the message would take long.
inline std::string SuggestNames(std::string_view name, const SlimVector<std::string_view>& candidates) {
  constexpr std::size_t kMaxWork = 20'000'000;
  return name.size() > 1000 || candidates.size() * name.size() * name.size() > kMaxWork ? ""
                                                                                        : DidYouMean(name, candidates);
}

// name -> small number, open addressing. Keys stay with their owner: `name_of(number)` reads one back.
class NameIndex {
 public:
  void Reserve(std::size_t count) {
    std::size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    if (slots > slots_.size()) Rehash(slots);
  }

  template <class NameOf>
  int Find(std::string_view name, NameOf&& name_of) const {
    if (slots_.empty()) return -1;
    const std::uint32_t hash = HashOf(name);
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].number < 0) return -1;
      if (slots_[i].hash == hash && std::string_view(name_of(slots_[i].number)) == name) return slots_[i].number;
    }
  }

  // The number that the name has already, or -1 after `number` was stored for it.
  template <class NameOf>
  int Insert(std::string_view name, int number, NameOf&& name_of) {
    if (2 * (size_ + 1) > slots_.size()) Rehash(std::max<std::size_t>(16, 2 * slots_.size()));
    const std::uint32_t hash = HashOf(name);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i].number >= 0; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].hash == hash && std::string_view(name_of(slots_[i].number)) == name) return slots_[i].number;
    }
    slots_[i] = {hash, number};
    ++size_;
    return -1;
  }

  // Number n becomes to[n].
  void Renumber(std::span<const int> to) {
    for (Slot& slot : slots_) {
      if (slot.number >= 0) slot.number = to[static_cast<std::size_t>(slot.number)];
    }
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    int number = -1;
  };

  static std::uint32_t HashOf(std::string_view name) { return static_cast<std::uint32_t>(Hash64(name)); }

  void Rehash(std::size_t slots) {
    SlimVector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t i = slot.hash & (slots - 1);
      while (slots_[i].number >= 0) i = (i + 1) & (slots - 1);
      slots_[i] = slot;
    }
  }

  SlimVector<Slot> slots_;  // a power of two of them, at most half full
  std::size_t size_ = 0;
};

}  // namespace detail

// Externally synchronised while it is edited, immutable afterwards. Ids are 0 .. num_nodes() - 1 and never change;
// adding a node may move all Node objects.
//
//   TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(def), registry));
//   if (const Node* x = graph.Find("x")) Show(x->output_shape(0));
class Graph {
  struct NameOf {
    const SlimVector<Node>* nodes;
    std::string_view operator()(int id) const { return (*nodes)[Slot(id)].def.name; }
  };

 public:
  Graph() = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  // ---- editing
  void Reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    names_.Reserve(nodes);
  }

  // Adds a node without edges; its data inputs are unconnected. InvalidArgument when the name is taken.
  Result<int> AddNode(NodeDef def, const OpView* op, std::span<const DataType> input_types,
                      std::span<const DataType> output_types) {
    const int id = num_nodes();
    if (names_.Insert(def.name, id, NameOf{&nodes_}) >= 0) {
      return errors::InvalidArgument("Node '", def.name, "' is not unique");
    }
    Node& node = nodes_.emplace_back();
    node.id = id;
    node.node_class = NodeClassOf(def.op);
    node.op = op;
    node.def = std::move(def);
    for (const DataType type : input_types) node.input_types.push_back(type);
    for (const DataType type : output_types) node.output_types.push_back(type);
    node.inputs.resize(node.input_types.size());
    return id;
  }

  // Connects a data input that is still open, after checking both ends and their dtypes.
  Status AddEdge(int src, int output, int dst, int input) {
    TENON_RETURN_IF_ERROR(CheckEdge(src, output, dst, input));
    nodes_[Slot(dst)].inputs[Slot(input)] = {src, output};
    nodes_[Slot(src)].outputs.push_back({dst, input, output});
    return OkStatus();
  }

  // Makes `dst` wait for `src`. Does nothing when it does so already.
  void AddControlEdge(int src, int dst) {
    auto& controls = nodes_[Slot(dst)].control_inputs;
    const std::string_view name = nodes_[Slot(src)].def.name;
    const auto at = std::lower_bound(controls.begin(), controls.end(), name, [this](int id, std::string_view other) {
      return nodes_[Slot(id)].def.name < other;
    });
    const auto offset = at - controls.begin();
    if (at != controls.end() && *at == src) return;
    controls.push_back(src);
    std::rotate(controls.begin() + offset, controls.end() - 1, controls.end());
    nodes_[Slot(src)].outputs.push_back({dst, kControlSlot, kControlSlot});
  }

  // "prefix/_7": a name that no node has.
  std::string NewName(std::string_view prefix) {
    std::string name;
    do {
      name = StrCat(prefix, "/_", name_counter_++);
    } while (Find(name) != nullptr);
    return name;
  }

  Node& mutable_node(int id) { return nodes_[Slot(id)]; }
  VersionDef& mutable_versions() { return versions_; }
  FunctionDefLibrary& mutable_library() { return library_; }

  // ---- reading
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(int id) const { return nodes_[Slot(id)]; }
  // The node of that name, or null.
  const Node* Find(std::string_view name) const {
    const int id = names_.Find(name, NameOf{&nodes_});
    return id < 0 ? nullptr : &nodes_[Slot(id)];
  }
  const VersionDef& versions() const { return versions_; }
  // Functions that came with the graph, as data.
  const FunctionDefLibrary& library() const { return library_; }

  // "; did you mean 'x', 'y'?" or "": for messages about a node that does not exist.
  std::string DidYouMeanNode(std::string_view name) const {
    SlimVector<std::string_view> names;
    names.reserve(nodes_.size());
    for (const Node& node : nodes_) names.push_back(node.def.name);
    return detail::SuggestNames(name, names);
  }

  // Data inputs in slot order ("x", "x:1"), then control inputs by name ("^x"). An open input keeps its old text.
  GraphDef ToGraphDef() const {
    GraphDef out;
    out.node.reserve(nodes_.size());
    for (const Node& node : nodes_) {
      NodeDef& def = out.node.emplace_back(node.def);
      SlimVector<std::string> old = std::move(def.input);
      def.input.clear();
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const InEdge& edge = node.inputs[i];
        if (edge.node < 0) {
          def.input.push_back(i < old.size() ? std::move(old[i]) : std::string());
        } else {
          const std::string& src = nodes_[Slot(edge.node)].def.name;
          def.input.push_back(edge.output == 0 ? src : StrCat(src, ":", edge.output));
        }
      }
      for (const int control : node.control_inputs) def.input.push_back(StrCat("^", nodes_[Slot(control)].def.name));
    }
    out.library = library_;
    out.versions = versions_;
    return out;
  }

 private:
  friend class GraphImporter;

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }

  Status CheckEdge(int src, int output, int dst, int input) const {
    const Node& from = nodes_[Slot(src)];
    const Node& to = nodes_[Slot(dst)];
    if (output < 0 || output >= from.num_outputs()) {
      return errors::InvalidArgument("Output ", output, " of node ", from.def.name, " does not exist. Node only has ",
                                     from.num_outputs(), " outputs.");
    }
    if (input < 0 || input >= to.num_inputs()) {
      return errors::InvalidArgument("Input ", input, " of node ", to.def.name, " does not exist. Node only has ",
                                     to.num_inputs(), " inputs.");
    }
    const DataType given = from.output_type(output), expected = to.input_type(input);
    if (!TypesCompatible(expected, given)) {
      return errors::InvalidArgument("Input ", input, " of node ", to.def.name, " was passed ", given, " from ",
                                     from.def.name, ":", output, " incompatible with expected ", expected, ".");
    }
    return OkStatus();
  }

  SlimVector<Node> nodes_;
  detail::NameIndex names_;
  VersionDef versions_;
  FunctionDefLibrary library_;
  std::int64_t name_counter_ = 0;
};

TENON_NAMESPACE_END

// ---- tenon/graph/validate.hpp ----
// Is a node right? Names, attrs against the op's description, the dtypes that follow from them. Messages are
// TensorFlow's.
TENON_NAMESPACE_BEGIN

// [A-Za-z0-9.][A-Za-z0-9_./-]*, any number of times with '>' between; names of the runtime's own nodes may begin with
// '_'.
constexpr bool IsValidNodeName(std::string_view name, bool allow_internal = false) {
  const auto is_first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  bool first = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (first) {
      if (!is_first(c) && !(allow_internal && c == '_' && i == 0)) return false;
      first = false;
    } else if (c == '>') {
      first = true;
    } else if (!is_first(c) && c != '_' && c != '/' && c != '-') {
      return false;
    }
  }
  return !first;
}

// More outputs than any sensible node has, and few enough that a malformed graph cannot exhaust memory with one attr.
inline constexpr std::int64_t kMaxNodeOutputs = std::int64_t{1} << 20;

// An op's description made ready for checking many nodes: defaults and allowed values are read once. immutable.
//
//   OpInfo info(registry.Find("MatMul"));
//   info.AddDefaults(&node);
//   TENON_RETURN_IF_ERROR(info.Validate(node));
class OpInfo {
 public:
  using Types = InlinedVector<DataType, 4>;

  // `op` outlives this.
  explicit OpInfo(const OpView* op) : op_(op), node_class_(NodeClassOf(op->name)) {
    for (const AttrSpec& spec : op->attrs) (void)detail::ToAttrDef(spec, &attrs_.emplace_back());
    by_name_ = SortedOrder(op->attrs.size(),
                           [op](std::size_t a, std::size_t b) { return op->attrs[a].name() < op->attrs[b].name(); });
    for (const OpDef::AttrDef& attr : attrs_) defaults_ += attr.default_value.has_value() ? 1 : 0;
  }

  const OpView& op() const { return *op_; }
  // In the op's order.
  const SlimVector<OpDef::AttrDef>& attrs() const { return attrs_; }
  NodeClass node_class() const { return node_class_; }
  // "Op<name=X; signature=a:T, b:Ref(N*int32) -> y:T; attr=T:type,default=DT_FLOAT; is_stateful=true>", as messages
  // name an op.
  TENON_COLD std::string Summary() const {
    std::string text = StrCat("Op<name=", op_->name, "; signature=");
    SummarizeArgs(op_->inputs, &text);
    text += " -> ";
    SummarizeArgs(op_->outputs, &text);
    detail::SummarizeAttrDefs(attrs_, &text);
    detail::SummarizeOpFlags(op_->flags, &text);
    return text += ">";
  }

  // Attrs that have a default and are absent get it.
  void AddDefaults(NodeDef* node) const {
    if (defaults_ == 0) return;
    Values values;
    if (Match(*node, &values)) return;
    node->attr.reserve(node->attr.size() + static_cast<std::size_t>(defaults_));
    for (std::size_t i = 0; i < attrs_.size(); ++i) {
      if (values[i] == nullptr && attrs_[i].default_value.has_value()) {
        node->attr.Insert(attrs_[i].name, *attrs_[i].default_value);
      }
    }
  }

  // All that can be said of a node by itself: attrs present, of the right kind and allowed, inputs as many as the op
  // takes, control inputs last. Attrs that the op does not have are ignored.
  Status Validate(const NodeDef& node) const {
    Types inputs, outputs;
    return Resolve(node, &inputs, &outputs);
  }

  // Validate, and the dtypes of all inputs and outputs.
  Status Resolve(const NodeDef& node, Types* inputs, Types* outputs) const {
    if (node.op != op_->name) {
      return errors::InvalidArgument("NodeDef op '", node.op, "' does not match ", Summary(),
                                     "; NodeDef: ", FormatNodeForError(node.name));
    }
    std::int64_t data_inputs = 0;
    TENON_RETURN_IF_ERROR(CheckInputOrder(node, &data_inputs));
    Values values;
    if (!Match(node, &values)) return MissingAttrs(node, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsPlainlyRight(*values[i], op_->attrs[i])) TENON_RETURN_IF_ERROR(CheckAttr(node, i, *values[i]));
    }
    const std::int64_t expected = Count(op_->inputs, values);
    if (expected != data_inputs) return WrongInputCount(node, values, expected, data_inputs);
    if (const std::int64_t n = Count(op_->outputs, values); n < 0 || n > kMaxNodeOutputs) {
      return errors::InvalidArgument("Number of outputs is too big: ", n, "; NodeDef: ", FormatNodeForError(node.name));
    }
    AppendTypes(op_->inputs, values, inputs);
    AppendTypes(op_->outputs, values, outputs);
    return OkStatus();
  }

  // Refuses ops that graphs of version `producer` may not use any more.
  Status CheckDeprecation(int producer) const {
    if (op_->deprecated_since <= 0 || producer < op_->deprecated_since) return OkStatus();
    return errors::Unimplemented("Op ", op_->name, " is not available in GraphDef version ", producer,
                                 ". It has been removed in version ", op_->deprecated_since, ". ",
                                 op_->deprecation_text, ".");
  }

 private:
  static void SummarizeArgs(std::span<const ArgSpec> args, std::string* text) {
    for (const ArgSpec& arg : args) {
      const std::string_view type_attr = arg.is_type_list ? std::string_view() : arg.type_attr();
      StrAppend(text, &arg == args.data() ? "" : ", ", arg.name(), ":", arg.is_ref ? "Ref(" : "", arg.number_attr(),
                arg.number_attr().empty() ? "" : "*", arg.type != DataType::kInvalid ? Name(arg.type) : type_attr,
                arg.is_ref ? ")" : "");
    }
  }

  using Values = InlinedVector<const AttrValue*, 16>;  // one per attr of the op, null where the node lacks it

  // Looks the node's attrs up, both lists being sorted. False when one of the op's is missing.
  bool Match(const NodeDef& node, Values* values) const {
    values->assign(op_->attrs.size(), nullptr);
    bool complete = true;
    auto have = node.attr.begin();
    const auto end = node.attr.end();
    for (const std::size_t i : by_name_) {
      const std::string_view name = op_->attrs[i].name();
      while (have != end && have->first < name) ++have;
      if (have != end && have->first == name) {
        (*values)[i] = &have->second;
        ++have;
      } else {
        complete = false;
      }
    }
    return complete;
  }

  static Status CheckInputOrder(const NodeDef& node, std::int64_t* data_inputs) {
    bool control = false;
    for (const std::string& input : node.input) {
      if (StartsWith(input, "^")) {
        control = true;
        if (input.find(':') != std::string::npos) {
          return errors::InvalidArgument("Control input '", input,
                                         "' must not have ':' in NodeDef: ", FormatNodeForError(node.name));
        }
      } else if (control) {
        return errors::InvalidArgument("Non-control input '", input,
                                       "' after control input in NodeDef: ", FormatNodeForError(node.name));
      } else {
        ++*data_inputs;
      }
    }
    return OkStatus();
  }

  // The common case, decided without text: a scalar of the right kind, without limits or within them.
  static bool IsPlainlyRight(const AttrValue& value, const AttrSpec& spec) {
    if (spec.is_list) return false;
    switch (spec.kind) {
      case AttrKind::kType:
        return value.kind() == AttrValue::Kind::kType && kAllTypes.contains(value.type()) &&
               (spec.allowed_types.empty() || spec.allowed_types.contains(value.type()));
      case AttrKind::kInt:
        return value.kind() == AttrValue::Kind::kInt && (!spec.has_minimum || value.i() >= spec.minimum);
      case AttrKind::kBool: return value.kind() == AttrValue::Kind::kBool;
      case AttrKind::kFloat: return value.kind() == AttrValue::Kind::kFloat;
      case AttrKind::kString: return value.kind() == AttrValue::Kind::kString && spec.allowed == AllowedForm::kNone;
      case AttrKind::kShape: return value.kind() == AttrValue::Kind::kShape;
      case AttrKind::kTensor: return value.kind() == AttrValue::Kind::kTensor;
      case AttrKind::kFunc: return value.kind() == AttrValue::Kind::kFunc;
    }
    return false;
  }

  Status CheckAttr(const NodeDef& node, std::size_t i, const AttrValue& value) const;

  TENON_COLD Status MissingAttrs(const NodeDef& node, const Values& values) const {
    std::string names;
    int count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == nullptr) StrAppend(&names, count++ == 0 ? "'" : ", '", op_->attrs[i].name(), "'");
    }
    return errors::InvalidArgument("NodeDef missing attr", count > 1 ? "s " : " ", names, " from ", Summary(),
                                   "; NodeDef: ", FormatNodeForError(node.name));
  }

  static auto Finder(const OpView* op, const Values& values) {
    return [op, &values](const AttrSpec& spec, ArgAttrValue* out) {
      const AttrValue& value = *values[static_cast<std::size_t>(&spec - op->attrs.data())];
      out->number = value.i();
      out->type = value.type();
      out->types = value.list().type;
      return true;
    };
  }

  // How many tensors the arguments stand for; -1 when that overflows.
  std::int64_t Count(std::span<const ArgSpec> args, const Values& values) const {
    std::int64_t total = 0;
    for (const ArgSpec& arg : args) {
      const std::int64_t n = op_->ArgCount(arg, Finder(op_, values));
      if (n < 0 || n > std::numeric_limits<std::int32_t>::max()) return -1;
      total += n;
    }
    return total > std::numeric_limits<std::int32_t>::max() ? -1 : total;
  }

  void AppendTypes(std::span<const ArgSpec> args, const Values& values, Types* types) const {
    for (const ArgSpec& arg : args) {
      op_->ForEachType(arg, Finder(op_, values), [types](DataType type) { types->push_back(type); });
    }
  }

  TENON_COLD Status WrongInputCount(const NodeDef& node, const Values& values, std::int64_t expected,
                                    std::int64_t given) const {
    std::string text;
    if (expected < 0 || expected > 1000) {
      text = StrCat(expected, " tensors");
    } else {
      Types types;
      AppendTypes(op_->inputs, values, &types);
      text = StrJoin(types, ", ");
    }
    return errors::InvalidArgument("NodeDef expected inputs '", text, "' do not match ", given, " inputs specified; ",
                                   Summary(), "; NodeDef: ", FormatNodeForError(node.name));
  }

  const OpView* op_;
  SlimVector<OpDef::AttrDef> attrs_;
  NodeClass node_class_;
  SlimVector<std::size_t> by_name_;  // indices of the op's attrs, in the order of their names
  int defaults_ = 0;          // attrs that have one
};

inline Status OpInfo::CheckAttr(const NodeDef& node, std::size_t i, const AttrValue& value) const {
  Status status = ValidateAttrValue(value, attrs_[i]);
  if (status.ok()) return status;
  return status.WithAppended(StrCat("\n\t; NodeDef: ", FormatNodeForError(node.name), "; ", Summary()));
}

// OpInfo for every op that is asked for, made once. one thread.
class OpInfoCache {
 public:
  explicit OpInfoCache(const OpRegistry& registry) : registry_(&registry) {}

  // Null when no such op is registered.
  const OpInfo* Find(std::string_view op) {
    const auto name_of = [this](int i) { return infos_[static_cast<std::size_t>(i)]->op().name; };
    if (const int i = index_.Find(op, name_of); i >= 0) return infos_[static_cast<std::size_t>(i)].get();
    const OpView* view = registry_->Find(op);
    if (view == nullptr) return nullptr;
    infos_.push_back(MakeOwned<OpInfo>(view));
    index_.Insert(view->name, static_cast<int>(infos_.size()) - 1, name_of);
    return infos_.back().get();
  }
  const OpRegistry& registry() const { return *registry_; }

 private:
  const OpRegistry* registry_;
  SlimVector<Owned<OpInfo>> infos_;
  detail::NameIndex index_;
};

// One node against its op; OpInfo does the same for many.
inline Status ValidateNodeDef(const NodeDef& node, const OpView& op) { return OpInfo(&op).Validate(node); }
inline void AddDefaultsToNodeDef(const OpView& op, NodeDef* node) { OpInfo(&op).AddDefaults(node); }

TENON_NAMESPACE_END

// ---- tenon/graph/builder.hpp ----
// GraphBuilder: a GraphDef written in C++. Type attrs and list lengths follow from the inputs; the first mistake is
// kept and everything after it does nothing, so a program checks once, at the end.
TENON_NAMESPACE_BEGIN

// One output of a node of one GraphBuilder. y[1] is output 1 of the node that y belongs to.
struct Output {
  int node = -1;  // -1: made after a mistake
  int index = 0;

  constexpr Output operator[](int i) const { return {node, i}; }
  friend constexpr bool operator==(Output, Output) = default;
};

// externally synchronised.
//
//   GraphBuilder b;
//   Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 784}));
//   Output y = b.Add("MatMul", "y", {x, b.Const("w", w)}, {{"transpose_b", true}});
//   Output all = b.Add("ConcatV2", "all", {{x, y}, b.Const("axis", Tensor::Scalar(1))});
//   TENON_RETURN_IF_ERROR(b.status());
//   Use(b.graph_def());
class GraphBuilder {
 public:
  // What goes to one argument of the op: a tensor, or the tensors of a list.
  class Input {
   public:
    Input(Output one) : tensors_{one} {}
    Input(std::initializer_list<Output> list) : tensors_(list), is_list_(true) {}
    Input(SlimVector<Output> list) : tensors_(std::move(list)), is_list_(true) {}

   private:
    friend class GraphBuilder;
    SlimVector<Output> tensors_;
    bool is_list_ = false;
  };
  using Attr = std::pair<std::string_view, AttrValue>;

  // `registry` outlives the builder. By default it knows the ops that TENON_REGISTER put into this process.
  explicit GraphBuilder(const OpRegistry& registry = Registry::Global().ops()) : ops_(registry) {
    def_.versions.producer = kGraphDefVersion;
  }

  // Adds a node and returns its output 0. An empty name becomes the op's, made unique. `inputs` has one entry per
  // argument; where the op has a single list, all its tensors may also stand side by side: {x, y, z}.
  Output Add(std::string_view op, std::string_view name, std::initializer_list<Input> inputs = {},
             std::initializer_list<Attr> attrs = {}) {
    return AddNode(op, name, {inputs.begin(), inputs.size()}, {attrs.begin(), attrs.size()});
  }
  // The same from ranges made at run time: of Output (or Input), and of pairs of a name and an AttrValue.
  template <class Inputs, class Attrs = std::span<const Attr>>
  Output Add(std::string_view op, std::string_view name, const Inputs& inputs, const Attrs& attrs = {}) {
    const SlimVector<Input> all(inputs.begin(), inputs.end());
    const SlimVector<Attr> named(attrs.begin(), attrs.end());
    return AddNode(op, name, all, named);
  }
  Output AddNode(std::string_view op, std::string_view name, std::span<const Input> inputs,
                 std::span<const Attr> attrs = {}) {
    if (!status_.ok()) return {};
    NodeDef node;
    node.op = std::string(op);
    node.name = name.empty() ? UniqueName(op) : std::string(name);
    for (const Attr& attr : attrs) node.attr.Set(std::string(attr.first), attr.second);
    Types types;
    status_ = Complete(inputs, &node, &types);
    if (!status_.ok()) return {};
    const int id = static_cast<int>(def_.node.size());
    def_.node.push_back(std::move(node));
    types_.push_back(std::move(types));
    names_.Insert(def_.node.back().name, id, NameOf{&def_});
    return {id, 0};
  }

  Output Const(std::string_view name, Tensor value) {
    const DataType dtype = value.dtype();
    return Add("Const", name, {}, {{"dtype", dtype}, {"value", std::move(value)}});
  }
  // A tensor that every run must feed. Of unknown rank unless said otherwise.
  Output Placeholder(std::string_view name, DataType dtype, PartialTensorShape shape = {}) {
    return Add("Placeholder", name, {}, {{"dtype", dtype}, {"shape", std::move(shape)}});
  }

  // `node` runs after `before` has run.
  void AddControlInput(Output node, Output before) {
    if (!status_.ok() || !Check(node) || !Check(before)) return;
    def_.node[Slot(node.node)].input.push_back(StrCat("^", def_.node[Slot(before.node)].name));
  }
  // "/device:GPU:0"
  void SetDevice(Output node, std::string_view device) {
    if (status_.ok() && Check(node)) def_.node[Slot(node.node)].device = std::string(device);
  }

  // The first mistake.
  const Status& status() const { return status_; }
  // "y", "y:1": the name under which a session knows the tensor.
  std::string Name(Output output) const {
    if (output.node < 0 || Slot(output.node) >= def_.node.size()) return "";
    const std::string& node = def_.node[Slot(output.node)].name;
    return output.index == 0 ? node : StrCat(node, ":", output.index);
  }
  DataType dtype(Output output) const {
    const bool valid = output.node >= 0 && Slot(output.node) < types_.size() && output.index >= 0 &&
                       Slot(output.index) < types_[Slot(output.node)].size();
    return valid ? types_[Slot(output.node)][Slot(output.index)] : DataType::kInvalid;
  }
  // All nodes so far; complete when status() is OK.
  const GraphDef& graph_def() const& { return def_; }
  GraphDef graph_def() && { return std::move(def_); }
  const OpRegistry& registry() const { return ops_.registry(); }

 private:
  using Types = OpInfo::Types;

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  struct NameOf {
    const GraphDef* def;
    std::string_view operator()(int i) const { return def->node[Slot(i)].name; }
  };

  bool Check(Output output) {
    if (output.node >= 0 && Slot(output.node) < def_.node.size()) return true;
    status_ = errors::InvalidArgument("GraphBuilder: node number ", output.node, " does not exist; this graph has ",
                                      def_.node.size(), " nodes.");
    return false;
  }

  std::string UniqueName(std::string_view op) const {
    std::string name(op);
    for (int n = 1; names_.Find(name, NameOf{&def_}) >= 0; ++n) name = StrCat(op, "_", n);
    return name;
  }

  Status Complete(std::span<const Input> inputs, NodeDef* node, Types* outputs) {
    const OpInfo* info = ops_.Find(node->op);
    if (info == nullptr) {
      const OpView* none = nullptr;
      return ops_.registry().LookUp(node->op, &none);
    }
    if (!IsValidNodeName(node->name)) {
      return errors::InvalidArgument("Node '", node->name, "': Node name contains invalid characters");
    }
    if (names_.Find(node->name, NameOf{&def_}) >= 0)
      return errors::InvalidArgument("Node '", node->name, "' is not unique");

    SlimVector<SlimVector<Output>> args;
    TENON_RETURN_IF_ERROR(Distribute(info->op(), *node, inputs, &args));
    Types given;
    for (const SlimVector<Output>& arg : args) {
      for (const Output& tensor : arg) {
        if (dtype(tensor) == DataType::kInvalid) {
          return errors::InvalidArgument("Node '", node->name, "': input ", given.size(), " is output ", tensor.index,
                                         " of node '", Name(tensor[0]), "', which does not exist.");
        }
        given.push_back(dtype(tensor));
        node->input.push_back(Name(tensor));
      }
    }
    InferAttrs(info->op(), args, node);
    info->AddDefaults(node);
    Types expected;
    TENON_RETURN_IF_ERROR(info->Resolve(*node, &expected, outputs));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (TypesCompatible(expected[i], given[i])) continue;
      const TensorName from = ParseTensorName(node->input[i]);
      return errors::InvalidArgument("Input ", i, " of node ", node->name, " was passed ", given[i], " from ",
                                     from.node, ":", from.output, " incompatible with expected ", expected[i], ".");
    }
    return OkStatus();
  }

  // Which tensors go to which argument.
  Status Distribute(const OpView& op, const NodeDef& node, std::span<const Input> inputs,
                    SlimVector<SlimVector<Output>>* args) const {
    if (inputs.size() == op.inputs.size()) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_list_ && !op.inputs[i].is_list()) {
          return errors::InvalidArgument("Node '", node.name, "': argument '", op.inputs[i].name(), "' of ", op.name,
                                         " is one tensor, but a list of ", inputs[i].tensors_.size(), " is given.");
        }
        args->push_back(inputs[i].tensors_);
      }
      return OkStatus();
    }
    SlimVector<Output> all;
    for (const Input& input : inputs) all.append(input.tensors_.begin(), input.tensors_.end());
    std::size_t lists = 0;
    for (const ArgSpec& arg : op.inputs) lists += arg.is_list() ? 1 : 0;
    const std::size_t single = op.inputs.size() - lists;
    if (lists != 1 || all.size() < single) {
      return errors::InvalidArgument(
          "Node '", node.name, "': ", op.name, " takes ", op.inputs.size(), " arguments (",
          StrJoin(op.inputs, ", ", [](std::string* out, const ArgSpec& arg) { out->append(arg.text); }), "), but ",
          inputs.size(), " are given", lists > 1 ? "; write each list in braces." : ".");
    }
    std::size_t at = 0;
    for (const ArgSpec& arg : op.inputs) {
      const std::size_t n = arg.is_list() ? all.size() - single : 1;
      args->emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at + n));
      at += n;
    }
    return OkStatus();
  }

  // Attrs that the inputs decide and that were not given.
  void InferAttrs(const OpView& op, const SlimVector<SlimVector<Output>>& args, NodeDef* node) const {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const ArgSpec& arg = op.inputs[i];
      if (const AttrSpec* number = op.NumberAttr(arg)) {
        AddNodeAttr(number->name(), static_cast<std::int64_t>(args[i].size()), node);
      }
      const AttrSpec* type = op.TypeAttr(arg);
      if (type == nullptr) continue;
      if (arg.is_type_list) {
        SlimVector<DataType> types;
        for (const Output& tensor : args[i]) types.push_back(BaseType(dtype(tensor)));
        AddNodeAttr(type->name(), AttrValue(types), node);
      } else if (!args[i].empty()) {
        AddNodeAttr(type->name(), BaseType(dtype(args[i].front())), node);
      }
    }
  }

  OpInfoCache ops_;
  GraphDef def_;
  SlimVector<Types> types_;  // of each node's outputs
  detail::NameIndex names_;   // name -> position in def_.node
  Status status_;
};

TENON_NAMESPACE_END

// ---- tenon/device/cpu.hpp ----
// Cpu: what a kernel gets to run on - a pool of threads and an allocator. ForEach: one body for every index.
TENON_NAMESPACE_BEGIN

class Allocator;

// Threads that somebody owns: Tenon's ThreadPool, or the caller's own behind these three functions. thread-safe.
class ThreadPoolInterface {
 public:
  virtual ~ThreadPoolInterface() = default;
  // Runs fn(arg) once on some thread of the pool, later or now.
  virtual void Schedule(void (*fn)(void*), void* arg) = 0;
  // Threads that may run at once, the caller of ParallelFor included.
  virtual int NumThreads() const = 0;
  // Calls fn(arg, begin, end) for ranges that together are [0, total), each at least `grain` long but the last; returns
  // when all are done. The caller takes part. May be called from inside a task of the same pool.
  virtual void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) = 0;
};

// The CPU as a kernel sees it. Borrowed from the runtime for one call; null members mean "the caller's thread" and "the
// process-wide allocator".
struct Cpu {
  static constexpr std::string_view type = "CPU";
  ThreadPoolInterface* pool = nullptr;
  Allocator* allocator = nullptr;
};

namespace detail {
template <class Body>
void RunRange(void* body, Index begin, Index end) {
  const Body& call = *static_cast<const Body*>(body);
  call(begin, end);
}
}  // namespace detail

// Splits [0, total) over the device's threads: body(begin, end) on each part. `ns_per_unit` estimates the work of one
// unit; less than about 15 us a thread is not worth waking one, and stays on the caller's.
template <class Body>
void ParallelFor(Cpu& device, Index total, double ns_per_unit, const Body& body) {
  constexpr double kWorthAThreadNs = 15000;
  if (total <= 0) return;
  if (device.pool == nullptr || static_cast<double>(total) * ns_per_unit < 2 * kWorthAThreadNs)
    return body(Index{0}, total);
  const Index grain = static_cast<Index>(kWorthAThreadNs / (ns_per_unit > 0 ? ns_per_unit : 1)) + 1;
  device.pool->ParallelFor(total, grain, &detail::RunRange<Body>, const_cast<void*>(static_cast<const void*>(&body)));
}

namespace detail {
template <class Body>
struct EachIndex {
  const Body* body;
  void operator()(Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) (*body)(i);
  }
};
}  // namespace detail

// body(i) for every i in [0, n), in any order and perhaps on several threads. `body` is a functor that a GPU could run
// as well: trivially copyable, TENON_HD call operator (device/cuda.cuh has the same function for Cuda).
template <class Body>
Status ForEach(Cpu& device, Index n, const Body& body) {
  ParallelFor(device, n, 1.0, detail::EachIndex<Body>{&body});
  return OkStatus();
}

TENON_NAMESPACE_END

// ---- tenon/base/fixed_string.hpp ----
// FixedString: text as a template argument, so that a compiler prints it in an error. For diagnostics only: never part
// of the type of a kernel (nvcc rejects strings in the template arguments of what it launches).
TENON_NAMESPACE_BEGIN

// N characters and a zero at the end. immutable once made; public members make it a structural type.
template <std::size_t N>
struct FixedString {
  constexpr FixedString() = default;
  constexpr FixedString(const char (&literal)[N + 1]) : FixedString(std::string_view(literal, N)) {}
  // The first N characters of `s`; what is missing stays zero.
  constexpr explicit FixedString(std::string_view s) {
    for (std::size_t i = 0; i < N && i < s.size(); ++i) text[i] = s[i];
  }

  static constexpr std::size_t size() { return N; }
  constexpr std::string_view view() const { return {text, N}; }
  constexpr operator std::string_view() const { return view(); }

  template <std::size_t M>
  friend constexpr FixedString<N + M> operator+(const FixedString& a, const FixedString<M>& b) {
    FixedString<N + M> sum;
    for (std::size_t i = 0; i < N; ++i) sum.text[i] = a.text[i];
    for (std::size_t i = 0; i < M; ++i) sum.text[N + i] = b.text[i];
    return sum;
  }
  template <std::size_t M>
  friend constexpr bool operator==(const FixedString& a, const FixedString<M>& b) {
    return a.view() == b.view();
  }

  char text[N + 1] = {};
};

template <std::size_t Size>
FixedString(const char (&)[Size]) -> FixedString<Size - 1>;

TENON_NAMESPACE_END

// ---- tenon/kernel/rules.hpp ----
// Every law an op struct must obey, one struct per law: a compile error names the law as a sentence, and its template
// arguments name the op, the device, the types and the argument that broke it. docs/errors.md has one anchor for each.
TENON_NAMESPACE_BEGIN

namespace rule {

template <class Op, bool the_signature_has_a_shape_function_or_no_outputs>
struct SignatureIsComplete {
  static_assert(the_signature_has_a_shape_function_or_no_outputs,
                "tenon: the signature has outputs but no SetShapeFn(...): nobody can size them");
};

template <class Op, class Device, bool some_combination_of_types_is_accepted>
struct KernelHasOneTypeParameterPerTypeAttr {
  static_assert(
      some_combination_of_types_is_accepted,
      "tenon: template <class Device, class...> struct kernel must take exactly one type per type attr that has a list of "
      "types (or per attr named in kernel_types), in signature order; no combination fits this op's kernel");
};

template <class Op, class Kernel, std::size_t declared, std::size_t expected>
struct KernelCallTakesDeviceInputsOutputs {
  static_assert(
      declared == expected,
      "tenon: kernel::operator() must be (Device&, one In<> per input, one Out<> per output[, Done]) in signature order");
};

template <class Op, class Device, class Found, bool is_the_device_or_its_context>
struct KernelTakesItsDeviceFirst {
  static_assert(is_the_device_or_its_context,
                "tenon: the first parameter of kernel::operator() must be Device& or Context<Device>&");
};

template <class Op, class Kernel, bool is_one_const_member_function>
struct KernelCallIsOneConstFunction {
  static_assert(
      is_one_const_member_function,
      "tenon: kernel::operator() must be one const member function, neither overloaded nor a template, returning Status "
      "(void when its last parameter is Done)");
};

template <FixedString input, class Expected, class Found, bool fits>
struct KernelParameterForInput {
  static_assert(
      fits,
      "tenon: this parameter of kernel::operator() must be In<T> or In<T, Rank> (HostIn, InList, const Tensor& ...) for the "
      "input named in this type, with the element type named after it");
};

template <FixedString output, class Expected, class Found, bool fits>
struct KernelParameterForOutput {
  static_assert(
      fits,
      "tenon: this parameter of kernel::operator() must be Out<T> or Out<T, Rank> (Forward, OutList, Late&, Tensor& ...) for "
      "the output named in this type, with the element type named after it");
};

template <class Op, FixedString output, bool names_inputs_of_the_signature>
struct ForwardNamesInputsOfTheSignature {
  static_assert(names_inputs_of_the_signature,
                "tenon: Forward<T, I...> names an input number that the signature does not have");
};

template <class Op, FixedString member, bool is_an_attr_of_the_signature>
struct AttrsMembersAreAttrs {
  static_assert(
      is_an_attr_of_the_signature,
      "tenon: this member of Attrs is not an attr of the signature (the data members must be the signature's attrs, by name)");
};

template <class Op, FixedString attr, bool has_the_type_of_its_attr>
struct AttrsMembersHaveTheirTypes {
  static_assert(
      has_the_type_of_its_attr,
      "tenon: this member of Attrs has another type than its attr: int std::int64_t, float float, bool bool, string "
      "std::string_view, type DataType, shape PartialTensorShape, tensor Tensor, func const NameAttrList*, list(...) "
      "std::span<const ...>");
};

template <class Op, FixedString attr, bool is_a_member_of_Attrs_or_named_in_unused>
struct EveryAttrIsReadOrNamedInUnused {
  static_assert(
      is_a_member_of_Attrs_or_named_in_unused,
      "tenon: this attr is neither a data member of Attrs nor named in `static constexpr std::string_view unused[]`: the data "
      "members must be the signature's attrs, or the kernel must say that it does not need them");
};

template <class Op, FixedString name, bool is_a_type_attr_of_the_signature>
struct KernelTypesNameTypeAttrs {
  static_assert(is_a_type_attr_of_the_signature,
                "tenon: kernel_types names something that is not a type attr with a list of types");
};

template <class Op, bool complex_numbers_have_their_header>
struct ComplexTypesNeedTheirHeader {
  static_assert(complex_numbers_have_their_header,
                "tenon: the op allows complex64 or complex128: include <tenon/types/complex.hpp> where it is defined");
};

template <class Op, class Kernel, bool derives_from_Attrs>
struct KernelDerivesFromAttrs {
  static_assert(derives_from_Attrs, "tenon: the op has attrs for its kernel: write `struct kernel : Attrs`");
};

}  // namespace rule

namespace detail {

// Naming Report<a broken law> makes the compiler say so, at the end of the file: the function that names it stays fit
// for constant expressions, so nothing else is wrong with the program.
template <class Rule>
void Report() {
  (void)sizeof(Rule);
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/kernel/adapter.hpp ----
// From an op struct to table rows: checks the struct's kernel against its signature and makes one KernelRow for every
// combination of device and types that the kernel accepts.
TENON_NAMESPACE_BEGIN

struct Cpu;
struct Cuda;
class OpKernel;

// static constexpr auto kernel_types = tenon::TypeAttrs("Tidx"): the type attrs that an op's kernel is a template over.
// TypeAttrs() is the erased form: one kernel for every type.
template <std::size_t N>
struct TypeAttrNames {
  std::string_view names[N == 0 ? 1 : N];
  static constexpr std::size_t size = N;
};
template <class... Name>
constexpr TypeAttrNames<sizeof...(Name)> TypeAttrs(Name... names) {
  return {{std::string_view(names)...}};
}

// Types<float, double>: in a list of ops to register, narrows all of them to these element types.
template <class... T>
struct Types {};

namespace detail {

// ---- the signature's view, once per op
template <class Op>
inline constexpr OpView kOpView = Op::signature.view();

template <class Op>
constexpr int FindAttrIndex(std::string_view name) {
  return kOpView<Op>.AttrIndex(name);
}

// The numbers of the attrs that the kernel is a template over.
struct TypedAttrs {
  int count = 0;
  int attr[kMaxTypedAttrs]{};
};
template <class Op>
constexpr TypedAttrs FindTypedAttrs() {
  TypedAttrs typed;
  if constexpr (requires { Op::kernel_types.size; }) {
    for (int k = 0; k < static_cast<int>(Op::kernel_types.size); ++k)
      typed.attr[typed.count++] = FindAttrIndex<Op>(Op::kernel_types.names[k]);
  } else {
    for (std::size_t i = 0; i < kOpView<Op>.attrs.size(); ++i)
      if (kOpView<Op>.attrs[i].is_type() && !kOpView<Op>.attrs[i].allowed_types.empty())
        typed.attr[typed.count++] = static_cast<int>(i);
  }
  return typed;
}
template <class Op>
inline constexpr TypedAttrs kTyped = FindTypedAttrs<Op>();

template <class Op>
constexpr int TypedPosition(int attr) {
  for (int k = 0; k < kTyped<Op>.count; ++k)
    if (kTyped<Op>.attr[k] == attr) return k;
  return -1;
}

// ---- masks of types
template <class T>
constexpr std::uint64_t MaskOf() {
  return std::uint64_t{1} << static_cast<int>(dtype_of_v<T>);
}
template <class Narrow>
inline constexpr std::uint64_t kNarrowMask = ~std::uint64_t{0};
template <class... T>
inline constexpr std::uint64_t kNarrowMask<Types<T...>> = (std::uint64_t{0} | ... | MaskOf<T>());

// Types that have a C++ type here; complex numbers need <tenon/types/complex.hpp>. (Op only delays the question until
// the op is registered, when every header has been read.)
template <int Dt, class Op>
concept HasElementType =
    Dt != static_cast<int>(DataType::kVariant) && requires { typename type_of<static_cast<DataType>(Dt)>::type; };
template <class Op, int... Dt>
constexpr std::uint64_t ElementTypeMask(std::integer_sequence<int, Dt...>) {
  return (std::uint64_t{0} | ... | (HasElementType<Dt, Op> ? std::uint64_t{1} << Dt : 0));
}
template <class Op>
inline constexpr std::uint64_t kElementTypes = ElementTypeMask<Op>(std::make_integer_sequence<int, 34>{});

template <class Op>
constexpr std::uint64_t AllowedMask(int k) {
  return kOpView<Op>.attrs[static_cast<std::size_t>(kTyped<Op>.attr[k])].allowed_types.mask;
}
template <class Op>
constexpr bool ComplexIsKnownWhereAllowed() {
  constexpr std::uint64_t complex = std::uint64_t{1} << static_cast<int>(DataType::kComplex64) |
                                    std::uint64_t{1} << static_cast<int>(DataType::kComplex128);
  for (int k = 0; k < kTyped<Op>.count; ++k)
    if ((AllowedMask<Op>(k) & complex & ~kElementTypes<Op>) != 0) return false;
  return true;
}
template <class Op, class Narrow>
constexpr std::uint64_t TypedMask(int k) {
  return AllowedMask<Op>(k) & kElementTypes<Op> & kNarrowMask<Narrow>;
}
constexpr int BitCount(std::uint64_t mask) {
  int n = 0;
  for (; mask != 0; mask &= mask - 1) ++n;
  return n;
}
constexpr DataType NthType(std::uint64_t mask, int n) {
  for (int dt = 0; dt < 64; ++dt)
    if ((mask >> dt & 1) != 0 && n-- == 0) return static_cast<DataType>(dt);
  return DataType::kInvalid;
}
template <class Op, class Narrow>
constexpr std::size_t CombinationCount() {
  std::size_t n = 1;
  for (int k = 0; k < kTyped<Op>.count; ++k) n *= static_cast<std::size_t>(BitCount(TypedMask<Op, Narrow>(k)));
  return n;
}
// Type number k of combination `flat`; the last attr's type runs fastest.
template <class Op, class Narrow>
constexpr DataType CombinationType(std::size_t flat, int k) {
  for (int j = kTyped<Op>.count - 1; j > k; --j) flat /= static_cast<std::size_t>(BitCount(TypedMask<Op, Narrow>(j)));
  const std::uint64_t mask = TypedMask<Op, Narrow>(k);
  return NthType(mask, static_cast<int>(flat % static_cast<std::size_t>(BitCount(mask))));
}

// ---- the element type of one declared argument, given the kernel's types; void: known only while running
template <class Op, int I>
constexpr const ArgSpec& Argument() {
  constexpr int inputs = static_cast<int>(kOpView<Op>.inputs.size());
  if constexpr (I < inputs)
    return kOpView<Op>.inputs[I];
  else
    return kOpView<Op>.outputs[I - inputs];
}
template <class Op, int I, class... T>
constexpr auto ArgumentElement() {
  constexpr const ArgSpec& a = Argument<Op, I>();
  if constexpr (a.type != DataType::kInvalid) {
    if constexpr (HasElementType<static_cast<int>(a.type), Op>)
      return type_of<a.type>{};
    else
      return std::type_identity<void>{};
  } else {
    constexpr int position = TypedPosition<Op>(a.type_attr_index);
    if constexpr (position >= 0)
      return std::type_identity<std::tuple_element_t<static_cast<std::size_t>(position), std::tuple<T...>>>{};
    else
      return std::type_identity<void>{};
  }
}
template <class Op, int I>
constexpr bool MayBeIndices() {
  constexpr std::uint64_t allowed = MaskOf<std::int16_t>() | MaskOf<std::int32_t>() | MaskOf<std::int64_t>();
  constexpr const ArgSpec& a = Argument<Op, I>();
  if constexpr (a.type != DataType::kInvalid) return (std::uint64_t{1} << static_cast<int>(a.type) & allowed) != 0;
  const AttrSpec* attr = kOpView<Op>.TypeAttr(a);
  return attr != nullptr && !attr->allowed_types.empty() && (attr->allowed_types.mask & ~allowed) == 0;
}

// A parameter as written: In<T> and the like by value (or const&), Tensor& and Late<T>& as references.
template <class P>
using ParamType = std::conditional_t<
    std::is_same_v<std::remove_cvref_t<P>, Tensor>, P,
    std::conditional_t<std::is_lvalue_reference_v<P> && ParamTraits<P>::info.kind == ParamKind::kLate, P,
                       std::remove_cvref_t<P>>>;

template <class Op, int I, class P, class... T>
constexpr bool ParameterFits() {
  using Traits = ParamTraits<ParamType<P>>;
  using Element = typename decltype(ArgumentElement<Op, I, T...>())::type;
  constexpr bool input = I < static_cast<int>(kOpView<Op>.inputs.size());
  constexpr ParamKind kind = Traits::info.kind;
  constexpr bool type_list = Argument<Op, I>().is_type_list;
  constexpr bool list = Argument<Op, I>().is_list();
  constexpr bool same = std::is_same_v<typename Traits::value, Element> && !std::is_void_v<Element>;
  if constexpr (input && list)
    return kind == ParamKind::kTensorsIn || (kind == ParamKind::kInList && !type_list && same);
  else if constexpr (input)
    return kind == ParamKind::kTensorIn || (kind == ParamKind::kHostIndices && MayBeIndices<Op, I>()) ||
           ((kind == ParamKind::kIn || kind == ParamKind::kHostIn) && same);
  else if constexpr (list)
    return kind == ParamKind::kTensorsOut || (kind == ParamKind::kOutList && !type_list && same);
  else
    return kind == ParamKind::kTensorOut ||
           ((kind == ParamKind::kOut || kind == ParamKind::kForward || kind == ParamKind::kLate) && same);
}

// ---- operator()
template <class F>
struct CallTraits {
  static constexpr bool ok = false;
  using Args = std::tuple<>;
  using Result = void;
};
template <class K, class R, class... A>
struct CallTraits<R (K::*)(A...) const> {
  static constexpr bool ok = true;
  using Args = std::tuple<A...>;
  using Result = R;
};
template <class Kernel>
constexpr auto CallOf() {
  if constexpr (requires { &Kernel::operator(); })
    return CallTraits<decltype(&Kernel::operator())>{};
  else
    return CallTraits<void>{};
}

template <class Op, int I>
constexpr auto ArgumentName() {
  return FixedString<Argument<Op, I>().name().size()>(Argument<Op, I>().name());
}
template <class Op, int I, class P, class... T>
constexpr bool CheckParameter() {
  constexpr bool fits = ParameterFits<Op, I, P, T...>();
  if constexpr (!fits) {
    using Element = typename decltype(ArgumentElement<Op, I, T...>())::type;
    if constexpr (I < static_cast<int>(kOpView<Op>.inputs.size()))
      (void)&Report<rule::KernelParameterForInput<ArgumentName<Op, I>(), Element, P, fits>>;
    else
      (void)&Report<rule::KernelParameterForOutput<ArgumentName<Op, I>(), Element, P, fits>>;
  } else if constexpr (ParamTraits<ParamType<P>>::info.forward_mask >> kOpView<Op>.inputs.size() != 0) {
    (void)&Report<rule::ForwardNamesInputsOfTheSignature<Op, ArgumentName<Op, I>(), false>>;
    return false;
  }
  return fits;
}

template <class Op>
inline constexpr int kArgumentCount = static_cast<int>(kOpView<Op>.inputs.size() + kOpView<Op>.outputs.size());

template <class Args>
constexpr bool EndsInDone() {
  if constexpr (std::tuple_size_v<Args> > 0)
    return std::is_same_v<std::remove_cvref_t<std::tuple_element_t<std::tuple_size_v<Args> - 1, Args>>, Done>;
  else
    return false;
}

// The whole check of one kernel; true when it may be built.
template <class Op, class Device, class Kernel, class... T>
struct KernelCheck {
  using Call = decltype(CallOf<Kernel>());
  using Args = typename Call::Args;
  static constexpr bool is_async = EndsInDone<Args>();
  static constexpr std::size_t arity = std::tuple_size_v<Args> - (is_async ? 1 : 0);

  template <int... I>
  static constexpr bool Parameters(std::integer_sequence<int, I...>) {
    return (true && ... && CheckParameter<Op, I, std::tuple_element_t<static_cast<std::size_t>(I) + 1, Args>, T...>());
  }
  static constexpr bool Run() {
    constexpr bool callable =
        Call::ok && (is_async ? std::is_void_v<typename Call::Result> : std::is_same_v<typename Call::Result, Status>);
    if constexpr (!callable) {
      (void)&Report<rule::KernelCallIsOneConstFunction<Op, Kernel, callable>>;
      return false;
    } else if constexpr (arity != 1 + static_cast<std::size_t>(kArgumentCount<Op>)) {
      (void)&Report<rule::KernelCallTakesDeviceInputsOutputs<Op, Kernel, arity,
                                                             1 + static_cast<std::size_t>(kArgumentCount<Op>)>>;
      return false;
    } else {
      using First = std::tuple_element_t<0, Args>;
      constexpr bool device =
          std::is_same_v<First, Device&> || std::is_same_v<std::remove_cvref_t<First>, Context<Device>>;
      if constexpr (!device) {
        (void)&Report<rule::KernelTakesItsDeviceFirst<Op, Device, First, device>>;
        return false;
      } else {
        return Parameters(std::make_integer_sequence<int, kArgumentCount<Op>>{});
      }
    }
  }
};

// ---- the attrs, once per op
template <class Op>
constexpr bool IsUnused(std::string_view attr) {
  if constexpr (requires { Op::unused; })
    for (const std::string_view name : Op::unused)
      if (name == attr) return true;
  return false;
}
constexpr bool SomeArgumentReads(std::span<const ArgSpec> arguments, int attr) {
  for (const ArgSpec& a : arguments)
    if (a.type_attr_index == attr || a.number_attr_index == attr) return true;
  return false;
}
template <class Op>
constexpr bool IsStructural(
    std::size_t attr) {  // a type, a length or a type list of some argument: the framework reads it
  if (kOpView<Op>.attrs[attr].is_type()) return true;
  return SomeArgumentReads(kOpView<Op>.inputs, static_cast<int>(attr)) ||
         SomeArgumentReads(kOpView<Op>.outputs, static_cast<int>(attr));
}
template <class Op, std::size_t I>
constexpr auto AttrText() {
  return FixedString<kOpView<Op>.attrs[I].name().size()>(kOpView<Op>.attrs[I].name());
}

template <class Op>
struct AttrsOf {
  struct type {};
};
template <class Op>
  requires requires { typename Op::Attrs; }
struct AttrsOf<Op> {
  using type = typename Op::Attrs;
};

template <class Op>
struct AttrCheck {
  using Attrs = typename AttrsOf<Op>::type;
  static constexpr auto names = MemberNames<Attrs>();
  using Members = MemberTypesOf<Attrs>;

  template <std::size_t M>
  static constexpr bool Member() {
    constexpr int attr = FindAttrIndex<Op>(names[M]);
    if constexpr (attr < 0) {
      (void)&Report<rule::AttrsMembersAreAttrs<Op, FixedString<names[M].size()>(names[M]), (attr >= 0)>>;
      return false;
    } else {
      constexpr const AttrSpec& a = kOpView<Op>.attrs[static_cast<std::size_t>(attr)];
      constexpr bool typed = Members::known[M] && Members::kind[M] == a.kind && Members::list[M] == a.is_list;
      if constexpr (!typed)
        (void)&Report<rule::AttrsMembersHaveTheirTypes<Op, FixedString<names[M].size()>(names[M]), typed>>;
      return typed;
    }
  }
  template <std::size_t I>
  static constexpr bool Covered() {
    constexpr bool covered = [] {
      if (IsStructural<Op>(I) || IsUnused<Op>(kOpView<Op>.attrs[I].name())) return true;
      for (const std::string_view name : names)
        if (name == kOpView<Op>.attrs[I].name()) return true;
      return false;
    }();
    if constexpr (!covered) (void)&Report<rule::EveryAttrIsReadOrNamedInUnused<Op, AttrText<Op, I>(), covered>>;
    return covered;
  }
  template <std::size_t... M, std::size_t... I>
  static constexpr bool Run(std::index_sequence<M...>, std::index_sequence<I...>) {
    const bool members = (true && ... && Member<M>());
    return members && (true && ... && Covered<I>());
  }
  static constexpr bool ok =
      Run(std::make_index_sequence<names.size()>{}, std::make_index_sequence<kOpView<Op>.attrs.size()>{});
};

// Names in kernel_types must be type attrs with a list of types.
template <class Op, std::size_t... K>
constexpr bool CheckKernelTypes(std::index_sequence<K...>) {
  return (true && ... && [] {
    constexpr std::string_view name = Op::kernel_types.names[K];
    constexpr const AttrSpec* attr = kOpView<Op>.FindAttr(name);
    constexpr bool ok = attr != nullptr && attr->is_type() && !attr->allowed_types.empty();
    if constexpr (!ok) (void)&Report<rule::KernelTypesNameTypeAttrs<Op, FixedString<name.size()>(name), ok>>;
    return ok;
  }());
}
template <class Op>
constexpr bool CheckSignature() {
  constexpr bool complete = kOpView<Op>.outputs.size() == 0 || kOpView<Op>.shape_fn != nullptr;
  if constexpr (!complete) (void)&Report<rule::SignatureIsComplete<Op, complete>>;
  bool types = true;
  if constexpr (requires { Op::kernel_types.size; })
    types = CheckKernelTypes<Op>(std::make_index_sequence<Op::kernel_types.size>{});
  constexpr bool complex = ComplexIsKnownWhereAllowed<Op>();
  if constexpr (!complex) (void)&Report<rule::ComplexTypesNeedTheirHeader<Op, complex>>;
  return complete && types && complex && Op::signature.Validate();
}

// ---- the code of one kernel
template <class P>
decltype(auto) MakeParam(CallFrame& frame, int argument) {
  constexpr ParamKind kind = ParamTraits<ParamType<P>>::info.kind;
  const int first = frame.first[argument];
  if constexpr (kind == ParamKind::kTensorIn)
    return *static_cast<const Tensor*>(frame.inputs[first]);
  else if constexpr (kind == ParamKind::kTensorsIn)
    return frame.input_span(frame, argument);
  else if constexpr (kind == ParamKind::kTensorOut)
    return (frame.outputs[first - frame.num_inputs]);
  else if constexpr (kind == ParamKind::kTensorsOut)
    return std::span<Tensor>(frame.outputs + (first - frame.num_inputs),
                             static_cast<std::size_t>(frame.first[argument + 1] - first));
  else if constexpr (kind == ParamKind::kHostIndices)
    return HostIndices(frame.views[first], frame.inputs[first]->dtype());
  else if constexpr (kind == ParamKind::kInList || kind == ParamKind::kOutList)
    return ParamType<P>(frame.views + first, frame.first[argument + 1] - first);
  else if constexpr (kind == ParamKind::kLate)
    return *::new (static_cast<void*>(frame.late + 16 * argument))
        std::remove_reference_t<P>(frame.context, first - frame.num_inputs);
  else
    return ParamType<P>(frame.views[first]);
}

template <class Kernel, class Device, class Args, class Result>
struct KernelCode {
  template <std::size_t... I>
  static Status Call(const void* kernel, CallFrame& frame, std::index_sequence<I...>) {
    using First = std::tuple_element_t<0, Args>;
    const Kernel& call = *static_cast<const Kernel*>(kernel);
    Device& device = *static_cast<Device*>(frame.device);
    if constexpr (std::is_same_v<First, Device&>) {
      if constexpr (std::is_void_v<Result>)
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    Done(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    } else {
      Context<Device> context(frame.context, &device);
      if constexpr (std::is_void_v<Result>)
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    Done(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    }
  }
  static constexpr std::size_t kCount = std::tuple_size_v<Args> - 1 - (std::is_void_v<Result> ? 1 : 0);
  static Status Thunk(const void* kernel, CallFrame& frame) {
    return Call(kernel, frame, std::make_index_sequence<kCount>{});
  }
};
template <class Kernel, class Attrs>
void* ConstructKernel(void* memory) {
  Kernel* kernel = ::new (memory) Kernel();
  if constexpr (std::is_base_of_v<Attrs, Kernel>)
    return static_cast<Attrs*>(kernel);
  else
    return nullptr;
}
template <class Kernel>
void DestroyKernel(void* kernel) {
  static_cast<Kernel*>(kernel)->~Kernel();
}
template <class Kernel>
Status InitKernel(void* kernel, OpKernelConstruction& construction) {
  return static_cast<Kernel*>(kernel)->Init(construction);
}
template <class Kernel>
OpKernel* CreateRawKernel(OpKernelConstruction* construction) {
  return new Kernel(construction);
}

template <class Op>
constexpr std::string_view StructName() {
  return TENON_SIGNATURE;
}
template <class Op>
constexpr OpRow MakeOpRow() {
  OpRow row{&kOpView<Op>, StructName<Op>(), static_cast<std::int8_t>(kTyped<Op>.count), {}, nullptr};
  for (int k = 0; k < kTyped<Op>.count; ++k) row.typed_attr[k] = static_cast<std::int8_t>(kTyped<Op>.attr[k]);
  if constexpr (requires { typename Op::Attrs; }) row.list_slots = &ListAttrSlots<typename Op::Attrs>;
  return row;
}
template <class Op>
inline constexpr OpRow kOpRow = MakeOpRow<Op>();

template <class Args, std::size_t... I>
constexpr auto MakeParamInfos(std::index_sequence<I...>) {
  return std::array<ParamInfo, sizeof...(I) + 1>{ParamTraits<ParamType<std::tuple_element_t<I + 1, Args>>>::info...,
                                                 ParamInfo{}};
}
template <class Args, std::size_t Count>
inline constexpr auto kParamInfos = MakeParamInfos<Args>(std::make_index_sequence<Count>{});

// Op::kernel<Device, T...> as `type`, where the kernel takes these types. Written out: nvcc 13 rejects the arguments of
// a member template when they end in an empty pack.
template <class Op, class Device, class... T>
struct KernelOf {};
template <class Op, class Device>
  requires requires { typename Op::template kernel<Device>; }
struct KernelOf<Op, Device> {
  using type = typename Op::template kernel<Device>;
};
template <class Op, class Device, class A>
  requires requires { typename Op::template kernel<Device, A>; }
struct KernelOf<Op, Device, A> {
  using type = typename Op::template kernel<Device, A>;
};
template <class Op, class Device, class A, class B>
  requires requires { typename Op::template kernel<Device, A, B>; }
struct KernelOf<Op, Device, A, B> {
  using type = typename Op::template kernel<Device, A, B>;
};
template <class Op, class Device, class A, class B, class C>
  requires requires { typename Op::template kernel<Device, A, B, C>; }
struct KernelOf<Op, Device, A, B, C> {
  using type = typename Op::template kernel<Device, A, B, C>;
};
template <class Op, class Device, class A, class B, class C, class D>
  requires requires { typename Op::template kernel<Device, A, B, C, D>; }
struct KernelOf<Op, Device, A, B, C, D> {
  using type = typename Op::template kernel<Device, A, B, C, D>;
};
static_assert(kMaxTypedAttrs == 4);

template <class Op, class Device, class... T>
constexpr KernelRow MakeRow() {
  KernelRow row;
  if constexpr (requires { typename KernelOf<Op, Device, T...>::type; }) {
    using Kernel = typename KernelOf<Op, Device, T...>::type;
    row.device = Device::type;
    int k = 0;
    ((row.types[k++] = static_cast<std::uint8_t>(dtype_of_v<T>)), ...);
    if constexpr (std::is_base_of_v<OpKernel, Kernel>) {
      row.op = &kOpRow<Op>;
      row.create = &CreateRawKernel<Kernel>;
    } else {
      using Check = KernelCheck<Op, Device, Kernel, T...>;
      constexpr bool ok = AttrCheck<Op>::ok && Check::Run();
      constexpr bool attrs = !requires { typename Op::Attrs; } || std::is_base_of_v<typename AttrsOf<Op>::type, Kernel>;
      if constexpr (!attrs) (void)&Report<rule::KernelDerivesFromAttrs<Op, Kernel, attrs>>;
      if constexpr (ok && attrs) {
        using Code = KernelCode<Kernel, Device, typename Check::Args, typename Check::Call::Result>;
        row.op = &kOpRow<Op>;
        row.is_async = Check::is_async;
        if constexpr (requires { Kernel::int32_on_host; }) row.int32_on_host = Kernel::int32_on_host;
        row.params = kParamInfos<typename Check::Args, Code::kCount>.data();
        row.size = static_cast<std::uint32_t>(sizeof(Kernel));
        row.align = static_cast<std::uint32_t>(alignof(Kernel));
        row.construct = &ConstructKernel<Kernel, typename AttrsOf<Op>::type>;
        if constexpr (!std::is_trivially_destructible_v<Kernel>) row.destroy = &DestroyKernel<Kernel>;
        if constexpr (requires(Kernel& kernel, OpKernelConstruction& c) { kernel.Init(c); })
          row.init = &InitKernel<Kernel>;
        row.call = &Code::Thunk;
      }
    }
  }
  return row;
}
template <class Op, class Device, class Narrow, std::size_t Flat, int... K>
constexpr KernelRow MakeCombination(std::integer_sequence<int, K...>) {
  return MakeRow<Op, Device, typename type_of<CombinationType<Op, Narrow>(Flat, K)>::type...>();
}
template <class Op, class Device, class Narrow, std::size_t... Flat>
constexpr auto MakeTable(std::index_sequence<Flat...>) {
  return std::array<KernelRow, sizeof...(Flat) + 1>{
      MakeCombination<Op, Device, Narrow, Flat>(std::make_integer_sequence<int, kTyped<Op>.count>{})..., KernelRow{}};
}
// All rows of one op on one device; rows that the kernel rejects stay empty.
template <class Op, class Device, class Narrow>
inline constexpr auto kTable =
    MakeTable<Op, Device, Narrow>(std::make_index_sequence<CombinationCount<Op, Narrow>()>{});

// Whether an op struct has a member called kernel at all: naming it becomes ambiguous.
struct KernelDecoy {
  struct kernel {};
};
template <class Op>
struct KernelAmbiguity : Op, KernelDecoy {};
template <class Op>
concept HasKernel = !requires { typename KernelAmbiguity<Op>::kernel; };

template <class Op, class Device, class Narrow, std::size_t Flat, int... K>
constexpr bool Accepts(std::integer_sequence<int, K...>) {
  return requires {
    typename KernelOf<Op, Device, typename type_of<CombinationType<Op, Narrow>(Flat, K)>::type...>::type;
  };
}
template <class Op, class Device, class Narrow, std::size_t... Flat>
constexpr bool AcceptsSome(std::index_sequence<Flat...>) {
  return (false || ... || Accepts<Op, Device, Narrow, Flat>(std::make_integer_sequence<int, kTyped<Op>.count>{}));
}

// Everything about an op that does not depend on the kernel's types: checked once per op and device.
template <class Op, class Device, class Narrow>
constexpr bool CheckOp() {
  constexpr bool signature = CheckSignature<Op>();
  if constexpr (signature && HasKernel<Op>) {
    constexpr std::size_t n = CombinationCount<Op, Narrow>();
    if constexpr (n > 0) {
      constexpr bool some = AcceptsSome<Op, Device, Narrow>(std::make_index_sequence<n>{}) ||
                            AcceptsSome<Op, Cpu, Narrow>(std::make_index_sequence<n>{}) ||
                            AcceptsSome<Op, Cuda, Narrow>(std::make_index_sequence<n>{});
      if constexpr (!some) (void)&Report<rule::KernelHasOneTypeParameterPerTypeAttr<Op, Device, some>>;
    }
  }
  return signature;
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/register.hpp ----
// TENON_REGISTER(ZeroOut, MatMul): makes ops known to every session of the program, with all their kernels. Once per
// program, at namespace scope of a .cpp (CPU kernels) or a .cu (GPU kernels).
TENON_NAMESPACE_BEGIN

// A list of ops that counts as its members: TENON_REGISTER(tenon::ops::All).
template <class... Op>
struct OpList {};
template <class... Op>
struct Ops {};
template <class... Device>
struct Devices {};

namespace detail {

// Flatten<...>: the ops of a TENON_REGISTER list with lists opened and Types<...> taken out.
template <class Narrow, class Found, class... Rest>
struct Flatten {
  using narrow = Narrow;
  using ops = Found;
};
template <class Narrow, class... Found, class Op, class... Rest>
struct Flatten<Narrow, Ops<Found...>, Op, Rest...> : Flatten<Narrow, Ops<Found..., Op>, Rest...> {};
template <class Narrow, class... Found, class... Inner, class... Rest>
struct Flatten<Narrow, Ops<Found...>, tenon::OpList<Inner...>, Rest...>
    : Flatten<Narrow, Ops<Found...>, Inner..., Rest...> {};
template <class Narrow, class... Found, class... T, class... Rest>
struct Flatten<Narrow, Ops<Found...>, Types<T...>, Rest...> : Flatten<Types<T...>, Ops<Found...>, Rest...> {};

template <class Narrow, class OpPack, class DevicePack>
struct Batch;
template <class Narrow, class... Op, class... Device>
struct Batch<Narrow, Ops<Op...>, Devices<Device...>> {
  template <class O, class D>
  static constexpr const KernelRow* Table() {
    if constexpr (CheckOp<O, D, Narrow>() && HasKernel<O>)
      return kTable<O, D, Narrow>.data();
    else
      return nullptr;
  }
  template <class O, class D>
  static constexpr std::size_t TableSize() {
    if constexpr (HasKernel<O>)
      return CombinationCount<O, Narrow>();
    else
      return 0;
  }
  template <class D>
  struct On {
    static constexpr std::array<const KernelRow*, sizeof...(Op) + 1> tables{Table<Op, D>()..., nullptr};
    static constexpr std::array<std::size_t, sizeof...(Op) + 1> sizes{TableSize<Op, D>()..., 0};
  };
  static constexpr std::array<const OpRow*, sizeof...(Op) + 1> ops{&kOpRow<Op>..., nullptr};
  template <class D>
  static inline constinit RegistrationBatch batch{ops.data(),          sizeof...(Op), On<D>::tables.data(),
                                                  On<D>::sizes.data(), sizeof...(Op), nullptr};

  static bool Link() { return (true && ... && LinkBatch(&batch<Device>)); }
};

template <class DevicePack, class... Item>
using BatchOf = Batch<typename Flatten<Types<>*, Ops<>, Item...>::narrow,
                      typename Flatten<Types<>*, Ops<>, Item...>::ops, DevicePack>;

// A .cu registers GPU kernels only: the same source is compiled a second time as C++ for the CPU kernels.
#if defined(__CUDACC__)
using UnitDevices = Devices<Cuda>;
#else
using UnitDevices = Devices<Cpu>;
#endif

}  // namespace detail

class Registry;  // kernel/registry.hpp

// The same as a function, for registries of one's own and programs without static initialisers:
// Register(registry, Ops<ZeroOut, MatMul>{}, Devices<Cpu>{}). The first error of the registry.
template <class R, class... Item, class... Device>
Status Register(R& registry, Ops<Item...>, Devices<Device...>) {
  Status status;
  (status.Update(registry.Add(detail::BatchOf<Devices<Device...>, Item...>::template batch<Device>)), ...);
  return status;
}

TENON_NAMESPACE_END

#define TENON_REGISTER(...)                                                                     \
  [[maybe_unused]] static const bool TENON_DETAIL_CONCAT(tenon_registered_at_line_, __LINE__) = \
      ::tenon::detail::BatchOf<::tenon::detail::UnitDevices, __VA_ARGS__>::Link()

// ---- tenon/device/device.hpp ----
// Device: a place that runs kernels and owns memory. DeviceFactory: how a kind of device joins the program.
TENON_NAMESPACE_BEGIN

// thread-safe. Lives as long as the session that owns it.
class Device {
 public:
  explicit Device(std::string name) : name_(std::move(name)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual std::string_view type() const = 0;  // "CPU", "GPU": which kernels it runs
  virtual Allocator* allocator() const = 0;
  virtual void* kernel_device() = 0;  // the Cpu or Cuda object that kernels get
  // True when kernels of this device read and write ordinary host memory.
  virtual bool uses_host_memory() const = 0;

  // Copies between host tensors and this device's memory; *to is allocated here. A copy has ended when the call
  // returns, unless said otherwise by the device: then it is ordered before the device's next kernel.
  virtual Status CopyToDevice(const Tensor& host, Tensor* to) = 0;
  virtual Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) = 0;
  // Waits for all kernels and copies; reports what went wrong in them.
  virtual Status Synchronize() = 0;

  const std::string& name() const { return name_; }  // "/job:localhost/replica:0/task:0/device:GPU:0"
  std::string short_name() const {  // "GPU:0"
    const std::size_t at = name_.rfind("device:");
    return at == std::string::npos ? name_ : name_.substr(at + 7);
  }

 private:
  std::string name_;
};

// Makes devices of one type; linked into a list by a static object of the file that defines the device. immutable.
struct DeviceFactory {
  std::string_view type;
  Result<Owned<Device>> (*create)(const std::string& name, int ordinal);
  DeviceFactory* next = nullptr;
  std::atomic<bool> linked{false};
};

namespace detail {
inline constinit std::atomic<DeviceFactory*> device_factories{nullptr};

inline bool LinkDeviceFactory(DeviceFactory* factory) {
  if (factory->linked.exchange(true, std::memory_order_relaxed)) return true;
  factory->next = device_factories.load(std::memory_order_relaxed);
  while (!device_factories.compare_exchange_weak(factory->next, factory, std::memory_order_release,
                                                 std::memory_order_relaxed)) {
  }
  return true;
}
}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/device/cpu_device.hpp ----
// CpuDevice: the device that every session has. Its kernels run on the threads of a pool that somebody else owns.
TENON_NAMESPACE_BEGIN

class CpuDevice final : public Device {
 public:
  // `allocator` and `pool` (which may be null) outlive the device.
  CpuDevice(std::string name, Allocator* allocator, ThreadPoolInterface* pool)
      : Device(std::move(name)), cpu_{pool, allocator} {}

  std::string_view type() const override { return Cpu::type; }
  Allocator* allocator() const override { return cpu_.allocator; }
  void* kernel_device() override { return &cpu_; }
  bool uses_host_memory() const override { return true; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    *to = host;
    return OkStatus();
  }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    *to = from;
    return OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }

 private:
  Cpu cpu_;
};

TENON_NAMESPACE_END

// ---- tenon/device/denormals.hpp ----
// Denormal floating-point numbers on the calling thread: flushed to zero (as TensorFlow's CPU kernels run) or kept.
#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

TENON_NAMESPACE_BEGIN

namespace detail {

// The thread's floating-point control word. Its denormal bits: results that are denormal become zero and, where the
// processor has a second bit for it, so do denormal operands.
struct DenormalControl {
#if defined(__SSE2__) || defined(_M_X64)
  static constexpr std::uint64_t kFlush = 0x8040;  // MXCSR: FTZ (bit 15), DAZ (bit 6)
  static std::uint64_t Read() { return _mm_getcsr(); }
  static void Write(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__) && !defined(_MSC_VER)
  static constexpr std::uint64_t kFlush = 0x1000000;  // FPCR: FZ (bit 24)
  static std::uint64_t Read() {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Write(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  static constexpr std::uint64_t kFlush = 0;  // not known for this processor: the mode stays as it is
  static std::uint64_t Read() { return 0; }
  static void Write(std::uint64_t) {}
#endif
};

}  // namespace detail

// True if the calling thread flushes denormals.
inline bool FlushesDenormals() {
  using Control = detail::DenormalControl;
  return Control::kFlush != 0 && (Control::Read() & Control::kFlush) == Control::kFlush;
}

// For its lifetime the calling thread flushes denormals (or, with `false`, keeps them); then the caller's mode is back.
// Rounding mode and exception flags are left alone. A few ns. one thread.
//
//   { ScopedFlushDenormals flush;  kernel->Compute(&context); }
class ScopedFlushDenormals {
 public:
  explicit ScopedFlushDenormals(bool flush = true) {
    const std::uint64_t word = Control::Read();
    before_ = word & Control::kFlush;
    const std::uint64_t wanted = flush ? Control::kFlush : 0;
    if (before_ != wanted) Control::Write((word & ~Control::kFlush) | wanted);
  }
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;
  ~ScopedFlushDenormals() {
    const std::uint64_t word = Control::Read();
    if ((word & Control::kFlush) != before_) Control::Write((word & ~Control::kFlush) | before_);
  }

 private:
  using Control = detail::DenormalControl;
  std::uint64_t before_;
};

TENON_NAMESPACE_END

// ---- tenon/device/thread_pool.hpp ----
// ThreadPool: a queue of tasks and loops that are split over threads. Idle threads spin for some 20 us before they
// sleep, because waking a sleeping thread takes about as long.
#if defined(__linux__)
#include <pthread.h>
#endif
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

// ---- tenon/device/thread_pool.hpp ----
TENON_NAMESPACE_BEGIN

namespace detail {
// Tells the processor that this is a waiting loop.
inline void SpinPause() {
#if defined(__SSE2__) || defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}
}  // namespace detail

// thread-safe. Tasks start in the order of Schedule but run at the same time; none may block for another that is
// queued. Loops (ParallelFor) may nest, in tasks and in each other: whoever waits for a loop waits only for parts that
// run.
//
//   ThreadPool pool(4, "intra");                                  // the caller and three threads
//   Cpu device{.pool = &pool};
//   ParallelFor(device, rows, ns_per_row, [&](Index begin, Index end) { Work(begin, end); });
class ThreadPool final : public ThreadPoolInterface {
 public:
  // `threads` counts the caller of ParallelFor: one less are started (fewer where the system has no more). With one
  // thread everything runs on the thread that asks for it. `name` is what a debugger shows (its first 11 characters).
  ThreadPool(int threads, std::string_view name) : name_(name.substr(0, 11)) {
    for (int i = 1; i < threads; ++i) {
      if (!Start(i)) break;
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Runs what is queued, also what that queues, and joins the threads.
  ~ThreadPool() override {
    stopping_.store(true);
    published_.fetch_add(1);
    published_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Schedule(void (*fn)(void*), void* arg) override {
    if (threads_.empty()) return RunHere({fn, arg});
    {
      MutexLock lock(mutex_);
      Push({fn, arg});
    }
    Publish(1);
  }

  void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) override {
    if (total <= 0) return;
    const Index most = total / (grain > 0 ? grain : 1);
    if (threads_.empty() || most < 2) return fn(arg, 0, total);
    const Index parts = most < kPartsPerThread * NumThreads() ? most : kPartsPerThread * NumThreads();
    Index part = (total + parts - 1) / parts;
    if (part >= 1024) part = (part + 63) & ~Index{63};  // elements: parts begin at whole cache lines
    Loop loop{fn, arg, total, part};
    loop.flush_denormals = FlushesDenormals();
    const Index wanted = parts - 1 < NumThreads() - 1 ? parts - 1 : NumThreads() - 1;
    loop.places = static_cast<int>(wanted);
    {
      MutexLock lock(mutex_);
      loop.next_loop = loops_;
      loops_ = &loop;
    }
    Publish(static_cast<int>(wanted));
    loop.RunParts();
    Close(&loop);
  }

  int NumThreads() const override { return static_cast<int>(threads_.size()) + 1; }

 private:
  static constexpr int kPartsPerThread = 4;  // so that a thread that comes late takes less
  static constexpr int kSpins = 1000;  // about 20 us
  static constexpr int kMaxDepth = 32;  // of tasks that schedule tasks in a pool without threads

  struct Task {
    void (*fn)(void*);
    void* arg;
  };

  // A ParallelFor in progress; lives on its caller's stack.
  struct Loop {
    void (*fn)(void*, Index, Index);
    void* arg;
    Index total;
    Index part;  // length of one part
    bool flush_denormals = false;  // the caller's mode, for the threads that help
    int places = 0;  // helpers that may still join; under mutex_
    bool closed = false;  // the caller waits; under mutex_
    Loop* next_loop = nullptr;  // under mutex_
    std::atomic<Index> next{0};  // first index that nobody has taken
    std::atomic<int> helpers{0};  // threads at work on it besides the caller; written under mutex_

    void RunParts() {
      for (;;) {
        const Index begin = next.fetch_add(part, std::memory_order_relaxed);
        if (begin >= total) return;
        fn(arg, begin, total - begin < part ? total : begin + part);
      }
    }
    bool Joinable() const { return places > 0 && next.load(std::memory_order_relaxed) < total; }
  };

  bool Start(int index) {
#if defined(__cpp_exceptions)
    try {
      threads_.emplace_back(&ThreadPool::Main, this, index);
    } catch (...) {
      return false;
    }
#else
    threads_.emplace_back(&ThreadPool::Main, this, index);
#endif
    return true;
  }

  // A thread's life.
  void Main(int index) {
    NameThisThread(index);
    for (;;) {
      const std::uint32_t seen = published_.load();
      if (RunSomething()) continue;
      if (stopping_.load()) return;
      WaitForChange(seen);
    }
  }

  void NameThisThread([[maybe_unused]] int index) const {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), (name_ + "-" + std::to_string(index)).substr(0, 15).c_str());
#endif
  }

  // Spins, then sleeps, until published_ is no longer `seen`.
  void WaitForChange(std::uint32_t seen) {
    spinning_.fetch_add(1);
    for (int i = 0; i < kSpins && published_.load(std::memory_order_acquire) == seen; ++i) detail::SpinPause();
    spinning_.fetch_sub(1);
    if (published_.load() != seen) return;
    sleeping_.fetch_add(1);
    published_.wait(seen);
    sleeping_.fetch_sub(1);
  }

  // One task, or the open parts of one loop. Loops first: somebody is waiting for them.
  bool RunSomething() {
    MutexLock lock(mutex_);
    Loop* loop = loops_;
    while (loop != nullptr && !loop->Joinable()) loop = loop->next_loop;
    if (loop != nullptr) {
      --loop->places;
      loop->helpers.store(loop->helpers.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      const bool more = WorkIsLeft();
      lock.unlock();
      if (more) Wake(1);
      Help(loop);
      return true;
    }
    if (count_ == 0) return false;
    const Task task = Pop();
    const bool more = WorkIsLeft();
    lock.unlock();
    if (more) Wake(1);
    task.fn(task.arg);
    return true;
  }

  bool WorkIsLeft() const { return count_ > 0 || (loops_ != nullptr && loops_->Joinable()); }

  void Help(Loop* loop) {
    {
      ScopedFlushDenormals mode(loop->flush_denormals);
      loop->RunParts();
    }
    bool last;
    {
      MutexLock lock(mutex_);
      const int left = loop->helpers.load(std::memory_order_relaxed) - 1;
      last = left == 0 && loop->closed;
      loop->helpers.store(left, std::memory_order_release);  // from here on the loop may be gone
    }
    if (last) {
      finished_.fetch_add(1);
      finished_.notify_all();
    }
  }

  // No further helpers; waits for those that are at work.
  void Close(Loop* loop) {
    {
      MutexLock lock(mutex_);
      Loop** link = &loops_;
      while (*link != loop) link = &(*link)->next_loop;
      *link = loop->next_loop;
      loop->closed = true;
    }
    for (int i = 0; loop->helpers.load(std::memory_order_acquire) != 0; ++i) {
      if (i < kSpins) {
        detail::SpinPause();
        continue;
      }
      const std::uint32_t seen = finished_.load();
      if (loop->helpers.load() == 0) return;
      finished_.wait(seen);
    }
  }

  // There is work for `wanted` more threads.
  void Publish(int wanted) {
    published_.fetch_add(1);
    Wake(wanted);
  }
  // Spinning threads see the work by themselves, and a thread that takes some wakes another if there is more.
  void Wake(int wanted) {
    wanted -= spinning_.load();
    const int sleeping = sleeping_.load();
    if (wanted <= 0 || sleeping <= 0) return;
    if (wanted >= sleeping) return published_.notify_all();
    for (int i = 0; i < wanted; ++i) published_.notify_one();
  }

  // A pool without threads: the task runs now; deep inside other tasks it waits until the outermost has returned.
  void RunHere(Task task) {
    static thread_local int depth = 0;
    if (depth >= kMaxDepth) {
      MutexLock lock(mutex_);
      return Push(task);
    }
    ++depth;
    task.fn(task.arg);
    while (depth == 1 && TakeTask(&task)) task.fn(task.arg);
    --depth;
  }
  bool TakeTask(Task* task) {
    MutexLock lock(mutex_);
    if (count_ == 0) return false;
    *task = Pop();
    return true;
  }

  // The ring of tasks; under mutex_. Its size is a power of two and only grows.
  void Push(Task task) {
    if (count_ == ring_.size()) Grow();
    ring_[(first_ + count_++) & (ring_.size() - 1)] = task;
  }
  Task Pop() {
    const Task task = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --count_;
    return task;
  }
  void Grow() {
    SlimVector<Task> larger(ring_.empty() ? 64 : 2 * ring_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  std::string name_;
  Mutex mutex_;
  SlimVector<Task> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Loop* loops_ = nullptr;  // the newest first: the innermost of nested loops
  std::atomic<std::uint32_t> published_{0};  // counts Schedule and ParallelFor; sleeping threads wait for it to change
  std::atomic<std::uint32_t> finished_{0};  // counts loops whose caller slept
  std::atomic<int> spinning_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<bool> stopping_{false};
  SlimVector<std::thread> threads_;  // last: the threads use everything above
};

TENON_NAMESPACE_END

// ---- tenon/io/graph_file.hpp ----
// Graphs in files: a serialised GraphDef (what tf.io.write_graph writes with as_text=False) is mapped, and its
// constants stay views of the file where they are aligned for their type.
TENON_NAMESPACE_BEGIN

namespace detail {

// Nothing but characters of a text file, in the first bytes?
inline bool LooksLikeText(std::span<const std::byte> bytes) {
  const std::size_t n = bytes.size() < 256 ? bytes.size() : 256;
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) return false;
  }
  return n > 0;
}

TENON_COLD inline Status NotAGraphFile(const std::string& path, std::span<const std::byte> bytes, const Status& why) {
  return errors::DataLoss("Can't parse '", path, "' as binary proto: ", why.message(),
                          LooksLikeText(bytes) ? "; the file looks like text, and a binary GraphDef is wanted" : "");
}

}  // namespace detail

// NotFound (and other errors of the system) when the file cannot be opened; InvalidArgument when it is empty or has
// nothing of a graph in it; DataLoss, as in TensorFlow's ReadBinaryProto, with the byte's offset, when the bytes are no
// GraphDef. Each names the path.
inline Result<GraphDef> ReadGraphFile(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.empty())
    return errors::InvalidArgument("ReadGraphFile: '", path, "' is empty; a binary GraphDef is wanted");
  Result<GraphDef> graph = detail::ParseProto<GraphDef>(bytes, file.buffer());
  if (!graph.ok()) {
    if (errors::IsDataLoss(graph.status())) return detail::NotAGraphFile(path, bytes, graph.status());
    return Status(graph.status().code(), StrCat("ReadGraphFile: '", path, "': ", graph.status().message()));
  }
  if (*graph == GraphDef()) {
    return errors::InvalidArgument(
        "ReadGraphFile: '", path, "' has ", bytes.size(),
        " bytes but nothing of a graph in them; a binary GraphDef is wanted, not a SavedModel or a checkpoint");
  }
  return graph;
}

inline Status WriteGraphFile(const std::string& path, const GraphDef& graph) {
  wire::Writer writer;
  wire::SerializeMessage(wire::Schema<GraphDef>::message, writer, &graph);
  return WriteFile(path, writer.view());
}

TENON_NAMESPACE_END

// ---- tenon/graph/algorithms.hpp ----
// Orders, reachability and cycles of a graph. Nothing here recurses: a chain of a million nodes is fine.
TENON_NAMESPACE_BEGIN

// The numbers 0 .. count-1 so that each comes after its predecessors, the smallest possible one first. `pending[n]` is
// the number of predecessors of n that are waited for; `for_each_successor(n, visit)` calls visit(m) once for each of
// them. The result is shorter than `count` when there is a cycle: what is missing is in one or behind one.
template <class ForEachSuccessor>
SlimVector<int> OrderByDependencies(SlimVector<int> pending, ForEachSuccessor&& for_each_successor) {
  SlimVector<int> order;
  order.reserve(pending.size());
  std::priority_queue<int> ready;  // of -n: the smallest number comes first
  for (std::size_t n = 0; n < pending.size(); ++n) {
    if (pending[n] == 0) ready.push(-static_cast<int>(n));
  }
  while (!ready.empty()) {
    const int n = -ready.top();
    ready.pop();
    order.push_back(n);
    for_each_successor(n, [&](int m) {
      if (--pending[static_cast<std::size_t>(m)] == 0) ready.push(-m);
    });
  }
  return order;
}

// Some cycle among the numbers 0 .. count-1, each entry a predecessor of the next and the last one of the first; empty
// when there is none. `predecessors(n)` is a range of int.
template <class Predecessors>
SlimVector<int> FindCycle(int count, Predecessors&& predecessors) {
  enum : char { kNew, kOnPath, kDone };
  SlimVector<char> state(static_cast<std::size_t>(count), kNew);
  struct Frame {
    int node;
    SlimVector<int> todo;
  };
  SlimVector<Frame> path;
  const auto enter = [&](int n) {
    state[static_cast<std::size_t>(n)] = kOnPath;
    Frame frame{n, {}};
    for (const int p : predecessors(n)) frame.todo.push_back(p);
    std::reverse(frame.todo.begin(), frame.todo.end());
    path.push_back(std::move(frame));
  };
  for (int root = 0; root < count; ++root) {
    if (state[static_cast<std::size_t>(root)] != kNew) continue;
    enter(root);
    while (!path.empty()) {
      if (path.back().todo.empty()) {
        state[static_cast<std::size_t>(path.back().node)] = kDone;
        path.pop_back();
        continue;
      }
      const int p = path.back().todo.back();
      path.back().todo.pop_back();
      if (state[static_cast<std::size_t>(p)] == kNew) {
        enter(p);
      } else if (state[static_cast<std::size_t>(p)] == kOnPath) {
        SlimVector<int> cycle;  // the path runs from successor to predecessor: walk it backwards
        for (std::size_t i = path.size(); i-- > 0;) {
          cycle.push_back(path[i].node);
          if (path[i].node == p) break;
        }
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        return cycle;
      }
    }
  }
  return {};
}

// "'a' -> 'b' -> 'a'"; long cycles lose their middle.
template <class NameOf>
std::string CycleToString(std::span<const int> cycle, NameOf&& name_of) {
  constexpr std::size_t kEnds = 5;
  std::string out;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > 2 * kEnds + 1 && i == kEnds) {
      StrAppend(&out, "... (", cycle.size() - 2 * kEnds, " more) -> ");
      i = cycle.size() - kEnds;
    }
    StrAppend(&out, "'", name_of(cycle[i]), "' -> ");
  }
  if (!cycle.empty()) StrAppend(&out, "'", name_of(cycle.front()), "'");
  return out;
}
inline std::string CycleToString(const Graph& graph, std::span<const int> cycle) {
  return CycleToString(cycle, [&graph](int id) -> const std::string& { return graph.node(id).name(); });
}

// True for the edge that closes a while loop: it may point backwards in every order.
inline bool IsBackEdge(const Node& src, const Node& dst) {
  return src.node_class == NodeClass::kNextIteration && dst.node_class == NodeClass::kMerge;
}

namespace detail {
// Calls visit(id) for every producer of the node: data inputs in slot order, then control inputs.
template <class Visit>
void ForEachInput(const Node& node, Visit&& visit) {
  for (const InEdge& edge : node.inputs) {
    if (edge.node >= 0) visit(edge.node);
  }
  for (const int control : node.control_inputs) visit(control);
}
}  // namespace detail

// A cycle that no while loop explains, or an empty list.
inline SlimVector<int> FindCycle(const Graph& graph) {
  return FindCycle(graph.num_nodes(), [&graph](int id) {
    SlimVector<int> out;
    detail::ForEachInput(graph.node(id), [&](int src) {
      if (!IsBackEdge(graph.node(src), graph.node(id))) out.push_back(src);
    });
    return out;
  });
}

// Every node after its inputs, ties in the order of the ids; back edges of while loops are not counted.
// InvalidArgument, with the nodes of one cycle, when there is no such order.
inline Result<SlimVector<int>> TopologicalOrder(const Graph& graph) {
  SlimVector<int> pending(static_cast<std::size_t>(graph.num_nodes()), 0);
  for (const Node& node : graph.nodes()) {
    detail::ForEachInput(node, [&](int src) {
      if (!IsBackEdge(graph.node(src), node)) ++pending[static_cast<std::size_t>(node.id)];
    });
  }
  SlimVector<int> order = OrderByDependencies(std::move(pending), [&graph](int id, auto&& visit) {
    for (const OutEdge& edge : graph.node(id).outputs) {
      if (!IsBackEdge(graph.node(id), graph.node(edge.node))) visit(edge.node);
    }
  });
  if (order.size() == static_cast<std::size_t>(graph.num_nodes())) return order;
  const SlimVector<int> cycle = FindCycle(graph);
  return errors::InvalidArgument("Graph is invalid, contains a cycle with ", cycle.size(),
                                 " nodes, including: ", CycleToString(graph, cycle));
}

// Walks from `roots` against the edges, depth first. enter(node) is called once per node and says whether its inputs
// are to be visited, leave(node) after all of them were.
template <class Enter, class Leave>
void ReverseDepthFirst(const Graph& graph, std::span<const int> roots, Enter&& enter, Leave&& leave) {
  SlimVector<char> seen(static_cast<std::size_t>(graph.num_nodes()), 0);
  struct Item {
    int node;
    bool done;
  };
  SlimVector<Item> stack;
  for (std::size_t i = roots.size(); i-- > 0;) stack.push_back({roots[i], false});
  SlimVector<int> inputs;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    const Node& node = graph.node(item.node);
    if (item.done) {
      leave(node);
      continue;
    }
    if (std::exchange(seen[static_cast<std::size_t>(item.node)], char{1}) != 0) continue;
    stack.push_back({item.node, true});
    if (!enter(node)) continue;
    inputs.clear();
    detail::ForEachInput(node, [&](int src) { inputs.push_back(src); });
    for (std::size_t i = inputs.size(); i-- > 0;) {
      if (seen[static_cast<std::size_t>(inputs[i])] == 0) stack.push_back({inputs[i], false});
    }
  }
}

// The nodes that a run must visit, as a mask over the ids, when `roots` (nodes fetched from, and targets) are wanted
// and the outputs `fed` come from outside. As in TensorFlow a fed node still runs when another of its outputs is used
// or when something waits for it; only a fed placeholder takes its control edges along and never runs. A root that is
// fed itself must not be listed.
inline SlimVector<char> NodesToRun(const Graph& graph, std::span<const int> roots, std::span<const InEdge> fed) {
  const auto slot = [](int i) { return static_cast<std::size_t>(i); };
  SlimVector<char> has_feed(slot(graph.num_nodes()), 0);
  for (const InEdge& edge : fed) has_feed[slot(edge.node)] = 1;
  const auto is_fed = [&](const InEdge& edge) {
    return has_feed[slot(edge.node)] != 0 && std::find(fed.begin(), fed.end(), edge) != fed.end();
  };
  SlimVector<char> run(slot(graph.num_nodes()), 0);
  SlimVector<int> stack;
  const auto want = [&](int id) {
    if (std::exchange(run[slot(id)], char{1}) == 0) stack.push_back(id);
  };
  for (const int root : roots) want(root);
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    for (const InEdge& edge : node.inputs) {
      if (edge.node >= 0 && !is_fed(edge)) want(edge.node);
    }
    for (const int control : node.control_inputs) {
      if (has_feed[slot(control)] == 0 || graph.node(control).node_class != NodeClass::kPlaceholder) want(control);
    }
  }
  return run;
}

TENON_NAMESPACE_END

// ---- tenon/graph/integer_folding.hpp ----
// FoldIntegers: the values of small integer nodes from the values of their inputs, without a kernel. Shape inference
// needs them where a graph computes with shapes (Pack, StridedSlice, ConcatV2, arithmetic, ...).
TENON_NAMESPACE_BEGIN

// Larger tensors are not shapes: nodes that see one are not folded.
inline constexpr Index kMaxFoldedElements = 1024;

namespace detail {

// An int32, int64 or bool tensor as numbers.
struct Integers {
  InlinedVector<Index, 4> dims;
  SlimVector<std::int64_t> values;

  Index rank() const { return static_cast<Index>(dims.size()); }
  Index size() const { return static_cast<Index>(values.size()); }
  std::int64_t at(Index i) const { return values[static_cast<std::size_t>(i)]; }
  static Integers Scalar(std::int64_t value) { return {{}, {value}}; }
  static Integers Vector(SlimVector<std::int64_t> values) {
    Integers out;
    out.dims.push_back(static_cast<Index>(values.size()));
    out.values = std::move(values);
    return out;
  }
};

inline bool ReadIntegers(const Tensor& tensor, Integers* out) {
  if (!tensor.IsInitialized() || tensor.NumElements() > kMaxFoldedElements) return false;
  out->dims.assign(tensor.shape().begin(), tensor.shape().end());
  const auto n = static_cast<std::size_t>(tensor.NumElements());
  const auto read = [&](const auto* data) {
    out->values.resize(n);
    for (std::size_t i = 0; i < n; ++i) out->values[i] = static_cast<std::int64_t>(data[i]);
    return true;
  };
  switch (tensor.dtype()) {
    case DataType::kInt32: return read(tensor.data<std::int32_t>());
    case DataType::kInt64: return read(tensor.data<std::int64_t>());
    case DataType::kBool: return read(tensor.data<bool>());
    default: return false;
  }
}

// As a tensor of that dtype; int32 wraps around. False for other dtypes and when the dimensions and values disagree.
inline bool WriteIntegers(const Integers& from, DataType dtype, Tensor* out) {
  TensorShape shape;
  if (!TensorShape::Build({from.dims.data(), from.dims.size()}, &shape).ok() || shape.num_elements() != from.size())
    return false;
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64 && dtype != DataType::kBool) return false;
  Tensor tensor(dtype, shape);
  if (!tensor.IsInitialized()) return false;
  for (Index i = 0; i < from.size(); ++i) {
    if (dtype == DataType::kInt32) tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(from.at(i));
    if (dtype == DataType::kInt64) tensor.data<std::int64_t>()[i] = from.at(i);
    if (dtype == DataType::kBool) tensor.data<bool>()[i] = from.at(i) != 0;
  }
  *out = std::move(tensor);
  return true;
}

// One node's inputs, and its outputs to be filled. A rule returns false for what it does not cover.
struct FoldContext {
  const Node& node;
  std::span<const Integers> in;
  SlimVector<Integers>* out;

  std::int64_t Int(std::string_view attr, std::int64_t otherwise = 0) const {
    std::int64_t value = otherwise;
    return TryGetNodeAttr(node.def, attr, &value) ? value : otherwise;
  }
  bool Bool(std::string_view attr) const {
    bool value = false;
    return TryGetNodeAttr(node.def, attr, &value) && value;
  }
  bool Give(Integers value) const {
    if (value.size() > kMaxFoldedElements) return false;
    out->push_back(std::move(value));
    return true;
  }
};

// Wraps around instead of overflowing.
constexpr std::int64_t Wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::uint64_t Bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

struct BinaryRule {
  std::string_view op;
  std::int64_t (*apply)(std::int64_t a, std::int64_t b);
  bool divides = false;  // no result for some operands
};
inline constexpr BinaryRule kBinaryRules[] = {
    {"Add", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) + Bits(b)); }},
    {"AddV2", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) + Bits(b)); }},
    {"Sub", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) - Bits(b)); }},
    {"Mul", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) * Bits(b)); }},
    {"Maximum", [](std::int64_t a, std::int64_t b) { return a > b ? a : b; }},
    {"Minimum", [](std::int64_t a, std::int64_t b) { return a < b ? a : b; }},
    {"Equal", [](std::int64_t a, std::int64_t b) { return std::int64_t{a == b}; }},
    {"NotEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != b}; }},
    {"Less", [](std::int64_t a, std::int64_t b) { return std::int64_t{a < b}; }},
    {"LessEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a <= b}; }},
    {"Greater", [](std::int64_t a, std::int64_t b) { return std::int64_t{a > b}; }},
    {"GreaterEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a >= b}; }},
    {"LogicalAnd", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != 0 && b != 0}; }},
    {"LogicalOr", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != 0 || b != 0}; }},
    {"Div", [](std::int64_t a, std::int64_t b) { return a / b; }, true},
    {"TruncateDiv", [](std::int64_t a, std::int64_t b) { return a / b; }, true},
    {"FloorDiv", [](std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); },
     true},
    {"Mod", [](std::int64_t a, std::int64_t b) { return a % b; }, true},
    {"TruncateMod", [](std::int64_t a, std::int64_t b) { return a % b; }, true},
    {"FloorMod", [](std::int64_t a, std::int64_t b) { return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); },
     true},
};

struct UnaryRule {
  std::string_view op;
  std::int64_t (*apply)(std::int64_t x);
};
inline constexpr UnaryRule kUnaryRules[] = {
    {"Abs", [](std::int64_t x) { return x < 0 ? Wrapped(0 - Bits(x)) : x; }},
    {"LogicalNot", [](std::int64_t x) { return std::int64_t{x == 0}; }},
    {"Neg", [](std::int64_t x) { return Wrapped(0 - Bits(x)); }},
    {"OnesLike", [](std::int64_t) { return std::int64_t{1}; }},
    {"Sign", [](std::int64_t x) { return std::int64_t{x > 0} - std::int64_t{x < 0}; }},
    {"Square", [](std::int64_t x) { return Wrapped(Bits(x) * Bits(x)); }},
    {"ZerosLike", [](std::int64_t) { return std::int64_t{0}; }},
};

template <class Rule, std::size_t N>
const Rule* FindRule(const Rule (&rules)[N], std::string_view op) {
  for (const Rule& rule : rules) {
    if (rule.op == op) return &rule;
  }
  return nullptr;
}

// Equal dimensions, or one side a single element of no higher rank.
inline bool FoldElementwise(const FoldContext& c) {
  const Integers &a = c.in[0], &b = c.in[1];
  const BinaryRule* rule = FindRule(kBinaryRules, c.node.op_name());
  const bool spread_a = a.size() == 1 && a.rank() <= b.rank(), spread_b = b.size() == 1 && b.rank() <= a.rank();
  if (rule == nullptr || (!(a.dims == b.dims) && !spread_a && !spread_b)) return false;
  Integers out = spread_a ? b : a;
  for (Index i = 0; i < out.size(); ++i) {
    const std::int64_t x = a.at(a.size() == 1 ? 0 : i), y = b.at(b.size() == 1 ? 0 : i);
    const bool undefined = y == 0 || (y == -1 && x == std::numeric_limits<std::int64_t>::min());
    if (rule->divides && undefined) return false;
    out.values[static_cast<std::size_t>(i)] = rule->apply(x, y);
  }
  return c.Give(std::move(out));
}

inline bool FoldUnary(const FoldContext& c) {
  const UnaryRule* rule = FindRule(kUnaryRules, c.node.op_name());
  if (rule == nullptr) return false;
  Integers out = c.in[0];
  for (std::int64_t& x : out.values) x = rule->apply(x);
  return c.Give(std::move(out));
}

// Identity and its like; Cast between these dtypes is the same (WriteIntegers wraps or tests for zero).
inline bool FoldCopy(const FoldContext& c) {
  for (const Integers& in : c.in) {
    if (!c.Give(in)) return false;
  }
  return true;
}

inline bool FoldSelect(const FoldContext& c) {
  const Integers &when = c.in[0], &a = c.in[1], &b = c.in[2];
  if (!(a.dims == b.dims) || (when.rank() != 0 && !(when.dims == a.dims))) return false;
  Integers out = a;
  for (Index i = 0; i < out.size(); ++i) {
    if (when.at(when.rank() == 0 ? 0 : i) == 0) out.values[static_cast<std::size_t>(i)] = b.at(i);
  }
  return c.Give(std::move(out));
}

inline bool FoldPack(const FoldContext& c) {
  Integers out;
  const Index rank = c.in[0].rank(), axis = c.Int("axis");
  if (axis != 0 && axis != -1 - rank) return false;
  out.dims.push_back(static_cast<Index>(c.in.size()));
  for (const Index d : c.in[0].dims) out.dims.push_back(d);
  for (const Integers& in : c.in) {
    if (!(in.dims == c.in[0].dims) || out.size() > kMaxFoldedElements) return false;
    out.values.append(in.values.begin(), in.values.end());
  }
  return c.Give(std::move(out));
}

// Parts of dimension 0 of `in`, sizes[i] rows each; without the dimension when `drop` is set.
inline bool FoldParts(const FoldContext& c, const Integers& in, std::span<const Index> sizes, bool drop) {
  if (in.rank() < 1 || in.dims[0] == 0) return false;
  const Index row = in.size() / in.dims[0];
  Index at = 0;
  for (const Index size : sizes) {
    if (size < 0 || size > in.dims[0] - at) return false;
    Integers out;
    if (!drop) out.dims.push_back(size);
    for (std::size_t d = 1; d < in.dims.size(); ++d) out.dims.push_back(in.dims[d]);
    out.values.assign(in.values.begin() + at * row, in.values.begin() + (at + size) * row);
    if (!c.Give(std::move(out))) return false;
    at += size;
  }
  return at == in.dims[0];
}
inline bool FoldUnpack(const FoldContext& c) {
  if (c.Int("axis") != 0 && c.Int("axis") != -c.in[0].rank()) return false;
  return FoldParts(c, c.in[0], SlimVector<Index>(static_cast<std::size_t>(c.node.num_outputs()), 1), true);
}
inline bool FoldSplit(const FoldContext& c) {
  const Index parts = c.node.num_outputs();
  if (c.in[0].size() != 1 || c.in[0].at(0) != 0 || c.in[1].rank() < 1 || parts == 0 || c.in[1].dims[0] % parts != 0)
    return false;
  return FoldParts(c, c.in[1], SlimVector<Index>(static_cast<std::size_t>(parts), c.in[1].dims[0] / parts), false);
}
inline bool FoldSplitV(const FoldContext& c) {
  if (c.in[2].size() != 1 || c.in[2].at(0) != 0) return false;
  return FoldParts(c, c.in[0], c.in[1].values, false);
}

// Along dimension 0.
inline bool FoldConcat(const FoldContext& c) {
  const bool v2 = c.node.op_name() == "ConcatV2";
  const Integers& axis = v2 ? c.in.back() : c.in.front();
  const std::span<const Integers> parts = v2 ? c.in.first(c.in.size() - 1) : c.in.subspan(1);
  Integers out = parts.front();
  if (axis.size() != 1 || out.rank() < 1 || (axis.at(0) != 0 && axis.at(0) != -out.rank())) return false;
  for (const Integers& part : parts.subspan(1)) {
    if (part.rank() != out.rank() || !std::equal(part.dims.begin() + 1, part.dims.end(), out.dims.begin() + 1))
      return false;
    if (out.size() + part.size() > kMaxFoldedElements) return false;
    out.dims[0] += part.dims[0];
    out.values.append(part.values.begin(), part.values.end());
  }
  return c.Give(std::move(out));
}

inline bool FoldReshape(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  Integers out = c.in[0];
  if (op == "Reshape") {
    out.dims.assign(c.in[1].values.begin(), c.in[1].values.end());
    Index known = 1;
    for (const Index d : out.dims) {
      if (d >= 0) known = MultiplyWithoutOverflow(known, d);
    }
    if (known < 0) return false;
    for (Index& d : out.dims) {
      if (d == -1 && known > 0) d = out.size() / known;
    }
  } else if (op == "ExpandDims") {
    if (c.in[1].size() != 1) return false;
    const Index at = c.in[1].at(0) < 0 ? c.in[1].at(0) + out.rank() + 1 : c.in[1].at(0);
    if (at < 0 || at > out.rank()) return false;
    out.dims.insert(out.dims.begin() + at, 1);
  } else {  // Squeeze
    SlimVector<std::int64_t> which;
    (void)TryGetNodeAttr(c.node.def, "squeeze_dims", &which);
    for (std::int64_t& d : which) d += d < 0 ? out.rank() : 0;
    InlinedVector<Index, 4> kept;
    for (Index d = 0; d < out.rank(); ++d) {
      const Index size = out.dims[static_cast<std::size_t>(d)];
      const bool listed = std::find(which.begin(), which.end(), d) != which.end();
      if (listed && size != 1) return false;
      if (which.empty() ? size != 1 : !listed) kept.push_back(size);
    }
    out.dims = std::move(kept);
  }
  return c.Give(std::move(out));  // WriteIntegers refuses dimensions that do not fit the values
}

inline bool FoldFill(const FoldContext& c) {
  Integers out;
  if (c.in[0].rank() != 1 || c.in[1].size() != 1) return false;
  out.dims.assign(c.in[0].values.begin(), c.in[0].values.end());
  Index n = 1;
  for (const Index d : out.dims) n = MultiplyWithoutOverflow(n, d);
  if (n < 0 || n > kMaxFoldedElements) return false;
  out.values.assign(static_cast<std::size_t>(n), c.in[1].at(0));
  return c.Give(std::move(out));
}

inline bool FoldRange(const FoldContext& c) {
  for (const Integers& in : c.in) {
    if (in.size() != 1) return false;
  }
  const std::int64_t start = c.in[0].at(0), limit = c.in[1].at(0), delta = c.in[2].at(0);
  if (delta == 0) return false;
  SlimVector<std::int64_t> values;
  for (std::int64_t x = start; delta > 0 ? x < limit : x > limit; x += delta) {
    if (static_cast<Index>(values.size()) == kMaxFoldedElements) return false;
    values.push_back(x);
    if (delta > 0 ? x > std::numeric_limits<std::int64_t>::max() - delta
                  : x < std::numeric_limits<std::int64_t>::min() - delta)
      break;
  }
  return c.Give(Integers::Vector(std::move(values)));
}

inline bool FoldGather(const FoldContext& c) {
  const Integers &params = c.in[0], &indices = c.in[1];
  if (params.rank() != 1 || c.Int("batch_dims") != 0) return false;
  if (c.in.size() > 2 && (c.in[2].size() != 1 || (c.in[2].at(0) != 0 && c.in[2].at(0) != -1))) return false;
  Integers out = indices;
  for (std::int64_t& i : out.values) {
    if (i < 0 || i >= params.size()) return false;
    i = params.at(i);
  }
  return c.Give(std::move(out));
}

inline bool FoldSlice(const FoldContext& c) {
  const Integers& in = c.in[0];
  if (in.rank() != 1 || c.in[1].size() != 1 || c.in[2].size() != 1) return false;
  const std::int64_t begin = c.in[1].at(0);
  if (begin < 0 || begin > in.size()) return false;
  const std::int64_t size = c.in[2].at(0) == -1 ? in.size() - begin : c.in[2].at(0);
  if (size < 0 || size > in.size() - begin) return false;
  return c.Give(Integers::Vector({in.values.begin() + begin, in.values.begin() + begin + size}));
}

// One index into a vector, without ellipsis and new axes.
inline bool FoldStridedSlice(const FoldContext& c) {
  const Integers& in = c.in[0];
  for (std::size_t i = 1; i < 4; ++i) {
    if (c.in[i].size() != 1) return false;
  }
  if (in.rank() != 1 || (c.Int("ellipsis_mask") & 1) != 0 || (c.Int("new_axis_mask") & 1) != 0) return false;
  const Index n = in.size(), stride = c.in[3].at(0);
  if (stride == 0) return false;
  std::int64_t begin = c.in[1].at(0), end = c.in[2].at(0);
  begin += begin < 0 ? n : 0;
  end += end < 0 ? n : 0;
  if ((c.Int("shrink_axis_mask") & 1) != 0) {
    if (begin < 0 || begin >= n) return false;
    return c.Give(Integers::Scalar(in.at(begin)));
  }
  const Index low = stride > 0 ? 0 : -1, high = stride > 0 ? n : n - 1;
  begin = (c.Int("begin_mask") & 1) != 0 ? (stride > 0 ? low : high) : std::clamp(begin, low, high);
  end = (c.Int("end_mask") & 1) != 0 ? (stride > 0 ? high : low) : std::clamp(end, low, high);
  SlimVector<std::int64_t> values;
  if (stride > 0) {
    for (Index i = begin; i<end; i = stride> end - i ? end : i + stride) values.push_back(in.at(i));
  } else {
    for (Index i = begin; i > end; i = stride < end - i ? end : i + stride) values.push_back(in.at(i));
  }
  return c.Give(Integers::Vector(std::move(values)));
}

// Over all dimensions at once.
inline bool FoldReduction(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  const Integers &in = c.in[0], &axes = c.in[1];
  SlimVector<char> seen(static_cast<std::size_t>(in.rank()), 0);
  for (std::int64_t axis : axes.values) {
    axis += axis < 0 ? in.rank() : 0;
    if (axis < 0 || axis >= in.rank()) return false;
    seen[static_cast<std::size_t>(axis)] = 1;
  }
  if (std::find(seen.begin(), seen.end(), 0) != seen.end() || in.values.empty()) {
    if (!in.values.empty() || in.rank() != 1 || seen[0] == 0 || (op != "Sum" && op != "Prod")) return false;
  }
  std::int64_t total = op == "Sum" || op == "Any" ? 0 : op == "Prod" || op == "All" ? 1 : in.at(0);
  for (const std::int64_t x : in.values) {
    if (op == "Sum")
      total = Wrapped(Bits(total) + Bits(x));
    else if (op == "Prod")
      total = Wrapped(Bits(total) * Bits(x));
    else if (op == "Max")
      total = std::max(total, x);
    else if (op == "Min")
      total = std::min(total, x);
    else if (op == "Any")
      total = total != 0 || x != 0;
    else if (op == "All")
      total = total != 0 && x != 0;
    else
      return false;
  }
  Integers out = Integers::Scalar(total);
  if (c.Bool("keep_dims")) out.dims.assign(seen.size(), 1);
  return c.Give(std::move(out));
}

inline bool FoldTile(const FoldContext& c) {
  if (c.in[0].rank() != 1 || c.in[1].size() != 1 || c.in[1].at(0) < 0) return false;
  const Index n = MultiplyWithoutOverflow(c.in[0].size(), c.in[1].at(0));
  if (n < 0 || n > kMaxFoldedElements) return false;
  SlimVector<std::int64_t> values;
  for (Index i = 0; i < n; ++i) values.push_back(c.in[0].at(i % c.in[0].size()));
  return c.Give(Integers::Vector(std::move(values)));
}

inline bool FoldBroadcastArgs(const FoldContext& c) {
  const auto size = std::max(c.in[0].size(), c.in[1].size());
  SlimVector<std::int64_t> out(static_cast<std::size_t>(size), 1);
  for (const Integers& in : c.in) {
    if (in.rank() != 1) return false;
    for (Index i = 0; i < in.size(); ++i) {
      std::int64_t& d = out[static_cast<std::size_t>(size - in.size() + i)];
      if (in.at(i) != 1 && d != 1 && d != in.at(i)) return false;
      if (in.at(i) != 1) d = in.at(i);
    }
  }
  return c.Give(Integers::Vector(std::move(out)));
}

inline bool FoldInvertPermutation(const FoldContext& c) {
  const Index n = c.in[0].size();
  SlimVector<std::int64_t> out(static_cast<std::size_t>(n), -1);
  for (Index i = 0; i < n; ++i) {
    const std::int64_t to = c.in[0].at(i);
    if (to < 0 || to >= n || out[static_cast<std::size_t>(to)] >= 0) return false;
    out[static_cast<std::size_t>(to)] = i;
  }
  return c.Give(Integers::Vector(std::move(out)));
}

struct FoldRule {
  std::string_view op;
  std::size_t inputs;  // at least
  bool (*fold)(const FoldContext&);
};
inline constexpr FoldRule kFoldRules[] = {
    {"All", 2, FoldReduction},      {"Any", 2, FoldReduction},   {"BroadcastArgs", 2, FoldBroadcastArgs},
    {"Cast", 1, FoldCopy},          {"Concat", 2, FoldConcat},   {"ConcatV2", 2, FoldConcat},
    {"ExpandDims", 2, FoldReshape}, {"Fill", 2, FoldFill},       {"Gather", 2, FoldGather},
    {"GatherV2", 3, FoldGather},    {"Identity", 1, FoldCopy},   {"IdentityN", 1, FoldCopy},
    {"Max", 2, FoldReduction},      {"Min", 2, FoldReduction},   {"InvertPermutation", 1, FoldInvertPermutation},
    {"Pack", 1, FoldPack},          {"Prod", 2, FoldReduction},  {"PreventGradient", 1, FoldCopy},
    {"Range", 3, FoldRange},        {"Reshape", 2, FoldReshape}, {"Select", 3, FoldSelect},
    {"SelectV2", 3, FoldSelect},    {"Slice", 3, FoldSlice},     {"Snapshot", 1, FoldCopy},
    {"Split", 2, FoldSplit},        {"SplitV", 3, FoldSplitV},   {"Squeeze", 1, FoldReshape},
    {"StopGradient", 1, FoldCopy},  {"Sum", 2, FoldReduction},   {"StridedSlice", 4, FoldStridedSlice},
    {"Tile", 2, FoldTile},          {"Unpack", 1, FoldUnpack},
};

inline bool Fold(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  if (c.in.size() == 2 && FindRule(kBinaryRules, op) != nullptr) return FoldElementwise(c);
  if (c.in.size() == 1 && FindRule(kUnaryRules, op) != nullptr) return FoldUnary(c);
  const FoldRule* rule = FindRule(kFoldRules, op);
  return rule != nullptr && c.in.size() >= rule->inputs && rule->fold(c);
}

}  // namespace detail

// The values of all outputs from those of all data inputs. False, and nothing written, when the op, a dtype or a size
// is not covered, or the node would fail at run time.
inline bool FoldIntegers(const Node& node, std::span<const Tensor> inputs, SlimVector<Tensor>* outputs) {
  if (inputs.empty() || inputs.size() > static_cast<std::size_t>(kMaxFoldedElements)) return false;
  SlimVector<detail::Integers> in(inputs.size()), out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!detail::ReadIntegers(inputs[i], &in[i])) return false;
  }
  if (!detail::Fold({node, in, &out}) || out.size() != node.output_types.size()) return false;
  SlimVector<Tensor> made(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!detail::WriteIntegers(out[i], node.output_types[i], &made[i])) return false;
  }
  *outputs = std::move(made);
  return true;
}

TENON_NAMESPACE_END

// ---- tenon/graph/constant_values.hpp ----
// ConstantValues: what the outputs of a graph are worth that depend on constants and known shapes alone. Shape
// functions ask for them (Reshape's shape, Fill's dims, ...).
TENON_NAMESPACE_BEGIN

// Computes nodes that depend on constants alone, with real kernels: something that a runtime can offer. Without it only
// small integer nodes are known (graph/integer_folding.hpp). one thread.
class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;
  // All outputs of a stateless node from all its data inputs; false when that is not possible.
  virtual bool Evaluate(const Node& node, std::span<const Tensor> inputs, SlimVector<Tensor>* outputs) = 0;
};

// Values found are kept. A node that has none is not asked again, so the shapes of its inputs must be known before.
// externally synchronised.
class ConstantValues {
 public:
  // Both outlive this. `evaluator` may be null.
  explicit ConstantValues(const Graph* graph, ConstantEvaluator* evaluator = nullptr)
      : graph_(graph), evaluator_(evaluator) {}

  // The value of an output that depends on constants alone. *known says whether there is one.
  Status Find(InEdge edge, Tensor* value, bool* known) {
    Grow();
    TENON_RETURN_IF_ERROR(KnownWithoutInputs(edge, value, known));
    if (*known || edge.node < 0) return OkStatus();
    const Node& node = graph_->node(edge.node);
    if (node.node_class == NodeClass::kConstant && TensorOf(node) == nullptr) {
      return errors::InvalidArgument("Unable to evaluate a constant node");
    }
    TENON_RETURN_IF_ERROR(EvaluateBackwards(edge.node));
    if (const SlimVector<Tensor>& values = values_[Slot(edge.node)]; !values.empty()) {
      *value = values[Slot(edge.output)];
      *known = true;
    }
    return OkStatus();
  }

  // The one number of an int32 or int64 tensor.
  Status FindInteger(InEdge edge, std::int64_t* value, bool* known) {
    Tensor tensor;
    TENON_RETURN_IF_ERROR(Find(edge, &tensor, known));
    if (!*known) return OkStatus();
    if (tensor.NumElements() != 1) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-scalar edge: ", tensor.NumElements());
    }
    detail::Integers read;
    if ((tensor.dtype() != DataType::kInt32 && tensor.dtype() != DataType::kInt64) ||
        !detail::ReadIntegers(tensor, &read)) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-integer edge: ", tensor.dtype());
    }
    *value = read.at(0);
    return OkStatus();
  }

 private:
  enum State : char { kNotTried, kNoValue, kHasValues };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  void Grow() {
    const std::size_t n = Slot(graph_->num_nodes());
    if (values_.size() >= n) return;
    values_.resize(n);
    state_.resize(n, kNotTried);
  }
  PartialTensorShape ShapeOf(InEdge edge) const {
    return edge.node < 0 ? PartialTensorShape() : graph_->node(edge.node).output_shape(edge.output);
  }

  // What a Const holds; null for other nodes, and when it could not be read from the file.
  static const Tensor* TensorOf(const Node& node) {
    if (node.node_class != NodeClass::kConstant) return nullptr;
    const AttrValue* attr = node.def.attr.Find("value");
    const bool readable = attr != nullptr && attr->kind() == AttrValue::Kind::kTensor && attr->decode_status().ok();
    return readable ? &attr->tensor() : nullptr;
  }

  // What needs no evaluation of inputs: constants, values found before, and what input shapes alone say.
  Status KnownWithoutInputs(InEdge edge, Tensor* value, bool* known) {
    *known = false;
    if (edge.node < 0) return OkStatus();
    const Node& node = graph_->node(edge.node);
    if (const Tensor* tensor = TensorOf(node); tensor != nullptr && tensor->dtype() == node.output_type(0)) {
      *value = *tensor;
      *known = true;
      return OkStatus();
    }
    if (const SlimVector<Tensor>& values = values_[Slot(edge.node)]; !values.empty()) {
      *value = values[Slot(edge.output)];
      *known = true;
      return OkStatus();
    }
    return InferFromShapes(node, edge.output, value, known);
  }

  // Shape, ShapeN, Size, Rank, Shape(x)[i] and unstack(Shape(x))[i].
  Status InferFromShapes(const Node& node, int output, Tensor* value, bool* known) {
    if (node.num_inputs() == 0) return OkStatus();
    const DataType dtype = node.output_type(output);
    if (dtype != DataType::kInt32 && dtype != DataType::kInt64) return OkStatus();
    detail::Integers found;
    const std::string_view op = node.op_name();
    if (op == "Shape" || op == "ShapeN") {
      const PartialTensorShape shape = ShapeOf(node.input(output));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Vector({shape.begin(), shape.end()});
    } else if (op == "Rank") {
      const PartialTensorShape shape = ShapeOf(node.input(0));
      if (shape.unknown_rank()) return OkStatus();
      found = detail::Integers::Scalar(shape.dims());
    } else if (op == "Size") {
      const PartialTensorShape shape = ShapeOf(node.input(0));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Scalar(shape.num_elements());
    } else {
      const InEdge of = node.input(0);
      if (of.node < 0 || graph_->node(of.node).op_name() != "Shape") return OkStatus();
      const PartialTensorShape shape = ShapeOf(graph_->node(of.node).input(0));
      std::int64_t index = 0;
      if (shape.unknown_rank() || !SliceIndex(node, output, &index) || index < -shape.dims() || index >= shape.dims())
        return OkStatus();
      const Index size = shape.dim_size(static_cast<int>(index < 0 ? index + shape.dims() : index));
      if (size < 0) return OkStatus();
      found = detail::Integers::Scalar(size);
    }
    for (const std::int64_t v : found.values) {
      if (dtype == DataType::kInt32 && v >= std::numeric_limits<std::int32_t>::max()) {
        return errors::InvalidArgument("Value is out of int32 range: ", v);
      }
    }
    *known = detail::WriteIntegers(found, dtype, value);
    return OkStatus();
  }

  // The i of "vector[i]" or of output i of "unstack(vector)".
  bool SliceIndex(const Node& node, int output, std::int64_t* index) const {
    const auto mask = [&node](std::string_view name) {
      std::int64_t value = -1;
      return TryGetNodeAttr(node.def, name, &value) ? value : -1;
    };
    if (node.op_name() == "Unpack") {
      *index = output;
      return mask("axis") == 0;
    }
    if (node.op_name() != "StridedSlice" || mask("begin_mask") != 0 || mask("end_mask") != 0 ||
        mask("ellipsis_mask") != 0 || mask("new_axis_mask") != 0 || mask("shrink_axis_mask") != 1) {
      return false;
    }
    const InEdge begin = node.input(1);
    const Tensor* tensor = begin.node < 0 ? nullptr : TensorOf(graph_->node(begin.node));
    detail::Integers value;
    if (tensor == nullptr || !detail::ReadIntegers(*tensor, &value) || value.size() != 1) return false;
    *index = value.at(0);
    return true;
  }

  // Nodes whose outputs may be computed ahead: no state, no feeds, no control flow, no functions.
  static bool MayEvaluate(const Node& node) {
    if (node.num_inputs() == 0 || node.op->flags.is_stateful || node.op_name() == "PlaceholderWithDefault")
      return false;
    if (node.node_class == NodeClass::kEnter || node.node_class == NodeClass::kExit ||
        node.node_class == NodeClass::kMerge)
      return false;
    for (const auto& [name, value] : node.def.attr) {
      if (value.kind() == AttrValue::Kind::kFunc || !value.list().func.empty()) return false;
    }
    return true;
  }

  // Fills values_[root] if that depends on constants alone: depth first, without recursion; every node is tried once.
  Status EvaluateBackwards(int root) {
    struct Frame {
      int node;
      int next;  // inputs before this one are known
    };
    SlimVector<Frame> path{{root, 0}};
    while (!path.empty()) {
      const int id = path.back().node;
      const Node& node = graph_->node(id);
      bool possible = state_[Slot(id)] == kNotTried && MayEvaluate(node);
      int wanted = -1;
      for (int& i = path.back().next; possible && wanted < 0 && i < node.num_inputs(); ++i) {
        Tensor value;
        bool known = false;
        TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.input(i), &value, &known));
        if (known) continue;
        wanted = node.input(i).node;
        possible = wanted >= 0 && state_[Slot(wanted)] == kNotTried;
      }
      if (possible && wanted >= 0) {
        path.push_back({wanted, 0});
        continue;
      }
      if (possible) TENON_RETURN_IF_ERROR(Evaluate(node, &possible));
      if (!possible) {  // whoever waits for it has no value either
        for (const Frame& waiting : path) state_[Slot(waiting.node)] = kNoValue;
        return OkStatus();
      }
      path.pop_back();
    }
    return OkStatus();
  }

  // All inputs are known.
  Status Evaluate(const Node& node, bool* done) {
    SlimVector<Tensor> inputs(node.inputs.size()), outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.inputs[i], &inputs[i], done));
    }
    *done = FoldIntegers(node, inputs, &outputs) ||
            (evaluator_ != nullptr && evaluator_->Evaluate(node, inputs, &outputs) &&
             outputs.size() == node.output_types.size());
    if (*done) {
      values_[Slot(node.id)] = std::move(outputs);
      state_[Slot(node.id)] = kHasValues;
    }
    return OkStatus();
  }

  const Graph* graph_;
  ConstantEvaluator* evaluator_;
  SlimVector<SlimVector<Tensor>> values_;  // node -> values of its outputs; empty: not known
  SlimVector<char> state_;  // node -> State
};

TENON_NAMESPACE_END

// ---- tenon/graph/shapes.hpp ----
// ShapeRefiner: the output shapes of a whole graph, node by node in topological order, with constants known. What it
// finds impossible is refused with TensorFlow's message, as TensorFlow's import does.
TENON_NAMESPACE_BEGIN

// Writes Node::output_shapes. Nodes are added in an order in which their inputs come first; the shape of an input that
// was not added (the back edge of a while loop) is unknown. externally synchronised.
//
//   ShapeRefiner refiner(&graph);
//   for (int id : order) TENON_RETURN_IF_ERROR(refiner.AddNode(id));
class ShapeRefiner {
 public:
  // Both outlive this. `evaluator` may be null.
  explicit ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator = nullptr)
      : ShapeRefiner(graph, evaluator, graph->versions().producer) {}
  // The shape functions see this GraphDef version rather than the graph's own.
  ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator, int producer)
      : graph_(graph), constants_(graph, evaluator), producer_(producer) {}

  // Runs the node's shape function, again with the values that it asked for.
  Status AddNode(int id) {
    Grow();
    const Node& node = graph_->node(id);
    context_.Reset(producer_, &node.def, node.op);
    for (int i = 0; i < node.num_inputs(); ++i) AddInput(node, i);
    if (node.op->shape_fn == nullptr) {
      for (int i = 0; i < node.num_outputs(); ++i) context_.set_output(i, context_.UnknownShape());
    } else {
      TENON_RETURN_IF_ERROR(RunUntilSettled(node));
    }
    return Store(id);
  }

  // Adds what is known of one output from elsewhere; InvalidArgument when it contradicts.
  Status MergeOutputShape(int id, int output, const PartialTensorShape& shape) {
    PartialTensorShape& known = graph_->mutable_node(id).output_shapes[Slot(output)];
    InferenceContext context;  // its Merge has TensorFlow's messages
    ShapeHandle a, b, merged;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(known, &a));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(shape, &b));
    TENON_RETURN_IF_ERROR(context.Merge(a, b, &merged));
    return context.ToPartialTensorShape(merged, &known);
  }

  // The shape that the vector on this edge stands for, as far as it is known: Reshape(x, Pack(batch, 7)) is [?,7].
  Status ConstantPartialShape(InEdge edge, PartialTensorShape* shape) {
    Grow();
    int budget = kMaxVisits;
    return PartialShape(edge, &budget, shape);
  }

 private:
  static constexpr int kMaxVisits = 1000;  // bounds both depth and work of one ConstantPartialShape
  static constexpr int kMaxCompared = 8;   // inputs of a node that are looked through for the same tensor

  struct Held {
    PartialTensorShape shape;
    DataType dtype;
  };
  struct Handle {  // what the resource on an output holds
    int output;
    SlimVector<Held> held;
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  void Grow() {
    if (handles_.size() < Slot(graph_->num_nodes())) handles_.resize(Slot(graph_->num_nodes()));
  }

  PartialTensorShape ShapeOf(InEdge edge) const {
    return edge.node < 0 ? PartialTensorShape() : graph_->node(edge.node).output_shape(edge.output);
  }

  // ---- running a shape function
  void AddInput(const Node& node, int i) {
    const InEdge edge = node.input(i);
    context_.AddInput(ShapeOf(edge));
    for (int j = 0; j < i && i < kMaxCompared; ++j) {  // the same tensor twice: its unknown sizes are equal
      if (node.input(j) == edge && edge.node >= 0) {
        context_.set_input(i, context_.input(j));
        break;
      }
    }
    if (edge.node < 0) return;
    for (const Handle& handle : handles_[Slot(edge.node)]) {
      if (handle.output != edge.output) continue;
      SlimVector<ShapeAndType> held(handle.held.size());
      for (std::size_t k = 0; k < held.size(); ++k) {
        (void)context_.MakeShapeFromPartialTensorShape(handle.held[k].shape, &held[k].shape);
        held[k].dtype = handle.held[k].dtype;
      }
      context_.set_input_handle_shapes_and_types(i, held);
    }
  }

  Status RunUntilSettled(const Node& node) {
    const std::size_t n = Slot(node.num_inputs());
    enum : char { kTriedValue = 1, kTriedShape = 2 };
    tried_.assign(n, 0);
    tensors_.assign(n, Tensor());
    TENON_RETURN_IF_ERROR(RunShapeFn(&context_, node.op->shape_fn));
    for (bool again = true; again;) {
      again = false;
      for (int i = 0; i < node.num_inputs(); ++i) {
        char& tried = tried_[Slot(i)];
        const bool as_shape = context_.requested_input_tensor_as_partial_shape(i);
        if ((as_shape || context_.requested_input_tensor(i)) && (tried & kTriedValue) == 0) {
          tried = static_cast<char>(tried | kTriedValue);
          bool known = false;
          TENON_RETURN_IF_ERROR(constants_.Find(node.input(i), &tensors_[Slot(i)], &known));
          if (known) {
            context_.set_input_tensor(i, &tensors_[Slot(i)]);
            again = true;
          }
        }
        if (as_shape && (tried & kTriedShape) == 0) {
          tried = static_cast<char>(tried | kTriedShape);
          PartialTensorShape shape;
          TENON_RETURN_IF_ERROR(ConstantPartialShape(node.input(i), &shape));
          context_.set_input_tensor_as_shape(i, shape);
          again = true;
        }
      }
      if (again) TENON_RETURN_IF_ERROR(RunShapeFn(&context_, node.op->shape_fn));
    }
    return OkStatus();
  }

  // A shape with more elements than an int64 counts is no error here (the kernel will refuse it): its rank is kept.
  PartialTensorShape Keep(ShapeHandle handle) const {
    PartialTensorShape shape;
    if (context_.ToPartialTensorShape(handle, &shape).ok()) return shape;
    shape = PartialTensorShape();
    const SlimVector<Index> unknown(context_.RankKnown(handle) ? Slot(context_.Rank(handle)) : 0, -1);
    if (!unknown.empty()) (void)PartialTensorShape::Build(unknown, &shape);
    return shape;
  }

  Status Store(int id) {
    Node& node = graph_->mutable_node(id);
    node.output_shapes.resize(node.output_types.size());
    for (int i = 0; i < node.num_outputs(); ++i) {
      node.output_shapes[Slot(i)] = Keep(context_.output(i));
      const DataType type = BaseType(node.output_type(i));
      if (type != DataType::kResource && type != DataType::kVariant) continue;
      const SlimVector<ShapeAndType>* held = context_.output_handle_shapes_and_types(i);
      if (held == nullptr) continue;
      Handle& handle = handles_[Slot(id)].emplace_back(Handle{i, {}});
      for (const ShapeAndType& one : *held) handle.held.push_back({Keep(one.shape), one.dtype});
    }
    return OkStatus();
  }

  // ---- values as shapes
  // `shape` gets the sizes, or all unknown when they do not make a shape that can exist.
  static void SetSizes(std::span<const Index> sizes, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (sizes.size() > static_cast<std::size_t>(kMaxTensorRank)) return;
    if (!PartialTensorShape::Build(sizes, shape).ok()) *shape = PartialTensorShape();
  }

  // Of a vector whose values may be known (`value`) or only its length.
  static Status ShapeFromTensor(const Tensor* value, const PartialTensorShape& vector, PartialTensorShape* shape) {
    InferenceContext context;  // its MakeShapeFromTensor has TensorFlow's messages
    ShapeHandle handle;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(vector, &handle));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromTensor(value, handle, &handle));
    if (context.Rank(handle) > kMaxTensorRank || !context.ToPartialTensorShape(handle, shape).ok())
      *shape = PartialTensorShape();
    return OkStatus();
  }

  Status ScalarAsShape(InEdge edge, PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(constants_.Find(edge, &value, &known));
    if (!known) {
      return errors::InvalidArgument(
          "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an unknown shape.");
    }
    detail::Integers read;
    if (value.dims() == 0 && value.dtype() != DataType::kBool && detail::ReadIntegers(value, &read) &&
        read.at(0) == -1) {
      *shape = PartialTensorShape();
      return OkStatus();
    }
    return errors::InvalidArgument("Received an invalid shape scalar with a static value that is not '-1': ",
                                   value.DebugString());
  }

  Status PartialShape(InEdge edge, int* budget, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (edge.node < 0 || --*budget < 0) return OkStatus();
    const Node& src = graph_->node(edge.node);
    const PartialTensorShape vector = src.output_shape(edge.output);
    if (vector.dims() == 0) return ScalarAsShape(edge, shape);
    if (vector.dims() > 1) return errors::InvalidArgument("Shape must be rank 1 but is rank ", vector.dims());
    const std::string_view op = src.op_name();
    if (vector.dims() == 1 && vector.dim_size(0) == 0) {
      SetSizes({}, shape);
      return OkStatus();
    }
    if (op == "Cast") return PartialCast(edge, src, vector, budget, shape);
    if (op == "Shape" || op == "ShapeN") {
      *shape = ShapeOf(src.input(edge.output));
      return OkStatus();
    }
    if (op == "Pack") return PartialPack(src, shape);
    if (op == "Concat" || op == "ConcatV2")
      return PartialConcat(src, op == "Concat" ? 0 : src.num_inputs() - 1, budget, shape);
    if (op == "StridedSlice") return PartialStridedSlice(src, budget, shape);
    if (op == "VariableShape") {
      const InEdge variable = src.input(0);
      if (variable.node < 0) return OkStatus();
      for (const Handle& handle : handles_[Slot(variable.node)]) {
        if (handle.output == variable.output && !handle.held.empty()) *shape = handle.held[0].shape;
      }
      return OkStatus();
    }
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(constants_.Find(edge, &value, &known));
    return ShapeFromTensor(known ? &value : nullptr, vector, shape);
  }

  Status PartialCast(InEdge edge, const Node& cast, const PartialTensorShape& vector, int* budget,
                     PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    if (constants_.Find(edge, &value, &known).ok() && known && ShapeFromTensor(&value, vector, shape).ok())
      return OkStatus();
    PartialTensorShape before;
    if (!PartialShape(cast.input(0), budget, &before).ok()) return ShapeFromTensor(nullptr, vector, shape);
    *shape = before;
    const DataType to = cast.output_type(0);
    if (before.unknown_rank() || to == DataType::kInt32 || to == DataType::kInt64) return OkStatus();
    SetSizes(SlimVector<Index>(Slot(before.dims()), -1), shape);
    return OkStatus();
  }

  Status PartialPack(const Node& pack, PartialTensorShape* shape) {
    SlimVector<Index> sizes;
    for (const InEdge& input : pack.inputs) {
      std::int64_t size = -1;
      bool known = false;
      TENON_RETURN_IF_ERROR(constants_.FindInteger(input, &size, &known));
      sizes.push_back(known && size >= 0 ? size : -1);
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  Status PartialConcat(const Node& concat, int axis_input, int* budget, PartialTensorShape* shape) {
    SlimVector<Index> sizes;
    for (int i = 0; i < concat.num_inputs(); ++i) {
      if (i == axis_input) continue;
      PartialTensorShape part;
      TENON_RETURN_IF_ERROR(PartialShape(concat.input(i), budget, &part));
      if (part.unknown_rank()) return *shape = part, OkStatus();
      sizes.append(part.begin(), part.end());
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  // Of one range of a vector: x[begin:end:stride].
  Status PartialStridedSlice(const Node& slice, int* budget, PartialTensorShape* shape) {
    for (int i = 1; i <= 3; ++i) {
      const PartialTensorShape length = ShapeOf(slice.input(i));
      if (length.dims() != 1 || length.dim_size(0) != 1) return OkStatus();
    }
    std::int64_t begin_mask = 0, end_mask = 0, other = 0;
    TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, "begin_mask", &begin_mask));
    TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, "end_mask", &end_mask));
    for (const std::string_view name : {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
      TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, name, &other));
      if (other != 0) return OkStatus();
    }
    if ((begin_mask != 0 && begin_mask != 1) || (end_mask != 0 && end_mask != 1)) return OkStatus();
    std::int64_t begin = 0, end = std::numeric_limits<std::int64_t>::max(), stride = 1;
    bool known = true;
    if (begin_mask == 0) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(1), &begin, &known));
    if (known && end_mask == 0) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(2), &end, &known));
    if (known) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(3), &stride, &known));
    if (!known || stride == 0) return OkStatus();
    PartialTensorShape whole;
    TENON_RETURN_IF_ERROR(PartialShape(slice.input(0), budget, &whole));
    InferenceContext context;  // its Subshape has TensorFlow's messages
    ShapeHandle handle;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(whole, &handle));
    stride = std::clamp<std::int64_t>(stride, -kMaxTensorRank, kMaxTensorRank);
    TENON_RETURN_IF_ERROR(context.Subshape(handle, begin, end, stride, &handle));
    if (!context.ToPartialTensorShape(handle, shape).ok()) *shape = PartialTensorShape();
    return OkStatus();
  }

  Graph* graph_;
  ConstantValues constants_;
  int producer_;
  InferenceContext context_;
  SlimVector<Tensor> tensors_;  // values of the current node's inputs
  SlimVector<char> tried_;
  SlimVector<SlimVector<Handle>> handles_;  // per node
};

TENON_NAMESPACE_END

// ---- tenon/graph/import.hpp ----
// ImportGraphDef: a GraphDef checked and connected. Codes, messages and the order of nodes are those of TensorFlow's
// import.
TENON_NAMESPACE_BEGIN

struct ImportOptions {
  bool infer_shapes = true;           // and refuse what can never run
  bool allow_internal_ops = false;    // names that begin with '_': graphs that the runtime wrote itself
  std::string default_device;         // for nodes that ask for none
  ConstantEvaluator* evaluator = nullptr;  // outlives the call
};

// Does the work of ImportGraphDef; use that. one thread.
class GraphImporter {
 public:
  GraphImporter(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options)
      : def_(std::move(def)), options_(options), ops_(registry) {}

  Result<Graph> Import() {
    TENON_RETURN_IF_ERROR(
        CheckVersions(def_.versions, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef", "graph"));
    const Status status = Convert();
    if (status.ok()) return std::move(graph_);
    return def_.versions.producer - kGraphDefVersion > kForwardCompatibilityDays ? WithVersionWarning(status) : status;
  }

 private:
  static constexpr int kForwardCompatibilityDays = 21;
  static constexpr std::size_t kMaxNamesListed = 8;
  static constexpr std::size_t kMaxSpareOutputs = std::size_t{1}
                                                  << 22;  // of all nodes, beyond 64 for each: see kMaxNodeOutputs

  struct Input {
    int position;  // of the producer in the GraphDef
    int output;    // kControlSlot: control dependency
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  int count() const { return static_cast<int>(def_.node.size()); }

  Status Convert() {
    TENON_RETURN_IF_ERROR(IndexNodes());
    TENON_RETURN_IF_ERROR(ParseInputs());
    TENON_RETURN_IF_ERROR(CheckLibrary());
    TENON_RETURN_IF_ERROR(FindOps());
    graph_.Reserve(def_.node.size());
    graph_.versions_ = def_.versions;
    graph_.versions_.producer = std::min(graph_.versions_.producer, kGraphDefVersion);
    ShapeRefiner refiner(&graph_, options_.evaluator);
    TENON_RETURN_IF_ERROR(ConvertNodes(&refiner));
    for (const BackEdge& edge : back_edges_) {
      TENON_RETURN_IF_ERROR(graph_.AddEdge(ids_[Slot(edge.src.position)], edge.src.output, edge.dst, edge.input));
    }
    index_.Renumber(ids_);
    graph_.names_ = std::move(index_);
    graph_.library_ = std::move(def_.library);
    return OkStatus();
  }

  // ---- names
  // The name of the node at a position, wherever its NodeDef is by now.
  struct NameOf {
    const GraphImporter* importer;
    std::string_view operator()(int position) const {
      const int id = importer->ids_.empty() ? -1 : importer->ids_[Slot(position)];
      return id >= 0 ? importer->graph_.nodes_[Slot(id)].def.name : importer->def_.node[Slot(position)].name;
    }
  };

  Status IndexNodes() {
    index_.Reserve(def_.node.size());
    for (int n = 0; n < count(); ++n) {
      const NodeDef& node = def_.node[Slot(n)];
      if (!IsValidNodeName(node.name, options_.allow_internal_ops)) {
        return errors::InvalidArgument("Node '", node.name, "': Node name contains invalid characters");
      }
      if (index_.Insert(node.name, n, NameOf{this}) >= 0)
        return errors::InvalidArgument("Node '", node.name, "' is not unique");
      if (node.op.empty()) return errors::InvalidArgument("Node '", node.name, "' does not specify an operation");
      bool control = false;
      for (const std::string& input : node.input) {
        if (!input.empty() && input.front() == '^') {
          control = true;
        } else if (control) {
          return errors::InvalidArgument("Node '", node.name,
                                         "': Control dependencies must come after regular dependencies");
        }
      }
    }
    return OkStatus();
  }

  Status ParseInputs() {
    input_begin_.reserve(def_.node.size() + 1);
    std::size_t total = 0;
    for (const NodeDef& node : def_.node) total += node.input.size();
    inputs_.reserve(total);
    for (const NodeDef& node : def_.node) {
      input_begin_.push_back(inputs_.size());
      for (const std::string& text : node.input) {
        const TensorName name = ParseTensorName(text);
        const int position = index_.Find(name.node, NameOf{this});
        if (position < 0) return UnknownInput(node, text, name.node);
        inputs_.push_back({position, name.output});
      }
    }
    input_begin_.push_back(inputs_.size());
    return OkStatus();
  }
  std::span<const Input> InputsOf(int n) const {
    return std::span<const Input>(inputs_).subspan(input_begin_[Slot(n)],
                                                   input_begin_[Slot(n) + 1] - input_begin_[Slot(n)]);
  }

  TENON_COLD Status UnknownInput(const NodeDef& node, std::string_view text, std::string_view name) const {
    SlimVector<std::string_view> names;
    for (const NodeDef& other : def_.node) names.push_back(other.name);
    return errors::InvalidArgument("Node '", node.name, "': Unknown input node '", text, "'",
                                   detail::SuggestNames(name, names));
  }

  TENON_COLD Status WithVersionWarning(const Status& status) const {
    return Status(
        status.code(),
        StrCat("Converting GraphDef to Graph has failed with an error: '", status.message(),
               "' The binary trying to import the GraphDef was built when GraphDef version was ", kGraphDefVersion,
               ". The GraphDef was produced by a binary built when GraphDef version was ", def_.versions.producer,
               ". The difference between these versions is larger than TensorFlow's forward compatibility guarantee, "
               "and might be the root cause for failing to import the GraphDef."));
  }

  // ---- functions and ops
  Status CheckLibrary() {
    const SlimVector<FunctionDef>& functions = def_.library.function;
    const auto name_of = [&functions](int i) -> std::string_view { return functions[Slot(i)].signature.name; };
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::string& name = functions[i].signature.name;
      const int same = function_index_.Insert(name, static_cast<int>(i), name_of);
      if (same >= 0 && !(functions[Slot(same)] == functions[i])) {
        return errors::InvalidArgument("Cannot add function '", name,
                                       "' because a different function with the same name already exists.");
      }
      if (ops_.registry().Find(name) != nullptr) {
        return errors::InvalidArgument("Cannot add function '", name,
                                       "' because an op with the same name already exists.");
      }
    }
    return OkStatus();
  }

  // One OpInfo per node; every unknown op is reported at once.
  Status FindOps() {
    infos_.reserve(def_.node.size());
    struct Unknown {
      std::string_view op;
      SlimVector<std::string_view> nodes;  // at most kMaxNamesListed
      std::size_t uses = 0;
    };
    SlimVector<Unknown> unknown;
    detail::NameIndex unknown_index;
    const NodeDef* call = nullptr;
    for (const NodeDef& node : def_.node) {
      infos_.push_back(ops_.Find(node.op));
      if (infos_.back() != nullptr) continue;
      if (IsFunction(node.op)) {
        call = call == nullptr ? &node : call;
        continue;
      }
      const auto name_of = [&unknown](int i) { return unknown[Slot(i)].op; };
      int at = unknown_index.Find(node.op, name_of);
      if (at < 0) {
        at = static_cast<int>(unknown.size());
        unknown.push_back({node.op, {}, 0});
        unknown_index.Insert(node.op, at, name_of);
      }
      Unknown& entry = unknown[Slot(at)];
      if (++entry.uses <= kMaxNamesListed) entry.nodes.push_back(node.name);
    }
    if (unknown.empty()) return call == nullptr ? OkStatus() : FunctionCall(*call);
    SlimVector<std::string_view> known;
    for (const OpView* op : ops_.registry().ops()) known.push_back(op->name);
    std::string text;
    for (const Unknown& entry : unknown) {
      if (&entry != &unknown.front()) text += '\n';
      StrAppend(&text, "Op type not registered '", entry.op, "'");
      if (&entry == &unknown.front()) {
        text +=
            " in binary running on this machine. Make sure the Op and Kernel are registered in the binary running in this process";
      }
      const auto quote = [](std::string* out, std::string_view name) { StrAppend(out, "'", name, "'"); };
      StrAppend(&text, "; used by node", entry.uses > 1 ? "s " : " ", StrJoin(entry.nodes, ", ", quote));
      if (entry.uses > entry.nodes.size()) StrAppend(&text, " and ", entry.uses - entry.nodes.size(), " more");
      text += detail::SuggestNames(entry.op, known);
    }
    return errors::NotFound(text);
  }

  bool IsFunction(std::string_view op) const {
    const SlimVector<FunctionDef>& functions = def_.library.function;
    return function_index_.Find(
               op, [&functions](int i) -> std::string_view { return functions[Slot(i)].signature.name; }) >= 0;
  }
  TENON_COLD Status FunctionCall(const NodeDef& node) const {
    return errors::Unimplemented("Node '", node.name, "': '", node.op,
                                 "' is a function of the graph's library, and calls of functions are not supported; "
                                 "inline the graph's functions before it is saved.");
  }

  // ---- order
  bool IsMerge(int n) const { return infos_[Slot(n)]->node_class() == NodeClass::kMerge; }
  // From a NextIteration to a Merge: closes a while loop, so nothing waits for it.
  bool IsBackEdge(int dst, Input input) const {
    return input.output != kControlSlot && IsNextIteration(input) && IsMerge(dst) && EntersLoop(dst);
  }
  bool IsNextIteration(Input input) const {
    return infos_[Slot(input.position)]->node_class() == NodeClass::kNextIteration;
  }
  // A merge that nothing enters from outside its loop could never run: its loop is a cycle like any other.
  bool EntersLoop(int merge) const {
    const std::span<const Input> inputs = InputsOf(merge);
    return std::any_of(inputs.begin(), inputs.end(),
                       [this](Input i) { return i.output != kControlSlot && !IsNextIteration(i); });
  }

  // Positions in the order in which the nodes get their ids: topological, ties by position.
  Status Order(SlimVector<int>* order) const {
    bool in_order = true;
    for (int n = 0; n < count() && in_order; ++n) {
      for (const Input& input : InputsOf(n)) in_order = in_order && (input.position < n || IsBackEdge(n, input));
    }
    order->resize(def_.node.size());
    for (std::size_t n = 0; n < order->size(); ++n) (*order)[n] = static_cast<int>(n);
    if (in_order) return OkStatus();

    SlimVector<int> pending(def_.node.size(), 0);
    SlimVector<std::size_t> begin(def_.node.size() + 2,
                                  0);  // consumers of n: consumers[begin[n + 1]] and on, once filled
    for (int n = 0; n < count(); ++n) {
      for (const Input& input : InputsOf(n)) {
        if (IsBackEdge(n, input)) continue;
        ++pending[Slot(n)];
        ++begin[Slot(input.position) + 2];
      }
    }
    for (std::size_t n = 2; n < begin.size(); ++n) begin[n] += begin[n - 1];
    SlimVector<int> consumers(begin.back());
    for (int n = 0; n < count(); ++n) {
      for (const Input& input : InputsOf(n)) {
        if (!IsBackEdge(n, input)) consumers[begin[Slot(input.position) + 1]++] = n;
      }
    }
    *order = OrderByDependencies(std::move(pending), [&](int n, auto&& visit) {
      for (std::size_t i = begin[Slot(n)]; i < begin[Slot(n) + 1]; ++i) visit(consumers[i]);
    });
    return order->size() == def_.node.size() ? OkStatus() : Cycle(def_.node.size() - order->size());
  }

  TENON_COLD Status Cycle(std::size_t nodes) const {
    const SlimVector<int> cycle = FindCycle(count(), [this](int n) {
      SlimVector<int> producers;
      for (const Input& input : InputsOf(n)) {
        if (!IsBackEdge(n, input)) producers.push_back(input.position);
      }
      return producers;
    });
    const auto name_of = [this](int n) -> const std::string& { return def_.node[Slot(n)].name; };
    return errors::InvalidArgument(nodes, " nodes in a cycle", nodes > cycle.size() ? " or behind one" : "", ": ",
                                   CycleToString(cycle, name_of));
  }

  // ---- nodes
  struct BackEdge {
    Input src;
    int dst;
    int input;
  };

  Status ConvertNodes(ShapeRefiner* refiner) {
    SlimVector<int> order;
    TENON_RETURN_IF_ERROR(Order(&order));
    ids_.assign(def_.node.size(), -1);
    for (const int n : order) {
      TENON_RETURN_IF_ERROR(ConvertNode(n));
      if (options_.infer_shapes) TENON_RETURN_IF_ERROR(InferShapes(ids_[Slot(n)], refiner));
    }
    return OkStatus();
  }

  Status ConvertNode(int n) {
    NodeDef& def = def_.node[Slot(n)];
    const OpInfo& info = *infos_[Slot(n)];
    const std::span<const Input> inputs = InputsOf(n);
    TENON_RETURN_IF_ERROR(CheckColocation(def));
    for (const Input& input : inputs) {
      const int src = ids_[Slot(input.position)];
      if (src >= 0 && input.output >= graph_.nodes_[Slot(src)].num_outputs()) return NoSuchOutput(def, input);
      if (src < 0 && !IsMerge(n)) {
        return errors::InvalidArgument("Node '", def.name,
                                       "' had a back edge, but only Merge nodes can have back edges.");
      }
    }
    if (def.device.empty() && !options_.default_device.empty()) def.device = options_.default_device;
    info.AddDefaults(&def);
    Node& node = graph_.nodes_.emplace_back();
    const int id = graph_.num_nodes() - 1;
    TENON_RETURN_IF_ERROR(info.Resolve(def, &node.input_types, &node.output_types));
    TENON_RETURN_IF_ERROR(CheckOpDeprecation(info.op(), def_.versions.producer));
    outputs_ += node.output_types.size();
    if (outputs_ > kMaxSpareOutputs + 64 * def_.node.size()) {
      return errors::InvalidArgument("Node '", def.name, "': Number of outputs is too big: the graph's nodes have ",
                                     outputs_, " together.");
    }
    node.id = id;
    node.node_class = info.node_class();
    node.op = &info.op();
    node.def = std::move(def);
    node.inputs.resize(node.input_types.size());
    ids_[Slot(n)] = id;
    return Connect(id, inputs);
  }

  Status Connect(int id, std::span<const Input> inputs) {
    int slot = 0;
    InlinedVector<int, 4>& controls = graph_.nodes_[Slot(id)].control_inputs;
    for (const Input& input : inputs) {
      const int src = ids_[Slot(input.position)];
      if (input.output == kControlSlot) {
        if (src >= 0) controls.push_back(src);
      } else if (src < 0) {
        back_edges_.push_back({input, id, slot++});
      } else {
        TENON_RETURN_IF_ERROR(graph_.AddEdge(src, input.output, id, slot++));
      }
    }
    if (controls.size() > 1) {
      const InlinedVector<int, 4> given(controls);
      controls.clear();
      for (const std::size_t i : SortedOrder(given.size(), [&](std::size_t a, std::size_t b) {
             return given[a] != given[b] &&
                    graph_.nodes_[Slot(given[a])].def.name < graph_.nodes_[Slot(given[b])].def.name;
           }))
        if (controls.empty() || controls.back() != given[i]) controls.push_back(given[i]);
    }
    for (const int control : controls) graph_.nodes_[Slot(control)].outputs.push_back({id, kControlSlot, kControlSlot});
    return OkStatus();
  }

  Status CheckColocation(const NodeDef& node) const {
    constexpr std::string_view kPrefix = "loc:@";
    const AttrValue* groups = node.attr.Find("_class");
    if (groups == nullptr) return OkStatus();
    for (const std::string& group : groups->list().s) {
      if (!StartsWith(group, kPrefix)) continue;
      const std::string_view name = std::string_view(group).substr(kPrefix.size());
      if (index_.Find(name, NameOf{this}) < 0) {
        return errors::InvalidArgument("Node '", node.name, "' expects to be colocated with unknown node '", name, "'");
      }
    }
    return OkStatus();
  }

  TENON_COLD Status NoSuchOutput(const NodeDef& node, Input input) const {
    const Node& src = graph_.nodes_[Slot(ids_[Slot(input.position)])];
    const std::string& op = src.def.op;
    const bool functional = op == "If" || op == "StatelessIf" || op == "While" || op == "StatelessWhile";
    return errors::InvalidArgument(
        "Node '", node.name, "': Connecting to invalid output ", input.output, " of source node ", src.def.name,
        " which has ", src.num_outputs(), " outputs.",
        functional ? " Try using tf.compat.v1.experimental.output_all_intermediates(True)." : "");
  }

  // ---- shapes
  Status InferShapes(int id, ShapeRefiner* refiner) {
    constexpr std::string_view kAttr = "_output_shapes";
    TENON_RETURN_IF_ERROR(refiner->AddNode(id));
    Node& node = graph_.nodes_[Slot(id)];
    SlimVector<PartialTensorShape> given;
    if (const AttrValue* attr = node.def.attr.Find(kAttr); attr == nullptr || !attr->Get(kAttr, &given).ok())
      return OkStatus();
    if (given.size() < node.output_types.size()) {
      return errors::InvalidArgument("Node '", node.def.name, "' has ", node.num_outputs(), " outputs but the ", kAttr,
                                     " attribute specifies shapes for ", given.size(), " outputs");
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Status status = refiner->MergeOutputShape(id, i, given[Slot(i)]);
      if (status.ok()) continue;
      return errors::InvalidArgument("Node '", node.def.name, "' has an ", kAttr,
                                     " attribute inconsistent with the GraphDef for output #", i, ": ",
                                     status.message());
    }
    node.def.attr.erase(kAttr);
    return OkStatus();
  }

  GraphDef def_;
  const ImportOptions& options_;
  OpInfoCache ops_;
  Graph graph_;
  detail::NameIndex index_;           // name -> position
  detail::NameIndex function_index_;  // name -> position in the library
  SlimVector<const OpInfo*> infos_;  // per position
  SlimVector<Input> inputs_;         // of all nodes, one after the other
  SlimVector<std::size_t> input_begin_;
  SlimVector<int> ids_;  // position -> id, -1 before the node was converted
  SlimVector<BackEdge> back_edges_;
  std::size_t outputs_ = 0;  // of all nodes so far
};

// Checks a GraphDef, connects it and infers its shapes. Consumes `def`; its strings and tensors move into the graph.
// `registry` outlives the graph.
//
//   TENON_ASSIGN_OR_RETURN(GraphDef def, ReadGraphFile("model.pb"));
//   TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(def), registry));
inline Result<Graph> ImportGraphDef(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options = {}) {
  return GraphImporter(std::move(def), registry, options).Import();
}

TENON_NAMESPACE_END

// ---- tenon/base/notification.hpp ----
// Notification: an event that happens once, for threads that wait for it.
TENON_NAMESPACE_BEGIN

// thread-safe. What happened before Notify() is seen by those who waited. It may be destroyed as soon as a wait
// returned, even while Notify() is still on its way out.
//
//   Notification done;
//   callable.RunAsync(args, [&done](Status) { done.Notify(); });
//   done.WaitForNotification();
class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;
  ~Notification() { MutexLock lock(mutex_); }  // waits for a Notify() that still holds it

  // Once only.
  void Notify() {
    MutexLock lock(mutex_);
    TENON_CHECK(!notified_.load(std::memory_order_relaxed), "Notification::Notify: called twice.");
    notified_.store(true, std::memory_order_release);
    changed_.notify_all();
  }

  bool HasBeenNotified() const { return notified_.load(std::memory_order_acquire); }

  void WaitForNotification() const {
    if (HasBeenNotified()) return;
    MutexLock lock(mutex_);
    while (!notified_.load(std::memory_order_relaxed)) changed_.wait(lock);
  }

  // False if nothing happened within that time.
  bool WaitForNotificationWithTimeout(std::int64_t microseconds) const {
    if (HasBeenNotified()) return true;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    MutexLock lock(mutex_);
    while (!notified_.load(std::memory_order_relaxed)) {
      if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) break;
    }
    return notified_.load(std::memory_order_relaxed);
  }

 private:
  mutable Mutex mutex_;
  mutable std::condition_variable changed_;
  std::atomic<bool> notified_{false};
};

TENON_NAMESPACE_END

// ---- tenon/runtime/program.hpp ----
// Program: one signature of a graph (feeds, fetches, targets), flattened. Nodes, edges and kernels lie in arrays;
// nothing is looked up by name again. Built once, shared by all steps that run it.
TENON_NAMESPACE_BEGIN

namespace detail {

// The kernels of a session's nodes, built when first needed and shared by all of its programs, so that the state of a
// node is one for all signatures. thread-safe.
class KernelCache {
 public:
  struct Entry {
    Owned<OpKernel> kernel;
    bool on_host = true;  // runs on the CPU device
  };
  // `graph`, `registry` and the devices outlive this.
  KernelCache(const Graph* graph, const Registry* registry, Device* device, Device* host)
      : graph_(graph),
        registry_(registry),
        device_(device),
        host_(host),
        entries_(static_cast<std::size_t>(graph->num_nodes())) {}

  Result<const Entry*> Get(int id) {
    MutexLock lock(mutex_);
    Entry& entry = entries_[static_cast<std::size_t>(id)];
    if (entry.kernel == nullptr) TENON_RETURN_IF_ERROR(Build(graph_->node(id), &entry));
    return &entry;
  }

 private:
  // The session's device first, then the CPU: what the device has no kernel for runs there.
  Status Build(const Node& node, Entry* entry) const {
    Result<KernelDef> def = registry_->FindForNode(node.def, device_->type());
    Device* place = device_;
    if (!def.ok() && device_ != host_) {
      place = host_;
      def = registry_->FindForNode(node.def, host_->type());
    }
    if (!def.ok()) {
      const Code code = def.status().code() == Code::kNotFound ? Code::kInvalidArgument : def.status().code();
      return Status(code, def.status().message()).WithAppended(StrCat(" [node '", node.name(), "']"));
    }
    OpKernelConstruction construction(
        &node.def, node.op, place->type(), std::span(node.input_types.data(), node.input_types.size()),
        std::span(node.output_types.data(), node.output_types.size()), host_->allocator());
    Result<Owned<OpKernel>> kernel = CreateKernel(*def->row, &construction);
    if (!kernel.ok()) return kernel.status().WithAppended(StrCat(" [node '", node.name(), "']"));
    entry->kernel = *std::move(kernel);
    entry->on_host = place == host_;
    return OkStatus();
  }

  const Graph* graph_;
  const Registry* registry_;
  Device* device_;
  Device* host_;
  Mutex mutex_;
  SlimVector<Entry> entries_;
};

}  // namespace detail

// One thing to do. Inputs, outputs and consumers are ranges of the program's flat arrays.
struct ProgramNode {
  enum class Kind : std::uint8_t {
    kKernel,
    kNothing,    // NoOp: only its control edges count
    kToDevice,   // copies a value from host memory
    kToHost,     // copies a value to host memory
  };
  Kind kind = Kind::kKernel;
  bool on_host = true;
  const OpKernel* kernel = nullptr;
  AsyncOpKernel* async = nullptr;
  const Node* node = nullptr;  // of the graph, for messages; of a copy: the producer
  int first_input = 0, num_inputs = 0;
  int first_output = 0, num_outputs = 0;    // values
  int first_consumer = 0, num_consumers = 0;  // nodes to tell, one entry per edge
  int first_release = 0, num_releases = 0;  // in sequential order: values that nobody reads any more
  int pending = 0;                          // edges to wait for
};

struct ProgramOptions {
  bool constant_folding = true;
};

// immutable once built; shared by concurrent steps. Values are numbered: the feeds first, then constants and node
// outputs.
struct Program {
  SlimVector<ProgramNode> nodes;      // in an order that respects all edges
  SlimVector<int> sequence;           // the numbers of the nodes that have something to do, in that order
  SlimVector<int> inputs;             // value per input
  SlimVector<std::uint8_t> last_use;  // per input: in sequential order nobody reads the value later
  SlimVector<std::uint8_t> only_use;  // per input: nobody else reads the value at all
  SlimVector<int> consumers;
  SlimVector<int> releases;
  SlimVector<int> readers;            // per value: inputs and fetches that read it
  SlimVector<std::uint8_t> escapes;   // per value: it is fetched
  SlimVector<std::pair<int, Tensor>> constants;
  SlimVector<int> roots;              // nodes with nothing to wait for
  struct Feed {
    std::string name;
    int value;
    DataType dtype;
    PartialTensorShape shape;  // that the graph declares
  };
  SlimVector<Feed> feeds;
  struct Fetch {
    std::string name;
    int value;
    bool last;  // no later fetch of the same value
  };
  SlimVector<Fetch> fetches;
  int num_values = 0;
  int width = 1;  // nodes that may run side by side, estimated: the widest level
  Device* device = nullptr;
  Device* host = nullptr;
  int graph_def_version = 0;
};

namespace detail {

// Builds a Program. one thread.
class ProgramBuilder {
 public:
  ProgramBuilder(const Graph& graph, KernelCache* kernels, Device* device, Device* host, const ProgramOptions& options)
      : graph_(graph), kernels_(kernels), options_(options), program_(MakeOwned<Program>()) {
    program_->device = device;
    program_->host = host;
    program_->graph_def_version = graph.versions().producer;
  }

  // Endpoints were checked by the caller; `targets` are node ids.
  Result<Owned<Program>> Build(std::span<const InEdge> feeds, std::span<const InEdge> fetches,
                               std::span<const int> targets) {
    feeds_.assign(feeds.begin(), feeds.end());
    first_output_.reserve(At(graph_.num_nodes()));
    int outputs = 0;
    for (const Node& node : graph_.nodes()) {
      first_output_.push_back(outputs);
      outputs += node.num_outputs();
    }
    locations_.resize(At(outputs));
    constant_nodes_.resize(At(graph_.num_nodes()));
    TENON_RETURN_IF_ERROR(OrderNodes(fetches, targets));
    AddFeeds();
    TENON_RETURN_IF_ERROR(AddNodes(fetches, targets));
    TENON_RETURN_IF_ERROR(AddFetches(fetches));
    Finish();
    return std::move(program_);
  }

 private:
  struct Location {
    int value = -1;
    bool constant = false;
    bool on_host = true;
    int producer = -1;   // program node, -1: feed or constant
    int other_side = -1;  // the same value in the other memory, -1: not copied yet
    int other_producer = -1;
  };
  static std::size_t At(int i) { return static_cast<std::size_t>(i); }

  // The nodes that must run, each after its inputs.
  Status OrderNodes(std::span<const InEdge> fetches, std::span<const int> targets) {
    SlimVector<int> roots(targets.begin(), targets.end());
    for (const InEdge& fetch : fetches)
      if (!IsFed(fetch)) roots.push_back(fetch.node);
    const SlimVector<char> wanted = NodesToRun(graph_, roots, feeds_);
    SlimVector<int> pending(At(graph_.num_nodes()), 0);
    std::size_t count = 0;
    const auto counts = [&](const Node& node, int src) { return wanted[At(node.id)] != 0 && wanted[At(src)] != 0; };
    const auto for_each_edge = [&](const Node& node, auto&& visit) {
      for (const InEdge& edge : node.inputs)
        if (edge.node >= 0 && !IsFed(edge) && counts(node, edge.node)) visit(edge.node);
      for (const int control : node.control_inputs)
        if (counts(node, control)) visit(control);
    };
    SlimVector<SlimVector<int>> successors(At(graph_.num_nodes()));
    for (const Node& node : graph_.nodes()) {
      if (wanted[At(node.id)] == 0) continue;
      ++count;
      for_each_edge(node, [&](int src) {
        ++pending[At(node.id)];
        successors[At(src)].push_back(node.id);
      });
    }
    for (const int id : OrderByDependencies(std::move(pending), [&](int id, auto&& visit) {
           for (const int next : successors[At(id)]) visit(next);
         }))
      if (wanted[At(id)] != 0) order_.push_back(id);
    if (order_.size() != count)
      return errors::InvalidArgument("Graph is invalid, contains a cycle with nodes that this run needs");
    return OkStatus();
  }
  bool IsFed(const InEdge& edge) const { return std::find(feeds_.begin(), feeds_.end(), edge) != feeds_.end(); }

  int NewValue() {
    program_->readers.push_back(0);
    program_->escapes.push_back(0);
    return program_->num_values++;
  }
  Location& At(const InEdge& edge) { return locations_[At(first_output_[At(edge.node)] + edge.output)]; }

  void AddFeeds() {
    for (const InEdge& feed : feeds_) {
      const Node& node = graph_.node(feed.node);
      const int value = NewValue();
      Location& place = At({feed.node, feed.output});
      if (place.value < 0) place = Location{value};  // of two feeds of one output the first counts
      PartialTensorShape shape;
      if (node.node_class == NodeClass::kPlaceholder) shape = node.output_shape(feed.output);
      program_->feeds.push_back(
          {StrCat(node.name(), ":", feed.output), value, BaseType(node.output_type(feed.output)), shape});
    }
  }

  // Emits every node; those whose value is known are evaluated now, and what then nobody needs is left out.
  Status AddNodes(std::span<const InEdge> fetches, std::span<const int> targets) {
    node_of_.assign(At(graph_.num_nodes()), -1);
    SlimVector<char> keep(At(graph_.num_nodes()), 0);
    for (const int id : order_) {
      const Node& node = graph_.node(id);
      if (node.op_name() == "NoOp") continue;
      TENON_ASSIGN_OR_RETURN(const KernelCache::Entry* entry, kernels_->Get(id));
      Fold(node, *entry);
    }
    for (const int id : targets) keep[At(id)] = 1;
    for (const InEdge& fetch : fetches)
      if (!IsFed(fetch)) keep[At(fetch.node)] = 1;
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Node& node = graph_.node(order_[i]);
      if (keep[At(order_[i])] == 0) continue;
      if (IsConstant(order_[i])) continue;
      for (const InEdge& edge : node.inputs)
        if (!IsFed(edge)) keep[At(edge.node)] = 1;
      for (const int control : node.control_inputs) keep[At(control)] = 1;
    }
    for (const int id : order_) {
      if (keep[At(id)] == 0 || IsConstant(id)) continue;
      TENON_RETURN_IF_ERROR(Emit(graph_.node(id)));
    }
    return OkStatus();
  }
  bool IsConstant(int id) const { return !constant_nodes_[At(id)].empty(); }

  // Gives the node's outputs their values if they are the same in every run.
  void Fold(const Node& node, const KernelCache::Entry& entry) {
    constexpr std::size_t kMaxFoldedBytes = 10 << 20;  // as TensorFlow's constant folding
    if (const Tensor* value = entry.kernel->const_tensor(); value != nullptr) {
      constant_nodes_[At(node.id)] = {*value};
      return;
    }
    if (!options_.constant_folding || !entry.on_host || node.num_inputs() == 0 || node.op->flags.is_stateful ||
        entry.kernel->AsAsync() != nullptr)
      return;
    SlimVector<Tensor> inputs;
    for (const InEdge& edge : node.inputs) {
      if (IsFed(edge)) return;
      if (!IsConstant(edge.node)) return;
      inputs.push_back(constant_nodes_[At(edge.node)][At(edge.output)]);
    }
    for (const int control : node.control_inputs)
      if (!IsConstant(control) && graph_.node(control).op_name() != "NoOp") return;
    for (const InEdge& feed : feeds_)
      if (feed.node == node.id) return;
    SlimVector<Tensor*> pointers;
    for (Tensor& t : inputs) pointers.push_back(&t);
    const SlimVector<std::uint8_t> flags(At(std::max(node.num_inputs(), node.num_outputs())), 0);
    SlimVector<Tensor> outputs(At(node.num_outputs()));
    ShapeMemo memo;
    const StepEnvironment env = HostEnvironment();
    const OpKernelContext::NodeFrame frame{entry.kernel.get(), pointers.data(), flags.data(), outputs.data(),
                                           flags.data(),       &memo,           &env};
    OpKernelContext context;
    context.Enter(&frame);
    entry.kernel->Compute(&context);
    if (!context.status().ok()) return;  // the error appears, with its node, when the node runs
    std::size_t bytes = 0;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (outputs[At(i)].dtype() != node.output_type(i)) return;
      bytes += outputs[At(i)].TotalBytes();
    }
    if (bytes > kMaxFoldedBytes) return;
    constant_nodes_[At(node.id)] = std::move(outputs);
  }
  StepEnvironment HostEnvironment() const {
    StepEnvironment env;
    env.device = program_->host->kernel_device();
    env.device_name = program_->host->name();
    env.step_allocator = env.result_allocator = env.host_allocator = program_->host->allocator();
    env.graph_def_version = program_->graph_def_version;
    return env;
  }

  // Where an endpoint's value lies; constants get a value when first asked for.
  Location& Locate(int node, int output) {
    Location& place = At({node, output});
    if (place.value < 0) {
      place.value = NewValue();
      place.constant = true;
      program_->constants.emplace_back(place.value, constant_nodes_[At(node)][At(output)]);
    }
    return place;
  }

  Status Emit(const Node& node) {
    ProgramNode item;
    item.node = &node;
    SlimVector<int> waits;  // program nodes
    SlimVector<int> values;
    if (node.op_name() == "NoOp") {
      item.kind = ProgramNode::Kind::kNothing;
    } else {
      TENON_ASSIGN_OR_RETURN(const KernelCache::Entry* entry, kernels_->Get(node.id));
      item.kernel = entry->kernel.get();
      item.async = entry->kernel->AsAsync();
      item.on_host = entry->on_host;
      for (int i = 0; i < node.num_inputs(); ++i) {
        const bool wants_host = entry->on_host || item.kernel->input_memory_type(i) == MemoryType::kHost;
        TENON_RETURN_IF_ERROR(Use(node.input(i), wants_host, &values, &waits));
      }
    }
    for (const int control : node.control_inputs)
      if (node_of_[At(control)] >= 0) waits.push_back(node_of_[At(control)]);
    const int number = AddNode(item, values, waits);
    node_of_[At(node.id)] = number;
    ProgramNode& added = program_->nodes[At(number)];
    added.first_output = program_->num_values;
    added.num_outputs = node.num_outputs();
    for (int i = 0; i < node.num_outputs(); ++i) {
      const bool host = item.on_host || item.kernel->output_memory_type(i) == MemoryType::kHost;
      const int value = NewValue();
      if (!IsFed({node.id, i})) At({node.id, i}) = Location{value, false, host, number};
    }
    return OkStatus();
  }

  // Adds a use of an endpoint, in the memory it is wanted in.
  Status Use(const InEdge& edge, bool wants_host, SlimVector<int>* values, SlimVector<int>* waits) {
    Location& place = Locate(edge.node, edge.output);
    if (place.on_host == wants_host || program_->device->uses_host_memory()) {
      values->push_back(place.value);
      if (place.producer >= 0) waits->push_back(place.producer);
      return OkStatus();
    }
    if (place.other_side < 0) TENON_RETURN_IF_ERROR(Copy(edge, wants_host, &place));
    values->push_back(place.other_side);
    if (place.other_producer >= 0) waits->push_back(place.other_producer);
    return OkStatus();
  }
  // Constants are copied to the device now, everything else by a node of its own.
  Status Copy(const InEdge& edge, bool to_host, Location* place) {
    if (place->constant) {
      Tensor on_device;
      TENON_RETURN_IF_ERROR(
          program_->device->CopyToDevice(constant_nodes_[At(edge.node)][At(edge.output)], &on_device));
      place->other_side = NewValue();
      program_->constants.emplace_back(place->other_side, std::move(on_device));
      return OkStatus();
    }
    ProgramNode item;
    item.kind = to_host ? ProgramNode::Kind::kToHost : ProgramNode::Kind::kToDevice;
    item.node = &graph_.node(edge.node);
    item.on_host = to_host;
    SlimVector<int> waits;
    if (place->producer >= 0) waits.push_back(place->producer);
    const SlimVector<int> values{place->value};
    const int number = AddNode(item, values, waits);
    program_->nodes[At(number)].first_output = program_->num_values;
    program_->nodes[At(number)].num_outputs = 1;
    place->other_side = NewValue();
    place->other_producer = number;
    return OkStatus();
  }

  int AddNode(ProgramNode item, std::span<const int> values, std::span<const int> waits) {
    const int number = static_cast<int>(program_->nodes.size());
    item.first_input = static_cast<int>(program_->inputs.size());
    item.num_inputs = static_cast<int>(values.size());
    item.pending = static_cast<int>(waits.size());
    for (const int value : values) {
      program_->inputs.push_back(value);
      ++program_->readers[At(value)];
    }
    for (const int wait : waits) edges_.emplace_back(wait, number);
    program_->nodes.push_back(item);
    return number;
  }

  Status AddFetches(std::span<const InEdge> fetches) {
    for (const InEdge& fetch : fetches) {
      SlimVector<int> values, waits;
      TENON_RETURN_IF_ERROR(Use(fetch, true, &values, &waits));
      ++program_->readers[At(values[0])];
      program_->escapes[At(values[0])] = 1;
      program_->fetches.push_back({StrCat(graph_.node(fetch.node).name(), ":", fetch.output), values[0], false});
    }
    SlimVector<char> seen(At(program_->num_values), 0);
    for (std::size_t i = program_->fetches.size(); i-- > 0;) {
      Program::Fetch& fetch = program_->fetches[i];
      fetch.last = seen[At(fetch.value)] == 0;
      seen[At(fetch.value)] = 1;
    }
    SlimVector<char> constant(At(program_->num_values), 0);
    for (const auto& [value, tensor] : program_->constants) constant[At(value)] = 1;
    for (Program::Fetch& fetch : program_->fetches)
      if (constant[At(fetch.value)] != 0) fetch.last = false;  // a constant is copied out, never moved
    return OkStatus();
  }

  void Finish() {
    Program& p = *program_;
    SlimVector<int> begin(p.nodes.size() + 1, 0);
    for (const auto& [producer, consumer] : edges_) ++begin[At(producer) + 1];
    for (std::size_t n = 0; n < p.nodes.size(); ++n) begin[n + 1] += begin[n];
    p.consumers.resize(edges_.size());
    SlimVector<int> next(begin);
    for (const auto& [producer, consumer] : edges_) p.consumers[At(next[At(producer)]++)] = consumer;
    SlimVector<int> level(p.nodes.size(), 0), level_size;
    for (std::size_t n = 0; n < p.nodes.size(); ++n) {
      ProgramNode& node = p.nodes[n];
      node.first_consumer = begin[n];
      node.num_consumers = begin[n + 1] - begin[n];
      for (int c = begin[n]; c < begin[n + 1]; ++c) {
        int& below = level[At(p.consumers[At(c)])];
        below = std::max(below, level[n] + 1);
      }
      if (node.pending == 0) p.roots.push_back(static_cast<int>(n));
      if (node.kind == ProgramNode::Kind::kNothing) continue;
      p.sequence.push_back(static_cast<int>(n));
      if (At(level[n]) >= level_size.size()) level_size.resize(At(level[n]) + 1, 0);
      p.width = std::max(p.width, ++level_size[At(level[n])]);
    }
    FindLastUses();
  }

  // In sequential order: who reads a value last, and when it can go.
  void FindLastUses() {
    Program& p = *program_;
    SlimVector<char> pinned(At(p.num_values), 0);  // constants stay, fetches go to the caller
    for (const auto& [value, tensor] : p.constants) pinned[At(value)] = 1;
    for (std::size_t v = 0; v < p.escapes.size(); ++v)
      if (p.escapes[v] != 0) pinned[v] = 1;
    p.last_use.assign(p.inputs.size(), 0);
    p.only_use.assign(p.inputs.size(), 0);
    SlimVector<char> used(At(p.num_values), 0);
    SlimVector<SlimVector<int>> release(p.nodes.size());
    for (std::size_t s = p.sequence.size(); s-- > 0;) {
      const ProgramNode& node = p.nodes[At(p.sequence[s])];
      for (int i = node.num_inputs - 1; i >= 0; --i) {
        const std::size_t input = At(node.first_input + i);
        const std::size_t value = At(p.inputs[input]);
        if (pinned[value] != 0) continue;
        p.only_use[input] = p.readers[value] == 1;
        if (used[value] != 0) continue;
        used[value] = 1;
        // A node that reads a value twice must not overwrite it through one of the two.
        const auto first = p.inputs.begin() + node.first_input;
        p.last_use[input] = std::count(first, first + node.num_inputs, p.inputs[input]) == 1;
        release[At(p.sequence[s])].push_back(p.inputs[input]);
      }
    }
    for (const int n : p.sequence) {
      ProgramNode& node = p.nodes[At(n)];
      for (int i = 0; i < node.num_outputs; ++i)
        if (p.readers[At(node.first_output + i)] == 0) release[At(n)].push_back(node.first_output + i);
      node.first_release = static_cast<int>(p.releases.size());
      node.num_releases = static_cast<int>(release[At(n)].size());
      p.releases.append(release[At(n)].begin(), release[At(n)].end());
    }
  }

  const Graph& graph_;
  KernelCache* kernels_;
  ProgramOptions options_;
  Owned<Program> program_;
  SlimVector<InEdge> feeds_;
  SlimVector<int> order_;
  SlimVector<int> node_of_;  // program node per graph node
  SlimVector<int> first_output_;  // per graph node: of its outputs' locations
  SlimVector<Location> locations_;
  SlimVector<SlimVector<Tensor>> constant_nodes_;  // per graph node: the values of its outputs, where they are known
  SlimVector<std::pair<int, int>> edges_;
};

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/memory/caching_allocator.hpp ----
// CachingAllocator: the block cache of one step. It keeps every block it ever got from the allocator below, so that a
// graph which runs again asks nobody for memory. While one thread owns it, that thread takes and gives blocks without a
// lock: one class look-up and the head of a list.
TENON_NAMESPACE_BEGIN
namespace detail {
// Its address names the calling thread.
inline constinit thread_local char this_thread_mark = 0;
}  // namespace detail

// thread-safe. Blocks may come back from any thread and at any time, also after Release(): they keep the object alive.
//
//   CachingAllocator* cache = CachingAllocator::Create(CpuAllocator());
//   cache->SetOwnerThread();       // this thread runs the step
//   ...                            // kernels allocate and free
//   cache->ClearOwnerThread();     // the step goes back to its pool; another thread may run it next
//   cache->Release();              // no step will use it again
//
// Two sets of lists: `own_` is the owner's alone while there is one; `shared_` is everybody else's, behind the lock. An
// owner that finds its list empty takes the shared list of that class as a whole; without an owner, both are behind the
// lock. Blocks of memory the processor cannot touch are linked through nodes beside them and always use the lock.
class CachingAllocator final : public Allocator {
 public:
  // With Owned<CachingAllocator, CachingAllocator::Releaser>.
  struct Releaser {
    void operator()(CachingAllocator* allocator) const { allocator->Release(); }
  };

  // `base` must outlive the last block. Never null.
  static CachingAllocator* Create(Allocator* base) { return new CachingAllocator(base); }

  // The creator lets go, with no owner thread set: cached blocks go back to `base`, and the object deletes itself with
  // the last block that is still out. Until then such blocks, and new ones asked of it, go straight to and from `base`.
  void Release();

  // From here on the calling thread needs no lock. There must be no owner; the owner clears itself before it ends.
  // For memory that the processor cannot touch both do nothing.
  void SetOwnerThread();
  void ClearOwnerThread();
  bool IsOwnerThread() const { return owner_.load(std::memory_order_relaxed) == &detail::this_thread_mark; }

  std::string_view Name() const override { return base_->Name(); }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return linked_inside_; }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    if (IsOwnerThread() && alignment <= kAlignment) [[likely]] {
      const std::size_t c = detail::SizeClass(bytes);
      if (detail::FreeBlock* const block = own_.heads[c]; block != nullptr) [[likely]] {
        own_.heads[c] = block->next;
        detail::MarkInUse(block, bytes, detail::SizeClassBytes(c));
        return block;
      }
    }
    return AllocateSlowly(alignment, bytes, attributes);
  }

  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (IsOwnerThread() && alignment <= kAlignment && ptr != nullptr) [[likely]] {
      const std::size_t c = detail::SizeClass(bytes);
      detail::MarkFree(ptr, detail::SizeClassBytes(c));
      own_.heads[c] = ::new (ptr) detail::FreeBlock{own_.heads[c]};
      return;
    }
    if (ptr != nullptr) DeallocateSlowly(ptr, alignment, bytes);
  }

  // Bytes of all blocks that came from `base` and did not go back, cached or out.
  std::int64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
  // Gives cached blocks back to `base` and returns their bytes: all of them, or the shared ones only when another
  // thread is the owner.
  std::size_t Trim();

  // Bytes and calls as `base` sees them: cached blocks count as in use. largest_free_block_bytes is the largest cached
  // block that the calling thread could have.
  std::optional<AllocatorStats> GetStats() const override;
  bool ClearStats() override;

 private:
  struct Lists {
    detail::FreeBlock* heads[detail::kNumSizeClasses] = {};
  };
  // The link of a block that the processor cannot write to. Spare ones hold no block.
  struct Node : detail::FreeBlock {
    void* memory;
  };

  explicit CachingAllocator(Allocator* base) : base_(base), linked_inside_(base->HostAccessible()) {}
  ~CachingAllocator() override = default;

  void* AllocateSlowly(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void DeallocateSlowly(void* ptr, std::size_t alignment, std::size_t bytes);
  void* AllocateFromBase(std::size_t alignment, std::size_t block_bytes, const AllocationAttributes& attributes);
  void* TakeCached(std::size_t size_class);
  void ForgetBlocks(std::int64_t count, std::int64_t bytes);
  // Under the lock: nobody else uses own_ now.
  bool MayUseOwn() const { return owner_.load(std::memory_order_relaxed) == nullptr || IsOwnerThread(); }
  std::size_t LargestCached() const;

  std::atomic<const void*> owner_{nullptr};  // changes under the lock
  std::atomic<std::int64_t> held_bytes_{0};  // stats_.bytes_in_use
  Lists own_;  // the owner's; without an owner, behind the lock
  Allocator* const base_;
  const bool linked_inside_;  // the link is the first word of the block itself

  alignas(64) mutable SpinLock lock_;  // guards what follows; held for few instructions, never over a call of base_
  bool released_ = false;
  std::int64_t holds_ = 1;  // the creator's, and one for each block of base_, cached or out; 0: delete this
  Node* spare_nodes_ = nullptr;
  AllocatorStats stats_;
  Lists shared_;
};

inline void CachingAllocator::SetOwnerThread() {
  SpinLockHolder hold(lock_);
  TENON_CHECK(owner_.load(std::memory_order_relaxed) == nullptr, "CachingAllocator::SetOwnerThread: it has an owner.");
  TENON_CHECK(!released_, "CachingAllocator::SetOwnerThread: called after Release().");
  if (linked_inside_) owner_.store(&detail::this_thread_mark, std::memory_order_relaxed);
}

inline void CachingAllocator::ClearOwnerThread() {
  SpinLockHolder hold(lock_);
  TENON_CHECK(IsOwnerThread() || !linked_inside_, "CachingAllocator::ClearOwnerThread: another thread is the owner.");
  owner_.store(nullptr, std::memory_order_relaxed);
}

inline void CachingAllocator::Release() {
  {
    SpinLockHolder hold(lock_);
    TENON_CHECK(!released_, "CachingAllocator::Release: called twice.");
    TENON_CHECK(owner_.load(std::memory_order_relaxed) == nullptr, "CachingAllocator::Release: it still has an owner.");
    released_ = true;  // nothing is put on a list any more
  }
  Trim();
  ForgetBlocks(1, 0);
}

// A cached block of that class or null; under the lock.
inline void* CachingAllocator::TakeCached(std::size_t size_class) {
  const bool is_owner = IsOwnerThread();
  detail::FreeBlock** head = MayUseOwn() ? &own_.heads[size_class] : &shared_.heads[size_class];
  if (*head == nullptr && MayUseOwn()) {
    if (is_owner) {
      own_.heads[size_class] = shared_.heads[size_class];
      shared_.heads[size_class] = nullptr;
    } else {
      head = &shared_.heads[size_class];
    }
  }
  detail::FreeBlock* const link = *head;
  if (link == nullptr) return nullptr;
  *head = link->next;
  if (linked_inside_) return link;
  Node* const node = static_cast<Node*>(link);
  node->next = spare_nodes_;
  spare_nodes_ = node;
  return node->memory;
}

TENON_COLD inline void* CachingAllocator::AllocateSlowly(std::size_t alignment, std::size_t bytes,
                                                         const AllocationAttributes& attributes) {
  if (bytes > detail::kMaxBlockBytes) return nullptr;
  if (alignment > kAlignment) return AllocateFromBase(alignment, bytes, attributes);
  const std::size_t c = detail::SizeClass(bytes);
  const std::size_t block_bytes = detail::SizeClassBytes(c);
  lock_.lock();
  void* ptr = TakeCached(c);
  lock_.unlock();
  if (ptr == nullptr) ptr = AllocateFromBase(kAlignment, block_bytes, attributes);
  if (ptr != nullptr && linked_inside_) detail::MarkInUse(ptr, bytes, block_bytes);
  return ptr;
}

// When `base_` has nothing left, the blocks cached in other classes are given up before it is asked to wait for memory.
inline void* CachingAllocator::AllocateFromBase(std::size_t alignment, std::size_t block_bytes,
                                                const AllocationAttributes& attributes) {
  Node* node = nullptr;
  if (!linked_inside_) {
    node = new (std::nothrow) Node;
    if (node == nullptr) return nullptr;
  }
  AllocationAttributes first_try = attributes;
  if (LargestCached() > 0) first_try.retry_on_failure = false;
  void* ptr = base_->AllocateRaw(alignment, block_bytes, first_try);
  if (ptr == nullptr && (Trim() > 0 || first_try.retry_on_failure != attributes.retry_on_failure)) {
    ptr = base_->AllocateRaw(alignment, block_bytes, attributes);
  }
  if (ptr == nullptr) {
    delete node;
    return nullptr;
  }
  SpinLockHolder hold(lock_);
  ++holds_;
  if (node != nullptr) {
    node->next = spare_nodes_;
    spare_nodes_ = node;
  }
  const auto bytes = static_cast<std::int64_t>(block_bytes);
  ++stats_.num_allocs;
  stats_.bytes_in_use += bytes;
  held_bytes_.store(stats_.bytes_in_use, std::memory_order_relaxed);
  if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
  if (bytes > stats_.largest_alloc_size) stats_.largest_alloc_size = bytes;
  return ptr;
}

TENON_COLD inline void CachingAllocator::DeallocateSlowly(void* ptr, std::size_t alignment, std::size_t bytes) {
  const bool is_cacheable = alignment <= kAlignment;
  const std::size_t c = detail::SizeClass(bytes);
  if (is_cacheable) {
    bytes = detail::SizeClassBytes(c);
    alignment = kAlignment;
    if (linked_inside_) detail::MarkFree(ptr, bytes);
  }
  Node* node = nullptr;
  {
    SpinLockHolder hold(lock_);
    if (!linked_inside_) {  // there are as many nodes as blocks
      node = spare_nodes_;
      spare_nodes_ = static_cast<Node*>(node->next);
      node->memory = ptr;
    }
    if (is_cacheable && !released_) {
      detail::FreeBlock*& head = MayUseOwn() ? own_.heads[c] : shared_.heads[c];
      if (node != nullptr) {
        node->next = head;
        head = node;
      } else {
        head = ::new (ptr) detail::FreeBlock{head};
      }
      return;
    }
  }
  delete node;
  if (linked_inside_) detail::MarkReturned(ptr, bytes);
  base_->DeallocateRaw(ptr, alignment, bytes);
  ForgetBlocks(1, static_cast<std::int64_t>(bytes));
}

// `count` holds end. May delete this.
inline void CachingAllocator::ForgetBlocks(std::int64_t count, std::int64_t bytes) {
  lock_.lock();
  stats_.bytes_in_use -= bytes;
  held_bytes_.store(stats_.bytes_in_use, std::memory_order_relaxed);
  holds_ -= count;
  const bool is_last = holds_ == 0;
  lock_.unlock();
  if (is_last) delete this;
}

TENON_COLD inline std::size_t CachingAllocator::Trim() {
  Lists taken[2];
  {
    SpinLockHolder hold(lock_);
    taken[0] = shared_;
    shared_ = Lists();
    if (MayUseOwn()) {
      taken[1] = own_;
      own_ = Lists();
    }
  }
  std::int64_t count = 0;
  std::size_t total = 0;
  for (Lists& lists : taken) {
    for (std::size_t c = 0; c < detail::kNumSizeClasses; ++c) {
      const std::size_t bytes = detail::SizeClassBytes(c);
      while (detail::FreeBlock* const link = lists.heads[c]) {
        lists.heads[c] = link->next;
        void* memory = link;
        if (linked_inside_) {
          detail::MarkReturned(memory, bytes);
        } else {
          memory = static_cast<Node*>(link)->memory;
          delete static_cast<Node*>(link);
        }
        base_->DeallocateRaw(memory, kAlignment, bytes);
        ++count;
        total += bytes;
      }
    }
  }
  if (count > 0) ForgetBlocks(count, static_cast<std::int64_t>(total));
  return total;
}

// Bytes of the largest cached block that the calling thread could have; 0: none.
inline std::size_t CachingAllocator::LargestCached() const {
  SpinLockHolder hold(lock_);
  for (std::size_t c = detail::kNumSizeClasses; c-- > 0;) {
    if (shared_.heads[c] != nullptr || (MayUseOwn() && own_.heads[c] != nullptr)) return detail::SizeClassBytes(c);
  }
  return 0;
}

inline std::optional<AllocatorStats> CachingAllocator::GetStats() const {
  const auto largest_cached = static_cast<std::int64_t>(LargestCached());
  SpinLockHolder hold(lock_);
  AllocatorStats stats = stats_;
  stats.bytes_reserved = stats.bytes_in_use;
  stats.peak_bytes_reserved = stats.peak_bytes_in_use;
  stats.largest_free_block_bytes = largest_cached;
  return stats;
}

inline bool CachingAllocator::ClearStats() {
  SpinLockHolder hold(lock_);
  stats_.num_allocs = 0;
  stats_.largest_alloc_size = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  return true;
}

TENON_NAMESPACE_END

// ---- tenon/runtime/step.hpp ----
// Step: what one run of a program needs - values, frames, counts, memory. Steps are pooled: the second run of a program
// asks nobody for memory but for the tensors it returns.
TENON_NAMESPACE_BEGIN

// A value slot that nothing was put into.
inline Tensor EmptySlot() { return Tensor(DataType::kInvalid); }

// One run at a time. Between runs every value but the constants is empty.
class Step {
 public:
  explicit Step(const Program& program)
      : program_(program),
        cache_(CachingAllocator::Create(program.device->allocator())),
        host_cache_(program.device == program.host ? nullptr : CachingAllocator::Create(program.host->allocator())) {
    const auto count = static_cast<std::size_t>(program.num_values);
    values_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values_.push_back(EmptySlot());
    for (const auto& [value, tensor] : program.constants) values_[static_cast<std::size_t>(value)] = tensor;
    input_pointers_.reserve(program.inputs.size());
    for (const int value : program.inputs) input_pointers_.push_back(&values_[static_cast<std::size_t>(value)]);
    memos_ = SlimVector<ShapeMemo>(program.nodes.size());
    MakeEnvironments();
    frames_.reserve(program.nodes.size());
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const ProgramNode& node = program.nodes[n];
      frames_.push_back({node.kernel, input_pointers_.data() + node.first_input,
                         program.last_use.data() + node.first_input, values_.data() + node.first_output,
                         program.escapes.data() + node.first_output, &memos_[n], node.on_host ? &host_ : &device_});
    }
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const Program& program() const { return program_; }
  Tensor& value(int v) { return values_[static_cast<std::size_t>(v)]; }
  const OpKernelContext::NodeFrame& frame(int node) const { return frames_[static_cast<std::size_t>(node)]; }
  OpKernelContext::NodeFrame& mutable_frame(int node) { return frames_[static_cast<std::size_t>(node)]; }
  CachingAllocator* cache() { return cache_.get(); }
  Allocator* host_allocator() const { return host_.host_allocator; }
  void set_step_id(std::int64_t id) { device_.step_id = host_.step_id = id; }

  // Empties the values of a run that ended early.
  void Clear() {
    for (Tensor& t : values_) t = EmptySlot();
    for (const auto& [value, tensor] : program_.constants) values_[static_cast<std::size_t>(value)] = tensor;
  }
  // After a run. Runs with other shapes leave blocks behind that the next ones may not need: beyond twice what one run
  // held, all go back.
  void TrimCaches() {
    TrimCache(cache_.get(), &cache_limit_);
    if (host_cache_ != nullptr) TrimCache(host_cache_.get(), &host_cache_limit_);
  }

 private:
  static void TrimCache(CachingAllocator* cache, std::int64_t* limit) {
    constexpr std::int64_t kSlack = 1 << 20;
    const std::int64_t held = cache->held_bytes();
    if (held <= *limit) [[likely]]
      return;
    if (*limit == 0) {
      *limit = 2 * held + kSlack;
    } else {
      cache->Trim();
      *limit = 0;  // the next run says how much it needs
    }
  }
  void MakeEnvironments() {
    const auto fill = [&](StepEnvironment* env, Device* device, CachingAllocator* cache) {
      env->device = device->kernel_device();
      env->device_name = device->name();
      env->step_allocator = cache;
      env->host_memory = device->uses_host_memory();
      env->result_allocator = device->allocator();
      env->graph_def_version = program_.graph_def_version;
    };
    fill(&device_, program_.device, cache_.get());
    CachingAllocator* host_cache = host_cache_ != nullptr ? host_cache_.get() : cache_.get();
    fill(&host_, program_.host, host_cache);
    // Kernels take their scratch memory from the step, too.
    cpu_ = *static_cast<Cpu*>(program_.host->kernel_device());
    cpu_.allocator = host_cache;
    host_.device = &cpu_;
    if (program_.device == program_.host) device_.device = &cpu_;
    device_.host_allocator = host_.host_allocator = host_cache;
    // Results are fetched from host memory; on another device they are copied there first.
    if (program_.device != program_.host) device_.result_allocator = cache_.get();
  }

  const Program& program_;
  Owned<CachingAllocator, CachingAllocator::Releaser> cache_, host_cache_;
  std::int64_t cache_limit_ = 0, host_cache_limit_ = 0;  // bytes; 0: not known yet
  Cpu cpu_;
  StepEnvironment device_, host_;
  SlimVector<Tensor> values_;
  SlimVector<Tensor*> input_pointers_;
  SlimVector<ShapeMemo> memos_;
  SlimVector<OpKernelContext::NodeFrame> frames_;
};

// Objects made from a program, between their uses. T(const Program&). thread-safe.
template <class T>
class ProgramPool {
 public:
  explicit ProgramPool(const Program& program) : program_(program) {}
  ~ProgramPool() { delete last_.load(std::memory_order_acquire); }
  ProgramPool(const ProgramPool&) = delete;
  ProgramPool& operator=(const ProgramPool&) = delete;

  // One that was given back, or a new one.
  Owned<T> Take() {
    if (T* object = last_.exchange(nullptr, std::memory_order_acquire)) [[likely]]
      return Owned<T>(object);
    {
      SpinLockHolder lock(lock_);
      if (!more_.empty()) {
        Owned<T> object = std::move(more_.back());
        more_.pop_back();
        return object;
      }
    }
    return MakeOwned<T>(program_);
  }
  void Give(Owned<T> object) {
    if (T* old = last_.exchange(object.release(), std::memory_order_acq_rel); old != nullptr) {
      SpinLockHolder lock(lock_);
      more_.emplace_back(old);
    }
  }

 private:
  const Program& program_;
  std::atomic<T*> last_{nullptr};
  SpinLock lock_;
  SlimVector<Owned<T>> more_;
};

TENON_NAMESPACE_END

// ---- tenon/runtime/executor.hpp ----
// What both engines do with one node: run its kernel or copy, check what came out, say where an error happened.
TENON_NAMESPACE_BEGIN

namespace detail {

// Collects the timings of one run. thread-safe.
class TraceCollector {
 public:
  TraceCollector() : start_(Clock::now()) {}
  std::int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }
  void Add(const Program& program, const ProgramNode& node, Step* step, std::int64_t begin, std::int64_t end) {
    NodeTiming timing;
    timing.name = node.node->name();
    timing.op = node.kind == ProgramNode::Kind::kToHost     ? std::string_view("CopyToHost")
                : node.kind == ProgramNode::Kind::kToDevice ? std::string_view("CopyToDevice")
                                                            : std::string_view(node.node->op_name());
    timing.device = node.on_host ? program.host->name() : program.device->name();
    timing.start_ns = begin;
    timing.end_ns = end;
    for (int i = 0; i < node.num_outputs; ++i)
      timing.output_bytes += static_cast<std::int64_t>(step->value(node.first_output + i).TotalBytes());
    MutexLock lock(mutex_);
    const void* thread = &this_thread_mark;
    std::size_t t = 0;
    while (t < threads_.size() && threads_[t] != thread) ++t;
    if (t == threads_.size()) threads_.push_back(thread);
    timing.thread = static_cast<int>(t);
    timings_.push_back(timing);
  }
  void Finish(RunTrace* trace) {
    trace->total_ns = Now();
    trace->nodes = std::move(timings_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Mutex mutex_;
  SlimVector<const void*> threads_;
  std::vector<NodeTiming> timings_;
};

// "MatMul: ... [node 'dense/MatMul', CPU:0]".
TENON_COLD inline Status AtNode(const Status& status, const Program& program, const ProgramNode& node) {
  const Device* device = node.on_host ? program.host : program.device;
  return status.WithAppended(StrCat(" [node '", node.node->name(), "', ", device->short_name(), "]"));
}

TENON_COLD inline Status BadOutput(const ProgramNode& node, int i, const Tensor& got) {
  if (got.dtype() == DataType::kInvalid)
    return errors::Internal("Missing ", i, "-th output from {{node ", node.node->name(), "}}: the kernel of op '",
                            node.node->op_name(), "' returned without setting it");
  return errors::Internal("Output ", i, " of type ", got.dtype(), " does not match declared output type ",
                          node.node->output_type(i), " for node {{node ", node.node->name(), "}}");
}

// Every output must be there and have its declared type.
inline Status CheckOutputs(const Program&, const ProgramNode& node, Step* step) {
  for (int i = 0; i < node.num_outputs; ++i) {
    const Tensor& t = step->value(node.first_output + i);
    if (t.dtype() != node.kernel->output_type(i)) [[unlikely]]
      return BadOutput(node, i, t);
  }
  return OkStatus();
}

TENON_COLD inline Status RunCopy(const Program& program, const ProgramNode& node, int number, Step* step) {
  const Tensor& from = *step->frame(number).inputs[0];
  Tensor* to = &step->value(node.first_output);
  return node.kind == ProgramNode::Kind::kToDevice ? program.device->CopyToDevice(from, to)
                                                   : program.device->CopyToHost(from, step->host_allocator(), to);
}

inline void WakeUp(void* notification) { static_cast<Notification*>(notification)->Notify(); }

// Runs a node to its end on this thread; an asynchronous kernel is waited for.
inline Status RunNode(const Program& program, int number, Step* step, OpKernelContext* context) {
  const ProgramNode& node = program.nodes[static_cast<std::size_t>(number)];
  Status status;
  if (node.kind == ProgramNode::Kind::kKernel) [[likely]] {
    context->Enter(&step->frame(number));
    if (node.async == nullptr) [[likely]] {
      const_cast<OpKernel*>(node.kernel)->Compute(context);
    } else {
      Notification done;
      node.async->ComputeAsync(context, {&WakeUp, &done});
      done.WaitForNotification();
    }
    if (context->status().ok()) [[likely]]
      status = CheckOutputs(program, node, step);
    else
      status = context->TakeStatus();
  } else if (node.kind != ProgramNode::Kind::kNothing) {
    status = RunCopy(program, node, number, step);
  }
  if (!status.ok()) [[unlikely]]
    return AtNode(status, program, node);
  return status;
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/runtime/dataflow_executor.hpp ----
// The dataflow engine: every node runs as soon as its inputs are there, on a pool of threads. One atomic count a node;
// a finished node goes on with one of the nodes it made ready and hands the others to the pool.
TENON_NAMESPACE_BEGIN

namespace detail {

// The counts of one run; kept with its step and used again.
class DataflowRun {
 public:
  DataflowRun(const Program& program, Step* step)
      : program_(program),
        step_(step),
        pending_(program.nodes.size()),
        readers_(static_cast<std::size_t>(program.num_values)),
        tasks_(program.nodes.size()) {
    for (std::size_t n = 0; n < program.nodes.size(); ++n) tasks_[n] = {this, static_cast<int>(n)};
    constants_.assign(static_cast<std::size_t>(program.num_values), 0);
    for (const auto& [value, tensor] : program.constants) constants_[static_cast<std::size_t>(value)] = 1;
    // Without a fixed order only the sole reader of a value may overwrite it.
    for (std::size_t n = 0; n < program.nodes.size(); ++n)
      step->mutable_frame(static_cast<int>(n)).last_use = program.only_use.data() + program.nodes[n].first_input;
  }

  // Runs the program; the calling thread takes part. The pool may be busy with other runs.
  Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) {
    pool_ = pool;
    flush_denormals_ = flush_denormals;
    trace_ = trace;
    for (std::size_t n = 0; n < program_.nodes.size(); ++n)
      pending_[n].store(program_.nodes[n].pending, std::memory_order_relaxed);
    for (std::size_t v = 0; v < program_.readers.size(); ++v)
      readers_[v].store(program_.readers[v], std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    status_ = OkStatus();
    if (program_.nodes.empty()) return OkStatus();
    left_.store(static_cast<int>(program_.nodes.size()), std::memory_order_release);
    Notification done;
    done_ = &done;
    for (std::size_t r = 1; r < program_.roots.size(); ++r) Publish(program_.roots[r]);
    Process(program_.roots[0]);
    done.WaitForNotification();
    return std::exchange(status_, OkStatus());
  }

 private:
  struct Task {
    DataflowRun* run;
    int node;
  };
  static void RunTask(void* argument) {
    const Task task = *static_cast<Task*>(argument);
    if (task.run->flush_denormals_) {
      ScopedFlushDenormals flush;
      task.run->Process(task.node);
    } else {
      task.run->Process(task.node);
    }
  }
  void Publish(int node) { pool_->Schedule(&RunTask, &tasks_[static_cast<std::size_t>(node)]); }

  // Runs `number` and then whatever it made ready, until nothing is left for this thread. The run may be over, and this
  // object in use again, as soon as the last node was counted down.
  void Process(int number) {
    OpKernelContext context;
    while (number >= 0) {
      const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
      if (!failed_.load(std::memory_order_acquire)) {
        if (node.async != nullptr) return StartAsync(number);
        const std::int64_t begin = trace_ == nullptr ? 0 : trace_->Now();
        if (Status status = RunNode(program_, number, step_, &context); !status.ok()) [[unlikely]]
          Fail(status);
        else if (trace_ != nullptr && node.kind != ProgramNode::Kind::kNothing)
          trace_->Add(program_, node, step_, begin, trace_->Now());
      }
      number = Finish(number);
    }
  }

  // An asynchronous kernel has a context of its own and may end on any thread.
  struct AsyncState {
    DataflowRun* run;
    int node;
    std::int64_t begin;
    OpKernelContext context;
  };
  void StartAsync(int number) {
    auto* state = new AsyncState{this, number, trace_ == nullptr ? 0 : trace_->Now(), OpKernelContext()};
    state->context.Enter(&step_->frame(number));
    program_.nodes[static_cast<std::size_t>(number)].async->ComputeAsync(&state->context, {&AsyncDone, state});
  }
  static void AsyncDone(void* argument) {
    const Owned<AsyncState> state(static_cast<AsyncState*>(argument));
    DataflowRun* run = state->run;
    const ProgramNode& node = run->program_.nodes[static_cast<std::size_t>(state->node)];
    Status status = state->context.TakeStatus();
    if (status.ok()) status = CheckOutputs(run->program_, node, run->step_);
    if (!status.ok())
      run->Fail(AtNode(status, run->program_, node));
    else if (run->trace_ != nullptr)
      run->trace_->Add(run->program_, node, run->step_, state->begin, run->trace_->Now());
    if (const int next = run->Finish(state->node); next >= 0) run->Publish(next);
  }

  TENON_COLD void Fail(const Status& status) {
    MutexLock lock(mutex_);
    status_.Update(status);
    failed_.store(true, std::memory_order_release);
  }

  // Drops the values that nobody will read any more, counts the consumers down and publishes those that became ready,
  // but for one, which is returned (-1: none). After an error nodes are only counted down, so that the run comes to its
  // end.
  int Finish(int number) {
    const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
    for (int i = 0; i < node.num_inputs; ++i) Drop(program_.inputs[static_cast<std::size_t>(node.first_input + i)]);
    for (int i = 0; i < node.num_outputs; ++i)
      if (program_.readers[static_cast<std::size_t>(node.first_output + i)] == 0)
        step_->value(node.first_output + i) = EmptySlot();
    int next = -1;
    for (int i = 0; i < node.num_consumers; ++i) {
      const int consumer = program_.consumers[static_cast<std::size_t>(node.first_consumer + i)];
      if (pending_[static_cast<std::size_t>(consumer)].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      if (next < 0)
        next = consumer;
      else
        Publish(consumer);
    }
    Notification* done = done_;
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done->Notify();
    return next;
  }
  void Drop(int value) {
    const auto v = static_cast<std::size_t>(value);
    if (readers_[v].fetch_sub(1, std::memory_order_acq_rel) == 1 && constants_[v] == 0)
      step_->value(value) = EmptySlot();
  }

  const Program& program_;
  Step* step_;
  Owned<std::atomic<int>[]> pending_, readers_;
  Owned<Task[]> tasks_;
  SlimVector<char> constants_;
  std::atomic<int> left_{0};
  std::atomic<bool> failed_{false};
  Notification* done_ = nullptr;
  ThreadPoolInterface* pool_ = nullptr;
  TraceCollector* trace_ = nullptr;
  bool flush_denormals_ = false;
  Mutex mutex_;
  Status status_;
};

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/runtime/sequential_executor.hpp ----
// The sequential engine: one precomputed order on the caller's thread. No counts, no queue, no locks.
TENON_NAMESPACE_BEGIN

namespace detail {

// Runs every node; stops at the first error. `trace` may be null.
inline Status RunSequential(const Program& program, Step* step, TraceCollector* trace) {
  OpKernelContext context;
  step->cache()->SetOwnerThread();
  Status status;
  for (const int number : program.sequence) {
    const std::int64_t begin = trace == nullptr ? 0 : trace->Now();
    status = RunNode(program, number, step, &context);
    if (!status.ok()) [[unlikely]]
      break;
    const ProgramNode& node = program.nodes[static_cast<std::size_t>(number)];
    if (trace != nullptr) [[unlikely]]
      trace->Add(program, node, step, begin, trace->Now());
    const int* release = program.releases.data() + node.first_release;
    for (int i = 0; i < node.num_releases; ++i) step->value(release[i]) = EmptySlot();
  }
  step->cache()->ClearOwnerThread();
  return status;
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/runtime/session_impl.hpp ----
// What stands behind Session and Callable: a validated graph, its kernels, devices and thread pools, and the programs
// prepared from it. Included through <tenon/runtime.hpp>.
TENON_NAMESPACE_BEGIN

namespace detail {

inline int CpuCount() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// The pool that sessions share unless they ask for another number of threads. Never destroyed.
inline ThreadPool* SharedIntraOpPool() {
  static ThreadPool* pool = new ThreadPool(CpuCount(), "tenon");
  return pool;
}
inline std::atomic<std::int64_t>& NextStepId() {
  static std::atomic<std::int64_t> next{1};
  return next;
}

// One signature with the steps that run it. thread-safe.
class Prepared : public RefCounted {
 public:
  Prepared(Owned<Program> program, bool dataflow)
      : program_(std::move(program)), dataflow_(dataflow), steps_(*program_) {}

  const Program& program() const { return *program_; }

  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, ThreadPoolInterface* pool, bool flush_denormals,
             RunTrace* trace) {
    TENON_RETURN_IF_ERROR(CheckFeeds(feeds, fetches));
    Owned<Running> running = steps_.Take();
    Step* step = &running->step;
    step->set_step_id(NextStepId().fetch_add(1, std::memory_order_relaxed));
    for (std::size_t i = 0; i < feeds.size(); ++i) step->value(program_->feeds[i].value) = feeds[i];
    Status status;
    if (trace == nullptr) [[likely]] {
      status = Execute(running.get(), pool, flush_denormals, nullptr);
    } else {
      TraceCollector collector;
      status = Execute(running.get(), pool, flush_denormals, &collector);
      collector.Finish(trace);
    }
    if (status.ok()) [[likely]] {
      for (std::size_t i = 0; i < fetches.size(); ++i) {
        const Program::Fetch& fetch = program_->fetches[i];
        if (fetch.last)
          fetches[i] = std::exchange(step->value(fetch.value), EmptySlot());
        else
          fetches[i] = step->value(fetch.value);
      }
      for (const Program::Feed& feed : program_->feeds) step->value(feed.value) = EmptySlot();
    } else {
      step->Clear();
    }
    step->TrimCaches();
    steps_.Give(std::move(running));
    return status;
  }

 private:
  struct Running {
    explicit Running(const Program& program) : step(program) {}
    Step step;
    Owned<DataflowRun> dataflow;
  };
  Status Execute(Running* running, ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) {
    const ScopedFlushDenormals mode(flush_denormals || FlushesDenormals());
    Status status;
    if (dataflow_ && pool != nullptr) {
      if (running->dataflow == nullptr) running->dataflow = MakeOwned<DataflowRun>(*program_, &running->step);
      status = running->dataflow->Run(pool, flush_denormals, trace);
    } else {
      status = RunSequential(*program_, &running->step, trace);
    }
    if (program_->device != program_->host) status.Update(program_->device->Synchronize());
    return status;
  }

  Status CheckFeeds(std::span<const Tensor> feeds, std::span<Tensor> fetches) const {
    if (feeds.size() != program_->feeds.size()) [[unlikely]]
      return errors::InvalidArgument("Expected ", program_->feeds.size(), " feed tensors, but got ", feeds.size());
    if (fetches.size() != program_->fetches.size()) [[unlikely]]
      return errors::InvalidArgument("Expected room for ", program_->fetches.size(), " fetched tensors, but got ",
                                     fetches.size());
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Program::Feed& feed = program_->feeds[i];
      if (feeds[i].dtype() != feed.dtype) [[unlikely]]
        return errors::InvalidArgument("Expects arg[", i, "] to be ", feed.dtype, " but ", feeds[i].dtype(),
                                       " is provided: feed '", feed.name, "'");
      if (!feed.shape.IsCompatibleWith(feeds[i].shape())) [[unlikely]]
        return errors::InvalidArgument("Cannot feed value of shape ", feeds[i].shape(), " for tensor '", feed.name,
                                       "', which has shape ", feed.shape);
      if (!feeds[i].IsInitialized()) [[unlikely]]
        return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
    }
    return OkStatus();
  }

  Owned<Program> program_;
  bool dataflow_;
  ProgramPool<Running> steps_;
};

// thread-safe after Create.
class SessionImpl : public RefCounted {
 public:
  static Result<Ref<SessionImpl>> Create(GraphDef graph_def, SessionOptions options) {
    auto session = Ref<SessionImpl>::Adopt(new SessionImpl);
    session->options_ = std::move(options);
    TENON_RETURN_IF_ERROR(session->MakeDevices());
    session->registry_ = session->options_.registry != nullptr ? session->options_.registry : &Registry::Global();
    TENON_RETURN_IF_ERROR(session->registry_->status());
    TENON_ASSIGN_OR_RETURN(session->graph_, ImportGraphDef(std::move(graph_def), session->registry_->ops()));
    session->kernels_ =
        MakeOwned<KernelCache>(&session->graph_, session->registry_, session->device_, session->host_.get());
    return session;
  }

  Status Run(const Prepared& prepared, std::span<const Tensor> feeds, std::span<Tensor> fetches,
             RunTrace* trace) const {
    return const_cast<Prepared&>(prepared).Run(feeds, fetches, inter_op_pool_, options_.flush_denormals, trace);
  }

  // The program of a signature: the one made before, or a new one.
  Result<Ref<Prepared>> Prepare(std::span<const std::string> feeds, std::span<const std::string> fetches,
                                std::span<const std::string> targets) {
    std::string key;
    for (const auto& names : {feeds, fetches, targets}) {
      for (const std::string& name : names) key.append(name).push_back('\n');
      key.push_back('\t');
    }
    const std::uint64_t hash = Hash64(key);
    {
      MutexLock lock(mutex_);
      if (Signature* known = FindSignature(hash, key)) return known->prepared;
    }
    TENON_ASSIGN_OR_RETURN(Ref<Prepared> made, Build(feeds, fetches, targets));
    MutexLock lock(mutex_);
    if (Signature* known = FindSignature(hash, key)) return known->prepared;  // another thread was faster
    if (signatures_.size() >= static_cast<std::size_t>(std::max(1, options_.max_cached_signatures))) {
      std::size_t oldest = 0;
      for (std::size_t i = 1; i < signatures_.size(); ++i)
        if (signatures_[i].last_use < signatures_[oldest].last_use) oldest = i;
      signatures_.erase(signatures_.begin() + oldest);
    }
    signatures_.push_back({hash, ++uses_, std::move(key), made});
    return made;
  }

  const Graph& graph() const { return graph_; }
  std::vector<std::string> DeviceNames() const {
    std::vector<std::string> names;
    if (device_ != host_.get()) names.push_back(device_->name());
    names.push_back(host_->name());
    return names;
  }

 private:
  struct Signature {
    std::uint64_t hash, last_use;
    std::string key;
    Ref<Prepared> prepared;
  };
  Signature* FindSignature(std::uint64_t hash, std::string_view key) {
    for (Signature& signature : signatures_) {
      if (signature.hash != hash || signature.key != key) continue;
      signature.last_use = ++uses_;
      return &signature;
    }
    return nullptr;
  }

  static constexpr std::string_view kPrefix = "/job:localhost/replica:0/task:0/device:";

  Status MakeDevices() {
    if (options_.inter_op_threads < 0 || options_.intra_op_threads < 0)
      return errors::InvalidArgument(
          "SessionOptions: the numbers of threads must not be negative, got inter_op_threads = ",
          options_.inter_op_threads, " and intra_op_threads = ", options_.intra_op_threads);
    ThreadPoolInterface* intra = options_.intra_op_pool;
    if (intra == nullptr && options_.intra_op_threads == 0) {
      if (CpuCount() > 1) intra = SharedIntraOpPool();
    } else if (intra == nullptr && options_.intra_op_threads > 1) {
      own_intra_ = MakeOwned<ThreadPool>(options_.intra_op_threads, "tenon-intra");
      intra = own_intra_.get();
    }
    inter_op_pool_ = options_.inter_op_pool;
    if (inter_op_pool_ == nullptr && (options_.inter_op_threads > 1 || options_.executor == ExecutorKind::kDataflow)) {
      own_inter_ = MakeOwned<ThreadPool>(std::max(options_.inter_op_threads, 1), "tenon-inter");
      inter_op_pool_ = own_inter_.get();
    }
    Allocator* allocator = options_.allocator != nullptr ? options_.allocator : CpuAllocator();
    host_ = MakeOwned<CpuDevice>(StrCat(kPrefix, "CPU:0"), allocator, intra);
    device_ = host_.get();
    if (!options_.devices.empty()) return ChooseDevice();
    return OkStatus();
  }
  // The first device of the list; the CPU takes what it has no kernels for.
  Status ChooseDevice() {
    std::string_view name = options_.devices.front();
    if (StartsWith(name, kPrefix)) name.remove_prefix(kPrefix.size());
    if (StartsWith(name, "/device:")) name.remove_prefix(8);
    const std::size_t colon = name.find(':');
    const std::string_view type = name.substr(0, colon);
    int ordinal = 0;
    if (colon != std::string_view::npos && !ParseInt(name.substr(colon + 1), &ordinal))
      return errors::InvalidArgument("SessionOptions: cannot parse device '", options_.devices.front(),
                                     "'; write for example \"GPU:0\" or \"CPU:0\"");
    if (type == Cpu::type && ordinal == 0) return OkStatus();
    std::string have = "'CPU:0'";
    for (DeviceFactory* factory = device_factories.load(std::memory_order_acquire); factory != nullptr;
         factory = factory->next) {
      if (factory->type == type) {
        TENON_ASSIGN_OR_RETURN(other_, factory->create(StrCat(kPrefix, type, ":", ordinal), ordinal));
        device_ = other_.get();
        return OkStatus();
      }
      StrAppend(&have, ", '", factory->type, ":*'");
    }
    return errors::InvalidArgument("SessionOptions: no device '", options_.devices.front(), "'; available: ", have);
  }

  Result<InEdge> FindEndpoint(std::string_view text, std::string_view what) const {
    const TensorName name = ParseTensorName(text);
    const Node* node = name.output == kControlSlot ? nullptr : graph_.Find(name.node);
    if (node == nullptr)
      return errors::InvalidArgument("Tensor ", name.node, ":", name.output,
                                     ", specified in either feed_devices or fetch_devices was not found in the Graph: ",
                                     what, " '", text, "'", graph_.DidYouMeanNode(name.node));
    if (node->num_outputs() == 0 && what == "fetch")
      return errors::InvalidArgument("Tried to fetch data for '", text,
                                     "', which produces no output.  To run to a node but not fetch any data, pass '",
                                     text,
                                     "' as an argument to the 'target_node_names' argument of the Session::Run API.");
    if (name.output >= node->num_outputs())
      return errors::OutOfRange("Node '", name.node, "' (type: '", node->op_name(),
                                "', num of outputs: ", node->num_outputs(), ") does not have output ", name.output);
    return InEdge{node->id, name.output};
  }

  Result<Ref<Prepared>> Build(std::span<const std::string> feeds, std::span<const std::string> fetches,
                              std::span<const std::string> targets) {
    if (fetches.empty() && targets.empty())
      return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
    SlimVector<InEdge> feed_edges, fetch_edges;
    SlimVector<int> target_ids;
    // As in TensorFlow, names are compared as they are written: "x" may be fed and "x:0" fetched.
    const auto is_fed = [&](const std::string& name) { return std::count(feeds.begin(), feeds.end(), name); };
    for (const std::string& feed : feeds) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(feed, "feed"));
      if (is_fed(feed) > 1) return errors::InvalidArgument("Endpoint \"", feed, "\" fed more than once.");
      feed_edges.push_back(edge);
    }
    for (const std::string& fetch : fetches) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(fetch, "fetch"));
      if (is_fed(fetch) > 0) return errors::InvalidArgument(fetch, " is both fed and fetched.");
      fetch_edges.push_back(edge);
    }
    std::string missing;
    for (const std::string& target : targets) {
      const TensorName name = ParseTensorName(target);
      if (const Node* node = graph_.Find(name.node); node != nullptr)
        target_ids.push_back(node->id);
      else
        StrAppend(&missing, "\"", name.node, "\"", graph_.DidYouMeanNode(name.node), " ");
    }
    if (!missing.empty()) return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing);
    ProgramBuilder builder(graph_, kernels_.get(), device_, host_.get(),
                           {.constant_folding = options_.constant_folding});
    // Evaluating constants runs kernels: with the same treatment of denormals as every run.
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, builder.Build(feed_edges, fetch_edges, target_ids));
    const bool parallel = program->width > 1 && (options_.inter_op_threads > 1 || options_.inter_op_pool != nullptr);
    const bool dataflow =
        options_.executor == ExecutorKind::kDataflow || (options_.executor == ExecutorKind::kAuto && parallel);
    return Ref<Prepared>::Adopt(new Prepared(std::move(program), dataflow));
  }

  SessionOptions options_;
  Owned<ThreadPool> own_intra_, own_inter_;
  ThreadPoolInterface* inter_op_pool_ = nullptr;
  Owned<CpuDevice> host_;
  Owned<Device> other_;
  Device* device_ = nullptr;
  const Registry* registry_ = nullptr;
  Graph graph_;
  Owned<KernelCache> kernels_;
  Mutex mutex_;
  SlimVector<Signature> signatures_;
  std::uint64_t uses_ = 0;  // of signatures, until now
};

class CallableImpl : public RefCounted {
 public:
  CallableImpl(Ref<RefCounted> session, Ref<Prepared> prepared)
      : session_(std::move(session)), prepared_(std::move(prepared)) {}
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) const {
    return static_cast<const SessionImpl&>(*session_).Run(*prepared_, feeds, fetches, trace);
  }
  const Program& program() const { return prepared_->program(); }

 private:
  Ref<RefCounted> session_;  // a SessionImpl
  Ref<Prepared> prepared_;
};

inline Status NoSession() {
  return errors::FailedPrecondition(
      "Session was not created with a graph before Run(): use Session::FromGraphFile or its sisters");
}

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/runtime.hpp ----
// The runtime's definitions. One source file of a program includes this (or <tenon/tenon.hpp>); a second one is
// harmless.
TENON_NAMESPACE_BEGIN

namespace detail {

inline Result<Ref<SessionImpl>> CreateSession(Result<GraphDef> graph, SessionOptions options) {
  TENON_RETURN_IF_ERROR(graph.status());
  return SessionImpl::Create(*std::move(graph), std::move(options));
}

template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphFile(
    const std::string& path, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(ReadGraphFile(path), std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDefBytes(
    std::span<const std::byte> bytes, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(ParseGraphDef(bytes), std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDef(
    const GraphDef& graph, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, SessionImpl::Create(graph, std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraph(
    const GraphBuilder& builder, SessionOptions options) {
  TENON_RETURN_IF_ERROR(builder.status());
  return FromGraphDef(builder.graph_def(), std::move(options));
}

template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Run(
    const Session& session, std::span<const NamedTensor> feeds, std::span<const std::string> fetches,
    std::span<const std::string> targets) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  SlimVector<std::string> names;
  SlimVector<Tensor> values;
  for (const NamedTensor& feed : feeds) {
    names.push_back(feed.name);
    values.push_back(feed.tensor);
  }
  TENON_ASSIGN_OR_RETURN(const Ref<Prepared> prepared, impl.Prepare(names, fetches, targets));
  std::vector<Tensor> outputs(fetches.size());
  TENON_RETURN_IF_ERROR(impl.Run(*prepared, values, outputs, nullptr));
  return outputs;
}
template <class U>
Result<Callable> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::MakeCallable(
    const Session& session, const CallableOptions& options) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  TENON_ASSIGN_OR_RETURN(Ref<Prepared> prepared, impl.Prepare(options.feeds, options.fetches, options.targets));
  Callable callable;
  callable.impl_ = Ref<RefCounted>::Adopt(new CallableImpl(session.impl_, std::move(prepared)));
  return callable;
}
template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Endpoints(
    const Session& session, bool inputs, std::vector<Endpoint>* endpoints) {
  if (!session.impl_) return;
  const SessionImpl& impl = static_cast<const SessionImpl&>(*session.impl_);
  for (const Node& node : impl.graph().nodes()) {
    if (inputs && node.node_class != NodeClass::kPlaceholder) continue;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const auto reads = [&](const OutEdge& edge) { return edge.output == i; };
      if (!inputs && std::any_of(node.outputs.begin(), node.outputs.end(), reads)) continue;
      endpoints->push_back({StrCat(node.name(), ":", i), node.output_type(i), node.output_shape(i).DebugString()});
    }
  }
}
template <class U>
std::vector<std::string> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Devices(
    const Session& session) {
  return !session.impl_ ? std::vector<std::string>() : static_cast<SessionImpl*>(session.impl_.get())->DeviceNames();
}

template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::RunCallable(
    const RefCounted* callable, std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) {
  return callable == nullptr ? NoSession() : static_cast<const CallableImpl*>(callable)->Run(feeds, fetches, trace);
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::NumFeeds(
    const RefCounted* callable) {
  return callable == nullptr ? 0 : static_cast<const CallableImpl*>(callable)->program().feeds.size();
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::NumFetches(
    const RefCounted* callable) {
  return callable == nullptr ? 0 : static_cast<const CallableImpl*>(callable)->program().fetches.size();
}

template struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

}  // namespace detail

TENON_NAMESPACE_END

// ---- tenon/runtime/trace.hpp ----
// The timeline of a run as files: Chrome trace JSON (chrome://tracing, Perfetto) or one self-contained HTML page.
TENON_NAMESPACE_BEGIN

namespace detail {

// A JSON string that is also safe inside <script>.
inline std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out += '"';
}

inline Status WriteTextFile(const std::string& path, std::string_view text) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return errors::PermissionDenied("cannot open '", path, "' for writing");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    return errors::ResourceExhausted("cannot write ", text.size(), " bytes to '", path, "'");
  return OkStatus();
}

inline constexpr std::string_view kTimelinePage = R"page(<style>
body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em;margin:0 0 .2em}table{border-collapse:collapse;margin-top:1.5em}td,th{padding:.15em .8em;text-align:right}
td:first-child,th:first-child{text-align:left}th{border-bottom:1px solid #999}svg{width:100%;background:#f6f6f4;border:1px solid #ddd}
rect:hover{stroke:#000}#tip{min-height:1.5em;font-family:monospace}.bar{display:inline-block;height:.7em}
@media (prefers-color-scheme:dark){body{background:#1c1c1e;color:#ddd}svg{background:#262628;border-color:#444}}
</style><h1 id="title"></h1><div id="sum"></div><div id="tip">Move over a bar.</div><svg id="rows"></svg><table id="ops"></table><script>
const hue=new Map(),color=o=>{if(!hue.has(o))hue.set(o,hue.size*47%360);return`hsl(${hue.get(o)} 60% 55%)`};
const us=n=>(n/1000).toFixed(n<1e4?2:1)+' \u00b5s',esc=s=>s.replace(/[&<>]/g,c=>'&#'+c.charCodeAt(0)+';');
document.title=document.getElementById('title').textContent=run.title;
const busy=run.nodes.reduce((a,n)=>a+n.end-n.start,0);
document.getElementById('sum').textContent=`${run.nodes.length} nodes, ${us(run.total)} in all, ${us(busy)} in kernels`;
const threads=1+Math.max(0,...run.nodes.map(n=>n.thread)),svg=document.getElementById('rows'),H=34;
svg.setAttribute('viewBox',`0 0 1200 ${threads*H+20}`);
let s='';run.nodes.forEach((n,i)=>{const x=n.start/run.total*1200,w=Math.max(.6,(n.end-n.start)/run.total*1200);
s+=`<rect data-i="${i}" x="${x}" y="${n.thread*H+4}" width="${w}" height="${H-8}" fill="${color(n.op)}"/>`;
if(w>60)s+=`<text x="${x+4}" y="${n.thread*H+21}" font-size="11" pointer-events="none">${esc(n.op)}</text>`});
for(let k=0;k<=4;k++)s+=`<text x="${Math.min(1130,k*300)}" y="${threads*H+14}" font-size="11" fill="#888">${us(run.total*k/4)}</text>`;
svg.innerHTML=s;svg.onmousemove=e=>{const n=run.nodes[e.target.dataset?.i];if(n)document.getElementById('tip').textContent=
`${n.name} (${n.op}) on ${n.device}: ${us(n.end-n.start)}, ${n.bytes} bytes out`};
const by=new Map();run.nodes.forEach(n=>{const r=by.get(n.op)||{op:n.op,t:0,c:0};r.t+=n.end-n.start;r.c++;by.set(n.op,r)});
document.getElementById('ops').innerHTML='<tr><th>op<th>nodes<th>time<th>share<th></tr>'+[...by.values()].sort((a,b)=>b.t-a.t).map(r=>
`<tr><td>${esc(r.op)}<td>${r.c}<td>${us(r.t)}<td>${(100*r.t/busy).toFixed(1)} %<td style="text-align:left"><span class="bar" style="width:${200*r.t/busy}px;background:${color(r.op)}"></span></tr>`).join('');
</script>)page";

}  // namespace detail

// One self-contained page: a row of bars per thread, a table of time by op. It loads nothing from anywhere.
inline std::string TimelineHtml(const RunTrace& trace, std::string_view title) {
  std::string html = "<!doctype html><meta charset=\"utf-8\"><script>const run={title:";
  StrAppend(&html, detail::JsonString(title), ",total:", trace.total_ns, ",nodes:[");
  for (const NodeTiming& n : trace.nodes)
    StrAppend(&html, "\n{name:", detail::JsonString(n.name), ",op:", detail::JsonString(n.op),
              ",device:", detail::JsonString(n.device), ",start:", n.start_ns, ",end:", n.end_ns,
              ",bytes:", n.output_bytes, ",thread:", n.thread, "},");
  StrAppend(&html, "]};</script>", detail::kTimelinePage, "\n");
  return html;
}
inline Status WriteTimelineHtml(const RunTrace& trace, std::string_view title, const std::string& path) {
  return detail::WriteTextFile(path, TimelineHtml(trace, title));
}

// Complete ("X") events, one process, one thread id per worker thread; times in microseconds.
inline std::string ChromeTraceJson(const RunTrace& trace) {
  std::string json = "{\"traceEvents\":[";
  bool first = true;
  for (const NodeTiming& n : trace.nodes) {
    StrAppend(&json, first ? "" : ",", "\n{\"ph\":\"X\",\"pid\":1,\"tid\":", n.thread,
              ",\"name\":", detail::JsonString(n.op), ",\"ts\":", static_cast<double>(n.start_ns) / 1000,
              ",\"dur\":", static_cast<double>(n.end_ns - n.start_ns) / 1000,
              ",\"args\":{\"node\":", detail::JsonString(n.name), ",\"device\":", detail::JsonString(n.device),
              ",\"bytes\":", n.output_bytes, "}}");
    first = false;
  }
  return json += "\n]}\n";
}
inline Status WriteChromeTrace(const RunTrace& trace, const std::string& path) {
  return detail::WriteTextFile(path, ChromeTraceJson(trace));
}

TENON_NAMESPACE_END

// ---- tenon/tenon.hpp ----
// Everything but the standard ops: what a small program includes once. It holds the runtime's definitions
// (<tenon/runtime.hpp>); further source files of a larger program include <tenon/session.hpp> or <tenon/register.hpp>.
