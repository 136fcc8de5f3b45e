// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/variant.hpp>

#include "ops/support.hpp"

namespace ragged_variant_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Ragged tensors as variants") {
  const Tensor outer = MakeTensor<std::int64_t>({3}, {0, 2, 3}), inner = MakeTensor<std::int64_t>({4}, {0, 1, 1, 3});
  const Tensor values = Make<float>({3}, {1, 2, 3});

  Result<std::vector<Tensor>> Back(const Tensor& encoded, std::int64_t in, std::int64_t out) {
    GraphBuilder b;
    const Output fed = b.Placeholder("encoded", DataType::kVariant);
    b.Add("RaggedTensorFromVariant", "back", {fed},
          {{"input_ragged_rank", AttrValue(in)},
           {"output_ragged_rank", AttrValue(out)},
           {"Tvalues", AttrValue(DataType::kFloat)}});
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
    std::vector<std::string> fetches;
    for (std::int64_t i = 0; i <= out; ++i) fetches.push_back(StrCat("back:", i));
    const std::vector<NamedTensor> feeds{{"encoded:0", encoded}};
    return session.Run(feeds, fetches);
  }

  TEST_CASE("row by row and back") {
    const auto rows = Call<ops::RaggedTensorToVariant>({{"batched_input", AttrValue(true)}}, {outer, inner, values});
    REQUIRE_MESSAGE(rows.ok(), rows.status().ToString());
    CHECK((*rows)[0].shape() == TensorShape({2}));
    const auto back = Back((*rows)[0], -1, 2);
    REQUIRE_MESSAGE(back.ok(), back.status().ToString());
    CHECK(SameTensor((*back)[0], outer));
    CHECK(SameTensor((*back)[1], inner));
    CHECK(SameTensor((*back)[2], values));
    CHECK(Back((*rows)[0], 0, 1).status().code() == Code::kInvalidArgument);
    CHECK(Back((*rows)[0], 1, 3).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("a tensor of three dimensions of values gets the splits of all of them") {
    Tensor encoded(DataType::kVariant, TensorShape({2, 2, 2}));
    for (Index i = 0; i < 8; ++i) {
      const auto one = Call<ops::RaggedTensorToVariant>({{"batched_input", AttrValue(false)}}, {Make<float>({i}, {5})});
      REQUIRE_MESSAGE(one.ok(), one.status().ToString());
      encoded.data<Variant>()[i] = (*one)[0].data<Variant>()[0];
    }
    const auto back = Back(encoded, 0, 3);
    REQUIRE_MESSAGE(back.ok(), back.status().ToString());
    CHECK(Numbered<std::int64_t>((*back)[0]) == std::vector<double>{0, 2, 4});
    CHECK(Numbered<std::int64_t>((*back)[1]) == std::vector<double>{0, 2, 4, 6, 8});
    CHECK(Numbered<std::int64_t>((*back)[2]) == std::vector<double>{0, 0, 1, 3, 6, 10, 15, 21, 28});
  }
  TEST_CASE("splits that do not fit are refused when they come in and when they come out") {
    CHECK(ErrorOf<ops::RaggedTensorToVariant>({{"batched_input", AttrValue(true)}},
                                              {MakeTensor<std::int64_t>({3}, {0, 2, 5}), values}) ==
          "INVALID_ARGUMENT: Invalid ragged splits: last element of ragged splits must be the number of ragged "
          "values(3) but is 5");
    RaggedTensorVariant bad;
    bad.splits.push_back(MakeTensor<std::int64_t>({2}, {0, 99}));
    bad.values = values;
    Tensor encoded(DataType::kVariant, TensorShape());
    encoded.data<Variant>()[0] = Variant(bad);
    CHECK(Back(encoded, 1, 1).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("the serialised form is TensorFlow's: the splits, then the values") {
    RaggedTensorVariant whole;
    whole.splits.push_back(outer);
    whole.values = values;
    VariantTensorData data;
    REQUIRE(EncodeVariant(Variant(whole), &data).ok());
    CHECK(data.type_name == "RaggedTensorVariant");
    CHECK(data.metadata.empty());
    CHECK(data.tensors.size() == 2);
    RaggedTensorVariant read;
    CHECK(read.Decode(data));
    CHECK(read.splits.size() == 1);
    CHECK(!read.Decode(VariantTensorData()));
  }
}
}  // namespace ragged_variant_test
