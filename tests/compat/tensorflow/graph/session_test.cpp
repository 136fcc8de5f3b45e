// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/tensorflow/graph/session.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/proto/text.hpp>

namespace compat_session_test {
using namespace tensorflow;

namespace {

constexpr const char* kGraph = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 1882 })";

GraphDef GraphOf(const char* text) {
  GraphDef graph;
  REQUIRE(protobuf::TextFormat::ParseFromString(text, &graph));
  return graph;
}
Tensor Values(float a, float b) {
  Tensor t(DT_FLOAT, {2});
  t.vec<float>()(0) = a;
  t.vec<float>()(1) = b;
  return t;
}

}  // namespace

TEST_SUITE("TensorFlow's Session") {
  TEST_CASE("creates, extends, runs and closes as TensorFlow's") {
    SessionOptions options;
    options.config.set_intra_op_parallelism_threads(1);
    options.config.mutable_gpu_options()->set_allow_growth(true);
    Session* raw = nullptr;
    REQUIRE(NewSession(options, &raw).ok());
    const std::unique_ptr<Session> session(raw);
    std::vector<Tensor> outputs;
    CHECK(errors::IsInvalidArgument(session->Run({}, {"y"}, {}, &outputs)));  // no graph
    REQUIRE(session->Create(GraphOf(kGraph)).ok());
    CHECK(errors::IsAlreadyExists(session->Create(GraphOf(kGraph))));
    REQUIRE(session->Run({{"x", Values(1, -2)}}, {"y:0"}, {"y"}, &outputs).ToString() == "OK");
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].vec<float>()(0) == -1);
    CHECK(outputs[0].vec<float>()(1) == 2);
    CHECK(errors::IsInvalidArgument(session->Run({{"x", Values(1, -2)}}, {"y", "x"}, {}, &outputs)));  // fed, fetched
    REQUIRE(session
                ->Extend(GraphOf(R"(node { name: "z" op: "Neg" input: "y"
                                     attr { key: "T" value { type: DT_FLOAT } } } versions { producer: 1882 })"))
                .ok());
    REQUIRE(session->Run({{"x", Values(3, 4)}}, {"z"}, {}, &outputs).ok());
    CHECK(outputs[0].vec<float>()(1) == 4);
    CHECK(errors::IsInvalidArgument(session->Run({{"x", Values(3, 4)}}, {"missing"}, {}, &outputs)));
    RunOptions run;
    run.set_output_partition_graphs(true);
    RunMetadata metadata;
    REQUIRE(session->Run(run, {{"x", Values(3, 4)}}, {"z"}, {}, &outputs, &metadata).ok());
    CHECK(metadata.partition_graphs_size() == 1);
    CHECK(session->Close().ok());
    CHECK(errors::IsCancelled(session->Run({{"x", Values(3, 4)}}, {"z"}, {}, &outputs)));
  }
  TEST_CASE("refuses options and targets that it does not have") {
    SessionOptions options;
    options.target = "grpc://host:1";
    Session* session = nullptr;
    CHECK(errors::IsNotFound(NewSession(options, &session)));
    CHECK(session == nullptr);
    CHECK(NewSession(options) == nullptr);
    options.target = "";
    options.config.set_operation_timeout_in_ms(-1);
    CHECK(errors::IsInvalidArgument(NewSession(options, &session)));
  }
  TEST_CASE("the default device is that of nodes without one") {
    GraphDef graph = GraphOf(kGraph);
    graph.mutable_node(0)->set_device("/cpu:1");
    graph::SetDefaultDevice("/cpu:0", &graph);
    CHECK(graph.node(0).device() == "/cpu:1");
    CHECK(graph.node(1).device() == "/cpu:0");
  }
  TEST_CASE("options read what TensorFlow writes") {
    ConfigProto config;
    (*config.mutable_device_count())["CPU"] = 2;
    config.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(OptimizerOptions::L0);
    ConfigProto parsed;
    REQUIRE(parsed.ParseFromString(config.SerializeAsString()));
    CHECK(parsed.device_count().at("CPU") == 2);
    CHECK(parsed.graph_options().optimizer_options().opt_level() == OptimizerOptions::L0);
    CHECK(StructOf<tenon::ConfigProto>(config).graph_options->optimizer_options->opt_level ==
          tenon::OptimizerOptionsProto::Level::kL0);
  }
}
}  // namespace compat_session_test
