// SPDX-License-Identifier: Apache-2.0
#pragma once
// tensorflow::Status, absl::Status and Tenon's are one type; errors::InvalidArgument and its sisters, and the macros
// that hand errors on.

#include <string>
#include <string_view>
#include <utility>

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
enum Code : int {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16
};
constexpr bool operator==(tenon::Code a, Code b) { return static_cast<int>(a) == static_cast<int>(b); }
constexpr bool operator==(Code a, tenon::Code b) { return static_cast<int>(a) == static_cast<int>(b); }
}  // namespace error

namespace errors {

using Code = tenon::Code;

// For each code, a function that makes an error of all that can be printed, and one that asks for the code.
#define TENON_COMPAT_ERROR(NAME)                              \
  template <class... T>                                       \
  Status NAME(const T&... pieces) {                           \
    return Status(Code::k##NAME, strings::StrCat(pieces...)); \
  }                                                           \
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
inline std::string FormatNodeNameForError(std::string_view name) { return strings::StrCat("{{node ", name, "}}"); }
inline std::string FormatColocationNodeForError(std::string_view name) {
  return strings::StrCat("{{colocation_node ", name, "}}");
}

}  // namespace errors

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
