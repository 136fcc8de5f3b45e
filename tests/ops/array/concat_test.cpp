// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/concat.hpp>

#include <cstring>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_concat_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Concat") {
  TEST_CASE("of the parts of a tensor is the tensor, on any axis, for elements of any size") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 5, 3, 1});
      for (const int axis : {0, 1, 2, 3, -1, -4}) {
        CAPTURE(axis);
        const std::int32_t size = static_cast<std::int32_t>(x.dim_size(axis < 0 ? axis + 4 : axis));
        const std::vector<Tensor> parts = RunAll("SplitV", {{"num_split", 3}}, {x, Ints({1, -1, 0}), Int(axis)}, 3);
        CHECK(parts[2].NumElements() == 0);
        CHECK(parts[1].NumElements() == x.NumElements() / size * (size - 1));
        CHECK(SameTensor(Run<ops::Concat>({}, {Int(axis), parts[0], parts[1], parts[2]}), x));
        CHECK(SameTensor(Run<ops::ConcatV2>({}, {parts[0], parts[1], parts[2], Longs({axis})}), x));
      }
    }
  }
  TEST_CASE("rank 8, and nothing but empty tensors") {
    const Tensor a = AnyBits(DataType::kFloat, {1, 2, 1, 2, 1, 2, 1, 2}, 1),
                 b = AnyBits(DataType::kFloat, a.shape(), 2);
    const Tensor both = Run<ops::ConcatV2>({}, {a, b, Int(6)});
    CHECK(both.shape() == TensorShape({1, 2, 1, 2, 1, 2, 2, 2}));
    for (Index i = 0; i < both.NumElements(); ++i) {
      const Tensor& from = i / 2 % 2 == 0 ? a : b;
      CHECK(std::memcmp(both.data<float>() + i, from.data<float>() + i / 4 * 2 + i % 2, 4) == 0);
    }
    const Tensor none(DataType::kString, {0, 3});
    CHECK(Run<ops::ConcatV2>({}, {none, none, Int(1)}).shape() == TensorShape({0, 6}));
  }
  TEST_CASE("begins where ConcatOffset says") {
    const std::vector<Tensor> places =
        RunAll("ConcatOffset", {}, {Int(-2), Ints({2, 3, 4}), Ints({2, 0, 4}), Ints({2, 7, 4})}, 3);
    CHECK(Numbered<std::int32_t>(places[0]) == std::vector<double>{0, 0, 0});
    CHECK(Numbered<std::int32_t>(places[1]) == std::vector<double>{0, 3, 0});
    CHECK(Numbered<std::int32_t>(places[2]) == std::vector<double>{0, 3, 0});
  }
  TEST_CASE("names what does not fit") {
    const Tensor a = Make<float>({2, 3}, {1}), b = Make<float>({3, 2}, {1}), one = Make<float>({}, {1});
    CHECK(ErrorOf<ops::ConcatV2>({}, {a, a, Int(2)}) ==
          "INVALID_ARGUMENT: ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 2");
    CHECK(ErrorOf<ops::ConcatV2>({}, {one, one, Int(0)}).find("Can't concatenate scalars (use tf.stack instead)") !=
          std::string::npos);
    CHECK(ErrorOf<ops::ConcatV2>({}, {a, b, Int(0)}) ==
          "INVALID_ARGUMENT: ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = "
          "[3,2]");
    CHECK(ErrorOf<ops::ConcatV2>({}, {a, Make<float>({2}, {1}), Int(0)})
              .find("Ranks of all input tensors should match") != std::string::npos);
    CHECK(ErrorOf<ops::ConcatOffset>({}, {Int(3), Ints({2, 3}), Ints({2, 3})}) ==
          "INVALID_ARGUMENT: ConcatOffset: Concat dim is out of range: 3 vs. 2");
    CHECK(ErrorOf<ops::ConcatOffset>({}, {Int(0), Ints({2, 3}), Ints({2, 4})})
              .find("Input 1 has 4 in dimension 1 and doesn't match input 0 with 3") != std::string::npos);
  }
  TEST_CASE("sizes that add up to more than int64 holds are refused") {
    const Tensor large(DataType::kFloat, TensorShape({Index{1} << 62, 0}));
    const Status status = Call<ops::ConcatV2>({}, {large, large, Int(0)}).status();
    CHECK_MESSAGE(status.code() == Code::kInvalidArgument, status.ToString());
  }
}
}  // namespace array_concat_test
