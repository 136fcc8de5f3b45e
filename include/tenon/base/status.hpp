// SPDX-License-Identifier: Apache-2.0
#pragma once
// Status and Result<T>: how everything that can fail says so. Codes are TensorFlow's (and absl's, and gRPC's).
//
//   Result<Tensor> Load(const std::string& path) {
//     TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
//     TENON_RETURN_IF_ERROR(Check(file));
//     return Decode(file);
//   }

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/refcount.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// The codes of TensorFlow, absl and gRPC.
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
// immutable but for Update and assignment; different copies may be used from different threads. Nothing here throws.
class [[nodiscard]] Status {
 public:
  constexpr Status() noexcept = default;  // OK
  // Makes an error with a message, or OK for kOk. Without memory for the message it is NoMemory().
  TENON_DETAIL_COLD Status(Code code, std::string_view message) noexcept
      : rep_(code == Code::kOk ? nullptr : Make(code, message, {})) {
    if (code != Code::kOk && rep_ == nullptr) *this = NoMemory();
  }
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

  static constexpr Status OK() noexcept { return {}; }  // no error: TensorFlow's older name of OkStatus()

  // Keeps the first error: does nothing when this is an error already.
  constexpr void Update(const Status& other) {
    if (ok()) *this = other;
  }
  // Returns the status with `text` appended to its message; OK stays OK. Without memory the status stays as it is.
  Status WithAppended(std::string_view text) const noexcept {
    if (ok()) return *this;
    Status longer;
    longer.rep_ = Make(rep_->code, rep_->message, text);
    return longer.ok() ? *this : longer;
  }
  // Returns the error of code kResourceExhausted with the message "out of memory". It needs no memory itself.
  TENON_DETAIL_COLD static Status NoMemory() noexcept {
    alignas(Rep) static unsigned char memory[sizeof(Rep)];  // never destroyed
    static Rep* const rep = ::new (static_cast<void*>(memory)) Rep{{}, Code::kResourceExhausted, "out of memory"};
    rep->refs.Add();
    Status status;
    status.rep_ = rep;
    return status;
  }

  constexpr bool ok() const noexcept { return rep_ == nullptr; }  // whether there is no error
  Code code() const noexcept { return rep_ == nullptr ? Code::kOk : rep_->code; }  // kOk, or the error's code
  // empty for OK; valid until assignment
  std::string_view message() const noexcept { return rep_ == nullptr ? std::string_view() : rep_->message; }
  std::string error_message() const { return std::string(message()); }  // a copy of message()
  int raw_code() const noexcept { return static_cast<int>(code()); }    // code() as a number
  void IgnoreError() const noexcept {}                                  // says that an error changes nothing
  // Returns "OK", or "INVALID_ARGUMENT: MatMul: ...".
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
    RefCount refs;
    Code code;
    std::string message;
  };
  // Null: there is no memory.
  TENON_DETAIL_COLD static Rep* Make(Code code, std::string_view message, std::string_view more) noexcept {
#if defined(__cpp_exceptions)
    try {
#endif
      std::string text(message);
      text.append(more);
      return new Rep{{}, code, static_cast<std::string&&>(text)};
#if defined(__cpp_exceptions)
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
#endif
  }
  void Share() const { rep_->refs.Add(); }
  TENON_DETAIL_COLD void Drop() {
    if (rep_->refs.Drop()) delete rep_;
  }

  Rep* rep_ = nullptr;
};
static_assert(sizeof(Status) == sizeof(void*));

constexpr Status OkStatus() { return {}; }  // no error

namespace detail {
[[noreturn]] TENON_DETAIL_COLD inline void DieOnBadResult(const Status& status) {
  std::fprintf(stderr, "tenon: the value of a Result was asked for, but it holds an error: %s\n",
               status.ToString().c_str());
  std::abort();
}
// The status of a Result without a value.
TENON_DETAIL_NOINLINE inline void RefuseOk(Status* status) {
  if (status->ok()) *status = Status(Code::kInternal, "a Result was made from an OK status: return a value instead");
}
}  // namespace detail

// A T, or the Status that says why there is none. externally synchronised.
//
//   if (tenon::Result<tenon::Tensor> x = tenon::ReadNpy("x.npy"); x.ok()) Use(*x);
//   else Report(x.status());
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result() : status_(Code::kUnknown, "") {}  // without a value: the code is kUnknown
  // Makes a Result without a value. An OK status becomes an Internal error.
  TENON_DETAIL_ALWAYS_INLINE Result(const Status& status) : status_(status) { detail::RefuseOk(&status_); }
  TENON_DETAIL_ALWAYS_INLINE Result(Status&& status) : status_(static_cast<Status&&>(status)) {
    detail::RefuseOk(&status_);
  }
  // Makes a Result with a value.
  template <class U = T>
    requires(TENON_DETAIL_IS_CONSTRUCTIBLE(T, U &&) && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status>)
  Result(U&& value) {
    ::new (static_cast<void*>(&value_)) T(std::forward<U>(value));
  }
  // Makes a Result with the value, converted, or the status of `other`.
  template <class U>
    requires(!std::is_same_v<T, U> && TENON_DETAIL_IS_CONSTRUCTIBLE(T, const U&))
  Result(const Result<U>& other) : status_(other.status()) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(*other);
  }
  template <class U>
    requires(!std::is_same_v<T, U> && TENON_DETAIL_IS_CONSTRUCTIBLE(T, U &&))
  Result(Result<U>&& other) : status_(other.status()) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(*std::move(other));
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

  TENON_DETAIL_ALWAYS_INLINE bool ok() const { return status_.ok(); }  // whether there is a value
  TENON_DETAIL_ALWAYS_INLINE const Status& status() const& { return status_; }  // OK when there is a value
  TENON_DETAIL_ALWAYS_INLINE Status status() && {
    return status_;
  }  // the status stays: it says whether there is a value

  // Returns the value. Without a value the process ends with a message that has the error.
  TENON_DETAIL_ALWAYS_INLINE T& value() & { return Checked(), value_; }
  TENON_DETAIL_ALWAYS_INLINE const T& value() const& { return Checked(), value_; }
  TENON_DETAIL_ALWAYS_INLINE T&& value() && { return Checked(), std::move(value_); }
  TENON_DETAIL_ALWAYS_INLINE T& operator*() & { return value(); }  // as value()
  TENON_DETAIL_ALWAYS_INLINE const T& operator*() const& { return value(); }
  TENON_DETAIL_ALWAYS_INLINE T&& operator*() && { return std::move(*this).value(); }
  TENON_DETAIL_ALWAYS_INLINE T* operator->() { return &value(); }  // as value()
  TENON_DETAIL_ALWAYS_INLINE const T* operator->() const { return &value(); }
  T& ValueOrDie() & { return value(); }  // an older name of value()
  const T& ValueOrDie() const& { return value(); }  // an older name of value()
  T&& ValueOrDie() && { return std::move(*this).value(); }  // an older name of value()
  T ConsumeValueOrDie() { return std::move(*this).value(); }  // an older name of std::move(result).value()
  // Replaces value or error by a new value.
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    return *(*this = Result(T(std::forward<Arguments>(arguments)...)));
  }
  T value_or(T other) const& { return ok() ? value_ : std::move(other); }  // the value, or `other`

 private:
  TENON_DETAIL_ALWAYS_INLINE void Checked() const {
    if (!ok()) detail::DieOnBadResult(status_);
  }

  Status status_;
  union {
    T value_;
  };
};

TENON_DETAIL_STEP_NAMESPACE_END

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
