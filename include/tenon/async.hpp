// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asynchronous runs as std::future and for co_await. Callable::RunAsync, which takes a callback, is in
// <tenon/tenon.hpp>.

#include <atomic>
#include <coroutine>
#include <exception>
#include <future>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Fetches of a run, or its error.
using RunResult = Result<std::vector<Tensor>>;

// Starts a run of Callable::RunAsync. The future gets its fetches or its error; it never throws, and its destructor
// does not wait. thread-safe. Without memory for the future std::bad_alloc is thrown.
//
//   std::future<tenon::RunResult> a = tenon::RunFuture(model, {x}), b = tenon::RunFuture(model, {y});
//   const tenon::RunResult first = a.get();
inline std::future<RunResult> RunFuture(const Callable& callable, Span<const Tensor> feeds,
                                        const RunOptions& options = {}) {
  auto promise = std::make_shared<std::promise<RunResult>>();
  std::future<RunResult> future = promise->get_future();
  callable.RunAsync(feeds, options,
                    [promise = std::move(promise)](RunResult fetches) { promise->set_value(std::move(fetches)); });
  return future;
}
inline std::future<RunResult> RunFuture(const Callable& callable, std::initializer_list<Tensor> feeds,
                                        const RunOptions& options = {}) {
  return RunFuture(callable, Span<const Tensor>(feeds.begin(), feeds.size()), options);
}

// A run that a coroutine waits for; of RunAwait. one thread.
class RunAwaiter {
 public:
  RunAwaiter(Callable callable, std::vector<Tensor> feeds, const RunOptions& options)
      : callable_(std::move(callable)), feeds_(std::move(feeds)), options_(options) {}
  RunAwaiter(const RunAwaiter&) = delete;
  RunAwaiter& operator=(const RunAwaiter&) = delete;

  // The three calls of `co_await`.
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    callable_.RunAsync({feeds_.data(), feeds_.size()}, options_, [this](RunResult fetches) {
      result_ = std::move(fetches);
      // The second of the two, this and the line below, resumes: here by a call, there by not suspending.
      if (is_second_.exchange(true, std::memory_order_acq_rel)) waiter_.resume();
    });
    return !is_second_.exchange(true, std::memory_order_acq_rel);
  }
  RunResult await_resume() { return std::move(result_); }

 private:
  const Callable callable_;
  const std::vector<Tensor> feeds_;
  const RunOptions options_;
  std::coroutine_handle<> waiter_;
  RunResult result_ = errors::Internal("RunAwait: the run has not ended");
  std::atomic<bool> is_second_{false};
};

// Starts a run of Callable::RunAsync when it is awaited, and gives its fetches or its error. The coroutine goes on with
// the thread that would call the callback. thread-safe.
//
//   auto run = tenon::RunAwait(model, {x});    // g++ 12 refuses {x} within the operand of co_await
//   const tenon::RunResult outputs = co_await run;
inline RunAwaiter RunAwait(const Callable& callable, std::vector<Tensor> feeds, const RunOptions& options = {}) {
  return RunAwaiter(callable, std::move(feeds), options);
}

TENON_DETAIL_NAMESPACE_END
