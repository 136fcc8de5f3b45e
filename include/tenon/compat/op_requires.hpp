// SPDX-License-Identifier: Apache-2.0
#pragma once
// OP_REQUIRES and its sisters, for kernels that were written for TensorFlow: on failure the context gets the status and
// the function returns. They work on OpKernelContext and OpKernelConstruction; the status is evaluated on failure only.
//
//   void Compute(OpKernelContext* ctx) override {
//     OP_REQUIRES(ctx, ctx->input(0).dims() == 1, errors::InvalidArgument("x must be a vector"));
//     Tensor* y = nullptr;
//     OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));

#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/context_access.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// An asynchronous kernel that returns without calling done would end with that mistake alone: its own error goes on.
inline void CheckNotInComputeAsync(OpKernelContext* context, const char* use) {
  if (const_cast<OpKernel&>(context->op_kernel()).AsAsync() == nullptr) return;
  TENON_LOG(kError, "node '", context->op_kernel().name(), "': Use ", use, " in AsyncOpKernel implementations.");
}
inline void CheckNotInComputeAsync(OpKernelConstruction*, const char*) {}

inline const Status& StatusOf(const Status& status) { return status; }
template <class T>
const Status& StatusOf(const Result<T>& result) {
  return result.status();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#define OP_REQUIRES(CTX, EXP, STATUS)                     \
  do {                                                    \
    if (!(EXP)) [[unlikely]] {                            \
      using ::tenon::detail::CheckNotInComputeAsync;      \
      CheckNotInComputeAsync((CTX), "OP_REQUIRES_ASYNC"); \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS));    \
      return;                                             \
    }                                                     \
  } while (false)

// Takes a Status or a Result.
#define OP_REQUIRES_OK(CTX, ...)                                                 \
  do {                                                                           \
    const ::tenon::Status tenon_status = ::tenon::detail::StatusOf(__VA_ARGS__); \
    if (!tenon_status.ok()) [[unlikely]] {                                       \
      using ::tenon::detail::CheckNotInComputeAsync;                             \
      CheckNotInComputeAsync((CTX), "OP_REQUIRES_OK_ASYNC");                     \
      (CTX)->CtxFailureWithWarning(__FILE__, __LINE__, tenon_status);            \
      return;                                                                    \
    }                                                                            \
  } while (false)

#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, DONE)      \
  do {                                                 \
    if (!(EXP)) [[unlikely]] {                         \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      (DONE)();                                        \
      return;                                          \
    }                                                  \
  } while (false)

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, DONE)                             \
  do {                                                                      \
    const ::tenon::Status tenon_status = ::tenon::detail::StatusOf(STATUS); \
    if (!tenon_status.ok()) [[unlikely]] {                                  \
      (CTX)->CtxFailureWithWarning(__FILE__, __LINE__, tenon_status);       \
      (DONE)();                                                             \
      return;                                                               \
    }                                                                       \
  } while (false)

// lhs = the value of a Result; its error otherwise.
#define OP_REQUIRES_VALUE(LHS, CTX, ...) \
  TENON_DETAIL_OP_REQUIRES_VALUE(TENON_DETAIL_CONCAT(tenon_value_, __LINE__), LHS, CTX, __VA_ARGS__)
#define TENON_DETAIL_OP_REQUIRES_VALUE(RESULT, LHS, CTX, ...) \
  auto RESULT = (__VA_ARGS__);                                \
  OP_REQUIRES_OK(CTX, RESULT.status());                       \
  LHS = *std::move(RESULT)
