// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/remote_call.hpp>

#include <string>
#include <vector>

#include <tenon/devices.hpp>
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace remote_call_test {
using namespace tenon;
using namespace function_test;

namespace {

const AttrValue kFloatType(DataType::kFloat);

// sum and difference
FunctionDef Two() {
  FunctionDef f = Floats("two", {"a", "b"},
                         {MakeNode("add", "AddV2", {"a", "b"}, {{"T", kFloatType}}),
                          MakeNode("sub", "Sub", {"a", "b"}, {{"T", kFloatType}})},
                         "add:z:0");
  f.signature.output_arg.push_back(Arg("d", DataType::kFloat));
  f.ret.push_back({"d", "sub:z:0"});
  return f;
}
GraphDef Calling(const std::string& function, int inputs = 2, const AttrValue& outputs = FloatTypes(2)) {
  GraphDef graph;
  graph.node.push_back(MakeNode("target", "Placeholder", {}, {{"dtype", AttrValue(DataType::kString)}}));
  graph.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", kFloatType}}));
  NodeDef call =
      MakeNode("r", "RemoteCall", {"target"}, {{"Tin", FloatTypes(inputs)}, {"Tout", outputs}, {"f", Call(function)}});
  for (int i = 0; i < inputs; ++i) call.input.push_back("x");
  graph.node.push_back(call);
  graph.library.function = {Two()};
  graph.versions.producer = 1882;
  return graph;
}
Result<std::vector<Tensor>> RunOn(const GraphDef& graph, const Tensor& target, const SessionOptions& options = {}) {
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(graph, options));
  return session.Run({{"target", target}, {"x", MakeTensor<float>({2}, {3, 4})}}, {"r:0", "r:1"});
}
Result<std::vector<Tensor>> RunOn(const std::string& target, const SessionOptions& options = {}) {
  return RunOn(Calling("two"), Tensor::Scalar(tstring(target)), options);
}

}  // namespace

TEST_SUITE("RemoteCall") {
  TEST_CASE("a device may be named in full or in part") {
    for (const char* name : {"/job:localhost/replica:0/task:0/device:CPU:0", "/device:CPU:0", "/cpu:0", "CPU:0", "",
                             "/device:CPU:*", "/job:localhost"}) {
      CAPTURE(name);
      const auto out = RunOn(name);
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK((*out)[0].flat<float>()(1) == 8);
      CHECK((*out)[1].flat<float>()(1) == 0);
    }
    CHECK(RunOn(Calling("two"), MakeTensor<tstring>({1, 1}, {"CPU:0"})).ok());
  }
  TEST_CASE("a session on another device calls there and on its CPU") {
    SessionOptions options;
    options.devices = {"SIM:0"};
    for (const char* name : {"SIM:0", "/device:CPU:0"}) {
      CAPTURE(name);
      const auto out = RunOn(name, options);
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK((*out)[0].flat<float>()(0) == 6);
    }
  }
  TEST_CASE("what is no device, or none of the session's") {
    const Status rubbish = RunOn("rubbish").status();
    CHECK(rubbish.code() == Code::kInvalidArgument);
    CHECK(rubbish.message().find("rubbish") != std::string_view::npos);
    for (const char* name : {"/device:GPU:0", "/device:CPU:7", "/job:worker/replica:0/task:0/device:CPU:0"}) {
      CAPTURE(name);
      const Status status = RunOn(name).status();
      CHECK(status.code() == Code::kInternal);
      CHECK(status.message().find("Currently don't support instantiating functions on device: ") !=
            std::string_view::npos);
    }
    CHECK(RunOn(Calling("two"), MakeTensor<tstring>({0}, {})).status().code() == Code::kInvalidArgument);
    CHECK(RunOn(Calling("two"), MakeTensor<tstring>({2}, {"CPU:0", "CPU:0"})).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("another function than there is") {
    const Tensor cpu = Tensor::Scalar(tstring("CPU:0"));
    const Status status = RunOn(Calling("nope"), cpu).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("Function nope is not defined.") == 0);
    CHECK(RunOn(Calling("AddV2"), cpu).status().code() == Code::kNotFound);
    CHECK(RunOn(Calling("two", 3), cpu).status().code() == Code::kInvalidArgument);
    CHECK(RunOn(Calling("two", 1), cpu).status().code() == Code::kInvalidArgument);
    const AttrValue other(SlimVector<DataType>{DataType::kFloat, DataType::kInt32});
    CHECK(RunOn(Calling("two", 2, other), cpu).status().code() == Code::kInternal);
  }
}
}  // namespace remote_call_test
