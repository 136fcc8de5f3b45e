// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/transpose.hpp>

#include <cmath>
#include <cstring>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_transpose_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// Some permutation of [0, rank).
Tensor Permutation(Index rank, Numbers& numbers) {
  Tensor perm(DataType::kInt32, {rank});
  std::int32_t* p = perm.data<std::int32_t>();
  for (Index i = 0; i < rank; ++i) p[i] = static_cast<std::int32_t>(i);
  for (Index i = rank - 1; i > 0; --i) std::swap(p[i], p[numbers.Below(i + 1)]);
  return perm;
}

}  // namespace

TEST_SUITE("Transpose") {
  TEST_CASE("by a permutation and by its inverse is the input, up to rank 8") {
    Numbers numbers(1);
    for (int i = 0; i < 40; ++i) {
      TensorShape shape;
      for (Index rank = i % 9; rank > 0; --rank) shape.AddDim(numbers.Below(20) == 0 ? 0 : 1 + numbers.Below(4));
      const Tensor x = AnyBits(kMovedTypes[i % 6], shape), perm = Permutation(shape.dims(), numbers);
      const Tensor y = Run<ops::Transpose>({}, {x, perm});
      for (int d = 0; d < shape.dims(); ++d) CHECK(y.dim_size(d) == shape.dim_size(perm.data<std::int32_t>()[d]));
      const Tensor inverse = Run<ops::InvertPermutation>({}, {perm});
      CHECK(SameTensor(Run<ops::Transpose>({}, {y, inverse}), x));
      CHECK(SameTensor(Run<ops::InvertPermutation>({}, {inverse}), perm));
    }
  }
  TEST_CASE("each element is where its index says; axes may count from the end") {
    const Tensor x = AnyBits(DataType::kFloat, {3, 4, 5}), y = Run<ops::Transpose>({}, {x, Longs({-1, 0, -2})});
    Index wrong = 0;
    for (Index i = 0; i < 60; ++i)
      wrong += std::memcmp(y.data<float>() + i, x.data<float>() + (i / 4 % 3 * 4 + i % 4) * 5 + i / 12, 4) != 0;
    CHECK(wrong == 0);
    const Tensor row = Make<float>({1, 7, 1}, {1});
    CHECK(Run<ops::Transpose>({}, {row, Ints({1, 2, 0})}).raw_data() == row.raw_data());  // nothing moves
  }
  TEST_CASE("conjugates complex numbers, and those alone") {
    Tensor z(DataType::kComplex64, {1, 2});
    z.data<complex64>()[0] = {1, 2};
    z.data<complex64>()[1] = {-3, -0.0f};
    const Tensor y = Run<ops::ConjugateTranspose>({}, {z, Ints({1, 0})});
    CHECK(y.shape() == TensorShape({2, 1}));
    CHECK(y.data<complex64>()[0] == complex64(1, -2));
    CHECK_FALSE(std::signbit(y.data<complex64>()[1].imag()));
    CHECK(SameTensor(Run<ops::ConjugateTranspose>({}, {y, Ints({1, 0})}), z));
    const Tensor x = AnyBits(DataType::kFloat, {2, 3});
    CHECK(SameTensor(Run<ops::ConjugateTranspose>({}, {x, Ints({1, 0})}), Run<ops::Transpose>({}, {x, Ints({1, 0})})));
  }
  TEST_CASE("what is no permutation is refused") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::Transpose>({}, {x, Ints({0, 2})}) == "INVALID_ARGUMENT: Transpose: 2 is out of range [0 .. 2)");
    CHECK(ErrorOf<ops::Transpose>({}, {x, Ints({1, -1})}).find("the permutation has 1 twice") != std::string::npos);
    CHECK(ErrorOf<ops::Transpose>({}, {x, Ints({0})})
              .find("transpose expects a vector of size 2. But input(1) is a vector of size 1") != std::string::npos);
    CHECK(ErrorOf<ops::InvertPermutation>({}, {Ints({0, 3, 1})}) ==
          "INVALID_ARGUMENT: InvertPermutation: 3 is not between 0 and 3");
    CHECK(ErrorOf<ops::InvertPermutation>({}, {Ints({0, 1, 1})}) ==
          "INVALID_ARGUMENT: InvertPermutation: 1 is duplicated in the input.");
    CHECK(ErrorOf<ops::InvertPermutation>({}, {Longs({std::numeric_limits<std::int64_t>::min()})})
              .find("is not between 0 and 1") != std::string::npos);
  }
}
}  // namespace array_transpose_test
