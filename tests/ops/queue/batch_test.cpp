// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/batch.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/ops/flow/py_func.hpp>

#include "ops/queue/batching.hpp"

namespace queue_batch_test {
using namespace batching_test;

TEST_SUITE("BatchFunction") {
  TEST_CASE("inputs of several runs make one batch, and each run gets its own rows") {
    const Served served({.max_rows = 6, .timeout_micros = 10'000'000});
    Call a(served, {10, 1}), b(served, {20, 1}), c(served, {30, 1});
    a.Join();
    b.Join();
    c.Join();
    // Each element, and the number of rows in the batch.
    CHECK(a.values == std::vector<float>{16, 7});
    CHECK(b.values == std::vector<float>{26, 7});
    CHECK(c.values == std::vector<float>{36, 7});
  }
  TEST_CASE("a batch that is not full goes when the first has waited long enough") {
    const Served served({.max_rows = 100, .timeout_micros = 30'000});
    Call call(served, {1, 2, 3});
    call.Join();
    CHECK(call.values == std::vector<float>{4, 5, 6});
  }
  TEST_CASE("more runs than threads: no thread of the session waits") {
    const Served served({.max_rows = 20, .timeout_micros = 10'000'000}, 1);
    std::vector<std::future<std::vector<float>>> futures;
    for (int i = 0; i < 20; ++i) futures.push_back(served.Start({static_cast<float>(i)}));
    for (int i = 0; i < 20; ++i)
      CHECK(futures[static_cast<std::size_t>(i)].get() == std::vector<float>{static_cast<float>(i) + 20});
  }
  TEST_CASE("an error of the function reaches every run") {
    const Served served({.max_rows = 2, .timeout_micros = 10'000'000, .fails = true});
    Call a(served, {1}), b(served, {2});
    a.Join();
    b.Join();
    CHECK(a.status.code() == Code::kInvalidArgument);
    CHECK(b.status.code() == Code::kInvalidArgument);
  }
  TEST_CASE("rows of other shapes in one batch are an error of its runs alone") {
    const Served served({.max_rows = 2, .timeout_micros = 10'000'000});
    Call a(served, MakeTensor<float>({1, 2}, {1, 2})), b(served, MakeTensor<float>({1, 3}, {1, 2, 3}));
    a.Join();
    b.Join();
    CHECK(a.status.code() == Code::kInvalidArgument);
    CHECK(b.status.code() == Code::kInvalidArgument);
    Call c(served, MakeTensor<float>({2, 1}, {1, 2}));
    c.Join();
    CHECK(c.status.ok());
  }
  TEST_CASE("a run that is cancelled leaves the batch; the others go on") {
    const Served served({.max_rows = 3, .timeout_micros = 10'000'000});
    RunOptions options;
    options.timeout_in_ms = 30;
    Call late(served, MakeTensor<float>({1}, {1}), options);
    late.Join();
    CHECK(late.status.code() == Code::kDeadlineExceeded);
    Call a(served, {1}), b(served, {2});  // the row of the late run still counts: the batch is full
    a.Join();
    b.Join();
    CHECK(a.values == std::vector<float>{3});
    CHECK(b.values == std::vector<float>{4});
  }
  TEST_CASE("too many waiting batches") {
    const Served served({.max_rows = 2, .timeout_micros = 10'000'000, .waiting = 1});
    Call a(served, {1});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Call b(served, {1, 2});
    b.Join();
    CHECK(b.status.code() == Code::kUnavailable);
    Call c(served, {3});
    a.Join();
    c.Join();
    CHECK(a.values == std::vector<float>{3});
    CHECK(c.values == std::vector<float>{5});
  }
  TEST_CASE("large inputs are split") {
    const Served served({.max_rows = 10, .timeout_micros = 1000, .splits = true});
    Call call(served, {1, 2, 3, 4, 5, 6, 7});
    call.Join();
    CHECK(call.values == std::vector<float>{5, 6, 7, 8, 9, 10, 11});  // batches of 4 and, filled up, 4 rows
  }
  TEST_CASE("a large input does not fill more batches than may wait") {
    Limits limits{.max_rows = 10, .timeout_micros = 1000, .waiting = 1, .splits = true};
    const auto code_of = [&limits](const Tensor& x) {
      const Served served(limits);
      Call call(served, x);
      call.Join();
      return call.status.code();
    };
    CHECK(code_of(Tensor::Zeros<float>({4})) == Code::kOk);
    CHECK(code_of(Tensor::Zeros<float>({5})) == Code::kUnavailable);
    limits.waiting = 0;
    CHECK(code_of(Tensor::Zeros<float>({4})) == Code::kInvalidArgument);
    limits = {.max_rows = -1, .timeout_micros = 1000, .splits = true};  // no limit
    CHECK(code_of(Tensor(DataType::kFloat, {INT32_MAX, 0})) == Code::kUnavailable);
  }
  TEST_CASE("batches that wait have a thread each") {
    std::mutex mutex;
    std::condition_variable changed;
    int inside = 0;  // batches
    RegisterPyFunction("meet", [&](Span<const Tensor> inputs, SlimVector<Tensor>* outputs) -> Status {
      std::unique_lock<std::mutex> lock(mutex);
      ++inside;
      changed.notify_all();
      if (!changed.wait_for(lock, std::chrono::seconds(20), [&] { return inside == 2; }))
        return errors::DeadlineExceeded("the other batch did not come");
      outputs->push_back(inputs[0]);
      return OkStatus();
    });
    const Served served({.max_rows = 10, .timeout_micros = 1000, .splits = true, .meets = true});
    Call call(served, {1, 2, 3, 4, 5, 6, 7, 8});
    call.Join();
    CHECK(call.values == std::vector<float>{5, 6, 7, 8, 9, 10, 11, 12});
    UnregisterPyFunction("meet");
  }
  TEST_CASE("many runs in many threads lose nothing") {
    const Served served({.max_rows = 8, .timeout_micros = 200, .waiting = 1000});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&served, &wrong, t] {
        for (int i = 0; i < 50; ++i) {
          const float x = static_cast<float>(1000 * t + 10 * i);
          Call call(served, {x, x});
          call.Join();
          const bool is_right = call.status.ok() && call.values.size() == 2 && call.values[0] == call.values[1] &&
                                call.values[0] - x >= 2 && call.values[0] - x <= 8;
          if (!is_right) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_SUITE("Batch") {
  TEST_CASE("one run gets all rows") {
    state_test::Machine m;
    m.b.Add("Batch", "batch", {{m.b.Placeholder("x", DataType::kFloat)}},
            {{"num_batch_threads", 1},
             {"max_batch_size", 2},
             {"batch_timeout_micros", 10'000'000},
             {"grad_timeout_micros", 0}});
    m.Start();
    std::vector<Tensor> out[2];
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        out[i] = m.Get({"batch", "batch:1", "batch:2"}, {{"x", MakeTensor<float>({1}, {static_cast<float>(i)})}});
      });
    for (std::thread& thread : threads) thread.join();
    const int last = out[0][0].NumElements() == 2 ? 0 : 1;
    CHECK(out[last][0].NumElements() == 2);
    CHECK(out[1 - last][0].NumElements() == 0);
    REQUIRE(out[last][1].shape() == TensorShape({2, 3}));
    CHECK(out[1 - last][1].shape() == TensorShape({0, 3}));
    const auto* const index = out[last][1].data<std::int64_t>();
    CHECK(index[0] == *out[1 - last][2].data<std::int64_t>());
    CHECK(index[3] == *out[last][2].data<std::int64_t>());
    CHECK(index[4] == 1);
  }
}
}  // namespace queue_batch_test
