// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoweredNodes: what the lowerings of If, Case, While and For share: adding nodes in the place of the one that is
// lowered.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/rewrite.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline constexpr std::string_view kLowerAsMultiDeviceFunctionAttr = "_lower_as_multi_device_function";

// One node being lowered; the lowerings derive from this. one thread.
class LoweredNodes {
 public:
  // Node i of `rewrite`; `keep` says what stays under its name.
  LoweredNodes(GraphRewrite* rewrite, int i, KeepCaller keep)
      : rewrite_(*rewrite), number_(i), keep_(keep), node_(rewrite->node(i)) {
    for (const std::string& input : node_.input) (StartsWith(input, "^") ? control_ : data_).push_back(input);
  }
  // False as long as the node is what it was.
  bool replaced() const { return replaced_; }

 protected:
  std::string NewName(std::string_view part) { return rewrite_.NewName(StrCat(node_.name, "/", part)); }

  // These give the name of the node that they add.
  std::string Add(NodeDef node) {
    std::string name = node.name;
    rewrite_.Add(std::move(node));
    return name;
  }
  std::string Add(std::string name, std::string_view op, std::string_view device, SlimVector<std::string> inputs,
                  DataType type) {
    NodeDef node = MakeNodeDef(std::move(name), op, device, std::move(inputs));
    node.attr.Insert("T", AttrValue(type));
    return Add(std::move(node));
  }
  std::string AddMerge(std::string name, std::string_view device, SlimVector<std::string> inputs, DataType type,
                       const SlimVector<std::string>& control = {}) {
    NodeDef node = MakeNodeDef(std::move(name), "Merge", device, {});
    node.attr.Insert("N", AttrValue(static_cast<std::int64_t>(inputs.size())));
    node.attr.Insert("T", AttrValue(type));
    node.input = std::move(inputs);
    for (const std::string& before : control) node.input.push_back(StrCat("^", before));
    return Add(std::move(node));
  }
  // A call of a branch or of a loop's function, to be inlined in its turn.
  std::string AddCall(std::string_view part, const NameAttrList& f, SlimVector<std::string> inputs,
                      const SlimVector<DataType>& in, const SlimVector<DataType>& out, const std::string& control) {
    NodeDef call =
        MakeNodeDef(NewName(part), StartsWith(node_.op, "Stateless") ? "PartitionedCall" : "StatefulPartitionedCall",
                    node_.device, std::move(inputs));
    call.input.push_back(StrCat("^", control));
    call.attr.Insert("Tin", AttrValue(in));
    call.attr.Insert("Tout", AttrValue(out));
    call.attr.Insert("f", AttrValue(f));
    call.attr.Insert(std::string(kLowerAsMultiDeviceFunctionAttr), AttrValue(true));
    call.attr.Insert(std::string(kDirectCallAttr), AttrValue(true));
    return Add(std::move(call));
  }

  // The node that makes a tensor, by its name.
  std::string SourceOf(std::string_view input) const {
    return std::string(ParseTensorName(rewrite_.Resolve(input)).node);
  }
  std::string DeviceOf(std::string_view node) const {
    const int at = rewrite_.Find(node);
    return at < 0 ? std::string() : rewrite_.node(at).device;
  }

  // Puts `outputs` into the place of the node, and what keeps its name there for those who know it.
  void Finish(const SlimVector<DataType>& types, const SlimVector<std::string>& outputs, const std::string& executed) {
    replaced_ = true;
    if (keep_ == KeepCaller::kNo) return rewrite_.Replace(number_, outputs, {executed});
    NodeDef kept = MakeNodeDef(node_.name, "NoOp", node_.device, {});
    if (keep_ == KeepCaller::kFetchable && !outputs.empty()) {
      kept.op = "IdentityN";
      kept.attr.Insert(std::string(kStandsForLoweredAttr), AttrValue(true));
      kept.attr.Insert("T", AttrValue(types));
      kept.input = outputs;
    }
    kept.input.push_back(StrCat("^", executed));
    rewrite_.ReplaceKeepingName(number_, std::move(kept), outputs, {executed});
  }

  GraphRewrite& rewrite_;
  const int number_;
  const KeepCaller keep_;
  const NodeDef node_;  // a copy: adding nodes moves them
  SlimVector<std::string> data_, control_;  // inputs
  bool replaced_ = false;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
