// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of calls and branches. The function is replaced by one that also gives the tensors that its gradient reads,
// and a second function computes the gradient.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/gradients/function_derivation.hpp>
#include <tenon/gradients/function_writer.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// Adds outputs of these types to a node, as Tout or T says.
inline void AddOutputs(G& g, std::string_view attr, const SlimVector<DataType>& types) {
  Node& node = g.editor().graph().mutable_node(g.node());
  AttrList* const list = node.def.attr.Find(attr)->mutable_list();
  for (const DataType type : types) {
    list->type.push_back(type);
    node.output_types.push_back(type);
    node.output_shapes.emplace_back();
  }
  if (AttrValue* shapes = node.def.attr.Find("output_shapes"); shapes != nullptr && !shapes->list().shape.empty())
    for (std::size_t i = 0; i < types.size(); ++i) shapes->mutable_list()->shape.emplace_back();
  node.def.attr.erase("_output_shapes");
  g.editor().NoteEdited(g.node());
}
inline void ReplaceFunction(G& g, std::string_view attr, NameAttrList f) {
  *g.editor().graph().mutable_node(g.node()).def.attr.Find(attr) = AttrValue(std::move(f));
}
// Adds a function to the library; its name.
inline std::string AddFunction(G& g, Result<FunctionDef> function) {
  if (!function.ok()) {
    g.Fail(function.status());
    return "";
  }
  if (!g.editor().adds_functions()) {
    g.Fail(errors::Unimplemented("SymbolicGradient through ", g.def().op, " node '", g.def().name, "'"));
    return "";
  }
  std::string name = function->signature.name;
  g.editor().library().function.push_back(std::move(*function));
  return name;
}

// Gradient of one input, as the results of backward functions give it.
enum class GradientForm : char { kNone, kDense, kSlices };

// The branches of a node with the inputs `first` and on: one for a call.
class BranchGradients {
 public:
  BranchGradients(G* g, int first) : g_(*g), first_(first) {}

  void Import(const NameAttrList& f) {
    if (!g_.editor().status().ok()) return;
    SlimVector<InEdge> inputs;
    SlimVector<PartialTensorShape> shapes;
    SlimVector<char> needed;
    for (int i = first_; i < g_.num_inputs(); ++i) {
      inputs.push_back(g_.input(i).edge());
      shapes.push_back(g_.input(i).shape());
      needed.push_back(g_.needs(i) ? 1 : 0);
    }
    functions_.push_back(f);
    branches_.push_back(MakeOwned<FunctionDerivation>());
    g_.Fail(branches_.back()->Import(g_.editor(), f, inputs, shapes));
    if (!g_.editor().status().ok()) return;
    if (branches_.back()->results().size() != ToSize(g_.num_outputs()))
      return g_.Fail(errors::InvalidArgument("Function '", f.name, "' has ", branches_.back()->results().size(),
                                             " results, but the node has ", g_.num_outputs(), " outputs"));
    SlimVector<char> has_grad;
    for (int i = 0; i < g_.num_outputs(); ++i)
      has_grad.push_back(g_.has_grad(i) || IsTrainable(g_.output(i).dtype()) ? 1 : 0);
    has_grad_ = has_grad;
    g_.Fail(branches_.back()->Derive(g_.functions(), has_grad, needed));
  }

  // Writes forward functions that also give the captured tensors of all branches. Without such tensors the functions
  // stay as they are.
  SlimVector<NameAttrList> WriteForward() {
    SlimVector<NameAttrList> names;
    FindForms();
    for (Owned<FunctionDerivation>& branch : branches_) branch->FindCaptured(ResultsOf(*branch));
    if (CapturedTypes().empty()) return functions_;
    for (Owned<FunctionDerivation>& branch : branches_) {
      // Tensors of other branches are empty.
      SlimVector<InEdge> more;
      for (Owned<FunctionDerivation>& other : branches_)
        for (const InEdge edge : other->captured())
          more.push_back(other.get() == branch.get() ? branch->Alive(edge).edge()
                                                     : Empty(*branch, other->TypeOf(edge)));
      FunctionWriter writer(branch->graph(), g_.editor().UniqueFunctionName(StrCat("__forward_", branch->name())));
      for (const InEdge arg : branch->args()) writer.AddArg(arg);
      for (const InEdge result : branch->results()) writer.AddResult(result);
      for (const InEdge edge : more) writer.AddResult(edge);
      branch->KeepForward(&writer);
      names.push_back({AddFunction(g_, writer.Write()), {}});
    }
    return names;
  }
  SlimVector<DataType> CapturedTypes() {
    SlimVector<DataType> types;
    for (Owned<FunctionDerivation>& branch : branches_)
      for (const InEdge edge : branch->captured()) types.push_back(branch->TypeOf(edge));
    return types;
  }

  // Backward functions take: the node's inputs, all captured tensors, and the gradients of the outputs.
  SlimVector<NameAttrList> WriteBackward() {
    SlimVector<NameAttrList> names;
    for (Owned<FunctionDerivation>& branch : branches_) {
      SlimVector<InEdge> others;  // arguments that this branch does not read
      for (Owned<FunctionDerivation>& other : branches_)
        for (const InEdge edge : other->captured())
          others.push_back(other.get() == branch.get() ? edge : branch->AddArg(other->TypeOf(edge), {}).edge());
      FunctionWriter writer(branch->graph(), g_.editor().UniqueFunctionName(StrCat("__backward_", branch->name())),
                            branch->forward_nodes());
      for (const InEdge arg : branch->args()) writer.AddArg(arg);
      for (const InEdge edge : others) writer.AddArg(edge);
      for (const InEdge edge : branch->grad_args())
        if (edge.node >= 0) writer.AddArg(edge);
      for (const InEdge edge : ResultsOf(*branch)) writer.AddResult(edge);
      names.push_back({AddFunction(g_, writer.Write()), {}});
    }
    return names;
  }
  SlimVector<Symbol> BackwardInputs(int old_outputs, std::size_t captured) {
    SlimVector<Symbol> inputs;
    for (int i = first_; i < g_.num_inputs(); ++i) inputs.push_back(g_.input(i));
    for (std::size_t i = 0; i < captured; ++i) inputs.push_back(g_.output(old_outputs + static_cast<int>(i)));
    for (int i = 0; i < old_outputs; ++i)
      if (has_grad_[ToSize(i)] != 0) inputs.push_back(g_.grad(i));
    return inputs;
  }
  SlimVector<DataType> ResultTypes() {
    SlimVector<DataType> types;
    for (const InEdge edge : ResultsOf(*branches_[0])) types.push_back(branches_[0]->TypeOf(edge));
    return types;
  }
  bool has(int input) const { return forms_[ToSize(input - first_)] != GradientForm::kNone; }
  void SetResults(Symbol backward) {
    int at = 0;
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      const int input = first_ + static_cast<int>(i);
      if (forms_[i] == GradientForm::kDense) g_.set(input, backward[at++]);
      if (forms_[i] != GradientForm::kSlices) continue;
      g_.SetSlices(input, backward[at], backward[at + 1], backward[at + 2]);
      at += 3;
    }
  }

 private:
  // Slices where all branches that have a gradient have slices, or slices and dense ones.
  void FindForms() {
    const std::size_t args = branches_.empty() ? 0 : branches_[0]->args().size();
    for (std::size_t i = 0; i < args; ++i) {
      GradientForm form = GradientForm::kNone;
      DataType indices = DataType::kInt32;
      for (Owned<FunctionDerivation>& branch : branches_) {
        const TensorGradient& gradient = branch->gradients()[i];
        if (gradient.is_slices()) {
          form = GradientForm::kSlices;
          if (branch->TypeOf(gradient.indices) == DataType::kInt64) indices = DataType::kInt64;
        } else if (gradient && form == GradientForm::kNone) {
          form = GradientForm::kDense;
        }
      }
      forms_.push_back(form);
      for (Owned<FunctionDerivation>& branch : branches_) Complete(*branch, i, form, indices);
    }
  }
  // Gives the gradient of argument i the form that all branches have.
  static void Complete(FunctionDerivation& branch, std::size_t i, GradientForm form, DataType indices) {
    TensorGradient& gradient = branch.gradients()[i];
    if (form == GradientForm::kNone) return;
    if (!gradient) gradient.dense = branch.ZerosLike(branch.args()[i]).edge();
    if (form == GradientForm::kDense) return;
    GraphEditor& editor = branch.editor();
    GradientBuilder builder(&editor, nullptr, branch.args()[i].node, {});
    if (gradient.is_slices()) {
      gradient.indices = builder.Cast(editor.At(gradient.indices), indices).edge();
      gradient.dense_shape = builder.Cast(editor.At(gradient.dense_shape), DataType::kInt32).edge();
      return;
    }
    const Symbol dense = editor.At(gradient.dense), shape = builder.Shape(dense);
    gradient = {{},
                builder.Range(editor.Scalar(indices, 0), builder.Cast(builder.Item(shape, 0), indices)).edge(),
                dense.edge(),
                shape.edge()};
  }
  SlimVector<InEdge> ResultsOf(FunctionDerivation& branch) const {
    SlimVector<InEdge> results;
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      const TensorGradient& gradient = branch.gradients()[i];
      if (forms_[i] == GradientForm::kDense) results.push_back(gradient.dense);
      if (forms_[i] != GradientForm::kSlices) continue;
      results.push_back(gradient.indices);
      results.push_back(gradient.values);
      results.push_back(gradient.dense_shape);
    }
    return results;
  }
  InEdge Empty(FunctionDerivation& branch, DataType type) {
    GraphEditor& editor = branch.editor();
    if (type == DataType::kVariant)
      return editor.Add("EmptyTensorList", {editor.Int(-1), editor.Int(0)}, {{"element_dtype", DataType::kFloat}})
          .edge();
    Result<Tensor> tensor = Tensor::Make(type, TensorShape({0}));
    if (!tensor.ok()) {
      g_.Fail(tensor.status());
      return {};
    }
    return editor.Const(*tensor).edge();
  }

  G& g_;
  int first_;
  SlimVector<NameAttrList> functions_;  // those that the node names
  SlimVector<Owned<FunctionDerivation>> branches_;
  SlimVector<GradientForm> forms_;  // per argument
  SlimVector<char> has_grad_;  // per output
};

// The function in the graph's library that computes the gradient of `f`, or null.
inline const GradientDef* GivenGradient(G& g, std::string_view f) {
  for (const GradientDef& gradient : g.editor().library().gradient)
    if (gradient.function_name == f) return &gradient;
  return nullptr;
}
// A gradient that the library names takes the inputs and the gradients of the outputs.
inline void CallGiven(G& g, const std::string& name, const AttrMap& attrs) {
  SlimVector<Symbol> inputs;
  SlimVector<DataType> types;
  for (int i = 0; i < g.num_inputs(); ++i) {
    inputs.push_back(g.input(i));
    types.push_back(g.input(i).dtype());
  }
  for (int i = 0; i < g.num_outputs(); ++i)
    inputs.push_back(g.has_grad(i) || IsTrainable(g.output(i).dtype()) ? g.grad(i) : g.ZerosLike(g.output(i)));
  const Symbol call = g.Add("StatefulPartitionedCall", {G::Input(std::move(inputs))},
                            {{"f", AttrValue(NameAttrList{name, attrs})}, {"Tout", AttrValue(types)}});
  for (int i = 0; i < g.num_inputs(); ++i)
    if (IsTrainable(types[ToSize(i)])) g.set(i, call[i]);
}

// Without a library for new functions: the runtime makes the gradient of `f`.
inline void CallSymbolic(G& g, const NameAttrList& f) {
  SlimVector<Symbol> inputs;
  SlimVector<DataType> types;
  for (int i = 0; i < g.num_inputs(); ++i) {
    inputs.push_back(g.input(i));
    types.push_back(g.input(i).dtype() == DataType::kResource ? g.HeldType(g.input(i)) : g.input(i).dtype());
  }
  for (int i = 0; i < g.num_outputs(); ++i)
    inputs.push_back(g.has_grad(i) || IsTrainable(g.output(i).dtype()) ? g.grad(i) : g.ZerosLike(g.output(i)));
  const Symbol call =
      g.Add("SymbolicGradient", {G::Input(std::move(inputs))}, {{"f", AttrValue(f)}, {"Tout", AttrValue(types)}});
  for (int i = 0; i < g.num_inputs(); ++i)
    if (IsTrainable(g.input(i).dtype())) g.set(i, call[i]);
}

inline void Call(G& g) {
  const NameAttrList f = g.attr("f").func();
  if (const GradientDef* given = GivenGradient(g, f.name); given != nullptr)
    return CallGiven(g, given->gradient_func, f.attr);
  if (!g.editor().adds_functions()) return CallSymbolic(g, f);
  const std::string op = g.def().op;
  const int outputs = g.num_outputs();
  BranchGradients branches(&g, 0);
  branches.Import(f);
  if (!g.editor().status().ok()) return;
  const SlimVector<NameAttrList> forward = branches.WriteForward();
  if (!g.editor().status().ok()) return;
  const SlimVector<DataType> captured = branches.CapturedTypes();
  ReplaceFunction(g, "f", forward[0]);
  AddOutputs(g, "Tout", captured);
  const SlimVector<NameAttrList> backward = branches.WriteBackward();
  const SlimVector<DataType> types = branches.ResultTypes();
  if (!g.editor().status().ok() || types.empty()) return;
  branches.SetResults(g.Add(op, {G::Input(branches.BackwardInputs(outputs, captured.size()))},
                            {{"f", AttrValue(backward[0])}, {"Tout", AttrValue(types)}}));
}
// If and Case: input 0 chooses the branch.
inline void Branch(G& g) {
  const std::string op = g.def().op;
  const bool is_if = op == "If" || op == "StatelessIf";
  const int outputs = g.num_outputs();
  BranchGradients branches(&g, 1);
  if (is_if) {
    branches.Import(g.attr("then_branch").func());
    branches.Import(g.attr("else_branch").func());
  } else {
    const AttrValue all = g.attr("branches");
    for (const NameAttrList& f : all.list().func) branches.Import(f);
  }
  if (!g.editor().status().ok()) return;
  const SlimVector<NameAttrList> forward = branches.WriteForward();
  if (!g.editor().status().ok()) return;
  const SlimVector<DataType> captured = branches.CapturedTypes();
  const auto function_attrs = [&](const SlimVector<NameAttrList>& names) {
    SlimVector<G::Attr> attrs;
    if (is_if) {
      attrs.emplace_back("then_branch", AttrValue(names[0]));
      attrs.emplace_back("else_branch", AttrValue(names[1]));
    } else {
      AttrList list;
      list.func = names;
      attrs.emplace_back("branches", AttrValue(std::move(list)));
    }
    return attrs;
  };
  for (const G::Attr& attr : function_attrs(forward))
    *g.editor().graph().mutable_node(g.node()).def.attr.Find(attr.first) = attr.second;
  AddOutputs(g, "Tout", captured);
  const SlimVector<NameAttrList> backward = branches.WriteBackward();
  const SlimVector<DataType> types = branches.ResultTypes();
  if (!g.editor().status().ok() || types.empty()) return;
  SlimVector<G::Attr> attrs = function_attrs(backward);
  attrs.emplace_back("Tout", AttrValue(types));
  const G::Input inputs[] = {g.input(0), G::Input(branches.BackwardInputs(outputs, captured.size()))};
  branches.SetResults(g.editor().AddNode(op, inputs, attrs));
}

inline constexpr GradientRow kCall[] = {
    {"PartitionedCall", Call}, {"StatefulPartitionedCall", Call}, {"If", Branch}, {"StatelessIf", Branch},
    {"Case", Branch},          {"StatelessCase", Branch},
};

inline const bool registers_call = RegisterGradients<kCall>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
