// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/to_dense.hpp>

#include "ops/outputs.hpp"

namespace sparse_to_dense_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseToDense;
using ops::detail::CheckOrderedIndex;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
// Row 1 of two.
std::string Second(std::initializer_list<std::int64_t> numbers) {
  return CheckOrderedIndex(Places(numbers), 1, 2, TensorShape({3, 4})).ToString();
}

}  // namespace

TEST_SUITE("SparseToDense") {
  TEST_CASE("a row is compared with the shape and with the row before it") {
    CHECK(Second({0, 3, 1, 0}) == "OK");
    CHECK(Second({0, 2, 0, 3}) == "OK");
    CHECK(Second({0, 3, 0, 3}) == "INVALID_ARGUMENT: SparseToDense: indices[1] = [0,3] is repeated");
    CHECK(Second({1, 0, 0, 3}) ==
          "INVALID_ARGUMENT: SparseToDense: indices[1] = [0,3] is out of order. Many sparse ops require sorted "
          "indices. Use `tf.sparse.reorder` to create a correctly ordered copy.");
    CHECK(Second({1, 0, 2, 4}) ==
          "INVALID_ARGUMENT: SparseToDense: indices[1] = [2,4] is out of bounds: need 0 <= index < [3,4]");
    CHECK(Second({1, 0, -1, 0}).find("indices[1] = [-1,0] is out of bounds") != std::string::npos);
    CHECK(CheckOrderedIndex(Ints({7}), 0, 1, TensorShape({8})).ok());
  }
  TEST_CASE("indices of every rank, one value for all of them") {
    const Tensor none = Tensor::Scalar<float>(-1), value = Tensor::Scalar<float>(5);
    CHECK(OutputsOf<SparseToDense>({}, {Int(1), Ints({3}), value, none}) == "-1 5 -1");
    CHECK(OutputsOf<SparseToDense>({}, {Ints({0, 2}), Ints({3}), value, none}) == "5 -1 5");
    CHECK(OutputsOf<SparseToDense>({}, {Longs({0, 2}), Longs({3}), Make<float>({2}, {6, 7}), none}) == "6 -1 7");
    CHECK(OutputsOf<SparseToDense>({}, {Places({}), Longs({2, 2}), Make<float>({0}, {0}), none}) == "[-1 -1][-1 -1]");
    CHECK(OutputsOf<SparseToDense>({}, {Places({}), Longs({0, 2}), value, none}) == "");
  }
  TEST_CASE("without the check the last one at a place stays") {
    const AttrArgs unchecked{{"validate_indices", false}};
    CHECK(OutputsOf<SparseToDense>(unchecked, {Ints({2, 0, 2}), Ints({3}), Make<float>({3}, {1, 2, 3}),
                                               Tensor::Scalar<float>(0)}) == "2 0 3");
    CHECK(OutputsOf<SparseToDense>(unchecked,
                                   {Ints({2, 3}), Ints({3}), Make<float>({2}, {1, 2}), Tensor::Scalar<float>(0)}) ==
          "INVALID_ARGUMENT: SparseToDense: Indices are not valid (out of bounds).  Shape: [3], indices[1] = [3]");
  }
  TEST_CASE("inputs that do not fit are refused with what would") {
    const Tensor at = Ints({0, 1}), zero = Tensor::Scalar<float>(0), two = Make<float>({2}, {1, 2});
    const auto refused = [&](const Tensor& i, const Tensor& s, const Tensor& v, const Tensor& d) {
      return ErrorOf<SparseToDense>({}, {i, s, v, d});
    };
    const std::string where = "INVALID_ARGUMENT: SparseToDense: ";
    CHECK(refused(Tensor(DataType::kInt32, {1, 1, 1}), Ints({3}), two, zero) ==
          where + "sparse_indices should be a scalar, vector, or matrix, got shape [1,1,1]");
    CHECK(refused(at, Int(3), two, zero) == where + "output_shape must be rank 1, got shape []");
    CHECK(refused(at, Ints({3, 3}), two, zero) ==
          where + "output_shape has incorrect number of elements: 2 should be: 1");
    CHECK(refused(at, Ints({3}), Make<float>({3}, {1}), zero) ==
          where + "sparse_values has incorrect shape [3], should be [] or [2]");
    CHECK(refused(at, Ints({3}), two, two) == where + "default_value should be a scalar, got shape [2]");
    CHECK(refused(at, Ints({-3}), two, zero) == where + "Dimension -3 must be >= 0 (dimension 0)");
  }
}
}  // namespace sparse_to_dense_test
