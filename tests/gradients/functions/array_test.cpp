// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/array.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>
#include <initializer_list>
#include <tenon/gradients/functions/index.hpp>

#include "gradients/central_differences.hpp"

namespace array_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of array ops") {
  TEST_CASE("are those of central differences") {
    const Tensor x = RandomTensor({2, 3}), y = RandomTensor({2, 3}, -1, 1, 2);
    const auto ints = [](std::initializer_list<std::int32_t> values) {
      return Tensor::From<std::int32_t>(values, TensorShape({static_cast<Index>(values.size())}));
    };
    const Tensor pads = Tensor::From<std::int32_t>({1, 0, 0, 2}, {2, 2});
    CHECK(OpGradientError("Reshape", {x}, {}, {ints({3, 2})}) == "");
    CHECK(OpGradientError("ExpandDims", {x}, {}, {Tensor::Scalar(1)}) == "");
    CHECK(OpGradientError("Transpose", {x}, {}, {ints({1, 0})}) == "");
    CHECK(OpGradientError("Tile", {x}, {}, {ints({2, 3})}) == "");
    CHECK(OpGradientError("Pad", {x}, {}, {pads}) == "");
    CHECK(OpGradientError("MirrorPad", {x}, {{"mode", "REFLECT"}}, {pads}) == "");
    CHECK(OpGradientError("Slice", {x}, {}, {ints({0, 1}), ints({2, 2})}) == "");
    CHECK(OpGradientError("StridedSlice", {x}, {{"shrink_axis_mask", 1}},
                          {ints({1, 2}), ints({2, 0}), ints({1, -1})}) == "");
    CHECK(OpGradientError("BroadcastTo", {RandomTensor({1, 3})}, {}, {ints({2, 2, 3})}) == "");
    CHECK(OpGradientError("ReverseV2", {x}, {}, {ints({1})}) == "");
    CHECK(OpGradientError("Roll", {x}, {}, {Tensor::Scalar(1), Tensor::Scalar(1)}) == "");
    CHECK(OpGradientError("MatrixDiag", {x}) == "");
    CHECK(OpGradientError("MatrixDiagPart", {x}) == "");
    const Tensor one = Tensor::Scalar(1), zero = Tensor::Scalar(0.f);
    CHECK(OpGradientError("MatrixDiagV2", {x}, {}, {one, Tensor::Scalar(4), Tensor::Scalar(4), zero}) == "");
    CHECK(OpGradientError("MatrixDiagPartV2", {x}, {}, {one, zero}) == "");
    CHECK(OpGradientError("MatrixSetDiagV2", {x, RandomTensor({2}, -1, 1, 3)}, {}, {one}) == "");
    CHECK(OpGradientError("Unpack", {x}, {{"num", 2}, {"axis", 0}}, {}, 1) == "");
    CHECK(OpGradientError("Pack", {x, y}, {{"axis", 1}}) == "");
  }
  TEST_CASE("ConcatV2, also of slices") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), y = b.Placeholder("y", DataType::kFloat, {1, 3});
    const Output all = b.Add("ConcatV2", "all", {{x, y}, b.Const("axis", Tensor::Scalar(0))});
    const Output rows =
        b.Add("GatherV2", "rows",
              {all, b.Const("i", Tensor::From<std::int32_t>({2, 0, 2}, {3})), b.Const("zero", Tensor::Scalar(0))});
    const std::vector<NamedTensor> feeds{{"x", RandomTensor({2, 3})}, {"y", RandomTensor({1, 3}, -1, 1, 2)}};
    CHECK(GradientError(b, all, feeds) == "");
    CHECK(GradientError(b, rows, feeds) == "");
  }
}

}  // namespace array_gradient_test
