// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/placeholder.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace io_placeholder_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// x, and its negative y.
Result<Session> Negative(const PartialTensorShape& shape, int graph_version = 0) {
  GraphBuilder b;
  b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat, shape)});
  GraphDef graph = b.graph_def();
  if (graph_version != 0) graph.versions.producer = graph_version;
  return Session::FromGraphDef(graph);
}
std::string Fed(const Result<Session>& session, const Tensor& x) {
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  const auto outputs = session->Run({{"x", x}}, {"y"});
  return outputs.ok() ? (*outputs)[0].shape().DebugString() : outputs.status().ToString();
}

}  // namespace

TEST_SUITE("Placeholder") {
  TEST_CASE("is what is fed") {
    CHECK(Fed(Negative({}), Make<float>({2, 3}, {1})) == "[2,3]");
    CHECK(Fed(Negative({-1, 3}), Make<float>({2, 3}, {1})) == "[2,3]");
    CHECK(Fed(Negative({-1, 3}), Make<float>({0, 3}, {1})) == "[0,3]");
    CHECK(Fed(Negative({2, 3}), Make<float>({2, 3}, {1})) == "[2,3]");
  }
  TEST_CASE_TEMPLATE("says its name, type and shape when nobody feeds it", T, float, half, std::int64_t, complex64,
                     tstring, bool) {
    const auto error = [](const PartialTensorShape& shape) {
      return ErrorOf<ops::Placeholder>({{"dtype", dtype_of_v<T>}, {"shape", shape}}, {});
    };
    const std::string start =
        StrCat("INVALID_ARGUMENT: You must feed a value for placeholder tensor 'call' with dtype ", dtype_of_v<T>,
               " and shape ");
    CHECK(error({}) == start + "<unknown>");
    CHECK(error({-1, 784}) == start + "[?,784]");
    CHECK(error(PartialTensorShape(TensorShape())) == start + "[]");
  }
  TEST_CASE("its shape is unknown unless it says one") {
    CHECK(ErrorOf<ops::Placeholder>({{"dtype", DataType::kFloat}}, {}) ==
          "INVALID_ARGUMENT: You must feed a value for placeholder tensor 'call' with dtype float and shape <unknown>");
  }
  TEST_CASE("refuses a shape or type other than it declares") {
    CHECK(Fed(Negative({-1, 3}), Make<float>({2, 4}, {1})) ==
          "INVALID_ARGUMENT: Cannot feed value of shape [2,4] for tensor 'x:0', which has shape [?,3]");
    CHECK(Fed(Negative({-1, 3}), Make<float>({3}, {1})) ==
          "INVALID_ARGUMENT: Cannot feed value of shape [3] for tensor 'x:0', which has shape [?,3]");
    CHECK(Fed(Negative(PartialTensorShape(TensorShape())), Make<float>({1}, {1})) ==
          "INVALID_ARGUMENT: Cannot feed value of shape [1] for tensor 'x:0', which has shape []");
    CHECK(Fed(Negative({}), Make<double>({1}, {1})) ==
          "INVALID_ARGUMENT: Expects arg[0] to be float but double is provided: feed 'x:0'");
  }
  TEST_CASE("in graphs older than version 24 the shape [] means that it is unknown") {
    CHECK(Fed(Negative(PartialTensorShape(TensorShape()), 23), Make<float>({4}, {1})) == "[4]");
    CHECK(Fed(Negative(PartialTensorShape(TensorShape()), 24), Tensor::Scalar(1.0f)) == "[]");
  }
  TEST_CASE("is listed among the inputs of a session") {
    const Result<Session> session = Negative({-1, 3});
    REQUIRE(session.ok());
    const std::vector<Endpoint> inputs = session->inputs();
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].name == "x:0");
    CHECK(inputs[0].dtype == DataType::kFloat);
    CHECK(inputs[0].shape == "[?,3]");
  }
  TEST_CASE("wants a type") {
    CHECK(ErrorOf<ops::Placeholder>({{"shape", PartialTensorShape()}}, {})
              .find("INVALID_ARGUMENT: NodeDef missing attr 'dtype' from Op<name=Placeholder; ") == 0);
  }
}
}  // namespace io_placeholder_test
