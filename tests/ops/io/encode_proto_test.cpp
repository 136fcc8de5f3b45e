// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/encode_proto.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/io/protos.hpp"
#include "ops/support.hpp"

namespace io_encode_proto_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The first message, or the code of the error.
std::string Encoded(const SlimVector<std::string>& names, const Tensor& sizes, const std::vector<Tensor>& values) {
  GraphBuilder b;
  SlimVector<Output> given;
  for (std::size_t i = 0; i < values.size(); ++i) given.push_back(b.Const(StrCat("v", i), values[i]));
  b.Add("EncodeProto", "call", {b.Const("sizes", sizes), GraphBuilder::Input(given)},
        {{"field_names", names}, {"message_type", "t.M"}, {"descriptor_source", std::string_view(TestSource())}});
  const Result<Session> session = Session::FromGraph(b);
  if (!session.ok()) return std::string(Name(session.status().code()));
  const Result<std::vector<Tensor>> got = session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{"call:0"});
  if (!got.ok()) return std::string(Name(got.status().code()));
  return (*got)[0].NumElements() == 0 ? "" : std::string((*got)[0].data<tstring>()->view());
}
Tensor Row(std::initializer_list<double> values) {
  return Make<std::int32_t>({1, static_cast<Index>(values.size())}, values);
}

}  // namespace

TEST_SUITE("EncodeProto") {
  TEST_CASE("fields come in the order of their numbers") {
    CHECK(Encoded({"r", "a", "p"}, Row({2, 1, 2}), {Row({4, 5}), Row({-1}), Row({-1, 1})}) ==
          Num(1, -1) + Num(3, 4) + Num(3, 5) + Sub(7, "\x01\x02"));
    const Tensor text = MakeTensor<tstring>({1, 1}, {tstring("ab")});
    CHECK(Encoded({"g", "s"}, Row({1, 1}), {text, text}) == Sub(2, "ab") + Group(6, "ab"));
    CHECK(Encoded({"a"}, Row({0}), {Row({1})}) == "");
    CHECK(Encoded({"a"}, Row({-3}), {Row({1})}) == "");
  }
  TEST_CASE("mistakes") {
    CHECK(Encoded({"a"}, Row({2}), {Row({1})}) == "INVALID_ARGUMENT");
    CHECK(Encoded({"a"}, Row({1, 1}), {Row({1})}) == "INVALID_ARGUMENT");
    CHECK(Encoded({"a", "r"}, Row({1, 1}), {Row({1})}) == "INVALID_ARGUMENT");
    CHECK(Encoded({"s"}, Row({1}), {Row({1})}) == "INVALID_ARGUMENT");
    CHECK(Encoded({"no"}, Row({1}), {Row({1})}) == "INVALID_ARGUMENT");
    CHECK(Encoded({"t.x"}, Row({1}), {Row({1})}) == "INVALID_ARGUMENT");
  }
}
}  // namespace io_encode_proto_test
