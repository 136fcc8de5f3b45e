// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunKernel, StartKernel: how executors call kernels, so that a kernel's faults become errors of its node: an
// exception, a done that is called twice. (Outputs that are missing or of another type are the executor's own check.)

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

#if defined(__cpp_exceptions)
// Inside of a catch (...).
TENON_COLD inline Status StatusOfException(const OpKernel& kernel) {
  const auto where = [&kernel] {
    return StrCat("the kernel of op '", kernel.type_string(), "' threw out of node '", kernel.name(), "'");
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted(where(), ": std::bad_alloc: no memory");
  } catch (const std::exception& e) {
    return errors::Internal(where(), ": ", e.what());
  } catch (...) {
    return errors::Internal(where(), ": something that is no std::exception");
  }
}
#endif

// The asynchronous calls that have not ended. Each has a number that is never used again, so that a second call of done
// is told from the first although nothing of the call is left then. thread-safe.
class PendingAsyncCalls {
 public:
  static PendingAsyncCalls& Global() {
    static PendingAsyncCalls* const calls = new PendingAsyncCalls();
    return *calls;
  }

  std::uintptr_t Add(AsyncOpKernel::DoneCallback done) {
    const SpinLockHolder lock(lock_);
    calls_.push_back({++last_, done});
    return last_;
  }
  // False when the call has ended already.
  bool Remove(std::uintptr_t number, AsyncOpKernel::DoneCallback* done) {
    const SpinLockHolder lock(lock_);
    for (std::size_t i = calls_.size(); i-- > 0;) {  // those that began last often end first
      if (calls_[i].number != number) continue;
      *done = calls_[i].done;
      calls_[i] = calls_.back();
      calls_.pop_back();
      return true;
    }
    return false;
  }

 private:
  struct Call {
    std::uintptr_t number;
    AsyncOpKernel::DoneCallback done;
  };
  SpinLock lock_;
  std::uintptr_t last_ = 0;
  SlimVector<Call> calls_;
};

inline void EndAsyncCall(void* state) {
  AsyncOpKernel::DoneCallback done{};
  if (PendingAsyncCalls::Global().Remove(reinterpret_cast<std::uintptr_t>(state), &done)) [[likely]]
    return done();
  TENON_LOG(kError, "an asynchronous kernel called its done callback twice; the second call does nothing");
}

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

// ComputeAsync; `done` is called once, whatever the kernel does, unless it never ends. An exception ends the call with
// an error, if it has not ended before; about 50 ns more than ComputeAsync itself.
inline void StartKernel(AsyncOpKernel* kernel, OpKernelContext* context, AsyncOpKernel::DoneCallback done) {
  const std::uintptr_t number = detail::PendingAsyncCalls::Global().Add(done);
  void* const state = reinterpret_cast<void*>(number);
#if defined(__cpp_exceptions)
  try {
    kernel->ComputeAsync(context, {&detail::EndAsyncCall, state});
  } catch (...) {
    const Status status = detail::StatusOfException(*kernel);
    AsyncOpKernel::DoneCallback pending{};
    if (!detail::PendingAsyncCalls::Global().Remove(number, &pending)) {
      TENON_LOG(kError, status.message(), ", after its end");
      return;
    }
    context->SetStatus(status);
    pending();
  }
#else
  kernel->ComputeAsync(context, {&detail::EndAsyncCall, state});
#endif
}

TENON_NAMESPACE_END
