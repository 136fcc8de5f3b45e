// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/meta_graph_edit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>

namespace meta_graph_edit_test {
using namespace tenon;

namespace {

struct Twice {
  static constexpr auto signature = Op("Twice")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: type = DT_FLOAT")
                                        .Doc("Summary.")
                                        .SetShapeFn(shape_inference::UnchangedShape);
};
constexpr OpView kTwice = Twice::signature.view();

OpRegistry Registered() {
  OpRegistry registry;
  REQUIRE(registry.Register(kTwice).ok());
  return registry;
}
GraphDef Graph() {
  GraphDef graph;
  REQUIRE(ParseText("node { name: 'a' op: 'Twice' input: 'b:1' input: '^c' device: '/device:GPU:0' "
                    "attr { key: 'T' value { type: DT_FLOAT } } "
                    "attr { key: '_class' value { list { s: 'loc:@b' s: 'other' } } } }"
                    "library { function { signature { name: 'f' } node_def { name: 'g' op: 'Twice' device: 'd' } } }",
                    &graph)
              .ok());
  return graph;
}
VariableDef Variable(std::string name) {
  VariableDef variable;
  variable.variable_name = name + ":0";
  variable.initializer_name = name + "/Assign";
  return variable;
}
TensorInfo Info(std::string name) {
  TensorInfo info;
  info.name = std::move(name);
  return info;
}
SaverDef Saver(std::string file, std::string restore) {
  return {.filename_tensor_name = std::move(file), .save_tensor_name = "", .restore_op_name = std::move(restore)};
}

}  // namespace

TEST_SUITE("Collections") {
  TEST_CASE("names and messages") {
    MetaGraphDef meta_graph;
    const VariableDef variables[] = {Variable("v"), Variable("w")};
    CollectionDef assets;
    AssetFileDef asset;
    asset.filename = "words.txt";
    AnyMessage& any = assets.any_list.emplace().value.emplace_back();
    any.type_url = "type.googleapis.com/tensorflow.AssetFileDef";
    wire::SerializeTo(asset, &any.value);
    meta_graph.collection_def = {{"assets", assets},
                                 {"train_op", MakeNodeCollection({"step", "other:0"})},
                                 {"variables", MakeCollection<VariableDef>(variables)}};
    CHECK(*CollectionNames(meta_graph, "train_op") == SlimVector<std::string>{"step", "other:0"});
    const Result<SlimVector<VariableDef>> read = ReadCollection<VariableDef>(meta_graph, "variables");
    REQUIRE_MESSAGE(read.ok(), read.status().ToString());
    REQUIRE(read->size() == 2);
    CHECK((*read)[1] == variables[1]);
    CHECK((*ReadCollection<AssetFileDef>(meta_graph, "assets"))[0].filename == "words.txt");

    CHECK(CollectionNames(meta_graph, "none").status().code() == Code::kNotFound);
    CHECK(CollectionNames(meta_graph, "variables").status().code() == Code::kInvalidArgument);
    CHECK(ReadCollection<VariableDef>(meta_graph, "none").status().code() == Code::kNotFound);
    CHECK(ReadCollection<VariableDef>(meta_graph, "train_op").status().code() == Code::kInvalidArgument);
    CHECK(ReadCollection<VariableDef>(meta_graph, "assets").status().code() == Code::kInvalidArgument);
    meta_graph.collection_def[2].second.bytes_list->value[1] = "\xff";
    const Status damaged = ReadCollection<VariableDef>(meta_graph, "variables").status();
    CHECK(damaged.code() == Code::kDataLoss);
    CHECK(damaged.message().find("item 1 of the collection 'variables'") != std::string_view::npos);
  }
}

TEST_SUITE("AddImportScope") {
  TEST_CASE("all names get the scope") {
    MetaGraphDef meta_graph;
    meta_graph.graph_def = Graph();
    meta_graph.saver_def = Saver("save/Const:0", "save/restore_all");
    SignatureDef signature;
    signature.inputs.emplace_back("x", Info("x:0"));
    TensorInfo sparse;
    sparse.coo_sparse.emplace().values_tensor_name = "values:0";
    TensorInfo ragged;
    ragged.composite_tensor.emplace().components.push_back(Info("flat:0"));
    signature.outputs = {{"ragged", ragged}, {"sparse", sparse}};
    meta_graph.signature_def.emplace_back("serve", signature);
    meta_graph.asset_file_def.push_back({Info("asset:0"), "words.txt"});
    const VariableDef variables[] = {Variable("v")};
    const SaverDef savers[] = {Saver("", "r")};
    CollectionDef raw;
    raw.bytes_list.emplace().value.push_back("\xff");
    meta_graph.collection_def = {{"other", raw},
                                 {"savers", MakeCollection<SaverDef>(savers)},
                                 {"train_op", MakeNodeCollection({"step"})},
                                 {"trainable_variables", MakeCollection<VariableDef>(variables)}};
    REQUIRE(AddImportScope("", &meta_graph).ok());
    CHECK(meta_graph.graph_def == Graph());
    REQUIRE(AddImportScope("in/my", &meta_graph).ok());
    const NodeDef& node = meta_graph.graph_def.node[0];
    CHECK(node.name == "in/my/a");
    CHECK(node.input == SlimVector<std::string>{"in/my/b:1", "^in/my/c"});
    SlimVector<std::string> classes;
    REQUIRE(GetNodeAttr(node, "_class", &classes).ok());
    CHECK(classes == SlimVector<std::string>{"loc:@in/my/b", "other"});
    CHECK(meta_graph.graph_def.library.function[0].node_def[0].name == "g");
    CHECK(meta_graph.saver_def.filename_tensor_name == "in/my/save/Const:0");
    CHECK(meta_graph.saver_def.save_tensor_name == "");
    CHECK(meta_graph.saver_def.restore_op_name == "in/my/save/restore_all");
    const SignatureDef* const serve = meta_graph.FindSignature("serve");
    CHECK(serve->FindInput("x")->name == "in/my/x:0");
    CHECK(serve->FindOutput("sparse")->coo_sparse->values_tensor_name == "in/my/values:0");
    CHECK(serve->FindOutput("ragged")->composite_tensor->components[0].name == "in/my/flat:0");
    CHECK(meta_graph.asset_file_def[0].tensor_info.name == "in/my/asset:0");
    CHECK((*CollectionNames(meta_graph, "train_op"))[0] == "in/my/step");
    CHECK((*ReadCollection<VariableDef>(meta_graph, "trainable_variables"))[0] == Variable("in/my/v"));
    CHECK((*ReadCollection<SaverDef>(meta_graph, "savers"))[0].restore_op_name == "in/my/r");
    CHECK(*meta_graph.FindCollection("other") == raw);
    CHECK(AddImportScope("a/", &meta_graph).code() == Code::kInvalidArgument);
    CHECK(AddImportScope("/a", &meta_graph).code() == Code::kInvalidArgument);
    meta_graph.collection_def.emplace_back("variables", raw);
    CHECK(AddImportScope("b", &meta_graph).code() == Code::kDataLoss);
  }
}

TEST_SUITE("MakeMetaGraph") {
  TEST_CASE("with the ops of the graph") {
    const OpRegistry registry = Registered();
    const Result<MetaGraphDef> plain =
        MakeMetaGraph(Graph(), registry, {.collections = {{"b", MakeNodeCollection({"x"})}, {"a", {}}}, .tags = {"t"}});
    REQUIRE_MESSAGE(plain.ok(), plain.status().ToString());
    CHECK(plain->graph_def == Graph());
    CHECK(plain->meta_info_def.tags == SlimVector<std::string>{"t"});
    CHECK(!plain->meta_info_def.stripped_default_attrs);
    CHECK(plain->collection_def[0].first == "a");
    const Result<SlimVector<OpDef>> ops = ParseOpList(wire::AsBytes(plain->meta_info_def.stripped_op_list));
    REQUIRE(ops.ok());
    REQUIRE(ops->size() == 1);
    CHECK((*ops)[0].name == "Twice");
    CHECK((*ops)[0].summary == "");

    const Result<MetaGraphDef> stripped =
        MakeMetaGraph(Graph(), registry, {.clear_devices = true, .strip_default_attrs = true});
    REQUIRE(stripped.ok());
    CHECK(stripped->meta_info_def.stripped_default_attrs);
    DataType type;
    CHECK(!TryGetNodeAttr(stripped->graph_def.node[0], "T", &type));
    CHECK(stripped->graph_def.node[0].device == "");
    CHECK(stripped->graph_def.library.function[0].node_def[0].device == "");
    CHECK(MakeMetaGraph(Graph(), OpRegistry()).status().code() == Code::kNotFound);
  }
}
}  // namespace meta_graph_edit_test
