// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunKernel, StartKernel: how executors call kernels, so that a kernel's faults become errors of its node: an
// exception, a done that is called twice or never. (Outputs that are missing or of another type are the executor's own
// check.)

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

#if defined(__cpp_exceptions)
TENON_DETAIL_COLD inline Status StatusOfException(const OpKernel& kernel) noexcept {
  return StatusOfException({"the kernel of op '", kernel.type_string(), "' threw out of node '", kernel.name(), "'"});
}
#endif

}  // namespace detail

// Compute. What it throws is an error of the context: Internal, ResourceExhausted for std::bad_alloc.
inline void RunKernel(OpKernel* kernel, OpKernelContext* context) {
#if defined(__cpp_exceptions)
  try {
    kernel->Compute(context);
  } catch (...) {
    context->SetStatus(detail::StatusOfException(*kernel));
  }
#else
  kernel->Compute(context);
#endif
}

// The callback for the end of an asynchronous kernel.
struct AsyncEnd {
  void (*call)(void* state);
  void* state;
  AsyncFaults* faults = nullptr;
};

// ComputeAsync; `done` is called once, whatever the kernel does, unless it keeps its done for ever. An exception ends
// the call with an error, if it has not ended before. What belongs to the run may be gone when this returns.
inline void StartKernel(AsyncOpKernel* kernel, OpKernelContext* context,
                        const AsyncOpKernel::DoneCallback& done) noexcept {
#if defined(__cpp_exceptions)
  try {
    kernel->ComputeAsync(context, done);
  } catch (...) {
    if (done.ended()) {  // and with it perhaps the kernel
      return detail::LogStatus(
          detail::StatusOfException("an asynchronous kernel threw").WithAppended(", after its end"));
    }
    done.EndWith(detail::StatusOfException(*kernel));
  }
#else
  kernel->ComputeAsync(context, done);
#endif
}

// Without memory for the call it ends at once.
inline void StartKernel(AsyncOpKernel* kernel, OpKernelContext* context, AsyncEnd end) {
#if defined(__cpp_exceptions)
  try {
    StartKernel(kernel, context, AsyncOpKernel::DoneCallback(end.call, end.state, context, end.faults));
  } catch (...) {
    context->SetStatus(detail::StatusOfException(*kernel));
    end.call(end.state);
  }
#else
  StartKernel(kernel, context, AsyncOpKernel::DoneCallback(end.call, end.state, context, end.faults));
#endif
}

TENON_DETAIL_NAMESPACE_END
