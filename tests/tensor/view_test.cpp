// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/view.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace view_test {
using namespace tenon;

TEST_SUITE("views") {
  TEST_CASE("are trivially copyable and small, so that a GPU kernel may take them by value") {
    CHECK(std::is_trivially_copyable_v<In<float>>);
    CHECK(std::is_trivially_copyable_v<Out<double, 4>>);
    CHECK(std::is_trivially_default_constructible_v<Out<double, 4>>);
    CHECK(sizeof(In<float>) == 24);
    CHECK(sizeof(In<float, 1>) == 16);
    CHECK(sizeof(In<float, 3>) == 32);
  }
  TEST_CASE("of any rank index the elements and borrow the shape") {
    float data[6] = {0, 1, 2, 3, 4, 5};
    const TensorShape shape{2, 3};
    const AnyView any{data, 6, &shape};
    const Out<float> out(any);
    out[4] = 40;
    out(5) = 50;
    const In<float> in(any);
    CHECK(in.size() == 6);
    CHECK(in[4] == 40);
    CHECK(in(5) == 50);
    CHECK(in.data == data);
    CHECK(in.shape() == TensorShape{2, 3});
    CHECK(&in.shape() == &shape);
    float sum = 0;
    for (const float x : in) sum += x;
    CHECK(sum == 96);
    CHECK(std::is_same_v<decltype(in[0]), const float&>);
    CHECK(std::is_same_v<decltype(out[0]), float&>);
  }
  TEST_CASE("with a rank hold the dimensions and index in row-major order") {
    int data[24];
    for (int i = 0; i < 24; ++i) data[i] = i;
    const TensorShape shape{2, 3, 4};
    const Out<int, 3> out(AnyView{data, 24, &shape});
    CHECK(out.size() == 24);
    CHECK(out.dim(0) == 2);
    CHECK(out.dim(2) == 4);
    CHECK(out.dims[1] == 3);
    CHECK(out(1, 2, 3) == 23);
    CHECK(out(1, 0, 2) == 14);
    out(0, 1, 1) = -1;
    const In<int, 3> in = out;
    CHECK(in[5] == -1);
    CHECK(in(0, 1, 1) == -1);
    CHECK(in.shape() == shape);
    CHECK(in.end() - in.begin() == 24);
  }
  TEST_CASE("of rank 0 have one element") {
    double value = 3;
    const TensorShape shape;
    const In<double, 0> in(AnyView{&value, 1, &shape});
    CHECK(in.size() == 1);
    CHECK(in() == 3);
    CHECK(in[0] == 3);
    CHECK(in.shape() == TensorShape{});
  }
  TEST_CASE("with a rank are made of elements and sizes alone") {
    float data[4] = {1, 2, 3, 4};
    const Index sizes[2] = {2, 2};
    const In<float, 2> in(data, sizes);
    CHECK(in(1, 0) == 3);
  }
  TEST_CASE("of nothing have no elements") {
    const TensorShape shape{0, 3};
    const In<float> any(AnyView{nullptr, 0, &shape});
    const In<float, 2> ranked(AnyView{nullptr, 0, &shape});
    CHECK(any.size() == 0);
    CHECK(any.begin() == any.end());
    CHECK(ranked.size() == 0);
  }
  TEST_CASE("what is written may be read, not the reverse") {
    CHECK(std::is_convertible_v<Out<float>, In<float>>);
    CHECK(std::is_convertible_v<Out<float, 2>, In<float, 2>>);
    CHECK_FALSE(std::is_convertible_v<In<float>, Out<float>>);
    CHECK_FALSE(std::is_convertible_v<Out<float, 2>, In<float, 3>>);
    float x = 1;
    const TensorShape shape{1};
    const In<float> in = Out<float>(&x, 1, &shape);
    CHECK(&in.shape() == &shape);
  }
}
}  // namespace view_test
