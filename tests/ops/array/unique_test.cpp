// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/unique.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_unique_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Unique") {
  TEST_CASE("the distinct elements, picked by their numbers, are the input; the counts add up") {
    for (const DataType dtype :
         {DataType::kUint8, DataType::kInt16, DataType::kInt32, DataType::kInt64, DataType::kString}) {
      const Tensor seed = AnyBits(dtype, {40});
      const Tensor picks = Random<std::int32_t>({700}, 2, 0, 40);
      const Tensor x = RunAll("GatherV2", {}, {seed, picks, Int(0)}, 1)[0];
      const std::vector<Tensor> found = RunAll("UniqueWithCounts", {{"out_idx", DataType::kInt64}}, {x}, 3);
      CHECK(SameTensor(RunAll("GatherV2", {}, {found[0], found[1], Int(0)}, 1)[0], x));
      std::int64_t sum = 0, most = 0;
      for (Index i = 0; i < found[2].NumElements(); ++i) sum += found[2].data<std::int64_t>()[i];
      CHECK(sum == 700);
      for (Index i = 0; i < 700; ++i) {  // numbered in the order of their first appearance
        CHECK_UNARY(found[1].data<std::int64_t>()[i] <= most);
        most = std::max(most, found[1].data<std::int64_t>()[i] + 1);
      }
      CHECK(found[0].NumElements() == most);
      CHECK(SameTensor(RunAll("Unique", {}, {found[0]}, 1)[0], found[0]));
    }
  }
  TEST_CASE_TEMPLATE("both zeros are one number, every NaN is one of its own", T, float, double, half, bfloat16) {
    const Tensor x = Make<T>({7}, {0.0, kNaN, -0.0, kNaN, kInfinity, kNaN, kInfinity});
    CHECK(Numbered<std::int32_t>(RunAll("Unique", {}, {x}, 2)[1]) == std::vector<double>{0, 1, 0, 2, 3, 4, 3});
  }
  TEST_CASE("of nothing is nothing; of a matrix is refused") {
    CHECK(RunAll("UniqueWithCounts", {}, {Tensor(DataType::kString, {0})}, 3)[2].NumElements() == 0);
    CHECK(ErrorOf<ops::Unique>({}, {Make<float>({2, 2}, {1})}).find("unique expects a 1D vector") != std::string::npos);
  }
}

TEST_SUITE("ListDiff") {
  TEST_CASE("leaves what the other does not have, and says where it was") {
    const Tensor x = Ints({3, 1, 3, std::numeric_limits<std::int32_t>::min(), 2}), y = Ints({1, 9, 2});
    const std::vector<Tensor> left = RunAll("ListDiff", {}, {x, y}, 2);
    CHECK(Numbered<std::int32_t>(left[0]) == std::vector<double>{3, 3, -2147483648.0});
    CHECK(Numbered<std::int32_t>(left[1]) == std::vector<double>{0, 2, 3});
    CHECK(RunAll("ListDiff", {}, {x, x}, 2)[0].NumElements() == 0);
    CHECK(SameTensor(RunAll("ListDiff", {}, {x, Ints({})}, 2)[0], x));
    const Tensor nan = Make<float>({2}, {kNaN, 1});
    CHECK(RunAll("ListDiff", {}, {nan, nan}, 2)[0].NumElements() == 1);  // a NaN is in no list
  }
}

TEST_SUITE("Where") {
  TEST_CASE("what is gathered there is not zero, and as many as there are") {
    const Tensor x = Random<std::int32_t>({3, 4, 5}, 6, -1, 2);
    const Tensor places = Run<ops::Where>({}, {x});
    const Tensor values = RunAll("GatherNd", {}, {x, places}, 1)[0];
    Index count = 0;
    for (Index i = 0; i < 60; ++i) count += x.data<std::int32_t>()[i] != 0;
    REQUIRE(places.shape() == TensorShape({count, 3}));
    for (Index i = 0; i < count; ++i) CHECK(values.data<std::int32_t>()[i] != 0);
    const Tensor back = RunAll("ScatterNd", {}, {places, values, Longs({3, 4, 5})}, 1)[0];
    CHECK(SameTensor(back, x));
  }
  TEST_CASE(
      "both zeros are zero, and denormal numbers, which kernels flush; NaN is not; a part of a complex is enough") {
    CHECK(Numbered<std::int64_t>(Run<ops::Where>({}, {Make<float>({4}, {0.0, -0.0, kNaN, 1e-45})})) ==
          std::vector<double>{2});
    Tensor z(DataType::kComplex128, {2});
    z.data<complex128>()[0] = {-0.0, -0.0};
    z.data<complex128>()[1] = {0, 1};
    CHECK(Numbered<std::int64_t>(Run<ops::Where>({}, {z})) == std::vector<double>{1});
  }
  TEST_CASE("ranks 1 to 8") {
    CHECK(Run<ops::Where>({}, {Make<bool>({1, 1, 1, 1, 1, 1, 1, 2}, {1})}).shape() == TensorShape({2, 8}));
    CHECK(Run<ops::Where>({}, {Tensor(DataType::kFloat, {0, 3})}).shape() == TensorShape({0, 2}));
    CHECK(ErrorOf<ops::Where>({}, {Make<bool>({}, {1})}).find("WhereOp : Unhandled input dimensions: 0") !=
          std::string::npos);
  }
}
}  // namespace array_unique_test
