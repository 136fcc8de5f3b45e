// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/serialize.hpp>

#include "ops/outputs.hpp"

namespace sparse_serialize_test {
using namespace tenon;
using namespace tenon::testing;
using ops::DeserializeManySparse;
using ops::DeserializeSparse;
using ops::SerializeManySparse;
using ops::SerializeSparse;

namespace {

const AttrArgs kFloats{{"dtype", DataType::kFloat}};

Tensor Places(Index rank, std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
// Two tensors [3] one behind the other become one [6].
Tensor Joined(const Tensor& a, const Tensor& b, const TensorShape& shape) {
  Tensor both(a.dtype(), shape);
  for (Index i = 0; i < 6; ++i) {
    const Tensor& from = i < 3 ? a : b;
    if (a.dtype() == DataType::kString)
      both.data<tstring>()[i] = from.data<tstring>()[i % 3];
    else
      both.data<Variant>()[i] = from.data<Variant>()[i % 3];
  }
  return both;
}

}  // namespace

TEST_SUITE("SerializeSparse and DeserializeSparse") {
  TEST_CASE("there and back, as strings and as variants") {
    for (const DataType type : {DataType::kString, DataType::kVariant}) {
      CAPTURE(type);
      const AttrArgs out{{"out_type", type}};
      const Tensor a =
          tenon::testing::Run<SerializeSparse>(out, {Places(2, {0, 1, 2, 0}), Floats({5, 6}), Longs({3, 2})});
      const Tensor b = tenon::testing::Run<SerializeSparse>(out, {Places(2, {1, 3}), Floats({7}), Longs({2, 4})});
      CHECK(a.shape() == TensorShape({3}));
      CHECK(OutputsOf<DeserializeSparse>(kFloats, {a}) == "[0 1][2 0] | 5 6 | 3 2");
      CHECK(OutputsOf<DeserializeSparse>(kFloats, {Joined(a, b, {2, 3})}) == "[0 0 1][0 2 0][1 1 3] | 5 6 7 | 2 3 4");
      CHECK(OutputsOf<DeserializeSparse>(kFloats, {Joined(a, b, {1, 2, 3})}) ==
            "[0 0 0 1][0 0 2 0][0 1 1 3] | 5 6 7 | 1 2 3 4");
    }
  }
  TEST_CASE("the rows of a batch, also those without elements") {
    const Tensor rows =
        tenon::testing::Run<SerializeManySparse>({}, {Places(2, {0, 1, 2, 0, 2, 1}), Floats({5, 6, 7}), Longs({4, 2})});
    CHECK(rows.shape() == TensorShape({4, 3}));
    CHECK(OutputsOf<DeserializeManySparse>(kFloats, {rows}) == "[0 1][2 0][2 1] | 5 6 7 | 4 2");
  }
  TEST_CASE("refuses a batch out of order, out of range or of one dimension") {
    const std::string where = "INVALID_ARGUMENT: SerializeManySparse: ";
    CHECK(ErrorOf<SerializeManySparse>({}, {Places(2, {1, 0, 0, 0}), Floats({1, 2}), Longs({2, 2})}) ==
          where + "indices[1] = [0,0] is out of order. Many sparse ops require sorted indices.");
    CHECK(ErrorOf<SerializeManySparse>({}, {Places(2, {0, 0, 2, 0}), Floats({1, 2}), Longs({2, 2})}) ==
          where + "indices[1] = [2,0] is out of bounds: need 0 <= index < [2,2]");
    CHECK(ErrorOf<SerializeManySparse>({}, {Places(1, {0}), Floats({1}), Longs({2})}) ==
          where + "Rank of input SparseTensor should be > 1, but saw rank: 1");
  }
  TEST_CASE("refuses strings and variants that hold no sparse tensor") {
    const std::string where = "INVALID_ARGUMENT: DeserializeSparse: ";
    Tensor texts(DataType::kString, {3});
    for (Index i = 0; i < 3; ++i) texts.data<tstring>()[i] = "no tensor";
    CHECK(ErrorOf<DeserializeSparse>(kFloats, {texts}).starts_with(where + "Could not parse serialized proto 0: "));
    CHECK(ErrorOf<DeserializeSparse>(kFloats, {Tensor(DataType::kVariant, {3})}) ==
          where + "Could not get a tensor from Variant element 0");
    const Tensor a = tenon::testing::Run<SerializeSparse>({}, {Places(2, {0, 1}), Floats({5, 6}), Longs({3, 2})});
    CHECK(ErrorOf<DeserializeSparse>(kFloats, {a}) ==
          where +
              "Expected row counts of SparseTensor[0].indices and SparseTensor[0].values to match but they do not: "
              "1 vs. 2");
    CHECK(ErrorOf<DeserializeSparse>({{"dtype", DataType::kInt32}}, {a}) ==
          where + "Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float");
    CHECK(ErrorOf<DeserializeSparse>(kFloats, {Tensor(DataType::kString, {0, 3})}) ==
          where + "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension [0,3]");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<SerializeSparse>({{5, 2}, {5}, {2}}) == "[3]");
    CHECK(ShapesOf<SerializeManySparse>({{5, 2}, {5}, {2}}) == "[?,3]");
    CHECK(ShapesOf<DeserializeSparse>({{2, 7, 3}}) == "[?,?] [?] [?]");
    CHECK(ShapesOf<DeserializeManySparse>({{7, 2}}) == "INVALID_ARGUMENT: Dimension must be 3 but is 2");
  }
}
}  // namespace sparse_serialize_test
