// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes RunMetadata of a run: step stats and a cost graph of its trace, the graph that ran of its program; and lists
// the tensors that were alive when memory ran out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/device.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/session/run_metadata.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Describes the runs of one program. one thread.
class RunDescriber {
 public:
  // Where the program is one of several, which of all feeds and fetches are its own.
  struct PartOf {
    SlimVector<int> feeds, fetches;
  };

  // `devices`: those of the session, where the program stands for what several run. `part`: null where it is, or stands
  // for, all that runs. Both outlive this.
  explicit RunDescriber(const Program& program, Span<Device* const> devices = {}, const PartOf* part = nullptr)
      : program_(program), graph_(*program.graph), devices_(devices), part_(part) {
    nodes_.assign(ToSize(graph_.num_nodes()), nullptr);
    for (const ProgramNode& node : program.nodes)
      if (node.kind == ProgramNode::Kind::kKernel || node.kind == ProgramNode::Kind::kNothing)
        nodes_[ToSize(node.node->id)] = &node;
    FindWanted();
  }

  // `start_us`: when the run began, in microseconds since 1970. What the trace has only sums of comes after the rest of
  // its device: one item a node, as long as all of its executions together, "(folded: 9 executions)" in its label.
  StepStats MakeStepStats(const RunTrace& trace, std::int64_t start_us) const {
    StepStats stats;
    const auto device = [&](std::string_view name) {
      for (DeviceStepStats& known : stats.dev_stats)
        if (known.device == name) return &known;
      stats.dev_stats.emplace_back().device = name;
      return &stats.dev_stats.back();
    };
    for (const NodeTiming& timing : trace.nodes)
      device(timing.device)->node_stats.push_back(MakeNodeStats(timing, start_us));
    for (const NodeTotal& total : trace.folded)
      device(total.device)->node_stats.push_back(MakeFoldedStats(total, start_us));
    if (trace.num_dropped > 0) {
      NodeTotal dropped;
      dropped.name = "_DROPPED";
      dropped.op = "Dropped";
      dropped.device = stats.dev_stats.empty() ? EndsDevice().name() : stats.dev_stats[0].device;
      dropped.count = trace.num_dropped;
      dropped.total_ns = trace.dropped_ns;
      device(dropped.device)->node_stats.push_back(MakeFoldedStats(dropped, start_us));
    }
    return stats;
  }

  CostGraphDef MakeCostGraph(const RunTrace& trace) const {
    CostGraphDef cost;
    SlimVector<int> ids(ToSize(graph_.num_nodes()), -1);
    int count = 0;
    for (const Node& node : graph_.nodes())
      if (Runs(node.id)) ids[ToSize(node.id)] = count++;
    for (const Node& node : graph_.nodes()) {
      if (!Runs(node.id)) continue;
      CostGraphDef::Node& item = cost.node.emplace_back();
      item.name = node.name();
      item.device = DeviceOf(node.id);
      item.id = ids[ToSize(node.id)];
      for (const InEdge& edge : node.inputs)
        if (ids[ToSize(edge.node)] >= 0) item.input_info.push_back({ids[ToSize(edge.node)], edge.output});
      for (const int control : node.control_inputs)
        if (ids[ToSize(control)] >= 0) item.control_input.push_back(ids[ToSize(control)]);
      for (int i = 0; i < node.num_outputs(); ++i) item.output_info.push_back(DescribeOutput(node, i));
      item.is_final = std::none_of(node.outputs.begin(), node.outputs.end(),
                                   [&](const OutEdge& edge) { return ids[ToSize(edge.node)] >= 0; });
    }
    const auto add = [&](const Node* node, std::string_view op, std::int64_t ns) {
      if (node == nullptr || ids[ToSize(node->id)] < 0 || op != node->op_name()) return;
      cost.node[ToSize(ids[ToSize(node->id)])].compute_cost += ns / 1000;
    };
    for (const NodeTiming& timing : trace.nodes) add(timing.node, timing.op, timing.end_ns - timing.start_ns);
    for (const NodeTotal& total : trace.folded) add(total.node, total.op, total.total_ns);
    return cost;
  }

  // Graphs that ran, one per device; feeds are _Arg nodes, fetches _Retval nodes. A part is one graph with its own.
  SlimVector<GraphDef> MakePartitionGraphs() const {
    SlimVector<GraphDef> graphs;
    const GraphDef whole = graph_.ToGraphDef();
    for (const Node& node : graph_.nodes()) {
      if (!Runs(node.id)) continue;
      NodeDef& def = GraphOf(DeviceOf(node.id), &graphs)->node.emplace_back(whole.node[ToSize(node.id)]);
      def.device = DeviceOf(node.id);
      def.input.clear();
      for (const InEdge& edge : node.inputs) def.input.push_back(NameOf(edge));
      for (const int control : node.control_inputs)
        if (Runs(control)) def.input.push_back(StrCat("^", graph_.node(control).name()));
    }
    const std::string& place = EndsDevice().name();
    for (std::size_t i = 0; i < program_.feeds.size(); ++i)
      AddEnd("_Arg", ArgName(i), FeedNumber(i), program_.feeds[i].dtype, {}, GraphOf(place, &graphs));
    for (std::size_t i = 0; i < program_.fetches.size(); ++i) {
      const InEdge edge = Parse(program_.fetches[i].name);
      const std::size_t number = part_ == nullptr ? i : ToSize(part_->fetches[i]);
      AddEnd("_Retval", EndName("_retval_", program_.fetches[i].name, number), number,
             BaseType(graph_.node(edge.node).output_type(edge.output)), NameOf(edge), GraphOf(place, &graphs));
    }
    for (GraphDef& graph : graphs) {
      graph.versions = whole.versions;
      graph.library = whole.library;
    }
    return graphs;
  }

  // Graphs of the functions that running nodes call, and functions that these call. A function that cannot be
  // instantiated is left out: its error belongs to the run that calls it.
  SlimVector<RunMetadata::FunctionGraphs> MakeFunctionGraphs(const OpRegistry& registry) const {
    SlimVector<RunMetadata::FunctionGraphs> graphs;
    SlimVector<NameAttrList> known;
    const auto see = [&known](const NameAttrList& call) {
      for (const NameAttrList& other : known)
        if (other == call) return;
      if (known.size() < kMostFunctionGraphs) known.push_back(call);
    };
    const auto see_all = [&see](const NodeDef& node) {
      for (const auto& [name, value] : node.attr) {
        if (value.kind() == AttrValue::Kind::kFunc) see(value.func());
        if (value.kind() == AttrValue::Kind::kList)
          for (const NameAttrList& call : value.list().func) see(call);
      }
    };
    for (const Node& node : graph_.nodes())
      if (Runs(node.id)) see_all(node.def);
    const FunctionIndex functions(graph_.library());
    OpInfoCache ops(registry);
    for (std::size_t i = 0; i < known.size(); ++i) {
      const FunctionDef* const function = functions.Find(known[i].name);
      if (function == nullptr) continue;
      Result<FunctionGraph> body = InstantiateFunction(*function, known[i].attr, functions, &ops);
      if (!body.ok()) continue;
      for (const NodeDef& node : body->graph.node) see_all(node);
      RunMetadata::FunctionGraphs& made = graphs.emplace_back();
      made.partition_graphs.push_back(body->graph);
      made.pre_optimization_graph = std::move(body->graph);
    }
    return graphs;
  }

 private:
  static constexpr std::size_t kMostFunctionGraphs = 1000;
  bool Runs(int id) const { return wanted_[ToSize(id)] != 0; }

  void FindWanted() {
    SlimVector<int> roots;
    for (const Program::Feed& feed : program_.feeds) feeds_.push_back(Parse(feed.name));
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n] != nullptr) roots.push_back(static_cast<int>(n));
    for (const Program::Fetch& fetch : program_.fetches)
      if (const InEdge edge = Parse(fetch.name); !IsFed(edge)) roots.push_back(edge.node);
    wanted_ = NodesToRun(graph_, roots, feeds_);
  }
  InEdge Parse(std::string_view name) const {
    const TensorName parsed = ParseTensorName(name);
    return {graph_.Find(parsed.node)->id, parsed.output};
  }
  bool IsFed(const InEdge& edge) const { return std::find(feeds_.begin(), feeds_.end(), edge) != feeds_.end(); }

  const Device& EndsDevice() const { return part_ == nullptr ? *program_.host : *program_.device; }
  std::string DeviceOf(int id) const {
    if (part_ != nullptr) return program_.device->name();
    if (const std::string_view assigned = graph_.assigned_device_name(id); !assigned.empty())
      return std::string(assigned);
    const ProgramNode* node = nodes_[ToSize(id)];
    return node == nullptr || node->on_host ? program_.host->name() : program_.device->name();
  }
  std::string NameOf(const InEdge& edge) const {
    for (std::size_t i = 0; i < feeds_.size(); ++i)
      if (feeds_[i] == edge) return ArgName(i);
    const std::string& name = graph_.node(edge.node).name();
    return edge.output == 0 ? name : StrCat(name, ":", edge.output);
  }
  std::size_t FeedNumber(std::size_t i) const { return part_ == nullptr ? i : ToSize(part_->feeds[i]); }
  std::string ArgName(std::size_t i) const { return EndName("_arg_", program_.feeds[i].name, FeedNumber(i)); }
  static std::string EndName(std::string_view prefix, std::string_view endpoint, std::size_t i) {
    const TensorName name = ParseTensorName(endpoint);
    return StrCat(prefix, name.node, "_", name.output, "_", i);
  }
  static GraphDef* GraphOf(const std::string& device, SlimVector<GraphDef>* graphs) {
    for (GraphDef& graph : *graphs)
      if (graph.node[0].device == device) return &graph;
    return &graphs->emplace_back();
  }
  void AddEnd(const char* op, std::string name, std::size_t index, DataType type, std::string input,
              GraphDef* graph) const {
    NodeDef& def = graph->node.emplace_back();
    def.name = std::move(name);
    def.op = op;
    def.device = EndsDevice().name();
    if (!input.empty()) def.input.push_back(std::move(input));
    def.attr.Insert("T", AttrValue(type));
    def.attr.Insert("index", AttrValue(static_cast<std::int64_t>(index)));
  }

  NodeExecStats MakeNodeStats(const NodeTiming& timing, std::int64_t start_us) const {
    NodeExecStats stats;
    stats.node_name = timing.name;
    const std::int64_t duration = timing.end_ns - timing.start_ns;
    stats.all_start_nanos = start_us * 1000 + timing.start_ns;
    stats.all_start_micros = stats.all_start_nanos / 1000;
    stats.scheduled_nanos = start_us * 1000 + (timing.ready_ns >= 0 ? timing.ready_ns : timing.start_ns);
    stats.scheduled_micros = stats.scheduled_nanos / 1000;
    stats.op_end_rel_nanos = stats.all_end_rel_nanos = duration;
    stats.op_end_rel_micros = stats.all_end_rel_micros = (duration + 999) / 1000;
    stats.thread_id = static_cast<std::uint32_t>(timing.thread);
    stats.timeline_label = StrCat(timing.name, " = ", timing.op, "(");
    if (timing.node != nullptr)
      for (int i = 0; i < timing.node->num_inputs(); ++i)
        StrAppend(&stats.timeline_label, i == 0 ? "" : ", ", NameOf(timing.node->input(i)));
    stats.timeline_label += ')';
    const Device* device = timing.device == program_.device->name() ? program_.device : program_.host;
    for (const Device* known : devices_)
      if (timing.device == known->name()) device = known;
    const std::string allocator(device->allocator()->Name());
    if (timing.output_bytes > 0) {
      const std::optional<AllocatorStats> all = device->allocator()->GetStats();
      stats.memory.push_back({allocator, timing.output_bytes, timing.output_bytes + timing.temp_bytes,
                              timing.output_bytes + timing.persistent_bytes, all ? all->bytes_in_use : 0});
    }
    if (timing.dtype != DataType::kInvalid) {
      const auto element = static_cast<std::int64_t>(SizeOf(BaseType(timing.dtype)));
      stats.output.push_back({0, {timing.dtype, timing.shape, {timing.shape.num_elements() * element, allocator}}});
    }
    stats.memory_stats = {timing.temp_bytes, timing.persistent_bytes};
    return stats;
  }
  NodeExecStats MakeFoldedStats(const NodeTotal& total, std::int64_t start_us) const {
    NodeTiming timing;
    timing.name = total.name;
    timing.op = total.op;
    timing.device = total.device;
    timing.node = total.node;
    timing.start_ns = total.start_ns;
    timing.end_ns = total.start_ns + total.total_ns;
    timing.output_bytes = total.output_bytes;
    NodeExecStats stats = MakeNodeStats(timing, start_us);
    StrAppend(&stats.timeline_label, " (folded: ", total.count, " executions)");
    return stats;
  }
  static CostGraphDef::OutputInfo DescribeOutput(const Node& node, int i) {
    CostGraphDef::OutputInfo info;
    info.dtype = node.output_type(i);
    info.shape = node.output_shape(i);
    if (info.shape.IsFullyDefined() && SizeOf(BaseType(info.dtype)) > 0)
      info.size = info.shape.num_elements() * static_cast<std::int64_t>(SizeOf(BaseType(info.dtype)));
    return info;
  }

  const Program& program_;
  const Graph& graph_;
  const Span<Device* const> devices_;
  const PartOf* const part_;
  SlimVector<const ProgramNode*> nodes_;  // per graph node; null: it does not run, or its value is a constant
  SlimVector<InEdge> feeds_;
  SlimVector<char> wanted_;
};

// The largest values that a failed run held, up to 100 of them or 99 % of the bytes. Values inside of loops are left
// out.
inline std::string ListLiveTensors(const Program& program, Step* step) {
  struct Live {
    std::int64_t bytes;
    std::string name;
  };
  SlimVector<Live> live;
  std::int64_t total = 0;
  const auto add = [&](int value, std::string name) {
    const Tensor& tensor = step->value(value);
    if (tensor.dtype() == DataType::kInvalid || tensor.TotalBytes() == 0 || !tensor.IsInitialized()) return;
    const auto bytes = static_cast<std::int64_t>(tensor.TotalBytes());
    live.push_back({bytes, StrCat(name, " (", tensor.dtype(), tensor.shape(), ")")});
    total += bytes;
  };
  for (const Program::Feed& feed : program.feeds) add(feed.value, StrCat("feed ", feed.name));
  for (const ProgramNode& node : program.nodes)
    for (int i = 0; i < node.num_outputs; ++i)
      add(node.first_output + i, StrCat(node.node->name(), ":", i, "/", node.node->op_name()));
  std::sort(live.begin(), live.end(),
            [](const Live& a, const Live& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name; });
  std::string text = StrCat("\n\nCurrent usage from device: ", program.device->name(),
                            ", allocator: ", program.device->allocator()->Name(), "\n");
  std::size_t listed = 0;
  std::int64_t bytes = 0;
  for (; listed < live.size() && listed < 100 && bytes * 100 < total * 99; ++listed) {
    StrAppend(&text, "  ", live[listed].bytes, " bytes from ", live[listed].name, "\n");
    bytes += live[listed].bytes;
  }
  if (listed < live.size())
    StrAppend(&text, "  Remaining ", live.size() - listed, " values with ", total - bytes, " bytes\n");
  return text;
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
