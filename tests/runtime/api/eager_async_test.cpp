// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/eager_async.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/devices.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_update.hpp>

#include "in_child.hpp"

namespace eager_async_test {
using namespace tenon;

namespace {

// Waits until the test says so.
Notification* gate = nullptr;
struct TopTestWait {
  static constexpr auto signature = Op("TopTestWait")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      gate->WaitForNotification();
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
TENON_REGISTER(TopTestWait);

Tensor F(float value) { return Tensor::Scalar(value); }
float Value(const Result<eager::Handle>& handle) {
  REQUIRE_MESSAGE(handle.ok(), handle.status().message());
  const Result<Tensor> tensor = handle->Get();
  REQUIRE_MESSAGE(tensor.ok(), tensor.status().message());
  return tensor->scalar<float>()();
}
Status Ended(const Result<eager::Handle>& handle) { return handle.ok() ? handle->Get().status() : handle.status(); }
Result<eager::Handle> Variable(eager::Async* async, const char* name) {
  TENON_ASSIGN_OR_RETURN(
      auto handles, async->Call("VarHandleOp", {},
                                {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", name}}));
  return handles[0];
}
Result<eager::Handle> Read(eager::Async* async, const eager::Handle& variable) {
  TENON_ASSIGN_OR_RETURN(auto handles, async->Call("ReadVariableOp", {variable}, {{"dtype", DataType::kFloat}}));
  return handles[0];
}
// A product of matrices that do not fit: its shapes are looked at when it runs.
Result<eager::Handle> Mistake(eager::Async* async) {
  return async->Call<ops::MatMul>(Tensor::Zeros<float>({2, 2}), Tensor::Zeros<float>({3, 2}));
}

}  // namespace

TEST_SUITE("eager::Async") {
  TEST_CASE("calls give handles at once, which later calls take") {
    eager::Context context;
    eager::Async async(&context);
    Notification open;
    gate = &open;
    const auto waiting = async.Call<TopTestWait>(F(2));
    const auto sum = async.Call<ops::AddV2>(*waiting, F(3));
    const auto product = async.Call<ops::Mul>(*sum, *waiting);
    REQUIRE_MESSAGE(product.ok(), product.status().message());
    CHECK_FALSE(product->IsReady());
    CHECK(product->dtype() == DataType::kFloat);
    open.Notify();
    CHECK(Value(product) == 10);
    CHECK(product->IsReady());
    CHECK(Value(sum) == 5);
    CHECK(async.Sync().ok());
  }
  TEST_CASE("lists, several outputs, none") {
    eager::Context context;
    eager::Async async(&context);
    const Tensor a = Tensor::From({1.0f, 2.0f}, {1, 2});
    const auto rows = async.Call<ops::ConcatV2>(std::vector<Tensor>{a, a}, Tensor::Scalar(0));
    REQUIRE_MESSAGE(rows.ok(), rows.status().message());
    const auto named = async.Call("ConcatV2", {{*rows, *rows}, Tensor::Scalar(1)});
    REQUIRE_MESSAGE(named.ok(), named.status().message());
    CHECK((*named)[0].Get()->SummarizeValue(8) == "[1 2 1 2][1 2 1 2]");
    const auto loss = async.Call<ops::SoftmaxCrossEntropyWithLogits>(a, a);
    REQUIRE_MESSAGE(loss.ok(), loss.status().message());
    CHECK(loss->size() == 2);
    const auto v = Variable(&async, "v");
    const Status assigned = async.Call<ops::AssignVariableOp>(*v, F(1));
    CHECK_MESSAGE(assigned.ok(), assigned.message());
    CHECK(async.Sync().ok());
  }
  TEST_CASE("calls run in their order: each sees what the ones before have written") {
    eager::Context context;
    eager::Async async(&context);
    const auto v = Variable(&async, "v");
    REQUIRE_MESSAGE(v.ok(), v.status().message());
    CHECK(async.Call<ops::AssignVariableOp>(*v, F(0)).ok());
    std::vector<eager::Handle> reads;
    for (int i = 0; i < 100; ++i) {
      CHECK(async.Call<ops::AssignAddVariableOp>(*v, F(1)).ok());
      reads.push_back(*Read(&async, *v));
    }
    for (int i = 0; i < 100; ++i) CHECK(Value(reads[static_cast<std::size_t>(i)]) == static_cast<float>(i + 1));
  }
  TEST_CASE("what is wrong with a call is said at once and stops nothing") {
    eager::Context context;
    eager::Async async(&context);
    CHECK(async.Call("AddV22", {F(1), F(2)}).status().code() == Code::kNotFound);
    CHECK(async.Call<ops::AddV2>(F(1), Tensor::Scalar(1)).status().code() == Code::kInvalidArgument);
    CHECK(async.Call<ops::AddV2>(F(1), eager::Handle()).status().code() == Code::kInvalidArgument);
    CHECK(eager::Handle().Get().status().code() == Code::kFailedPrecondition);
    CHECK(async.On("SIM:0").Call<ops::AddV2>(F(1), F(1)).status().code() == Code::kInvalidArgument);
    CHECK(Value(async.Call<ops::AddV2>(F(1), F(2))) == 3);
    CHECK(async.Sync().ok());
  }
  TEST_CASE("an error poisons what waits and what comes, until Sync has told it") {
    eager::Context context;
    eager::Async async(&context);
    Notification open;
    gate = &open;
    const auto before = async.Call<TopTestWait>(F(1));
    const auto wrong = Mistake(&async);
    const auto reader = async.Call<ops::AddV2>(*wrong, *wrong), other = async.Call<ops::AddV2>(*before, F(1));
    REQUIRE_MESSAGE(other.ok(), other.status().message());
    open.Notify();
    CHECK(Value(before) == 1);
    for (const auto& handle : {wrong, reader, other}) {
      CHECK(Ended(handle).code() == Code::kInvalidArgument);
      CHECK(Ended(handle).message().find("[node 'MatMul', CPU:0]") != std::string_view::npos);
    }
    const Status refused = async.Call<ops::AddV2>(F(1), F(1)).status();
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK(refused.message().find("This error cancels all future operations and poisons their output tensors.") !=
          std::string_view::npos);
    CHECK(async.Sync() == refused);
    CHECK(async.Sync().ok());
    CHECK(Value(async.Call<ops::AddV2>(*before, F(1))) == 2);
    // The handles stay what they are, for other queues, too.
    eager::Async another(&context);
    CHECK(Ended(another.Call<ops::AddV2>(*wrong, F(1))) == Ended(wrong));
    CHECK(Ended(another.Call<ops::AddV2>(F(1), F(1))).code() == Code::kInvalidArgument);
    CHECK(another.Sync().code() == Code::kInvalidArgument);
  }
  TEST_CASE("handles outlive the calls, which all run before the end") {
    eager::Context context;
    Result<eager::Handle> sum = eager::Handle(), wrong = eager::Handle();
    {
      eager::Async async(&context);
      sum = F(0);
      for (int i = 0; i < 500; ++i) sum = async.Call<ops::AddV2>(*sum, F(1));
      wrong = Mistake(&async);
      for (int i = 0; i < 500; ++i) (void)async.Call<ops::AddV2>(*sum, F(1));
    }
    CHECK(Value(sum) == 500);
    CHECK(Ended(wrong).code() == Code::kInvalidArgument);
    const eager::Async unused(&context);
  }
  TEST_CASE("on devices, in one order") {
    eager::Context context({.devices = {"CPU:0", "SIM:0"}});
    eager::Async async(&context);
    const auto handles = async.On("SIM:0").Call(
        "VarHandleOp", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", "v"}});
    REQUIRE_MESSAGE(handles.ok(), handles.status().message());
    const eager::Handle v = (*handles)[0];
    CHECK(async.Call<ops::AssignVariableOp>(v, F(4)).ok());
    CHECK(async.On("CPU:0").Call<ops::AssignAddVariableOp>(v, F(1)).ok());
    CHECK(Value(async.On("SIM:0").Call<ops::AddV2>(*Read(&async, v), F(1))) == 6);
    const Status status = async.Sync();
    CHECK_MESSAGE(status.ok(), status.message());
  }
  TEST_CASE("threads call together") {
    eager::Context context;
    eager::Async async(&context);
    const auto total = Variable(&async, "total");
    CHECK(async.Call<ops::AssignVariableOp>(*total, F(0)).ok());
    std::vector<std::thread> threads;
    std::vector<float> sums(4, 0.0f);
    for (std::size_t t = 0; t < sums.size(); ++t)
      threads.emplace_back([&, t] {
        Result<eager::Handle> sum = eager::Handle(F(0));
        for (int i = 0; i < 100 && sum.ok(); ++i) {
          sum = async.Call<ops::AddV2>(*sum, F(1));
          (void)async.Call<ops::AssignAddVariableOp>(*total, F(1));
          if (i % 25 == 0) (void)async.Sync();
        }
        if (const auto end = sum.ok() ? sum->Get() : sum.status(); end.ok()) sums[t] = end->scalar<float>()();
      });
    for (std::thread& thread : threads) thread.join();
    for (const float sum : sums) CHECK(sum == 100);
    CHECK(Value(Read(&async, *total)) == 400);
    CHECK(async.Sync().ok());
  }
  TEST_CASE("threads call together while calls fail") {
    eager::Context context;
    eager::Async async(&context);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const auto handle = (i + t) % 5 == 0 ? Mistake(&async) : async.Call<ops::AddV2>(F(1), F(1));
          if (i % 3 == 0) (void)Ended(handle);
          if (i % 7 == 0) (void)async.Sync();
        }
      });
    for (std::thread& thread : threads) thread.join();
    (void)async.Sync();
    CHECK(Value(async.Call<ops::AddV2>(F(1), F(1))) == 2);
  }
#if TENON_TEST_FORKS
  TEST_CASE("in the child of a fork: new calls run, those that waited are the parent's") {
    for (const bool waits : {false, true}) {
      eager::Context context;
      auto* async = new eager::Async(&context);
      Notification open;
      gate = &open;
      CHECK(Value(async->Call<ops::AddV2>(F(1), F(2))) == 3);
      CHECK(async->Sync().ok());
      Result<eager::Handle> first = eager::Handle(F(2)), second = first;
      if (waits) {
        first = async->Call<TopTestWait>(F(2));
        second = async->Call<ops::AddV2>(*first, F(3));
        REQUIRE(second.ok());
      }
      CHECK(test::InChild([&] {
              for (const auto& handle : {first, second})
                if (Ended(handle).code() != (waits ? Code::kFailedPrecondition : Code::kOk)) return 1;
              if (async->Sync().code() != (waits ? Code::kFailedPrecondition : Code::kOk)) return 2;
              const auto sum = async->Call<ops::AddV2>(F(1), F(2));
              if (!Ended(sum).ok() || !async->Sync().ok()) return 3;
              delete async;
              return 0;
            }) == 0);
      CHECK(test::InChild([&] {
              delete async;
              return 0;
            }) == 0);
      open.Notify();
      CHECK(Value(second) == (waits ? 5 : 2));
      delete async;
    }
  }
#endif
}

}  // namespace eager_async_test
