// SPDX-License-Identifier: Apache-2.0
// Shapes and views of ops for TensorFlow and TensorFlow Lite; sources/shim.cc is such an op.
#define EIGEN_USE_THREADS
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/kernels/op_shim.hpp>

namespace compat_op_shim_test {
using tflite::shim::Shape;
using tflite::shim::TensorView;

TEST_SUITE("ops for TensorFlow and TensorFlow Lite") {
  TEST_CASE("shapes") {
    const Shape unknown, scalar({}), line({3}), partial({2, Shape::kUnknownDim}), full({2, 4});
    CHECK_FALSE(unknown.has_value());
    CHECK(unknown.Rank() == Shape::kUnknownRank);
    CHECK(unknown.Dim(0) == Shape::kUnknownDim);
    CHECK(unknown.ToString() == "?");
    CHECK(scalar.has_value());
    CHECK(scalar.Rank() == 0);
    CHECK(scalar.ToString() == "[]");
    CHECK(line.ToString() == "[ 3 ]");
    CHECK(partial.ToString() == "[ 2 ? ]");
    CHECK(partial.Compatible(full));
    CHECK(unknown.Compatible(full));
    CHECK_FALSE(line.Compatible(full));
    CHECK_FALSE(full.Compatible(Shape({3, 4})));
    CHECK(full == Shape({2, 4}));
    CHECK_FALSE(partial == partial);
    CHECK_FALSE(unknown == unknown);
    CHECK(full != partial);
    CHECK(full.FullyDefined());
    CHECK_FALSE(partial.FullyDefined());
    CHECK_FALSE(unknown.FullyDefined());
    CHECK(Shape::AddDims(2, 3) == 5);
    CHECK(Shape::AddDims(Shape::kUnknownDim, 3) == Shape::kUnknownDim);
    Shape copy = full;
    copy->push_back(5);
    CHECK(copy.Dim(2) == 5);
    CHECK(Shape(std::vector<int>{2, 4}) == full);
    CHECK(Shape(static_cast<std::size_t>(2), 7).ToString() == "[ 7 7 ]");
    Shape other(copy);
    CHECK(other == copy);
  }
  TEST_CASE("views of tensors") {
    tensorflow::Tensor tensor(tensorflow::DT_INT32, {2, 3});
    for (int i = 0; i < 6; ++i) tensor.flat<int32_t>()(i) = i;
    auto view = TensorView::New(&tensor);
    REQUIRE(view.ok());
    auto cells = view->As<int32_t, 2>();
    CHECK(cells(1, 2) == 5);
    CHECK(cells.Dim(0) == 2);
    CHECK(cells.Dim(-1) == 3);
    CHECK(cells.Rank() == 2);
    cells(1, 0) = 30;
    *cells.Ptr() = 10;
    CHECK(tensor.matrix<int32_t>()(1, 0) == 30);
    CHECK(view->Data<int32_t>()[0] == 10);
    CHECK(view->Shape().size() == 2);
    const auto copy = *view;
    CHECK(copy.As<int32_t, 2>()(0, 0) == 10);
    const tensorflow::Tensor word(tensorflow::string("word"));
    const auto text = TensorView::New(&word);
    REQUIRE(text.ok());
    CHECK(text->AsScalar<tensorflow::tstring>() == "word");
    const tensorflow::Tensor complex(tensorflow::DT_COMPLEX64, {1});
    CHECK(TensorView::New(&complex).status().code() == absl::StatusCode::kUnimplemented);
  }
  TEST_CASE("errors with more text") {
    const auto call = [](const absl::Status& status) -> absl::Status {
      SH_RETURN_WITH_CONTEXT_IF_ERROR(status, "in row ", 3);
      return absl::OkStatus();
    };
    CHECK(call(absl::OkStatus()).ok());
    const absl::Status failed = call(absl::InternalError("wrong"));
    CHECK(failed.code() == absl::StatusCode::kInternal);
    CHECK(failed.message() == "wrong\n\tin row 3");
  }
}
}  // namespace compat_op_shim_test
