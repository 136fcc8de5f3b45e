// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/flow.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>
#include <tenon/gradients/functions/unary.hpp>

#include "gradients/central_differences.hpp"

namespace flow_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of Switch, Merge and lists") {
  TEST_CASE("the branch that runs has the gradient") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), p = b.Placeholder("p", DataType::kBool, TensorShape());
    const Output sides = b.Add("Switch", "s", {x, p});
    const Output square = b.Add("Square", "square", {sides[1]});
    const Output y = b.Add("Merge", "y", {{sides[0], square}});
    for (const bool taken : {false, true})
      CHECK(GradientError(b, y, {{"x", RandomTensor({2})}}, {{"p", Tensor::Scalar(taken)}}) == "");
  }
  TEST_CASE("TensorLists") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3, 2});
    const Output shape = b.Const("shape", Tensor::From<std::int32_t>({2}, {1}));
    const Output list = b.Add("TensorListFromTensor", "list", {x, shape});
    const std::vector<NamedTensor> feeds{{"x", RandomTensor({3, 2})}};
    const Output one = b.Const("one", Tensor::Scalar(1));
    const Output item = b.Add("TensorListGetItem", "item", {list, one, shape}, {{"element_dtype", DataType::kFloat}});
    CHECK(GradientError(b, b.Add("Square", "sq", {item}), feeds) == "");
    const Output popped = b.Add("TensorListPopBack", "pop", {list, shape}, {{"element_dtype", DataType::kFloat}});
    const Output pushed = b.Add("TensorListPushBack", "push", {popped, b.Add("Square", "sq2", {popped[1]})});
    const Output stack = b.Add("TensorListStack", "stack", {pushed, shape}, {{"element_dtype", DataType::kFloat}});
    CHECK(GradientError(b, stack, feeds) == "");
  }
  TEST_CASE("optionals") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3, 2}), n = b.Const("n", Tensor::Scalar(1));
    const Output optional = b.Add("OptionalFromValue", "optional", {{x, n}});
    const std::vector<DataType> types{DataType::kFloat, DataType::kInt32};
    const std::vector<PartialTensorShape> shapes{PartialTensorShape({3, 2}), PartialTensorShape({})};
    const Output values =
        b.Add("OptionalGetValue", "values", {optional}, {{"output_types", types}, {"output_shapes", shapes}});
    CHECK(GradientError(b, b.Add("Square", "y", {values[0]}), {{"x", RandomTensor({3, 2})}}) == "");
  }
}

}  // namespace flow_gradient_test
