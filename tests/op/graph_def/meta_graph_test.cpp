// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/meta_graph.hpp>

#include <doctest/doctest.h>

namespace meta_graph_test {
using namespace tenon;

TEST_CASE("a MetaGraph finds its signatures and collections by name") {
  MetaGraphDef meta_graph;
  SignatureDef signature;
  TensorInfo info;
  info.name = "x:0";
  signature.inputs.push_back({"x", info});
  meta_graph.signature_def.push_back({"serving_default", signature});
  CollectionDef collection;
  collection.node_list.emplace().value.push_back("init");
  meta_graph.collection_def.push_back({"saved_model_main_op", collection});

  REQUIRE(meta_graph.FindSignature("serving_default") != nullptr);
  CHECK(meta_graph.FindSignature("serve") == nullptr);
  CHECK(meta_graph.FindSignature("serving_default")->FindInput("x")->name == "x:0");
  CHECK(meta_graph.FindSignature("serving_default")->FindOutput("x") == nullptr);
  REQUIRE(meta_graph.FindCollection("saved_model_main_op") != nullptr);
  CHECK(*meta_graph.FindCollection("saved_model_main_op") == collection);
  CHECK(meta_graph.FindCollection("") == nullptr);
}

TEST_CASE("composite tensors differ by their components") {
  TensorInfo a, b;
  a.composite_tensor.emplace().components.resize(2);
  b.composite_tensor.emplace().components.resize(2);
  CHECK(a == b);
  b.composite_tensor->components[1].name = "y:1";
  CHECK(a != b);
}
}  // namespace meta_graph_test
