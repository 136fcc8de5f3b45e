// SPDX-License-Identifier: Apache-2.0
#pragma once
// IndexedGraph: the part of a graph that one signature runs, open to change. A pass adds nodes, makes a node another
// op, or lets a node's readers read another value; the result is a graph that runs, without an import.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/loop_shapes.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/optimize/core/indexed_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Says whether a node can run: whether some device has a kernel for it.
class NodeSupport {
 public:
  virtual ~NodeSupport() = default;
  virtual bool CanRun(const NodeDef& node) = 0;
};

// externally synchronised. A change keeps the graph right at every moment: types fit, readers are known, nodes that
// nothing needs are gone, and the names of pinned nodes stay.
//
//   TENON_ASSIGN_OR_RETURN(IndexedGraph graph, IndexedGraph::Make(source, ends, {}, &ops, &support));
//   graph.Redirect({twice, 0}, {x, 0});
//   TENON_ASSIGN_OR_RETURN(Graph optimized, graph.Finish(&ends));
class IndexedGraph : public IndexedNodes {
 public:
  using Attr = std::pair<std::string_view, AttrValue>;

  // Copies the nodes that the signature runs. `keep`: names of further nodes that stay. `ops` and `support`, which may
  // be null, outlive the result. InvalidArgument: a cycle, or frames that contradict.
  static Result<IndexedGraph> Make(const Graph& source, const GraphEnds& ends, Span<const std::string> keep,
                                   OpInfoCache* ops, NodeSupport* support) {
    IndexedGraph made(ops, support);
    TENON_RETURN_IF_ERROR(made.Copy(source, ends));
    for (const std::string& name : keep)
      if (const Node* const node = made.graph_.Find(name)) made.facts(node->id).pinned = true;
    made.SweepUnused();
    return made;
  }

  OpInfoCache* ops() const { return ops_; }

  // Adds a node after `like`, whose device and frame it gets. `attrs` need not hold types that the inputs decide.
  // NotFound: the op is not registered or cannot run. InvalidArgument: inputs or attrs do not fit.
  Result<int> Add(std::string_view op, int like, Span<const InEdge> inputs, Span<const Attr> attrs) {
    NodeDef def;
    def.name = NewName(node(like).name());
    def.op = std::string(op);
    def.device = node(like).def.device;
    for (const Attr& attr : attrs) def.attr.Set(std::string(attr.first), attr.second);
    OpInfo::Types in, out;
    const OpInfo* info = nullptr;
    TENON_RETURN_IF_ERROR(Resolve(inputs, &def, &info, &in, &out));
    TENON_ASSIGN_OR_RETURN(const int id,
                           graph_.AddNode(std::move(def), &info->op(), Span<const DataType>(in.data(), in.size()),
                                          Span<const DataType>(out.data(), out.size())));
    facts_.push_back({});
    ++num_alive_;
    ++changes_;
    Facts& made = facts(id);
    made.frame = facts(like).frame;
    made.may_be_dead = facts(like).may_be_dead;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      graph_.mutable_node(id).inputs[i] = inputs[i];
      Connect(inputs[i], id, static_cast<int>(i));
    }
    facts(id).stateful = HasEffects(node(id));
    facts(id).loops = IsFrameOp(node(id));
    InferShape(id);
    return id;
  }
  // Adds a Const that waits for nothing.
  Result<int> AddConstant(Tensor value, int like) {
    const DataType type = value.dtype();
    const Attr attrs[] = {{"dtype", type}, {"value", std::move(value)}};
    TENON_ASSIGN_OR_RETURN(const int id, Add("Const", like, {}, attrs));
    facts(id).frame = 0;
    facts(id).may_be_dead = false;
    return id;
  }
  // Makes the node another op; its name, device, control inputs, readers and the attrs that the new op has too stay. Of
  // `attrs`, those that the op does not have are ignored.
  // Errors are as of Add, or its outputs would have other types; then nothing has changed.
  Status Change(int id, std::string_view op, Span<const InEdge> inputs, Span<const Attr> attrs) {
    const Node& before = node(id);
    NodeDef def;
    def.name = before.def.name;
    def.op = std::string(op);
    def.device = before.def.device;
    def.debug_info = before.def.debug_info;
    const OpInfo* info = ops_->Find(op);
    if (info == nullptr) return NoSuchOp(op);
    const auto has = [&](std::string_view name) {
      return name.starts_with('_') || info->op().FindAttr(name) != nullptr;
    };
    for (const auto& [name, value] : before.def.attr)
      if (has(name)) def.attr.Insert(name, value);
    for (const Attr& attr : attrs)
      if (has(attr.first)) def.attr.Set(std::string(attr.first), attr.second);
    OpInfo::Types in, out;
    TENON_RETURN_IF_ERROR(Resolve(inputs, &def, &info, &in, &out));
    if (out.size() < before.output_types.size())
      return errors::InvalidArgument("Node '", def.name, "' would have fewer outputs");
    for (std::size_t i = 0; i < before.output_types.size(); ++i)
      if (before.output_types[i] != out[i])
        return errors::InvalidArgument("Node '", def.name, "' would change its type");
    const SlimVector<InEdge> wanted(inputs.begin(), inputs.end());
    Node& made = graph_.mutable_node(id);
    const InlinedVector<InEdge, 4> old = made.inputs;
    made.def = std::move(def);
    made.op = &info->op();
    made.node_class = info->node_class();
    made.input_types = std::move(in);
    made.output_types = std::move(out);
    made.inputs.assign(wanted.size(), InEdge{});
    ++changes_;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      graph_.mutable_node(id).inputs[i] = wanted[i];
      Connect(wanted[i], id, static_cast<int>(i));
    }
    facts(id).stateful = HasEffects(node(id));
    facts(id).loops = IsFrameOp(node(id));
    for (const InEdge& edge : old) {
      if (edge.node < 0) continue;
      --facts(edge.node).readers;
      RemoveIfUnused(edge.node);
    }
    return OkStatus();
  }
  // Makes a node that nothing reads a NoOp.
  Status ChangeToNoOp(int id) {
    if (num_readers(id) > 0) return errors::InvalidArgument("Node '", node(id).name(), "' is read");
    const OpInfo* const info = ops_->Find("NoOp");
    if (info == nullptr) return NoSuchOp("NoOp");
    ++changes_;
    Node& made = graph_.mutable_node(id);
    made.def.op = "NoOp";
    made.def.attr.clear();
    made.op = &info->op();
    made.node_class = NodeClass::kNoOp;
    const InlinedVector<InEdge, 4> old = made.inputs;
    made.inputs.clear();
    made.input_types.clear();
    made.output_types.clear();
    made.output_shapes.clear();
    for (const InEdge& edge : old) {
      --facts(edge.node).readers;
      RemoveIfUnused(edge.node);
    }
    return OkStatus();
  }
  // Makes output 0 of the node have the value of `edge`: readers read that instead. A node that must stay, or that
  // others wait for, becomes an Identity.
  Status Forward(int id, InEdge edge) {
    const bool waits = !node(id).control_inputs.empty();
    if (is_pinned(id) || waits || num_waiting(id) > 0) {
      const Attr attrs[] = {{"T", BaseType(type(edge))}};
      if (node(id).op_name() != "Identity" || node(id).inputs[0] != edge)
        TENON_RETURN_IF_ERROR(Change(id, "Identity", Span<const InEdge>(&edge, 1), attrs));
    }
    if (!waits) Redirect({id, 0}, edge);
    return OkStatus();
  }
  // Infers the shapes of the node's outputs from those of its inputs. Shapes that contradict are unknown.
  void InferShape(int id) {
    if (refiner_ == nullptr) refiner_ = MakeOwned<ShapeRefiner>(&graph_);
    refiner_->set_graph(&graph_);
    if (!refiner_->AddNode(id).ok()) graph_.mutable_node(id).output_shapes.clear();
  }
  // Moves the living nodes out, in an order that runs; `ends` gets the endpoints there. The graph here is empty then.
  Result<Graph> Finish(GraphEnds* ends) {
    const SlimVector<int> order = Order();
    SlimVector<int> to(ToSize(num_nodes()), -1);
    Graph out;
    out.mutable_versions() = graph_.versions();
    out.Reserve(order.size());
    for (const int id : order) {
      Node& node = graph_.mutable_node(id);
      NameInputs(&node);
      const std::string device(graph_.assigned_device_name(id));
      TENON_ASSIGN_OR_RETURN(to[ToSize(id)],
                             out.AddNode(std::move(node.def), node.op,
                                         Span<const DataType>(node.input_types.data(), node.input_types.size()),
                                         Span<const DataType>(node.output_types.data(), node.output_types.size())));
      out.mutable_node(to[ToSize(id)]).output_shapes = std::move(node.output_shapes);
      if (!device.empty()) TENON_RETURN_IF_ERROR(out.AssignDevice(to[ToSize(id)], device));
      node.def.name = out.node(to[ToSize(id)]).name();
    }
    for (const int id : order) {
      const Node& node = graph_.node(id);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const InEdge& edge = node.inputs[i];
        if (edge.node >= 0 && to[ToSize(edge.node)] < 0) return LostNode(id, edge.node);
        if (edge.node >= 0)
          TENON_RETURN_IF_ERROR(out.AddEdge(to[ToSize(edge.node)], edge.output, to[ToSize(id)], static_cast<int>(i)));
      }
      for (const int control : node.control_inputs) {
        if (to[ToSize(control)] < 0) return LostNode(id, control);
        out.AddControlEdge(to[ToSize(control)], to[ToSize(id)]);
      }
    }
    *ends = std::move(ends_);
    for (auto* edges : {&ends->feeds, &ends->fetches})
      for (InEdge& edge : *edges) edge.node = to[ToSize(edge.node)];
    for (int& target : ends->targets) target = to[ToSize(target)];
    return out;
  }

 private:
  IndexedGraph(OpInfoCache* ops, NodeSupport* support) : ops_(ops), support_(support) {}

  Status Copy(const Graph& source, const GraphEnds& ends) {
    const FedOutputs fed(source.num_nodes(), ends.feeds);
    SlimVector<int> roots(ends.targets.begin(), ends.targets.end());
    for (const InEdge& fetch : ends.fetches)
      if (!fed.Has(fetch)) roots.push_back(fetch.node);
    const SlimVector<char> wanted = NodesToRun(source, roots, ends.feeds);
    for (const Node& from : source.nodes()) has_frames_ |= wanted[ToSize(from.id)] != 0 && IsFrameOp(from);
    ControlFlowFrames frames;
    if (has_frames_) {
      TENON_ASSIGN_OR_RETURN(frames, FindFrames(source, wanted, ends.feeds));
    }
    SlimVector<int> to(ToSize(source.num_nodes()), -1);
    std::size_t count = 0;
    for (const char runs : wanted) count += runs != 0 ? 1 : 0;
    graph_.Reserve(count + ends.feeds.size());
    facts_.reserve(count + ends.feeds.size());
    graph_.mutable_versions() = source.versions();
    for (const Node& from : source.nodes()) {
      if (wanted[ToSize(from.id)] == 0 && !fed.HasNode(from.id)) continue;
      TENON_ASSIGN_OR_RETURN(const int id, CopyNode(source, from));
      to[ToSize(from.id)] = id;
      facts(id).fed = fed.HasNode(from.id);
      facts(id).pinned = facts(id).fed;
      facts(id).stateful = HasEffects(node(id));
      facts(id).loops = IsFrameOp(from);
      if (has_frames_ && wanted[ToSize(from.id)] != 0) facts(id).frame = frames.RunsIn(from);
    }
    for (const Node& from : source.nodes()) {
      if (wanted[ToSize(from.id)] == 0) continue;
      const int id = to[ToSize(from.id)];
      for (std::size_t i = 0; i < from.inputs.size(); ++i) {
        const InEdge& edge = from.inputs[i];
        if (edge.node < 0 || to[ToSize(edge.node)] < 0) continue;
        const InEdge read{to[ToSize(edge.node)], edge.output};
        graph_.mutable_node(id).inputs[i] = read;
        Connect(read, id, static_cast<int>(i));
      }
      facts(id).stateful = HasEffects(node(id));
      for (const int control : from.control_inputs)
        if (to[ToSize(control)] >= 0 && wanted[ToSize(control)] != 0) AddControl(to[ToSize(control)], id);
    }
    for (const InEdge& edge : ends.feeds) ends_.feeds.push_back({to[ToSize(edge.node)], edge.output});
    for (const InEdge& edge : ends.fetches) ends_.fetches.push_back({to[ToSize(edge.node)], edge.output});
    for (const int target : ends.targets) ends_.targets.push_back(to[ToSize(target)]);
    for (const InEdge& edge : ends_.fetches) facts(edge.node).pinned = true;
    for (const int target : ends_.targets) facts(target).pinned = true;
    if (has_frames_) static_cast<void>(RefineLoopShapes(&graph_));  // an error leaves the shapes as they are
    ForgetShapes();
    SpreadMayBeDead();
    return OkStatus();
  }
  Result<int> CopyNode(const Graph& source, const Node& from) {
    NodeDef def;
    def.name = from.def.name;
    def.op = from.def.op;
    def.device = from.def.device;
    def.attr = from.def.attr;
    def.debug_info = from.def.debug_info;
    def.full_type = from.def.full_type;
    TENON_ASSIGN_OR_RETURN(
        const int id,
        graph_.AddNode(std::move(def), from.op, Span<const DataType>(from.input_types.data(), from.input_types.size()),
                       Span<const DataType>(from.output_types.data(), from.output_types.size())));
    graph_.mutable_node(id).output_shapes = from.output_shapes;
    if (const std::string_view device = source.assigned_device_name(from.id); !device.empty())
      TENON_RETURN_IF_ERROR(graph_.AssignDevice(id, device));
    facts_.push_back({});
    ++num_alive_;
    return id;
  }
  // A fed tensor may have any shape, unless a placeholder says which.
  void ForgetShapes() {
    SlimVector<int> unknown;
    SlimVector<char> has_shape(ToSize(num_nodes()), 1);
    for (int id = 0; id < num_nodes(); ++id)
      if (facts(id).fed && node(id).node_class != NodeClass::kPlaceholder) unknown.push_back(id);
    while (!unknown.empty()) {
      const int id = unknown.back();
      unknown.pop_back();
      if (std::exchange(has_shape[ToSize(id)], char{0}) == 0) continue;
      graph_.mutable_node(id).output_shapes.clear();
      for (const OutEdge& edge : node(id).outputs)
        if (edge.output != kControlSlot) unknown.push_back(edge.node);
    }
  }

  TENON_DETAIL_COLD Status LostNode(int id, int before) const {
    return errors::Internal("IndexedGraph: node '", node(id).name(), "' needs '", node(before).name(),
                            "', which a pass has removed");
  }
  TENON_DETAIL_COLD static Status NoSuchOp(std::string_view op) {
    return errors::NotFound("Op type not registered '", op, "'");
  }
  // Completes and checks a new NodeDef. The op may be registered without a kernel that runs here.
  Status Resolve(Span<const InEdge> inputs, NodeDef* def, const OpInfo** info, OpInfo::Types* in, OpInfo::Types* out) {
    *info = ops_->Find(def->op);
    if (*info == nullptr) return NoSuchOp(def->op);
    const OpView& op = (*info)->op();
    def->input.clear();
    for (const InEdge& edge : inputs) def->input.push_back(node(edge.node).name());
    if (op.inputs.size() == inputs.size()) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const AttrSpec* const spec = op.inputs[i].is_list() ? nullptr : op.TypeAttr(op.inputs[i]);
        if (spec != nullptr) def->attr.Set(std::string(spec->name()), BaseType(type(inputs[i])));
      }
    }
    (*info)->AddDefaults(def);
    TENON_RETURN_IF_ERROR((*info)->Resolve(*def, in, out));
    if (in->size() != inputs.size()) return errors::InvalidArgument("Node '", def->name, "' would have other inputs");
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!TypesCompatible((*in)[i], type(inputs[i])))
        return errors::InvalidArgument("Input ", i, " of node '", def->name, "' would be ", type(inputs[i]));
    if (support_ != nullptr && !support_->CanRun(*def))
      return errors::NotFound("No kernel for op '", def->op, "' of node '", def->name, "'");
    return OkStatus();
  }
  std::string NewName(std::string_view like) {
    if (const std::size_t end = like.find("/opt_"); end != std::string_view::npos) like = like.substr(0, end);
    std::string name;
    do {
      name = StrCat(like, "/opt_", next_name_++);
    } while (graph_.Find(name) != nullptr);
    return name;
  }
  // Writes the names of the inputs into the NodeDef, as an import leaves them there.
  void NameInputs(Node* node) const {
    node->def.input.clear();
    for (const InEdge& edge : node->inputs) {
      if (edge.node < 0) continue;
      const std::string& name = graph_.node(edge.node).def.name;
      node->def.input.push_back(edge.output == 0 ? name : StrCat(name, ":", edge.output));
    }
    for (const int control : node->control_inputs)
      node->def.input.push_back(StrCat("^", graph_.node(control).def.name));
  }

  OpInfoCache* ops_;
  NodeSupport* support_;
  Owned<ShapeRefiner> refiner_;  // null: no shape was inferred yet
  int next_name_ = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
