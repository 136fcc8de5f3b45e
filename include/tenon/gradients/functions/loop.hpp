// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of While. The forward loop also counts its iterations, unless a variable does, and keeps, in a TensorList
// each, the tensors that the gradient of its body reads. A second loop runs backward and takes them from the ends of
// the lists. It counts back to the first value of the forward counter. Shapes and other cheap values are computed
// again.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/gradients/function_derivation.hpp>
#include <tenon/gradients/function_writer.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/raise_loops.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/call.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

class LoopGradient {
 public:
  explicit LoopGradient(G* g) : g_(*g), count_(g->num_inputs()) {}

  Status Make() {
    TENON_RETURN_IF_ERROR(DeriveBody());
    ChooseCarried();
    SetUnreached();
    if (carried_.empty()) return OkStatus();
    TENON_RETURN_IF_ERROR(ChooseSaved());
    TENON_RETURN_IF_ERROR(WriteForward());
    return WriteBackward();
  }

 private:
  void SetUnreached() {
    if (g_.bool_attr(kRaisedLoopAttr)) return;
    for (int i = 0; i < count_; ++i) {
      const DataType type = g_.input(i).dtype();
      const bool trains = Trains(g_.editor(), g_.input(i).edge()) && type != DataType::kResource;
      if (reached_[ToSize(i)] == 0 && g_.needs(i) && trains) g_.set(i, g_.ZerosLike(g_.input(i)));
    }
  }

  // A loop variable whose gradient the backward loop carries.
  struct Carried {
    int variable;
    InEdge before, after;  // in the backward body: the gradient of the result, and that of the argument
  };
  // A tensor of the forward body that is kept for each iteration.
  struct Saved {
    InEdge tensor;
    DataType type;
    PartialTensorShape shape;
    Symbol list, pushed;  // in the forward body
  };

  Status DeriveBody() {
    SlimVector<InEdge> inputs;
    SlimVector<PartialTensorShape> shapes;
    for (int i = 0; i < count_; ++i) {
      inputs.push_back(g_.input(i).edge());
      shapes.push_back(g_.output(i).shape());
    }
    TENON_RETURN_IF_ERROR(body_.Import(g_.editor(), g_.attr("body").func(), inputs, shapes));
    if (body_.results().size() != ToSize(count_))
      return errors::InvalidArgument("Function '", body_.name(), "' has ", body_.results().size(),
                                     " results, but the loop has ", count_, " variables");
    FindReached();
    const SlimVector<char> wanted = FindWanted();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] == 0) reached_[i] = 0;
    return body_.Derive(g_.functions(), reached_, wanted);
  }
  // Variables that a needed input has a part in, at once or through the body. No other gradient is read.
  SlimVector<char> FindWanted() {
    const Graph& graph = body_.graph();
    SlimVector<char> wanted(ToSize(count_), 0), seen(ToSize(graph.num_nodes()), 0);
    SlimVector<int> stack;
    const auto want = [&](int i) {
      if (std::exchange(wanted[ToSize(i)], 1) != 0) return;
      const int arg = body_.args()[ToSize(i)].node;
      if (std::exchange(seen[ToSize(arg)], 1) == 0) stack.push_back(arg);
    };
    for (int i = 0; i < count_; ++i)
      if (g_.needs(i)) want(i);
    while (!stack.empty()) {
      const Node& node = graph.node(stack.back());
      stack.pop_back();
      for (const OutEdge& edge : node.outputs)
        if (edge.input != kControlSlot && Trains(body_.editor(), {node.id, edge.output}) &&
            std::exchange(seen[ToSize(edge.node)], 1) == 0)
          stack.push_back(edge.node);
      for (int i = 0; i < count_; ++i)
        if (body_.results()[ToSize(i)].node == node.id) want(i);
    }
    return wanted;
  }
  // Variables that have a gradient: those of outputs with one, and in turn all that these depend on through the body.
  void FindReached() {
    const Graph& graph = body_.graph();
    SlimVector<int> variable_of(ToSize(graph.num_nodes()), -1);
    for (int i = 0; i < count_; ++i) variable_of[ToSize(body_.args()[ToSize(i)].node)] = i;
    reached_.resize(ToSize(count_), 0);
    SlimVector<char> seen(ToSize(graph.num_nodes()), 0);
    SlimVector<int> stack;
    const auto visit = [&](InEdge edge) {
      if (edge.node >= 0 && Trains(body_.editor(), edge) && std::exchange(seen[ToSize(edge.node)], 1) == 0)
        stack.push_back(edge.node);
    };
    const auto reach = [&](int i) {
      const InEdge result = body_.results()[ToSize(i)];
      const DataType type = body_.TypeOf(result);
      if (!Trains(body_.editor(), result) || type == DataType::kResource || std::exchange(reached_[ToSize(i)], 1) != 0)
        return;
      visit(result);
    };
    for (int i = 0; i < count_; ++i)
      if (g_.has_grad(i)) reach(i);
    while (!stack.empty()) {
      const int id = stack.back();
      stack.pop_back();
      if (variable_of[ToSize(id)] >= 0) reach(variable_of[ToSize(id)]);
      for (const InEdge& edge : graph.node(id).inputs)
        if (edge.node >= 0) visit(edge);
    }
  }
  bool IsInvariant(int i) const { return body_.results()[ToSize(i)] == body_.args()[ToSize(i)]; }

  void ChooseCarried() {
    GraphEditor& editor = body_.editor();
    for (int i = 0; i < count_; ++i) {
      const InEdge arg = body_.args()[ToSize(i)];
      TensorGradient gradient = body_.gradients()[ToSize(i)];
      const InEdge before = body_.grad_args()[ToSize(i)];
      // An invariant of a raised loop that only passes through has no gradient.
      if (before.node >= 0 && gradient.dense == before && IsInvariant(i) && !g_.has_grad(i) &&
          g_.bool_attr(kRaisedLoopAttr))
        continue;
      if (before.node >= 0) {
        const Symbol after = gradient ? DenseOf(editor, gradient) : body_.ZerosLike(arg);
        carried_.push_back({i, before, after.edge()});
      } else if (gradient && IsInvariant(i) && body_.TypeOf(arg) == DataType::kResource) {
        const Symbol more = DenseOf(editor, gradient);
        const Symbol sum = body_.AddArg(more.dtype(), body_.GradientShape(arg));
        carried_.push_back({i, sum.edge(), (sum + more).edge()});
      }
    }
    for (int i = 0; i < count_ && counting_ < 0; ++i)
      if (Counts(i)) counting_ = i;
    counter_ = body_.AddArg(DataType::kInt32, PartialTensorShape(TensorShape()));
  }
  // Whether variable i counts the iterations from a first value on, which only a run knows: 1 more each time, or 1
  // less.
  bool Counts(int i) {
    if (g_.input(i).dtype() != DataType::kInt32 || g_.output(i).shape().dims() != 0) return false;
    Tensor step;
    const Graph& graph = body_.graph();
    const auto source = [&graph](InEdge edge) {
      while (graph.node(edge.node).node_class == NodeClass::kIdentity) edge = graph.node(edge.node).input(0);
      return edge;
    };
    const InEdge next = source(body_.results()[ToSize(i)]), arg = body_.args()[ToSize(i)];
    const Node& add = graph.node(next.node);
    if (add.op_name() != "AddV2" && add.op_name() != "Add") return false;
    for (int side = 0; side < 2; ++side)
      if (source(add.input(side)) == arg && body_.editor().Value(body_.editor().At(add.input(1 - side)), &step) &&
          step.dims() == 0)
        step_ = step.scalar<std::int32_t>()();
    return step_ == 1 || step_ == -1;
  }
  // Variables that the forward loop gets before the lists: a counter, unless it has one.
  int added() const { return counting_ < 0 ? 1 : 0; }

  Status ChooseSaved() {
    SlimVector<InEdge> results;
    for (const Carried& carried : carried_) results.push_back(carried.after);
    body_.FindCaptured(results);
    body_.CapturePredicates();
    invariant_.resize(ToSize(count_), 0);
    for (const InEdge arg : body_.captured_args()) {
      const int number = NumberOf(arg);
      if (IsInvariant(number))
        UseInvariant(number);
      else if (number != counting_)
        TENON_RETURN_IF_ERROR(Save(arg));
    }
    SlimVector<InEdge> cheap;
    for (const InEdge edge : body_.captured()) {
      if (body_.IsCheap(edge))
        cheap.push_back(edge);
      else
        TENON_RETURN_IF_ERROR(Save(edge));
    }
    for (const InEdge edge : cheap)
      if (!Recompute(edge)) TENON_RETURN_IF_ERROR(Save(edge));
    return body_.editor().status();
  }
  int NumberOf(InEdge arg) const {
    int number = 0;
    while (!(body_.args()[ToSize(number)] == arg)) ++number;
    return number;
  }
  void UseInvariant(int number) {
    if (std::exchange(invariant_[ToSize(number)], 1) == 0) invariants_.push_back(number);
  }
  // Lets the backward loop compute a tensor again from constants, invariants, its counter and what is saved. False: it
  // cannot, or that takes many nodes.
  bool Recompute(InEdge wanted) {
    constexpr std::size_t kMostNodes = 8;
    const Graph& graph = body_.graph();
    SlimVector<int> nodes{wanted.node}, used;
    for (std::size_t next = 0; next < nodes.size(); ++next) {
      if (nodes.size() > kMostNodes) return false;
      for (const InEdge& edge : graph.node(nodes[next]).inputs) {
        const NodeClass node_class = graph.node(edge.node).node_class;
        if (node_class == NodeClass::kConstant || IsSaved(edge)) continue;
        if (node_class == NodeClass::kArg) {
          const int number = NumberOf(edge);
          if (number == counting_) continue;
          if (!IsInvariant(number)) return false;
          used.push_back(number);
          continue;
        }
        if (!body_.IsCheap(edge)) return false;
        bool known = false;
        for (const int node : nodes) known = known || node == edge.node;
        if (!known) nodes.push_back(edge.node);
      }
    }
    for (const int number : used) UseInvariant(number);
    for (const int node : nodes) recomputed_.push_back(node);
    return true;
  }
  bool IsSaved(InEdge edge) const {
    for (const Saved& saved : saved_)
      if (saved.tensor == edge) return true;
    return false;
  }
  Status Save(InEdge edge) {
    GraphEditor& editor = body_.editor();
    const Symbol tensor = editor.At(edge);
    if (tensor.dtype() == DataType::kResource)
      return errors::Unimplemented("Gradient of loop '", g_.def().name, "': a resource changes between iterations");
    Saved& saved = saved_.emplace_back();
    saved.tensor = edge;
    saved.type = tensor.dtype();
    saved.shape = body_.IsConditional(edge) ? PartialTensorShape() : tensor.shape();
    saved.list = body_.AddArg(DataType::kVariant, PartialTensorShape(TensorShape()));
    saved.pushed = editor.Add("TensorListPushBack", {saved.list, body_.Alive(edge)});
    return OkStatus();
  }
  // A vector for a shape with unknown sizes; -1 for an unknown rank.
  static Symbol ShapeSymbol(GraphEditor& editor, const PartialTensorShape& shape) {
    if (shape.unknown_rank()) return editor.Int(-1);
    SlimVector<std::int32_t> sizes;
    for (const Index size : shape) sizes.push_back(static_cast<std::int32_t>(size));
    return editor.Ints(sizes);
  }

  // The sizes that two shapes have in common; others are unknown.
  static PartialTensorShape Common(const PartialTensorShape& a, const PartialTensorShape& b) {
    if (a.unknown_rank() || b.unknown_rank() || a.dims() != b.dims()) return {};
    SlimVector<Index> sizes;
    for (int d = 0; d < a.dims(); ++d) sizes.push_back(a.dim_size(d) == b.dim_size(d) ? a.dim_size(d) : -1);
    return PartialTensorShape(Span<const Index>(sizes.data(), sizes.size()));
  }

  Status WriteForward() {
    if (counting_ >= 0 && saved_.empty()) return OkStatus();  // the loop gives all that the backward loop reads
    GraphEditor& outer = g_.editor();
    const Symbol next = counting_ < 0 ? counter_ + 1.0 : Symbol();
    FunctionWriter writer(body_.graph(), outer.UniqueFunctionName(StrCat("__forward_", body_.name())));
    for (const InEdge arg : body_.args()) writer.AddArg(arg);
    if (counting_ < 0) writer.AddArg(counter_.edge());
    for (const Saved& saved : saved_) writer.AddArg(saved.list.edge());
    for (const InEdge result : body_.results()) writer.AddResult(result);
    if (counting_ < 0) writer.AddResult(next.edge());
    for (const Saved& saved : saved_) writer.AddResult(saved.pushed.edge());
    body_.KeepForward(&writer);
    const std::string body = AddFunction(g_, writer.Write());
    NameAttrList cond = g_.attr("cond").func();
    TENON_RETURN_IF_ERROR(WidenCondition(&cond.name));
    TENON_RETURN_IF_ERROR(outer.status());
    ReplaceFunction(g_, "body", {body, {}});
    ReplaceFunction(g_, "cond", std::move(cond));

    SlimVector<DataType> types;
    SlimVector<Symbol> initial;
    if (counting_ < 0) {
      types.push_back(DataType::kInt32);
      initial.push_back(outer.Int(0));
    }
    for (const Saved& saved : saved_) {
      types.push_back(DataType::kVariant);
      initial.push_back(outer.Add("EmptyTensorList", {ShapeSymbol(outer, saved.shape), outer.Int(-1)},
                                  {{"element_dtype", saved.type}}));
    }
    TENON_RETURN_IF_ERROR(outer.status());
    AddOutputs(g_, "T", types);
    Node& node = outer.graph().mutable_node(g_.node());
    for (const DataType type : types) {
      node.input_types.push_back(type);
      node.inputs.emplace_back();
    }
    for (std::size_t i = 0; i < initial.size(); ++i)
      TENON_RETURN_IF_ERROR(
          outer.graph().AddEdge(initial[i].node, initial[i].index, g_.node(), count_ + static_cast<int>(i)));
    return OkStatus();
  }
  // The condition with arguments for the counter and the lists, which it does not read.
  Status WidenCondition(std::string* name) {
    GraphEditor& outer = g_.editor();
    const FunctionIndex functions(outer.library());
    const FunctionDef* const old = functions.Find(*name);
    if (old == nullptr) return errors::NotFound("The graph's library has no function '", *name, "'");
    FunctionDef wide = *old;
    *name = wide.signature.name = outer.UniqueFunctionName(StrCat("__forward_", *name));
    const auto taken = [&wide](const std::string& text) {
      for (const NodeDef& node : wide.node_def)
        if (node.name == text) return true;
      for (const OpDef::ArgDef& arg : wide.signature.input_arg)
        if (arg.name == text) return true;
      return false;
    };
    int number = 0;
    const auto added_before = ToSize(added());
    for (std::size_t i = 0; i < added_before + saved_.size(); ++i) {
      std::string text;
      do text = StrCat("unused", number++);
      while (taken(text));
      OpDef::ArgDef& arg = wide.signature.input_arg.emplace_back();
      arg.name = std::move(text);
      arg.type = i < added_before ? DataType::kInt32 : DataType::kVariant;
    }
    outer.library().function.push_back(std::move(wide));
    return OkStatus();
  }

  Status WriteBackward() {
    GraphEditor& outer = g_.editor();
    GraphEditor& editor = body_.editor();
    // The counter's value after an iteration, before it, and before the first one.
    const Symbol before = counter_ + editor.Int(counting_ < 0 ? -1 : -step_);
    const Symbol start =
        counting_ < 0 ? editor.Int(0) : body_.AddArg(DataType::kInt32, PartialTensorShape(TensorShape()));
    const Symbol more =
        counting_ < 0 || step_ > 0 ? editor.Add("Less", {start, counter_}) : editor.Add("Less", {counter_, start});
    SlimVector<Symbol> lists, popped, values;
    for (const Saved& saved : saved_) {
      lists.push_back(body_.AddArg(DataType::kVariant, PartialTensorShape(TensorShape())));
      popped.push_back(editor.Add("TensorListPopBack", {lists.back(), ShapeSymbol(editor, saved.shape)},
                                  {{"element_dtype", saved.type}}));
      values.push_back(body_.Guarded(saved.tensor, popped.back()[1]));
    }
    TENON_RETURN_IF_ERROR(editor.status());

    std::string names[2];
    for (const bool is_body : {false, true}) {
      FunctionWriter writer(
          body_.graph(), outer.UniqueFunctionName(StrCat(is_body ? "__backward_" : "__backward_cond_", body_.name())),
          body_.forward_nodes());
      writer.AddArg(counter_.edge());
      for (const Carried& carried : carried_) writer.AddArg(carried.before);
      if (counting_ >= 0) writer.AddArg(start.edge());
      for (const int number : invariants_) writer.AddArg(body_.args()[ToSize(number)]);
      for (const Symbol list : lists) writer.AddArg(list.edge());
      if (is_body) {
        for (std::size_t i = 0; i < saved_.size(); ++i) writer.Replace(saved_[i].tensor, values[i].edge());
        if (counting_ >= 0) writer.Replace(body_.args()[ToSize(counting_)], before.edge());
        for (const int node : recomputed_) writer.Allow(node);
        writer.AddResult(before.edge());
        for (const Carried& carried : carried_) writer.AddResult(carried.after);
        if (counting_ >= 0) writer.AddResult(start.edge());
        for (const int number : invariants_) writer.AddResult(body_.args()[ToSize(number)]);
        for (const Symbol list : popped) writer.AddResult(list.edge());
      } else {
        writer.AddResult(more.edge());
      }
      names[is_body ? 1 : 0] = AddFunction(g_, writer.Write());
      TENON_RETURN_IF_ERROR(outer.status());
    }

    SlimVector<Symbol> inputs{g_.output(counting_ < 0 ? count_ : counting_)};
    for (const Carried& carried : carried_) {
      const bool resource = g_.input(carried.variable).dtype() == DataType::kResource;
      inputs.push_back(resource ? g_.ZerosLike(g_.input(carried.variable)) : g_.grad(carried.variable));
    }
    if (counting_ >= 0) inputs.push_back(g_.input(counting_));
    for (const int number : invariants_) inputs.push_back(g_.input(number));
    for (std::size_t i = 0; i < saved_.size(); ++i) inputs.push_back(g_.output(count_ + added() + static_cast<int>(i)));
    const std::string op = g_.def().op;
    SlimVector<G::Attr> attrs{{"cond", AttrValue(NameAttrList{names[0], {}})},
                              {"body", AttrValue(NameAttrList{names[1], {}})}};
    if (const AttrValue* value = g_.def().attr.Find("parallel_iterations"); value != nullptr)
      attrs.emplace_back("parallel_iterations", *value);
    SlimVector<PartialTensorShape> shapes;
    bool change = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      shapes.push_back(inputs[i].shape());
      if (i < 1 || i >= 1 + carried_.size()) continue;
      const int variable = carried_[i - 1].variable;
      const PartialTensorShape first = g_.input(variable).shape();
      if (first.IsIdenticalTo(shapes.back()) || g_.input(variable).dtype() == DataType::kResource) continue;
      change = true;
      shapes.back() = Common(first, shapes.back());
    }
    if (change) attrs.emplace_back("output_shapes", AttrValue(std::move(shapes)));
    const G::Input all[] = {G::Input(std::move(inputs))};
    const Symbol loop = g_.editor().AddNode(op, all, attrs);
    for (std::size_t i = 0; i < carried_.size(); ++i) g_.set(carried_[i].variable, loop[1 + static_cast<int>(i)]);
    return outer.status();
  }

  G& g_;
  int count_;  // variables of the forward loop
  FunctionDerivation body_;
  SlimVector<char> reached_;  // per variable
  SlimVector<Carried> carried_;
  SlimVector<int> invariants_;
  SlimVector<char> invariant_;  // per variable: it is among these
  SlimVector<int> recomputed_;  // nodes of the forward body that the backward body has, too
  SlimVector<Saved> saved_;
  int counting_ = -1;  // the variable that counts the iterations; -1: none
  std::int32_t step_ = 0;  // what it adds each time
  Symbol counter_;
};

inline void Loop(G& g) { g.Fail(LoopGradient(&g).Make()); }

inline constexpr GradientRow kLoop[] = {{"While", Loop}, {"StatelessWhile", Loop}};

inline const bool registers_loop = RegisterGradients<kLoop>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
