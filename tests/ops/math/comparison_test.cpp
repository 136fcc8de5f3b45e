// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/comparison.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_comparison_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Op, class T>
std::string Of(std::initializer_list<double> x, std::initializer_list<double> y) {
  const Index n = static_cast<Index>(x.size());
  const Tensor z = Run<Op>({}, {Make<T>({n}, x), Make<T>({n}, y)});
  REQUIRE(z.dtype() == DataType::kBool);
  std::string text;
  for (Index i = 0; i < n; ++i) text += z.data<bool>()[i] ? 'T' : 'F';
  return text;
}
Tensor Strings(const TensorShape& shape, std::initializer_list<const char*> texts) {
  Tensor tensor(DataType::kString, shape);
  Index i = 0;
  for (const char* text : texts) tensor.data<tstring>()[i++] = tstring(text);
  return tensor;
}

}  // namespace

TEST_SUITE("Comparison") {
  TEST_CASE_TEMPLATE("orders numbers", T, float, double, half, bfloat16, std::int8_t, std::int16_t, std::int32_t,
                     std::int64_t) {
    CHECK(Of<ops::Less, T>({-1, 2, 3}, {1, 2, -3}) == "TFF");
    CHECK(Of<ops::LessEqual, T>({-1, 2, 3}, {1, 2, -3}) == "TTF");
    CHECK(Of<ops::Greater, T>({-1, 2, 3}, {1, 2, -3}) == "FFT");
    CHECK(Of<ops::GreaterEqual, T>({-1, 2, 3}, {1, 2, -3}) == "FTT");
    CHECK(Of<ops::Equal, T>({-1, 2, 3}, {1, 2, -3}) == "FTF");
    CHECK(Of<ops::NotEqual, T>({-1, 2, 3}, {1, 2, -3}) == "TFT");
  }
  TEST_CASE_TEMPLATE("NaN is unequal to everything and in no order", T, float, double, half, bfloat16) {
    CHECK(Of<ops::Less, T>({kNaN, kNaN, 1}, {kNaN, 1, kNaN}) == "FFF");
    CHECK(Of<ops::GreaterEqual, T>({kNaN, kNaN, 1}, {kNaN, 1, kNaN}) == "FFF");
    CHECK(Of<ops::Equal, T>({kNaN, 0}, {kNaN, -0.0}) == "FT");
    CHECK(Of<ops::NotEqual, T>({kNaN, 0}, {kNaN, -0.0}) == "TF");
  }
  TEST_CASE("large unsigned numbers are not negative") {
    CHECK(Of<ops::Less, std::uint8_t>({200, 1}, {100, 2}) == "FT");
    CHECK(Of<ops::Greater, std::uint64_t>({18446744073709549568.0}, {1}) == "T");
  }
}

TEST_SUITE("Equal") {
  TEST_CASE("compares strings, with broadcasting") {
    const Tensor z = Run<ops::Equal>({}, {Strings({2, 1}, {"a", "b"}), Strings({2}, {"b", "a"})});
    REQUIRE(z.shape() == TensorShape{2, 2});
    CHECK(!z.data<bool>()[0]);
    CHECK(z.data<bool>()[1]);
    CHECK(z.data<bool>()[2]);
    CHECK(!z.data<bool>()[3]);
  }
  TEST_CASE_TEMPLATE("compares numbers of every kind", T, complex64, complex128, bool, std::uint16_t, std::uint32_t) {
    CHECK(Of<ops::Equal, T>({1, 0, 1}, {1, 1, 0}) == "TFF");
  }
  TEST_CASE("shapes that do not broadcast are an error, or unequal when that is asked for") {
    const Tensor x = Make<float>({2, 3}, {1}), y = Make<float>({2}, {1});
    CHECK(ErrorOf<ops::Equal>({}, {x, y}) == "INVALID_ARGUMENT: Equal: Dimensions must be equal, but are 3 and 2");
    const AttrArgs no_error{{"incompatible_shape_error", AttrValue(false)}};
    const Tensor equal = Run<ops::Equal>(no_error, {x, y}), unequal = Run<ops::NotEqual>(no_error, {x, y});
    CHECK(equal.dims() == 0);
    CHECK(!*equal.data<bool>());
    CHECK(*unequal.data<bool>());
    CHECK(Run<ops::Equal>(no_error, {x, Make<float>({3}, {1})}).shape() == TensorShape{2, 3});
  }
  TEST_CASE("a dtype without kernel is refused") {
    const Tensor x = Make<float8_e5m2>({2}, {1});
    CHECK(ErrorOf<ops::Equal>({}, {x, x}) ==
          "INVALID_ARGUMENT: no kernel for op 'Equal' on CPU with types {float8_e5m2}; elements of this type are not "
          "compared");
  }
}

TEST_SUITE("ApproximateEqual") {
  TEST_CASE_TEMPLATE("holds below the tolerance", T, float, double) {
    const Tensor x = Make<T>({4}, {1, 1, 1, kNaN}), y = Make<T>({4}, {1.25, 1.5, 2, kNaN});
    const Tensor z = Run<ops::ApproximateEqual>({{"tolerance", AttrValue(0.5f)}}, {x, y});
    CHECK(z.data<bool>()[0]);
    CHECK(!z.data<bool>()[1]);
    CHECK(!z.data<bool>()[2]);
    CHECK(!z.data<bool>()[3]);
  }
  TEST_CASE("does not broadcast") {
    CHECK(Call<ops::ApproximateEqual>({}, {Make<float>({2}, {1}), Make<float>({}, {1})}).status().code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace math_comparison_test
