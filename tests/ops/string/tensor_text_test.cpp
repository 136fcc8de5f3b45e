// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/tensor_text.hpp>

#include "ops/support.hpp"

namespace string_tensor_text_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Tensors and texts") {
  TEST_CASE("a serialised tensor is parsed again; bytes that are none are refused") {
    const Tensor x = Random<double>({3, 2}, 4);
    const Tensor bytes = Run<ops::SerializeTensor>({}, {x});
    const AttrArgs doubles = {{"out_type", AttrValue(DataType::kDouble)}};
    CHECK(SameTensor(Run<ops::ParseTensor>(doubles, {bytes}), x));
    const std::string_view whole = bytes.data<tstring>()[0].view();
    for (std::size_t size = whole.size() - 3 * 2 * sizeof(double); size < whole.size(); ++size)
      CHECK(!Call<ops::ParseTensor>(doubles, {Text(whole.substr(0, size))}).ok());
  }
  TEST_CASE("bytes to numbers, either end first") {
    const AttrArgs big = {{"out_type", AttrValue(DataType::kInt16)}, {"little_endian", AttrValue(false)}};
    const Tensor bytes = Text(std::string_view("\x01\x02\x03\x04", 4));
    CHECK(Numbered<std::int16_t>(Run<ops::DecodeRaw>(big, {bytes})) == std::vector<double>{0x102, 0x304});
    CHECK(Numbered<std::int16_t>(Run<ops::DecodePaddedRaw>(big, {bytes, Tensor::Scalar<std::int32_t>(6)})) ==
          std::vector<double>{0x102, 0x304, 0});
    const Tensor none(DataType::kString, TensorShape({0}));
    CHECK(Run<ops::DecodeRaw>(big, {none}).shape() == TensorShape({0, 0}));
  }
  TEST_CASE("a placeholder for every input") {
    const auto text =
        Call<ops::StringFormat>({{"template", AttrValue("a%sb%sc")}}, {Tensor::Scalar<std::int32_t>(1), Text("q")});
    REQUIRE_MESSAGE(text.ok(), text.status().ToString());
    CHECK((*text)[0].data<tstring>()[0] == "a1b\"q\"c");
    CHECK(ErrorOf<ops::StringFormat>({{"template", AttrValue("%s%s")}}, {Text("q")})
              .find("num placeholders in template and num inputs must match: 2 vs. 1") != std::string::npos);
  }
}
}  // namespace string_tensor_text_test
