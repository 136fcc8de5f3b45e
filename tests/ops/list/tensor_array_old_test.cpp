// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_array_old.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace tensor_array_old_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// A session of a graph that may have these ops.
Result<Session> Older(const GraphBuilder& b) {
  GraphDef graph = b.graph_def();
  graph.versions.producer = 15;
  return Session::FromGraphDef(graph);
}

// Writes element `at` of an array of two, and reads both. `element_shape` is known, so that the other one is zeros.
Result<std::vector<Tensor>> WriteAndRead(const std::string& version, std::int32_t at) {
  GraphBuilder b;
  const auto name = [&](const char* verb) { return StrCat("TensorArray", verb, version); };
  const Output flow = b.Const("flow", Tensor::Scalar(0.0f));
  const Output array = b.Add(name(""), "array", {b.Const("size", Int(2))},
                             {{"dtype", DataType::kFloat}, {"element_shape", PartialTensorShape(TensorShape({2}))}});
  const Output write = b.Add(name("Write"), "write",
                             {array, b.Const("at", Int(at)), b.Const("x", MakeTensor<float>({2}, {1, 2})), flow});
  b.Add(name("Gather"), "gather", {array, b.Const("all", Ints({0, 1})), write}, {{"dtype", DataType::kFloat}});
  b.Add(name("Size"), "count", {array, write});
  const Result<Session> session = Older(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  return session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{"gather:0", "count:0"});
}

}  // namespace

TEST_SUITE("TensorArrays by their older names") {
  TEST_CASE("handles are two strings, or a reference to them") {
    for (const std::string version : {"", "V2"}) {
      const Result<std::vector<Tensor>> got = WriteAndRead(version, 1);
      REQUIRE_MESSAGE(got.ok(), got.status().message());
      CHECK(Numbered<float>((*got)[0]) == std::vector<double>{0, 0, 1, 2});
      CHECK(*(*got)[1].data<std::int32_t>() == 2);
      CHECK(WriteAndRead(version, 2).status().code() == Code::kInvalidArgument);
    }
  }
  TEST_CASE("Unpack writes all elements, Pack reads them") {
    for (const std::int32_t size : {3, 2}) {
      GraphBuilder b;
      const Output array = b.Add("TensorArray", "array", {b.Const("size", Int(size))}, {{"dtype", DataType::kFloat}});
      const Output flow = b.Add("TensorArrayUnpack", "unpack",
                                {array, b.Placeholder("x", DataType::kFloat), b.Const("flow", Tensor::Scalar(0.0f))});
      b.Add("TensorArrayPack", "pack", {array, flow}, {{"dtype", DataType::kFloat}});
      const Result<Session> session = Older(b);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto packed = [&](const Tensor& x) {
        const Result<std::vector<Tensor>> out = session->Run({{"x", x}}, {"pack"});
        return out.ok() ? (*out)[0].SummarizeValue(9) : out.status().ToString();
      };
      const std::string got = packed(Make<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
      CHECK((size == 3 ? got == "[1 2][3 4][5 6]" : got.find("first dimension equal to the array size (3 vs. 2)") > 0));
      CHECK(packed(Tensor::Scalar(1.0f)).find("must be at least a vector") != std::string::npos);
    }
  }
  TEST_CASE("other strings are refused") {
    GraphBuilder b;
    b.Add("TensorArraySizeV2", "size",
          {b.Placeholder("handle", DataType::kString), b.Const("flow", Tensor::Scalar(0.0f))});
    const Result<Session> session = Older(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto size = [&](const Tensor& handle) {
      return session->Run({{"handle", handle}}, {"size"}).status().ToString();
    };
    CHECK(size(MakeTensor<tstring>({2}, {tstring("_tensor_arrays"), tstring("x")})).find("NOT_FOUND") == 0);
    CHECK(size(MakeTensor<tstring>({2}, {tstring("a"), tstring("x")})).find("NOT_FOUND") == 0);
    CHECK(size(Tensor::Scalar(std::string_view("x"))).find("INVALID_ARGUMENT: Tensor array handle must be") == 0);
    CHECK(size(MakeTensor<tstring>({0}, {})).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace tensor_array_old_test
