// SPDX-License-Identifier: Apache-2.0
#pragma once
// tensorflow::Status, absl::Status and Tenon's are one type; errors::InvalidArgument and its sisters, and the macros
// that hand errors on.

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tenon/base/status.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>

#if defined(ABSL_STATUS_STATUS_H_)
static_assert(false,
              "tenon: this file includes Abseil's own absl/status/status.h before Tenon's. Put Tenon's folder "
              "compat/include before Abseil's include folder.");
#endif

namespace tensorflow {

using Status = tenon::Status;
template <class T>
using StatusOr = tenon::Result<T>;
constexpr Status OkStatus() { return {}; }

namespace error {
// clang-format off
#define TENON_COMPAT_CODES(M)                                                                                        \
  M(OK, kOk) M(CANCELLED, kCancelled) M(UNKNOWN, kUnknown) M(INVALID_ARGUMENT, kInvalidArgument)                     \
  M(DEADLINE_EXCEEDED, kDeadlineExceeded) M(NOT_FOUND, kNotFound) M(ALREADY_EXISTS, kAlreadyExists)                  \
  M(PERMISSION_DENIED, kPermissionDenied) M(RESOURCE_EXHAUSTED, kResourceExhausted)                                  \
  M(FAILED_PRECONDITION, kFailedPrecondition) M(ABORTED, kAborted) M(OUT_OF_RANGE, kOutOfRange)                      \
  M(UNIMPLEMENTED, kUnimplemented) M(INTERNAL, kInternal) M(UNAVAILABLE, kUnavailable) M(DATA_LOSS, kDataLoss)       \
  M(UNAUTHENTICATED, kUnauthenticated)
// clang-format on
// A code by the names of error_codes.proto; converts to and from the status's own.
class Code {
 public:
  constexpr Code() = default;
  constexpr Code(tenon::Code code) : code_(code) {}
  constexpr explicit Code(int code) : code_(static_cast<tenon::Code>(code)) {}
  constexpr operator tenon::Code() const { return code_; }
  constexpr explicit operator int() const { return static_cast<int>(code_); }
  friend constexpr bool operator==(Code a, Code b) { return a.code_ == b.code_; }
  friend constexpr bool operator==(Code a, tenon::Code b) { return a.code_ == b; }
#define TENON_COMPAT_CODE(NAME, OF) static const Code NAME;
  TENON_COMPAT_CODES(TENON_COMPAT_CODE)
#undef TENON_COMPAT_CODE

 private:
  tenon::Code code_ = tenon::Code::kOk;
};
#define TENON_COMPAT_CODE(NAME, OF)                   \
  inline constexpr Code Code::NAME = tenon::Code::OF; \
  inline constexpr Code NAME = tenon::Code::OF;
TENON_COMPAT_CODES(TENON_COMPAT_CODE)
#undef TENON_COMPAT_CODE
inline std::string Code_Name(Code code) { return std::string(tenon::Name(code)); }
inline std::ostream& operator<<(std::ostream& out, Code code) { return out << tenon::Name(code); }
}  // namespace error

namespace errors {

using Code = tenon::Code;

// Payloads of errors.
using Payloads = std::unordered_map<std::string, std::string>;
// For each code, functions that make an error of all that can be printed, and one that asks for the code.
#define TENON_COMPAT_ERROR(NAME)                                                \
  template <class... T>                                                         \
  Status NAME(const T&... pieces) {                                             \
    return Status(Code::k##NAME, strings::StrCat(pieces...));                   \
  }                                                                             \
  inline Status NAME##WithPayloads(std::string_view message, const Payloads&) { \
    return Status(Code::k##NAME, message);                                      \
  }                                                                             \
  inline bool Is##NAME(const Status& status) { return status.code() == Code::k##NAME; }
TENON_COMPAT_ERROR(Cancelled)
TENON_COMPAT_ERROR(Unknown)
TENON_COMPAT_ERROR(InvalidArgument)
TENON_COMPAT_ERROR(DeadlineExceeded)
TENON_COMPAT_ERROR(NotFound)
TENON_COMPAT_ERROR(AlreadyExists)
TENON_COMPAT_ERROR(PermissionDenied)
TENON_COMPAT_ERROR(ResourceExhausted)
TENON_COMPAT_ERROR(FailedPrecondition)
TENON_COMPAT_ERROR(Aborted)
TENON_COMPAT_ERROR(OutOfRange)
TENON_COMPAT_ERROR(Unimplemented)
TENON_COMPAT_ERROR(Internal)
TENON_COMPAT_ERROR(Unavailable)
TENON_COMPAT_ERROR(DataLoss)
TENON_COMPAT_ERROR(Unauthenticated)
#undef TENON_COMPAT_ERROR

inline Status Create(Code code, std::string_view message) { return Status(code, message); }
inline Status CreateWithUpdatedMessage(const Status& status, std::string_view message) {
  return Status(status.code(), message);
}
template <class... T>
void AppendToMessage(Status* status, const T&... pieces) {
  *status = status->WithAppended(strings::StrCat("\n\t", pieces...));
}
// An error of Tenon has no payloads.
inline Payloads GetPayloads(const Status&) { return {}; }
inline void InsertPayloads(Status&, const Payloads&) {}
inline void CopyPayloads(const Status&, Status&) {}
inline Status Create(Code code, std::string_view message, const Payloads&) { return Status(code, message); }

// The error of a system call, by its number.
inline Code ErrnoToCode(int number) {
  switch (number) {
    case 0: return Code::kOk;
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDESTADDRREQ:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOPROTOOPT:
    case ENOSTR:
    case ENOTSOCK:
    case ENOTTY:
    case EPROTOTYPE:
    case ESPIPE: return Code::kInvalidArgument;
    case ETIMEDOUT:
    case ETIME: return Code::kDeadlineExceeded;
    case ENODEV:
    case ENOENT:
    case ENXIO:
    case ESRCH: return Code::kNotFound;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY: return Code::kAlreadyExists;
    case EPERM:
    case EACCES:
    case EROFS: return Code::kPermissionDenied;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EADDRINUSE:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTBLK:
    case ENOTCONN:
    case EPIPE:
    case ESHUTDOWN:
    case ETXTBSY: return Code::kFailedPrecondition;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENODATA:
    case ENOMEM:
    case ENOSR:
    case EUSERS: return Code::kResourceExhausted;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE: return Code::kOutOfRange;
    case ENOSYS:
    case ENOTSUP:
    case EAFNOSUPPORT:
    case EPFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT:
    case EXDEV: return Code::kUnimplemented;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNABORTED:
    case ECONNRESET:
    case EINTR:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLCK:
    case ENOLINK: return Code::kUnavailable;
    case EDEADLK:
    case ESTALE: return Code::kAborted;
    case ECANCELED: return Code::kCancelled;
    default: return Code::kUnknown;
  }
}
inline Status IOError(const std::string& context, int number) {
  const Code code = ErrnoToCode(number);
  return code == Code::kOk ? Status() : Status(code, strings::StrCat(context, "; ", std::strerror(number)));
}
template <class Names>
std::string FormatNodeNamesForError(const Names& names) {
  std::string out;
  for (const auto& name : names) out += strings::StrCat(out.empty() ? "" : ", ", "{{node ", name, "}}");
  return out;
}
inline std::string FormatFunctionForError(std::string_view name) {
  return strings::StrCat("{{function_node ", name, "}}");
}
inline std::string FormatNodeNameForError(std::string_view name) { return strings::StrCat("{{node ", name, "}}"); }
inline std::string FormatColocationNodeForError(std::string_view name) {
  return strings::StrCat("{{colocation_node ", name, "}}");
}

}  // namespace errors

using StatusCallback = std::function<void(const Status&)>;

// Several errors as one. Errors that follow from another one are marked by MakeDerived.
class StatusGroup {
 public:
  StatusGroup() = default;
  StatusGroup(std::initializer_list<Status> statuses) {
    for (const Status& status : statuses) Update(status);
  }
  static Status MakeDerived(const Status& status) {
    return status.ok() || IsDerived(status) ? status : Status(status.code(), strings::StrCat(kMark, status.message()));
  }
  static bool IsDerived(const Status& status) { return status.message().starts_with(kMark); }
  static void ConfigureLogHistory() {}
  void Update(const Status& status) {
    ok_ = ok_ && status.ok();
    ++total_;
    if (!status.ok()) (IsDerived(status) ? derived_ : roots_).push_back(status);
  }
  bool ok() const { return ok_; }
  bool HasLogMessages() const { return false; }
  void AttachLogMessages() {}
  Status as_summary_status() const {
    if (ok_) return Status();
    if (roots_.empty()) return derived_[0];
    if (roots_.size() == 1) return roots_[0];
    std::string text = strings::StrCat(roots_.size(), " root error(s) found.");
    for (std::size_t i = 0; i < roots_.size(); ++i)
      text += strings::StrCat("\n  (", i, ") ", error_text(roots_[i]), ": ", roots_[i].message());
    text += strings::StrCat("\n", total_ - roots_.size() - derived_.size(), " successful operations.\n",
                            derived_.size(), " derived errors ignored.");
    return Status(roots_[0].code(), text);
  }
  Status as_concatenated_status() const {
    if (ok_) return Status();
    if (roots_.size() == 1) return roots_[0];
    if (roots_.empty()) return derived_[0];
    std::string text = "\n=====================";
    for (const Status& status : roots_) text += strings::StrCat("\n", status.message());
    return Status(roots_[0].code(), text + "\n=====================\n");
  }

 private:
  static constexpr std::string_view kMark = "[_Derived_]";
  static std::string error_text(const Status& status) { return std::string(tenon::Name(status.code())); }
  bool ok_ = true;
  std::size_t total_ = 0;
  std::vector<Status> roots_, derived_;
};

inline std::string error_name(tenon::Code code) { return std::string(tenon::Name(code)); }

}  // namespace tensorflow

namespace absl {

using Status = ::tenon::Status;
using StatusCode = ::tenon::Code;
template <class T>
using StatusOr = ::tenon::Result<T>;
constexpr Status OkStatus() { return {}; }
#define TENON_COMPAT_ABSL(NAME)                                                                        \
  inline Status NAME##Error(std::string_view message) { return Status(StatusCode::k##NAME, message); } \
  inline bool Is##NAME(const Status& status) { return status.code() == StatusCode::k##NAME; }
TENON_COMPAT_ABSL(Cancelled)
TENON_COMPAT_ABSL(Unknown)
TENON_COMPAT_ABSL(InvalidArgument)
TENON_COMPAT_ABSL(DeadlineExceeded)
TENON_COMPAT_ABSL(NotFound)
TENON_COMPAT_ABSL(AlreadyExists)
TENON_COMPAT_ABSL(PermissionDenied)
TENON_COMPAT_ABSL(ResourceExhausted)
TENON_COMPAT_ABSL(FailedPrecondition)
TENON_COMPAT_ABSL(Aborted)
TENON_COMPAT_ABSL(OutOfRange)
TENON_COMPAT_ABSL(Unimplemented)
TENON_COMPAT_ABSL(Internal)
TENON_COMPAT_ABSL(Unavailable)
TENON_COMPAT_ABSL(DataLoss)
TENON_COMPAT_ABSL(Unauthenticated)
#undef TENON_COMPAT_ABSL
inline std::string StatusCodeToString(StatusCode code) { return std::string(::tenon::Name(code)); }

}  // namespace absl

#define TF_RETURN_IF_ERROR(...)                                                  \
  do {                                                                           \
    if (::tenon::Status tf_status = (__VA_ARGS__); !tf_status.ok()) [[unlikely]] \
      return tf_status;                                                          \
  } while (false)
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(STATUS, ...)                          \
  do {                                                                        \
    if (::tenon::Status tf_status = (STATUS); !tf_status.ok()) [[unlikely]] { \
      ::tensorflow::errors::AppendToMessage(&tf_status, __VA_ARGS__);         \
      return tf_status;                                                       \
    }                                                                         \
  } while (false)
#define TF_ASSIGN_OR_RETURN(LHS, ...) \
  TENON_COMPAT_ASSIGN_OR_RETURN(TENON_DETAIL_CONCAT(tf_result_, __COUNTER__), LHS, __VA_ARGS__)
#define TENON_COMPAT_ASSIGN_OR_RETURN(RESULT, LHS, ...) \
  auto RESULT = (__VA_ARGS__);                          \
  if (!RESULT.ok()) [[unlikely]]                        \
    return RESULT.status();                             \
  LHS = std::move(RESULT).value()
