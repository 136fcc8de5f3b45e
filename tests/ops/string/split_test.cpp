// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/split.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace string_split_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
Tensor Texts(std::initializer_list<const char*> texts) {
  Tensor tensor(DataType::kString, {static_cast<Index>(texts.size())});
  Index i = 0;
  for (const char* text : texts) tensor.data<tstring>()[i++].assign(text);
  return tensor;
}

// "a|b/|c" for {"a", "b"} and {"", "c"}: rows end with '/'. The places must be those of the pieces in order.
template <class Op>
std::string Split(const AttrArgs& attrs, std::initializer_list<const char*> texts, std::string_view separator) {
  const auto out = Call<Op>(attrs, {Texts(texts), Text(separator)});
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  const Tensor &places = (*out)[0], &pieces = (*out)[1], &shape = (*out)[2];
  REQUIRE(places.shape() == TensorShape({pieces.NumElements(), 2}));
  REQUIRE(shape.data<std::int64_t>()[0] == static_cast<std::int64_t>(texts.size()));
  std::string text;
  Index at = 0;
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < shape.data<std::int64_t>()[0]; ++row) {
    std::int64_t column = 0;
    for (; at < pieces.NumElements() && places.data<std::int64_t>()[2 * at] == row; ++at, ++column) {
      CHECK(places.data<std::int64_t>()[2 * at + 1] == column);
      StrAppend(&text, column == 0 ? "" : "|", pieces.data<tstring>()[at].view());
    }
    longest = std::max(longest, column);
    text += '/';
  }
  CHECK(at == pieces.NumElements());
  CHECK(shape.data<std::int64_t>()[1] == longest);
  return text;
}
std::string SplitV2(std::initializer_list<const char*> texts, std::string_view separator, std::int64_t most = -1) {
  return Split<ops::StringSplitV2>({{"maxsplit", most}}, texts, separator);
}

}  // namespace

TEST_SUITE("Splitting texts, with TensorFlow's answers") {
  TEST_CASE("at any byte of a delimiter") {
    const auto split = [](std::initializer_list<const char*> texts, std::string_view delimiter, bool skip_empty) {
      return Split<ops::StringSplit>({{"skip_empty", skip_empty}}, texts, delimiter);
    };
    CHECK(split({"a b", " c  d "}, " ", true) == "a|b/c|d/");
    CHECK(split({"a b", " c  d "}, " ", false) == "a|b/|c||d|/");
    CHECK(split({"a,b;c"}, ",;", true) == "a|b|c/");
    CHECK(split({"ab", ""}, "", true) == "a|b//");
    CHECK(split({""}, ",", false) == "/");
    CHECK(split({}, ",", true) == "");
  }
  TEST_CASE("at a whole separator, every time or some times") {
    CHECK(SplitV2({"a--b--", "--"}, "--") == "a|b|/|/");
    CHECK(SplitV2({"---"}, "--") == "|-/");
    CHECK(SplitV2({"a,,b"}, ",") == "a||b/");
    CHECK(SplitV2({"a b c d"}, " ", 2) == "a|b|c d/");
    CHECK(SplitV2({"a,b"}, ",", 0) == "a,b/");
  }
  TEST_CASE("at white space") {
    CHECK(SplitV2({"a b", " c  d "}, "") == "a|b/c|d/");
    CHECK(SplitV2({"a\tb\nc\vd"}, "") == "a|b|c|d/");
    CHECK(SplitV2({"  a b  c "}, "", 1) == "a|b  c /");
    CHECK(SplitV2({"a b c  "}, "", 0) == "a b c  /");
    CHECK(SplitV2({""}, "") == "/");
  }
  TEST_CASE("an empty text has one empty piece where a separator is given") {
    const auto out = Call<ops::StringSplitV2>({}, {Texts({""}), Text(",")});
    REQUIRE(out.ok());
    CHECK((*out)[1].NumElements() == 1);
    CHECK((*out)[2].data<std::int64_t>()[1] == 1);
  }
  TEST_CASE("refuses other shapes") {
    CHECK(ErrorOf<ops::StringSplit>({}, {Texts({"a"}), Texts({"x"})})
              .find("INVALID_ARGUMENT: delimiter must be a scalar, got shape: [1]") == 0);
    CHECK(ErrorOf<ops::StringSplitV2>({}, {Texts({"a"}), Texts({"x"})})
              .find("INVALID_ARGUMENT: sep must be a scalar, got shape: [1]") == 0);
    CHECK(ErrorOf<ops::StringSplitV2>({}, {Text("a"), Text("x")})
              .find("INVALID_ARGUMENT: input must be a vector, got shape: []") == 0);
  }
}
}  // namespace string_split_test
