// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/unbatch.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace queue_unbatch_test {
using namespace tenon;
using namespace tenon::testing;
using state_test::Machine;

namespace {

Tensor Index3(std::initializer_list<std::int64_t> rows) {
  return MakeTensor<std::int64_t>({static_cast<Index>(rows.size() / 3), 3}, rows);
}
Tensor Floats(std::initializer_list<float> values) {
  return MakeTensor<float>({static_cast<Index>(values.size())}, values);
}
void AddUnbatch(Machine* m, std::int64_t timeout) {
  m->b.Add("Unbatch", "rows",
           {m->b.Placeholder("data", DataType::kFloat), m->b.Placeholder("index", DataType::kInt64),
            m->b.Placeholder("id", DataType::kInt64)},
           {{"timeout_micros", timeout}});
  m->Start();
}
std::vector<NamedTensor> Feeds(const Tensor& data, const Tensor& index, std::int64_t id) {
  return {{"data", data}, {"index", index}, {"id", Tensor::Scalar(id)}};
}

}  // namespace

TEST_SUITE("Unbatch") {
  TEST_CASE("rows go to the run that waits for them, before and after") {
    Machine m;
    AddUnbatch(&m, 10'000'000);
    const Tensor none = Floats({}), no_index(DataType::kInt64, {0, 3});
    std::vector<float> early, late;
    std::thread waiting([&] { early = m.Floats("rows", Feeds(none, no_index, 8)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(m.Floats("rows", Feeds(Floats({1, 2, 3, 4}), Index3({7, 0, 1, 8, 1, 3, 9, 3, 4}), 7)) ==
          std::vector<float>{1});
    waiting.join();
    CHECK(early == std::vector<float>{2, 3});
    CHECK(m.Floats("rows", Feeds(none, no_index, 9)) == std::vector<float>{4});
  }
  TEST_CASE("a run that waits too long") {
    Machine m;
    AddUnbatch(&m, 20'000);
    const std::vector<NamedTensor> feeds = Feeds(Floats({}), Tensor(DataType::kInt64, {0, 3}), 8);
    std::thread other([&] {
      CHECK(m.Try({"rows"}, Feeds(Floats({}), Tensor(DataType::kInt64, {0, 3}), 9)).code() == Code::kDeadlineExceeded);
    });
    CHECK(m.Try({"rows"}, feeds).code() == Code::kDeadlineExceeded);
    CHECK(m.Try({"rows"}, feeds).code() == Code::kDeadlineExceeded);
    other.join();
  }
  TEST_CASE("indices beyond the batch") {
    Machine m;
    AddUnbatch(&m, 0);
    for (const Tensor& index : {Index3({7, 0, 3}), Index3({7, 0, -1, 8, 0, 1}), Index3({7, INT64_MIN, INT64_MAX}),
                                Longs({1, 2, 3}), Tensor::Scalar<std::int64_t>(1)})
      CHECK(m.Try({"rows"}, Feeds(Floats({1, 2}), index, 7)).code() == Code::kInvalidArgument);
    CHECK(m.Try({"rows"}, Feeds(Tensor::Scalar(1.0f), Index3({7, 0, 1}), 7)).code() == Code::kInvalidArgument);
  }
}

TEST_SUITE("UnbatchGrad") {
  TEST_CASE("the run with the batch waits for the gradients of the others") {
    Machine m;
    m.b.Add("UnbatchGrad", "grad",
            {m.b.Placeholder("data", DataType::kFloat), m.b.Placeholder("index", DataType::kInt64),
             m.b.Placeholder("given", DataType::kFloat), m.b.Placeholder("id", DataType::kInt64)});
    m.Start();
    const auto feeds = [](const Tensor& data, const Tensor& index, const Tensor& given, std::int64_t id) {
      return std::vector<NamedTensor>{{"data", data}, {"index", index}, {"given", given}, {"id", Tensor::Scalar(id)}};
    };
    std::vector<float> all;
    std::thread batch(
        [&] { all = m.Floats("grad", feeds(Floats({1, 2, 3}), Index3({8, 0, 2, 7, 2, 3}), Floats({5}), 7)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(m.Floats("grad", feeds(Floats({}), Tensor(DataType::kInt64, {0, 3}), Floats({6, 7}), 8)).empty());
    batch.join();
    CHECK(all == std::vector<float>{6, 7, 5});
    CHECK(m.Try({"grad"}, feeds(Floats({1}), Longs({}), Floats({5}), 9)).code() == Code::kInvalidArgument);
    CHECK(m.Try({"grad"}, feeds(Floats({1}), Index3({3, 0, 1}), Tensor::Scalar(5.0f), 3)).code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace queue_unbatch_test
