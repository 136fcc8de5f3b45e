// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoopLowering: While and For become a frame of Enter, Merge, Switch, Exit and NextIteration nodes with calls in it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/lowered_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// one thread.
class LoopLowering final : public LoweredNodes {
 public:
  using LoweredNodes::LoweredNodes;

  // As TensorFlow does it. The node stays when no variable goes round, when the condition is no bool, or when its
  // number of parallel iterations is none.
  Status LowerWhile(const FunctionIndex& functions) {
    SlimVector<DataType> types;
    NameAttrList cond, body;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "T", &types));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "cond", &cond));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "body", &body));
    static_cast<void>(TryGetNodeAttr(node_, "parallel_iterations", &parallel_iterations_));
    for (std::size_t k = 0; k < types.size(); ++k) AddVariable(data_[k], types[k]);
    if (FirstThatGoesRound() == nullptr || parallel_iterations_ < 1 ||
        parallel_iterations_ > std::numeric_limits<std::int32_t>::max() || !IsPredicate(functions, cond))
      return OkStatus();

    AddEnters();
    AddMerges();
    // The control edge puts what has no inputs in `cond` into the loop's frame.
    const std::string test =
        AddCall("cond", cond, NamesOf(&Variable::merge), types, {DataType::kBool}, FirstThatGoesRound()->merge);
    const std::string start = AddSwitches(test);
    const std::string work = AddCall("body", body, NamesOf(&Variable::inside), types, types, start);
    for (std::size_t k = 0; k < variables_.size(); ++k)
      AddNext(variables_[k], TensorNameOf(work, static_cast<int>(k)), work);
    const std::string executed = AddExecuted();
    Finish(types, NamesOf(&Variable::exit), executed);
    return OkStatus();
  }

  // TensorFlow has no such lowering, but functions that make a While of a For; this is the loop they make, with a
  // counter of 64 bits, which no limit overflows:
  //
  //   for (int64 i = start; i != end; i += delta) inputs = body(int32(i), inputs...);
  //
  // The node stays when `registry` lacks an op that this takes.
  Status LowerFor(const OpRegistry& registry) {
    SlimVector<DataType> types;
    NameAttrList body;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "T", &types));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "body", &body));
    for (const std::string_view op :
         {"AddV2", "Assert", "Cast", "Const", "Equal", "FloorMod", "Less", "LogicalOr", "Mul", "NotEqual", "Sub"})
      if (registry.Find(op) == nullptr) return OkStatus();

    const Range range = AddRange();
    AddVariable(range.start, kCounter);
    for (std::size_t k = 0; k < types.size(); ++k) AddVariable(data_[k + 3], types[k]);
    control_ = {StrCat("^", range.check)};  // which waits for those of the node
    AddEnters();
    AddMerges();
    const std::string end = AddEnter(range.end, kCounter, true), delta = AddEnter(range.delta, kCounter, true);
    const std::string start = AddSwitches(Arithmetic("cond", "NotEqual", {variables_[0].merge, end}));
    SlimVector<std::string> args = NamesOf(&Variable::inside);
    SlimVector<DataType> arg_types = types;
    arg_types.insert(arg_types.begin(), DataType::kInt32);
    const std::string next = Arithmetic("increment", "AddV2", {args[0], delta});
    args[0] = AddCast("index", args[0], kCounter, DataType::kInt32);
    const std::string work = AddCall("body", body, std::move(args), arg_types, types, start);
    AddNext(variables_[0], next, work);
    for (std::size_t k = 0; k < types.size(); ++k)
      AddNext(variables_[k + 1], TensorNameOf(work, static_cast<int>(k)), work);
    FinishFor(types);
    return OkStatus();
  }

 private:
  static constexpr DataType kCounter = DataType::kInt64;

  // Names of nodes and tensors. A resource only enters: it is the same in all iterations.
  struct Variable {
    std::string data;
    DataType type;
    std::string enter, merge, inside, exit;
    std::string next;  // name of a node that is added last
    bool goes_round() const { return type != DataType::kResource; }
  };
  // Range of a For: tensors of type kCounter, and the node that fails when the three do not fit.
  struct Range {
    std::string start, end, delta, check;
  };

  void AddVariable(std::string data, DataType type) {
    variables_.push_back({std::move(data), type, "", "", "", "", ""});
  }
  SlimVector<std::string> NamesOf(std::string Variable::* member) const {
    SlimVector<std::string> names;
    for (const Variable& v : variables_) names.push_back(v.*member);
    return names;
  }
  const Variable* FirstThatGoesRound() const {
    for (const Variable& v : variables_)
      if (v.goes_round()) return &v;
    return nullptr;
  }
  // A LoopCond takes a bool.
  static bool IsPredicate(const FunctionIndex& functions, const NameAttrList& cond) {
    const FunctionDef* function = functions.Find(cond.name);
    if (function == nullptr || function->signature.output_arg.size() != 1) return false;
    SlimVector<DataType> types;
    return detail::TypesOfArg(function->signature, function->signature.output_arg[0], cond.attr, &types).ok() &&
           types == SlimVector<DataType>{DataType::kBool};
  }

  std::string AddEnter(const std::string& data, DataType type, bool constant) {
    NodeDef enter = MakeNodeDef(NewName("enter"), "Enter", DeviceOf(SourceOf(data)), {data});
    if (!before_.empty()) enter.input.push_back(StrCat("^", before_));
    enter.attr.Insert("T", AttrValue(BaseType(type)));
    enter.attr.Insert("frame_name", AttrValue(node_.name));
    enter.attr.Insert("parallel_iterations", AttrValue(parallel_iterations_));
    if (constant) enter.attr.Insert("is_constant", AttrValue(true));
    return Add(std::move(enter));
  }
  void AddEnters() {
    if (!control_.empty()) before_ = Add(MakeNodeDef(NewName("LoopControlInputs"), "NoOp", node_.device, control_));
    for (Variable& v : variables_) v.enter = AddEnter(v.data, v.type, !v.goes_round());
  }
  void AddMerges() {
    for (Variable& v : variables_) {
      v.merge = v.enter;
      if (!v.goes_round()) continue;
      v.next = NewName("next_iteration");
      v.merge = AddMerge(NewName("merge"), DeviceOf(v.enter), {v.enter, v.next}, BaseType(v.type));
    }
  }
  // A Switch for each variable that goes round, its Exit, and what the body gets. Returns the node that starts the
  // body.
  std::string AddSwitches(const std::string& test) {
    const std::string more = Add(MakeNodeDef(NewName("LoopCond"), "LoopCond", node_.device, {test}));
    std::string start;
    for (Variable& v : variables_) {
      if (!v.goes_round()) {
        v.inside = v.enter;
        v.exit = v.data;
        continue;
      }
      const DataType type = BaseType(v.type);
      const std::string device = DeviceOf(v.merge);
      const std::string name =
          Add(NewName(StrCat(SourceOf(v.data), "_switch")), "Switch", device, {v.merge, more}, type);
      v.inside = TensorNameOf(name, 1);
      v.exit = Add(NewName("exit"), "Exit", device, {name}, type);
      if (start.empty()) start = Add(NewName("loop_body_control"), "Identity", node_.device, {v.inside}, type);
    }
    return start;
  }
  // The next iteration begins when all of this one's body has run.
  void AddNext(const Variable& v, const std::string& value, const std::string& work) {
    if (v.goes_round()) Add(v.next, "NextIteration", DeviceOf(v.merge), {value, StrCat("^", work)}, BaseType(v.type));
  }
  // A node that waits for the loop waits for all exits.
  std::string AddExecuted() {
    NodeDef executed = MakeNodeDef(NewName("LoopExecuted"), "NoOp", node_.device, {});
    for (const Variable& v : variables_)
      if (v.goes_round()) executed.input.push_back(StrCat("^", v.exit));
    return Add(std::move(executed));
  }

  // ---- For
  std::string Arithmetic(std::string_view part, std::string_view op, SlimVector<std::string> inputs) {
    return Add(NewName(part), op, node_.device, std::move(inputs), kCounter);
  }
  std::string AddCast(std::string_view part, const std::string& input, DataType from, DataType to) {
    NodeDef cast = MakeNodeDef(NewName(part), "Cast", node_.device, {input});
    cast.attr.Insert("SrcT", AttrValue(from));
    cast.attr.Insert("DstT", AttrValue(to));
    return Add(std::move(cast));
  }
  // In the frame of `beside`, which may be one of a loop around this one.
  std::string AddConst(std::string_view part, Tensor value, const std::string& beside) {
    NodeDef constant = MakeNodeDef(NewName(part), "Const", node_.device, {StrCat("^", beside)});
    constant.attr.Insert("dtype", AttrValue(value.dtype()));
    constant.attr.Insert("value", AttrValue(std::move(value)));
    return Add(std::move(constant));
  }

  // The range is right when start == limit, or when delta leads from start towards limit:
  // (start - limit) * delta < 0, which fits 64 bits. `end` is the first of start, start + delta, ... that is not before
  // the limit: limit + FloorMod(start - limit, delta), with 1 for a delta of 0.
  Range AddRange() {
    Range range;
    range.start = AddCast("start", data_[0], DataType::kInt32, kCounter);
    range.delta = AddCast("delta", data_[2], DataType::kInt32, kCounter);
    const std::string limit = AddCast("limit", data_[1], DataType::kInt32, kCounter);
    const std::string zero = AddConst("zero", Tensor::Scalar(std::int64_t{0}), range.start);
    const std::string way = Arithmetic("way", "Sub", {range.start, limit});
    const std::string empty = Arithmetic("is_empty", "Equal", {way, zero});
    const std::string towards =
        Arithmetic("leads_there", "Less", {Arithmetic("sign", "Mul", {way, range.delta}), zero});
    const std::string right = Add(MakeNodeDef(NewName("is_right"), "LogicalOr", node_.device, {empty, towards}));
    range.check = AddCheck(right, range.start);
    const std::string no_step = Arithmetic("is_zero", "Equal", {range.delta, zero});
    const std::string step =
        Arithmetic("step", "AddV2", {range.delta, AddCast("or_one", no_step, DataType::kBool, kCounter)});
    range.end = Arithmetic("end", "AddV2", {limit, Arithmetic("past_limit", "FloorMod", {way, step})});
    return range;
  }
  // Fails as the kernel does, and waits for what the node waits for.
  std::string AddCheck(const std::string& right, const std::string& beside) {
    const std::string text = AddConst("error", Tensor::Scalar(tstring("Invalid start/limit/delta:")), beside);
    NodeDef check = MakeNodeDef(NewName("check"), "Assert", node_.device, {right, text, data_[0], data_[1], data_[2]});
    check.attr.Insert(
        "T", AttrValue(SlimVector<DataType>{DataType::kString, DataType::kInt32, DataType::kInt32, DataType::kInt32}));
    check.input.append(control_.begin(), control_.end());
    return Add(std::move(check));
  }
  // A resource that comes out of the loop is there when the loop is over: the body's last writes have been made.
  void FinishFor(const SlimVector<DataType>& types) {
    const std::string executed = AddExecuted();
    for (Variable& v : variables_)
      if (!v.goes_round())
        v.exit = Add(NewName("exit"), "Identity", DeviceOf(SourceOf(v.data)), {v.data, StrCat("^", executed)}, v.type);
    SlimVector<std::string> outputs = NamesOf(&Variable::exit);
    outputs.erase(outputs.begin());  // the counter
    Finish(types, outputs, executed);
  }

  SlimVector<Variable> variables_;
  std::string before_;  // what the Enter nodes wait for; "": for nothing
  std::int64_t parallel_iterations_ = 10;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
