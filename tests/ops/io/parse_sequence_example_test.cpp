// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/parse_sequence_example.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_parse_sequence_example_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::Inferred;
using io_examples::SequenceOf;
using io_examples::Texts;

namespace {

using Types = SlimVector<DataType>;
using Shapes = SlimVector<PartialTensorShape>;
const auto kLong = DataType::kInt64;

Feature Whole(std::initializer_list<std::int64_t> values) { return io_examples::Longs(values); }

// In the context the dense scalar "c" and the ragged "r", lists "s" (sparse), "d" (dense, pairs) and "q" (ragged).
struct Call {
  Tensor examples, names = Texts({}), dense_keys = Texts({"d"});
  Tensor may_be_missing = MakeTensor<bool>({1}, {false});
  Tensor context_default = Longs({});

  Result<std::vector<Tensor>> operator()() const {
    const AttrArgs attrs{{"Tcontext_dense", Types{kLong}},
                         {"context_dense_shapes", Shapes{PartialTensorShape(TensorShape())}},
                         {"context_ragged_value_types", Types{kLong}},
                         {"context_ragged_split_types", Types{kLong}},
                         {"Nfeature_list_sparse", std::int64_t{1}},
                         {"feature_list_sparse_types", Types{kLong}},
                         {"Nfeature_list_dense", std::int64_t{1}},
                         {"feature_list_dense_types", Types{kLong}},
                         {"feature_list_dense_shapes", Shapes{{2}}},
                         {"feature_list_ragged_value_types", Types{kLong}},
                         {"feature_list_ragged_split_types", Types{kLong}}};
    return CallOp("ParseSequenceExampleV2", attrs,
                  {examples, names, Texts({}), Texts({"c"}), Texts({"r"}), Texts({"s"}), dense_keys, Texts({"q"}),
                   may_be_missing, context_default},
                  11);
  }
  std::string Error() const {
    const std::string text = (*this)().status().ToString();
    return text.substr(0, text.find(" [node "));
  }
};
std::vector<std::vector<double>> Values(const Call& call) {
  const Result<std::vector<Tensor>> out = call();
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  std::vector<std::vector<double>> all;
  for (const Tensor& t : *out) all.push_back(Numbered<std::int64_t>(t));
  return all;
}
std::string Example() {
  return SequenceOf({{"c", Whole({5})}, {"r", Whole({6, 7})}}, {{"s", {Whole({1}), Whole({}), Whole({2, 3})}},
                                                                {"d", {Whole({1, 2}), Whole({3, 4})}},
                                                                {"q", {Whole({}), Whole({8, 9})}}});
}
std::string Short() { return SequenceOf({{"c", Whole({4})}}, {{"d", {Whole({7, 8})}}}); }

}  // namespace

TEST_SUITE("ParseSequenceExample") {
  TEST_CASE("features and lists of two examples, the shorter filled with zeros") {
    const std::vector<std::vector<double>> all = Values({Texts({Example(), Short()})});
    CHECK(all[0] == std::vector<double>{5, 4});                          // c
    CHECK(all[1] == std::vector<double>{6, 7});                          // r
    CHECK(all[2] == std::vector<double>{0, 2, 2});                       // its splits
    CHECK(all[3] == std::vector<double>{0, 0, 0, 0, 2, 0, 0, 2, 1});     // where s is
    CHECK(all[4] == std::vector<double>{1, 2, 3});                       // s
    CHECK(all[5] == std::vector<double>{2, 3, 2});                       // its shape
    CHECK(all[6] == std::vector<double>{1, 2, 3, 4, 7, 8, 0, 0});        // d
    CHECK(all[7] == std::vector<double>{2, 1});                          // its lengths
    CHECK(all[8] == std::vector<double>{8, 9});                          // q
    CHECK(all[9] == std::vector<double>{0, 2, 2});                       // its splits into rows
    CHECK(all[10] == std::vector<double>{0, 0, 2});                      // and of the rows
  }
  TEST_CASE("one example by itself has a dimension less and no splits of examples") {
    const Result<std::vector<Tensor>> out = Call{Tensor::Scalar(std::string_view(Example()))}();
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].shape() == TensorShape());
    CHECK((*out)[2].shape() == TensorShape());
    CHECK((*out)[3].shape() == TensorShape({3, 2}));
    CHECK((*out)[6].shape() == TensorShape({2, 2}));
    CHECK((*out)[7].shape() == TensorShape());
    CHECK(Numbered<std::int64_t>((*out)[10]) == std::vector<double>{0, 0, 2});
  }
  TEST_CASE("a list may be missing where the input says so, and a feature where there is a default") {
    const std::string nothing = SequenceOf({}, {});
    Call call{Texts({nothing})};
    CHECK(call.Error() == "INVALID_ARGUMENT: Name: <unknown>, Context feature 'c' is required but could not be found.");
    call.context_default = Tensor::Scalar<std::int64_t>(9);
    CHECK(call.Error().find("Feature list 'd' is required but could not be found.") != std::string::npos);
    call.may_be_missing = MakeTensor<bool>({1}, {true});
    const std::vector<std::vector<double>> all = Values(call);
    CHECK(all[0] == std::vector<double>{9});
    CHECK(all[7] == std::vector<double>{0});
  }
  TEST_CASE("no examples: TensorFlow wants context features of at least one") {
    CHECK(Call{Texts({})}.Error() ==
          "INVALID_ARGUMENT: Inconsistent max number of elements for feature c: expected 1, but found 0");
  }
  TEST_CASE("says what is wrong with the inputs") {
    Call call{Texts({Example()})};
    call.names = Texts({"a", "b"});
    CHECK(call.Error() ==
          "INVALID_ARGUMENT: Expected debug_name to have the same shape as serialized: debug_name.shape=[2], "
          "serialized.shape=[1]");
    call.names = Texts({"a"});
    call.dense_keys = Texts({"d", "e"});
    CHECK(call.Error() ==
          "INVALID_ARGUMENT: Expected feature_list_dense_keys to be a vector of 1 keys, got shape: [2]");
    call.dense_keys = Texts({"d"});
    call.may_be_missing = MakeTensor<bool>({2}, {true, true});
    CHECK(call.Error() ==
          "INVALID_ARGUMENT: Expected feature_list_dense_missing_assumed_empty to be a vector of 1 values, got shape: "
          "[2]");
    call.may_be_missing = MakeTensor<bool>({1}, {true});
    call.examples = Texts({SequenceOf({{"c", Whole({5})}}, {{"d", {Whole({1, 2}), Whole({3, 4, 5})}}})});
    CHECK(
        call.Error() ==
        "INVALID_ARGUMENT: Name: a, Feature list: d, Index: 1. Number of int64 values != expected. Values size: 3 but "
        "output shape: [2]");
  }
  TEST_CASE("how many dimensions the examples may have") {
    using ops::detail::CheckSerialized;
    const Tensor matrix(DataType::kString, {1, 1});
    CHECK(CheckSerialized(matrix, 0, 1).message() == "Expected serialized to be a scalar or vector, got shape: [1,1]");
    CHECK(CheckSerialized(matrix, 1, 1).message() == "Expected serialized to be a vector, got shape: [1,1]");
    CHECK(CheckSerialized(Texts({}), 0, 0).message() == "Expected serialized to be a scalar, got shape: [0]");
    CHECK(CheckSerialized(Texts({}), 0, 1).ok());
  }
  TEST_CASE("lists of attrs that do not agree make no graph") {
    const std::string text =
        CallOp("ParseSequenceExampleV2", {{"Tcontext_dense", Types{kLong}}}, {Texts({})}, 1).status().ToString();
    CHECK_MESSAGE(text.find("INVALID_ARGUMENT") == 0, text);
    const auto shape = [](const Shapes& shapes) {
      return Inferred<ops::ParseSequenceExampleV2>(
          {{"Tcontext_dense", Types{kLong}}, {"context_dense_shapes", shapes}, {"feature_list_dense_shapes", Shapes{}}},
          {{2}, {0}, {0}, {1}, {0}, {0}, {0}, {0}, {0}, PartialTensorShape()}, 0);
    };
    CHECK(shape({{1}, {2}}) == "len(context_dense_types) != len(context_dense_shapes): 1 and 2");
    CHECK(shape({{3}}) == "[2,3]");
  }
  TEST_CASE("splits of one example are a scalar, also for the shape function") {
    const auto shape = [](const PartialTensorShape& examples, int output) {
      return Inferred<ops::ParseSequenceExampleV2>({{"context_ragged_value_types", Types{kLong}},
                                                    {"context_ragged_split_types", Types{kLong}},
                                                    {"context_dense_shapes", Shapes{}},
                                                    {"feature_list_dense_shapes", Shapes{}}},
                                                   {examples, {0}, {0}, {0}, {1}, {0}, {0}, {0}, {0}}, output);
    };
    const PartialTensorShape one{TensorShape()};
    CHECK(shape({3}, 1) == "[4]");
    CHECK(shape(one, 1) == "[]");
    CHECK(shape(one, 0) == "[?]");
    CHECK(shape(PartialTensorShape(), 1) == "?");
  }
}
}  // namespace io_parse_sequence_example_test
