// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImportInto: a GraphDef becomes part of a graph that is there already, under other names, with some of its tensors
// replaced by the graph's own: TensorFlow's ImportGraphDef with its options.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_deprecation.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/graph/function_library.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct ImportIntoOptions {
  std::string prefix = {};  // nodes get "prefix/" in front of their names; empty: they keep them
  bool uniquify_names = false;  // names that are taken get the first of "_1", "_2", ... that is free
  bool uniquify_prefix = false;  // makes the prefix unique, once, instead of each name
  // Replaces tensors of the GraphDef. {"x:1", "y"}: readers of the GraphDef's x:1 read the graph's y:0.
  // {"^a", "^b"}: nodes that wait for a wait for b. The GraphDef need not have x or a.
  SlimVector<std::pair<std::string, std::string>> input_map = {};
  bool skip_mapped_nodes = false;  // nodes that have outputs, all of them in input_map, are left out
  SlimVector<std::string> control_dependencies = {};  // the graph's nodes that imported nodes wait for, but those that
                                                      // read or wait for other imported nodes
  SlimVector<std::string> return_tensors = {};  // the GraphDef's: ImportResults::tensors says where they are
  SlimVector<std::string> return_nodes = {};  // the GraphDef's: ImportResults::nodes says where they are
  std::string default_device = {};  // for nodes that ask for none
  bool infer_shapes = true;
  bool validate_colocation = true;  // neighbours of nodes are in the GraphDef, too
};

struct ImportResults {
  SlimVector<InEdge> tensors;  // one per return_tensors; for a tensor in input_map, its replacement
  SlimVector<int> nodes;  // one per return_nodes
  SlimVector<std::string> missing_input_map_keys;  // keys that the GraphDef does not have
};

namespace detail {

// one thread.
class GraphInsertion {
 public:
  GraphInsertion(GraphDef&& def, const ImportIntoOptions& options, const OpRegistry& registry, Graph* graph)
      : def_(std::move(def)), options_(options), ops_(registry), graph_(*graph) {}

  Status Run(ImportResults* results) {
    TENON_RETURN_IF_ERROR(
        CheckVersions(def_.versions, kGraphDefVersion, kGraphDefVersionMinProducer, "GraphDef", "graph"));
    for (const Node& node : graph_.nodes()) AddName(node.name(), &graph_names_);
    for (const NodeDef& node : def_.node) {
      if (!IsValidNodeName(node.name))
        return errors::InvalidArgument("Node '", node.name, "': Node name contains invalid characters");
      def_nodes_.push_back(node.name);
      if (index_.Insert(node.name, static_cast<int>(def_nodes_.size()) - 1, NameOf{this}) >= 0)
        return errors::InvalidArgument("Node '", node.name, "' is not unique");
      AddName(node.name, &def_names_);
    }
    for (Names* names : {&graph_names_, &def_names_}) std::sort(names->begin(), names->end());
    names_ = def_nodes_;
    TENON_RETURN_IF_ERROR(ChoosePrefix());
    TENON_RETURN_IF_ERROR(CheckMap());
    ChooseSkipped();
    TENON_RETURN_IF_ERROR(ChooseNames());
    TENON_RETURN_IF_ERROR(Rewrite());
    return Join(results);
  }

 private:
  struct MapEntry {
    TensorName from, to;
    bool used;
  };
  // Sorted; parts of names that end before a '/', too. They are the graph's and the GraphDef's.
  using Names = SlimVector<std::string_view>;
  static void AddName(std::string_view name, Names* names) {
    for (std::size_t end = name.find('/'); end != name.npos; end = name.find('/', end + 1))
      if (names->empty() || names->back() != name.substr(0, end)) names->push_back(name.substr(0, end));
    names->push_back(name);
  }
  static bool Has(const Names& names, std::string_view name) {
    return std::binary_search(names.begin(), names.end(), name);
  }
  // `name` begins with a prefix of that length, which the GraphDef's names do not have.
  std::string FreeName(std::string_view name, std::size_t prefix = 0) const {
    std::string free(name);
    for (int n = 1; Has(graph_names_, free) || (n > 1 && Has(def_names_, std::string_view(free).substr(prefix))); ++n)
      free = StrCat(name, "_", n);
    return free;
  }
  // The position of the GraphDef's node, or -1.
  int Find(std::string_view name) const { return index_.Find(name, NameOf{this}); }
  struct NameOf {
    const GraphInsertion* self;
    std::string_view operator()(int i) const { return self->def_nodes_[ToSize(i)]; }
  };

  Status ChoosePrefix() {
    prefix_ = options_.prefix;
    if (prefix_.empty()) return OkStatus();
    if (prefix_.back() == '/') prefix_.pop_back();
    if (!IsValidNodeName(prefix_))
      return errors::InvalidArgument("Imported node name prefix '", options_.prefix,
                                     "' would lead to invalid node names");
    if (options_.uniquify_prefix && Has(graph_names_, prefix_)) prefix_ = FreeName(prefix_);
    prefix_ += '/';
    return OkStatus();
  }
  TENON_DETAIL_COLD static std::string MapText(std::string_view key, std::string_view value) {
    return StrCat("input_map entry ", key, "->", value);
  }
  Status CheckMap() {
    for (const auto& [key, value] : options_.input_map) {
      const MapEntry entry{ParseTensorName(key), ParseTensorName(value), false};
      const Node* const node = graph_.Find(entry.to.node);
      if (node == nullptr)
        return errors::InvalidArgument("node '", entry.to.node, "' in input_map does not exist in graph (",
                                       MapText(key, value), ")", graph_.DidYouMeanNode(entry.to.node));
      if ((entry.from.output == kControlSlot) != (entry.to.output == kControlSlot))
        return errors::InvalidArgument(MapText(key, value), " between control edge and non-control edge");
      if (entry.to.output >= node->num_outputs())
        return errors::InvalidArgument(MapText(key, value), ": node '", entry.to.node, "' has ", node->num_outputs(),
                                       " outputs");
      map_.push_back(entry);
    }
    for (const std::string& name : options_.control_dependencies)
      if (graph_.Find(name) == nullptr)
        return errors::InvalidArgument("node '", name, "' in control_dependencies does not exist in graph",
                                       graph_.DidYouMeanNode(name));
    return OkStatus();
  }
  MapEntry* FindMapped(const TensorName& name) {
    for (MapEntry& entry : map_)
      if (entry.from == name) return &entry;
    return nullptr;
  }
  void ChooseSkipped() {
    skipped_.assign(def_.node.size(), 0);
    if (!options_.skip_mapped_nodes) return;
    for (std::size_t i = 0; i < def_.node.size(); ++i) {
      const OpView* const op = ops_.Find(def_.node[i].op);
      const int outputs = op == nullptr ? 0 : static_cast<int>(op->outputs.size());  // arguments, as in TensorFlow
      bool mapped = outputs > 0;
      for (int output = 0; output < outputs && mapped; ++output)
        mapped = FindMapped({def_nodes_[i], output}) != nullptr;
      skipped_[i] = mapped ? 1 : 0;
    }
  }
  Status ChooseNames() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (skipped_[i] != 0) continue;
      std::string name = prefix_ + names_[i];
      const bool taken = prefix_.empty() ? Has(graph_names_, name) : graph_.Find(name) != nullptr;
      if (options_.uniquify_names && (prefix_.empty() || !options_.uniquify_prefix))
        name = FreeName(name, prefix_.size());
      else if (taken)
        return errors::InvalidArgument("Node name '", name, "' already exists in the Graph");
      names_[i] = std::move(name);
    }
    return OkStatus();
  }

  // The nodes with their new names, what they read and wait for, and their neighbours.
  Status Rewrite() {
    for (std::size_t i = 0; i < def_.node.size(); ++i) {
      if (skipped_[i] != 0) continue;
      NodeDef& node = def_.node[i];
      TENON_RETURN_IF_ERROR(CheckDeprecation(node));
      bool inherits = false;
      SlimVector<std::string> inputs;
      for (const std::string& text : node.input) {
        std::string input;
        TENON_RETURN_IF_ERROR(RewriteInput(node, text, &input, &inherits));
        if (input.front() != '^' || !HasItem(inputs, input)) inputs.push_back(std::move(input));
      }
      for (const std::string& name : options_.control_dependencies)
        if (std::string input = StrCat("^", name); !inherits && !HasItem(inputs, input))
          inputs.push_back(std::move(input));
      node.input = std::move(inputs);
      TENON_RETURN_IF_ERROR(RewriteColocation(&node));
      node.name = names_[i];
    }
    return OkStatus();
  }
  Status CheckDeprecation(const NodeDef& node) const {
    const OpView* const op = ops_.Find(node.op);
    return op == nullptr ? OkStatus() : CheckOpDeprecation(*op, def_.versions.producer);
  }
  // *inherits: it is an imported node's.
  Status RewriteInput(const NodeDef& node, const std::string& text, std::string* input, bool* inherits) {
    const TensorName name = ParseTensorName(text);
    if (MapEntry* const entry = FindMapped(name); entry != nullptr) {
      entry->used = true;
      *input = entry->to.output == kControlSlot ? StrCat("^", entry->to.node)
                                                : StrCat(entry->to.node, ":", entry->to.output);
      return OkStatus();
    }
    const int at = Find(name.node);
    if (at < 0 || skipped_[ToSize(at)] != 0)
      return errors::InvalidArgument("Node '", node.name, "': Unknown input node '", text, "'",
                                     at < 0 ? "" : ", which is left out: not all that is read of it is in input_map");
    *inherits = true;
    const std::string& now = names_[ToSize(at)];
    *input = name.output == kControlSlot ? StrCat("^", now) : StrCat(now, ":", name.output);
    return OkStatus();
  }
  Status RewriteColocation(NodeDef* node) const {
    constexpr std::string_view kPrefix = "loc:@";
    AttrValue* const groups = node->attr.Find("_class");
    if (groups == nullptr || groups->kind() != AttrValue::Kind::kList) return OkStatus();
    SlimVector<std::string> kept;
    for (const std::string& group : groups->list().s) {
      if (!group.starts_with(kPrefix)) {
        kept.push_back(group);
        continue;
      }
      const std::string_view other = std::string_view(group).substr(kPrefix.size());
      const int at = Find(other);
      if (at >= 0 && skipped_[ToSize(at)] == 0)
        kept.push_back(StrCat(kPrefix, names_[ToSize(at)]));
      else if (at < 0 && options_.validate_colocation)
        return errors::InvalidArgument("Node '", node->name, "' expects to be colocated with unknown node '", other,
                                       "'");
    }
    if (kept.empty())
      node->attr.erase("_class");
    else
      groups->mutable_list()->s = std::move(kept);
    return OkStatus();
  }

  // Imports both graphs as one, which checks all there is to check, and takes the new nodes from there.
  Status Join(ImportResults* results) {
    GraphDef joint = graph_.ToGraphDef();
    const auto before = joint.node.size();
    for (std::size_t i = 0; i < def_.node.size(); ++i)
      if (skipped_[i] == 0) joint.node.push_back(std::move(def_.node[i]));
    for (std::size_t i = before; i < joint.node.size(); ++i)
      if (joint.node[i].device.empty()) joint.node[i].device = options_.default_device;
    FunctionLibraryDefinition library(ops_, std::move(joint.library));
    TENON_RETURN_IF_ERROR(library.AddLibrary(def_.library));
    joint.library = library.ToProto();
    MergeVersions(&joint.versions);
    ImportOptions as_joint;
    as_joint.infer_shapes = options_.infer_shapes;
    as_joint.allow_internal_ops = true;  // the graph's own; those of the GraphDef have been looked at
    TENON_ASSIGN_OR_RETURN(Graph whole, ImportGraphDef(std::move(joint), ops_, as_joint));
    ImportResults found;
    TENON_RETURN_IF_ERROR(FindResults(whole, &found));
    TENON_RETURN_IF_ERROR(Take(whole, &found));
    graph_.mutable_library() = whole.library();
    graph_.mutable_versions() = whole.versions();
    if (results != nullptr) *results = std::move(found);
    return OkStatus();
  }
  void MergeVersions(VersionDef* versions) const {
    versions->producer = std::min(versions->producer, def_.versions.producer);
    versions->min_consumer = std::max(versions->min_consumer, def_.versions.min_consumer);
    for (const int bad : def_.versions.bad_consumers)
      if (!HasItem(versions->bad_consumers, bad)) versions->bad_consumers.push_back(bad);
    std::sort(versions->bad_consumers.begin(), versions->bad_consumers.end());
  }
  // By the ids that nodes have in `whole`.
  Status FindResults(const Graph& whole, ImportResults* results) {
    if (!options_.return_nodes.empty() && options_.skip_mapped_nodes)
      return errors::InvalidArgument("Requesting return_nodes with skip_mapped_nodes set is not currently supported");
    for (const std::string& text : options_.return_tensors) {
      const TensorName name = ParseTensorName(text);
      if (const MapEntry* const entry = FindMapped(name); entry != nullptr) {
        results->tensors.push_back({whole.Find(entry->to.node)->id, entry->to.output});
        continue;
      }
      const int at = Find(name.node);
      if (at < 0 || skipped_[ToSize(at)] != 0)
        return errors::InvalidArgument("Requested return tensor '", text, "' not found in graph def");
      const Node& node = *whole.Find(names_[ToSize(at)]);
      if (name.output >= node.num_outputs())
        return errors::InvalidArgument("Invalid return output ", name.output, " of node '", name.node, "', which has ",
                                       node.num_outputs(), " output(s)");
      results->tensors.push_back({node.id, name.output});
    }
    for (const std::string& name : options_.return_nodes) {
      const int at = Find(name);
      if (at < 0) return errors::InvalidArgument("Requested return node '", name, "' not found in graph def");
      results->nodes.push_back(whole.Find(names_[ToSize(at)])->id);
    }
    for (std::size_t i = 0; i < map_.size(); ++i) {
      if (map_[i].used) continue;
      const int at = Find(map_[i].from.node);
      const Node* const node = at < 0 || skipped_[ToSize(at)] != 0 ? nullptr : whole.Find(names_[ToSize(at)]);
      const bool there = node != nullptr ? map_[i].from.output < node->num_outputs() : at >= 0;
      if (!there) results->missing_input_map_keys.push_back(options_.input_map[i].first);
    }
    return OkStatus();
  }
  // Nodes that were in the graph keep their ids and devices. *results then has the ids of the graph.
  Status Take(const Graph& whole, ImportResults* results) {
    SlimVector<int> id_of;  // by the id in `whole`
    id_of.reserve(ToSize(whole.num_nodes()));
    const int before = graph_.num_nodes();
    graph_.Reserve(ToSize(whole.num_nodes()));
    for (const Node& node : whole.nodes()) {
      const Node* const there = graph_.Find(node.name());
      if (there != nullptr) {
        id_of.push_back(there->id);
        continue;
      }
      TENON_ASSIGN_OR_RETURN(const int id,
                             graph_.AddNode(node.def, node.op, node.node_class, node.input_types, node.output_types));
      graph_.mutable_node(id).output_shapes = node.output_shapes;
      id_of.push_back(id);
    }
    for (const Node& node : whole.nodes()) {
      const int id = id_of[ToSize(node.id)];
      if (id < before) continue;
      for (int i = 0; i < node.num_inputs(); ++i)
        TENON_RETURN_IF_ERROR(graph_.AddEdge(id_of[ToSize(node.input(i).node)], node.input(i).output, id, i));
      for (const int control : node.control_inputs) graph_.AddControlEdge(id_of[ToSize(control)], id);
    }
    for (InEdge& tensor : results->tensors) tensor.node = id_of[ToSize(tensor.node)];
    for (int& node : results->nodes) node = id_of[ToSize(node)];
    return OkStatus();
  }

  GraphDef def_;
  const ImportIntoOptions& options_;
  const OpRegistry& ops_;
  Graph& graph_;
  SlimVector<std::string> def_nodes_, names_;  // the GraphDef's nodes as they are, and as they will be
  NameIndex index_;  // name -> position in def_nodes_
  Names graph_names_, def_names_;  // good until the nodes are rewritten
  std::string prefix_;  // "" or with its '/'
  SlimVector<MapEntry> map_;
  SlimVector<char> skipped_;  // per node of the GraphDef
};

}  // namespace detail

// Adds the GraphDef's nodes and functions to the graph, whose own nodes keep their ids; it takes time for both. What is
// refused changes nothing. `results` may be null. InvalidArgument: names that are taken or impossible, input_map or
// results that name what is not there, functions of one name that differ, and all that ImportGraphDef refuses.
//
//   ImportResults results;
//   TENON_RETURN_IF_ERROR(ImportInto(std::move(def), {.prefix = "tower", .input_map = {{"x", "pixels"}},
//                                                     .return_tensors = {"y"}}, registry.ops(), &graph, &results));
inline Status ImportInto(GraphDef def, const ImportIntoOptions& options, const OpRegistry& registry, Graph* graph,
                         ImportResults* results = nullptr) {
  const int producer = def.versions.producer;
  const Status status = detail::GraphInsertion(std::move(def), options, registry, graph).Run(results);
  return status.ok() ? status : detail::WithVersionWarning(status, producer);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
