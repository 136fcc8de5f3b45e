// SPDX-License-Identifier: Apache-2.0
// What JSON means is tested with the reader (tests/wire/json_test.cpp).
#include <tenon/ops/io/decode_json_example.hpp>

#include <string>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_decode_json_example_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::Texts;

TEST_SUITE("DecodeJSONExample") {
  TEST_CASE("an example is the one that its JSON describes") {
    const Tensor out =
        Run<ops::DecodeJSONExample>({}, {Texts({R"({"features": {"feature": {"n": {"int64List": {"value": [1, -2]}},
                                                 "x": {"floatList": {"value": [0.5]}},
                                                 "w": {"bytesList": {"value": ["YWI="]}}}}})"})});
    Example got;
    REQUIRE(wire::Parse(wire::AsBytes(out.data<tstring>()[0].view()), &got).ok());
    CHECK(got == Example{io_examples::Named({{"n", io_examples::Longs({1, -2})},
                                             {"x", io_examples::Floats({.5f})},
                                             {"w", io_examples::Words({"ab"})}})});
  }
  TEST_CASE("each text by itself, in the input's shape; no features are no bytes") {
    Tensor in(DataType::kString, {2, 1});
    in.data<tstring>()[0].assign(R"({"features": {}})");
    in.data<tstring>()[1].assign("{}");
    const Tensor out = Run<ops::DecodeJSONExample>({}, {in});
    CHECK(out.shape() == TensorShape({2, 1}));
    CHECK(out.data<tstring>()[0].view() == std::string_view("\n\0", 2));
    CHECK(out.data<tstring>()[1].view() == "");
    CHECK(Run<ops::DecodeJSONExample>({}, {Tensor(DataType::kString, {0, 3})}).shape() == TensorShape({0, 3}));
  }
  TEST_CASE("one bad text among good ones fails the call, with what is wrong there") {
    const auto error = [](std::initializer_list<std::string_view> texts) {
      return ErrorOf<ops::DecodeJSONExample>({}, {Texts(texts)});
    };
    const std::string start = "INVALID_ARGUMENT: Error while parsing JSON: ";
    CHECK(error({"{}", R"({"features": 7})"}) ==
          start +
              "invalid JSON in type.googleapis.com/tensorflow.Example, near 1:14 (offset 13): unexpected character: "
              "'7'; expected '{', in text 1");
    CHECK(error({""}) == start + "unexpected EOF, in text 0");
    CHECK(error({R"({"features": {"feature": {"n": {"list": 1}}}})"}) ==
          start +
              "invalid JSON in type.googleapis.com/tensorflow.Example, near 1:40 (offset 39): no such field: 'list', "
              "in text 0");
  }
  TEST_CASE("too little memory is said, and nothing is kept") {
    CHECK(FailEveryAllocation<ops::DecodeJSONExample>({}, {Texts({"{}"})}) > 0);
  }
}
}  // namespace io_decode_json_example_test
