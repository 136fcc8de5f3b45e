// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/number.hpp>

#include "ops/support.hpp"

namespace string_number_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Numbers and texts") {
  TEST_CASE("absurd widths and precisions are refused") {
    const Tensor x = Tensor::Scalar<double>(1.5);
    CHECK(Call<ops::AsString>({{"width", AttrValue(std::int64_t{1} << 40)}}, {x}).status().code() ==
          Code::kInvalidArgument);
    CHECK(Run<ops::AsString>({{"precision", AttrValue(std::int64_t{1000})}}, {x}).data<tstring>()[0].size() == 1002);
  }
  TEST_CASE("extreme values") {
    const AttrArgs shortest = {{"shortest", AttrValue(true)}};
    CHECK(Run<ops::AsString>({}, {Tensor::Scalar(std::numeric_limits<std::int64_t>::min())}).data<tstring>()[0] ==
          "-9223372036854775808");
    CHECK(Run<ops::AsString>(shortest, {Tensor::Scalar(std::numeric_limits<double>::max())}).data<tstring>()[0] ==
          "1.79769e+308");
    CHECK(Run<ops::AsString>({}, {Tensor::Scalar(true)}).data<tstring>()[0] == "true");
  }
  TEST_CASE("what is written is read again") {
    const Tensor x = Random<float>({50}, 3);
    const AttrArgs exact = {{"precision", AttrValue(std::int64_t{9})}, {"scientific", AttrValue(true)}};
    CHECK(SameTensor(Run<ops::StringToNumber>({}, {Run<ops::AsString>(exact, {x})}), x));
    CHECK(ErrorOf<ops::StringToNumber>({{"out_type", AttrValue(DataType::kInt32)}}, {Text("2147483648")}) ==
          "INVALID_ARGUMENT: StringToNumberOp could not correctly convert string: 2147483648");
  }
}
}  // namespace string_number_test
