// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/parse_example.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_parse_example_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::ExampleOf;
using io_examples::Floats;
using io_examples::Texts;
using io_examples::Words;

namespace {

using Types = SlimVector<DataType>;
using Shapes = SlimVector<PartialTensorShape>;

Feature Whole(std::initializer_list<std::int64_t> values) { return io_examples::Longs(values); }
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }

// The sparse "s" and the ragged "r", both of texts, and the dense "d" of these shapes.
AttrArgs Attrs(const PartialTensorShape& shape) {
  return {{"num_sparse", std::int64_t{1}},
          {"sparse_types", Types{DataType::kString}},
          {"Tdense", Types{DataType::kInt64}},
          {"dense_shapes", Shapes{shape}},
          {"ragged_value_types", Types{DataType::kString}},
          {"ragged_split_types", Types{DataType::kInt32}}};
}
Result<std::vector<Tensor>> Parsed(const PartialTensorShape& shape, const Tensor& examples, const Tensor& names,
                                   const Tensor& missing, const Tensor& dense_keys = Texts({"d"})) {
  return CallOp("ParseExampleV2", Attrs(shape), {examples, names, Texts({"s"}), dense_keys, Texts({"r"}), missing}, 6);
}
std::string Error(const PartialTensorShape& shape, const Tensor& examples, const Tensor& names = Texts({}),
                  const Tensor& missing = Longs({}), const Tensor& dense_keys = Texts({"d"})) {
  std::string text = Parsed(shape, examples, names, missing, dense_keys).status().ToString();
  return text.substr(0, text.find(" [node "));
}
std::string Word(const Tensor& texts, Index i) { return std::string(texts.data<tstring>()[i].view()); }

}  // namespace

TEST_SUITE("ParseExample") {
  TEST_CASE("sparse, dense and ragged values of two examples") {
    const std::string one = ExampleOf({{"s", Words({"a", "b"})}, {"d", Whole({1, 2})}, {"r", Words({"x"})}});
    const std::string two = ExampleOf({{"s", Words({"c"})}, {"r", Words({"y", "z"})}});
    const auto out = Parsed({2}, Texts({one, two}), Texts({}), Longs({8, 9}));
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Numbered<std::int64_t>((*out)[0]) == std::vector<double>{0, 0, 0, 1, 1, 0});
    CHECK(Word((*out)[1], 2) == "c");
    CHECK(Numbered<std::int64_t>((*out)[2]) == std::vector<double>{2, 2});
    CHECK(Numbered<std::int64_t>((*out)[3]) == std::vector<double>{1, 2, 8, 9});
    CHECK(Word((*out)[4], 2) == "z");
    CHECK(Numbered<std::int32_t>((*out)[5]) == std::vector<double>{0, 1, 3});
  }
  TEST_CASE("rows of any number are padded to the longest") {
    const auto out = Parsed(
        {-1, 2}, Texts({ExampleOf({{"d", Whole({1, 2})}}), ExampleOf({}), ExampleOf({{"d", Whole({3, 4, 5, 6})}})}),
        Texts({}), Longs({-1}));
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[3].shape() == TensorShape({3, 2, 2}));
    CHECK(Numbered<std::int64_t>((*out)[3]) == std::vector<double>{1, 2, -1, -1, -1, -1, -1, -1, 3, 4, 5, 6});
  }
  TEST_CASE("one example has a dimension less; none at all have empty outputs") {
    const std::string one = ExampleOf({{"s", Words({"a", "b"})}, {"d", Whole({1, 2})}, {"r", Words({"x"})}});
    const auto out = Parsed({2}, Text(one), Texts({}), Longs({}));
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Numbered<std::int64_t>((*out)[0]) == std::vector<double>{0, 1});
    CHECK((*out)[3].shape() == TensorShape({2}));
    CHECK((*out)[5].NumElements() == 0);
    const auto none = Parsed({2}, Texts({}), Texts({}), Longs({}));
    REQUIRE_MESSAGE(none.ok(), none.status().message());
    CHECK((*none)[0].shape() == TensorShape({0, 2}));
    CHECK(Numbered<std::int64_t>((*none)[2]) == std::vector<double>{0, 0});
    CHECK((*none)[3].shape() == TensorShape({0, 2}));
    CHECK(Numbered<std::int32_t>((*none)[5]) == std::vector<double>{0});
  }
  TEST_CASE("says which example and which key") {
    const std::string good = ExampleOf({{"d", Whole({1, 2})}}), empty = ExampleOf({});
    CHECK(Error({2}, Texts({good, empty}), Texts({"n0", "n1"})) ==
          "INVALID_ARGUMENT: Name: n1, Feature: d (data type: int64) is required but could not be found.");
    CHECK(Error({2}, Texts({good, ExampleOf({{"d", Whole({1, 2})}, {"s", Floats({1})}})})) ==
          "INVALID_ARGUMENT: Name: <unknown>, Key: s, Index: 1. Data types don't match. Expected type: string, Actual "
          "type: float");
    CHECK(Error({2}, Texts({good}), Texts({}), Longs({}), Texts({"r"})) ==
          "INVALID_ARGUMENT: Name: <unknown>, Feature: r (data type: int64) is required but could not be found.");
  }
  TEST_CASE("says which shape, key or default does not fit") {
    const Tensor good = Texts({ExampleOf({{"d", Whole({1, 2})}})});
    Tensor square(DataType::kString, {1, 1});
    CHECK(Error({2}, square) == "INVALID_ARGUMENT: Expected serialized to be a scalar or vector, got shape: [1,1]");
    CHECK(Error({2}, good, Texts({"a", "b"})) ==
          "INVALID_ARGUMENT: Expected names have the same shape as serialized: name.shape=[2], serialized.shape=[1]");
    CHECK(Error({2}, good, Texts({}), Longs({}), Texts({"d", "e"})) ==
          "INVALID_ARGUMENT: Expected len(dense_keys) == 1 but got: 2");
    CHECK(Error({2}, good, Texts({}), Longs({1})) ==
          "INVALID_ARGUMENT: def_value[0].shape() == [1] is not compatible with dense_shapes_[0] == [2]");
    CHECK(ops::detail::CheckExamples(Text(""), Texts({}), false).message() ==
          "Expected serialized to be a vector, got shape: []");
    CHECK(ops::detail::CheckKey("dense_keys", square).ok());
    CHECK(ops::detail::CheckKey("dense_keys", Texts({})).message() ==
          "Expected dense_keys to be a scalar, got shape: [0]");
    CHECK(ops::detail::CheckSizes("sparse_keys", 2, "sparse_types", 1).message() ==
          "len(sparse_keys) != len(sparse_types): 2 and 1");
    const Shapes shapes{{2}, {-1, -1}};
    CHECK(ops::detail::CheckDenseShapes(shapes).message() ==
          "dense_shapes[1] has unknown rank or unknown inner dimensions: [?,?]");
  }
  TEST_CASE("attrs that do not agree make no graph") {
    const AttrArgs attrs{{"num_sparse", std::int64_t{2}},
                         {"sparse_keys", SlimVector<std::string>{"s"}},
                         {"dense_keys", SlimVector<std::string>{}},
                         {"sparse_types", Types{DataType::kString, DataType::kString}},
                         {"Tdense", Types{}},
                         {"dense_shapes", Shapes{}}};
    const std::string text = CallOp("ParseSingleExample", attrs, {Text("")}, 6).status().ToString();
    CHECK_MESSAGE(
        text.find("INVALID_ARGUMENT: num_sparse (2) must match the size of sparse_keys (1) and sparse_types (2)") == 0,
        text);
  }
  TEST_CASE("shapes follow from attrs, as far as the examples are known") {
    const auto shape = [](const PartialTensorShape& examples, int output) {
      return io_examples::Inferred<ops::ParseExampleV2>(Attrs({-1, 2}), {examples, {0}, {1}, {1}, {1}, {1}}, output);
    };
    const PartialTensorShape one{TensorShape()};
    CHECK(shape({3}, 0) == "[?,2]");
    CHECK(shape(one, 0) == "[?,1]");
    CHECK(shape(PartialTensorShape(), 2) == "[?]");
    CHECK(shape({3}, 3) == "[3,?,2]");
    CHECK(shape(one, 3) == "[?,2]");
    CHECK(shape({3}, 4) == "[?]");
    CHECK(shape({3}, 5) == "[4]");
    CHECK(shape(one, 5) == "[?]");
    CHECK(shape({3, 1}, 0) == "Shape must be at most rank 1 but is rank 2");
  }
}
}  // namespace io_parse_example_test
