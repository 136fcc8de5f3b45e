// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list_stack.hpp>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_tensor_list_stack_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::ElementStack;

namespace {

constexpr auto kSignature = Op("StlkNode").Output("y: float");
constexpr OpView kOp = kSignature.view();

// A node with one output and a processor.
struct Node : kernel_test::AnyNode<> {
  explicit Node(DataType dtype = DataType::kFloat) : kernel_test::AnyNode<>(kOp, {}, {}, {dtype}) {
    cpu.allocator = CpuAllocator();
    env.device = &cpu;
  }
  Cpu cpu;
  Context<Cpu> typed{&context, &cpu};
};
const Tensor kUnset(DataType::kInvalid);

}  // namespace

TEST_SUITE("elements as one tensor") {
  TEST_CASE("in the order in which they are added, zeros for what is not set") {
    Node node;
    const Tensor a = Make<float>({2}, {1, 2}), b = Make<float>({1}, {3});
    ElementStack stack;
    REQUIRE(stack.Add(node.context, kUnset, 1).ok());
    REQUIRE(stack.Add(node.context, a, 2).ok());
    REQUIRE(stack.Add(node.context, kUnset, 3).ok());
    REQUIRE(stack.Add(node.context, b, 1).ok());
    REQUIRE(stack.Add(node.context, a, 2).ok());  // the same element again
    REQUIRE(stack.Write(node.typed, TensorShape({9})).ok());
    CHECK(node.outputs[0].SummarizeValue(9) == "0 1 2 0 0 0 3 1 2");
  }
  TEST_CASE("nothing, nothing but unset elements, and texts") {
    Node empty, unset, texts(DataType::kString);
    ElementStack none;
    REQUIRE(none.Write(empty.typed, TensorShape({0, 4})).ok());
    CHECK(empty.outputs[0].shape() == TensorShape({0, 4}));
    ElementStack zeros;
    REQUIRE(zeros.Add(unset.context, kUnset, 2).ok());
    REQUIRE(zeros.Write(unset.typed, TensorShape({1, 2})).ok());
    CHECK(unset.outputs[0].SummarizeValue(2) == "[0 0]");
    Tensor text(DataType::kString, {1});
    text.data<tstring>()->assign("a text that is too long to be stored inline");
    ElementStack both;
    REQUIRE(both.Add(texts.context, text, 1).ok());
    REQUIRE(both.Add(texts.context, kUnset, 1).ok());
    REQUIRE(both.Write(texts.typed, TensorShape({2})).ok());
    CHECK(texts.outputs[0].data<tstring>()[0].view() == text.data<tstring>()->view());
    CHECK(texts.outputs[0].data<tstring>()[1].view() == "");
  }
  TEST_CASE("a second output is refused, as any kernel's") {
    Node node;
    ElementStack stack;
    REQUIRE(stack.Write(node.typed, TensorShape({0})).ok());
    CHECK(stack.Write(node.typed, TensorShape({0})).code() == Code::kInternal);
  }
  TEST_CASE("rows of a tensor") {
    TensorShape row;
    REQUIRE(ops::detail::RowShape(Make<float>({3, 2}, {0}), &row).ok());
    CHECK(row == TensorShape({2}));
    REQUIRE(ops::detail::RowShape(Make<float>({0}, {0}), &row).ok());
    CHECK(row == TensorShape());
    CHECK(ops::detail::RowShape(Make<float>({}, {0}), &row).ToString() ==
          "INVALID_ARGUMENT: Tensor must be at least a vector, but saw shape: []");
    CHECK(ops::detail::CheckIsVector(Ints({})).ok());
  }
}
}  // namespace state_tensor_list_stack_test
