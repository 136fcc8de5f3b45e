// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/unicode.hpp>

#include "ops/support.hpp"

namespace string_unicode_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Texts(const TensorShape& shape, std::initializer_list<const char*> texts) {
  Tensor tensor(DataType::kString, shape);
  Index i = 0;
  for (const char* text : texts) tensor.data<tstring>()[i++].assign(text);
  return tensor;
}
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Unicode") {
  TEST_CASE("wrong bytes are replaced, dropped or refused") {
    const AttrArgs to_utf16 = {{"input_encoding", AttrValue("UTF-8")}, {"output_encoding", AttrValue("UTF-16-BE")}};
    AttrArgs ignore = to_utf16, strict = to_utf16;
    ignore.push_back({"errors", AttrValue("ignore")});
    strict.push_back({"errors", AttrValue("strict")});
    const Tensor text = Text("a\xff\u00e9");
    CHECK(Run<ops::UnicodeTranscode>(to_utf16, {text}).data<tstring>()[0] == std::string_view("\0a\xff\xfd\0\xe9", 6));
    CHECK(Run<ops::UnicodeTranscode>(ignore, {text}).data<tstring>()[0] == std::string_view("\0a\0\xe9", 4));
    CHECK(ErrorOf<ops::UnicodeTranscode>(strict, {text}).find("Invalid formatting on input string") !=
          std::string::npos);
  }
  TEST_CASE("texts to characters and back") {
    const AttrArgs utf8 = {{"input_encoding", AttrValue("UTF-8")}};
    const auto decoded = Call<ops::UnicodeDecodeWithOffsets>(utf8, {Texts({2}, {"h\u00e9", "\u65e5"})});
    REQUIRE_MESSAGE(decoded.ok(), decoded.status().ToString());
    CHECK(Numbered<std::int64_t>((*decoded)[0]) == std::vector<double>{0, 2, 3});
    CHECK(Numbered<std::int32_t>((*decoded)[1]) == std::vector<double>{'h', 0xe9, 0x65e5});
    CHECK(Numbered<std::int64_t>((*decoded)[2]) == std::vector<double>{0, 1, 0});
    const Tensor back =
        Run<ops::UnicodeEncode>({{"output_encoding", AttrValue("UTF-8")}}, {(*decoded)[1], (*decoded)[0]});
    CHECK(back.data<tstring>()[0] == "h\u00e9");
    CHECK(back.data<tstring>()[1] == "\u65e5");
  }
}
}  // namespace string_unicode_test
