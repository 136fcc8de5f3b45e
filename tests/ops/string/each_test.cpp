// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/each.hpp>

#include "ops/support.hpp"

namespace string_each_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Ops on each text") {
  TEST_CASE("Substr counts characters from both ends") {
    const AttrArgs utf8 = {{"unit", AttrValue("UTF8_CHAR")}};
    const Tensor text = Text("ab\u00e9"), one = Tensor::Scalar<std::int32_t>(1);
    CHECK(Run<ops::Substr>(utf8, {text, Tensor::Scalar<std::int32_t>(-1), one}).data<tstring>()[0] == "\u00e9");
    CHECK(Run<ops::Substr>(utf8, {text, Tensor::Scalar<std::int32_t>(3), one}).data<tstring>()[0] == "");
    for (const std::int32_t pos : {4, -4, std::numeric_limits<std::int32_t>::min()})
      CHECK(Call<ops::Substr>(utf8, {text, Tensor::Scalar(pos), one}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("Substr of bytes: a negative length is all the rest, extreme positions are outside") {
    const Tensor text = Text("abc");
    const auto at = [&](std::int64_t pos, std::int64_t len) {
      return Call<ops::Substr>({}, {text, Tensor::Scalar(pos), Tensor::Scalar(len)});
    };
    CHECK((*at(1, -1))[0].data<tstring>()[0] == "bc");
    CHECK((*at(-3, std::numeric_limits<std::int64_t>::max()))[0].data<tstring>()[0] == "abc");
    CHECK(at(std::numeric_limits<std::int64_t>::min(), 1).status().code() == Code::kInvalidArgument);
    CHECK(at(std::numeric_limits<std::int64_t>::max(), 1).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("other encodings than UTF-8 have no case") {
    CHECK(ErrorOf<ops::StringLower>({{"encoding", AttrValue("latin1")}}, {Text("A")})
              .find("only utf-8 or '' (no encoding) is supported, received latin1") != std::string::npos);
  }
  TEST_CASE("base64 there and back") {
    const Tensor text = Text(std::string_view("\0\xff\x10", 3));
    const Tensor coded = Run<ops::EncodeBase64>({}, {text});
    CHECK(coded.data<tstring>()[0] == "AP8Q");
    CHECK(Run<ops::DecodeBase64>({}, {coded}).data<tstring>()[0] == text.data<tstring>()[0]);
  }
}
}  // namespace string_each_test
