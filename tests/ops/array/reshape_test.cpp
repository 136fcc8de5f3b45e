// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/reshape.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_reshape_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T = std::int32_t>
Tensor Sizes(const std::vector<T>& sizes) {
  return Tensor::From<T>(sizes, {static_cast<Index>(sizes.size())});
}
TensorShape Reshaped(const TensorShape& from, const std::vector<std::int32_t>& sizes) {
  return Run<ops::Reshape>({}, {Tensor::Zeros<float>(from), Sizes(sizes)}).shape();
}
std::string Error(const TensorShape& from, const Tensor& sizes) {
  return ErrorOf<ops::Reshape>({}, {Tensor::Zeros<float>(from), sizes});
}
std::string Error(const TensorShape& from, const std::vector<std::int32_t>& sizes) { return Error(from, Sizes(sizes)); }

}  // namespace

TEST_SUITE("Reshape") {
  TEST_CASE_TEMPLATE("keeps the elements, in the same memory", T, float, double, half, bool, std::int8_t, std::int64_t,
                     std::uint32_t, complex64, qint8, tstring) {
    Tensor x = Tensor::Zeros<T>({2, 3});
    for (const Tensor& sizes : {Sizes({3, 2}), Sizes({-1}), Sizes<std::int32_t>({1, 6, 1})}) {
      const Tensor y = Run<ops::Reshape>({}, {x, sizes});
      CHECK(y.dtype() == x.dtype());
      CHECK(y.SharesBufferWith(x));
      CHECK(y.raw_data() == x.raw_data());
    }
    CHECK(Run<ops::Reshape>({}, {x, Sizes<std::int64_t>({6, 1})}).shape() == TensorShape{6, 1});
  }
  TEST_CASE("keeps the order of the elements") {
    const Tensor y = Run<ops::Reshape>({}, {Make<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Sizes({3, 2})});
    CHECK(y.matrix<float>()(1, 0) == 3);
    CHECK(y.matrix<float>()(2, 1) == 6);
  }
  TEST_CASE("works out one size that is -1") {
    CHECK(Reshaped({2, 3, 4}, {-1}) == TensorShape{24});
    CHECK(Reshaped({2, 3, 4}, {4, -1}) == TensorShape{4, 6});
    CHECK(Reshaped({2, 3, 4}, {-1, 12, 1}) == TensorShape{2, 12, 1});
    CHECK(Reshaped({}, {-1}) == TensorShape{1});
    CHECK(Reshaped({5}, {1, -1, 5}) == TensorShape{1, 1, 5});
  }
  TEST_CASE("of one element may be a scalar, and back") {
    CHECK(Reshaped({1, 1}, {}) == TensorShape{});
    CHECK(Reshaped({}, {1, 1, 1}) == TensorShape{1, 1, 1});
    CHECK(Run<ops::Reshape>({}, {Tensor::Zeros<float>({2, 3}), Tensor::Scalar<std::int32_t>(6)}).shape() ==
          TensorShape{6});
    CHECK(Run<ops::Reshape>({}, {Tensor::Zeros<float>({2, 3}), Tensor::Scalar<std::int64_t>(-1)}).shape() ==
          TensorShape{6});
  }
  TEST_CASE("of no elements: a -1 follows from the sizes that are not zero") {
    CHECK(Reshaped({0}, {0}) == TensorShape{0});
    CHECK(Reshaped({0, 3}, {3, 0}) == TensorShape{3, 0});
    CHECK(Reshaped({0}, {-1}) == TensorShape{0});
    CHECK(Reshaped({2, 0}, {2, -1}) == TensorShape{2, 0});
    CHECK(Reshaped({3, 0, 4}, {0, -1}) == TensorShape{0, 12});
    CHECK(Reshaped({3, 0, 4}, {-1, 0, 6}) == TensorShape{2, 0, 6});
    CHECK(Reshaped({0}, {0, -1}) == TensorShape{0, 1});
  }
  TEST_CASE("refuses another number of elements") {
    CHECK(Error({2, 3}, {7}) ==
          "INVALID_ARGUMENT: Input to reshape is a tensor with 6 values, but the requested shape has 7");
    CHECK(Error({2, 3}, std::vector<std::int32_t>{}) ==
          "INVALID_ARGUMENT: Input to reshape is a tensor with 6 values, but the requested shape has 1");
    CHECK(Error({2, 3}, {0, 6}) ==
          "INVALID_ARGUMENT: Input to reshape is a tensor with 6 values, but the requested shape has 0");
    CHECK(Error({0}, {1}) ==
          "INVALID_ARGUMENT: Input to reshape is a tensor with 0 values, but the requested shape has 1");
    CHECK(
        Error({2, 3}, {4, -1}) ==
        "INVALID_ARGUMENT: Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 4");
    CHECK(Error({2, 3}, {0, -1}) ==
          "INVALID_ARGUMENT: Input to reshape is a tensor with 6 values, but the requested shape has 0");
  }
  TEST_CASE("refuses sizes that are none") {
    CHECK(Error({2, 3}, {-1, -1}) == "INVALID_ARGUMENT: Only one input size may be -1, not both 0 and 1");
    CHECK(Error({2, 3}, {2, -2}) == "INVALID_ARGUMENT: Size 1 must be non-negative, not -2");
    CHECK(Error({2, 3}, Make<std::int32_t>({1, 2}, {2, 3})) ==
          "INVALID_ARGUMENT: sizes input must be 1-D, not shape [1,2]");
    CHECK(Error({2, 3}, Sizes<std::int64_t>({std::numeric_limits<std::int64_t>::max(), 3})) ==
          "INVALID_ARGUMENT: Shape is too large: the product of the sizes up to number 1 overflows int64");
    CHECK(Error({2, 3}, Make<float>({1}, {6})) ==
          "INVALID_ARGUMENT: Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64");
  }
  TEST_CASE("a graph with constant sizes that cannot be is refused when it is loaded") {
    GraphBuilder b;
    b.Add("Reshape", "y", {b.Placeholder("x", DataType::kFloat, {2, 3}), b.Const("sizes", Sizes({7}))});
    const Status status = Session::FromGraph(b).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().substr(0, 66) == "Cannot reshape a tensor with 6 elements to shape [7] (7 elements) ");
  }
  TEST_CASE("asks for no memory") {
    CHECK(FailEveryAllocation<ops::Reshape>({}, {Make<float>({2}, {1}), Sizes({2, 1})}) == 0);
  }
}
}  // namespace array_reshape_test
