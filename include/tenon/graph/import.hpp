// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImportGraphDef: a GraphDef checked and connected. Codes, messages and the order of nodes are those of TensorFlow's
// import.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_deprecation.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_checks.hpp>
#include <tenon/graph/import_options.hpp>
#include <tenon/graph/left_out.hpp>
#include <tenon/graph/requested_device.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Does the work of ImportGraphDef; use that. one thread.
class GraphImporter {
 public:
  GraphImporter(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options)
      : def_(std::move(def)),
        options_(options),
        own_ops_(registry),
        ops_(options.ops != nullptr ? *options.ops : own_ops_),
        graph_(own_graph_),
        num_old_(0) {}
  // Adds to `graph`, whose shapes `refiner` has inferred.
  GraphImporter(GraphDef&& def, const OpRegistry& registry, const ImportOptions& options, Graph* graph,
                ShapeRefiner* refiner)
      : def_(std::move(def)),
        options_(options),
        own_ops_(registry),
        ops_(options.ops != nullptr ? *options.ops : own_ops_),
        graph_(*graph),
        num_old_(graph->num_nodes()),
        refiner_(refiner) {}

  Result<Graph> Import() {
    TENON_RETURN_IF_ERROR(
        CheckVersions(def_.versions, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef", "graph"));
    const Status status = Convert();
    if (status.ok()) return std::move(graph_);
    return detail::WithVersionWarning(status, def_.versions.producer);
  }
  // After an error the graph is as it was.
  Status Extend() {
    Status status = detail::CatchAll("ExtendGraph", [this] { return ConvertMore(); });
    if (!status.ok()) Undo();
    return status;
  }

 private:
  static constexpr std::size_t kMaxSpareOutputs = 1 << 22;  // outputs beyond 64 a node, in all: see kMaxNodeOutputs

  struct Input {
    int position;  // the producer's, in the GraphDef; kFirstOld - id: a node that the graph had before
    int output;    // kControlSlot: control dependency
  };
  static constexpr int kFirstOld = -2;
  static bool IsOld(Input input) { return input.position <= kFirstOld; }
  // Id of the producer; -1: it has not been converted yet.
  int IdOf(Input input) const { return IsOld(input) ? kFirstOld - input.position : ids_[ToSize(input.position)]; }

  bool IsCancelled() const { return options_.cancellation != nullptr && options_.cancellation->IsCancelled(); }
  int count() const { return static_cast<int>(def_.node.size()); }

  Status Convert() {
    TENON_RETURN_IF_ERROR(detail::CheckImportLimits(def_, 0, options_.limits));
    if (options_.leave_out_unknown) graph_.left_out_ = LeaveOutUnknown(ops_.registry(), &def_);
    TENON_RETURN_IF_ERROR(IndexNodes());
    TENON_RETURN_IF_ERROR(ParseInputs());
    TENON_RETURN_IF_ERROR(CheckLibrary());
    TENON_RETURN_IF_ERROR(FindOps());
    graph_.Reserve(def_.node.size() + options_.spare_nodes);
    graph_.versions_ = def_.versions;
    graph_.versions_.producer = std::min(graph_.versions_.producer, kGraphDefVersion);
    auto refiner = MakeOwned<ShapeRefiner>(&graph_, options_.evaluator);
    TENON_RETURN_IF_ERROR(ConvertNodes(refiner.get()));
    if (options_.calls != nullptr) options_.calls->held = refiner->TakeHandles();
    TENON_RETURN_IF_ERROR(CloseLoops());
    index_.Renumber(ids_);
    graph_.names_ = std::move(index_);
    graph_.library_ = std::move(def_.library);
    if (options_.refiner != nullptr) *options_.refiner = std::move(refiner);
    return OkStatus();
  }
  Status CloseLoops() {
    for (const BackEdge& edge : back_edges_)
      TENON_RETURN_IF_ERROR(graph_.AddEdge(IdOf(edge.src), edge.src.output, edge.dst, edge.input));
    return OkStatus();
  }

  // ---- a graph that has nodes
  Status ConvertMore() {
    TENON_RETURN_IF_ERROR(detail::CheckImportLimits(def_, num_old_, options_.limits));
    graph_.names_.Reserve(ToSize(num_old_) + def_.node.size());  // so that the last step needs no memory
    TENON_RETURN_IF_ERROR(IndexNodes());
    TENON_RETURN_IF_ERROR(ParseInputs());
    TENON_RETURN_IF_ERROR(FindOps());
    TENON_RETURN_IF_ERROR(ConvertNodes(refiner_));
    TENON_RETURN_IF_ERROR(CloseLoops());
    for (int id = num_old_; id < graph_.num_nodes(); ++id)
      graph_.names_.Insert(graph_.node(id).name(), id, Graph::NameOf{&graph_.nodes_});
    return OkStatus();
  }
  // New nodes are the last readers of those before them.
  void Undo() {
    for (const Input& input : inputs_) {
      if (!IsOld(input)) continue;
      auto& outputs = graph_.nodes_[ToSize(IdOf(input))].outputs;
      while (!outputs.empty() && outputs.back().node >= num_old_) outputs.pop_back();
    }
    while (graph_.num_nodes() > num_old_) graph_.nodes_.pop_back();
    refiner_->Truncate(num_old_);
  }
  int FindOld(std::string_view name) const {
    return num_old_ == 0 ? -1 : graph_.names_.Find(name, Graph::NameOf{&graph_.nodes_});
  }

  // ---- names
  // The name of the node at a position, wherever its NodeDef is by now.
  struct NameOf {
    const GraphImporter* importer;
    std::string_view operator()(int position) const {
      const int id = importer->ids_.empty() ? -1 : importer->ids_[ToSize(position)];
      return id >= 0 ? importer->graph_.nodes_[ToSize(id)].def.name : importer->def_.node[ToSize(position)].name;
    }
  };

  // Names are looked up in batches, so that their places in the index come from memory all at once.
  static constexpr int kBatch = 32;

  Status IndexNodes() {
    index_.Reserve(def_.node.size());
    std::uint32_t hashes[kBatch];
    for (int begin = 0; begin < count(); begin += kBatch) {
      if (IsCancelled()) return ImportCancelled();
      const int end = std::min(begin + kBatch, count());
      for (int n = begin; n < end; ++n) {
        hashes[n - begin] = index_.HashOf(def_.node[ToSize(n)].name);
        index_.Prefetch(hashes[n - begin]);
      }
      for (int n = begin; n < end; ++n) TENON_RETURN_IF_ERROR(IndexNode(n, hashes[n - begin]));
    }
    return OkStatus();
  }
  Status IndexNode(int n, std::uint32_t hash) {
    const NodeDef& node = def_.node[ToSize(n)];
    if (!IsValidNodeName(node.name, options_.allow_internal_ops)) {
      return errors::InvalidArgument("Node '", node.name, "': Node name contains invalid characters");
    }
    if (index_.Insert(hash, node.name, n, NameOf{this}) >= 0 || FindOld(node.name) >= 0)
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
      for (const std::string& text : def_.node[ToSize(n)].input) {
        const TensorName name = ParseTensorName(text);
        const std::uint32_t hash = index_.HashOf(name.node);
        index_.Prefetch(hash);
        batch[size++] = {hash, n, name, text};
        if (size < kBatch) continue;
        if (IsCancelled()) return ImportCancelled();
        TENON_RETURN_IF_ERROR(FindInputs(Span<const Wanted>(batch, kBatch)));
        size = 0;
      }
    }
    return FindInputs(Span<const Wanted>(batch, ToSize(size)));
  }
  struct Wanted {
    std::uint32_t hash;
    int node;  // that has the input
    TensorName name;
    std::string_view text;
  };
  Status FindInputs(Span<const Wanted> batch) {
    for (const Wanted& input : batch) {
      int position = index_.Find(input.hash, input.name.node, NameOf{this});
      if (position < 0) {
        const int id = FindOld(input.name.node);
        if (id < 0)
          return detail::UnknownInput(graph_, def_, def_.node[ToSize(input.node)], input.text, input.name.node);
        position = kFirstOld - id;
      }
      inputs_.push_back({position, input.name.output});
    }
    return OkStatus();
  }
  Span<const Input> InputsOf(int n) const {
    return Span<const Input>(inputs_).subspan(input_begin_[ToSize(n)],
                                              input_begin_[ToSize(n) + 1] - input_begin_[ToSize(n)]);
  }

  // ---- functions and ops
  Status CheckLibrary() {
    if (def_.library.function.empty()) return OkStatus();
    const FunctionImport* const import = detail::extensions.function_import.load(std::memory_order_acquire);
    own_functions_ = FunctionIndex(def_.library);
    if (import != nullptr)
      return import->check_library(own_functions_, !options_.check_functions || options_.leave_out_unknown, &ops_,
                                   options_.cancellation);
    return errors::Unimplemented("The graph has a library of ", def_.library.function.size(),
                                 " functions, which this program was compiled without: include <tenon/runtime.hpp>, or "
                                 "<tenon/graph/function_import.hpp> where there is no session");
  }

  // One OpInfo per node; every unknown op is reported at once.
  Status FindOps() {
    infos_.reserve(def_.node.size());
    detail::UnknownOps unknown;
    for (NodeDef& node : def_.node) {
      if (IsCancelled()) return ImportCancelled();
      if (node.op == detail::ArgOp::view.name && !options_.allow_internal_ops &&
          ops_.registry().Find(node.op) == nullptr) {
        infos_.push_back(nullptr);
      } else {
        infos_.push_back(ops_.Find(node.op));
      }
      if (infos_.back() != nullptr) continue;
      if (const FunctionDef* function = functions().Find(node.op); function != nullptr) {
        TENON_RETURN_IF_ERROR(
            detail::extensions.function_import.load(std::memory_order_acquire)->make_call(*function, &node));
        infos_.back() = ops_.Find(node.op);
        if (infos_.back() == nullptr) return detail::NoCallOp(node, *function);
        continue;
      }
      unknown.Add(node.op, node.name);
    }
    return unknown.status(ops_.registry());
  }

  const FunctionIndex& functions() const {
    return options_.calls != nullptr && options_.calls->functions != nullptr ? *options_.calls->functions
                                                                             : own_functions_;
  }
  // ---- order
  bool IsMerge(int n) const { return infos_[ToSize(n)]->node_class() == NodeClass::kMerge; }
  // From a NextIteration to a Merge: closes a while loop, so nothing waits for it. `loops`: LoopsBack of the reader.
  bool IsBackEdge(bool loops, Input input) const {
    return loops && input.output != kControlSlot && IsNextIteration(input);
  }
  bool IsNextIteration(Input input) const {
    const NodeClass producer =
        IsOld(input) ? graph_.node(IdOf(input)).node_class : infos_[ToSize(input.position)]->node_class();
    return producer == NodeClass::kNextIteration;
  }
  // A merge that nothing enters from outside its loop could never run: its loop is a cycle like any other.
  bool LoopsBack(int n) const {
    return IsMerge(n) &&
           AnyItem(InputsOf(n), [this](Input i) { return i.output != kControlSlot && !IsNextIteration(i); });
  }

  // Positions in the order in which the nodes get their ids: topological, ties by position.
  Status Order(SlimVector<int>* order) const {
    bool in_order = true;
    for (int n = 0; n < count() && in_order; ++n) {
      const bool loops = LoopsBack(n);
      for (const Input& input : InputsOf(n)) in_order = in_order && (input.position < n || IsBackEdge(loops, input));
    }
    order->resize(def_.node.size());
    for (std::size_t n = 0; n < order->size(); ++n) (*order)[n] = static_cast<int>(n);
    if (in_order) return OkStatus();

    SlimVector<int> pending(def_.node.size(), 0);
    SlimVector<std::size_t> begin(def_.node.size() + 2,
                                  0);  // consumers of n: consumers[begin[n + 1]] and on, once filled
    for (int n = 0; n < count(); ++n) {
      const bool loops = LoopsBack(n);
      for (const Input& input : InputsOf(n)) {
        if (IsOld(input) || IsBackEdge(loops, input)) continue;
        ++pending[ToSize(n)];
        ++begin[ToSize(input.position) + 2];
      }
    }
    for (std::size_t n = 2; n < begin.size(); ++n) begin[n] += begin[n - 1];
    SlimVector<int> consumers(begin.back());
    for (int n = 0; n < count(); ++n) {
      const bool loops = LoopsBack(n);
      for (const Input& input : InputsOf(n)) {
        if (!IsOld(input) && !IsBackEdge(loops, input)) consumers[begin[ToSize(input.position) + 1]++] = n;
      }
    }
    *order = OrderByDependencies(std::move(pending), [&](int n, auto&& visit) {
      for (std::size_t i = begin[ToSize(n)]; i < begin[ToSize(n) + 1]; ++i) visit(consumers[i]);
    });
    return order->size() == def_.node.size() ? OkStatus() : Cycle(def_.node.size() - order->size());
  }

  TENON_DETAIL_COLD Status Cycle(std::size_t nodes) const {
    const SlimVector<int> cycle = FindCycle(count(), [this](int n) {
      SlimVector<int> producers;
      const bool loops = LoopsBack(n);
      for (const Input& input : InputsOf(n)) {
        if (!IsOld(input) && !IsBackEdge(loops, input)) producers.push_back(input.position);
      }
      return producers;
    });
    const auto name_of = [this](int n) -> const std::string& { return def_.node[ToSize(n)].name; };
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
      if (IsCancelled()) return ImportCancelled();
      TENON_RETURN_IF_ERROR(ConvertNode(n));
      if (!options_.infer_shapes) continue;
      const Status status = InferShapes(ids_[ToSize(n)], refiner);
      if (status.ok()) continue;
      if (!options_.ignore_shape_errors) return status;
      graph_.nodes_[ToSize(ids_[ToSize(n)])].output_shapes.clear();
    }
    return OkStatus();
  }

  Status ConvertNode(int n) {
    NodeDef& def = def_.node[ToSize(n)];
    const OpInfo& info = *infos_[ToSize(n)];
    const Span<const Input> inputs = InputsOf(n);
    TENON_RETURN_IF_ERROR(CheckColocation(def));
    if (options_.check_devices) TENON_RETURN_IF_ERROR(CheckRequestedDevice(def));
    for (const Input& input : inputs) {
      const int src = IdOf(input);
      if (src >= 0 && input.output >= graph_.nodes_[ToSize(src)].num_outputs())
        return detail::NoSuchOutput(def, graph_.node(src), input.output);
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
    ids_[ToSize(n)] = id;
    return Connect(id, inputs);
  }

  Status Connect(int id, Span<const Input> inputs) {
    int slot = 0;
    InlinedVector<int, 4>& controls = graph_.nodes_[ToSize(id)].control_inputs;
    for (const Input& input : inputs) {
      const int src = IdOf(input);
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
      const auto name_of = [&](std::size_t i) -> std::string_view { return graph_.node(given[i]).name(); };
      for (const std::size_t i : NameOrder(given.size(), name_of))
        if (controls.empty() || controls.back() != given[i]) controls.push_back(given[i]);
    }
    for (const int control : controls)
      graph_.nodes_[ToSize(control)].outputs.push_back({id, kControlSlot, kControlSlot});
    return OkStatus();
  }

  Status CheckColocation(const NodeDef& node) const {
    constexpr std::string_view kPrefix = "loc:@";
    const AttrValue* groups = node.attr.Find("_class");
    if (groups == nullptr) return OkStatus();
    for (const std::string& group : groups->list().s) {
      if (!StartsWith(group, kPrefix)) continue;
      const std::string_view name = std::string_view(group).substr(kPrefix.size());
      if (index_.Find(name, NameOf{this}) < 0 && FindOld(name) < 0) {
        return errors::InvalidArgument("Node '", node.name, "' expects to be colocated with unknown node '", name, "'");
      }
    }
    return OkStatus();
  }

  // ---- shapes
  Status InferCall(int id, ShapeRefiner* refiner) {
    const std::string_view op = graph_.node(id).op_name();
    if (op != "PartitionedCall" && op != "StatefulPartitionedCall") return OkStatus();
    const FunctionImport* const import = detail::extensions.function_import.load(std::memory_order_acquire);
    if (import == nullptr) return OkStatus();  // no graph with functions comes here
    CallShapes* const calls = options_.calls != nullptr ? options_.calls : &calls_;
    if (calls->functions == nullptr) calls->functions = &own_functions_;
    return import->infer_call(graph_, id, def_.versions, &ops_, calls, refiner);
  }

  Status InferShapes(int id, ShapeRefiner* refiner) {
    TENON_RETURN_IF_ERROR(refiner->AddNode(id));
    TENON_RETURN_IF_ERROR(InferCall(id, refiner));
    return detail::MergeGivenShapes(options_.given_shapes_are_hints, &graph_.nodes_[ToSize(id)], refiner);
  }

  GraphDef def_;
  const ImportOptions& options_;
  OpInfoCache own_ops_;
  OpInfoCache& ops_;
  Graph own_graph_;
  Graph& graph_;
  const int num_old_;  // nodes that the graph had before
  ShapeRefiner* refiner_ = nullptr;  // the old graph's; null without one
  detail::NameIndex index_;           // name -> position
  FunctionIndex own_functions_;       // the GraphDef's
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
  return detail::CatchAll("ImportGraphDef", [&] { return GraphImporter(std::move(def), registry, options).Import(); });
}

// Adds nodes that may read those of the graph, in the time that the new nodes take. Functions and versions of `more` do
// not count: calls are of options.calls->functions. `refiner` comes from ImportOptions::refiner. After an error the
// graph is as it was.
inline Status ExtendGraph(GraphDef&& more, const OpRegistry& registry, const ImportOptions& options, Graph* graph,
                          ShapeRefiner* refiner) {
  return GraphImporter(std::move(more), registry, options, graph, refiner).Extend();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
