// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graph: nodes with dense ids, their edges, dtypes and inferred shapes. It knows op descriptions only, never a kernel.
// Made by ImportGraphDef (graph/import.hpp); editing passes add nodes and edges through the members below.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// An output number that stands for "the node itself": a control dependency.
inline constexpr int kControlSlot = -1;
// Attr of an IdentityN that keeps the name of a lowered node for callers; nodes of the graph read its inputs instead.
inline constexpr std::string_view kStandsForLoweredAttr = "_stands_for_lowered";

// "x" is output 0 of x, "x:2" its output 2, "^x" the node x (output kControlSlot). `node` points into the parsed text.
struct TensorName {
  std::string_view node;
  int output = 0;
  friend bool operator==(const TensorName&, const TensorName&) = default;
};

// Never fails: what does not end in ":digits" is a node's name as it stands. An output number too large for an int is
// its maximum.
inline TensorName ParseTensorName(std::string_view text) {
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  if (digits >= 2 && digits < text.size() && text[digits - 1] == ':') {
    std::int64_t output = 0;
    for (const char c : text.substr(digits)) {
      output = std::min<std::int64_t>(output * 10 + (c - '0'), std::numeric_limits<int>::max());
    }
    return {text.substr(0, digits - 1), static_cast<int>(output)};
  }
  if (!text.empty() && text.front() == '^') return {text.substr(1), kControlSlot};
  return {text, 0};
}

// Class of a node's op, as far as the runtime must know it without comparing names.
enum class NodeClass : std::uint8_t {
  kOther,
  kSwitch,  // Switch, RefSwitch, _SwitchN
  kMerge,   // Merge, RefMerge, _XlaMerge
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kSend,
  kRecv,
  kConstant,     // Const, HostConst
  kPlaceholder,  // Placeholder, PlaceholderV2
  kVariable,     // Variable, VariableV2
  kIdentity,
  kMetadata,  // Shape, Size, Rank: answered from the input's shape
  kArg,
  kRetval,
  kNoOp,
};

constexpr NodeClass NodeClassOf(std::string_view op) {
  struct Row {
    std::string_view op;
    NodeClass node_class;
  };
  constexpr Row kRows[] = {
      {"Const", NodeClass::kConstant},
      {"HostConst", NodeClass::kConstant},
      {"Identity", NodeClass::kIdentity},
      {"RefIdentity", NodeClass::kIdentity},
      {"Placeholder", NodeClass::kPlaceholder},
      {"PlaceholderV2", NodeClass::kPlaceholder},
      {"Shape", NodeClass::kMetadata},
      {"Size", NodeClass::kMetadata},
      {"Rank", NodeClass::kMetadata},
      {"Switch", NodeClass::kSwitch},
      {"RefSwitch", NodeClass::kSwitch},
      {"_SwitchN", NodeClass::kSwitch},
      {"Merge", NodeClass::kMerge},
      {"RefMerge", NodeClass::kMerge},
      {"_XlaMerge", NodeClass::kMerge},
      {"Enter", NodeClass::kEnter},
      {"RefEnter", NodeClass::kEnter},
      {"Exit", NodeClass::kExit},
      {"RefExit", NodeClass::kExit},
      {"NextIteration", NodeClass::kNextIteration},
      {"RefNextIteration", NodeClass::kNextIteration},
      {"LoopCond", NodeClass::kLoopCond},
      {"ControlTrigger", NodeClass::kControlTrigger},
      {"_Send", NodeClass::kSend},
      {"_HostSend", NodeClass::kSend},
      {"_Recv", NodeClass::kRecv},
      {"_HostRecv", NodeClass::kRecv},
      {"Variable", NodeClass::kVariable},
      {"VariableV2", NodeClass::kVariable},
      {"_Arg", NodeClass::kArg},
      {"_DeviceArg", NodeClass::kArg},
      {"_Retval", NodeClass::kRetval},
      {"_DeviceRetval", NodeClass::kRetval},
      {"NoOp", NodeClass::kNoOp},
  };
  for (const Row& row : kRows) {
    if (row.op == op) return row.node_class;
  }
  return NodeClass::kOther;
}

// Ops that need frames and dead tensors at run time (LoopCond and ControlTrigger do not).
constexpr bool IsControlFlow(NodeClass c) { return c >= NodeClass::kSwitch && c <= NodeClass::kNextIteration; }

// The producer of a data input: output `output` of node `node`. Node -1 is an input that is not connected yet.
struct InEdge {
  int node = -1;
  int output = 0;
  friend bool operator==(const InEdge&, const InEdge&) = default;
};

// One use of a node: its output `output` is input `input` of node `node`; both are kControlSlot for a control
// dependency.
struct OutEdge {
  int node = -1;
  int input = 0;
  int output = 0;
  friend bool operator==(const OutEdge&, const OutEdge&) = default;
};

// Members that a walk over the edges reads lie together, before the rest: large graphs are walked often.
struct Node {
  int id = -1;
  NodeClass node_class = NodeClass::kOther;
  std::uint16_t assigned_device = 0;  // Graph::assigned_device_name; 0: none yet
  const OpView* op = nullptr;  // lives as long as the registry that the graph was made with
  InlinedVector<InEdge, 4> inputs;               // one per data input
  InlinedVector<int, 4> control_inputs;          // node ids in the order of the nodes' names, each once
  InlinedVector<DataType, 4> input_types;
  InlinedVector<DataType, 4> output_types;
  InlinedVector<OutEdge, 4> outputs;             // in no particular order
  SlimVector<PartialTensorShape> output_shapes; // one per output; empty where shapes were not inferred
  NodeDef def;                 // attr defaults added

  const std::string& name() const { return def.name; }
  const std::string& op_name() const { return def.op; }
  int num_inputs() const { return static_cast<int>(input_types.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
  DataType input_type(int i) const { return input_types[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return output_types[static_cast<std::size_t>(i)]; }
  const InEdge& input(int i) const { return inputs[static_cast<std::size_t>(i)]; }
  // The inferred shape of an output; of unknown rank where nothing is known. It lives until the graph is edited.
  const PartialTensorShape& output_shape(int i) const {
    const auto k = static_cast<std::size_t>(i);
    return k < output_shapes.size() ? output_shapes[k] : detail::UnknownShape();
  }
  // Whether it has attrs beside those of its op, such as "_class".
  bool HasOtherAttrs() const { return op == nullptr || def.attr.size() > op->attrs.size(); }
};

namespace detail {

// DidYouMean, unless there is so much to compare that the message would take long.
inline std::string SuggestNames(std::string_view name, const SlimVector<std::string_view>& candidates) {
  constexpr std::size_t kMaxWork = 20'000'000;
  return name.size() > 1000 || candidates.size() * name.size() * name.size() > kMaxWork ? ""
                                                                                        : DidYouMean(name, candidates);
}

// SuggestNames, or else the first candidates: "; there are 'a', 'b'"; "; it has none" without candidates.
TENON_DETAIL_COLD inline std::string SuggestOrList(std::string_view name,
                                                   const SlimVector<std::string_view>& candidates) {
  std::string text = SuggestNames(name, candidates);
  if (!text.empty()) return text;
  if (candidates.empty()) return "; it has none";
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < candidates.size() && i < kMost; ++i)
    StrAppend(&text, i == 0 ? "; there are '" : ", '", candidates[i], "'");
  return candidates.size() > kMost ? text + ", ..." : text;
}

// The nodes of a graph, for messages about one that it does not have.
struct NodeNames {
  SlimVector<std::string_view> all, ends;  // ends: its placeholders, and nodes that no node reads
  TENON_DETAIL_COLD std::string Suggest(std::string_view name) const {
    std::string text = SuggestNames(name, all);
    if (!text.empty()) return text;
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < ends.size() && i < kMost; ++i)
      StrAppend(&text, i == 0 ? "; the graph's inputs and outputs are '" : ", '", ends[i], "'");
    return ends.size() > kMost ? text + ", ..." : text;
  }
};

// One more name that a list of them does not have: "\"a\" \"b\"", and what may have been meant, each hint once.
TENON_DETAIL_COLD inline void NameMissing(std::string_view name, std::string_view hint, std::string* missing,
                                          std::string* hints) {
  StrAppend(missing, missing->empty() ? "\"" : " \"", name, "\"");
  if (hints->find(hint) == std::string::npos) hints->append(hint);
}

// name -> small number, open addressing. Keys stay with their owner: `name_of(number)` reads one back.
class NameIndex {
 public:
  void Reserve(std::size_t count) {
    std::size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    if (slots > slots_.size()) Rehash(slots);
  }

  template <class NameOf>
  int Find(std::string_view name, NameOf&& name_of) const {
    return Find(HashOf(name), name, name_of);
  }

  // The number that the name has already, or -1 after `number` was stored for it.
  template <class NameOf>
  int Insert(std::string_view name, int number, NameOf&& name_of) {
    return Insert(HashOf(name), name, number, name_of);
  }

  // Find and Insert in two steps, for callers with many names: Prefetch loads a slot while they hash further names.
  static std::uint32_t HashOf(std::string_view name) { return static_cast<std::uint32_t>(Hash64(name)); }
  void Prefetch(std::uint32_t hash) const {
    if (!slots_.empty()) TENON_DETAIL_PREFETCH(&slots_[hash & (slots_.size() - 1)]);
  }
  template <class NameOf>
  int Find(std::uint32_t hash, std::string_view name, NameOf&& name_of) const {
    if (slots_.empty()) return -1;
    for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].number < 0) return -1;
      if (slots_[i].hash == hash && std::string_view(name_of(slots_[i].number)) == name) return slots_[i].number;
    }
  }

  template <class NameOf>
  int Insert(std::uint32_t hash, std::string_view name, int number, NameOf&& name_of) {
    if (2 * (size_ + 1) > slots_.size()) Rehash(std::max<std::size_t>(16, 2 * slots_.size()));
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i].number >= 0; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].hash == hash && std::string_view(name_of(slots_[i].number)) == name) return slots_[i].number;
    }
    slots_[i] = {hash, number};
    ++size_;
    return -1;
  }

  // Number n becomes to[n].
  void Renumber(Span<const int> to) {
    for (Slot& slot : slots_) {
      if (slot.number >= 0) slot.number = to[static_cast<std::size_t>(slot.number)];
    }
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    int number = -1;
  };

  void Rehash(std::size_t slots) {
    SlimVector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t i = slot.hash & (slots - 1);
      while (slots_[i].number >= 0) i = (i + 1) & (slots - 1);
      slots_[i] = slot;
    }
  }

  SlimVector<Slot> slots_;  // a power of two of them, at most half full
  std::size_t size_ = 0;
};

}  // namespace detail

class OpRegistry;

// Nodes that were left out of a graph, because ops that they need are not registered, and the graph's library.
struct LeftOutNodes {
  GraphDef graph;
  const OpRegistry* ops = nullptr;
};

// Externally synchronised while it is edited, immutable afterwards. Ids are 0 .. num_nodes() - 1 and never change;
// adding a node may move all Node objects.
//
//   TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(def), registry));
//   if (const Node* x = graph.Find("x")) Show(x->output_shape(0));
class Graph {
  struct NameOf {
    const SlimVector<Node>* nodes;
    std::string_view operator()(int id) const { return (*nodes)[ToSize(id)].def.name; }
  };

 public:
  Graph() = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  // ---- editing
  void Reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    names_.Reserve(nodes);
  }

  // Nodes that fit before all of them move.
  std::size_t capacity() const { return nodes_.capacity(); }

  // Adds a node without edges; its data inputs are unconnected. InvalidArgument when the name is taken.
  Result<int> AddNode(NodeDef def, const OpView* op, Span<const DataType> input_types,
                      Span<const DataType> output_types) {
    const NodeClass node_class = NodeClassOf(def.op);
    return AddNode(std::move(def), op, node_class, input_types, output_types);
  }
  // Does so for callers that know the class of the op.
  Result<int> AddNode(NodeDef def, const OpView* op, NodeClass node_class, Span<const DataType> input_types,
                      Span<const DataType> output_types) {
    const int id = num_nodes();
    if (names_.Insert(def.name, id, NameOf{&nodes_}) >= 0) {
      return errors::InvalidArgument("Node '", def.name, "' is not unique");
    }
    Node& node = nodes_.emplace_back();
    node.id = id;
    node.node_class = node_class;
    node.op = op;
    node.def = std::move(def);
    for (const DataType type : input_types) node.input_types.push_back(type);
    for (const DataType type : output_types) node.output_types.push_back(type);
    node.inputs.resize(node.input_types.size());
    return id;
  }

  // Connects a data input that is still open, after checking both ends and their dtypes.
  Status AddEdge(int src, int output, int dst, int input) {
    TENON_RETURN_IF_ERROR(CheckEdge(src, output, dst, input));
    nodes_[ToSize(dst)].inputs[ToSize(input)] = {src, output};
    nodes_[ToSize(src)].outputs.push_back({dst, input, output});
    return OkStatus();
  }

  // Makes `dst` wait for `src`. Does nothing when it does so already.
  void AddControlEdge(int src, int dst) {
    auto& controls = nodes_[ToSize(dst)].control_inputs;
    const std::string_view name = nodes_[ToSize(src)].def.name;
    const auto at = std::lower_bound(controls.begin(), controls.end(), name, [this](int id, std::string_view other) {
      return nodes_[ToSize(id)].def.name < other;
    });
    const auto offset = at - controls.begin();
    if (at != controls.end() && *at == src) return;
    controls.push_back(src);
    std::rotate(controls.begin() + offset, controls.end() - 1, controls.end());
    nodes_[ToSize(src)].outputs.push_back({dst, kControlSlot, kControlSlot});
  }

  // "prefix/_7": a name that no node has.
  std::string NewName(std::string_view prefix) {
    std::string name;
    do {
      name = StrCat(prefix, "/_", name_counter_++);
    } while (Find(name) != nullptr);
    return name;
  }

  // Says where the node runs: a complete device name, or "" for nowhere yet. ResourceExhausted beyond 65535 devices.
  Status AssignDevice(int id, std::string_view device) {
    std::size_t at = 0;
    while (at < devices_.size() && devices_[at] != device) ++at;
    if (!device.empty() && at == devices_.size()) {
      if (at >= std::numeric_limits<std::uint16_t>::max())
        return errors::ResourceExhausted("Graph::AssignDevice: more than ", at, " devices");
      devices_.push_back(std::string(device));
    }
    nodes_[ToSize(id)].assigned_device = device.empty() ? 0 : static_cast<std::uint16_t>(at + 1);
    return OkStatus();
  }

  Node& mutable_node(int id) { return nodes_[ToSize(id)]; }
  VersionDef& mutable_versions() { return versions_; }
  FunctionDefLibrary& mutable_library() { return library_; }
  Owned<LeftOutNodes>& mutable_left_out() { return left_out_; }

  // ---- reading
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Span<const Node> nodes() const { return nodes_; }
  const Node& node(int id) const { return nodes_[ToSize(id)]; }
  // The node of that name, or null.
  const Node* Find(std::string_view name) const {
    const int id = names_.Find(name, NameOf{&nodes_});
    return id < 0 ? nullptr : &nodes_[ToSize(id)];
  }
  // "" while the node has no device.
  std::string_view assigned_device_name(int id) const {
    const std::uint16_t device = nodes_[ToSize(id)].assigned_device;
    return device == 0 ? std::string_view() : std::string_view(devices_[ToSize(device - 1)]);
  }
  const VersionDef& versions() const { return versions_; }
  // Functions that came with the graph, as data.
  const FunctionDefLibrary& library() const { return library_; }
  // Null: the graph has all nodes that it was made from.
  const LeftOutNodes* left_out() const { return left_out_.get(); }

  // "; did you mean 'x', 'y'?", or else up to eight of the placeholders and of the nodes whose outputs no node reads:
  // for messages about a node that does not exist.
  std::string DidYouMeanNode(std::string_view name) const {
    detail::NodeNames names;
    OfferNames(&names);
    return names.Suggest(name);
  }
  // Adds this graph's names, without its send and receive nodes. The partitions of a cut graph share one list.
  void OfferNames(detail::NodeNames* names) const {
    for (const Node& node : nodes_) {
      if (node.node_class == NodeClass::kSend || node.node_class == NodeClass::kRecv) continue;
      names->all.push_back(node.def.name);
      if (node.node_class == NodeClass::kPlaceholder || node.outputs.empty()) names->ends.push_back(node.def.name);
    }
  }

  // Data inputs in slot order ("x", "x:1"), then control inputs by name ("^x"). An open input keeps its old text; an
  // assigned device replaces the one asked for.
  GraphDef ToGraphDef() const {
    GraphDef out;
    out.node.reserve(nodes_.size());
    for (const Node& node : nodes_) {
      NodeDef& def = out.node.emplace_back(node.def);
      if (node.assigned_device != 0) def.device = std::string(assigned_device_name(node.id));
      SlimVector<std::string> old = std::move(def.input);
      def.input.clear();
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const InEdge& edge = node.inputs[i];
        if (edge.node < 0) {
          def.input.push_back(i < old.size() ? std::move(old[i]) : std::string());
        } else {
          const std::string& src = nodes_[ToSize(edge.node)].def.name;
          def.input.push_back(edge.output == 0 ? src : StrCat(src, ":", edge.output));
        }
      }
      for (const int control : node.control_inputs) def.input.push_back(StrCat("^", nodes_[ToSize(control)].def.name));
    }
    out.library = library_;
    out.versions = versions_;
    return out;
  }

 private:
  friend class GraphImporter;

  Status CheckEdge(int src, int output, int dst, int input) const {
    const Node& from = nodes_[ToSize(src)];
    const Node& to = nodes_[ToSize(dst)];
    if (output < 0 || output >= from.num_outputs()) {
      return errors::InvalidArgument("Output ", output, " of node ", from.def.name, " does not exist. Node only has ",
                                     from.num_outputs(), " outputs.");
    }
    if (input < 0 || input >= to.num_inputs()) {
      return errors::InvalidArgument("Input ", input, " of node ", to.def.name, " does not exist. Node only has ",
                                     to.num_inputs(), " inputs.");
    }
    const DataType given = from.output_type(output), expected = to.input_type(input);
    if (!TypesCompatible(expected, given)) {
      return errors::InvalidArgument("Input ", input, " of node ", to.def.name, " was passed ", given, " from ",
                                     from.def.name, ":", output, " incompatible with expected ", expected, ".");
    }
    return OkStatus();
  }

  SlimVector<Node> nodes_;
  detail::NameIndex names_;
  VersionDef versions_;
  FunctionDefLibrary library_;
  Owned<LeftOutNodes> left_out_;
  SlimVector<std::string> devices_;  // that nodes are assigned to
  std::int64_t name_counter_ = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
