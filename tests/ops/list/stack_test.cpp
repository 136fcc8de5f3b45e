// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/stack.hpp>

#include <thread>

#include "ops/state/state_test.hpp"

namespace state_stack_test {
using namespace state_test;
using tenon::ops::detail::TensorStack;

namespace {

Ref<TensorStack> New(Index max_size) {
  return Ref<TensorStack>::Adopt(new TensorStack(DataType::kFloat, "s", max_size));
}
float Popped(const Ref<TensorStack>& stack) {
  Tensor value;
  const Status status = stack->Pop(&value);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return *value.data<float>();
}

}  // namespace

TEST_SUITE("stacks") {
  TEST_CASE("last in, first out; a push beyond the limit changes nothing") {
    const Ref<TensorStack> stack = New(2);
    REQUIRE(stack->Push(Tensor::Scalar(1.0f)).ok());
    REQUIRE(stack->Push(Tensor::Scalar(2.0f)).ok());
    CHECK(stack->Push(Tensor::Scalar(3.0f)).ToString() == "INVALID_ARGUMENT: Stack[s] overflowed its max_size (2)");
    CHECK(Popped(stack) == 2);
    CHECK(Popped(stack) == 1);
    Tensor value = Tensor::Scalar(9.0f);
    CHECK(stack->Pop(&value).ToString() == "INVALID_ARGUMENT: Stack[s] is empty when calling Pop().");
    CHECK(*value.data<float>() == 9);
  }
  TEST_CASE("no limit, and room for none") {
    const Ref<TensorStack> any = New(-1);
    for (int i = 0; i < 100; ++i) REQUIRE(any->Push(Tensor::Scalar(static_cast<float>(i))).ok());
    CHECK(Popped(any) == 99);
    CHECK(New(0)->Push(Tensor::Scalar(1.0f)).message() == "Stack[s] overflowed its max_size (0)");
  }
  TEST_CASE("one that is closed lets go of what it holds, and stays closed") {
    const Ref<TensorStack> stack = New(-1);
    const Tensor value = MakeTensor<float>({3}, {1, 2, 3});
    REQUIRE(stack->Push(value).ok());
    CHECK(!value.RefCountIsOne());
    stack->Close();
    CHECK(value.RefCountIsOne());
    Tensor out;
    CHECK(stack->Push(value).ToString() == "INVALID_ARGUMENT: Stack[s] has already been closed.");
    CHECK(stack->Pop(&out).ToString() == "INVALID_ARGUMENT: Stack[s] has already been closed.");
    stack->Close();
  }
  TEST_CASE("pushes and pops in threads lose nothing") {
    const Ref<TensorStack> stack = New(-1);
    double sums[2] = {0, 0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        for (int i = 1; i <= 200; ++i) {
          if (!stack->Push(Tensor::Scalar(static_cast<float>(i))).ok()) return;
          Tensor value;
          if (!stack->Pop(&value).ok()) return;
          sums[t] += static_cast<double>(*value.data<float>());
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(sums[0] + sums[1] == 2 * 200 * 201 / 2);
  }
  TEST_CASE("in a graph each run has a stack of its own, of one type") {
    Machine m;
    const Output s = m.b.Add("StackV2", "s", {m.b.Placeholder("most", DataType::kInt32)},
                             {{"elem_type", DataType::kFloat}, {"stack_name", "mine"}});
    m.b.Add("StackPushV2", "push", {s, m.b.Const("x", Tensor::Scalar(3.0f))});
    m.b.Add("StackPushV2", "wrong", {s, m.b.Const("y", Tensor::Scalar(3.0))});
    const Output close = m.b.Add("StackCloseV2", "close", {s});
    const Output late = m.b.Add("StackPopV2", "late", {s}, {{"elem_type", DataType::kFloat}});
    m.b.AddControlInput(late, close);
    m.Start();
    const std::vector<NamedTensor> one{{"most", Tensor::Scalar(1)}};
    for (int run = 0; run < 3; ++run) CHECK(m.Floats("push", one) == Floats{3});  // else the second would overflow
    CHECK(m.Try({"wrong"}, one).message() == "Must have type float but got double [node 'wrong', CPU:0]");
    const std::string text(m.Try({"late"}, one).message());
    CHECK(text.find("Stack[mine_") == 0);
    CHECK(text.find("] has already been closed. [node 'late', CPU:0]") != std::string::npos);
    CHECK(m.Try({"push"}, {{"most", MakeTensor<std::int32_t>({1}, {1})}}).message() ==
          "Stack size must be a scalar, but had shape: [1] [node 's', CPU:0]");
  }
  TEST_CASE("graphs of TensorFlow say that the handle has two elements") {
    Machine m;
    const Output s = m.b.Add("StackV2", "s", {m.b.Const("most", Tensor::Scalar(1))},
                             {{"elem_type", DataType::kFloat},
                              {"_output_shapes", AttrValue(SlimVector<PartialTensorShape>{PartialTensorShape({2})})}});
    m.b.Add("StackPushV2", "push", {s, m.b.Const("x", Tensor::Scalar(3.0f))});
    m.Start();
    for (int run = 0; run < 2; ++run) CHECK(m.Floats("push") == Floats{3});
  }
}
}  // namespace state_stack_test
