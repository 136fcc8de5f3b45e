// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/output_check.hpp>

#include <doctest/doctest.h>

#include <tenon/op/shape_fns.hpp>

#include "any_node.hpp"

namespace output_check_test {
using namespace tenon;

namespace {
constexpr auto kSame = Op("OcSame").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
constexpr OpView kSameOp = kSame.view();
constexpr auto kFilled =
    Op("OcFilled").Input("dims: int32").Output("y: float").SetShapeFn(shape_inference::RandomShape);
constexpr OpView kFilledOp = kFilled.view();
}  // namespace

TEST_SUITE("CheckOutputShapes") {
  TEST_CASE("compares with what the shape function says of the inputs") {
    kernel_test::AnyNode<> node(kSameOp, {}, {Tensor::Zeros<float>({2, 3})}, {DataType::kFloat});
    node.outputs[0] = Tensor::Zeros<float>({2, 3});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    node.outputs[0] = Tensor::Zeros<float>({3, 2});
    CHECK(detail::CheckOutputShapes(node.frame).ToString() ==
          "INTERNAL: Output 0 of node 'here', op 'OcSame', has shape [3,2], but the op's shape function says [2,3] for "
          "its inputs");
  }
  TEST_CASE("reads values, but not of an input that the output has overwritten") {
    kernel_test::AnyNode<> node(kFilledOp, {}, {MakeTensor<std::int32_t>({2}, {4, 5})}, {DataType::kFloat});
    node.outputs[0] = Tensor::Zeros<float>({4, 5});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    node.outputs[0] = Tensor::Zeros<float>({4, 6});
    CHECK(detail::CheckOutputShapes(node.frame).code() == Code::kInternal);
    node.inputs[0] = MakeTensor<std::int32_t>({2}, {-4, 5});  // the shape function refuses this, the kernel did not
    CHECK(detail::CheckOutputShapes(node.frame).ok());
  }
  TEST_CASE("once for each memo") {
    kernel_test::AnyNode<> node(kSameOp, {}, {Tensor::Zeros<float>({2})}, {DataType::kFloat});
    ShapeMemo memo;
    node.outputs[0] = Tensor::Zeros<float>({3});
    CHECK(detail::CheckFirstOutputs(node.frame).ok());  // no memo: constants are being folded
    node.frame.memo = &memo;
    CHECK(!detail::CheckFirstOutputs(node.frame).ok());
    CHECK(detail::CheckFirstOutputs(node.frame).ok());
  }
}
}  // namespace output_check_test
