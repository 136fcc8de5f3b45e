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
};
const Tensor kUnset(DataType::kInvalid);

}  // namespace

TEST_SUITE("elements as one tensor") {
  TEST_CASE("in the order in which they are added, zeros for what is not set") {
    Node node;
    const Tensor a = Make<float>({2}, {1, 2}), b = Make<float>({1}, {3});
    ElementStack stack;
    stack.Add(&kUnset, 1);
    stack.Add(&a, 2);
    stack.Add(&kUnset, 3);
    stack.Add(&b, 1);
    stack.Add(&a, 2);  // the same element again
    REQUIRE(stack.Write(node.context, TensorShape({9})).ok());
    CHECK(node.outputs[0].SummarizeValue(9) == "0 1 2 0 0 0 3 1 2");
  }
  TEST_CASE("nothing, nothing but unset elements, and texts") {
    Node empty, unset, texts(DataType::kString);
    ElementStack none;
    REQUIRE(none.Write(empty.context, TensorShape({0, 4})).ok());
    CHECK(empty.outputs[0].shape() == TensorShape({0, 4}));
    ElementStack zeros;
    zeros.Add(&kUnset, 2);
    REQUIRE(zeros.Write(unset.context, TensorShape({1, 2})).ok());
    CHECK(unset.outputs[0].SummarizeValue(2) == "[0 0]");
    Tensor text(DataType::kString, {1});
    text.data<tstring>()->assign("a text that is too long to be stored inline");
    ElementStack both;
    both.Add(&text, 1);
    both.Add(&kUnset, 1);
    REQUIRE(both.Write(texts.context, TensorShape({2})).ok());
    CHECK(texts.outputs[0].data<tstring>()[0].view() == text.data<tstring>()->view());
    CHECK(texts.outputs[0].data<tstring>()[1].view() == "");
  }
  TEST_CASE("a second output is refused, as any kernel's") {
    Node node;
    ElementStack stack;
    REQUIRE(stack.Write(node.context, TensorShape({0})).ok());
    CHECK(stack.Write(node.context, TensorShape({0})).code() == Code::kInternal);
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
