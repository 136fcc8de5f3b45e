// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs for the fuzz runs of the ops: one call of any registered op with any inputs and attrs, or a recorded case with
// a few things changed.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/signature/spec_values.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "../conformance/golden/case_file.hpp"
#include "ops_choices.hpp"

namespace ops_fuzz {

using tenon::AttrKind;
using tenon::AttrList;
using tenon::AttrSpec;
using tenon::AttrValue;
using tenon::GraphBuilder;
using tenon::GraphDef;
using tenon::NodeDef;
using tenon::OpView;
using tenon::Output;
using tenon::StrCat;

// One run of a graph.
struct Call {
  GraphDef graph;
  std::vector<tenon::NamedTensor> feeds;
  std::vector<std::string> fetches, targets;
  std::string name;  // for reports
  bool repeats = false;  // the same every time: no state, no chance
};

// Ops that write files, wait for another thread, run for as long as their input says, or read the clock.
inline bool IsLeftOut(std::string_view op) {
  for (const std::string_view word :
       {"File", "Dequeue", "Enqueue", "Save", "Restore", "Checkpoint", "Barrier", "Stage", "stage", "MapPeek",
        "Timestamp", "Abort", "Print", "Accumulator", "Mutex", "Fact"}) {
    if (op.find(word) != std::string_view::npos) return true;
  }
  return op == "Batch" || op == "BatchFunction" || op == "Unbatch" || op == "UnbatchGrad";
}
inline bool MayLoop(std::string_view op) {  // a dataset that repeats without end is reduced without end
  return op == "ReduceDataset" || op == "While" || op == "StatelessWhile" || op == "For" || op == "NextIteration" ||
         op == "RefNextIteration";
}

// ----------------------------------------------------------------------------------------------------------- any call

// ExtractGlimpse draws its noise, and is not marked as stateful.
inline bool Repeats(const OpView& op) { return !op.flags.is_stateful && !op.name.starts_with("ExtractGlimpse"); }

class AnyCall {
 public:
  explicit AnyCall(Choices& choices) : choices_(choices) {}

  // `only`: the ops to choose from; empty: all.
  bool Make(const std::vector<std::string>& only, Call* call) {
    tenon::SlimVector<const OpView*> ops;
    for (const std::string& name : only) ops.push_back(tenon::Registry::Global().ops().Find(name));
    if (only.empty()) ops = tenon::Registry::Global().ops().ops();
    const OpView& op = *choices_.Of(ops);
    if (IsLeftOut(op.name) || MayLoop(op.name)) return false;
    call->name = std::string(op.name);
    call->repeats = Repeats(op);
    base_ = AnyShape(choices_);
    for (const AttrSpec& attr : op.attrs) Choose(attr);
    tenon::SlimVector<GraphBuilder::Input> inputs;
    for (const tenon::ArgSpec& arg : op.inputs) inputs.push_back(Argument(op, arg, call));
    std::vector<GraphBuilder::Attr> attrs;
    for (const auto& [name, value] : attrs_) attrs.emplace_back(name, value);
    const Output y = builder_.AddNode(op.name, "call", inputs, attrs);
    if (!builder_.status().ok()) return false;
    for (int i = 0; builder_.dtype(y[i]) != DataType::kInvalid; ++i)
      if (!tenon::IsRefType(builder_.dtype(y[i]))) call->fetches.push_back(StrCat("call:", i));
    call->targets.push_back("call");
    call->graph = builder_.graph_def();
    return true;
  }

 private:
  DataType AnyType(const AttrSpec& attr) {
    static constexpr DataType kUsual[] = {DataType::kFloat, DataType::kInt32, DataType::kInt64, DataType::kString,
                                          DataType::kBool,  DataType::kFloat, DataType::kUint8};
    for (int tries = 0; tries < 20; ++tries) {
      const DataType type = choices_.OneIn(12) ? static_cast<DataType>(1 + choices_.Below(23)) : choices_.Of(kUsual);
      if (attr.allowed_types.empty() || attr.allowed_types.contains(type)) return type;
    }
    return *attr.allowed_types.begin();
  }
  std::string Text(const AttrSpec& attr) {
    if (attr.allowed == tenon::AllowedForm::kStrings) {
      std::vector<std::string> allowed;
      for (tenon::AllowedReader reader(attr); reader.Next();) allowed.emplace_back(reader.string());
      return choices_.Of(allowed);
    }
    return AnyText(choices_);
  }
  std::size_t Length(const AttrSpec& attr) {
    return static_cast<std::size_t>(attr.minimum > 4 ? 4 : attr.minimum) + choices_.Below(5);
  }
  void Choose(const AttrSpec& attr) {
    if (attr.has_default && choices_.OneIn(2)) return;
    const auto set = [&](AttrValue value) { attrs_.emplace_back(std::string(attr.name()), std::move(value)); };
    if (!attr.is_list) {
      switch (attr.kind) {
        case AttrKind::kType: types_.emplace_back(attr.name(), AnyType(attr)); return set(types_.back().second);
        case AttrKind::kInt: {
          const std::int64_t value = IsLength(attr) ? static_cast<std::int64_t>(Length(attr)) : AnyInt(choices_);
          return set(value);
        }
        case AttrKind::kFloat: return set(AnyDouble(choices_));
        case AttrKind::kBool: return set(choices_.OneIn(2));
        case AttrKind::kString: return set(Text(attr));
        case AttrKind::kShape: return set(AnyPartialShape(choices_));
        case AttrKind::kTensor: return set(AnyTensor(DataType::kFloat, AnyShape(choices_), choices_));
        case AttrKind::kFunc: return set(tenon::NameAttrList{.name = "none", .attr = {}});
      }
    }
    AttrList list;
    for (std::size_t n = Length(attr); n > 0; --n) {
      switch (attr.kind) {
        case AttrKind::kType: list.type.push_back(AnyType(attr)); break;
        case AttrKind::kInt: list.i.push_back(AnyInt(choices_)); break;
        case AttrKind::kFloat: list.f.push_back(static_cast<float>(AnyDouble(choices_))); break;
        case AttrKind::kBool: list.b.push_back(choices_.OneIn(2)); break;
        case AttrKind::kString: list.s.push_back(Text(attr)); break;
        case AttrKind::kShape: list.shape.push_back(AnyPartialShape(choices_)); break;
        default: break;
      }
    }
    set(std::move(list));
  }
  // Whether the attr may count tensors; then it must stay small.
  static bool IsLength(const AttrSpec& attr) {
    return attr.has_minimum || attr.name() == "N" || tenon::StartsWith(attr.name(), "num");
  }

  DataType TypeOf(const OpView& op, const tenon::ArgSpec& arg, std::size_t i) {
    if (arg.type != DataType::kInvalid) return arg.type;
    const AttrSpec* attr = op.TypeAttr(arg);
    if (arg.is_type_list) {
      const AttrValue* value = Given(attr->name());
      return value != nullptr && i < value->list().type.size() ? value->list().type[i] : AnyType(*attr);
    }
    for (const auto& [name, type] : types_)
      if (name == attr->name()) return type;
    DataType type = AnyType(*attr);
    if (attr->has_default && choices_.OneIn(2)) {
      tenon::DefaultReader values(*attr);
      tenon::SpecValue value;
      if (values.Next(&value)) type = value.type;
    }
    types_.emplace_back(attr->name(), type);
    attrs_.emplace_back(std::string(attr->name()), AttrValue(type));
    return type;
  }
  const AttrValue* Given(std::string_view name) const {
    for (const auto& attr : attrs_)
      if (attr.first == name) return &attr.second;
    return nullptr;
  }
  GraphBuilder::Input Argument(const OpView& op, const tenon::ArgSpec& arg, Call* call) {
    if (!arg.is_list()) return One(TypeOf(op, arg, 0), arg.is_ref, call);
    std::size_t count = choices_.Below(5);
    if (const AttrSpec* number = op.NumberAttr(arg)) {
      if (const AttrValue* value = Given(number->name()))
        count = static_cast<std::size_t>(value->i());
      else if (count == 0)
        count = 1;
    } else if (const AttrValue* value = Given(op.TypeAttr(arg)->name())) {
      count = value->list().type.size();
    }
    tenon::SlimVector<Output> list;
    for (std::size_t i = 0; i < count && i < 16; ++i) list.push_back(One(TypeOf(op, arg, i), arg.is_ref, call));
    return list;
  }
  Output One(DataType type, bool is_ref, Call* call) {
    const std::string name = StrCat("x", made_++);
    if (is_ref) return Variable(name, type, call);
    if (type == DataType::kResource) return Handle(name, call);
    if (type == DataType::kVariant) return List(name);
    return Value(name, AnyTensor(type, Shape(), choices_), call);
  }
  TensorShape Shape() {
    switch (choices_.Below(6)) {
      case 0: return AnyShape(choices_);
      case 1: return NearShape(base_, choices_);
      case 2: return TensorShape({static_cast<Index>(choices_.Below(5))});
      case 3: return {};
      default: return base_;
    }
  }
  Output Value(const std::string& name, Tensor tensor, Call* call) {
    if (choices_.OneIn(3)) return builder_.Const(name, std::move(tensor));
    call->feeds.push_back({name + ":0", tensor});
    return builder_.Placeholder(
        name, tensor.dtype(),
        choices_.OneIn(2) ? tenon::PartialTensorShape(tensor.shape()) : tenon::PartialTensorShape());
  }
  Output Variable(const std::string& name, DataType type, Call* call) {
    const Tensor value = AnyTensor(type, Shape(), choices_);
    const Output variable = builder_.Add("VariableV2", name, {}, {{"dtype", type}, {"shape", value.shape()}});
    const Output assign = builder_.Add("Assign", name + "_is", {variable, Value(name + "_value", value, call)});
    before_.push_back(assign);
    call->repeats = false;
    return builder_.Add("RefIdentity", name + "_ref", {assign});
  }
  Output Handle(const std::string& name, Call* call) {
    const Tensor value = AnyTensor(choices_.OneIn(2) ? DataType::kFloat : DataType::kInt32, Shape(), choices_);
    const Output handle = builder_.Add("VarHandleOp", name, {},
                                       {{"dtype", value.dtype()}, {"shape", value.shape()}, {"shared_name", name}});
    const Output assign = builder_.Add("AssignVariableOp", name + "_is", {handle, Value(name + "_value", value, call)});
    const Output ready = builder_.Add("Identity", name + "_ready", {handle});
    builder_.AddControlInput(ready, assign);
    call->repeats = false;
    return ready;
  }
  Output List(const std::string& name) {
    const Tensor value = AnyTensor(choices_.OneIn(2) ? DataType::kFloat : DataType::kInt32, Shape(), choices_);
    const Output shape = builder_.Const(name + "_shape", Tensor::Scalar<std::int32_t>(-1));
    return builder_.Add("TensorListFromTensor", name, {builder_.Const(name + "_value", value), shape});
  }

  Choices& choices_;
  GraphBuilder builder_;
  TensorShape base_;  // many inputs have it, or nearly
  int made_ = 0;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<std::pair<std::string_view, DataType>> types_;
  std::vector<Output> before_;
};

// ------------------------------------------------------------------------------------------------- a case, changed

// Whether a recorded case has one of these ops; none means any.
inline bool HasOneOf(const std::vector<std::string>& ops, const golden::Case& c) {
  if (ops.empty()) return true;
  const tenon::Result<GraphDef> graph = tenon::ParseGraphDef(tenon::wire::AsBytes(c.graph));
  if (!graph.ok()) return false;
  for (const NodeDef& node : graph->node)
    if (std::find(ops.begin(), ops.end(), node.op) != ops.end()) return true;
  return false;
}

// A recorded case that runs to its end whatever becomes of its values.
inline bool IsBounded(const GraphDef& graph) {
  const auto fine = [](const NodeDef& node) { return !IsLeftOut(node.op) && !MayLoop(node.op); };
  for (const NodeDef& node : graph.node)
    if (!fine(node)) return false;
  for (const tenon::FunctionDef& function : graph.library.function)
    for (const NodeDef& node : function.node_def)
      if (!fine(node)) return false;
  return true;
}

inline void ChangeAttr(AttrValue* value, Choices& choices) {
  using Kind = AttrValue::Kind;
  switch (value->kind()) {
    case Kind::kInt: *value = AttrValue(AnyInt(choices)); return;
    case Kind::kFloat: *value = AttrValue(AnyDouble(choices)); return;
    case Kind::kBool: *value = AttrValue(!value->b()); return;
    case Kind::kString: *value = AttrValue(AnyText(choices)); return;
    case Kind::kShape: *value = AttrValue(AnyPartialShape(choices)); return;
    case Kind::kTensor: *value = AttrValue(Changed(value->tensor(), choices)); return;
    case Kind::kList: {
      AttrList list = value->list();
      if (!list.i.empty()) list.i[choices.Below(list.i.size())] = AnyInt(choices);
      if (!list.f.empty()) list.f[choices.Below(list.f.size())] = static_cast<float>(AnyDouble(choices));
      if (!list.i.empty() && choices.OneIn(4)) list.i.push_back(AnyInt(choices));
      if (!list.i.empty() && choices.OneIn(4)) list.i.pop_back();
      if (!list.shape.empty()) list.shape[choices.Below(list.shape.size())] = AnyPartialShape(choices);
      *value = AttrValue(std::move(list));
      return;
    }
    default: return;
  }
}

// One size of a fed tensor becomes 0 and another one something large in all that is fed, so that they fit each other
// as before: empty tensors which the op's own checks let through.
inline void MakeHugeAndEmpty(Call* call, GraphDef* graph, Choices& choices) {
  if (call->feeds.empty()) return;
  const TensorShape& model = choices.Of(call->feeds).tensor.shape();
  if (model.dims() == 0) return;
  const Index none = choices.Of(model.dim_sizes()), many = choices.Of(model.dim_sizes()), size = HugeSize(choices);
  const bool in_values = choices.OneIn(2);
  const auto changed = [&](Index from) { return from == none ? 0 : from == many ? size : from; };
  for (tenon::NamedTensor& feed : call->feeds) {
    const Tensor& t = feed.tensor;
    if (!tenon::IsPlain(t.dtype()) && t.dtype() != DataType::kString) continue;
    if (in_values && t.dims() == 1 && (t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64)) {
      Tensor values = t.DeepCopy();
      for (Index i = 0; i < values.NumElements(); ++i) {
        if (t.dtype() == DataType::kInt64)
          values.data<std::int64_t>()[i] = changed(values.data<std::int64_t>()[i]);
        else
          values.data<std::int32_t>()[i] = static_cast<std::int32_t>(changed(values.data<std::int32_t>()[i]));
      }
      feed.tensor = std::move(values);
      continue;
    }
    TensorShape shape;
    bool made = true;
    for (const Index from : t.shape()) made = made && shape.AddDimWithStatus(changed(from)).ok();
    if (made && shape.num_elements() <= kMostElements) feed.tensor = AnyTensor(t.dtype(), shape, choices);
  }
  const bool known = choices.OneIn(2);
  for (NodeDef& node : graph->node) {
    if (node.op != "Placeholder") continue;
    tenon::PartialTensorShape shape;
    for (const tenon::NamedTensor& feed : call->feeds)
      if (known && (feed.name == node.name || feed.name == node.name + ":0"))
        shape = tenon::PartialTensorShape(feed.tensor.shape());
    node.attr.Set("shape", AttrValue(shape));
  }
}

inline bool MakeFromCase(const golden::Case& c, Choices& choices, Call* call) {
  tenon::Result<GraphDef> graph = tenon::ParseGraphDef(tenon::wire::AsBytes(c.graph));
  if (!graph.ok() || graph->node.empty() || c.step.empty() || !IsBounded(*graph)) return false;
  const golden::Step& step = choices.Of(c.step);
  call->name = c.name;
  for (const golden::NamedBytes& feed : step.feed) {
    auto tensor = tenon::TensorFromProto(tenon::wire::AsBytes(feed.bytes), nullptr);
    if (!tensor.ok()) return false;
    call->feeds.push_back({feed.name, *tensor});
  }
  for (const golden::NamedBytes& fetch : step.fetch) call->fetches.push_back(fetch.name);
  call->targets = step.target;
  if (call->fetches.empty() && call->targets.empty()) {  // the call fails, and nothing of it is wanted
    call->targets.push_back(graph->node[graph->node.size() - 1].name);
  }
  std::uint64_t changes = 1 + choices.Below(3);
  if (choices.OneIn(8)) {
    MakeHugeAndEmpty(call, &*graph, choices);
    changes = choices.Below(2);
  }
  for (; changes > 0; --changes) {
    if (!call->feeds.empty() && choices.OneIn(3)) {
      Tensor& feed = call->feeds[choices.Below(call->feeds.size())].tensor;
      feed = Changed(feed, choices);
      continue;
    }
    NodeDef& node = graph->node[choices.Below(graph->node.size())];
    if (node.op == "Const") {
      if (AttrValue* value = node.attr.Find("value")) ChangeAttr(value, choices);
    } else if (node.op == "Placeholder") {
      node.attr.Set("shape", AttrValue(tenon::PartialTensorShape()));  // so that feeds of any shape get further
    } else if (!node.attr.empty()) {
      const std::string name =
          (node.attr.begin() + static_cast<std::ptrdiff_t>(choices.Below(node.attr.size())))->first;
      ChangeAttr(node.attr.Find(name), choices);
    }
  }
  call->repeats = true;
  for (const NodeDef& node : graph->node) {
    const OpView* op = tenon::Registry::Global().ops().Find(node.op);
    if (op == nullptr || !Repeats(*op)) call->repeats = false;
  }
  call->graph = *std::move(graph);
  return true;
}

}  // namespace ops_fuzz
