// SPDX-License-Identifier: Apache-2.0
// tenon check: what a model needs and Tenon lacks.

#include <map>
#include <set>
#include <unordered_set>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/graph_def/placeholders.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/op/op_def/to_op_def.hpp>

#include "model.hpp"
#include "output.hpp"

namespace command {

namespace {

using tenon::NodeDef;

struct MissingOp {
  std::int64_t nodes = 0;
  std::string first_node, hint;
};
struct MissingKernel {
  std::int64_t nodes = 0;
  std::string op, first_node, why;
};

class Check {
 public:
  explicit Check(const tenon::GraphDef& graph) : graph_(graph) {
    for (const tenon::FunctionDef& function : graph.library.function) functions_.insert(function.signature.name);
  }

  void Run() {
    for (const NodeDef& node : graph_.node) Look(node, "");
    for (const tenon::FunctionDef& function : graph_.library.function)
      for (const NodeDef& node : function.node_def) Look(node, function.signature.name);
    if (!ops.empty()) return;
    tenon::GraphDef copy = graph_;
    Result<tenon::Graph> graph = tenon::ImportGraphDef(std::move(copy), tenon::Registry::Global().ops());
    if (!graph.ok()) {
      fault = graph.status().ToString();
      return;
    }
    imported = true;
    for (const tenon::Node& node : graph->nodes()) {
      for (int i = 0; i < node.num_outputs(); ++i) {
        ++outputs;
        known_shapes += node.output_shape(i).IsFullyDefined();
        known_ranks += !node.output_shape(i).unknown_rank();
      }
    }
  }

  std::map<std::string, MissingOp> ops;
  std::map<std::string, MissingKernel> kernels;  // by op and types
  std::string fault;
  bool imported = false;
  std::int64_t outputs = 0, known_shapes = 0, known_ranks = 0, open_types = 0;

 private:
  void Look(const NodeDef& node, const std::string& function) {
    if (functions_.contains(node.op)) return;
    const std::string name = function.empty() ? node.name : StrCat(node.name, " in function ", function);
    const tenon::OpView* const op = tenon::Registry::Global().FindOp(node.op);
    if (op == nullptr) {
      MissingOp& missing = ops[node.op];
      if (missing.nodes++ > 0) return;
      std::vector<std::string_view> names;
      for (const tenon::OpView* known : tenon::Registry::Global().ops().ops()) names.push_back(known->name);
      missing.first_node = name;
      missing.hint = tenon::DidYouMean(node.op, names);
      return;
    }
    for (const auto& [attr, value] : node.attr) {
      if (!tenon::HasPlaceholder(value)) continue;
      ++open_types;  // whoever calls the function decides
      return;
    }
    // Nodes with equal types are looked up once.
    std::string key = node.op;
    NodeDef with_defaults;
    with_defaults.name = node.name;
    with_defaults.op = node.op;
    with_defaults.attr = node.attr;
    const auto known = defs_.try_emplace(node.op, tenon::OpDef()).first;
    if (known->second.name.empty()) known->second = tenon::ToOpDef(*op);
    tenon::AddDefaultsToNodeDef(known->second, &with_defaults);
    for (const auto& [attr, value] : with_defaults.attr)
      if (value.kind() == tenon::AttrValue::Kind::kType) StrAppend(&key, " ", attr, "=", value.type());
    const auto [at, is_new] = looked_up_.try_emplace(key, true);
    if (is_new) {
      const auto found = tenon::Registry::Global().FindForNode(with_defaults, "CPU");
      at->second = found.ok();
      if (!found.ok()) {
        const std::string_view message = found.status().message();
        kernels[key] = {0, node.op, name, std::string(message.substr(0, message.find(". No registered '")))};
      }
    }
    if (!at->second) ++kernels[key].nodes;
  }

  const tenon::GraphDef& graph_;
  std::unordered_set<std::string_view> functions_;
  std::map<std::string, tenon::OpDef> defs_;
  std::map<std::string, bool> looked_up_;
};

std::string Nodes(std::int64_t count) { return StrCat(Count(count), count == 1 ? " node" : " nodes"); }

}  // namespace

Result<int> RunCheck(const Args& args) {
  const std::string& path = args.arguments()[0];
  const OpenOptions options = OpenOptionsOf(args);
  TENON_ASSIGN_OR_RETURN(const Model model, Model::Open(path, options));
  TENON_RETURN_IF_ERROR(tenon::Registry::Global().status());
  Check check(model.graph());
  check.Run();
  const bool fine = check.ops.empty() && check.kernels.empty() && check.fault.empty();
  if (args.json()) {
    Json json;
    json.Begin('{').Member("file", path).Member("ok", fine).Key("missing_ops").Begin('[');
    for (const auto& [op, missing] : check.ops)
      json.Begin('{')
          .Member("op", op)
          .Member("nodes", missing.nodes)
          .Member("first_node", missing.first_node)
          .Member("hint", missing.hint.substr(missing.hint.starts_with("; ") ? 2 : 0))
          .End();
    json.End().Key("missing_kernels").Begin('[');
    for (const auto& [key, missing] : check.kernels)
      json.Begin('{')
          .Member("op", missing.op)
          .Member("nodes", missing.nodes)
          .Member("first_node", missing.first_node)
          .Member("why", missing.why)
          .End();
    json.End().Key("fault");
    if (check.fault.empty())
      json.Null();
    else
      json.Value(check.fault);
    json.Member("shapes_inferred", check.imported).Member("outputs", check.outputs);
    json.Member("known_shapes", check.known_shapes).Member("known_ranks", check.known_ranks);
    Print(json.Member("nodes_of_open_type", check.open_types).End().text());
    return fine ? kFine : kFound;
  }
  std::string text = StrCat(Styled(Style::kBold, path), "  ", Name(model.kind()), "\n");
  for (const auto& [op, missing] : check.ops)
    StrAppend(&text, Styled(Style::kBad, "missing op"), "  ", op, "  ", Nodes(missing.nodes), ", first '",
              missing.first_node, "'", missing.hint, "\n");
  for (const auto& [key, missing] : check.kernels)
    StrAppend(&text, Styled(Style::kBad, "missing kernel"), "  ", missing.why, "  ", Nodes(missing.nodes), ", first '",
              missing.first_node, "'\n");
  if (!check.fault.empty()) StrAppend(&text, Styled(Style::kBad, "fault"), "  ", check.fault, "\n");
  if (check.imported)
    StrAppend(&text, "  shapes: ", Count(check.known_shapes), " of ", Count(check.outputs), " outputs are known, ",
              Count(check.known_ranks), " ranks\n");
  if (!check.ops.empty()) text += "  shapes were not inferred: an op is missing\n";
  if (check.open_types > 0)
    StrAppend(&text, "  ", Nodes(check.open_types),
              " in functions have types that their callers choose; they were not looked up\n");
  text += fine ? StrCat(Styled(Style::kGood, "Tenon has all ops and kernels of this model."), "\n") : std::string();
  Print(text);
  return fine ? kFine : kFound;
}

}  // namespace command
