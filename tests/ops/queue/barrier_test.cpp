// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/barrier.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "ops/state/state_test.hpp"

namespace state_barrier_test {
using namespace state_test;

namespace {

Tensor Keys(const std::vector<std::string>& keys) {
  Tensor tensor(DataType::kString, TensorShape({static_cast<Index>(keys.size())}));
  for (std::size_t i = 0; i < keys.size(); ++i) tensor.data<tstring>()[i] = tstring(keys[i]);
  return tensor;
}

// A barrier of two floats: nodes "put0" and "put1" (keys k, values x), "take" (n), "small", "close", "cancel".
struct Barriers : Machine {
  Barriers() {
    const SlimVector<DataType> types = {DataType::kFloat, DataType::kFloat};
    const Output h = b.Add("Barrier", "h", {},
                           {{"component_types", types},
                            {"shapes", SlimVector<PartialTensorShape>{PartialTensorShape(TensorShape()),
                                                                      PartialTensorShape(TensorShape())}}});
    const Output k = b.Placeholder("k", DataType::kString), x = b.Placeholder("x", DataType::kFloat);
    const Output n = b.Placeholder("n", DataType::kInt32);
    b.Add("BarrierInsertMany", "put0", {h, k, x}, {{"component_index", 0}});
    b.Add("BarrierInsertMany", "put1", {h, k, x}, {{"component_index", 1}});
    b.Add("BarrierTakeMany", "take", {h, n}, {{"component_types", types}});
    b.Add("BarrierTakeMany", "small", {h, n}, {{"component_types", types}, {"allow_small_batch", true}});
    b.Add("BarrierClose", "close", {h});
    b.Add("BarrierClose", "cancel", {h}, {{"cancel_pending_enqueues", true}});
    Handle("v", MakeTensor<float>({1}, {1}));
    Start();
  }
  Status Put(int component, const std::vector<std::string>& keys) {
    Tensor x(DataType::kFloat, TensorShape({static_cast<Index>(keys.size())}));
    for (std::size_t i = 0; i < keys.size(); ++i) x.data<float>()[i] = static_cast<float>(i) + 1;
    return Do(component == 0 ? "put0" : "put1", {{"k", Keys(keys)}, {"x", x}});
  }
  static std::vector<NamedTensor> N(std::int32_t n) { return {{"n", Tensor::Scalar(n)}}; }
};

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

}  // namespace

TEST_SUITE("barriers") {
  TEST_CASE("a take waits for complete tuples, and gets them in the order of their keys' first coming") {
    Barriers m;
    std::vector<Tensor> out;
    std::thread taker([&] { out = m.Get({"take:1", "take:2", "take:3", "take:0"}, Barriers::N(2)); });
    REQUIRE(m.Put(0, {"a"}).ok());
    REQUIRE(m.Put(0, {"b", "c"}).ok());
    REQUIRE(m.Put(1, {"c"}).ok());
    Pause();
    REQUIRE(m.Put(1, {"a"}).ok());
    taker.join();
    CHECK(out[0].data<tstring>()[0].view() == "a");
    CHECK(out[0].data<tstring>()[1].view() == "c");
    CHECK(Machine::ToVector(out[1]) == Floats{1, 2});
    CHECK(out[3].data<std::int64_t>()[0] + 1 == out[3].data<std::int64_t>()[1]);
  }
  TEST_CASE("closing ends a take that cannot be served any more") {
    Barriers m;
    REQUIRE(m.Put(0, {"a", "b"}).ok());
    REQUIRE(m.Put(1, {"a"}).ok());
    Status status;
    std::vector<Tensor> few;
    std::thread taker([&] { status = m.Try({"take:0"}, Barriers::N(2)); });
    Pause();
    REQUIRE(m.Do("close").ok());  // "b" may still come
    Pause();
    REQUIRE(m.Do("cancel").ok());
    taker.join();
    CHECK(status.code() == Code::kOutOfRange);
    few = m.Get({"small:1"}, Barriers::N(2));
    CHECK(few[0].NumElements() == 1);
    CHECK(m.Try({"small:1"}, Barriers::N(2)).code() == Code::kOutOfRange);
    CHECK(m.Put(0, {"z"}).code() == Code::kCancelled);
  }
  TEST_CASE("who waits is told when the run fails elsewhere") {
    Barriers m;
    CHECK(m.Try({"take:0", "v/read"}, Barriers::N(1)).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("counts and values that do not fit are refused") {
    Barriers m;
    CHECK(m.Try({"take:0"}, Barriers::N(-1)).code() == Code::kInvalidArgument);
    CHECK(m.Do("put0", {{"k", Keys({"a", "b"})}, {"x", MakeTensor<float>({1}, {1})}}).code() == Code::kInvalidArgument);
  }
}
}  // namespace state_barrier_test
