// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/decode_proto.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/io/protos.hpp"
#include "ops/outputs.hpp"

namespace io_decode_proto_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Names = SlimVector<std::string>;
using Types = SlimVector<DataType>;

std::string Decoded(const SlimVector<std::string>& messages, const Names& names, const Types& types,
                    std::string_view format = "binary", bool sanitize = false) {
  Tensor bytes(DataType::kString, {static_cast<Index>(messages.size())});
  for (std::size_t i = 0; i < messages.size(); ++i) bytes.data<tstring>()[i] = messages[i];
  const Result<std::vector<Tensor>> got = CallOp("DecodeProtoV2",
                                                 {{"message_type", "t.M"},
                                                  {"field_names", names},
                                                  {"output_types", types},
                                                  {"descriptor_source", std::string_view(TestSource())},
                                                  {"message_format", format},
                                                  {"sanitize", sanitize}},
                                                 {bytes}, static_cast<int>(types.size()) + 1);
  if (!got.ok()) return std::string(Name(got.status().code()));
  std::string text;
  for (const Tensor& tensor : *got) StrAppend(&text, text.empty() ? "" : " | ", tensor.SummarizeValue(30));
  return text;
}

}  // namespace

TEST_SUITE("DecodeProtoV2") {
  TEST_CASE("values of all messages side by side, with defaults behind them") {
    const Names names = {"r", "a"};
    const Types types = {DataType::kInt32, DataType::kInt64};
    CHECK(Decoded({Num(3, 1) + Num(1, -2), Sub(3, "\x04\x05"), ""}, names, types) ==
          "[1 1][2 0][0 0] | [1 0][4 5][0 0] | [-2][7][7]");
    CHECK(Decoded({"a: 5 r: [1, 2]"}, names, types, "text") == "[2 1] | [1 2] | [5]");
    CHECK(Decoded({Num(1, 4) + Num(1, 5)}, names, types, "binary", true) == "[0 1] | [0] | [5]");
    CHECK(Decoded({Num(7, 1)}, {"p", "e"}, {DataType::kInt32, DataType::kInt32}) == "[1 0] | [-1] | [3]");
    CHECK(Decoded({Num(100, 9)}, {"t.x"}, {DataType::kInt32}) == "[1] | [9]");
  }
  TEST_CASE("mistakes") {
    const Types one = {DataType::kInt32};
    CHECK(Decoded({}, {"a"}, one) == "INVALID_ARGUMENT");
    CHECK(Decoded({""}, {"no"}, one) == "INVALID_ARGUMENT");
    CHECK(Decoded({""}, {"s"}, one) == "INVALID_ARGUMENT");
    CHECK(Decoded({""}, {"a", "e"}, one) == "INVALID_ARGUMENT");
    CHECK(Decoded({""}, {"a"}, one, "json") == "INVALID_ARGUMENT");
    CHECK(Decoded({"\x80"}, {"a"}, one) == "DATA_LOSS");
    CHECK(Decoded({"b: 1"}, {"a"}, one, "text") == "DATA_LOSS");
    CHECK(Decoded({Num(3, 1) + Sub(3, "")}, {"r"}, one) == "DATA_LOSS");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<ops::DecodeProtoV2>({{StaticShape{2, 3}}}, {{"output_types", DataType::kInt32}}) != "");
  }
}
}  // namespace io_decode_proto_test
