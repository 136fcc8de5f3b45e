// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/stack_reference.hpp>

#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"

namespace state_stack_reference_test {
using namespace state_test;
using tenon::testing::ShapesOf;

namespace {

// A stack "s" of floats by reference; pushes "push0", "push1"... one after the other.
struct Stacks : Machine {
  explicit Stacks(int pushes) {
    s = b.Add("Stack", "s", {}, {{"elem_type", DataType::kFloat}});
    for (int i = 0; i < pushes; ++i) {
      const std::string name = StrCat("push", i);
      const Output push = b.Add("StackPush", name, {s, b.Const(StrCat("x", i), Tensor::Scalar(static_cast<float>(i)))});
      if (i > 0) b.AddControlInput(push, last);
      last = push;
    }
  }
  // A node after the last one.
  Output Then(const char* op, const char* name, std::initializer_list<GraphBuilder::Attr> attrs = {}) {
    const Output node = b.Add(op, name, {s}, attrs);
    b.AddControlInput(node, last);
    return last = node;
  }
  Output s, last;
};

}  // namespace

TEST_SUITE("stacks by reference") {
  TEST_CASE("have no limit, hand on what is pushed, and are empty in the next run") {
    Stacks m(20);
    m.Then("StackPop", "first", {{"elem_type", DataType::kFloat}});
    m.Then("StackPop", "second", {{"elem_type", DataType::kFloat}});
    m.Start();
    for (int run = 0; run < 2; ++run) {
      const std::vector<Tensor> out = m.Get({"first", "second", "push7"});
      CHECK(Machine::ToVector(out[0]) == Floats{19});
      CHECK(Machine::ToVector(out[1]) == Floats{18});
      CHECK(Machine::ToVector(out[2]) == Floats{7});
    }
  }
  TEST_CASE("an empty one and a closed one") {
    Stacks empty(1);
    empty.Then("StackPop", "first", {{"elem_type", DataType::kFloat}});
    empty.Then("StackPop", "second", {{"elem_type", DataType::kFloat}});
    empty.Start();
    const std::string text(empty.Try({"second"}).message());
    CHECK(text.find("Stack[s_") == 0);
    CHECK(text.find("] is empty when calling Pop(). [node 'second', CPU:0]") != std::string::npos);
    Stacks closed(1);
    closed.Then("StackClose", "close");
    closed.Then("StackPop", "late", {{"elem_type", DataType::kFloat}});
    closed.Start();
    CHECK(closed.Do("close").ok());
    CHECK(closed.Try({"late"}).message().find("] has already been closed. [node 'late', CPU:0]") != std::string::npos);
  }
  TEST_CASE("another type is refused, and a tensor in place of the reference") {
    Stacks m(1);
    m.b.Add("StackPush", "wrong", {m.s, m.b.Const("y", Tensor::Scalar(1))});
    m.Start();
    CHECK(m.Try({"wrong"}).message() == "Must have type float but got int32 [node 'wrong', CPU:0]");
    CHECK(m.Try({"push0"}, {{"s", Tensor(DataType::kString, {2})}}).message() ==
          "Input 0 of node push0 was passed string incompatible with expected string_ref. [node 'push0', CPU:0]");
  }
  TEST_CASE("shapes: what is pushed comes out as it is, what is popped is not known") {
    CHECK(ShapesOf<ops::Stack>({}, {{"elem_type", DataType::kFloat}}) == "[2]");
    CHECK(ShapesOf<ops::StackPush>({{2}, {3, -1}}) == "[3,?]");
    CHECK(ShapesOf<ops::StackPop>({{2}}, {{"elem_type", DataType::kFloat}}) == "?");
    CHECK(ShapesOf<ops::StackClose>({{3}}) == "INVALID_ARGUMENT: Dimension must be 2 but is 3");
  }
}
}  // namespace state_stack_reference_test
