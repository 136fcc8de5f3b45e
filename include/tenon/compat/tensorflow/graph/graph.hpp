// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graph, Node and Edge: a graph that a program builds and writes as a GraphDef. NodeBuilder adds nodes to it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>

namespace tensorflow {

class Node;
class Graph;

// Connects an output with an input; a control edge has slots of -1.
class Edge {
 public:
  int id() const { return id_; }
  Node* src() const { return src_; }
  Node* dst() const { return dst_; }
  int src_output() const { return src_output_; }
  int dst_input() const { return dst_input_; }
  bool IsControlEdge() const { return src_output_ < 0; }

 private:
  friend class Graph;
  int id_ = 0, src_output_ = 0, dst_input_ = 0;
  Node *src_ = nullptr, *dst_ = nullptr;
};
using EdgeSet = std::vector<const Edge*>;

// externally synchronised. Lives as long as its graph, or until it is removed.
class Node {
 public:
  int id() const { return id_; }
  int cost_id() const { return id_; }
  const std::string& name() const { return def_.name(); }
  void set_name(std::string name) { def_.set_name(name); }
  const std::string& type_string() const { return def_.op(); }
  const NodeDef& def() const { return def_; }
  const OpDef& op_def() const { return op_def_; }
  AttrSlice attrs() const { return AttrSlice(def_); }
  const std::string& requested_device() const { return def_.device(); }
  void set_requested_device(const std::string& device) { def_.set_device(device); }
  const std::string& assigned_device_name() const { return assigned_device_; }
  void set_assigned_device_name(const std::string& device) { assigned_device_ = device; }
  bool has_assigned_device_name() const { return !assigned_device_.empty(); }
  const protobuf::RepeatedPtrField<std::string>& requested_inputs() const { return def_.input(); }
  template <class T>
  void AddAttr(const std::string& name, const T& value) {
    SetAttrValue(value, &(*def_.mutable_attr())[name]);
  }
  void ClearAttr(const std::string& name) { def_.mutable_attr()->erase(name); }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  DataType input_type(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return outputs_[static_cast<std::size_t>(i)]; }
  const DataTypeVector& input_types() const { return inputs_; }
  const DataTypeVector& output_types() const { return outputs_; }
  const EdgeSet& in_edges() const { return in_edges_; }
  const EdgeSet& out_edges() const { return out_edges_; }
  // Errors: no edge ends at that input.
  Status input_edge(int i, const Edge** edge) const {
    for (const Edge* const in : in_edges_)
      if (in->dst_input() == i && !in->IsControlEdge()) return *edge = in, Status();
    return errors::NotFound("Could not find input edge ", i, " for ", name());
  }
  Status input_node(int i, Node** node) const {
    const Edge* edge = nullptr;
    TF_RETURN_IF_ERROR(input_edge(i, &edge));
    return *node = edge->src(), Status();
  }
  Status input_node(int i, const Node** node) const {
    Node* found = nullptr;
    TF_RETURN_IF_ERROR(input_node(i, &found));
    return *node = found, Status();
  }

  bool IsSource() const { return id_ == 0; }
  bool IsSink() const { return id_ == 1; }
  bool IsOp() const { return id_ > 1; }
  bool IsConstant() const { return type_string() == "Const" || type_string() == "HostConst"; }
  bool IsVariable() const { return type_string() == "Variable" || type_string() == "VariableV2"; }
  bool IsIdentity() const { return type_string() == "Identity" || type_string() == "RefIdentity"; }
  bool IsArg() const { return type_string() == "_Arg" || type_string() == "_DeviceArg"; }
  bool IsRetval() const { return type_string() == "_Retval" || type_string() == "_DeviceRetval"; }
  bool IsControlFlow() const { return IsSwitch() || IsMerge() || IsEnter() || IsExit() || IsNextIteration(); }
  bool IsSwitch() const { return type_string() == "Switch" || type_string() == "RefSwitch"; }
  bool IsMerge() const { return type_string() == "Merge" || type_string() == "RefMerge"; }
  bool IsEnter() const { return type_string() == "Enter" || type_string() == "RefEnter"; }
  bool IsExit() const { return type_string() == "Exit" || type_string() == "RefExit"; }
  bool IsNextIteration() const { return type_string() == "NextIteration" || type_string() == "RefNextIteration"; }
  std::string DebugString() const { return SummarizeNodeDef(def_); }

 private:
  friend class Graph;
  int id_ = 0;
  NodeDef def_;
  OpDef op_def_;
  DataTypeVector inputs_, outputs_;
  EdgeSet in_edges_, out_edges_;
  std::string assigned_device_;
};

inline std::string FormatNodeForError(const Node& node) { return FormatNodeForError(node.def()); }

struct OutputTensor {
  OutputTensor() = default;
  OutputTensor(Node* n, int i) : node(n), index(i) {}
  friend bool operator==(const OutputTensor&, const OutputTensor&) = default;
  Node* node = nullptr;
  int index = 0;
};

// externally synchronised. Node 0 is the source, node 1 the sink.
class Graph {
 public:
  static constexpr int kControlSlot = -1;
  // `registry` outlives the graph.
  explicit Graph(const OpRegistryInterface* registry) : registry_(registry) {
    Add(NodeDef(), OpDef())->def_.set_name("_SOURCE");
    Add(NodeDef(), OpDef())->def_.set_name("_SINK");
    AddControlEdge(source_node(), sink_node());
    versions_.set_producer(TF_GRAPH_DEF_VERSION);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Null, and an error: no such op, or a wrong node.
  Node* AddNode(NodeDef def, Status* status) {
    const OpDef* op = nullptr;
    status->Update(registry_->LookUpOpDef(def.op(), &op));
    if (!status->ok()) return nullptr;
    AddDefaultsToNodeDef(*op, &def);
    DataTypeVector in, out;
    status->Update(InOutTypesForNode(def, *op, &in, &out));
    if (!status->ok()) return nullptr;
    Node* const node = Add(std::move(def), *op);
    node->inputs_ = std::move(in);
    node->outputs_ = std::move(out);
    return node;
  }
  StatusOr<Node*> AddNode(NodeDef def) {
    Status status;
    Node* const node = AddNode(std::move(def), &status);
    if (node == nullptr) return status;
    return node;
  }
  void RemoveNode(Node* node) {
    while (!node->in_edges_.empty()) RemoveEdge(node->in_edges_.front());
    while (!node->out_edges_.empty()) RemoveEdge(node->out_edges_.front());
    nodes_[static_cast<std::size_t>(node->id_)].reset();
  }
  const Edge* AddEdge(Node* from, int output, Node* to, int input) {
    auto edge = std::make_unique<Edge>();
    edge->id_ = static_cast<int>(edges_.size());
    edge->src_ = from;
    edge->src_output_ = output;
    edge->dst_ = to;
    edge->dst_input_ = input;
    from->out_edges_.push_back(edge.get());
    to->in_edges_.push_back(edge.get());
    edges_.push_back(std::move(edge));
    return edges_.back().get();
  }
  const Edge* AddControlEdge(Node* from, Node* to, bool = false) {
    return AddEdge(from, kControlSlot, to, kControlSlot);
  }
  void RemoveEdge(const Edge* edge) {
    std::erase(edge->src_->out_edges_, edge);
    std::erase(edge->dst_->in_edges_, edge);
    edges_[static_cast<std::size_t>(edge->id_)].reset();
  }
  // A name that no node has: the prefix and a number.
  std::string NewName(StringPiece prefix) { return strings::StrCat(prefix, "/_", names_++); }

  const OpRegistryInterface* op_registry() const { return registry_; }
  int num_node_ids() const { return static_cast<int>(nodes_.size()); }
  int num_nodes() const { return static_cast<int>(nodes().size()); }
  int num_op_nodes() const { return num_nodes() - 2; }
  int num_edges() const { return static_cast<int>(edges().size()); }
  int num_edge_ids() const { return static_cast<int>(edges_.size()); }
  Node* FindNodeId(int id) const { return nodes_[static_cast<std::size_t>(id)].get(); }
  Node* source_node() const { return FindNodeId(0); }
  Node* sink_node() const { return FindNodeId(1); }
  std::vector<Node*> nodes() const { return Present(nodes_, 0); }
  std::vector<Node*> op_nodes() const { return Present(nodes_, 2); }
  std::vector<Edge*> edges() const { return Present(edges_, 0); }
  const VersionDef& versions() const { return versions_; }
  void set_versions(const VersionDef& versions) { versions_ = versions; }

  // Inputs without an edge are written as the node's own def names them.
  void ToGraphDef(GraphDef* graph, bool = true, bool = false) const {
    graph->Clear();
    *graph->mutable_versions() = versions_;
    for (const Node* const node : op_nodes()) {
      NodeDef* const def = graph->add_node();
      *def = node->def_;
      if (!node->assigned_device_.empty()) def->set_device(node->assigned_device_);
      def->clear_input();
      std::vector<std::string> inputs(node->inputs_.size()), controls;
      for (std::size_t i = 0; i < inputs.size() && static_cast<int>(i) < node->def_.input_size(); ++i)
        inputs[i] = node->def_.input(static_cast<int>(i));
      for (const Edge* const edge : node->in_edges_) {
        const std::string& from = edge->src_->name();
        if (!edge->IsControlEdge())
          inputs[static_cast<std::size_t>(edge->dst_input_)] =
              edge->src_output_ == 0 ? from : strings::StrCat(from, ":", edge->src_output_);
        else if (edge->src_->IsOp())
          controls.push_back("^" + from);
      }
      std::sort(controls.begin(), controls.end());
      for (const auto* const list : {&inputs, &controls})
        for (const std::string& input : *list) def->add_input(input);
    }
  }
  GraphDef ToGraphDefDebug() const {
    GraphDef graph;
    ToGraphDef(&graph);
    return graph;
  }

 private:
  Node* Add(NodeDef def, const OpDef& op) {
    auto node = std::make_unique<Node>();
    node->id_ = static_cast<int>(nodes_.size());
    node->def_ = std::move(def);
    node->op_def_ = op;
    nodes_.push_back(std::move(node));
    return nodes_.back().get();
  }
  template <class T>
  static std::vector<T*> Present(const std::vector<std::unique_ptr<T>>& all, std::size_t first) {
    std::vector<T*> out;
    for (std::size_t i = first; i < all.size(); ++i)
      if (all[i] != nullptr) out.push_back(all[i].get());
    return out;
  }

  const OpRegistryInterface* registry_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by id; null: removed
  std::vector<std::unique_ptr<Edge>> edges_;
  VersionDef versions_;
  int names_ = 0;
};

// Adds the nodes of a GraphDef, which name their inputs. Errors: a wrong node; no such input.
struct GraphConstructorOptions {
  bool allow_internal_ops = false;
  bool expect_device_spec = false;
  bool validate_nodes = false;
  bool add_default_attributes = true;
};
inline Status ConvertGraphDefToGraph(const GraphConstructorOptions&, const GraphDef& graph_def, Graph* graph) {
  std::map<std::string, Node*> by_name;
  std::vector<Node*> added;
  if (graph_def.has_versions()) graph->set_versions(graph_def.versions());
  for (const NodeDef& def : graph_def.node()) {
    TF_ASSIGN_OR_RETURN(Node* const node, graph->AddNode(def));
    if (!by_name.emplace(def.name(), node).second)
      return errors::InvalidArgument("Node '", def.name(), "' is not unique");
    added.push_back(node);
  }
  for (Node* const node : added) {
    int input = 0;
    for (const std::string& text : node->requested_inputs()) {
      const bool is_control = text.starts_with('^');
      std::string from = is_control ? text.substr(1) : text;
      int output = 0;
      if (const std::size_t colon = from.rfind(':'); !is_control && colon != std::string::npos)
        if (strings::safe_strto32(StringPiece(from).substr(colon + 1), &output)) from.resize(colon);
      const auto found = by_name.find(from);
      if (found == by_name.end())
        return errors::InvalidArgument("Node '", node->name(), "': Unknown input node '", text, "'");
      if (is_control)
        graph->AddControlEdge(found->second, node);
      else if (output >= found->second->num_outputs())
        return errors::InvalidArgument("Node '", node->name(), "': Connecting to invalid output ", output,
                                       " of source node ", from, " which has ", found->second->num_outputs(),
                                       " outputs.");
      else
        graph->AddEdge(found->second, output, node, input++);
    }
  }
  return Status();
}
inline Status ConvertGraphDefToGraph(const GraphConstructorOptions& options, GraphDef&& graph_def, Graph* graph) {
  return ConvertGraphDefToGraph(options, static_cast<const GraphDef&>(graph_def), graph);
}

// Adds a node to a graph: its op, inputs and attrs. one thread.
class NodeBuilder {
 public:
  struct NodeOut {
    NodeOut() = default;
    NodeOut(Node* n, int i = 0) : node(n), index(i) {
      if (n == nullptr || i < 0 || i >= n->num_outputs()) {
        error = true;
      } else {
        name = n->name();
        dt = n->output_type(i);
      }
    }
    NodeOut(OutputTensor t) : NodeOut(t.node, t.index) {}
    // An output of a node that comes later.
    NodeOut(StringPiece n, int i, DataType t) : name(n), index(i), dt(t) {}
    Node* node = nullptr;
    bool error = false;
    std::string name;
    int index = 0;
    DataType dt = DT_FLOAT;
  };

  NodeBuilder(StringPiece name, StringPiece op, const OpRegistryInterface* registry = OpRegistry::Global(),
              const void* = nullptr)
      : builder_(name, op, registry) {}
  NodeBuilder(StringPiece name, const OpDef* op) : builder_(name, op) {}
  explicit NodeBuilder(const NodeDefBuilder& builder) : builder_(builder) {}

  NodeBuilder& Input(Node* node, int index = 0) { return Input(NodeOut(node, index)); }
  NodeBuilder& Input(NodeOut from) {
    if (Take(from)) builder_.Input(from.name, from.index, from.dt);
    return *this;
  }
  NodeBuilder& Input(gtl::ArraySlice<NodeOut> list) {
    std::vector<NodeDefBuilder::NodeOut> inputs;
    for (const NodeOut& from : list)
      if (Take(from)) inputs.emplace_back(from.name, from.index, from.dt);
    builder_.Input(gtl::ArraySlice<NodeDefBuilder::NodeOut>(inputs));
    return *this;
  }
  NodeBuilder& ControlInput(Node* node) {
    if (node != nullptr) {
      control_inputs_.push_back(node);
      builder_.ControlInput(node->name());
    } else {
      errors_.push_back("Attempt to add nullptr Node.");
    }
    return *this;
  }
  NodeBuilder& ControlInputs(gtl::ArraySlice<Node*> nodes) {
    for (Node* const node : nodes) ControlInput(node);
    return *this;
  }
  NodeBuilder& Device(StringPiece device) { return builder_.Device(device), *this; }
  NodeBuilder& AssignedDevice(StringPiece device) { return assigned_device_ = std::string(device), *this; }
  template <class T>
  NodeBuilder& Attr(StringPiece name, T&& value) {
    return builder_.Attr(name, std::forward<T>(value)), *this;
  }
  template <class T>
  NodeBuilder& Attr(StringPiece name, std::initializer_list<T> value) {
    return builder_.Attr(name, value), *this;
  }
  // *created may be null. InvalidArgument: mistakes of the inputs and attrs.
  Status Finalize(Graph* graph, Node** created, bool = false) {
    if (created != nullptr) *created = nullptr;
    if (!errors_.empty()) return errors::InvalidArgument(str_util::Join(errors_, "\n"));
    NodeDef def;
    TF_RETURN_IF_ERROR(builder_.Finalize(&def));
    TF_RETURN_IF_ERROR(ValidateNodeDef(def, builder_.op_def()));
    TF_ASSIGN_OR_RETURN(Node* const node, graph->AddNode(std::move(def)));
    node->set_assigned_device_name(assigned_device_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].node != nullptr) graph->AddEdge(inputs_[i].node, inputs_[i].index, node, static_cast<int>(i));
    for (Node* const from : control_inputs_) graph->AddControlEdge(from, node);
    if (created != nullptr) *created = node;
    return Status();
  }
  StatusOr<Node*> Finalize(Graph* graph, bool = false) {
    Node* node = nullptr;
    TF_RETURN_IF_ERROR(Finalize(graph, &node));
    return node;
  }
  const std::string& node_name() const { return builder_.node_name(); }
  const OpDef& op_def() const { return builder_.op_def(); }

 private:
  bool Take(const NodeOut& from) {
    if (from.error)
      errors_.push_back(from.node == nullptr
                            ? std::string("Attempt to add nullptr Node to node with type ") + builder_.op_def().name()
                            : strings::StrCat("Attempt to add output ", from.index, " of ", from.node->name(),
                                              " not in range [0, ", from.node->num_outputs(), ") to node with type ",
                                              builder_.op_def().name(), ". Node: ", from.node->DebugString()));
    else
      inputs_.push_back(from);
    return !from.error;
  }

  NodeDefBuilder builder_;
  std::vector<NodeOut> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<std::string> errors_;
  std::string assigned_device_;
};

}  // namespace tensorflow
