// SPDX-License-Identifier: Apache-2.0
#pragma once
// InlineFunctionCall: a call of a function becomes the function's body, with TensorFlow's rules for control edges, side
// effects, names, frames, colocation and devices.

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
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/requested_device.hpp>
#include <tenon/graph/rewrite.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Node that stays under the caller's name.
enum class KeepCaller : std::uint8_t {
  kNo,  // none: only the graph knows the name
  kTargetable,  // a NoOp that runs when the body has run
  kFetchable,  // an IdentityN of the results
};

// Outputs that a node waits for when it waited for the caller.
enum class OutputControl : std::uint8_t {
  kDataOutputs,  // the results: calls of one device
  kControlOutputs,  // the function's control outputs
};

enum class InlinedDevice : std::uint8_t {
  kCaller,  // every node of the body gets the caller's device
  kBody,  // each node keeps its own device, or else gets the caller's
};

struct InlineOptions {
  KeepCaller keep_caller = KeepCaller::kNo;
  OutputControl output_control = OutputControl::kControlOutputs;
  InlinedDevice device = InlinedDevice::kBody;
  bool ignore_noinline = false;
  bool uniquify_frame_names = true;  // two copies of a loop are two loops
};

inline bool IsFunctionCall(std::string_view op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient";
}

inline NodeDef MakeNodeDef(std::string name, std::string_view op, std::string_view device,
                           SlimVector<std::string> inputs) {
  NodeDef node;
  node.name = std::move(name);
  node.op = std::string(op);
  node.device = std::string(device);
  node.input = std::move(inputs);
  return node;
}

// Does the work of InlineFunctionCall; use that. one thread.
class FunctionInliner {
 public:
  FunctionInliner(const FunctionDef& function, const FunctionIndex& functions, OpInfoCache* ops,
                  const InlineOptions& options, int caller, GraphRewrite* rewrite)
      : function_(function),
        functions_(functions),
        ops_(*ops),
        options_(options),
        rewrite_(*rewrite),
        caller_(caller),
        call_(rewrite->node(caller)) {}

  Status Inline() {
    TENON_RETURN_IF_ERROR(CheckMayBeInlined());
    NameAttrList f;
    TENON_RETURN_IF_ERROR(GetNodeAttr(call_, "f", &f));
    TENON_ASSIGN_OR_RETURN(body_, FunctionInstantiation(function_, f.attr, functions_, &ops_, true).Make());
    TENON_RETURN_IF_ERROR(CheckTypes());
    if (options_.device == InlinedDevice::kBody)
      for (const NodeDef& node : body_.graph.node) TENON_RETURN_IF_ERROR(CheckRequestedDevice(node));
    AddInputs();
    AddBody();
    AddOutputs();
    return OkStatus();
  }

 private:
  bool IsArg(int i) const { return ToSize(i) < body_.args.size(); }

  Status CheckMayBeInlined() const {
    const AttrValue* noinline = function_.attr.Find("_noinline");
    if (!options_.ignore_noinline && noinline != nullptr && noinline->b())
      return errors::InvalidArgument("Can't inline function marked with '_noinline': function '",
                                     function_.signature.name, "'");
    if (function_.attr.Find("api_implements") != nullptr)
      return errors::InvalidArgument("Inlining of implementation selection group functions is disabled: function '",
                                     function_.signature.name, "' has the attr 'api_implements'");
    return OkStatus();
  }

  Status CheckTypes() {
    SlimVector<DataType> inputs;
    TENON_RETURN_IF_ERROR(GetNodeAttr(call_, "Tin", &inputs));
    TENON_RETURN_IF_ERROR(GetNodeAttr(call_, "Tout", &result_types_));
    TENON_RETURN_IF_ERROR(CheckTypeList(inputs, body_.arg_types, "input", "argument"));
    TENON_RETURN_IF_ERROR(CheckTypeList(result_types_, body_.result_types, "output", "return"));
    std::size_t given = 0;
    for (const std::string& input : call_.input) given += StartsWith(input, "^") ? 0 : 1;
    if (given == inputs.size()) return OkStatus();
    return errors::InvalidArgument(FormatNodeForError(call_.name), " has ", given, " inputs, but its attr Tin has ",
                                   inputs.size(), " types");
  }
  Status CheckTypeList(const SlimVector<DataType>& node, const SlimVector<DataType>& function, std::string_view what,
                       std::string_view of_function) const {
    if (node.size() != function.size())
      return errors::InvalidArgument("Node ", what, "s do not match function ", of_function, "s: ", what,
                                     "s=", node.size(), " ", of_function, "s=", function.size(), "; function '",
                                     function_.signature.name, "', ", FormatNodeForError(call_.name));
    for (std::size_t i = 0; i < node.size(); ++i)
      if (BaseType(node[i]) != BaseType(function[i]))
        return errors::InvalidArgument("Node ", what, " type doesn't match function ", of_function, " type: ", node[i],
                                       " != ", function[i], " @ index=", i, "; function '", function_.signature.name,
                                       "', ", FormatNodeForError(call_.name));
    return OkStatus();
  }

  // The start of the names in the body: the name of the call, cut so that calls within calls have bounded names.
  std::string_view prefix() const { return std::string_view(call_.name).substr(0, 500); }
  // Name of a node around the body, as TensorFlow makes it.
  std::string NewName(std::string_view what) { return rewrite_.NewName(StrCat("Func/", prefix(), "/", what)); }

  // It lies with what makes its input, unless all of the body goes to the caller's device.
  std::string AddIdentity(std::string_view what, DataType type, const std::string& input) {
    NodeDef node = MakeNodeDef(NewName(what), "Identity", call_.device, {input});
    node.attr.Insert("T", AttrValue(BaseType(type)));
    const std::string resolved = rewrite_.Resolve(input);
    const std::string_view source = ParseTensorName(resolved).node;
    if (const int at = rewrite_.Find(source); at >= 0 && options_.device == InlinedDevice::kBody) {
      node.device = rewrite_.node(at).device;
      node.attr.Insert(std::string(kColocationAttr),
                       AttrValue(SlimVector<std::string>{StrCat(kColocationPrefix, source)}));
    }
    if (what == "input" && !input_control_.empty()) node.input.push_back(StrCat("^", input_control_));
    std::string name = node.name;
    rewrite_.Add(std::move(node));
    return name;
  }

  // An Identity for each argument, and a NoOp for all that the call waits for.
  void AddInputs() {
    SlimVector<std::string> data, control;
    for (const std::string& input : call_.input) (StartsWith(input, "^") ? control : data).push_back(input);
    if (!control.empty()) {
      input_control_ = NewName("input_control_node");
      rewrite_.Add(MakeNodeDef(input_control_, "NoOp", call_.device, std::move(control)));
    }
    for (std::size_t i = 0; i < body_.args.size(); ++i)
      names_.push_back(AddIdentity("input", body_.arg_types[i], data[i]));
  }

  struct BodyName {
    const FunctionInliner* self;
    std::string_view operator()(int i) const { return self->body_.graph.node[ToSize(i)].name; }
  };
  // The name in the graph of a tensor, or of a node ("^x"), of the body.
  std::string Mapped(std::string_view input) const {
    const TensorName name = ParseTensorName(input);
    const std::string& to = names_[ToSize(index_.Find(name.node, BodyName{this}))];
    return name.output == kControlSlot ? StrCat("^", to) : TensorNameOf(to, name.output);
  }

  void AddBody() {
    const SlimVector<NodeDef>& nodes = body_.graph.node;
    for (int i = 0; ToSize(i) < nodes.size(); ++i) {
      index_.Insert(nodes[ToSize(i)].name, i, BodyName{this});
      if (!IsArg(i)) names_.push_back(rewrite_.UniqueName(StrCat(prefix(), "/", nodes[ToSize(i)].name)));
      has_frames_ = has_frames_ || NeedsFrames(NodeClassOf(nodes[ToSize(i)].op));
    }
    for (int i = static_cast<int>(body_.args.size()); ToSize(i) < nodes.size(); ++i) {
      NodeDef node = nodes[ToSize(i)];
      node.name = names_[ToSize(i)];
      if (std::string frame; options_.uniquify_frame_names && TryGetNodeAttr(node, "frame_name", &frame))
        node.attr.Set("frame_name", StrCat(call_.name, "/", frame));
      node.device = DeviceOfBody(node.device);
      MapColocation(&node);
      bool data = false, control = false;
      for (std::string& input : node.input) {
        (StartsWith(input, "^") ? control : data) = true;
        input = Mapped(input);
      }
      // A node without inputs would run even if the call does not, and so would nodes inside a nested call.
      const bool free = (!data && !control) || (IsFunctionCall(node.op) && !control);
      if (!input_control_.empty() && free) node.input.push_back(StrCat("^", input_control_));
      rewrite_.Add(std::move(node));
    }
  }

  // The body's own, and what it leaves open from the caller.
  std::string DeviceOfBody(const std::string& device) const {
    if (options_.device == InlinedDevice::kCaller || device.empty()) return call_.device;
    DeviceName own, caller;
    if (!DeviceName::Parse(device, &own) || !DeviceName::Parse(call_.device, &caller)) return device;
    MergeUnset(&own, caller);
    return own.ToString();
  }

  // Groups named after a node of the body, or after an argument, get its new name.
  void MapColocation(NodeDef* node) const {
    AttrValue* groups = node->attr.Find(kColocationAttr);
    if (groups == nullptr || groups->list().s.empty()) return;
    for (std::string& entry : groups->mutable_list()->s) {
      if (!StartsWith(entry, kColocationPrefix)) continue;
      const int i = index_.Find(std::string_view(entry).substr(kColocationPrefix.size()), BodyName{this});
      if (i >= 0) entry = StrCat(kColocationPrefix, names_[ToSize(i)]);
    }
  }

  // An Identity for each result, a NoOp for what runs without one.
  void AddOutputs() {
    SlimVector<std::string> results;
    for (const FunctionGraph::Output& result : body_.results)
      results.push_back(AddIdentity("output", result.type, Mapped(TensorNameOf(result.node, result.index))));
    const std::string done = NewName("output_control_node");
    rewrite_.Add(MakeNodeDef(done, "NoOp", call_.device, WhatMustRun(results)));
    if (options_.keep_caller == KeepCaller::kNo) return rewrite_.Replace(caller_, std::move(results), {done});
    NodeDef kept = MakeNodeDef(call_.name, "NoOp", call_.device, {});
    if (options_.keep_caller == KeepCaller::kFetchable && !results.empty()) {
      kept.op = "IdentityN";
      kept.attr.Insert(std::string(kStandsForLoweredAttr), AttrValue(true));
      kept.attr.Insert("T", AttrValue(result_types_));
      kept.input = results;
    }
    kept.input.push_back(StrCat("^", done));
    rewrite_.ReplaceKeepingName(caller_, std::move(kept), std::move(results), {done});
  }

  // The control inputs of the node that stands for "the call has run". A function's side effects run although nobody
  // reads them, as they do when it is called; those inside of an old-style loop or branch are its own business.
  SlimVector<std::string> WhatMustRun(const SlimVector<std::string>& results) const {
    SlimVector<std::string> control;
    detail::NameIndex index;
    const auto name_of = [&control](int i) -> std::string_view { return control[ToSize(i)]; };
    const auto add = [&](std::string name) {
      if (index.Insert(name, static_cast<int>(control.size()), name_of) < 0) control.push_back(std::move(name));
    };
    if (options_.output_control == OutputControl::kDataOutputs) {
      for (const std::string& result : results) add(StrCat("^", result));
    } else {
      for (const std::string& node : body_.control_results) add(Mapped(StrCat("^", node)));
    }
    if (!has_frames_) {
      for (int i = static_cast<int>(body_.args.size()); ToSize(i) < names_.size(); ++i) {
        const OpView* op = ops_.registry().Find(body_.graph.node[ToSize(i)].op);
        if (op != nullptr && op->flags.is_stateful) add(StrCat("^", names_[ToSize(i)]));
      }
    }
    // Without any, it would run outside of the caller's loop or branch.
    if (control.empty() && !input_control_.empty()) add(StrCat("^", input_control_));
    return control;
  }

  const FunctionDef& function_;
  const FunctionIndex& functions_;
  OpInfoCache& ops_;
  const InlineOptions& options_;
  GraphRewrite& rewrite_;
  const int caller_;
  const NodeDef call_;  // a copy: adding nodes moves them
  FunctionGraph body_;
  SlimVector<DataType> result_types_;
  SlimVector<std::string> names_;  // per node of the body: its name in the graph
  detail::NameIndex index_;  // name -> node of the body
  std::string input_control_;  // "" when the call waits for nothing
  bool has_frames_ = false;
};

// Replaces the call `caller` (PartitionedCall or StatefulPartitionedCall) by the body of its function; only one level:
// calls in the body stay calls. The graph is unchanged when it fails. NotFound when the library has no such function;
// InvalidArgument when it is marked _noinline or its types are not the call's.
inline Status InlineFunctionCall(const FunctionIndex& functions, OpInfoCache* ops, int caller,
                                 const InlineOptions& options, GraphRewrite* rewrite) {
  const NodeDef& call = rewrite->node(caller);
  NameAttrList f;
  TENON_RETURN_IF_ERROR(GetNodeAttr(call, "f", &f));
  const FunctionDef* function = functions.Find(f.name);
  if (function == nullptr)
    return errors::NotFound("Function ", f.name, " is not defined: called by ", FormatNodeForError(call.name));
  return FunctionInliner(*function, functions, ops, options, caller, rewrite).Inline();
}
// Inlines a single call; makes the index and the cache for it.
inline Status InlineFunctionCall(const FunctionDefLibrary& library, const OpRegistry& registry, int caller,
                                 const InlineOptions& options, GraphRewrite* rewrite) {
  OpInfoCache ops(registry);
  return InlineFunctionCall(FunctionIndex(library), &ops, caller, options, rewrite);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
