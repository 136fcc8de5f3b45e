// SPDX-License-Identifier: Apache-2.0
#pragma once
// A graph under construction and the session that runs it afterwards: state is what stays between the runs.

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace state_test {

using namespace tenon;

struct Machine {
  GraphBuilder b;
  Session session;

  // `producer`: the version of the graph, for ops that later ones lack; 0: today's.
  void Start(SessionOptions options = {}, int producer = 0) {
    REQUIRE(b.status().message() == "");
    GraphDef graph = b.graph_def();
    if (producer != 0) graph.versions.producer = producer;
    Result<Session> made = Session::FromGraphDef(std::move(graph), std::move(options));
    REQUIRE(made.status().message() == "");
    session = *std::move(made);
  }
  Status Try(const std::vector<std::string>& fetches, const std::vector<NamedTensor>& feeds = {}) const {
    return session.Run(feeds, fetches).status();
  }
  Status Do(const std::string& target, const std::vector<NamedTensor>& feeds = {}) const {
    return session.Run(feeds, std::vector<std::string>(), std::vector<std::string>{target}).status();
  }
  std::vector<Tensor> Get(const std::vector<std::string>& fetches, const std::vector<NamedTensor>& feeds = {}) const {
    Result<std::vector<Tensor>> out = session.Run(feeds, fetches);
    REQUIRE(out.status().message() == "");
    return *std::move(out);
  }
  // The elements of one fetched tensor of floats.
  std::vector<float> Floats(const std::string& fetch, const std::vector<NamedTensor>& feeds = {}) const {
    return ToVector(Get({fetch}, feeds)[0]);
  }
  static std::vector<float> ToVector(const Tensor& t) {
    REQUIRE(t.dtype() == DataType::kFloat);
    const float* data = t.data<float>();
    return std::vector<float>(data, data + t.NumElements());
  }

  // A resource variable `name` with nodes "<name>/init" (assigns `value`) and "<name>/read".
  Output Handle(const std::string& name, const Tensor& value) {
    const Output handle =
        b.Add("VarHandleOp", name, {},
              {{"dtype", value.dtype()}, {"shape", PartialTensorShape(value.shape())}, {"shared_name", name}});
    b.Add("AssignVariableOp", name + "/init", {handle, b.Const(name + "/value", value)});
    b.Add("ReadVariableOp", name + "/read", {handle}, {{"dtype", value.dtype()}});
    return handle;
  }
  // The same by reference; the node itself is what reads it.
  Output Reference(const std::string& name, const Tensor& value) {
    const Output ref =
        b.Add("VariableV2", name, {}, {{"dtype", value.dtype()}, {"shape", PartialTensorShape(value.shape())}});
    b.Add("Assign", name + "/init", {ref, b.Const(name + "/value", value)});
    return ref;
  }
};

using Floats = std::vector<float>;

}  // namespace state_test
