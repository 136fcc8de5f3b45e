// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs with TensorFlow 1 control flow for the tests, as plain data: a loop's back edge comes before its producer.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/runtime/api/session.hpp>

namespace runtime_test {

using namespace tenon;

// One line a node; the T of every node is the graph's type.
class FlowGraph {
 public:
  using Inputs = std::initializer_list<std::string>;
  using Attrs = std::initializer_list<std::pair<std::string, AttrValue>>;

  explicit FlowGraph(DataType type = DataType::kFloat) : type_(type) { def.versions.producer = 1500; }

  FlowGraph& Node(const std::string& name, const std::string& op, Inputs inputs, Attrs attrs = {}, bool typed = true) {
    NodeDef& node = def.node.emplace_back();
    node.name = name;
    node.op = op;
    for (const std::string& input : inputs) node.input.push_back(input);
    if (typed) node.attr.Insert("T", AttrValue(type_));
    for (const auto& [key, value] : attrs) node.attr.Insert(key, value);
    return *this;
  }
  FlowGraph& Feed(const std::string& name, DataType type) {
    return Node(name, "Placeholder", {}, {{"dtype", AttrValue(type)}}, false);
  }
  FlowGraph& Feed(const std::string& name) { return Feed(name, type_); }
  FlowGraph& Const(const std::string& name, const Tensor& value, Inputs controls = {}) {
    return Node(name, "Const", controls, {{"dtype", AttrValue(value.dtype())}, {"value", AttrValue(value)}}, false);
  }
  // A scalar by reference, of the graph's type.
  FlowGraph& Variable(const std::string& name) {
    return Node(name, "VariableV2", {},
                {{"dtype", AttrValue(type_)}, {"shape", AttrValue(PartialTensorShape(TensorShape()))}}, false);
  }
  FlowGraph& Switch(const std::string& name, const std::string& data, const std::string& pred) {
    return Node(name, "Switch", {data, pred});
  }
  FlowGraph& Merge(const std::string& name, Inputs inputs) {
    const auto count = [](const Inputs& all) {
      std::int64_t n = 0;
      for (const std::string& input : all) n += input[0] != '^';
      return n;
    };
    return Node(name, "Merge", inputs, {{"N", AttrValue(count(inputs))}});
  }
  FlowGraph& Enter(const std::string& name, const std::string& data, const std::string& frame, bool constant = false,
                   std::int64_t parallel = 10) {
    return Node(name, "Enter", {data},
                {{"frame_name", AttrValue(std::string(frame))},
                 {"is_constant", AttrValue(constant)},
                 {"parallel_iterations", AttrValue(parallel)}});
  }
  // p + "exit" = the number of times that p + "add" ran: from 0 while less than `limit`. Nodes: enter, lim, merge,
  // less, cond, switch, pivot, one, add, next, exit. int32.
  FlowGraph& Count(const std::string& p, const std::string& limit, std::int64_t parallel = 10) {
    const std::string frame = p + "frame";
    Const(p + "zero", Tensor::Scalar(0));
    Enter(p + "enter", p + "zero", frame, false, parallel).Enter(p + "lim", limit, frame, true, parallel);
    Merge(p + "merge", {p + "enter", p + "next"});
    Node(p + "less", "Less", {p + "merge", p + "lim"});
    Node(p + "cond", "LoopCond", {p + "less"}, {}, false);
    Switch(p + "switch", p + "merge", p + "cond");
    Node(p + "pivot", "Identity", {p + "switch:1"});
    Const(p + "one", Tensor::Scalar(1), {"^" + p + "pivot"});
    Node(p + "add", "AddV2", {p + "switch:1", p + "one"});
    return Node(p + "next", "NextIteration", {p + "add"}).Node(p + "exit", "Exit", {p + "switch"});
  }

  Result<Session> Load(SessionOptions options = {}) const { return Session::FromGraphDef(def, std::move(options)); }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) const {
    TENON_ASSIGN_OR_RETURN(const Session session, Load());
    return session.Run(feeds, fetches, targets);
  }

  GraphDef def;

 private:
  DataType type_;
};

}  // namespace runtime_test
