// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImportGraphDef: a GraphDef checked and connected. Codes, messages and the order of nodes are those of TensorFlow's
// import.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_deprecation.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_options.hpp>
#include <tenon/graph/requested_device.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/graph/validate.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// Does the work of ImportGraphDef; use that. one thread.
class GraphImporter {
 public:
  GraphImporter(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options)
      : def_(std::move(def)), options_(options), ops_(registry) {}

  Result<Graph> Import() {
    TENON_RETURN_IF_ERROR(
        CheckVersions(def_.versions, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef", "graph"));
    const Status status = Convert();
    if (status.ok()) return std::move(graph_);
    return detail::WithVersionWarning(status, def_.versions.producer);
  }

 private:
  static constexpr std::size_t kMaxNamesListed = 8;
  static constexpr std::size_t kMaxSpareOutputs = std::size_t{1}
                                                  << 22;  // outputs beyond 64 a node, in all: see kMaxNodeOutputs

  struct Input {
    int position;  // the producer's, in the GraphDef
    int output;    // kControlSlot: control dependency
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  int count() const { return static_cast<int>(def_.node.size()); }

  Status Convert() {
    TENON_RETURN_IF_ERROR(IndexNodes());
    TENON_RETURN_IF_ERROR(ParseInputs());
    TENON_RETURN_IF_ERROR(CheckLibrary());
    TENON_RETURN_IF_ERROR(FindOps());
    graph_.Reserve(def_.node.size());
    graph_.versions_ = def_.versions;
    graph_.versions_.producer = std::min(graph_.versions_.producer, kGraphDefVersion);
    ShapeRefiner refiner(&graph_, options_.evaluator);
    TENON_RETURN_IF_ERROR(ConvertNodes(&refiner));
    if (options_.calls != nullptr) options_.calls->held = refiner.TakeHandles();
    for (const BackEdge& edge : back_edges_) {
      TENON_RETURN_IF_ERROR(graph_.AddEdge(ids_[Slot(edge.src.position)], edge.src.output, edge.dst, edge.input));
    }
    index_.Renumber(ids_);
    graph_.names_ = std::move(index_);
    graph_.library_ = std::move(def_.library);
    return OkStatus();
  }

  // ---- names
  // The name of the node at a position, wherever its NodeDef is by now.
  struct NameOf {
    const GraphImporter* importer;
    std::string_view operator()(int position) const {
      const int id = importer->ids_.empty() ? -1 : importer->ids_[Slot(position)];
      return id >= 0 ? importer->graph_.nodes_[Slot(id)].def.name : importer->def_.node[Slot(position)].name;
    }
  };

  // Names are looked up in batches, so that their places in the index come from memory all at once.
  static constexpr int kBatch = 32;

  Status IndexNodes() {
    index_.Reserve(def_.node.size());
    std::uint32_t hashes[kBatch];
    for (int begin = 0; begin < count(); begin += kBatch) {
      const int end = std::min(begin + kBatch, count());
      for (int n = begin; n < end; ++n) {
        hashes[n - begin] = index_.HashOf(def_.node[Slot(n)].name);
        index_.Prefetch(hashes[n - begin]);
      }
      for (int n = begin; n < end; ++n) TENON_RETURN_IF_ERROR(IndexNode(n, hashes[n - begin]));
    }
    return OkStatus();
  }
  Status IndexNode(int n, std::uint32_t hash) {
    const NodeDef& node = def_.node[Slot(n)];
    if (!IsValidNodeName(node.name, options_.allow_internal_ops)) {
      return errors::InvalidArgument("Node '", node.name, "': Node name contains invalid characters");
    }
    if (index_.Insert(hash, node.name, n, NameOf{this}) >= 0)
      return errors::InvalidArgument("Node '", node.name, "' is not unique");
    if (node.op.empty()) return errors::InvalidArgument("Node '", node.name, "' does not specify an operation");
    bool control = false;
    for (const std::string& input : node.input) {
      if (!input.empty() && input.front() == '^') {
        control = true;
      } else if (control) {
        return errors::InvalidArgument("Node '", node.name,
                                       "': Control dependencies must come after regular dependencies");
      }
    }
    return OkStatus();
  }

  Status ParseInputs() {
    input_begin_.reserve(def_.node.size() + 1);
    std::size_t total = 0;
    for (const NodeDef& node : def_.node) {
      input_begin_.push_back(total);
      total += node.input.size();
    }
    input_begin_.push_back(total);
    inputs_.reserve(total);
    Wanted batch[kBatch];
    int size = 0;
    for (int n = 0; n < count(); ++n) {
      for (const std::string& text : def_.node[Slot(n)].input) {
        const TensorName name = ParseTensorName(text);
        const std::uint32_t hash = index_.HashOf(name.node);
        index_.Prefetch(hash);
        batch[size++] = {hash, n, name, text};
        if (size < kBatch) continue;
        TENON_RETURN_IF_ERROR(FindInputs(Span<const Wanted>(batch, kBatch)));
        size = 0;
      }
    }
    return FindInputs(Span<const Wanted>(batch, Slot(size)));
  }
  struct Wanted {
    std::uint32_t hash;
    int node;  // that has the input
    TensorName name;
    std::string_view text;
  };
  Status FindInputs(Span<const Wanted> batch) {
    for (const Wanted& input : batch) {
      const int position = index_.Find(input.hash, input.name.node, NameOf{this});
      if (position < 0) return UnknownInput(def_.node[Slot(input.node)], input.text, input.name.node);
      inputs_.push_back({position, input.name.output});
    }
    return OkStatus();
  }
  Span<const Input> InputsOf(int n) const {
    return Span<const Input>(inputs_).subspan(input_begin_[Slot(n)], input_begin_[Slot(n) + 1] - input_begin_[Slot(n)]);
  }

  TENON_COLD Status UnknownInput(const NodeDef& node, std::string_view text, std::string_view name) const {
    SlimVector<std::string_view> names;
    for (const NodeDef& other : def_.node) names.push_back(other.name);
    return errors::InvalidArgument("Node '", node.name, "': Unknown input node '", text, "'",
                                   detail::SuggestNames(name, names));
  }

  // ---- functions and ops
  Status CheckLibrary() {
    if (def_.library.function.empty()) return OkStatus();
    const FunctionImport* const import = function_import.load(std::memory_order_acquire);
    if (import != nullptr) return import->check_library(def_.library, ops_.registry(), &function_index_);
    return errors::Unimplemented("The graph has a library of ", def_.library.function.size(),
                                 " functions, which this program was compiled without: include <tenon/runtime.hpp>, or "
                                 "<tenon/graph/function_import.hpp> where there is no session");
  }

  // One OpInfo per node; every unknown op is reported at once.
  Status FindOps() {
    infos_.reserve(def_.node.size());
    struct Unknown {
      std::string_view op;
      SlimVector<std::string_view> nodes;  // at most kMaxNamesListed
      std::size_t uses = 0;
    };
    SlimVector<Unknown> unknown;
    detail::NameIndex unknown_index;
    for (NodeDef& node : def_.node) {
      if (node.op == detail::ArgOp::view.name && !options_.allow_internal_ops &&
          ops_.registry().Find(node.op) == nullptr) {
        infos_.push_back(nullptr);
      } else {
        infos_.push_back(ops_.Find(node.op));
      }
      if (infos_.back() != nullptr) continue;
      if (const FunctionDef* function = FunctionNamed(node.op); function != nullptr) {
        TENON_RETURN_IF_ERROR(function_import.load(std::memory_order_acquire)->make_call(*function, &node));
        infos_.back() = ops_.Find(node.op);
        if (infos_.back() == nullptr) return NoCallOp(node, *function);
        continue;
      }
      const auto name_of = [&unknown](int i) { return unknown[Slot(i)].op; };
      int at = unknown_index.Find(node.op, name_of);
      if (at < 0) {
        at = static_cast<int>(unknown.size());
        unknown.push_back({node.op, {}, 0});
        unknown_index.Insert(node.op, at, name_of);
      }
      Unknown& entry = unknown[Slot(at)];
      if (++entry.uses <= kMaxNamesListed) entry.nodes.push_back(node.name);
    }
    if (unknown.empty()) return OkStatus();
    SlimVector<std::string_view> known;
    for (const OpView* op : ops_.registry().ops()) known.push_back(op->name);
    std::string text;
    for (const Unknown& entry : unknown) {
      if (&entry != &unknown.front()) text += '\n';
      StrAppend(&text, "Op type not registered '", entry.op, "'");
      if (&entry == &unknown.front()) {
        text +=
            " in binary running on this machine. Make sure the Op and Kernel are registered in the binary running in this process";
      }
      const auto quote = [](std::string* out, std::string_view name) { StrAppend(out, "'", name, "'"); };
      StrAppend(&text, "; used by node", entry.uses > 1 ? "s " : " ", StrJoin(entry.nodes, ", ", quote));
      if (entry.uses > entry.nodes.size()) StrAppend(&text, " and ", entry.uses - entry.nodes.size(), " more");
      text += detail::SuggestNames(entry.op, known);
    }
    return errors::NotFound(text);
  }

  const FunctionDef* FunctionNamed(std::string_view op) const {
    const SlimVector<FunctionDef>& functions = def_.library.function;
    const int at =
        function_index_.Find(op, [&functions](int i) -> std::string_view { return functions[Slot(i)].signature.name; });
    return at < 0 ? nullptr : &functions[Slot(at)];
  }
  TENON_COLD Status NoCallOp(const NodeDef& node, const FunctionDef& function) const {
    return errors::Unimplemented("Node '", node.name, "': '", function.signature.name,
                                 "' is a function of the graph's library; to call functions, register tenon::ops::",
                                 node.op, " (<tenon/ops/flow/functional.hpp>)");
  }

  // ---- order
  bool IsMerge(int n) const { return infos_[Slot(n)]->node_class() == NodeClass::kMerge; }
  // From a NextIteration to a Merge: closes a while loop, so nothing waits for it.
  bool IsBackEdge(int dst, Input input) const {
    return input.output != kControlSlot && IsNextIteration(input) && IsMerge(dst) && EntersLoop(dst);
  }
  bool IsNextIteration(Input input) const {
    return infos_[Slot(input.position)]->node_class() == NodeClass::kNextIteration;
  }
  // A merge that nothing enters from outside its loop could never run: its loop is a cycle like any other.
  bool EntersLoop(int merge) const {
    return AnyItem(InputsOf(merge), [this](Input i) { return i.output != kControlSlot && !IsNextIteration(i); });
  }

  // Positions in the order in which the nodes get their ids: topological, ties by position.
  Status Order(SlimVector<int>* order) const {
    bool in_order = true;
    for (int n = 0; n < count() && in_order; ++n) {
      for (const Input& input : InputsOf(n)) in_order = in_order && (input.position < n || IsBackEdge(n, input));
    }
    order->resize(def_.node.size());
    for (std::size_t n = 0; n < order->size(); ++n) (*order)[n] = static_cast<int>(n);
    if (in_order) return OkStatus();

    SlimVector<int> pending(def_.node.size(), 0);
    SlimVector<std::size_t> begin(def_.node.size() + 2,
                                  0);  // consumers of n: consumers[begin[n + 1]] and on, once filled
    for (int n = 0; n < count(); ++n) {
      for (const Input& input : InputsOf(n)) {
        if (IsBackEdge(n, input)) continue;
        ++pending[Slot(n)];
        ++begin[Slot(input.position) + 2];
      }
    }
    for (std::size_t n = 2; n < begin.size(); ++n) begin[n] += begin[n - 1];
    SlimVector<int> consumers(begin.back());
    for (int n = 0; n < count(); ++n) {
      for (const Input& input : InputsOf(n)) {
        if (!IsBackEdge(n, input)) consumers[begin[Slot(input.position) + 1]++] = n;
      }
    }
    *order = OrderByDependencies(std::move(pending), [&](int n, auto&& visit) {
      for (std::size_t i = begin[Slot(n)]; i < begin[Slot(n) + 1]; ++i) visit(consumers[i]);
    });
    return order->size() == def_.node.size() ? OkStatus() : Cycle(def_.node.size() - order->size());
  }

  TENON_COLD Status Cycle(std::size_t nodes) const {
    const SlimVector<int> cycle = FindCycle(count(), [this](int n) {
      SlimVector<int> producers;
      for (const Input& input : InputsOf(n)) {
        if (!IsBackEdge(n, input)) producers.push_back(input.position);
      }
      return producers;
    });
    const auto name_of = [this](int n) -> const std::string& { return def_.node[Slot(n)].name; };
    return errors::InvalidArgument(nodes, " nodes in a cycle", nodes > cycle.size() ? " or behind one" : "", ": ",
                                   CycleToString(cycle, name_of));
  }

  // ---- nodes
  struct BackEdge {
    Input src;
    int dst;
    int input;
  };

  Status ConvertNodes(ShapeRefiner* refiner) {
    SlimVector<int> order;
    TENON_RETURN_IF_ERROR(Order(&order));
    ids_.assign(def_.node.size(), -1);
    for (const int n : order) {
      TENON_RETURN_IF_ERROR(ConvertNode(n));
      if (!options_.infer_shapes) continue;
      const Status status = InferShapes(ids_[Slot(n)], refiner);
      if (status.ok()) continue;
      if (!options_.ignore_shape_errors) return status;
      graph_.nodes_[Slot(ids_[Slot(n)])].output_shapes.clear();
    }
    return OkStatus();
  }

  Status ConvertNode(int n) {
    NodeDef& def = def_.node[Slot(n)];
    const OpInfo& info = *infos_[Slot(n)];
    const Span<const Input> inputs = InputsOf(n);
    TENON_RETURN_IF_ERROR(CheckColocation(def));
    if (options_.check_devices) TENON_RETURN_IF_ERROR(CheckRequestedDevice(def));
    for (const Input& input : inputs) {
      const int src = ids_[Slot(input.position)];
      if (src >= 0 && input.output >= graph_.nodes_[Slot(src)].num_outputs()) return NoSuchOutput(def, input);
      if (src < 0 && !IsMerge(n)) {
        return errors::InvalidArgument("Node '", def.name,
                                       "' had a back edge, but only Merge nodes can have back edges.");
      }
    }
    if (def.device.empty() && !options_.default_device.empty()) def.device = options_.default_device;
    info.AddDefaults(&def);
    Node& node = graph_.nodes_.emplace_back();
    const int id = graph_.num_nodes() - 1;
    TENON_RETURN_IF_ERROR(info.Resolve(def, &node.input_types, &node.output_types));
    TENON_RETURN_IF_ERROR(CheckOpDeprecation(info.op(), def_.versions.producer));
    outputs_ += node.output_types.size();
    if (outputs_ > kMaxSpareOutputs + 64 * def_.node.size()) {
      return errors::InvalidArgument("Node '", def.name, "': Number of outputs is too big: the graph's nodes have ",
                                     outputs_, " together.");
    }
    node.id = id;
    node.node_class = info.node_class();
    node.op = &info.op();
    node.def = std::move(def);
    node.inputs.resize(node.input_types.size());
    ids_[Slot(n)] = id;
    return Connect(id, inputs);
  }

  Status Connect(int id, Span<const Input> inputs) {
    int slot = 0;
    InlinedVector<int, 4>& controls = graph_.nodes_[Slot(id)].control_inputs;
    for (const Input& input : inputs) {
      const int src = ids_[Slot(input.position)];
      if (input.output == kControlSlot) {
        if (src >= 0) controls.push_back(src);
      } else if (src < 0) {
        back_edges_.push_back({input, id, slot++});
      } else {
        TENON_RETURN_IF_ERROR(graph_.AddEdge(src, input.output, id, slot++));
      }
    }
    if (controls.size() > 1) {
      const InlinedVector<int, 4> given(controls);
      controls.clear();
      for (const std::size_t i : SortedOrder(given.size(), [&](std::size_t a, std::size_t b) {
             return given[a] != given[b] &&
                    graph_.nodes_[Slot(given[a])].def.name < graph_.nodes_[Slot(given[b])].def.name;
           }))
        if (controls.empty() || controls.back() != given[i]) controls.push_back(given[i]);
    }
    for (const int control : controls) graph_.nodes_[Slot(control)].outputs.push_back({id, kControlSlot, kControlSlot});
    return OkStatus();
  }

  Status CheckColocation(const NodeDef& node) const {
    constexpr std::string_view kPrefix = "loc:@";
    const AttrValue* groups = node.attr.Find("_class");
    if (groups == nullptr) return OkStatus();
    for (const std::string& group : groups->list().s) {
      if (!StartsWith(group, kPrefix)) continue;
      const std::string_view name = std::string_view(group).substr(kPrefix.size());
      if (index_.Find(name, NameOf{this}) < 0) {
        return errors::InvalidArgument("Node '", node.name, "' expects to be colocated with unknown node '", name, "'");
      }
    }
    return OkStatus();
  }

  TENON_COLD Status NoSuchOutput(const NodeDef& node, Input input) const {
    const Node& src = graph_.nodes_[Slot(ids_[Slot(input.position)])];
    const std::string& op = src.def.op;
    const bool functional = op == "If" || op == "StatelessIf" || op == "While" || op == "StatelessWhile";
    return errors::InvalidArgument(
        "Node '", node.name, "': Connecting to invalid output ", input.output, " of source node ", src.def.name,
        " which has ", src.num_outputs(), " outputs.",
        functional ? " Try using tf.compat.v1.experimental.output_all_intermediates(True)." : "");
  }

  // ---- shapes
  Status InferCall(int id, ShapeRefiner* refiner) {
    const std::string_view op = graph_.node(id).op_name();
    if (op != "PartitionedCall" && op != "StatefulPartitionedCall") return OkStatus();
    const FunctionImport* const import = function_import.load(std::memory_order_acquire);
    if (import == nullptr) return OkStatus();  // no graph with functions comes here
    CallShapes* const calls = options_.calls != nullptr ? options_.calls : &calls_;
    if (calls->library == nullptr) calls->library = &def_.library;
    return import->infer_call(graph_, id, def_.versions, ops_.registry(), calls, refiner);
  }

  Status InferShapes(int id, ShapeRefiner* refiner) {
    constexpr std::string_view kAttr = "_output_shapes";
    TENON_RETURN_IF_ERROR(refiner->AddNode(id));
    TENON_RETURN_IF_ERROR(InferCall(id, refiner));
    Node& node = graph_.nodes_[Slot(id)];
    SlimVector<PartialTensorShape> given;
    if (const AttrValue* attr = node.def.attr.Find(kAttr); attr == nullptr || !attr->Get(kAttr, &given).ok())
      return OkStatus();
    if (given.size() < node.output_types.size()) {
      return errors::InvalidArgument("Node '", node.def.name, "' has ", node.num_outputs(), " outputs but the ", kAttr,
                                     " attribute specifies shapes for ", given.size(), " outputs");
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Status status = refiner->MergeOutputShape(id, i, given[Slot(i)]);
      if (status.ok()) continue;
      return errors::InvalidArgument("Node '", node.def.name, "' has an ", kAttr,
                                     " attribute inconsistent with the GraphDef for output #", i, ": ",
                                     status.message());
    }
    node.def.attr.erase(kAttr);
    return OkStatus();
  }

  GraphDef def_;
  const ImportOptions& options_;
  OpInfoCache ops_;
  Graph graph_;
  detail::NameIndex index_;           // name -> position
  detail::NameIndex function_index_;  // name -> position in the library
  SlimVector<const OpInfo*> infos_;  // per position
  SlimVector<Input> inputs_;         // inputs of all nodes, one after the other
  SlimVector<std::size_t> input_begin_;
  SlimVector<int> ids_;  // position -> id, -1 before the node was converted
  SlimVector<BackEdge> back_edges_;
  std::size_t outputs_ = 0;  // outputs of all nodes so far
  CallShapes calls_;
};

// Checks a GraphDef, connects it and infers its shapes. Consumes `def`; its strings and tensors move into the graph.
// `registry` outlives the graph.
//
//   TENON_ASSIGN_OR_RETURN(GraphDef def, ReadGraphFile("model.pb"));
//   TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(def), registry));
inline Result<Graph> ImportGraphDef(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options = {}) {
  return GraphImporter(std::move(def), registry, options).Import();
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
