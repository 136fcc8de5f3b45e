// SPDX-License-Identifier: Apache-2.0
#pragma once
// Datasets of int64 scalars, and an iterator over one, as nodes of a graph that a session runs.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace data_test {
using namespace tenon;
using Numbers = std::vector<std::int64_t>;

inline AttrValue TypesOf(std::initializer_list<DataType> types) { return AttrValue(SlimVector<DataType>(types)); }
inline AttrValue AnyShapes(std::size_t count) {
  return AttrValue(SlimVector<PartialTensorShape>(count, PartialTensorShape()));
}

struct Pipeline {
  GraphBuilder b;
  Session session;
  SlimVector<FunctionDef> functions;
  DataType type = DataType::kInt64;

  Output Number(const std::string& name, std::int64_t value) { return b.Const(name, Tensor::Scalar(value)); }
  Output Range(const std::string& name, std::int64_t stop) {
    return b.Add("RangeDataset", name,
                 {Number(name + "/start", 0), Number(name + "/stop", stop), Number(name + "/step", 1)},
                 {{"output_types", TypesOf({DataType::kInt64})}, {"output_shapes", AnyShapes(1)}});
  }
  // An op of an input and some numbers.
  Output Of(const std::string& op, const std::string& name, Output input, const Numbers& numbers = {},
            SlimVector<GraphBuilder::Input> more = {}) {
    SlimVector<GraphBuilder::Input> inputs;
    inputs.push_back(input);
    for (std::size_t i = 0; i < numbers.size(); ++i) inputs.push_back(Number(StrCat(name, "/", i), numbers[i]));
    for (const GraphBuilder::Input& input_of : more) inputs.push_back(input_of);
    const GraphBuilder::Attr attrs[] = {{"output_types", TypesOf({type})}, {"output_shapes", AnyShapes(1)}};
    return b.AddNode(op, name, inputs, attrs);
  }
  // One of the datasets that call a function.
  Output Calling(const std::string& op, const std::string& name, const std::string& attr, const std::string& function,
                 Output input, const Numbers& numbers = {}) {
    SlimVector<GraphBuilder::Input> inputs;
    inputs.push_back(input);
    inputs.push_back(SlimVector<Output>());
    for (std::size_t i = 0; i < numbers.size(); ++i) inputs.push_back(Number(StrCat(name, "/", i), numbers[i]));
    const GraphBuilder::Attr attrs[] = {{attr, function_test::Call(function)},
                                        {"Targuments", TypesOf({})},
                                        {"output_types", TypesOf({type})},
                                        {"output_shapes", AnyShapes(1)}};
    return b.AddNode(op, name, inputs, attrs);
  }
  // Nodes "it", "init", "next", "save", "saved" and "restore" of an iterator.
  void Iterate(Output dataset) {
    const Output it = b.Add(
        "IteratorV2", "it", {},
        {{"shared_name", "it"}, {"container", ""}, {"output_types", TypesOf({type})}, {"output_shapes", AnyShapes(1)}});
    b.Add("MakeIterator", "init", {dataset, it});
    b.Add("IteratorGetNext", "next", {it}, {{"output_types", TypesOf({type})}, {"output_shapes", AnyShapes(1)}});
    b.Add("SerializeIterator", "save", {it});
    b.Add("DeserializeIterator", "restore", {it, b.Placeholder("saved", DataType::kVariant)});
  }
  void Start(SessionOptions options = {}) {
    REQUIRE(b.status().message() == "");
    GraphDef graph = b.graph_def();
    graph.library.function = functions;
    Result<Session> made = Session::FromGraphDef(graph, std::move(options));
    REQUIRE(made.status().message() == "");
    session = *std::move(made);
    Do("init");
  }
  void Do(const std::string& target, const std::vector<NamedTensor>& feeds = {}) {
    REQUIRE(session.Run(feeds, std::vector<std::string>(), std::vector<std::string>{target}).status().message() == "");
  }
  Result<std::vector<Tensor>> Next() { return session.Run({}, std::vector<std::string>{"next"}); }
  // The numbers of the next elements, up to `most`; a row after the other.
  Numbers Take(int most) {
    Numbers numbers;
    for (; most > 0; --most) {
      const Result<std::vector<Tensor>> got = Next();
      if (got.status().code() == Code::kOutOfRange) break;
      REQUIRE(got.status().message() == "");
      const Tensor& t = (*got)[0];
      for (Index i = 0; i < t.NumElements(); ++i) numbers.push_back(t.data<std::int64_t>()[i]);
    }
    return numbers;
  }
};

// name(x) = x + x, of int64.
inline FunctionDef Doubling(const std::string& name) {
  FunctionDef f;
  f.signature.name = name;
  f.signature.input_arg = {function_test::Arg("x", DataType::kInt64)};
  f.signature.output_arg = {function_test::Arg("y", DataType::kInt64)};
  f.node_def = {function_test::MakeNode("sum", "AddV2", {"x", "x"}, {{"T", AttrValue(DataType::kInt64)}})};
  f.ret = {{"y", "sum:z:0"}};
  return f;
}

}  // namespace data_test
