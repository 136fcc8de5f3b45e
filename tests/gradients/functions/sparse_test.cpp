// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/sparse.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>

#include "gradients/central_differences.hpp"

namespace sparse_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of sparse ops") {
  const Tensor kIndices = Tensor::From<std::int64_t>({0, 1, 1, 0, 1, 2}, {3, 2});
  const Tensor kShape = Tensor::From<std::int64_t>({2, 3}, {2});

  TEST_CASE("values and dense operands have gradients") {
    GraphBuilder b;
    const Output v = b.Placeholder("v", DataType::kFloat, {3}), d = b.Placeholder("d", DataType::kFloat, {3, 2});
    const Output e = b.Placeholder("e", DataType::kFloat, {2, 3});
    const Output i = b.Const("i", kIndices), s = b.Const("s", kShape);
    const NamedTensor values{"v", RandomTensor({3}, 0.5, 1.5)}, dense{"d", RandomTensor({3, 2}, -1, 1, 2)};
    const NamedTensor equal{"e", RandomTensor({2, 3}, 0.5, 1.5, 3)};
    CHECK(GradientError(b, b.Add("SparseTensorDenseMatMul", "m", {i, v, s, d}), {values, dense}) == "");
    CHECK(GradientError(b, b.Add("SparseTensorDenseAdd", "a", {i, v, s, e}), {values, equal}) == "");
    CHECK(GradientError(b, b.Add("SparseDenseCwiseMul", "p", {i, v, s, e}), {values, equal}) == "");
    CHECK(GradientError(b, b.Add("SparseDenseCwiseDiv", "q", {i, v, s, e}), {values, equal}) == "");
    const Output axis = b.Const("axis", Tensor::Scalar(1));
    CHECK(GradientError(b, b.Add("SparseReduceSum", "r", {i, v, s, axis}), {values}) == "");
    CHECK(GradientError(b, b.Add("SparseSoftmax", "f", {i, v, s}), {values}) == "");
    const Output zero = b.Placeholder("z", DataType::kFloat, TensorShape());
    CHECK(GradientError(b, b.Add("SparseToDense", "t", {i, s, v, zero}), {values, {"z", Tensor::Scalar(0.5f)}}) == "");
    CHECK(GradientError(b, b.Add("SparseAdd", "sum", {i, v, s, i, v, s, b.Const("least", Tensor::Scalar(0.f))})[1],
                        {values}) == "");
  }
  TEST_CASE("values of ragged rows, and the one of empty rows") {
    GraphBuilder b;
    const Output v = b.Placeholder("v", DataType::kFloat, {3}), d = b.Placeholder("d", DataType::kFloat, TensorShape());
    const Output rows = b.Const("rows", Tensor::From<std::int64_t>({0, 2, 2}, {3}));
    const Output count = b.Const("count", Tensor::Scalar(std::int64_t{5}));
    CHECK(GradientError(b, b.Add("RaggedFillEmptyRows", "y", {rows, v, count, d})[1],
                        {{"v", RandomTensor({3})}, {"d", Tensor::Scalar(0.5f)}}) == "");
  }
  TEST_CASE("TensorFlow has none for SparseDenseCwiseAdd") {
    GraphBuilder b;
    const Output v = b.Placeholder("v", DataType::kFloat, {3}), e = b.Placeholder("e", DataType::kFloat, {2, 3});
    b.Add("SparseDenseCwiseAdd", "y", {b.Const("i", kIndices), v, b.Const("s", kShape), e});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"v"};
    CHECK(AddGradients(&graph, ys, xs).status().code() == Code::kUnimplemented);
    CHECK(graph == b.graph_def());
  }
}

}  // namespace sparse_gradient_test
