// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/cross.hpp>

#include "ops/outputs.hpp"

namespace ragged_cross_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Words(std::initializer_list<const char*> words) {
  Tensor tensor(DataType::kString, {static_cast<Index>(words.size())});
  Index i = 0;
  for (const char* word : words) tensor.data<tstring>()[i++] = word;
  return tensor;
}
// One ragged, one sparse and one dense input, in the order of `order`.
std::string Crossed(const std::string& order, DataType out, const Tensor& splits, const Tensor& dense,
                    std::int64_t buckets = 0) {
  GraphBuilder b;
  using List = SlimVector<Output>;
  const List values{b.Const("values", Words({"a", "b", "c"}))}, rows{b.Const("splits", splits)},
      indices{b.Const("indices", MakeTensor<std::int64_t>({2, 2}, {0, 0, 1, 1}))},
      numbers{b.Const("sparse_values", Longs({7, 8}))}, shape{b.Const("shape", Longs({2, 2}))},
      table{b.Const("dense", dense)};
  b.Add("RaggedCross", "cross", {values, rows, indices, numbers, shape, table},
        {{"input_order", order},
         {"hashed_output", out == DataType::kInt64},
         {"num_buckets", buckets},
         {"hash_key", std::int64_t{1}},
         {"out_values_type", out},
         {"out_row_splits_type", DataType::kInt64}});
  const Result<Session> session = Session::FromGraph(b);
  if (!session.ok()) return session.status().ToString();
  const std::vector<std::string> fetches{"cross:0", "cross:1"};
  const Result<std::vector<Tensor>> outputs = session->Run(std::vector<NamedTensor>{}, fetches);
  if (!outputs.ok()) return outputs.status().ToString();
  return (*outputs)[0].SummarizeValue(30) + " | " + (*outputs)[1].SummarizeValue(30);
}

}  // namespace

TEST_SUITE("RaggedCross") {
  TEST_CASE("texts, the last input fastest") {
    const Tensor dense = MakeTensor<std::int64_t>({2, 2}, {1, 2, 3, 4});
    CHECK(Crossed("RSD", DataType::kString, Longs({0, 2, 3}), dense) ==
          "a_X_7_X_1 a_X_7_X_2 b_X_7_X_1 b_X_7_X_2 c_X_8_X_3 c_X_8_X_4 | 0 4 6");
    CHECK(Crossed("DRS", DataType::kString, Ints({0, 0, 3}), dense) ==
          "3_X_a_X_8 3_X_b_X_8 3_X_c_X_8 4_X_a_X_8 4_X_b_X_8 4_X_c_X_8 | 0 0 6");
  }
  TEST_CASE("hashes stay below the number of buckets") {
    const Tensor dense = MakeTensor<std::int64_t>({2, 1}, {1, 3});
    const std::string text = Crossed("RSD", DataType::kInt64, Longs({0, 2, 3}), dense, 1);
    CHECK(text == "0 0 0 | 0 2 3");
  }
  TEST_CASE("refuses other batches, letters and ranks") {
    const Tensor dense = MakeTensor<std::int64_t>({2, 1}, {1, 3}), three = MakeTensor<std::int64_t>({3, 1}, {1, 3, 4});
    const auto says = [](const std::string& got, const char* text) { return got.find(text) != got.npos; };
    CHECK(says(Crossed("RSD", DataType::kString, Longs({0, 2, 3}), three), "the same batch dimension size"));
    CHECK(says(Crossed("RSR", DataType::kString, Longs({0, 2, 3}), dense), "more tensors of kind 'R' than there are"));
    CHECK(says(Crossed("RSX", DataType::kString, Longs({0, 2, 3}), dense), "Unexpected input_order value 'X'"));
    CHECK(says(Crossed("RS", DataType::kString, Longs({0, 2, 3}), dense), "Invalid length for input_order"));
    CHECK(says(Crossed("RSD", DataType::kString, Longs({0, 2, 3}), Longs({1, 2})), "only supports inputs with rank=2"));
    CHECK(says(Crossed("RSD", DataType::kString, Longs({0, 2, 4}), dense), "must be the number of ragged values(3)"));
  }
}
}  // namespace ragged_cross_test
