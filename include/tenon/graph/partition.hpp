// SPDX-License-Identifier: Apache-2.0
#pragma once
// PartitionGraph: a placed graph becomes one GraphDef for each device, joined by _Send and _Recv nodes. Loops over
// several devices get a small loop of their own on each of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/transfers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Facts about kernels and devices that a partition needs. one thread.
class PartitionEnvironment {
 public:
  virtual ~PartitionEnvironment() = default;
  // True where a node's kernel on the device reads or writes the tensor in host memory.
  virtual bool InputOnHost(const NodeDef& node, std::string_view device, int input) const = 0;
  virtual bool OutputOnHost(const NodeDef& node, std::string_view device, int output) const = 0;
  // True for a device whose kernels use ordinary host memory.
  virtual bool UsesHostMemory(std::string_view device) const = 0;
  // A number that changes when the device starts anew.
  virtual std::uint64_t Incarnation(std::string_view device) const = 0;
};

struct PartitionOptions {
  // Microseconds after a step's start at which a node will run, later than all that it waits for; -1: not known. If
  // set, a _Recv waits for a ControlTrigger of its time, so that tensors do not arrive long before they are used.
  std::int64_t (*start_time)(const Node& node, void* state) = nullptr;
  void* state = nullptr;
  bool check_transfers = true;  // false: some _Send and _Recv nodes of the graph have their counterparts elsewhere
};

struct GraphPartition {
  std::string device;
  GraphDef graph;
};

// Does the work of PartitionGraph; use that. one thread.
class GraphPartitioner {
 public:
  GraphPartitioner(const Graph& graph, const PartitionEnvironment& environment, const PartitionOptions& options)
      : graph_(graph), environment_(environment), options_(options) {}

  Result<SlimVector<GraphPartition>> Run() {
    TENON_RETURN_IF_ERROR(Load());
    TENON_RETURN_IF_ERROR(AddControlLoops());
    sent_.resize(work_.size());
    for (int v = 0; ToSize(v) < work_.size(); ++v) TENON_RETURN_IF_ERROR(Emit(v));
    if (options_.start_time != nullptr) ScheduleRecvs();
    TransferCheck transfers;
    for (std::size_t i = parts_.size(); i-- > 0;)
      if (parts_[i].graph.node.empty()) parts_.erase(parts_.begin() + i);
    for (GraphPartition& part : parts_) {
      part.graph.versions = graph_.versions();
      part.graph.library = ReachableFunctions(graph_.library(), part.graph.node);
      transfers.Add(part.graph);
    }
    if (options_.check_transfers) TENON_RETURN_IF_ERROR(transfers.Finish());
    return std::move(parts_);
  }

 private:
  // A node of the graph, or one of a control loop.
  struct Work {
    NodeDef def;
    int device = -1;  // number among parts_
    SlimVector<InEdge> inputs;
    SlimVector<int> controls;
    int outputs_in = 0;  // frame
  };
  // A tensor (or, with output kControlSlot, the end of a node) that is on another device already, under a node's name.
  struct Sent {
    int output;
    int device;
    bool on_host;
    std::string name;
  };
  struct ControlLoop {
    int frame, device;
    int merge;
  };
  // A _Recv of a reference: it reads when the others inputs of its consumer are there.
  struct RefRecv {
    int device;
    std::size_t node;
  };

  int given() const { return graph_.num_nodes(); }
  Work& work(int v) { return work_[ToSize(v)]; }
  const std::string& device_name(int device) const { return parts_[ToSize(device)].device; }
  std::string NewName(std::string_view prefix) {
    std::string name;
    do {
      name = StrCat(prefix, "/_", name_counter_++);
    } while (graph_.Find(name) != nullptr);
    return name;
  }

  // ---- nodes and devices
  int PartOf(std::string_view device) {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].device == device) return static_cast<int>(i);
    parts_.push_back({std::string(device), {}});
    return static_cast<int>(parts_.size()) - 1;
  }
  Status Load() {
    work_.reserve(ToSize(given()));
    for (const Node& node : graph_.nodes()) {
      if (node.assigned_device == 0)
        return errors::InvalidArgument("PartitionGraph: ", FormatNodeForError(node.name()),
                                       " has no device; place the graph first");
      Work& w = work_.emplace_back();
      w.def = node.def;
      w.def.attr.erase(kColocationAttr);  // it has done its work, and may name nodes of other partitions
      w.device = PartOf(graph_.assigned_device_name(node.id));
      int missing = 0;
      for (const InEdge& edge : node.inputs) {
        missing += edge.node < 0 ? 1 : 0;
        w.inputs.push_back(edge);
      }
      if (missing > 0)
        return errors::InvalidArgument("Incomplete graph, missing ", missing, " inputs for ", node.name());
      for (const int control : node.control_inputs) w.controls.push_back(control);
      FillIncarnation(&w.def);
    }
    return OkStatus();
  }
  // Sets the incarnation of a transfer that the graph came with.
  void FillIncarnation(NodeDef* node) const {
    std::string device;
    std::int64_t incarnation = 0;
    if ((!IsSendOp(node->op) && !IsRecvOp(node->op)) || !TryGetNodeAttr(*node, "send_device", &device)) return;
    if (TryGetNodeAttr(*node, "send_device_incarnation", &incarnation) && incarnation != 0) return;
    node->attr.Set("send_device_incarnation", AttrValue(static_cast<std::int64_t>(environment_.Incarnation(device))));
  }

  // ---- loops over several devices
  Status AddControlLoops() {
    bool flow = false;
    for (const Node& node : graph_.nodes()) flow = flow || IsControlFlow(node.node_class);
    if (!flow || parts_.size() < 2) return OkStatus();
    const SlimVector<char> all(ToSize(given()), 1);
    TENON_ASSIGN_OR_RETURN(frames_, FindFrames(graph_, all, {}));
    for (const Node& node : graph_.nodes())
      work(node.id).outputs_in = frames_.frame_of[ToSize(node.id)] < 0 ? 0 : frames_.OutputsIn(node);
    TENON_RETURN_IF_ERROR(MoveControlFlow());
    for (int v = 0; v < given(); ++v) {
      for (const InEdge& edge : SlimVector<InEdge>(work(v).inputs)) TENON_RETURN_IF_ERROR(CoverEdge(edge.node, v));
      for (const int control : SlimVector<int>(work(v).controls)) TENON_RETURN_IF_ERROR(CoverEdge(control, v));
    }
    for (int v = given(); ToSize(v) < work_.size(); ++v)  // whole nodes for the environment
      for (const InEdge& edge : work(v).inputs) work(v).def.input.push_back(NameOf(edge));
    return OkStatus();
  }
  // The nodes that only steer go where their data are, which saves transfers.
  Status MoveControlFlow() {
    TENON_ASSIGN_OR_RETURN(const SlimVector<int> order, TopologicalOrder(graph_));
    for (const int id : order) {
      const Node& node = graph_.node(id);
      if (node.node_class == NodeClass::kSwitch || node.node_class == NodeClass::kExit) {
        work(id).device = work(node.input(0).node).device;
      } else if ((node.node_class == NodeClass::kEnter && !IsRefType(node.input_type(0))) ||
                 node.node_class == NodeClass::kNextIteration) {
        for (const OutEdge& edge : node.outputs) {
          if (edge.output == kControlSlot) continue;
          work(id).device = work(edge.node).device;
          break;
        }
      }
    }
    return OkStatus();
  }
  Status CoverEdge(int src, int dst) {
    const int frame = work(src).outputs_in;
    if (frame == 0 || work(src).device == work(dst).device) return OkStatus();
    return AddControlLoop(frame, work(dst).device);
  }

  int FindControlLoop(int frame, int device) const {
    for (const ControlLoop& loop : loops_)
      if (loop.frame == frame && loop.device == device) return loop.merge;
    return -1;
  }
  int AddWork(NodeDef def, int device, int frame, SlimVector<InEdge> inputs) {
    Work& w = work_.emplace_back();
    w.def = std::move(def);
    w.def.name = StrCat("_cloop", NewName(w.def.name));
    w.def.attr.Insert(w.def.op == "Const" ? "dtype" : "T", AttrValue(DataType::kFloat));
    w.device = device;
    w.outputs_in = frame;
    w.inputs = std::move(inputs);
    return static_cast<int>(work_.size()) - 1;
  }
  static Tensor EmptyFloats() { return *Tensor::Make(DataType::kFloat, TensorShape({0})); }

  // Adds a loop on `device` that goes round as often as the one of `frame`, and those for the loops around it. Nodes
  // that arrive in that frame can wait for it.
  Status AddControlLoop(int frame, int device) {
    SlimVector<int> missing;  // from the innermost on; a loop: frames may be nested deeper than the stack has room for
    int merge = -1;
    for (; frame != 0 && (merge = FindControlLoop(frame, device)) < 0; frame = frames_.frames[ToSize(frame)].parent)
      missing.push_back(frame);
    for (std::size_t i = missing.size(); i-- > 0;)
      TENON_RETURN_IF_ERROR(AddControlLoop(missing[i], device, merge, &merge));
    return OkStatus();
  }
  // `around`: the Merge of the loop around it, or -1.
  Status AddControlLoop(int frame, int device, int around, int* merge) {
    const ControlFlowFrames::Frame& of = frames_.frames[ToSize(frame)];
    if (of.loop_cond < 0) return errors::InvalidArgument("A cross-device loop must have a pivot predicate: ", of.name);
    int start = around;
    if (around < 0) {
      NodeDef constant = MakeNodeDef("const", "Const", "", {});
      constant.attr.Insert("value", AttrValue(EmptyFloats()));
      start = AddWork(std::move(constant), device, 0, {});
    }
    NodeDef enter = MakeNodeDef("enter", "Enter", "", {}), join = MakeNodeDef("merge", "Merge", "", {});
    enter.attr.Insert("frame_name", AttrValue(of.name));
    enter.attr.Insert("parallel_iterations", AttrValue(of.parallel_iterations));
    enter.attr.Insert("is_constant", AttrValue(false));
    join.attr.Insert("N", AttrValue(2));
    const int in = AddWork(std::move(enter), device, frame, {{start, 0}});
    *merge = AddWork(std::move(join), device, frame, {{in, 0}});
    const int branch =
        AddWork(MakeNodeDef("switch", "Switch", "", {}), device, frame, {{*merge, 0}, {of.loop_cond, 0}});
    const int next = AddWork(MakeNodeDef("next", "NextIteration", "", {}), device, frame, {{branch, 1}});
    work(*merge).inputs.push_back({next, 0});
    loops_.push_back({frame, device, *merge});
    return OkStatus();
  }

  // ---- edges
  const NodeDef& DefOf(int v) const { return v < given() ? graph_.node(v).def : work_[ToSize(v)].def; }
  bool OutputOnHost(int v, int output) const {
    return output != kControlSlot && environment_.OutputOnHost(DefOf(v), device_name(work_[ToSize(v)].device), output);
  }
  bool InputOnHost(int v, int input) const {
    return input != kControlSlot && environment_.InputOnHost(DefOf(v), device_name(work_[ToSize(v)].device), input);
  }
  // Type of the value on an edge; Switch of a control loop reads a LoopCond.
  Result<DataType> TypeOf(const InEdge& edge, int dst, int input) const {
    if (edge.output == kControlSlot) return DataType::kFloat;
    if (dst < given() && IsRefType(graph_.node(dst).input_type(input)))
      return errors::InvalidArgument("Input ", input, " of ", FormatNodeForError(graph_.node(dst).name()),
                                     " is a reference to a variable of another device, ",
                                     FormatNodeForError(graph_.node(edge.node).name()), "; place them together");
    return edge.node < given() ? BaseType(graph_.node(edge.node).output_type(edge.output)) : DataType::kFloat;
  }

  Status Emit(int v) {
    NodeDef def = work(v).def;
    def.device = device_name(work(v).device);
    def.input.clear();
    SlimVector<RefRecv> refs;
    SlimVector<std::string> others;
    const Work& w = work(v);
    for (std::size_t i = 0; i < w.inputs.size(); ++i) {
      const std::size_t before = refs.size();
      TENON_ASSIGN_OR_RETURN(std::string name, InputName(w.inputs[i], v, static_cast<int>(i), &refs));
      if (refs.size() == before) others.push_back(StrCat("^", ParseTensorName(name).node));
      def.input.push_back(std::move(name));
    }
    for (const int control : w.controls) {
      TENON_ASSIGN_OR_RETURN(std::string name, InputName({control, kControlSlot}, v, kControlSlot, &refs));
      others.push_back(name);
      def.input.push_back(std::move(name));
    }
    for (const RefRecv& ref : refs)
      parts_[ToSize(ref.device)].graph.node[ref.node].input.append(others.begin(), others.end());
    parts_[ToSize(w.device)].graph.node.push_back(std::move(def));
    return OkStatus();
  }

  // How v, on its device, names what comes along the edge; sends it there if need be.
  Result<std::string> InputName(const InEdge& edge, int v, int input, SlimVector<RefRecv>* refs) {
    const int edge_id = next_edge_++;
    const int from = work(edge.node).device, to = work(v).device;
    const bool control = edge.output == kControlSlot;
    const bool sender_on_host = OutputOnHost(edge.node, edge.output), on_host = InputOnHost(v, input);
    const bool stays =
        from == to && (control || sender_on_host == on_host || environment_.UsesHostMemory(device_name(to)));
    if (stays) return NameOf(edge);
    const bool is_ref = edge.node < given() && !control && IsRefType(graph_.node(edge.node).output_type(edge.output));
    if (!is_ref)
      for (const Sent& sent : sent_[ToSize(edge.node)])
        if (sent.output == edge.output && sent.device == to && sent.on_host == on_host) return NameOf(sent);
    TENON_ASSIGN_OR_RETURN(const DataType dtype, TypeOf(edge, v, input));
    Sent sent{edge.output, to, on_host, AddTransfer(edge, v, edge_id, dtype, sender_on_host, on_host)};
    if (is_ref) refs->push_back({to, parts_[ToSize(to)].graph.node.size() - 1});
    std::string name = NameOf(sent);
    if (!is_ref) sent_[ToSize(edge.node)].push_back(std::move(sent));
    return name;
  }
  std::string NameOf(const InEdge& edge) const {
    const std::string& src = work_[ToSize(edge.node)].def.name;
    return edge.output == kControlSlot ? StrCat("^", src) : TensorNameOf(src, edge.output);
  }
  static std::string NameOf(const Sent& sent) {
    return sent.output == kControlSlot ? StrCat("^", sent.name) : sent.name;
  }

  // The _Send on one side and the _Recv on the other; of a control edge a value without elements, and an Identity that
  // waits for it. Returns the node to read.
  std::string AddTransfer(const InEdge& edge, int dst, int edge_id, DataType dtype, bool sender_on_host, bool on_host) {
    const std::string& src = work_[ToSize(edge.node)].def.name;
    const int from = work(edge.node).device, to = work(dst).device;
    const bool control = edge.output == kControlSlot;
    SlimVector<NodeDef>& sending = parts_[ToSize(from)].graph.node;
    std::string value = NameOf(edge);
    if (control) {
      NodeDef constant = MakeNodeDef(NewName(src), "Const", device_name(from), {StrCat("^", src)});
      constant.attr.Insert("dtype", AttrValue(DataType::kFloat));
      constant.attr.Insert("value", AttrValue(EmptyFloats()));
      value = constant.name;
      sending.push_back(std::move(constant));
    }
    Transfer t{StrCat("edge_", edge_id, "_", src),
               device_name(from),
               device_name(to),
               environment_.Incarnation(device_name(from)),
               dtype,
               src,
               work(dst).def.name};
    sending.push_back(MakeSend(NewName(src), sender_on_host, t, std::move(value)));
    NodeDef recv = MakeRecv(NewName(src), on_host, t);
    // Both put the _Recv into the frame that the tensor belongs to.
    if (from == to)
      recv.input.push_back(StrCat("^", sending.back().name));
    else if (const int merge = FindControlLoop(work(edge.node).outputs_in, to); merge >= 0)
      recv.input.push_back(StrCat("^", work(merge).def.name));
    std::string name = recv.name;
    SlimVector<NodeDef>& receiving = parts_[ToSize(to)].graph.node;
    if (options_.start_time != nullptr && dst < given() && work(edge.node).outputs_in == 0)
      recv_times_.push_back({to, receiving.size(), options_.start_time(graph_.node(dst), options_.state)});
    receiving.push_back(std::move(recv));
    if (!control) return name;
    NodeDef identity = MakeNodeDef(NewName(src), "Identity", device_name(to), {name});
    identity.attr.Insert("T", AttrValue(DataType::kFloat));
    name = identity.name;
    receiving.push_back(std::move(identity));
    return name;
  }

  // ---- when tensors are fetched
  struct RecvTime {
    int device;
    std::size_t node;  // among those of the partition
    std::int64_t time;
  };
  static constexpr int kEpochs = 100, kPrefetch = 6;

  // The step's time is cut into epochs; a _Recv starts when the epoch kPrefetch before its own has begun.
  void ScheduleRecvs() {
    for (std::size_t device = 0; device < parts_.size(); ++device) {
      SlimVector<std::pair<std::int64_t, int>> starts;  // time and node, for nodes outside of loops
      for (int v = 0; v < given(); ++v) {
        const std::int64_t time = options_.start_time(graph_.node(v), options_.state);
        if (ToSize(work(v).device) == device && work(v).outputs_in == 0 && time >= 0) starts.push_back({time, v});
      }
      if (!starts.empty()) ScheduleRecvs(static_cast<int>(device), &starts);
    }
  }
  void ScheduleRecvs(int device, SlimVector<std::pair<std::int64_t, int>>* starts) {
    std::sort(starts->begin(), starts->end());
    const std::int64_t resolution = starts->back().first / kEpochs + 1;
    SlimVector<std::string> begins(ToSize(kEpochs));  // triggers, made when they are needed
    SlimVector<NodeDef>& nodes = parts_[ToSize(device)].graph.node;
    for (const RecvTime& recv : recv_times_) {
      const std::int64_t epoch = recv.time / resolution - kPrefetch;
      if (recv.device != device || epoch < 0 || epoch >= kEpochs) continue;
      std::string& begin = begins[static_cast<std::size_t>(epoch)];
      if (begin.empty()) {
        begin = NewName(StrCat("synch_", epoch));
        NodeDef trigger = MakeNodeDef(begin, "ControlTrigger", device_name(device), {});
        // The last node that has begun by then: it cannot wait for what arrives later.
        const auto after = std::upper_bound(starts->begin(), starts->end(), epoch * resolution,
                                            [](std::int64_t time, const auto& start) { return time < start.first; });
        if (after != starts->begin()) trigger.input.push_back(StrCat("^", work((after - 1)->second).def.name));
        nodes.push_back(std::move(trigger));
      }
      nodes[recv.node].input.push_back(StrCat("^", begin));
    }
  }

  const Graph& graph_;
  const PartitionEnvironment& environment_;
  const PartitionOptions& options_;
  SlimVector<GraphPartition> parts_;
  SlimVector<Work> work_;  // the graph's nodes by id, then those of control loops
  SlimVector<SlimVector<Sent>> sent_;  // per node
  ControlFlowFrames frames_;
  SlimVector<ControlLoop> loops_;
  SlimVector<RecvTime> recv_times_;
  int next_edge_ = 0;
  int name_counter_ = 0;
};

// One graph for each device, in the order in which the nodes name them; every node must have one (PlaceGraph). Control
// flow nodes may move to the device of their data. Each tensor goes to a device once, however many nodes read it there.
// InvalidArgument: a node without a device or without an input, a reference that leaves its device, a loop over several
// devices without a LoopCond, a _Send or _Recv without a counterpart.
inline Result<SlimVector<GraphPartition>> PartitionGraph(const Graph& graph, const PartitionEnvironment& environment,
                                                         const PartitionOptions& options = {}) {
  return GraphPartitioner(graph, environment, options).Run();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
